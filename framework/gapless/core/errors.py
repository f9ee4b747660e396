"""Named errors. Every one says what went wrong, where, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gapless.core.certificate import Verdict
    from gapless.core.result import Result


class GaplessError(Exception):
    """Base class of every error that gapless raises on purpose."""


class InvalidProblem(GaplessError, ValueError):
    """The input cannot be a problem: wrong shape, NaN, plus infinity, empty, missing file."""


class UnknownOption(GaplessError, TypeError):
    """A method was given an option that it does not have."""


class InvalidLimits(GaplessError, ValueError):
    """Limits that cannot be: negative, NaN, or no number."""


class UnknownName(GaplessError, LookupError):
    """No plug-in registered the method, task or type that was asked for."""


class DuplicateName(GaplessError):
    """Two plug-ins claim one name; both are named."""


class InvalidResult(GaplessError, ValueError):
    """A `Result` that contradicts itself."""


class MissingDependency(GaplessError, ImportError):
    """An extra is needed that is not installed; the message says which."""


class SolveError(GaplessError):
    """A solve that could not go on.

    Attributes
    ----------
    result : Result or None
        The best answer so far with its true bound, `stop` being `Stop.ERROR`; never OPTIMAL.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.result: Result[Any] | None = None


class VerificationFailed(SolveError):
    """An answer that was to be re-checked before it is given (``verify=True``) fails, or cannot be checked.

    Attributes
    ----------
    result : Result
        What is left: the structures that are feasible, with no bound; `stop` is `Stop.ERROR`.
    claimed : Result
        The answer as the method gave it.
    verdict : Verdict
        What is wrong with it, and where.
    """

    claimed: Result[Any]
    verdict: Verdict


class OracleError(SolveError):
    """A role (oracle, relaxation, brancher, observer) raised; the original is the `__cause__`."""


class MissingBound(SolveError):
    """An oracle returned nothing and claimed no slack: nothing can be proved from its answer."""


class InconsistentBound(SolveError):
    """A bound that contradicts a known value, an earlier bound, or arithmetic (NaN)."""


class FixedColumn(SolveError):
    """An oracle returned a column that the current fixings forbid."""


class UncoveredBranching(SolveError):
    """The children of a node do not cover it, or a child repeats its parent."""
