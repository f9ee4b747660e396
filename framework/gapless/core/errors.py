"""Named errors. Each message states the fault, its place, and the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gapless.core.certificate import Verdict
    from gapless.core.result import Result


class GaplessError(Exception):
    """Base class of every error that gapless raises on purpose."""


class InvalidProblem(GaplessError, ValueError):
    """The input cannot be a problem: wrong shape, NaN, plus infinity, empty, missing file."""


class FactorsNotCounted(InvalidProblem):
    """The problem has factors, and the method that was named does not count them."""


class UnknownOption(GaplessError, TypeError):
    """An option that the method does not have."""


class InvalidLimits(GaplessError, ValueError):
    """Invalid limits: negative, NaN, or not a number."""


class UnknownName(GaplessError, LookupError):
    """No plug-in registered the requested method, task or type."""


class DuplicateName(GaplessError):
    """Two plug-ins claim the same name; the message names both."""


class InvalidResult(GaplessError, ValueError):
    """A `Result` that contradicts itself."""


class MissingDependency(GaplessError, ImportError):
    """A required extra is not installed; the message names it."""


class SolveError(GaplessError):
    """A solve that had to be abandoned.

    Attributes
    ----------
    result : Result or None
        The best answer found, with its true bound; `stop` is `Stop.ERROR`. Never OPTIMAL.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.result: Result[Any] | None = None


class VerificationFailed(SolveError):
    """An answer solved with ``verify=True`` fails its check, or cannot be checked.

    Attributes
    ----------
    result : Result
        The feasible structures, without a bound; `stop` is `Stop.ERROR`.
    claimed : Result
        The answer as returned by the method.
    verdict : Verdict
        The fault and its place.
    """

    claimed: Result[Any]
    verdict: Verdict


class OracleError(SolveError):
    """A role (oracle, relaxation, brancher, observer) raised; the original error is the `__cause__`."""


class MissingBound(SolveError):
    """An oracle returned nothing and claimed no slack: its answer proves nothing."""


class InconsistentBound(SolveError):
    """A bound that contradicts a known value, an earlier bound, or arithmetic (NaN)."""


class FixedColumn(SolveError):
    """An oracle returned a column that the current fixings forbid."""


class UncoveredBranching(SolveError):
    """The children of a node do not cover it, or a child repeats its parent."""
