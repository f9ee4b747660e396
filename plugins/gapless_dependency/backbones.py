"""Exact maximisers over trees under one interface: the dynamic programs and the spanning tree algorithm."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

import gapless_kernels
from gapless import InvalidProblem, UnknownName
from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import FloatArray, IntArray
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
    """Limit the size of the sum of so many factors of a backbone: a word has at most four parts in each."""
    return 4 * LARGEST * (words + 1) * factors


class TreeBackbone(ABC):
    """A maximiser of trees under any arc weights and the scores of the factors that it absorbs.

    Weights are float64 (n + 1, n + 1), [head, modifier]; -inf where there is no arc; column 0 and the diagonal are
    not looked at. Heads are int64 (n + 1,) with ``heads[0] == -1``; all -1 next to the value -inf when the weights
    leave no tree.

    Parameters
    ----------
    problem : ParsingProblem
        Its length, its rule for roots, and the factors to absorb. Its arc scores are not looked at.

    Attributes
    ----------
    scored_factors : tuple of factors
        Those of the problem's factors whose scores are in every value here. A caller that adds weights for factors
        must leave them out.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> from gapless_dependency import TreeBackbone, backbone_for
    >>> isinstance(backbone_for(ParsingProblem(scores, projective=True)), TreeBackbone)
    True
    """

    name: ClassVar[str]
    scored_kinds: ClassVar[tuple[type[Factor] | type[BackboneFactor], ...]] = ()

    scored_factors: tuple[Factor | ConfigurationFactor | BackboneFactor, ...]

    def __init__(self, problem: ParsingProblem) -> None:
        self.single_root = problem.single_root
        self.scored_factors = tuple(f for f in problem.factors if isinstance(f, self.scored_kinds))

    @abstractmethod
    def solve(self, weights: FloatArray) -> Found:
        """Return the value of the best tree, the absorbed scores included, and its heads."""

    @abstractmethod
    def max_marginals(self, weights: FloatArray) -> Marginals:
        """As `solve`, and the best value with each arc on, float64 (n + 1, n + 1); -inf where impossible."""

    def compiled(self, arcs: Arcs) -> Any:
        """Return the compiled maximiser over `arcs`, a ``gapless_kernels.search.roles.Maximiser``, or None."""
        return None


class KernelBackbone(TreeBackbone):
    """A maximiser of which `gapless_kernels` has a function for the best tree, and one for max-marginals."""

    kernel: ClassVar[str]
    """Name of the function for the best tree; that for max-marginals ends in ``_max_marginals``."""

    parts: dict[str, FloatArray | None]
    """Scores of the absorbed factors: the functions take them in this order, the compiled maximiser by name."""

    def __init__(self, problem: ParsingProblem) -> None:
        super().__init__(problem)
        self.parts = {}

    def solve(self, weights: FloatArray) -> Found:
        """Find the best tree."""
        found: Found = getattr(gapless_kernels, self.kernel)(weights, *self.parts.values(), self.single_root)
        return found

    def max_marginals(self, weights: FloatArray) -> Marginals:
        """Compute max-marginals by an inside and an outside pass, or by exact reduced costs of spanning trees."""
        kernel = getattr(gapless_kernels, f"{self.kernel}_max_marginals")
        marginals: Marginals = kernel(weights, *self.parts.values(), self.single_root)
        return marginals

    def compiled(self, arcs: Arcs) -> Any:
        """Return the compiled maximiser over `arcs`."""
        if not gapless_kernels.COMPILED:
            return None
        if self.scored_kinds:
            from gapless_kernels.parsing._eisner_backbone import HigherOrderTrees  # noqa: PLC0415  as below

            return HigherOrderTrees(arcs.heads, arcs.modifiers, arcs.length, self.single_root, **self.parts)
        from gapless_kernels.search._trees import Trees  # noqa: PLC0415  not without compiled kernels

        projective = self.kernel == "eisner"
        return Trees(arcs.heads, arcs.modifiers, arcs.length, projective=projective, single_root=self.single_root)


class FirstOrderProjective(KernelBackbone):
    """Eisner's algorithm: sums over arcs, projective; O(n^3) (Eisner 1996)."""

    name: ClassVar[str] = "first"
    kernel: ClassVar[str] = "eisner"


class Arborescence(KernelBackbone):
    """Chu-Liu-Edmonds: sums over arcs, crossing arcs allowed; O(n^2) (Tarjan 1977)."""

    name: ClassVar[str] = "first"
    kernel: ClassVar[str] = "arborescence"


class SiblingBackbone(KernelBackbone):
    """Adjacent siblings; O(n^3) (McDonald and Pereira 2006, section 2.2; Eisner 1996)."""

    name: ClassVar[str] = "sibling"
    kernel: ClassVar[str] = "eisner_sibling"
    scored_kinds: ClassVar[tuple[type[Factor] | type[BackboneFactor], ...]] = (AdjacentSibling,)

    def __init__(self, problem: ParsingProblem) -> None:
        super().__init__(problem)
        self.parts = {"sibling": _sum_of(problem, AdjacentSibling)}


