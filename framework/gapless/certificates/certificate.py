"""Certificates: evidence for a bound, which `verify` re-checks without the solver or any of its code.

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

from gapless.arrays.serial import WRITTEN, serialisable
from gapless.arrays.sparse import FloatArray, float_array
from gapless.arrays.tolerance import round_bound, score_tolerance
from gapless.certificates.verdict import Verdict as Verdict  # noqa: PLC0414  imported from here
from gapless.decisions.decisions import Fixings
from gapless.errors import GaplessError, InvalidProblem
from gapless.factors.error_notes import blamed_factor
from gapless.limits.work import CALL, STEPS_A_SECOND, WorkLimitReached, charge_work, undecided, verification_account
from gapless.notebook import html_repr
from gapless.problems.problem import Problem, score_of

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
    """Return the reason for a verdict after `error`: the factor whose code raised it, or else the evidence."""
    return blamed_factor(error) or f"the evidence does not fit the problem: {error}"


def within_work_limit(check: Callable[[], Verdict]) -> Verdict:
    """Run a check; return "undecided" once the work limit is reached, even if the check concluded otherwise.

    A nested check is charged to the account of the outermost one, which returns this verdict.
    """
    start, verdict = time.perf_counter(), None
    with verification_account() as (account, begun):
        if not begun:  # nested: only the outermost check converts the limit to a verdict (decision 028)
            return check()
        try:
            verdict = check()
        except WorkLimitReached:
            pass
        # A user's factor may raise anything; errors of our own code stay visible as errors.
        except Exception as error:
            if not blamed_factor(error):
                raise
            verdict = Verdict(False, blamed_factor(error), "certificate")
    # A third-party `verify` may catch WorkLimitReached and return: the account decides, not its verdict.
    if verdict is not None and not account.spent:
        return attrs.evolve(verdict, work=account.steps)
    seconds = time.perf_counter() - start
    return Verdict(False, undecided(account), "certificate", seconds=seconds, undecided=True, work=account.steps)


class Certificate(ABC):
    """Evidence that no structure under some fixings scores more than a bound.

    `verify` trusts no field of the certificate, but it runs the code of its class; a plug-in with a wrong formula
    can prove a false bound. `gapless.testing.check_certificate` compares the bounds with enumeration, also for
    forged fields.

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
    """Name of one or two words for messages; a subclass may be more specific."""
    factors: ClassVar[bool] = False
    """Whether the bound counts `Problem.factors`; if False, the evidence is refused for problems with factors."""
    _repr_html_ = html_repr

    def refusal_for_factors(self, problem: AnyProblem) -> Verdict | None:
        """Refuse evidence that ignores the factors of `problem`; return None if there is no conflict."""
        if self.factors or not len(problem.factors):
            return None
        reason = f"the evidence ({self.kind}) does not count factors, and the problem has {len(problem.factors)}"
        return Verdict(False, reason, f"certificate ({self.kind})")

    def assumptions(self, problem: AnyProblem) -> str:
        """Describe everything that `verify` takes on trust, such as a user's maximiser; empty if nothing."""
        return ""

    @property
    def missing(self) -> str:
        """Reason for missing evidence; empty if the evidence is complete. The evidence is not checked."""
        return ""

    @abstractmethod
    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Recompute the bound from the problem's data; `Verdict.bound` is the proved bound.

        Loops whose length depends on the fields must call `gapless.roles.charge_work`.
        """

    def work_to_verify(self, problem: AnyProblem) -> float:
        """Estimate the number of steps of a check; see `gapless.work_limit`."""
        return CALL + problem.decisions.count

    def work_to_verify_flips(self, problem: AnyProblem, flips: int) -> float:
        """Estimate the number of steps of `verify_flips` for `flips` decisions."""
        return flips * self.work_to_verify(problem)

    def verify_flips(
        self,
        problem: AnyProblem,
        fixings: Fixings,
        on: Sequence[int],
        off: Sequence[int],
        enough: float = -math.inf,
    ) -> Verdict:
        """Bound the structures under `fixings` that lack a decision of `on` or contain one of `off`.

        The default calls `verify` once per decision; a subclass may bound all flips in one pass. A bound at or
        below `enough` need not be tightened, which may save work.
        """
        bound = -math.inf
        for flip in (*(((d,), ()) for d in off), *(((), (d,)) for d in on)):
            flipped = fixings.fix(*flip)
            if flipped is None:  # the flip contradicts the fixings: no structure to bound
                continue
            verdict = self.verify(problem, flipped)
            if not verdict:
                return verdict
            bound = max(bound, verdict.bound)
        return Verdict(True, "", "", bound)


@serialisable("gapless.NoCertificate")
@attrs.frozen
class NoCertificate(Certificate):
    """Absence of evidence, with the reason.

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
    prover: str = attrs.field(default="", metadata={WRITTEN: lambda certificate: certificate.prover or None})

    @property
    def missing(self) -> str:
        """Reason why there is no evidence."""
        return self.why or "no reason is given"

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Prove nothing."""
        return Verdict(False, f"there is no certificate: {self.missing}", "certificate", missing=True)


@attrs.define(eq=False, repr=False)
class DeferredCertificate(Certificate):
    """Certificate that is built from the arrays of a search on first use.

    Most callers never read the certificate, and building it takes time. `Result.certificate` returns the built
    one, so that only the result itself refers to this object.

    Parameters
    ----------
    make : callable
        Builds the complete certificate; must be picklable.
    """

    kind: ClassVar[str] = "deferred"
    make: Callable[[], Certificate]
    _made: Certificate | None = attrs.field(default=None, init=False)

    def resolve(self) -> Certificate:
        """Return the certificate, building it on the first call."""
        if self._made is None:
            try:
                self._made = self.make()
            except MemoryError:  # the answer stays valid, it only loses its evidence (decision 024)
                return NoCertificate("there was no memory to write the record of the search")
        return self._made

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Verify the built certificate."""
        return self.resolve().verify(problem, fixings)

    def __getstate__(self) -> dict[str, Any]:
        return {"make": self.make}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.make, self._made = state["make"], None


