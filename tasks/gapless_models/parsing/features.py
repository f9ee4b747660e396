"""The feature map that trainers ask: trees as sums of hashed features."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from typing import Any, Generic, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless_kernels
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.learn import Blocks, FeatureMap, FeatureVector, Weights
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_models.parsing.families import ARC, FAMILIES, HAND_CRAFTED
from gapless_models.parsing.parser_model import arc_scores, factors_of
from gapless_models.parsing.parts import check_families, parts_of_tree
from gapless_models.parsing.patterns import PATTERN, PatternMatches

TABLE = "table"
"""The only block of weights."""
_TEMPLATES = {one.name: one for one in (ARC, *FAMILIES.values(), *(pattern.features for pattern in HAND_CRAFTED))}


def arc_places(atoms: NDArray[np.uint32], arcs: IntArray, bits: int) -> tuple[IntArray, IntArray]:
    """Return the table indices of the features of arcs (m, 2), arc by arc, and the number for each arc."""
    places = gapless_kernels.part_features(atoms, arcs, ARC.values, ARC.rows, bits)
    return places, gapless_kernels.feature_counts(arcs, ARC.rows)


@attrs.frozen(eq=False)
class TrainingSentence:
    """Input of training for one sentence.

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


Example = TypeVar("Example", bound=TrainingSentence)


class TreeFeatures(FeatureMap[Example, ParsingProblem, DependencyTree], Generic[Example]):
    """Feature map of trees: hashed features of arcs, and parts that subclasses score.

    Parameters
    ----------
    blocks : Blocks
        The blocks of weights.
    arc_block : str
        The block of the arcs' weights, of size ``2^bits``.
    projective, single_root : bool
        The set of trees: projective or all, with one word below the root or more.
    """

    def __init__(self, blocks: Blocks, arc_block: str, *, projective: bool, single_root: bool, bits: int) -> None:
        self._blocks, self.arc_block = blocks, arc_block
        self.projective, self.single_root, self.bits = projective, single_root, bits

    @property
    def blocks(self) -> Blocks:
        """The blocks of weights."""
        return self._blocks

    @abstractmethod
    def factors(self, weights: Weights, example: Example) -> list[Any]:
        """Return the factors of a sentence; they score parts when asked, before the weights change."""

    def gold(self, example: Example) -> DependencyTree:
        """Return the gold tree."""
        return DependencyTree(example.heads)

    def problem(self, weights: Weights, example: Example) -> ParsingProblem:
        """Build the problem over the candidate arcs."""
        return self._problem(weights, example, self.arc_scores(weights, example, example.candidates))

    def augmented_problem(self, weights: Weights, example: Example, margin: float) -> ParsingProblem:
        """Build the problem over the candidate arcs, with `margin` added to every arc that is not gold."""
        scores = self.arc_scores(weights, example, example.candidates) + margin
        scores[example.heads, np.arange(1, len(example.heads) + 1)] -= margin
        return self._problem(weights, example, scores)

    def arc_scores(self, weights: Weights, example: Example, arcs: BoolArray) -> FloatArray:
        """Score the arcs (n + 1, n + 1); -inf elsewhere."""
        return arc_scores(example.atoms, weights[self.arc_block], arcs)

    def loss(self, example: Example, structure: DependencyTree) -> float:
        """Count the wrong heads."""
        return float(np.count_nonzero(example.heads != structure.heads))

    def _problem(self, weights: Weights, example: Example, scores: FloatArray) -> ParsingProblem:
        # No granularity: averaged weights and margins need not be multiples of a power of two.
        return ParsingProblem(
            scores, factors=self.factors(weights, example), projective=self.projective, single_root=self.single_root
        )


class ParsingFeatures(TreeFeatures[TrainingSentence]):
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
        blocks = Blocks({TABLE: (1 << bits,)})
        super().__init__(blocks, TABLE, projective=projective, single_root=single_root, bits=bits)

    def factors(self, weights: Weights, example: TrainingSentence) -> list[Any]:
        """Return the factors of the families."""
        return factors_of(self.families, example.atoms, weights[TABLE], example.candidates, example.patterns)

    def features(self, example: TrainingSentence, structure: DependencyTree) -> FeatureVector:
        """Return the table indices of all arcs and parts of a tree."""
        return self._vector(example, self._parts(example, structure))

    def difference(self, example: TrainingSentence, better: DependencyTree, worse: DependencyTree) -> FeatureVector:
        """Return the features of the parts that only one of the two trees has."""
        gained, lost = self._parts(example, better), self._parts(example, worse)
        only_gained = {name: _without(gained[name], lost[name]) for name in gained}
        only_lost = {name: _without(lost[name], gained[name]) for name in gained}
        return self._vector(example, only_gained) - self._vector(example, only_lost)

    def _parts(self, example: TrainingSentence, tree: DependencyTree) -> dict[str, IntArray]:
        """Return the parts of a tree by the name of their templates."""
        parts = {ARC.name: np.column_stack([tree.heads, np.arange(1, len(tree) + 1)])}
        for name in self.families:
            if name != PATTERN:
                parts[name] = parts_of_tree(name, tree.heads)
            elif example.patterns is not None:
                parts.update(example.patterns.in_tree(tree.heads))
        return parts

    def _vector(self, example: TrainingSentence, parts: dict[str, IntArray]) -> FeatureVector:
        places = [
            gapless_kernels.part_features(example.atoms, rows, templates.values, templates.rows, self.bits)
            for name, rows in parts.items()
            if len(rows)
            for templates in (_TEMPLATES[name],)
        ]
        return self._blocks.vector(**{TABLE: (np.concatenate([np.zeros(0, np.int64), *places]), 1.0)})


def _without(rows: IntArray, others: IntArray) -> IntArray:
    """Subtract rows as multisets, because a bare word has the same outermost part on both sides."""
    remaining = Counter(map(tuple, rows.tolist())) - Counter(map(tuple, others.tolist()))
    return np.array(list(remaining.elements()), np.int64).reshape(-1, rows.shape[1])
