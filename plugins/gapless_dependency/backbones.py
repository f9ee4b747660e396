"""Exact tree oracles under one interface: which dynamic program (or spanning tree search) a method stands on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

import gapless_kernels
from gapless import InvalidProblem, UnknownName
from gapless.core.score_array import LARGEST
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import ConfigurationFactor, Factor
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors import (
    AdjacentSibling,
    BackboneFactor,
    Grandchild,
    GrandSibling,
    OutermostGrandchild,
)
from gapless_dependency.problem import ParsingProblem

Found = tuple[float, IntArray]
Marginals = tuple[float, IntArray, FloatArray]


def largest_sum(words: int, factors: int) -> float:
    """Limit to the size of what so many factors of a backbone sum to: a word has at most four parts in each."""
    return 4 * LARGEST * (words + 1) * factors


class Backbone(ABC):
    """Finds the best tree under any arc weights and the scores of the factors that it has absorbed.

    Weights are float64 (n + 1, n + 1), [head, modifier]; -inf where there is no arc; column 0 and the diagonal are
    not looked at. Heads are int64 (n + 1,) with ``heads[0] == -1``; all -1 next to the value -inf when the weights
    leave no tree.

    Parameters
    ----------
    problem : ParsingProblem
        Its length, its rule for roots, and the factors to absorb. Its arc scores are not looked at.

    Attributes
    ----------
    absorbed : tuple of factors
        Of the problem's, those whose scores are in every value here: whoever adds weights for factors must leave
        them out.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import Backbone, backbone_for
    >>> isinstance(backbone_for(ParsingProblem(scores, projective=True)), Backbone)
    True
    """

    name: ClassVar[str]
    absorbs: ClassVar[tuple[type[Factor] | type[BackboneFactor], ...]] = ()

    absorbed: tuple[Factor | ConfigurationFactor | BackboneFactor, ...]

    def __init__(self, problem: ParsingProblem) -> None:
        self.single_root = problem.single_root
        self.absorbed = tuple(f for f in problem.factors if isinstance(f, self.absorbs))

    @abstractmethod
    def solve(self, weights: FloatArray) -> Found:
        """The best tree: its value, the absorbed scores included, and its heads."""

    @abstractmethod
    def max_marginals(self, weights: FloatArray) -> Marginals:
        """As `solve`, and the best value with each arc forced, float64 (n + 1, n + 1); -inf where impossible."""

    def compiled(self, arcs: Arcs) -> Any:
        """The same over `arcs`, a new ``gapless_kernels.search.roles.Maximiser``; None where there is none."""
        return None


class FirstOrderProjective(Backbone):
    """Eisner's algorithm: sums over arcs, projective; O(n^3) (Eisner 1996)."""

    name: ClassVar[str] = "first"

    def solve(self, weights: FloatArray) -> Found:
        """The best projective tree."""
        return gapless_kernels.eisner(weights, self.single_root)

    def max_marginals(self, weights: FloatArray) -> Marginals:
        """By inside and outside pass."""
        return gapless_kernels.eisner_max_marginals(weights, self.single_root)

    def compiled(self, arcs: Arcs) -> Any:
        """The same over `arcs` in compiled code."""
        return _first_order(arcs, self.single_root, projective=True)


class Arborescence(Backbone):
    """Chu-Liu-Edmonds: sums over arcs, crossing arcs allowed; O(n^2) (Tarjan 1977)."""

    name: ClassVar[str] = "first"

    def solve(self, weights: FloatArray) -> Found:
        """The best spanning tree."""
        return gapless_kernels.arborescence(weights, self.single_root)

    def max_marginals(self, weights: FloatArray) -> Marginals:
        """By exact reduced costs."""
        return gapless_kernels.arborescence_max_marginals(weights, self.single_root)

    def compiled(self, arcs: Arcs) -> Any:
        """The same over `arcs` in compiled code."""
        return _first_order(arcs, self.single_root, projective=False)


