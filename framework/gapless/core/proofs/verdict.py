"""The answer of a check: whether it holds, the bound that follows, and the place of a fault."""

from __future__ import annotations

import math

import attrs

from gapless.core.problem import Sense


@attrs.frozen(repr=False)
class Verdict:
    """The outcome of a verification; truthy when the evidence holds.

    Parameters
    ----------
    holds : bool
    reason : str
        The established fact, or the fault.
    place : str
        Place of the fault ("solutions[0]", "leaf 12, ..."); empty when the evidence holds.
    bound : float
        Bound on scores that the evidence proves, independent of the claimed bound; `value_bound` is the same as a
        value.
    seconds : float
    sense : Sense
        Sense of the problem.
    missing : bool
        Whether the verification failed for lack of evidence, rather than because of a fault.
    undecided : bool
        Whether the check was stopped before its end: the evidence was neither confirmed nor refuted.
    work : float
        Steps of the check, see `gapless.work_limit`.
    trusted : str
        Anything unchecked that the bound rests on: the word of a user's maximiser, of `best` of a factor that is no
        diagram over more than 8 decisions, of `relax` of a diagram; empty where nothing was taken on trust.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> verdict = gl.solve(problem).verify(problem)
    >>> verdict.holds, verdict.bound
    (True, 2.000000000000001)
    >>> verdict.reason
    'chain dominance: nothing scores more than 2'
    """

    holds: bool
    reason: str
    place: str = ""
    bound: float = math.inf
    seconds: float = 0.0
    sense: Sense = Sense.MAXIMISE
    missing: bool = False
    undecided: bool = False
    work: float = 0.0
    trusted: str = ""

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        outcome = "holds" if self.holds else "undecided" if self.undecided else "does not hold"
        trusted = f"; {self.trusted}" if self.trusted else ""
        place = f"{self.place}: " if self.place else ""
        return f"<Verdict: {outcome}, {place}{self.reason}{trusted}; {self.seconds:.3g} s>"

    @property
    def value_bound(self) -> float:
        """`bound` in the problem's own sense: no structure has a better value."""
        return self.sense.turn(self.bound)
