"""The feature map of the grandparent model: hashed features of arcs, dense tables for grandparent parts."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.learn import Blocks, FeatureVector, Weights
from gapless_dependency import DependencyTree, Grandchild, ParsingProblem
from gapless_models.parsing.features import TrainingSentence, TreeFeatures, arc_places
from gapless_models.parsing.parser_model import all_arcs
from gapless_models.parsing.parts import parts_of_tree
from gapless_models.price_and_cut.templates import LEARNT, PartPlaces, table_slices
from gapless_models.price_and_cut.token_classes import TokenClasses

ARCS, GRANDPARENTS = "arcs", "grandparents"
"""The blocks of weights."""
FAMILY = "grandchild"


@attrs.frozen(eq=False, kw_only=True)
class Example(TrainingSentence):
    """A training sentence with the classes of its tokens.

    Trees are made of all arcs; training looks at the grandparent parts of the `candidates` only.

    Parameters
    ----------
    tokens : int64 (4, n + 1)
        Token classes, level by level.
    """

    tokens: IntArray


class GrandparentFeatures(TreeFeatures[Example]):
    """Arcs hashed into one table; parts by templates with a table each.

    Parameters
    ----------
    projective, single_root : bool
        The set of trees: projective or all, with one word below the root or more.
    bits : int
        The table of arcs has ``2^bits`` weights.
    """

    def __init__(self, classes: TokenClasses, *, projective: bool, single_root: bool, bits: int = 22) -> None:
        self.classes = classes
        # One table for arcs, and those of the templates one after the other.
        blocks = Blocks({ARCS: (1 << bits,), GRANDPARENTS: (table_slices(LEARNT, classes)[-1].stop,)})
        super().__init__(blocks, ARCS, projective=projective, single_root=single_root, bits=bits)

    def problem(self, weights: Weights, example: Example) -> ParsingProblem:
        """Build the problem over all arcs, as decoding sees it."""
        return self._problem(weights, example, self.arc_scores(weights, example, all_arcs(len(example.heads))))

    def factors(self, weights: Weights, example: Example) -> list[Any]:
        """Return the grandchild factor."""
        places = PartPlaces.of(LEARNT, self.classes, example.tokens)

        def score(g: IntArray, p: IntArray, c: IntArray) -> FloatArray:
            return self.part_scores(weights, places.lookup(g, p, c))

        return [Grandchild(score)]

    def part_scores(self, weights: Weights, places: IntArray) -> FloatArray:
        """Score parts (parts,) by the indices of their weights (parts, templates)."""
        rows = weights.rows(GRANDPARENTS, places.ravel()).reshape(places.shape)
        scores: FloatArray = rows.sum(axis=1, dtype=np.float64)
        return scores

    def features(self, example: Example, structure: DependencyTree) -> FeatureVector:
        """Return the indices of all arcs and parts of a tree."""
        arcs = np.column_stack([structure.heads, np.arange(1, len(structure) + 1)])
        parts = parts_of_tree(FAMILY, structure.heads)
        lookup = PartPlaces.of(LEARNT, self.classes, example.tokens).lookup(*parts.T)
        return self.vector(example, arcs, np.ones(len(arcs)), lookup, np.ones(len(lookup)))

    def vector(
        self,
        example: Example,
        arcs: IntArray,
        arc_values: FloatArray,
        places: IntArray,
        part_values: FloatArray,
        *,
        part_scale: float = 1.0,
    ) -> FeatureVector:
        """Combine features: a value for each arc (m, 2), and for each part with its `places` (parts, templates)."""
        hashed, counts = arc_places(example.atoms, arcs, self.bits)
        return self._blocks.vector(
            **{
                ARCS: (hashed, np.repeat(arc_values, counts)),
                GRANDPARENTS: (places.ravel(), np.repeat(part_scale * part_values, places.shape[1])),
            }
        )
