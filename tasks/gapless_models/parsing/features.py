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
from gapless_models.parsing.families import ARC, FAMILIES
from gapless_models.parsing.hand_crafted import HAND_CRAFTED
from gapless_models.parsing.parser_model import arc_scores, factors_of
from gapless_models.parsing.parts import check_families, parts_of_tree
from gapless_models.parsing.patterns import PATTERN, PatternMatches

TABLE = "table"
"""The only block of weights."""
_TEMPLATES = {one.name: one for one in (ARC, *FAMILIES.values(), *(pattern.features for pattern in HAND_CRAFTED))}


def arc_places(atoms: NDArray[np.uint32], arcs: IntArray, bits: int) -> tuple[IntArray, IntArray]:
    """The table places of the features of arcs (m, 2), arc by arc, and the number for each arc."""
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
    patterns : PatternMatches or None
        Matches of patterns among the candidates; None without the family.
    """

    atoms: NDArray[np.uint32]
    heads: IntArray
    candidates: BoolArray
    patterns: PatternMatches | None = None


class ParsingFeatures(FeatureMap[TrainingSentence, ParsingProblem, DependencyTree]):
    """Arcs and parts of higher-order families, hashed into one table.

    Parameters
    ----------
    projective, single_root : bool
        The set of trees to search.
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
        factors = factors_of(self.families, example.atoms, table, example.candidates, example.patterns)
        # No granularity: averages, and margins, need not be whole numbers.
        return ParsingProblem(scores, factors=factors, projective=self.projective, single_root=self.single_root)

    def features(self, example: TrainingSentence, structure: DependencyTree) -> FeatureVector:
        """The table places of all arcs and parts of a tree."""
        return self._vector(example, self._parts(example, structure))

    def difference(self, example: TrainingSentence, better: DependencyTree, worse: DependencyTree) -> FeatureVector:
        """Of the parts that only one of the two trees has."""
        gained, lost = self._parts(example, better), self._parts(example, worse)
        only_gained = {name: _without(gained[name], lost[name]) for name in gained}
        only_lost = {name: _without(lost[name], gained[name]) for name in gained}
        return self._vector(example, only_gained) - self._vector(example, only_lost)

    def loss(self, example: TrainingSentence, structure: DependencyTree) -> float:
        """The number of wrong heads."""
        return float(np.count_nonzero(example.heads != structure.heads))

    def _parts(self, example: TrainingSentence, tree: DependencyTree) -> dict[str, IntArray]:
        """The parts of a tree by the name of their templates."""
        found = {ARC.name: np.column_stack([tree.heads, np.arange(1, len(tree) + 1)])}
        for name in self.families:
            if name != PATTERN:
                found[name] = parts_of_tree(name, tree.heads)
            elif example.patterns is not None:
                found.update(example.patterns.in_tree(tree.heads))
        return found

    def _vector(self, example: TrainingSentence, parts: dict[str, IntArray]) -> FeatureVector:
        places = [
            gapless_kernels.part_features(example.atoms, rows, templates.values, templates.rows, self.bits)
            for name, rows in parts.items()
            if len(rows)
            for templates in (_TEMPLATES[name],)
        ]
        return self._blocks.vector(**{TABLE: (np.concatenate([np.zeros(0, np.int64), *places]), 1.0)})


def _without(rows: IntArray, others: IntArray) -> IntArray:
    """The rows less the others, as multisets: a bare word has the same outermost part on both sides."""
    left = Counter(map(tuple, rows.tolist())) - Counter(map(tuple, others.tolist()))
    return np.array(list(left.elements()), np.int64).reshape(-1, rows.shape[1])