class SiblingBackbone(Backbone):
    """Adjacent siblings; O(n^3) (McDonald and Pereira 2006, section 2.2; Eisner 1996)."""

    name: ClassVar[str] = "sibling"
    absorbs: ClassVar[tuple[type[Factor] | type[BackboneFactor], ...]] = (AdjacentSibling,)

    def __init__(self, problem: ParsingProblem) -> None:
        super().__init__(problem)
        self.sibling = _sum_of(problem, AdjacentSibling)

    def solve(self, weights: FloatArray) -> Found:
        """The best projective tree."""
        return gapless_kernels.eisner_sibling(weights, self.sibling, self.single_root)

    def max_marginals(self, weights: FloatArray) -> Marginals:
        """By inside and outside pass."""
        return gapless_kernels.eisner_sibling_max_marginals(weights, self.sibling, self.single_root)

    def compiled(self, arcs: Arcs) -> Any:
        """The same over `arcs` in compiled code."""
        return _higher_order(arcs, self.single_root, sibling=self.sibling)


class CarrerasBackbone(Backbone):
    """Adjacent siblings and outermost grandchildren; O(n^4) (Carreras 2007)."""

    name: ClassVar[str] = "carreras"
    absorbs: ClassVar[tuple[type[Factor] | type[BackboneFactor], ...]] = (AdjacentSibling, OutermostGrandchild)

    def __init__(self, problem: ParsingProblem) -> None:
        super().__init__(problem)
        self.sibling = _sum_of(problem, AdjacentSibling)
        self.grandchild = _sum_of(problem, OutermostGrandchild)

    def solve(self, weights: FloatArray) -> Found:
        """The best projective tree."""
        return gapless_kernels.eisner_carreras(weights, self.sibling, self.grandchild, self.single_root)

    def max_marginals(self, weights: FloatArray) -> Marginals:
        """By inside and outside pass."""
        return gapless_kernels.eisner_carreras_max_marginals(
            weights, self.sibling, self.grandchild, self.single_root
        )

    def compiled(self, arcs: Arcs) -> Any:
        """The same over `arcs` in compiled code."""
        return _higher_order(arcs, self.single_root, sibling=self.sibling, outermost=self.grandchild)


class GrandSiblingBackbone(Backbone):
    """All grandchildren, adjacent siblings and grand-siblings; O(n^4) (Koo and Collins 2010, model 1).

    It absorbs the conjunctions of `Grandchild`, too; their scores, where lazy, are all asked for.
    """

    name: ClassVar[str] = "grand-sibling"
    absorbs: ClassVar[tuple[type[Factor] | type[BackboneFactor], ...]] = (AdjacentSibling, Grandchild, GrandSibling)

    def __init__(self, problem: ParsingProblem) -> None:
        super().__init__(problem)
        self.grandchild = _grandchildren(problem)
        self.sibling = _sum_of(problem, AdjacentSibling)
        self.grand_sibling = _sum_of(problem, GrandSibling)

    def solve(self, weights: FloatArray) -> Found:
        """The best projective tree."""
        return gapless_kernels.eisner_grand_sibling(
            weights, self.grandchild, self.sibling, self.grand_sibling, self.single_root
        )

    def max_marginals(self, weights: FloatArray) -> Marginals:
        """By inside and outside pass."""
        return gapless_kernels.eisner_grand_sibling_max_marginals(
            weights, self.grandchild, self.sibling, self.grand_sibling, self.single_root
        )

    def compiled(self, arcs: Arcs) -> Any:
        """The same over `arcs` in compiled code."""
        return _higher_order(
            arcs,
            self.single_root,
            sibling=self.sibling,
            grandchild=self.grandchild,
            grand_sibling=self.grand_sibling,
        )


def _first_order(arcs: Arcs, single_root: bool, *, projective: bool) -> Any:
    if not gapless_kernels.COMPILED:
        return None
    from gapless_kernels.search._trees import Trees  # noqa: PLC0415  not without compiled kernels

    return Trees(arcs.heads, arcs.modifiers, arcs.length, projective=projective, single_root=single_root)


