"""Certificates: evidence for a bound that `verify` re-checks with no solver and none of the code that made it.

Kinds: `NoCertificate`, `LinearDualCertificate` (weak duality on an explicit model), `ReplayCertificate` (a
recursion or search record, replayed by an independent program), `ProbabilisticCertificate`, and in
`tree_certificate` a tree with a certificate per leaf. Plug-ins subclass `Certificate`. All bounds are on scores,
which are maximised.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless.core.decisions import Fixings
from gapless.core.errors import GaplessError, InvalidProblem
from gapless.core.factor import blamed_factor
from gapless.core.problem import Problem, score_of
from gapless.core.proofs.verdict import Verdict as Verdict  # noqa: PLC0414  imported from here
from gapless.core.results.notebook import html_repr
from gapless.core.serial import WRITTEN, serialisable
from gapless.core.sparse import FloatArray, float_array
from gapless.core.tolerance import margin, round_bound
from gapless.core.work import CALL, STEPS_A_SECOND, OutOfWork, spend_work, undecided, verification_account

AnyProblem = Problem[Any]
UNREADABLE = (
    GaplessError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    NotImplementedError,
)
"""Errors that a problem may raise on evidence or structures from a file."""


def unfit(error: Exception) -> str:
    """The reason of a verdict where reading the evidence raised: a factor whose code did, or the evidence."""
    return blamed_factor(error) or f"the evidence does not fit the problem: {error}"


def within_work_limit(check: Callable[[], Verdict]) -> Verdict:
    """The verdict of a check; "undecided" once the work limit is reached, even if the check concluded otherwise.

    A nested check is charged to the account of the outer one, which then gives this verdict.
    """
    start, verdict = time.perf_counter(), None
    with verification_account() as (account, begun):
        if not begun:
            return check()
        try:
            verdict = check()
        except OutOfWork:
            pass
        except Exception as error:
            if not blamed_factor(error):
                raise
            verdict = Verdict(False, blamed_factor(error), "certificate")
    if verdict is not None and not account.spent:
        return attrs.evolve(verdict, work=account.steps)
    seconds = time.perf_counter() - start
    return Verdict(False, undecided(account), "certificate", seconds=seconds, undecided=True, work=account.steps)


class Certificate(ABC):
    """Evidence that no structure under some fixings scores more than a bound.

    `verify` trusts no field, but it is code of this class: a plug-in whose code proves too much is believed.
    `gapless.testing.check_certificate` compares it with enumeration, forged fields included.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> result = gl.solve(problem)
    >>> result.certificate.verify(problem).bound
    2.000000000000001
    """

    kind: ClassVar[str] = "evidence"
    """A name of one or two words for messages; a subclass may be more specific."""
    factors: ClassVar[bool] = False
    """Whether the bound counts `Problem.factors`. If not, problems that have some refuse the evidence."""
    _repr_html_ = html_repr

    def past_factors(self, problem: AnyProblem) -> Verdict | None:
        """The refusal of evidence that does not see the factors of `problem`; None where nothing is wrong."""
        if self.factors or not len(problem.factors):
            return None
        reason = f"the evidence ({self.kind}) does not count factors, and the problem has {len(problem.factors)}"
        return Verdict(False, reason, f"certificate ({self.kind})")

    def rests_on(self, problem: AnyProblem) -> str:
        """Words for all that `verify` takes on trust, such as a user's maximiser; empty where it takes nothing."""
        return ""

    @property
    def missing(self) -> str:
        """The reason for missing evidence; empty when all of it is there. Does not check the evidence."""
        return ""

    @abstractmethod
    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Recompute the bound from the problem's data; `Verdict.bound` is the proved bound.

        Loops whose length depends on the fields call `gapless.spend_work`.
        """

    def work_to_verify(self, problem: AnyProblem) -> float:
        """Estimated number of steps of a check; see `gapless.work_limit`."""
        return CALL + problem.decisions.count

    def work_to_verify_flips(self, problem: AnyProblem, flips: int) -> float:
        """The same for `verify_flips` of `flips` decisions."""
        return flips * self.work_to_verify(problem)

    def verify_flips(self, problem: AnyProblem, fixings: Fixings, on: Sequence[int], off: Sequence[int]) -> Verdict:
        """Bound the structures under `fixings` that lack a decision of `on` or have one of `off`.

        By default calls `verify` once per decision; evidence that bounds all of them at once overrides this.
        """
        bound = -math.inf
        for flip in (*(((d,), ()) for d in off), *(((), (d,)) for d in on)):
            other = fixings.fix(*flip)
            if other is None:
                continue
            verdict = self.verify(problem, other)
            if not verdict:
                return verdict
            bound = max(bound, verdict.bound)
        return Verdict(True, "", "", bound)

    def verify_flips_within(
        self, problem: AnyProblem, fixings: Fixings, on: Sequence[int], off: Sequence[int], enough: float
    ) -> Verdict:
        """As `verify_flips`; the bound need be no tighter than `enough`, which may save work."""
        return self.verify_flips(problem, fixings, on, off)


@serialisable("gapless.NoCertificate")
@attrs.frozen
class NoCertificate(Certificate):
    """No evidence, and the reason.

    Parameters
    ----------
    why : str
    prover : str
        Name of the solver whose claim the bound rests on, such as SCIP; empty where gapless proved it.

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> from gapless.roles import NoCertificate
    >>> verdict = NoCertificate("written by hand").verify(problem)
    >>> verdict.holds, verdict.reason
    (False, 'there is no certificate: written by hand')
    """

    kind: ClassVar[str] = "none"
    why: str = "this method writes no certificate"
    prover: str = attrs.field(default="", metadata={WRITTEN: lambda one: one.prover or None})

    @property
    def missing(self) -> str:
        """The reason why there is none."""
        return self.why or "no reason is given"

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Prove nothing."""
        return Verdict(False, f"there is no certificate: {self.missing}", "certificate", missing=True)


