"""Outcome of a verification: whether the evidence holds, the proved bound, and the location of a fault."""

from __future__ import annotations

import math

import attrs

from gapless.sense import Sense


@attrs.frozen(repr=False)
class Verdict:
    """Outcome of a verification; truthy if the evidence holds.

    Parameters
    ----------
    holds : bool
    reason : str
        The proved fact, or the fault.
    location : str
        Location of the fault ("solutions[0]", "leaf 12, ..."); empty if the evidence holds.
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
    assumptions : str
        User code whose result the bound takes on trust: a maximiser, `best` of a factor over more than 8 decisions
        that is no diagram, `relax` of a diagram; empty if everything was checked.

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
    location: str = ""
    bound: float = math.inf
    seconds: float = 0.0
    sense: Sense = Sense.MAXIMISE
    missing: bool = False
    undecided: bool = False
    work: float = 0.0
    assumptions: str = ""

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        outcome = "holds" if self.holds else "undecided" if self.undecided else "does not hold"
        trusted = f"; {self.assumptions}" if self.assumptions else ""
        location = f"{self.location}: " if self.location else ""
        return f"<Verdict: {outcome}, {location}{self.reason}{trusted}; {self.seconds:.3g} s>"

    @property
    def value_bound(self) -> float:
        """`bound` as a value in the problem's sense, which no structure improves on."""
        return self.sense.turn(self.bound)
