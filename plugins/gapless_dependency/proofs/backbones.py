"""The verifier of split bounds over trees: bounds by the name of a backbone, apart from the solver's code.

Labelled trees are bounded by the best label of each arc, then by the bounds on trees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.round_up import round_up_for_sum
from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.certificates.backbone_verifier import BackboneVerifier, flips_bound
from gapless.certificates.split_formula import SplitWeights
from gapless.certificates.split_input import SplitInput
from gapless.certificates.trusted_maximiser import factor_trust_statement
from gapless.limits.work import CALL
from gapless.oracles.verifier_bounds import CheckedBounds
from gapless.roles import Factor, Fixings, charge_work
from gapless_dependency.arcs import LabelledArcs
from gapless_dependency.backbones import largest_sum
from gapless_dependency.factors import (
    AdjacentSibling,
    BackboneFactor,
    Grandchild,
    GrandSibling,
    OutermostGrandchild,
)
from gapless_dependency.problem import ParsingProblem
from gapless_dependency.proofs import grand_siblings, outermost_grandchildren, spans
from gapless_dependency.proofs.cut_set_duals import arborescence_bounds, best_through_some

Bounds = Callable[..., tuple[float, FloatArray]]
"""From weights [head, modifier] to a bound on all trees and, unless ``through=False``, on those with each arc."""

# Eight times the unit roundoff 2^-53: more than the three operations below can lose.
_ROUNDING = 2.0**-50

# A second copy of what the backbones of the search count: the verifier must not take the search's word for it.
_COUNTED: dict[str, tuple[type[BackboneFactor] | type[Grandchild], ...]] = {
    "first": (),
    "sibling": (AdjacentSibling,),
    "carreras": (AdjacentSibling, OutermostGrandchild),
    "grand-sibling": (AdjacentSibling, Grandchild, GrandSibling),
}


class TreeVerifier(BackboneVerifier):
    """Bounds on trees under any arc weights and the scores of the factors that a backbone counts.

    Rounding is counted: sums of the exact weights do not exceed the bounds.

    Parameters
    ----------
    problem : ParsingProblem
    backbone : str
        "first", "sibling", "carreras" or "grand-sibling".
    lifted : bool
        If True, charges of pairs take in arcs that exclude one of the two.

    Attributes
    ----------
    counted : tuple of factors
        Those whose scores are in every bound.

    Raises
    ------
    InvalidProblem
        The backbone does not exist, or not for trees with crossing arcs, or it cannot count a factor.
    """

    problem: ParsingProblem
    has_flips = True

    def __init__(self, problem: ParsingProblem, backbone: str, *, lifted: bool = False) -> None:
        super().__init__(problem)
        self.name, self.lifted = backbone, lifted
        if backbone not in _COUNTED or (backbone != "first" and not problem.projective):
            kind = "projective" if problem.projective else "non-projective"
            raise InvalidProblem(f"there is no backbone {backbone!r} of {kind} trees")
        kinds = _COUNTED[backbone]
        for factor in problem.backbone_factors:
            if not any(_is(factor, kind) for kind in kinds):
                raise InvalidProblem(f"the proof over backbone {backbone!r} cannot count the factor {factor.name}")
        self.counted = tuple(
            f for f in problem.factors if isinstance(f, Factor | BackboneFactor) and isinstance(f, kinds)
        )

    @cached_property
    def split(self) -> SplitInput:
        """The problem as the formula reads it: words choose heads, and no arc occurs with its reverse."""
        problem, arcs = self.problem, self.problem.decisions
        internal = largest_sum(problem.length, len(self.counted))
        return SplitInput(
            problem,
            arcs,
            problem.factor_set,
            problem.arc_weights,
            opposite=arcs.index[arcs.modifiers, arcs.heads],
            excludes=partial(_exclude, problem),
            length=problem.length,
            unseen=LARGEST * len(problem.factor_set.configurations) + internal,
            counted=self.counted,
            lifted=self.lifted,
        )

    @cached_property
    def bounds(self) -> Bounds:
        """From weights [head, modifier] to bounds on all trees and on the trees with each arc."""
        problem, single_root = self.problem, self.problem.single_root
        if not problem.projective:
            return partial(arborescence_bounds, single_root=single_root)
        if self.name == "first":
            return partial(spans.bounds_through_arcs, single_root=single_root)
        sibling = _total(problem, AdjacentSibling)
        if self.name == "carreras":
            return partial(
                outermost_grandchildren.bounds_through_arcs,
                sibling=sibling,
                grandchild=_total(problem, OutermostGrandchild),
                single_root=single_root,
            )
        return partial(
            grand_siblings.bounds_through_arcs,
            grandchild=_grandchildren(problem) if self.name == "grand-sibling" else None,
            sibling=sibling,
            grand_sibling=_total(problem, GrandSibling),
            single_root=single_root,
        )

    def assumptions(self) -> str:
        """Describe the factors that are trusted: those without a diagram, or with a relaxed one."""
        return factor_trust_statement(self.problem)

    def best(self, weighed: SplitWeights) -> float:
        """Bound the weight of any tree, the scores of `counted` included."""
        return self.bounds(self._matrix(weighed), through=False)[0]

    def bound_flips(
        self,
        weighed: SplitWeights,
        fixings: Fixings,
        on: Sequence[int],
        off: Sequence[int],
        enough: float,
        *,
        known: Callable[[Fixings], SplitWeights | None],
        whole: Callable[[Fixings], float],
    ) -> float:
        """As `BackboneVerifier.bound_flips`; each flip away from an arc is one to another arc into its word."""
        arcs, matrix = self.problem.decisions, self._matrix(weighed)
        entered = _arcs_entered(self.problem, on, off)
        heads, words = arcs.heads[entered], arcs.modifiers[entered]
        if self.problem.projective:
            through = self.bounds(matrix)[1][heads, words]
            best = float(through.max(initial=-np.inf))
        else:
            # `enough` less what is added again, and a little for the rounding of that.
            level = enough - weighed.constant - weighed.lost if weighed.constant > -np.inf else -np.inf
            level -= 4.0 * math.ulp(max(abs(level), abs(enough))) if math.isfinite(level) else 0.0
            best = best_through_some(matrix, self.problem.single_root, heads, words, level)
        bound = weighed.bound(best)
        # Configuration factors may lose more by a flip than one pass over the backbone shows.
        if bound <= enough or not self.problem.factor_set.configurations:
            return bound
        through = self.bounds(matrix)[1][heads, words]
        flips = [(float(most), int(d), True) for most, d in zip(through, entered, strict=True)]
        return flips_bound(arcs, fixings, weighed, flips, enough, known=known, whole=whole)

    def work(self) -> float:
        """Estimate the steps of the sums over scopes, and of one recursion or contraction."""
        return self._steps(1.0)

    def work_for_flips(self, flips: int) -> float:
        """Estimate the steps of all flips: mostly one pass, but a contraction for about ten of crossing arcs."""
        if self.problem.factor_set.configurations:  # each flip may need a pass
            return self._steps(max(4.0, flips))
        return self._steps(4.0 if self.problem.projective else min(10.0, flips))

    def _steps(self, passes: float) -> float:
        words = self.problem.length + 1
        if self.name != "first":
            tree = 20.0 * words ** (3 if self.name == "sibling" else 4)
        elif self.problem.projective:
            tree = 2 * words**3 + 20 * CALL * words
        else:
            tree = 60 * words**3 + 40 * CALL * words
        scopes = sum(factor.scopes.size for factor in self.problem.conjunctions)
        return 100 * CALL + 10.0 * scopes + passes * tree

    def _matrix(self, weighed: SplitWeights) -> FloatArray:
        """Arrange the weights of arcs by [head, modifier]; -inf where there is no arc."""
        arcs, matrix = self.problem.decisions, np.full(self.problem.scores.shape, -np.inf)
        matrix[arcs.heads, arcs.modifiers] = weighed.weights
        return matrix


def parsing_problem(problem: Any, noun: str) -> ParsingProblem:
    """Return `problem` if it is a parsing problem; otherwise raise `InvalidProblem`. `noun`: the evidence."""
    if not isinstance(problem, ParsingProblem):
        raise InvalidProblem(f"{noun} speak of a ParsingProblem, not of a {type(problem).__name__}")
    return problem


def _arcs_entered(problem: ParsingProblem, on: Sequence[int], off: Sequence[int]) -> IntArray:
    """List the arcs of which a tree contains one if it lacks an arc of `on` or contains one of `off`."""
    arcs = problem.decisions
    entered = set(off)
    for d in on:
        word = int(arcs.modifiers[d])
        entered.update(other for other in range(int(arcs.first[word]), int(arcs.first[word + 1])) if other != d)
    return np.fromiter(entered, np.int64, len(entered))


def _exclude(problem: ParsingProblem, left: IntArray, right: IntArray) -> BoolArray:
    """Mark pairs of arcs into different words that no tree has: they face, cross, or both leave a single root."""
    arcs = problem.decisions
    head, word = arcs.heads[left], arcs.modifiers[left]
    other_head, other_word = arcs.heads[right], arcs.modifiers[right]
    never: BoolArray = (head == other_word) & (other_head == word)
    if problem.single_root:
        never = never | ((head == 0) & (other_head == 0))
    if problem.projective:
        low, high = np.minimum(head, word), np.maximum(head, word)
        other_low, other_high = np.minimum(other_head, other_word), np.maximum(other_head, other_word)
        never = never | ((low < other_low) & (other_low < high) & (high < other_high))
        never = never | ((other_low < low) & (low < other_high) & (other_high < high))
    return never


def _is(factor: BackboneFactor, kind: type[BackboneFactor] | type[Grandchild]) -> bool:
    """Return whether a factor scores as its kind says: a subclass may see other parts."""
    if not issubclass(kind, BackboneFactor) or not isinstance(factor, kind):
        return False
    return type(factor).parts is kind.parts and type(factor).value is kind.value


def _total(problem: ParsingProblem, kind: type[BackboneFactor]) -> FloatArray | None:
    """Sum the scores of a kind, raised by what the sum may round away."""
    factors = [factor.scores for factor in problem.backbone_factors if isinstance(factor, kind)]
    if len(factors) < 2:
        return factors[0] if factors else None
    total: FloatArray = np.zeros(factors[0].shape)
    for scores in factors:
        # The kernel adds these scores in float64, too; the verifier must not end up below their exact sum.
        total += round_up_for_sum(scores, len(factors))
    return total


def _grandchildren(problem: ParsingProblem) -> FloatArray | None:
    """Sum the scores of all chains of two arcs [grandparent, head, modifier], raised as in `_total`."""
    factors = [scored for scored in problem.conjunctions if isinstance(scored.factor, Grandchild)]
    if not factors:
        return None
    arcs, size = problem.decisions, problem.length + 1
    times = np.zeros((size,) * 3, np.int64)
    cells = []
    for scored in factors:
        upper, lower = (scored.scopes[:, 0], scored.scopes[:, 1]) if scored.scopes.size else (np.zeros(0, int),) * 2
        if scored.scopes.size and (
            scored.scopes.shape[1] != 2 or np.any(arcs.modifiers[upper] != arcs.heads[lower])
        ):
            raise InvalidProblem(f"the factor {scored.factor.name} scores sets of arcs that are no chains of two")
        cells.append((arcs.heads[upper], arcs.heads[lower], arcs.modifiers[lower]))
        # How many scores fall on one chain decides how much their sum may be rounded.
        np.add.at(times, cells[-1], 1)
    total = np.zeros(times.shape)
    for scored, cell in zip(factors, cells, strict=True):
        np.add.at(total, cell, round_up_for_sum(scored.all_scores(), int(times.max())))
    return total


def labelled_bounds(arcs: LabelledArcs, bounds: Bounds, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
    """Bound the trees with each labelled arc on, and off.

    A word has one head with one label: with a labelled arc off, the best of the word's others counts.

    Parameters
    ----------
    arcs : LabelledArcs
    bounds : callable
        Of the trees without labels.
    weights : float64 (decisions,)
        Finite.
    fixings : Fixings
        With what they imply.
    """
    charge_work(20.0 * weights.size, 40)
    open_mask = fixings.state != 0
    top = np.full(arcs.arcs.count, -np.inf)
    np.maximum.at(top, arcs.arc[open_mask], weights[open_mask])
    matrix = np.full((arcs.length + 1, arcs.length + 1), -np.inf)
    matrix[arcs.arcs.heads, arcs.arcs.modifiers] = top
    best, through = bounds(matrix)
    if best == -math.inf:
        infeasible = np.full(weights.size, -np.inf)
        return CheckedBounds(-math.inf, infeasible, infeasible)
    on = np.full(weights.size, -np.inf)
    open_ids = np.flatnonzero(open_mask)
    best_label, with_arc = top[arcs.arc[open_ids]], through[arcs.heads[open_ids], arcs.modifiers[open_ids]]
    own = weights[open_ids]
    lost = _ROUNDING * (np.where(np.isfinite(with_arc), np.abs(with_arc), 0.0) + np.abs(best_label) + np.abs(own))
    # With its best label a tree has the bound of the arc: no difference, so no rounding.
    on[open_ids] = np.where(own == best_label, with_arc, with_arc - best_label + own + lost)
    off = np.full(weights.size, -np.inf)
    for start, stop in zip(arcs.first[1:-1].tolist(), arcs.first[2:].tolist(), strict=True):
        if stop - start > 1:
            first = start + int(on[start:stop].argmax())
            # A word has exactly one labelled arc: without this one, it has the best of its others.
            off[start:stop] = on[first]
            off[first] = np.delete(on[start:stop], first - start).max()
    return CheckedBounds(best, on, off)