@attrs.define(eq=False, repr=False)
class DeferredCertificate(Certificate):
    """Evidence that is kept as arrays, and made into a certificate when somebody asks.

    `Result.certificate` gives what was made; nobody but the result that holds this one sees it.

    Parameters
    ----------
    make : callable
        Makes the certificate, which lacks nothing; can be pickled.
    """

    kind: ClassVar[str] = "deferred"
    make: Callable[[], Certificate]
    _made: Certificate | None = attrs.field(default=None, init=False)

    def made(self) -> Certificate:
        """The certificate; the same one each time."""
        if self._made is None:
            try:
                self._made = self.make()
            except MemoryError:
                return NoCertificate("there was no memory to write the record of the search")
        return self._made

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Check the certificate."""
        return self.made().verify(problem, fixings)

    def __getstate__(self) -> dict[str, Any]:
        return {"make": self.make}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.make, self._made = state["make"], None


class BoundCertificate(Certificate):
    """A certificate that is a formula: subclasses compute a bound from their fields.

    Examples
    --------
    >>> from gapless.roles import BoundCertificate
    >>> from gapless_chains import PotentialsCertificate
    >>> issubclass(PotentialsCertificate, BoundCertificate)
    True
    """

    @abstractmethod
    def upper_bound(self, problem: AnyProblem, fixings: Fixings) -> float:
        """A bound that is valid for any values of the fields, by weak duality. May raise `InvalidProblem`.

        `fixings` may contradict `Decisions.exactly_one`, with two members of a group on: a verifier tries fixings
        that nobody branched on. Any bound is valid there, since nothing is feasible; an exception is none.
        """

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Evaluate the formula."""
        return within_work_limit(lambda: self._evaluated(problem, fixings))

    def _evaluated(self, problem: AnyProblem, fixings: Fixings | None) -> Verdict:
        start = time.perf_counter()
        try:
            refused = self.past_factors(problem)
            if refused is not None:
                return refused
            bound = self.upper_bound(problem, fixings or Fixings.none(problem.decisions.count))
        except OutOfWork:
            raise
        except UNREADABLE as error:
            return Verdict(False, unfit(error), f"certificate ({self.kind})")
        seconds = time.perf_counter() - start
        if math.isnan(bound):
            return Verdict(False, "the evidence gives NaN as a bound", f"certificate ({self.kind})")
        said, trusted = f"{self.kind}: {problem.sense.beyond(bound)}", self.rests_on(problem)
        return Verdict(True, said, "", bound, seconds, problem.sense, trusted=trusted)


@serialisable("gapless.LinearDualCertificate")
@attrs.frozen(eq=False)
class LinearDualCertificate(BoundCertificate):
    """Row prices of the problem's explicit linear model; any prices give a valid bound, good ones a tight one.

    Parameters
    ----------
    row_prices : float64 (rows,)

    Examples
    --------
    >>> from gapless.roles import LinearDualCertificate
    >>> LinearDualCertificate([0.5, 0.0]).row_prices
    array([0.5, 0. ])
    """

    kind: ClassVar[str] = "linear dual"
    factors: ClassVar[bool] = True
    row_prices: FloatArray = attrs.field(converter=float_array)

    def upper_bound(self, problem: AnyProblem, fixings: Fixings) -> float:
        """Weak duality over the column bounds that remain under the fixings."""
        model = problem.linear_model()
        spend_work(model.steps, 100)
        if self.row_prices.shape != (len(model.rows),) or not np.all(np.isfinite(self.row_prices)):
            raise InvalidProblem(f"row_prices must be {len(model.rows)} finite numbers")
        lower, upper = model.column_lower.copy(), model.column_upper.copy()
        upper[model.decision_columns[fixings.off]] = 0
        lower[model.decision_columns[fixings.on]] = 1
        return model.dual_bound(self.row_prices, lower, upper)

    def work_to_verify(self, problem: AnyProblem) -> float:
        """An estimate of a few entries per row, so that the model need not be built."""
        return super().work_to_verify(problem) + 200.0 * self.row_prices.size


