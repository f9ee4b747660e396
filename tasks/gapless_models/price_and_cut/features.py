"""The feature map of the grandparent model: hashed features of arcs, dense tables for grandparent parts."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.learn import Blocks, FeatureMap, FeatureVector, Weights
from gapless_dependency import DependencyTree, Grandchild, ParsingProblem
from gapless_models.parsing.atoms import atoms_of
from gapless_models.parsing.features import arc_places
from gapless_models.parsing.parser_model import FirstOrder, all_arcs, arc_scores
from gapless_models.parsing.parts import parts_of_tree
from gapless_models.parsing.sentence import Sentence
from gapless_models.price_and_cut.templates import LEARNT, PartPlaces, table_slices
from gapless_models.price_and_cut.token_classes import TokenClasses

ARCS, GRANDPARENTS = "arcs", "grandparents"
"""The blocks of weights."""
FAMILY = "grandchild"


@attrs.frozen(eq=False)
class Example:
    """A sentence as training sees it.

    Parameters
    ----------
    atoms : uint32 (n + 1 + 2 PAD, A)
    tokens : int64 (4, n + 1)
        Token classes.
    heads : int64 (n,)
        The gold tree.
    candidates : bool (n + 1, n + 1)
        The arcs whose grandparent parts are looked at. Trees are made of all arcs.
    """

    atoms: NDArray[np.uint32]
    tokens: IntArray
    heads: IntArray
    candidates: BoolArray


class GrandparentFeatures(FeatureMap[Example, ParsingProblem, DependencyTree]):
    """Arcs hashed into one table; parts by templates with a table each.

    Parameters
    ----------
    projective, single_root : bool
        The set of trees: projective or all, with one word below the root or more.
    bits : int
        The table of arcs has ``2^bits`` weights.
    """

    def __init__(self, classes: TokenClasses, *, projective: bool, single_root: bool, bits: int = 22) -> None:
        self.classes, self.bits = classes, bits
        self.projective, self.single_root = projective, single_root
        self._blocks = Blocks({ARCS: (1 << bits,), GRANDPARENTS: (table_slices(LEARNT, classes)[-1].stop,)})

    @property
    def blocks(self) -> Blocks:
        """The table of arcs, and those of the templates one after the other."""
        return self._blocks

    def example(self, sentence: Sentence, pruner: FirstOrder, heads_kept: int) -> Example:
        """A training sentence; gold arcs are candidates under any pruner."""
        atoms, heads = atoms_of(sentence), np.array(sentence.heads, np.int64)
        candidates = pruner.candidates(
            atoms, heads_kept, heads, projective=self.projective, single_root=self.single_root
        )
        return Example(atoms, self.classes.of_sentence(sentence), heads, candidates)

    def gold(self, example: Example) -> DependencyTree:
        """The gold tree."""
        return DependencyTree(example.heads)

    def problem(self, weights: Weights, example: Example) -> ParsingProblem:
        """All trees of all arcs; parts are scored when asked for, before the weights change."""
        return self._problem(weights, example, self.arc_scores(weights, example))

    def augmented_problem(self, weights: Weights, example: Example, margin: float) -> ParsingProblem:
        """With `margin` more for every arc that is not gold; only candidate arcs, for speed."""
        scores = np.where(example.candidates, self.arc_scores(weights, example) + margin, -np.inf)
        scores[example.heads, np.arange(1, len(example.heads) + 1)] -= margin
        return self._problem(weights, example, scores)

    def arc_scores(self, weights: Weights, example: Example) -> FloatArray:
        """Of all arcs, float64 (n + 1, n + 1)."""
        return arc_scores(example.atoms, weights[ARCS], all_arcs(len(example.heads)))

    def _problem(self, weights: Weights, example: Example, scores: FloatArray) -> ParsingProblem:
        places = PartPlaces.of(LEARNT, self.classes, example.tokens)

        def score(g: IntArray, p: IntArray, c: IntArray) -> FloatArray:
            return self.part_scores(weights, places.lookup(g, p, c))

        return ParsingProblem(
            scores, factors=[Grandchild(score)], projective=self.projective, single_root=self.single_root
        )

    def part_scores(self, weights: Weights, places: IntArray) -> FloatArray:
        """Scores of parts (parts,) from the places of their weights (parts, templates)."""
        found = weights.rows(GRANDPARENTS, places.ravel()).reshape(places.shape)
        scores: FloatArray = found.sum(axis=1, dtype=np.float64)
        return scores

    def features(self, example: Example, structure: DependencyTree) -> FeatureVector:
        """The places of all arcs and parts of a tree."""
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
        """So much of each arc (m, 2), and of each part whose `places` (parts, templates) these are."""
        hashed, counts = arc_places(example.atoms, arcs, self.bits)
        return self._blocks.vector(
            **{
                ARCS: (hashed, np.repeat(arc_values, counts)),
                GRANDPARENTS: (places.ravel(), np.repeat(part_scale * part_values, places.shape[1])),
            }
        )

    def loss(self, example: Example, structure: DependencyTree) -> float:
        """The number of wrong heads."""
        return float(np.count_nonzero(example.heads != structure.heads))