class BoundCertificate(Certificate):
    """Certificate whose bound is a formula of its fields, which subclasses provide (decision 004).

    Examples
    --------
    >>> from gapless.roles import BoundCertificate
    >>> from gapless_chains import PotentialsCertificate
    >>> issubclass(PotentialsCertificate, BoundCertificate)
    True
    """

    @abstractmethod
    def upper_bound(self, problem: AnyProblem, fixings: Fixings) -> float:
        """Compute a bound that is valid for any values of the fields, by weak duality. May raise `InvalidProblem`.

        `fixings` may contradict `Decisions.exactly_one`, with two members of a group on, because a verifier also
        tries fixings on which the search never branched. No structure is feasible there, so any bound is valid;
        an exception is not a bound.
        """

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Evaluate the formula within the work limit."""
        return within_work_limit(lambda: self._evaluated(problem, fixings))

    def _evaluated(self, problem: AnyProblem, fixings: Fixings | None) -> Verdict:
        start = time.perf_counter()
        try:
            refused = self.refusal_for_factors(problem)
            if refused is not None:
                return refused
            bound = self.upper_bound(problem, fixings or Fixings.none(problem.decisions.count))
        except WorkLimitReached:
            raise
        except UNREADABLE as error:  # fields come from a file and may hold anything
            return Verdict(False, unfit(error), f"certificate ({self.kind})")
        seconds = time.perf_counter() - start
        if math.isnan(bound):  # NaN would pass every comparison with a claimed bound
            return Verdict(False, "the evidence gives NaN as a bound", f"certificate ({self.kind})")
        reason, trusted = f"{self.kind}: {problem.sense.beyond(bound)}", self.assumptions(problem)
        return Verdict(True, reason, "", bound, seconds, problem.sense, assumptions=trusted)


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
        """Bound by weak duality over the column bounds that remain under the fixings."""
        model = problem.linear_model()
        charge_work(model.steps, 100)
        if self.row_prices.shape != (len(model.rows),) or not np.all(np.isfinite(self.row_prices)):
            raise InvalidProblem(f"row_prices must be {len(model.rows)} finite numbers")
        lower, upper = model.column_lower.copy(), model.column_upper.copy()
        upper[model.decision_columns[fixings.off]] = 0
        lower[model.decision_columns[fixings.on]] = 1
        return model.dual_bound(self.row_prices, lower, upper)

    def work_to_verify(self, problem: AnyProblem) -> float:
        """Estimate the steps of a check from the number of rows."""
        # 200 steps a row stand for a few entries: reading their true number would build the model.
        return super().work_to_verify(problem) + 200.0 * self.row_prices.size


@serialisable("gapless.PointCertificate")
@attrs.frozen
class PointCertificate(BoundCertificate):
    """Certificate for fixings that leave a single structure, whose score is the bound.

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> from gapless.roles import Fixings, PointCertificate
    >>> fixings = Fixings.none(4).fix(on=[1, 3], off=[0, 2])
    >>> PointCertificate().verify(problem, fixings).bound
    2.0
    """

    kind: ClassVar[str] = "single structure"
    factors: ClassVar[bool] = True

    def upper_bound(self, problem: AnyProblem, fixings: Fixings) -> float:
        """Decode and score the only remaining structure; return -inf if these decisions encode none."""
        implied = fixings.implied(problem.decisions)
        if implied is None:
            return -math.inf
        if implied.free.size:
            raise InvalidProblem(f"{implied.free.size} decisions are still open")
        charge_work(10.0 * implied.state.size, 100)
        structure = problem.decode(implied.on)
        # `decode` may repair decisions that encode no feasible structure: the repaired one has other decisions.
        if problem.violations(structure) or not np.array_equal(np.sort(problem.encode(structure)), implied.on):
            return -math.inf
        return score_of(problem, structure)


class ReplayCertificate(BoundCertificate):
    """Certificate without a compact dual: an exact recursion, or a search record that a simple program replays.

    Examples
    --------
    >>> from gapless.roles import Certificate, ReplayCertificate
    >>> issubclass(ReplayCertificate, Certificate)
    True
    """

    about_seconds: float = 0.0
    """Estimated seconds of the replay; a subclass computes it from the size of its record."""

    def work_to_verify(self, problem: AnyProblem) -> float:
        """Convert `about_seconds` to steps."""
        return max(super().work_to_verify(problem), self.about_seconds * STEPS_A_SECOND)


@serialisable("gapless.ProbabilisticCertificate")
@attrs.frozen
class ProbabilisticCertificate(Certificate):
    """Certificate of independent random trials, each of which finds the optimum with a known probability.

    In colour coding, a structure of `size` vertices becomes colourful under `colours` random colours with
    probability ``r! / ((r - k)! r^k)`` (Deshpande, Barzilay, Karger 2007, section 4).

    Parameters
    ----------
    trials, colours, size : int
    evidence : Certificate, optional
        Evidence for the bound, since a probability bounds no score.

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
        """Reason why there is no evidence for a bound."""
        return "a probability bounds no score" if self.evidence is None else self.evidence.missing

    @property
    def failure_probability(self) -> float:
        """Probability that no trial found the optimum."""
        if not 0 < self.size <= self.colours or self.trials < 0:
            return 1.0
        # In logarithms: r! overflows float64 from 171 colours on.
        log_success = (
            math.lgamma(self.colours + 1)
            - math.lgamma(self.colours - self.size + 1)
            - self.size * math.log(self.colours)
        )
        success = min(1.0, math.exp(log_success))
        if self.trials == 0:
            return 1.0
        # With one vertex every trial succeeds, and log1p(-1) is -inf with a warning.
        return 0.0 if success == 1.0 else math.exp(self.trials * math.log1p(-success))

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Check the parameters, and the evidence for the bound; without evidence the bound stays infinite."""
        return within_work_limit(lambda: self._checked(problem, fixings))

    def work_to_verify(self, problem: AnyProblem) -> float:
        """Estimate the work of the evidence."""
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
    """Return `verdict`, or a failing one if the evidence proves less than the claimed bound."""
    # Where scores are multiples of a granularity, a bound proves the next multiple below it.
    if verdict and round_bound(verdict.bound, problem.granularity) > claimed + score_tolerance(claimed):
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