def _higher_order(arcs: Arcs, single_root: bool, **parts: FloatArray | None) -> Any:
    if not gapless_kernels.COMPILED:
        return None
    from gapless_kernels.parsing._eisner_backbone import HigherOrderTrees  # noqa: PLC0415  as above

    return HigherOrderTrees(arcs.heads, arcs.modifiers, arcs.length, single_root, **parts)


BACKBONES: dict[str, type[Backbone]] = {
    backbone.name: backbone
    for backbone in (FirstOrderProjective, SiblingBackbone, CarrerasBackbone, GrandSiblingBackbone)
}
"""The projective backbones by name. Trees with crossing arcs have one: `Arborescence`, named "first", too."""


def backbone_for(problem: ParsingProblem, name: str = "first") -> Backbone:
    """The backbone of that name for a problem.

    Raises
    ------
    UnknownName
        There is none.
    InvalidProblem
        A higher-order backbone for trees with crossing arcs, or a `BackboneFactor` that it cannot absorb.
    """
    if name not in tuple(BACKBONES):  # options from a file may be unhashable
        raise UnknownName(f"there is no backbone {name!r}, only {', '.join(map(repr, BACKBONES))}")
    if not problem.projective and name != "first":
        # "first" would refuse these factors in turn.
        without = ", ".join(sorted({factor.name for factor in problem.backbone_factors}))
        either = f"leave the factors {without} out" if without else "use backbone='first'"
        raise InvalidProblem(
            f"backbone {name!r} is a dynamic program over projective trees, and this problem lets arcs cross: "
            f"{either}, or ask for ParsingProblem(..., projective=True)"
        )
    chosen = BACKBONES[name] if problem.projective else Arborescence
    for factor in problem.backbone_factors:
        if not isinstance(factor, chosen.absorbs):
            raise InvalidProblem(
                f"factor {factor.name} cannot be absorbed by the backbone {name!r}"
                f"{'' if problem.projective else ' of trees with crossing arcs'}; "
                f"it needs projective=True and backbone {' or '.join(map(repr, factor.backbones))}"
            )
    return chosen(problem)


def _sum_of(problem: ParsingProblem, kind: type[BackboneFactor]) -> FloatArray | None:
    """The scores of all factors of a kind, None where there is none.

    The position that the kernels run along (the nearer sibling, the grandparent) is laid out last in memory.
    """
    given = [factor.scores for factor in problem.backbone_factors if isinstance(factor, kind)]
    if not given:
        return None
    order = _MEMORY_ORDER[kind]
    total = np.zeros([given[0].shape[axis] for axis in order])
    for scores in given:
        total += scores.transpose(order)
    return total.transpose(np.argsort(order))


_MEMORY_ORDER: dict[type[BackboneFactor], tuple[int, ...]] = {
    AdjacentSibling: (0, 2, 1),
    OutermostGrandchild: (0, 1, 2),
    GrandSibling: (1, 3, 2, 0),
}


def _grandchildren(problem: ParsingProblem) -> FloatArray | None:
    """The scores [g, h, m] of all `Grandchild` factors, laid out as h, m, g; None where there is none."""
    given = [scored for scored in problem.conjunctions if isinstance(scored.factor, Grandchild)]
    if not given:
        return None
    size = problem.length + 1
    total = np.zeros((size, size, size))
    arcs = problem.decisions
    for scored in given:
        above, below = scored.scopes[:, 0], scored.scopes[:, 1]
        scores = scored.scores(np.arange(len(scored.scopes)))
        np.add.at(total, (arcs.heads[below], arcs.modifiers[below], arcs.heads[above]), scores)
    return total.transpose(2, 0, 1)


def backbone_needed(problem: ParsingProblem) -> str:
    """The first backbone that absorbs every factor that only backbones can take."""
    needed = problem.backbone_factors
    return next(
        (name for name, kind in BACKBONES.items() if all(isinstance(f, kind.absorbs) for f in needed)), "first"
    )