class CarrerasBackbone(KernelBackbone):
    """Adjacent siblings and outermost grandchildren; O(n^4) (Carreras 2007)."""

    name: ClassVar[str] = "carreras"
    kernel: ClassVar[str] = "eisner_carreras"
    scored_kinds: ClassVar[tuple[type[Factor] | type[BackboneFactor], ...]] = (AdjacentSibling, OutermostGrandchild)

    def __init__(self, problem: ParsingProblem) -> None:
        super().__init__(problem)
        outermost = _sum_of(problem, OutermostGrandchild)
        self.parts = {"sibling": _sum_of(problem, AdjacentSibling), "outermost": outermost}


class GrandSiblingBackbone(KernelBackbone):
    """All grandchildren, adjacent siblings and grand-siblings; O(n^4) (Koo and Collins 2010, model 1).

    It absorbs the conjunctions of `Grandchild`, too, and asks for all of their scores, lazy or not.
    """

    name: ClassVar[str] = "grand-sibling"
    kernel: ClassVar[str] = "eisner_grand_sibling"
    scored_kinds: ClassVar[tuple[type[Factor] | type[BackboneFactor], ...]] = (
        AdjacentSibling,
        Grandchild,
        GrandSibling,
    )

    def __init__(self, problem: ParsingProblem) -> None:
        super().__init__(problem)
        self.parts = {
            "grandchild": _grandchildren(problem),
            "sibling": _sum_of(problem, AdjacentSibling),
            "grand_sibling": _sum_of(problem, GrandSibling),
        }


BACKBONES: dict[str, type[TreeBackbone]] = {
    backbone.name: backbone
    for backbone in (FirstOrderProjective, SiblingBackbone, CarrerasBackbone, GrandSiblingBackbone)
}
"""The projective backbones by name. Trees with crossing arcs have one: `Arborescence`, named "first", too."""


def backbone_for(problem: ParsingProblem, name: str = "first") -> TreeBackbone:
    """Return the backbone of that name for a problem.

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
    kind = BACKBONES[name] if problem.projective else Arborescence
    for factor in problem.backbone_factors:
        if not isinstance(factor, kind.scored_kinds):
            raise InvalidProblem(
                f"factor {factor.name} cannot be absorbed by the backbone {name!r}"
                f"{'' if problem.projective else ' of trees with crossing arcs'}; "
                f"it needs projective=True and backbone {' or '.join(map(repr, factor.backbones))}"
            )
    return kind(problem)


def _sum_of(problem: ParsingProblem, kind: type[BackboneFactor]) -> FloatArray | None:
    """Sum the scores of all factors of a kind; None if there are none."""
    factors = [factor.scores for factor in problem.backbone_factors if isinstance(factor, kind)]
    if not factors:
        return None
    order = _MEMORY_ORDER[kind]
    total = np.zeros([factors[0].shape[axis] for axis in order])
    for scores in factors:
        total += scores.transpose(order)
    return total.transpose(np.argsort(order))


# The position along which the innermost loops of the kernels run (the nearer sibling, the grandparent) comes last
# in memory, so that they read consecutive numbers.
_MEMORY_ORDER: dict[type[BackboneFactor], tuple[int, ...]] = {
    AdjacentSibling: (0, 2, 1),
    OutermostGrandchild: (0, 1, 2),
    GrandSibling: (1, 3, 2, 0),
}


def _grandchildren(problem: ParsingProblem) -> FloatArray | None:
    """Sum the scores [g, h, m] of all `Grandchild` factors; None if there are none."""
    factors = [scored for scored in problem.conjunctions if isinstance(scored.factor, Grandchild)]
    if not factors:
        return None
    size = problem.length + 1
    # In memory h, m, g: the kernel runs along the grandparents g.
    total = np.zeros((size, size, size))
    arcs = problem.decisions
    for scored in factors:
        above, below = scored.scopes[:, 0], scored.scopes[:, 1]
        scores = scored.scores(np.arange(len(scored.scopes)))
        np.add.at(total, (arcs.heads[below], arcs.modifiers[below], arcs.heads[above]), scores)
    return total.transpose(2, 0, 1)


def backbone_needed(problem: ParsingProblem) -> str:
    """Return the first backbone that absorbs every factor that only backbones can take."""
    # From the cheapest dynamic program, O(n^3), to O(n^4); without such factors that is "first".
    needed = problem.backbone_factors
    return next(
        (name for name, kind in BACKBONES.items() if all(isinstance(f, kind.scored_kinds) for f in needed)), "first"
    )
