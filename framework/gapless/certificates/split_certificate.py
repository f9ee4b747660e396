"""Certificate of a split bound over any backbone: multipliers that give a bound under any fixings."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Self

import attrs
import numpy as np

from gapless.arrays.serial import serialisable
from gapless.arrays.sparse import FloatArray, IntArray, float_array, int_array
from gapless.certificates.backbone_verifier import BackboneVerifier
from gapless.certificates.certificate import UNREADABLE, BoundCertificate, Verdict, unfit
from gapless.certificates.split_formula import SplitWeights, multiplier_count, split_weights
from gapless.decisions.decisions import Fixings
from gapless.limits.work import WorkLimitReached
from gapless.problems.problem import Problem


def orientations(values: Any) -> tuple[int, ...]:
    """Convert the grouping of each factor's pairs to plain integers."""
    return tuple(int(v) for v in values)


@serialisable("gapless.SplitCertificate")
@attrs.frozen(eq=False)
class SplitCertificate(BoundCertificate):
    r"""Multipliers that split the scores of factors over decisions; any values give a valid bound.

    Weights start as those of `Problem.backbone` (Qian and Liu 2013; decision 008). Scopes with a decision off are
    dropped, and decisions that are on are removed from the other scopes. If one decision remains in a scope, it
    takes the whole score, which is exact. Then

    - a pair (u, l), where another pair with l has a decision in the choice group of u, with one multiplier d >= 0:
      w(u) += d, and once for each l and group w(l) += max over the u' of the group that may be on of
      s(u', l) - d(u', l), 0 where (u', l) is no pair of any factor;
    - any other scope of a score s >= 0, with a share p for each decision (p >= 0, sum 1): w(e) += s p(e);
    - of a score s < 0, with one multiplier t in [0, 1]: w(e) += s t, and the constant loses s t (decisions - 1);
    - a configuration factor, with a price for each decision of its scope: w(e) += price, and the constant
      gains the best configuration less the prices of its decisions.

    No structure under the fixings scores more than the best structure of the backbone under these weights, and the
    constant. The backbone is bounded by `Problem.verifier_backbone_bounds`, independent of the maximiser.
    If a user's maximiser offers no such bound, the verifier calls the maximiser itself, compares its optimum with
    known structures, and names it in `Verdict.assumptions`. The bound includes all rounding errors.

    Parameters
    ----------
    orientation : tuple of int
        For each conjunctive factor: 1 if its pairs are grouped by their second decision, 2 by their first, else 0.
    multipliers : float64
        Factor after factor, scope after scope: conjunctions first, then prices.
    alone : int64
        Indices of scopes that are split although they could be grouped.
    loss : float
        Finite loss in place of a score of -inf wherever the score is not certain to be charged. Any number keeps
        the bound valid; the search computed the multipliers with this one.
    places : int64, optional
        None if `multipliers` is complete. Otherwise the indices of the multipliers that are not 0, in an array with
        one entry for each decision of each scope, whatever its score, followed by the prices. These multipliers are
        in units of scores, since the search needs them before it knows all scores (decision 057): for a pair, d at
        its first entry; for a score s >= 0, each decision's part, to be divided by the sum; for a score s < 0, s t
        at its first entry. A multiplier whose sign does not fit the score is ignored.
    """

    kind: ClassVar[str] = "split bound"
    factors: ClassVar[bool] = True
    orientation: tuple[int, ...] = attrs.field(converter=orientations)
    multipliers: FloatArray = attrs.field(converter=float_array)
    alone: IntArray = attrs.field(factory=lambda: np.zeros(0, np.int64), converter=int_array)
    loss: float = attrs.field(default=0.0, converter=float)
    places: IntArray | None = attrs.field(default=None, converter=attrs.converters.optional(int_array))

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound the structures of `problem` that agree with `fixings`.

        Raises
        ------
        InvalidProblem
            Multipliers that do not fit the factors, or a maximiser whose optimum a known structure exceeds.
        NotImplementedError
            The problem has no backbone.
        """
        verifier = self._verifier(problem)
        weighed = self._weigh(verifier, fixings)
        return -math.inf if weighed is None else weighed.bound(verifier.best(weighed))

    def assumptions(self, problem: Problem[Any]) -> str:
        """Describe what the bound takes on trust: a maximiser, a factor's `best` or `relax`; empty if nothing."""
        return self._verifier(problem).assumptions()

    def verify_flips(
        self,
        problem: Problem[Any],
        fixings: Fixings,
        on: Sequence[int],
        off: Sequence[int],
        enough: float = -math.inf,
    ) -> Verdict:
        """Bound all flips in one pass, then those above `enough` one by one, with the factors' losses.

        This needs max-marginals of the verifier's own.
        """
        start = time.perf_counter()
        try:
            bound = self._through_flips(problem, fixings, on, off, enough)
        except WorkLimitReached:  # a GaplessError, too, which UNREADABLE would report as a fault
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
        """Bound the structures with one of the flips in one pass; None if the problem offers no such pass."""
        verifier = self._verifier(problem)
        if not verifier.has_flips:
            return None
        weighed = self._weigh(verifier, fixings)
        if weighed is None:
            return -math.inf
        return verifier.bound_flips(
            weighed,
            fixings,
            on,
            off,
            enough,
            known=partial(self._weigh, verifier, fixings),
            whole=partial(self.upper_bound, problem),
        )

    def work_to_verify(self, problem: Problem[Any]) -> float:
        """Estimate the work of the sums over scopes and one bound on the backbone."""
        return self._verifier(problem).work()

    def work_to_verify_flips(self, problem: Problem[Any], flips: int) -> float:
        """Estimate the work of one pass for all flips if the backbone offers it, otherwise of a bound for each."""
        return self._verifier(problem).work_for_flips(flips)

    @classmethod
    def even(cls, problem: Problem[Any], **options: Any) -> Self:
        """Return the initial certificate: scores split evenly, negative scores taken as 0, and no prices.

        `**options`: further fields of the certificate, such as the backbone of a parsing problem.
        """
        orientation = (0,) * len(problem.factors_beyond_backbone.conjunctions)
        # The number of multipliers follows from the verifier's input, which needs the certificate's options.
        empty = cls(orientation, np.zeros(0), **options)
        count = multiplier_count(empty._verifier(problem).split, orientation)
        return attrs.evolve(empty, multipliers=np.zeros(count))

    def _verifier(self, problem: Problem[Any]) -> BackboneVerifier:
        """Return the verifier of the problem's backbone; the only method that a problem type may replace."""
        return BackboneVerifier(problem)

    def _weigh(
        self, verifier: BackboneVerifier, fixings: Fixings, flipped: Fixings | None = None
    ) -> SplitWeights | None:
        return split_weights(
            verifier.split,
            self.orientation,
            self.alone,
            self.multipliers,
            self.loss,
            fixings,
            places=self.places,
            flipped=flipped,
        )
