"""The certificate of a split bound over any backbone: multipliers, from which a bound follows under any fixings."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.core.backbone import Backbone
from gapless.core.certificate import UNREADABLE, BoundCertificate, Verdict, unfit
from gapless.core.decisions import Fixings
from gapless.core.problem import Problem
from gapless.core.proofs.checked_bounds import CheckedBounds
from gapless.core.proofs.flips import flips_bound
from gapless.core.proofs.split_formula import Splittable, Weighed, multiplier_count, weigh
from gapless.core.proofs.taken_on_trust import offers_checks, trusted_bound, word_of
from gapless.core.score_array import LARGEST
from gapless.core.serial import serialisable
from gapless.core.sparse import FloatArray, IntArray, float_array, int_array
from gapless.core.work import CALL, OutOfWork


def orientations(values: Any) -> tuple[int, ...]:
    """The grouping of each factor's pairs, as plain integers."""
    return tuple(int(v) for v in values)


@serialisable("gapless.SplitCertificate")
@attrs.frozen(eq=False)
class SplitCertificate(BoundCertificate):
    r"""Shares of decisions in the scores of factors; any multipliers give a bound.

    Weights start as those of `Problem.backbone`. Scopes that the fixings break are dropped, decisions that are on
    are left out of the others; one decision that is left takes the score whole, which is exact. Then

    - a pair (u, l), where u is in a choice group that another pair with l reaches, with one multiplier d >= 0:
      w(u) += d, and once for each l and group w(l) += max over the u' of the group that may be on of
      s(u', l) - d(u', l), 0 where (u', l) is no pair of any factor;
    - any other scope of a score s >= 0, with a share p for each decision (p >= 0, sum 1): w(e) += s p(e);
    - of a score s < 0, with one multiplier t in [0, 1]: w(e) += s t, and the constant loses s t (decisions - 1);
    - a factor that is no conjunction, with a price for each decision of its scope: w(e) += price, and the constant
      gains the best configuration less the prices of its decisions.

    No structure under the fixings scores more than the best structure of the backbone under these weights, and the
    constant. The backbone is bounded by `Problem.checked_backbone`, written apart from the maximiser. Where a
    user's maximiser has no such check its word is taken: the verdict says so, and the word is compared with
    structures at hand. Rounding is counted.

    Parameters
    ----------
    orientation : tuple of int
        For each conjunctive factor: 1 if its pairs are grouped by their second decision, 2 by their first, else 0.
    multipliers : float64
        Factor after factor, scope after scope: conjunctions first, then prices.
    alone : int64
        Numbers of scopes that are split although they could be grouped.
    loss : float
        Stands for a score of -inf wherever one is not certain to be charged. Any number keeps the bound true; the
        multipliers were found with this one.
    places : int64, optional
        None where all multipliers are given. Otherwise where those stand that are not 0, among one place for each
        decision of each scope, whatever its score, and then the prices. These multipliers are in units of scores,
        as the search has them before it knows all scores: d of a pair, at its first place; what a decision carries
        of a score s >= 0, to be divided by the sum; of a score s < 0, at its first place, s t. One that speaks of
        the other sign than the score has is left out.
    """

    kind: ClassVar[str] = "split bound"
    factors: ClassVar[bool] = True
    orientation: tuple[int, ...] = attrs.field(converter=orientations)
    multipliers: FloatArray = attrs.field(converter=float_array)
    alone: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64), converter=int_array)
    loss: float = attrs.field(default=0.0, converter=float)
    places: IntArray | None = attrs.field(default=None, converter=attrs.converters.optional(int_array))

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound on the structures of `problem` that agree with `fixings`.

        Raises
        ------
        InvalidProblem
            Multipliers that do not fit the factors, or a maximiser whose word is refuted.
        NotImplementedError
            The problem names no backbone.
        """
        backbone = problem.backbone()
        weighed = self._weigh(problem, backbone, fixings)
        return -math.inf if weighed is None else weighed.bound(_bounds(problem, backbone, weighed).best)

    def rests_on(self, problem: Problem[Any]) -> str:
        """The word of a maximiser without checks of its own, and of factors that are no diagrams, or relaxed."""
        return word_of(problem)

    def verify_flips(
        self, problem: Problem[Any], fixings: Fixings, on: Sequence[int], off: Sequence[int]
    ) -> Verdict:
        """In one pass, from the verifier's own max-marginals, where it has them."""
        return self.verify_flips_within(problem, fixings, on, off, -math.inf)

    def verify_flips_within(
        self, problem: Problem[Any], fixings: Fixings, on: Sequence[int], off: Sequence[int], enough: float
    ) -> Verdict:
        """The same; flips that the pass leaves above `enough` are fixed one by one, which factors feel, too."""
        start = time.perf_counter()
        try:
            bound = self._through_flips(problem, fixings, on, off, enough)
        except OutOfWork:
            raise
        except UNREADABLE as error:
            return Verdict(False, unfit(error), f"certificate ({self.kind})")
        if bound is None:
            return super().verify_flips(problem, fixings, on, off)
        if math.isnan(bound):
            return Verdict(False, "the evidence gives NaN as a bound", f"certificate ({self.kind})")
        return Verdict(True, "", "", bound, time.perf_counter() - start)

    def _through_flips(
        self, problem: Problem[Any], fixings: Fixings, on: Sequence[int], off: Sequence[int], enough: float
    ) -> float | None:
        """The bound of `verify_flips_within` in one pass; None where there is no pass for all of them."""
        if not offers_checks(problem):
            return None
        backbone = problem.backbone()
        weighed = self._weigh(problem, backbone, fixings)
        if weighed is None:
            return -math.inf
        bounds = _bounds(problem, backbone, weighed)
        if (len(off) and bounds.on is None) or (len(on) and bounds.off is None):
            return None
        sides = ((bounds.on, off, True), (bounds.off, on, False))
        return flips_bound(
            problem.decisions,
            fixings,
            weighed,
            [(float(side[d]), int(d), way) for side, flips, way in sides if side is not None for d in flips],
            enough,
            known=partial(self._weigh, problem, backbone, fixings),
            whole=partial(self.upper_bound, problem),
        )

    def work_to_verify(self, problem: Problem[Any]) -> float:
        """The sums over scopes, and one pass over the backbone."""
        scopes = sum(scored.scopes.size for scored in problem.search_factors.conjunctions)
        scopes += sum(16 * scope.size for _, scope in problem.search_factors.configurations)
        return 200 * CALL + 10.0 * scopes + 100.0 * problem.decisions.count

    def work_to_verify_flips(self, problem: Problem[Any], flips: int) -> float:
        """All flips in one pass, where the backbone is checked; else, and for some beside factors, one for each."""
        some = len(problem.search_factors.configurations) > 0  # some of the flips one by one
        return self.work_to_verify(problem) * (3.0 + some * flips if offers_checks(problem) else max(1, flips))

    @classmethod
    def even(cls, problem: Problem[Any]) -> SplitCertificate:
        """Scores spread evenly over their decisions, negative ones taken as 0, and no prices: a first bound."""
        ways, none = (0,) * len(problem.search_factors.conjunctions), np.zeros(0, np.int64)
        return cls(ways, np.zeros(multiplier_count(_splittable(problem, problem.backbone()), ways, none)))

    def _weigh(
        self, problem: Problem[Any], backbone: Backbone[Any], fixings: Fixings, flipped: Fixings | None = None
    ) -> Weighed | None:
        return weigh(
            _splittable(problem, backbone),
            self.orientation,
            self.alone,
            self.multipliers,
            self.loss,
            fixings,
            places=self.places,
            flipped=flipped,
        )


def _splittable(problem: Problem[Any], backbone: Backbone[Any]) -> Splittable:
    factors = problem.search_factors
    rivals = backbone.maximiser.rivals()
    return Splittable(
        problem,
        problem.decisions,
        factors,
        backbone.weights,
        backbone.constant,
        opposite=rivals,
        length=4,
        unseen=_unseen(problem, backbone),
    )


def _unseen(problem: Problem[Any], backbone: Backbone[Any]) -> float:
    """As `Splittable.unseen`; scores of factors are at most `LARGEST` in size."""
    own = backbone.maximiser.largest_own if backbone.maximiser.has_own else 0.0
    return LARGEST * len(problem.search_factors.configurations) + own


def _bounds(problem: Problem[Any], backbone: Backbone[Any], weighed: Weighed) -> CheckedBounds:
    weights = np.where(weighed.weights > -np.inf, weighed.weights, 0.0)
    checked = problem.checked_backbone(weights, weighed.fixings)
    if checked is not None:
        return checked
    return CheckedBounds(trusted_bound(problem, backbone, weights, weighed.fixings))
