"""The certificate of a split bound: multipliers, from which a bound follows under any fixings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem, Problem
from gapless.core.proofs.flips import flips_bound
from gapless.core.proofs.split_certificate import SplitCertificate
from gapless.core.proofs.split_formula import Splittable, Weighed, multiplier_count, weigh
from gapless.core.proofs.taken_on_trust import word_of_factors
from gapless.core.score_array import LARGEST
from gapless.core.sparse import BoolArray, FloatArray, IntArray, int_array
from gapless.core.work import CALL
from gapless.roles import Fixings, serialisable
from gapless_dependency import ParsingProblem
from gapless_dependency.backbones import largest_sum
from gapless_dependency.proofs.backbones import Bounds, judge_of
from gapless_dependency.proofs.entered_sets import best_through_some


@serialisable("gapless_splitbound.SplitMultipliers")
@attrs.frozen(eq=False)
class SplitMultipliers(SplitCertificate):
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
    orientation, multipliers, alone, loss, places
        As for `gapless.core.proofs.split_certificate.SplitCertificate`.
    backbone : str
        "first", "sibling", "carreras" or "grand-sibling": which factors are counted with the tree.
    lifted : bool
        Whether the charges of pairs take in arcs that exclude one of them.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> import gapless as gl
    >>> from gapless_dependency import Grandchild
    >>> problem = ParsingProblem(scores, factors=[Grandchild(np.ones((4, 4, 4)))])
    >>> type(gl.solve(problem, "split-bound").certificate).__name__
    'TreeCertificate'
    """

    backbone: str = attrs.field(default="first", converter=str)
    loss: float = attrs.field(default=0.0, converter=float)
    lifted: bool = attrs.field(default=False, converter=bool)
    places: IntArray | None = attrs.field(default=None, converter=attrs.converters.optional(int_array))

    @classmethod
    def even(cls, problem: Problem[Any], backbone: str = "first") -> SplitMultipliers:
        """Scores spread evenly over their arcs, negative ones taken as 0, and no prices: a first bound."""
        trees, none = _parsing(problem), np.zeros(0, np.int64)
        ways = (0,) * len(trees.conjunctions)
        count = multiplier_count(splittable(trees), ways, none, judge_of(trees, backbone).counted)
        return cls(ways, np.zeros(count), backbone=backbone)

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound on the trees of `problem` that agree with `fixings`.

        Raises
        ------
        InvalidProblem
            Not a parsing problem, or multipliers that do not fit its factors.
        """
        trees = _parsing(problem)
        weighed, bounds = self._weigh_arcs(trees, fixings)
        return -math.inf if weighed is None else weighed.bound(bounds(_matrix(trees, weighed), through=False)[0])

    def rests_on(self, problem: Problem[Any]) -> str:
        """The word of factors that are no diagrams, or relaxed."""
        return word_of_factors(problem)

    def _through_flips(
        self, problem: Problem[Any], fixings: Fixings, on: Sequence[int], off: Sequence[int], enough: float
    ) -> float:
        """Among trees with crossing arcs, ends as soon as the bound does not exceed `enough`.

        A flip may cost a factor that is no conjunction more than one pass sees: beyond `enough`, each is bounded
        alone.
        """
        trees = _parsing(problem)
        weighed, bounds = self._weigh_arcs(trees, fixings)
        if weighed is None:
            return -math.inf
        asked = _arcs_entered(trees, on, off)
        bound = weighed.bound(_flipped(trees, weighed, bounds, asked, enough))
        if bound > enough and trees.factor_set.configurations:
            bound = self._one_by_one(trees, fixings, weighed, bounds, asked, enough)
        return bound

    def _one_by_one(
        self,
        problem: ParsingProblem,
        fixings: Fixings,
        weighed: Weighed,
        bounds: Bounds,
        asked: IntArray,
        enough: float,
    ) -> float:
        """A bound on the trees that contain an arc of `asked`, which factors that are no conjunctions feel, too."""
        arcs = problem.decisions
        through = bounds(_matrix(problem, weighed))[1][arcs.heads[asked], arcs.modifiers[asked]]
        return flips_bound(
            arcs,
            fixings,
            weighed,
            [(best, d, True) for best, d in zip(through.tolist(), asked.tolist(), strict=True)],
            enough,
            known=lambda under: self._weigh_arcs(problem, fixings, under)[0],
            whole=partial(self.upper_bound, problem),
        )

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

    def _weigh_arcs(
        self, problem: ParsingProblem, fixings: Fixings, flipped: Fixings | None = None
    ) -> tuple[Weighed | None, Bounds]:
        judge = judge_of(problem, self.backbone)
        weighed = weigh(
            splittable(problem, judge.counted),
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


def _parsing(problem: Problem[Any]) -> ParsingProblem:
    if not isinstance(problem, ParsingProblem):
        raise InvalidProblem(f"split multipliers speak of a ParsingProblem, not of a {type(problem).__name__}")
    return problem


def _arcs_entered(problem: ParsingProblem, on: Sequence[int], off: Sequence[int]) -> IntArray:
    """The arcs of which a tree contains one if it lacks an arc of `on` or contains one of `off`."""
    arcs = problem.decisions
    asked = set(off)
    for d in on:
        word = int(arcs.modifiers[d])
        asked.update(other for other in range(int(arcs.first[word]), int(arcs.first[word + 1])) if other != d)
    return np.fromiter(asked, np.int64, len(asked))


def _flipped(problem: ParsingProblem, weighed: Weighed, bounds: Bounds, asked: IntArray, enough: float) -> float:
    """A bound on the weights of trees that contain an arc of `asked`."""
    arcs = problem.decisions
    heads, words = arcs.heads[asked], arcs.modifiers[asked]
    if problem.projective:
        return float(bounds(_matrix(problem, weighed))[1][heads, words].max(initial=-np.inf))
    # Less what is added again, and a little for the rounding of that.
    level = enough - weighed.constant - weighed.lost if weighed.constant > -math.inf else -math.inf
    level -= 4.0 * math.ulp(max(abs(level), abs(enough))) if math.isfinite(level) else 0.0
    return best_through_some(_matrix(problem, weighed), problem.single_root, heads, words, level)


def splittable(problem: ParsingProblem, counted: Sequence[Any] = ()) -> Splittable:
    """A parsing problem as the formula reads it: words choose heads, and no arc stands beside its reverse.

    `counted`: factors whose scores the backbone counts.
    """
    arcs = problem.decisions
    own = largest_sum(problem.length, len(counted))
    return Splittable(
        problem,
        arcs,
        problem.factor_set,
        problem.arc_weights,
        opposite=arcs.index[arcs.modifiers, arcs.heads],
        excludes=partial(_exclude, problem),
        length=problem.length,
        unseen=LARGEST * len(problem.factor_set.configurations) + own,
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


def _matrix(problem: ParsingProblem, weighed: Weighed) -> FloatArray:
    """The weights of arcs, [head, modifier]."""
    arcs, matrix = problem.decisions, np.full(problem.scores.shape, -np.inf)
    matrix[arcs.heads, arcs.modifiers] = weighed.weights
    return matrix
