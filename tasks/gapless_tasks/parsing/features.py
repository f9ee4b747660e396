"""The feature map that trainers ask: trees as sums of hashed features."""

from __future__ import annotations

from collections import Counter

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless_kernels
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.learn import Blocks, FeatureMap, FeatureVector, Weights
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_tasks.parsing.families import ARC, FAMILIES
from gapless_tasks.parsing.parser_model import arc_scores, part_scorer
from gapless_tasks.parsing.parts import check_families, factor_of, parts_of_tree

TABLE = "table"
"""The only block of weights."""


def arc_places(atoms: NDArray[np.uint32], arcs: IntArray, bits: int) -> tuple[IntArray, IntArray]:
    """The table places of the features of arcs (m, 2), arc by arc, and how many each arc has."""
    places = gapless_kernels.part_features(atoms, arcs, ARC.values, ARC.rows, bits)
    return places, gapless_kernels.feature_counts(arcs, ARC.rows)


@attrs.frozen(eq=False)
class TrainingSentence:
    """A sentence as training sees it.

    Parameters
    ----------
    atoms : uint32 (n + 1 + 2 PAD, A)
    heads : int64 (n,)
        The gold tree.
    candidates : bool (n + 1, n + 1)
        The arcs to choose from, the gold ones among them.
    """

    atoms: NDArray[np.uint32]
    heads: IntArray
    candidates: BoolArray


class ParsingFeatures(FeatureMap[TrainingSentence, ParsingProblem, DependencyTree]):
    """Arcs and parts of higher-order families, hashed into one table.

    Parameters
    ----------
    families : sequence of str
    projective, single_root : bool
        Which trees are searched.
    bits : int
        The table has ``2^bits`` weights.
    """

    def __init__(
        self, families: tuple[str, ...] = (), *, projective: bool, single_root: bool = True, bits: int = 22
    ) -> None:
        check_families(families)
        self.families = families
        self.projective, self.single_root, self.bits = projective, single_root, bits
        self._blocks = Blocks({TABLE: (1 << bits,)})

    @property
    def blocks(self) -> Blocks:
        """One block, the table."""
        return self._blocks

    def gold(self, example: TrainingSentence) -> DependencyTree:
        """The gold tree."""
        return DependencyTree(example.heads)

    def problem(self, weights: Weights, example: TrainingSentence) -> ParsingProblem:
        """All trees of the candidate arcs; parts are scored when asked for, before the weights change."""
        return self._problem(weights, example, arc_scores(example.atoms, weights[TABLE], example.candidates))

    def augmented_problem(self, weights: Weights, example: TrainingSentence, margin: float) -> ParsingProblem:
        """With `margin` more for every arc that is not gold."""
        scores = arc_scores(example.atoms, weights[TABLE], example.candidates) + margin
        scores[example.heads, np.arange(1, len(example.heads) + 1)] -= margin
        return self._problem(weights, example, scores)

    def _problem(self, weights: Weights, example: TrainingSentence, scores: FloatArray) -> ParsingProblem:
        table = weights[TABLE]
        factors = [
            factor_of(name, example.candidates, part_scorer(example.atoms, FAMILIES[name], table))
            for name in self.families
        ]
        # No granularity: the averaged weights that parse the development part are no whole numbers.
        return ParsingProblem(scores, factors=factors, projective=self.projective, single_root=self.single_root)

    def features(self, example: TrainingSentence, structure: DependencyTree) -> FeatureVector:
        """The table places of all arcs and parts of a tree."""
        return self._vector(example, self._parts(structure))

    def difference(self, example: TrainingSentence, better: DependencyTree, worse: DependencyTree) -> FeatureVector:
        """Of the parts that only one of the two trees has."""
        gained, lost = self._parts(better), self._parts(worse)
        only_gained = {name: _without(gained[name], lost[name]) for name in gained}
        only_lost = {name: _without(lost[name], gained[name]) for name in gained}
        return self._vector(example, only_gained) - self._vector(example, only_lost)

    def loss(self, example: TrainingSentence, structure: DependencyTree) -> float:
        """The number of wrong heads."""
        return float(np.count_nonzero(example.heads != structure.heads))

    def _parts(self, tree: DependencyTree) -> dict[str, IntArray]:
        arcs = np.column_stack([tree.heads, np.arange(1, len(tree) + 1)])
        return {ARC.name: arcs, **{name: parts_of_tree(name, tree.heads) for name in self.families}}

    def _vector(self, example: TrainingSentence, parts: dict[str, IntArray]) -> FeatureVector:
        places = [
            gapless_kernels.part_features(example.atoms, rows, templates.values, templates.rows, self.bits)
            for name, rows in parts.items()
            for templates in (ARC if name == ARC.name else FAMILIES[name],)
        ]
        return self._blocks.vector(**{TABLE: (np.concatenate(places), 1.0)})


def _without(rows: IntArray, others: IntArray) -> IntArray:
    """The rows less the others, as multisets: a bare word has the same outermost part on both sides."""
    left = Counter(map(tuple, rows.tolist())) - Counter(map(tuple, others.tolist()))
    return np.array(list(left.elements()), np.int64).reshape(-1, rows.shape[1])