@serialisable("gapless.PointCertificate")
@attrs.frozen
class PointCertificate(BoundCertificate):
    """The fixings leave a single structure, whose score is the bound.

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> from gapless.roles import Fixings, PointCertificate
    >>> one = Fixings.none(4).fix(on=[1, 3], off=[0, 2])
    >>> PointCertificate().verify(problem, one).bound
    2.0
    """

    kind: ClassVar[str] = "single structure"
    factors: ClassVar[bool] = True

    def upper_bound(self, problem: AnyProblem, fixings: Fixings) -> float:
        """Decode the only structure left and score it; -inf when it is infeasible or not the one that is left.

        `Problem.decode` may repair decisions of no feasible structure; the repaired structure does not count.
        """
        implied = fixings.implied(problem.decisions)
        if implied is None:
            return -math.inf
        if implied.free.size:
            raise InvalidProblem(f"{implied.free.size} decisions are still open")
        spend_work(10.0 * implied.state.size, 100)
        structure = problem.decode(implied.on)
        if problem.violations(structure) or not np.array_equal(np.sort(problem.encode(structure)), implied.on):
            return -math.inf
        return score_of(problem, structure)


class ReplayCertificate(BoundCertificate):
    """Answers without a compact dual: an exact recursion, or a search record that a simple program replays.

    Examples
    --------
    >>> from gapless.roles import Certificate, ReplayCertificate
    >>> issubclass(ReplayCertificate, Certificate)
    True
    """

    about_seconds: float = 0.0

    def work_to_verify(self, problem: AnyProblem) -> float:
        """The estimate of `about_seconds`."""
        return max(super().work_to_verify(problem), self.about_seconds * STEPS_A_SECOND)


@serialisable("gapless.ProbabilisticCertificate")
@attrs.frozen
class ProbabilisticCertificate(Certificate):
    """Independent random trials, each of which finds the optimum with a known probability.

    Colour coding: a structure of `size` vertices becomes colourful under `colours` random colours with
    probability ``r! / ((r - k)! r^k)`` (Deshpande, Barzilay, Karger 2007, section 4).

    Parameters
    ----------
    trials, colours, size : int
    evidence : Certificate, optional
        Evidence for the bound: a probability bounds no score.

    Examples
    --------
    >>> from gapless.roles import ProbabilisticCertificate
    >>> ProbabilisticCertificate(trials=28, colours=3, size=3).trials
    28
    """

    kind: ClassVar[str] = "probabilistic"
    trials: int
    colours: int
    size: int
    evidence: Certificate | None = None

    @property
    def missing(self) -> str:
        """The reason why there is no evidence for a bound."""
        return "a probability bounds no score" if self.evidence is None else self.evidence.missing

    @property
    def failure_probability(self) -> float:
        """Probability that no trial found the optimum."""
        if not 0 < self.size <= self.colours or self.trials < 0:
            return 1.0
        log_success = (
            math.lgamma(self.colours + 1)
            - math.lgamma(self.colours - self.size + 1)
            - self.size * math.log(self.colours)
        )
        success = min(1.0, math.exp(log_success))
        if self.trials == 0:
            return 1.0
        return 0.0 if success == 1.0 else math.exp(self.trials * math.log1p(-success))

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Check the arithmetic, and the evidence for the bound; without evidence the bound stays infinite."""
        return within_work_limit(lambda: self._checked(problem, fixings))

    def work_to_verify(self, problem: AnyProblem) -> float:
        """The work of the evidence."""
        return CALL if self.evidence is None else self.evidence.work_to_verify(problem)

    def _checked(self, problem: AnyProblem, fixings: Fixings | None) -> Verdict:
        if not 0 < self.size <= self.colours or self.trials < 1:
            return Verdict(False, "trials, colours and size do not describe a colour coding", "certificate")
        chance = f"optimal except with probability {self.failure_probability:.3g}"
        if self.evidence is None:
            return Verdict(True, chance)
        verdict = self.evidence.verify(problem, fixings)
        return attrs.evolve(verdict, reason=f"{chance}; {verdict.reason}") if verdict else verdict


def check_bound(verdict: Verdict, claimed: float, problem: AnyProblem) -> Verdict:
    """`verdict`, or a failure when it proves less than the claimed bound.

    Where values are multiples of a granularity, a bound proves the next multiple below it.
    """
    if verdict and round_bound(verdict.bound, problem.granularity) > claimed + margin(claimed):
        return Verdict(
            False,
            f"the evidence proves {problem.sense.turn(verdict.bound):.16g}, "
            f"but {problem.sense.turn(claimed):.16g} is claimed",
            "certificate",
            verdict.bound,
            verdict.seconds,
            problem.sense,
        )
    return verdict
