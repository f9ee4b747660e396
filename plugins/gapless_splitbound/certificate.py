"""The certificate of a split bound: multipliers, from which a bound follows under any fixings."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem, Problem, Verdict
from gapless.core.certificate import UNREADABLE, unfit
from gapless.core.proofs.flip_alone import flip_alone
from gapless.core.proofs.split_formula import Splittable, Weighed, multiplier_count, weigh
from gapless.core.proofs.taken_on_trust import word_of_factors
from gapless.core.score_array import LARGEST
from gapless.core.sparse import BoolArray, FloatArray, IntArray, float_array, int_array
from gapless.core.work import CALL, OutOfWork
from gapless.roles import BoundCertificate, Fixings, serialisable
from gapless_dependency import ParsingProblem
from gapless_dependency.proofs.backbones import Bounds, judge_of
from gapless_dependency.proofs.entered_sets import best_through_some


def orientations(values: Any) -> tuple[int, ...]:
    """The grouping of each factor's pairs, as plain integers."""
    return tuple(int(v) for v in values)


@serialisable("gapless_splitbound.SplitMultipliers")
@attrs.frozen(eq=False)
class SplitMultipliers(BoundCertificate):
    r"""Shares of arcs in the scores of scopes; any multipliers give a bound.

    Arc weights start as the arcs' own scores. Scopes that the fixings break are dropped, arcs that are on are left
    out of the others; one arc that is left takes the score whole, which is exact. Then

    - a pair (u, l) in a group, with one multiplier d >= 0: w(u) += d, and once for each group
      w(l) += max over the arcs u' that may enter the group's word beside l of s(u', l) - d(u', l), 0 where
      (u', l) is no pair of any factor;
    - any other scope of a score s >= 0, with a share p for each arc (p >= 0, sum 1): w(e) += s p(e);
    - of a score s < 0, with one multiplier t in [0, 1]: w(e) += s t, and the constant loses s t (arcs - 1). If
      `lifted`, a pair (e, f) of which no arc is on charges more arcs as much: all arcs into e's word that no tree
      has beside f, and then those into f's word that none has beside e or any of these. So a tree has charged
      arcs into both words for e and f alone;
    - a factor that is no conjunction, with a price for each of its arcs: w(e) += price, and the constant gains the
      best configuration less the prices of its arcs.

    No tree under the fixings scores more than the best tree's weight and the constant. The best tree is bounded by
    Eisner's recursion in NumPy, or for non-projective trees by prices of sets that every tree enters, which are
    checked by weak duality. Over a higher backbone the factors that it counts are left out of the above, and the
    best tree is bounded with their scores by a recursion of the verifier's own. No kernel and no code of the
    solver is used. Rounding is counted. A bound below the least that an allowed tree can score says that there is
    none.

    Parameters
    ----------
    orientation : tuple of int
        For each conjunctive factor: 1 if its pairs are grouped by their second arc, 2 by their first, 0 if not.
    multipliers : float64
        Factor after factor, scope after scope.
    alone : int64
        Numbers of scopes that are split although they could be grouped.
    backbone : str
        "first", "sibling", "carreras" or "grand-sibling": which factors are counted with the tree.
    loss : float
        Stands for a score of -inf wherever one is not certain to be charged. Any number keeps the bound true; the
        multipliers were found with this one.
    lifted : bool
        Whether the charges of pairs take in arcs that exclude one of them.
    places : int64, optional
        Places of the given multipliers among all of them, the others being 0; None where all are given.
    """

    kind: ClassVar[str] = "split bound"
    factors: ClassVar[bool] = True
    orientation: tuple[int, ...] = attrs.field(converter=orientations)
    multipliers: FloatArray = attrs.field(converter=float_array)
    alone: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64), converter=int_array)
    backbone: str = attrs.field(default="first", converter=str)
    loss: float = attrs.field(default=0.0, converter=float)
    lifted: bool = attrs.field(default=False, converter=bool)
    places: IntArray | None = attrs.field(default=None, converter=attrs.converters.optional(int_array))

    @classmethod
    def even(cls, problem: ParsingProblem, backbone: str = "first") -> SplitMultipliers:
        """Scores spread evenly over their arcs, negative ones taken as 0, and no prices: a first bound."""
        ways, none = (0,) * len(problem.conjunctions), np.zeros(0, np.int64)
        count = multiplier_count(splittable(problem), ways, none, judge_of(problem, backbone).counted)
        return cls(ways, np.zeros(count), backbone=backbone)

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound on the trees of `problem` that agree with `fixings`.

        Raises
        ------
        InvalidProblem
            Not a parsing problem, or multipliers that do not fit its factors.
        """
        weighed, bounds = self._weigh(problem, fixings)
        return -math.inf if weighed is None else weighed.bound(bounds(_matrix(problem, weighed), through=False)[0])

    def rests_on(self, problem: Problem[Any]) -> str:
        """The word of factors that are no diagrams, or relaxed."""
        return word_of_factors(problem)

    def verify_flips(
        self, problem: Problem[Any], fixings: Fixings, on: Sequence[int], off: Sequence[int]
    ) -> Verdict:
        """Bound on the trees under `fixings` that contain an arc of `off` or lack one of `on`, in one pass."""
        return self.verify_flips_within(problem, fixings, on, off, -math.inf)

    def verify_flips_within(
        self, problem: Problem[Any], fixings: Fixings, on: Sequence[int], off: Sequence[int], enough: float
    ) -> Verdict:
        """The same; among trees with crossing arcs, as soon as the bound does not exceed `enough`.

        A flip may cost a factor that is no conjunction more than one pass sees: beyond `enough`, each is bounded
        alone.
        """
        start = time.perf_counter()
        try:
            weighed, bounds = self._weigh(problem, fixings)
            if weighed is None:
                return Verdict(True, "nothing is left", "", -math.inf, time.perf_counter() - start)
            asked = _arcs_entered(problem, on, off)
            bound = weighed.bound(_flipped(problem, weighed, bounds, asked, enough))
            if bound > enough and problem.factor_set.configurations:
                bound = self._one_by_one(problem, fixings, weighed, bounds, asked, enough)
        except OutOfWork:
            raise
        except UNREADABLE as error:
            return Verdict(False, unfit(error), f"certificate ({self.kind})")
        if math.isnan(bound):
            return Verdict(False, "the evidence gives NaN as a bound", f"certificate ({self.kind})")
        return Verdict(True, "", "", bound, time.perf_counter() - start)

    def _one_by_one(
        self,
        problem: Problem[Any],
        fixings: Fixings,
        weighed: Weighed,
        bounds: Bounds,
        asked: IntArray,
        enough: float,
    ) -> float:
        """A bound on the trees that contain an arc of `asked`, which factors that are no conjunctions feel, too."""
        assert isinstance(problem, ParsingProblem)
        arcs = problem.decisions
        through, bound = bounds(_matrix(problem, weighed))[1], -math.inf
        for d in asked.tolist():
            best = float(through[arcs.heads[d], arcs.modifiers[d]])
            one = weighed.bound(best)
            if one > max(enough, bound):
                one = flip_alone(
                    arcs,
                    fixings.fix(on=(d,)),
                    best,
                    max(enough, bound),
                    known=lambda under: self._weigh(problem, fixings, under)[0],
                    whole=partial(self.upper_bound, problem),
                )
            bound = max(bound, one)
        return bound

    def work_to_verify(self, problem: Problem[Any]) -> float:
        """The sums over scopes, and one recursion or contraction."""
        return self._steps(problem, 1.0)

    def work_to_verify_flips(self, problem: Problem[Any], flips: int) -> float:
        """All flips in one pass; over trees with crossing arcs about ten get a contraction of their own.

        Beside a factor that is no conjunction all may need one.
        """
        crossing = isinstance(problem, ParsingProblem) and not problem.projective
        if isinstance(problem, ParsingProblem) and problem.factor_set.configurations:
            return self._steps(problem, max(4.0, flips))
        return self._steps(problem, min(10.0, flips) if crossing else 4.0)

    def _steps(self, problem: Problem[Any], passes: float) -> float:
        if not isinstance(problem, ParsingProblem):
            return super().work_to_verify(problem)
        words = problem.length + 1
        if self.backbone != "first":
            tree = 20.0 * words ** (3 if self.backbone == "sibling" else 4)
        else:
            tree = 2 * words**3 + 20 * CALL * words if problem.projective else 60 * words**3 + 40 * CALL * words
        scopes = sum(factor.scopes.size for factor in problem.conjunctions)
        return 100 * CALL + 10.0 * scopes + passes * tree

    def _weigh(
        self, problem: Problem[Any], fixings: Fixings, flipped: Fixings | None = None
    ) -> tuple[Weighed | None, Bounds]:
        if not isinstance(problem, ParsingProblem):
            raise InvalidProblem(f"split multipliers speak of a ParsingProblem, not of a {type(problem).__name__}")
        judge = judge_of(problem, self.backbone)
        weighed = weigh(
            splittable(problem),
            self.orientation,
            self.alone,
            self.multipliers,
            self.loss,
            fixings,
            judge.counted,
            lifted=self.lifted,
            places=self.places,
            flipped=flipped,
        )
        return weighed, judge.bounds


def _arcs_entered(problem: Problem[Any], on: Sequence[int], off: Sequence[int]) -> IntArray:
    """The arcs of which a tree contains one if it lacks an arc of `on` or contains one of `off`."""
    assert isinstance(problem, ParsingProblem)
    arcs = problem.decisions
    asked = set(off)
    for d in on:
        word = int(arcs.modifiers[d])
        asked.update(other for other in range(int(arcs.first[word]), int(arcs.first[word + 1])) if other != d)
    return np.fromiter(asked, np.int64, len(asked))


def _flipped(problem: Problem[Any], weighed: Weighed, bounds: Bounds, asked: IntArray, enough: float) -> float:
    """A bound on the weights of trees that contain an arc of `asked`."""
    assert isinstance(problem, ParsingProblem)
    arcs = problem.decisions
    heads, words = arcs.heads[asked], arcs.modifiers[asked]
    if problem.projective:
        return float(bounds(_matrix(problem, weighed))[1][heads, words].max(initial=-np.inf))
    # Less what is added again, and a little for the rounding of that.
    level = enough - weighed.constant - weighed.lost if weighed.constant > -math.inf else -math.inf
    level -= 4.0 * math.ulp(max(abs(level), abs(enough))) if math.isfinite(level) else 0.0
    return best_through_some(_matrix(problem, weighed), problem.single_root, heads, words, level)


def splittable(problem: ParsingProblem) -> Splittable:
    """A parsing problem as the formula reads it: words choose heads, and no arc stands beside its reverse."""
    arcs = problem.decisions
    return Splittable(
        problem,
        arcs,
        problem.factor_set,
        problem.arc_weights,
        opposite=arcs.index[arcs.modifiers, arcs.heads],
        excludes=partial(_exclude, problem),
        length=problem.length,
        unseen=LARGEST * len(problem.factor_set.configurations),
    )


def _exclude(problem: ParsingProblem, one: IntArray, other: IntArray) -> BoolArray:
    """Whether no tree has both of two arcs into different words: they face, cross, or both leave a single root."""
    arcs = problem.decisions
    head, word, above, below = arcs.heads[one], arcs.modifiers[one], arcs.heads[other], arcs.modifiers[other]
    never: BoolArray = (head == below) & (above == word)
    if problem.single_root:
        never = never | ((head == 0) & (above == 0))
    if problem.projective:
        left, right = np.minimum(head, word), np.maximum(head, word)
        first, last = np.minimum(above, below), np.maximum(above, below)
        never = never | ((left < first) & (first < right) & (right < last))
        never = never | ((first < left) & (left < last) & (last < right))
    return never


def _matrix(problem: Problem[Any], weighed: Weighed) -> FloatArray:
    """The weights of arcs, [head, modifier]."""
    assert isinstance(problem, ParsingProblem)
    arcs, matrix = problem.decisions, np.full(problem.scores.shape, -np.inf)
    matrix[arcs.heads, arcs.modifiers] = weighed.weights
    return matrix
