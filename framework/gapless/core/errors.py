"""Named errors. Each message states the fault, its place, and the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gapless.core.certificate import Verdict
    from gapless.core.result import Result


class GaplessError(Exception):
    """Base class of every error that gapless raises on purpose.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> try:
    ...     gl.solve(problem, "no-such-method")
    ... except gl.GaplessError as error:
    ...     print(type(error).__name__)
    UnknownName
    """


class InvalidProblem(GaplessError, ValueError):
    """The input cannot be a problem: wrong shape, NaN, plus infinity, empty, missing file.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> try:
    ...     ChainProblem([[float("nan")]], [[0.0]])
    ... except gl.InvalidProblem as error:
    ...     print(error)
    unary[0, 0] is NaN (1 in all); a score must be a number
    """


class FactorsNotCounted(InvalidProblem):
    """The problem has factors, and the method that was named does not count them."""


class UnknownOption(GaplessError, TypeError):
    """An option that the method does not have.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> try:
    ...     gl.solve(problem, "beam", widht=3)
    ... except gl.UnknownOption as error:
    ...     print("did you mean 'width'" in str(error))
    True
    """


class InvalidLimits(GaplessError, ValueError):
    """Invalid limits: negative, NaN, or not a number.

    Examples
    --------
    >>> import gapless as gl
    >>> try:
    ...     gl.Limits(time=-1.0)
    ... except gl.InvalidLimits as error:
    ...     print(error)
    Limits: time is -1.0, it must be a number >= 0 or None
    """


class UnknownName(GaplessError, LookupError):
    """No plug-in registered the requested method, task or type.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> try:
    ...     gl.solve(problem, "viterbo")
    ... except gl.UnknownName as error:
    ...     print("viterbi" in str(error))
    True
    """


class DuplicateName(GaplessError):
    """Two plug-ins claim the same name; the message names both.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless.roles import DuplicateName
    >>> issubclass(DuplicateName, gl.GaplessError)
    True
    """


class InvalidResult(GaplessError, ValueError):
    """A `Result` that contradicts itself.

    Examples
    --------
    >>> import gapless as gl
    >>> try:
    ...     gl.Result.from_json("{}")
    ... except gl.InvalidResult as error:
    ...     print("no result")
    no result
    """


class MissingDependency(GaplessError, ImportError):
    """A required extra is not installed; the message names it.

    Examples
    --------
    >>> import gapless as gl
    >>> try:
    ...     raise gl.MissingDependency("plotly is not installed")
    ... except ImportError as error:
    ...     print(error)
    plotly is not installed
    """


class SolveError(GaplessError):
    """A solve that had to be abandoned.

    Attributes
    ----------
    result : Result or None
        The best answer found, with its true bound; `stop` is `Stop.ERROR`. Never OPTIMAL.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> def stop(event):
    ...     raise RuntimeError("enough")
    >>>
    ... try:
    ...     gl.solve(problem, "column-generation", observers=[stop])
    ... except gl.SolveError as error:
    ...     print(error.__cause__)
    enough
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

    Examples
    --------
    >>> import gapless as gl
    >>> issubclass(gl.VerificationFailed, gl.SolveError)
    True
    """

    claimed: Result[Any]
    verdict: Verdict


class OracleError(SolveError):
    """A role (oracle, relaxation, brancher, observer) raised; the original error is the `__cause__`.

    Examples
    --------
    >>> from gapless.roles import OracleError
    >>> import gapless as gl
    >>> issubclass(OracleError, gl.SolveError)
    True
    """


class MissingBound(SolveError):
    """A round of pricing brought nothing new, and a generator claimed no slack: its answer proves nothing.

    Examples
    --------
    >>> from gapless.roles import MissingBound
    >>> import gapless as gl
    >>> issubclass(MissingBound, gl.SolveError)
    True
    """


class InconsistentBound(SolveError):
    """A bound that contradicts a known value, an earlier bound, or arithmetic (NaN).

    Examples
    --------
    >>> from gapless.roles import InconsistentBound
    >>> import gapless as gl
    >>> issubclass(InconsistentBound, gl.SolveError)
    True
    """


class FixedColumn(SolveError):
    """An oracle returned a column that the current fixings forbid.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless.roles import FixedColumn
    >>> issubclass(FixedColumn, gl.SolveError)
    True
    """


class PricingWarning(UserWarning):
    """A generator returned a column that cannot improve the master: a known one, or one of negative reduced cost.

    The answer stays true, but the search may take for ever.

    Examples
    --------
    >>> from gapless.roles import PricingWarning
    >>> issubclass(PricingWarning, UserWarning)
    True
    """


class UncoveredBranching(SolveError):
    """The children of a node do not cover it, or a child repeats its parent.

    Examples
    --------
    >>> from gapless.roles import UncoveredBranching
    >>> import gapless as gl
    >>> issubclass(UncoveredBranching, gl.SolveError)
    True
    """
