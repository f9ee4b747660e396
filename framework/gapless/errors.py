"""Named errors. Each message states the fault, its location and the remedy."""

from __future__ import annotations

from typing import Any


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
    """Input that cannot be a problem: wrong shape, NaN, plus infinity, empty, missing file.

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


class FactorsNotSupported(InvalidProblem):
    """A problem with factors, for a method that does not support them."""


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
    """A limit that is negative, NaN, or not a number.

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
    """A method, task or type that no plug-in registered.

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
    """A name that two plug-ins claim; the message names both.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless.roles import DuplicateName
    >>> issubclass(DuplicateName, gl.GaplessError)
    True
    """


class InvalidResult(GaplessError, ValueError):
    """A `Result` whose fields contradict each other.

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
    """A required extra that is not installed; the message names it.

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
        The best structure found, with a valid bound; `stop` is `Stop.ERROR`. Never OPTIMAL.

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
        # `Any`, not `Result`: results import this module.
        self.result: Any = None


class VerificationFailed(SolveError):
    """A result of ``verify=True`` that fails its check, or cannot be checked.

    Attributes
    ----------
    result : Result
        The feasible structures, without a bound; `stop` is `Stop.ERROR`.
    claimed : Result
        The result as returned by the method.
    verdict : Verdict
        The fault and its location.

    Examples
    --------
    >>> import gapless as gl
    >>> issubclass(gl.VerificationFailed, gl.SolveError)
    True
    """

    claimed: Any
    verdict: Any


class OracleError(SolveError):
    """An error raised by a role (oracle, relaxation, brancher, observer), which is the `__cause__`.

    Examples
    --------
    >>> from gapless.roles import OracleError
    >>> import gapless as gl
    >>> issubclass(OracleError, gl.SolveError)
    True
    """


class MissingBound(SolveError):
    """A round of pricing that found nothing new and proves no bound, as a generator claimed no pricing gap.

    Examples
    --------
    >>> from gapless.roles import MissingBound
    >>> import gapless as gl
    >>> issubclass(MissingBound, gl.SolveError)
    True
    """


class InconsistentBound(SolveError):
    """A bound that contradicts a known value or an earlier bound, or is NaN.

    Examples
    --------
    >>> from gapless.roles import InconsistentBound
    >>> import gapless as gl
    >>> issubclass(InconsistentBound, gl.SolveError)
    True
    """


class FixedColumn(SolveError):
    """A column from an oracle that the current fixings forbid.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless.roles import FixedColumn
    >>> issubclass(FixedColumn, gl.SolveError)
    True
    """


class PricingWarning(UserWarning):
    """A column from a generator that cannot improve the master: a known one, or one of negative reduced cost.

    The result stays correct, but the search may never end.

    Examples
    --------
    >>> from gapless.roles import PricingWarning
    >>> issubclass(PricingWarning, UserWarning)
    True
    """


class UncoveredBranching(SolveError):
    """Children that do not cover their node, or a child that repeats it.

    Examples
    --------
    >>> from gapless.roles import UncoveredBranching
    >>> import gapless as gl
    >>> issubclass(UncoveredBranching, gl.SolveError)
    True
    """
