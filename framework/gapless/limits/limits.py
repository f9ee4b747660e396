"""Limits on a solve, and the budget that records its effort."""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral, Real
from typing import Any

import attrs

from gapless.errors import InvalidLimits
from gapless.limits.events import Event, Observer
from gapless.sense import Sense


class Stop(enum.Enum):
    """Reason for the end of a solve; the outcome is its `Status`.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> gl.solve(problem).stop
    <Stop.PROVED: 'proved'>
    >>> gl.solve(problem, "column-generation", limits=gl.Limits(iterations=1)).stop is gl.Stop.ITERATIONS
    True
    """

    PROVED = "proved"
    """The search is complete: the result is optimal, or nothing is feasible."""
    GAP = "gap"
    """The gap is within `Limits.relative_gap`."""
    TIME = "time"
    """The time limit was reached."""
    NODES = "nodes"
    """The node limit was reached."""
    ITERATIONS = "iterations"
    """The limit on rounds of pricing or multiplier steps was reached."""
    TARGET = "target"
    """The best structure found is at least as good as `Limits.target`."""
    RESTRICTED = "restricted"
    """The search is complete, but an option excluded part of the problem."""
    RELAXED = "relaxed"
    """The method solves a relaxation without branching, and a gap remains."""
    INTERRUPTED = "interrupted"
    """Ctrl-C."""
    ERROR = "error"
    """A role, a solver or a requested verification failed."""

    @property
    def words(self) -> str:
        """The reason as words for a sentence: ``"time limit"``."""
        words = {Stop.GAP: "gap limit", Stop.TIME: "time limit", Stop.NODES: "node limit"}
        words |= {Stop.ITERATIONS: "iteration limit", Stop.TARGET: "target reached"}
        return words.get(self, self.value)


def _not_negative(_: object, attribute: attrs.Attribute[Any], value: float | None) -> None:
    default = attribute.default
    if value is None and default is None:
        return
    # "not >=" instead of "<": NaN must be refused, too.
    if not isinstance(value, Real) or not value >= 0:
        or_none = " or None" if default is None else ""
        raise InvalidLimits(f"Limits: {attribute.name} is {value!r}, it must be a number >= 0{or_none}")


def _count(owner: object, attribute: attrs.Attribute[Any], value: float | None) -> None:
    _not_negative(owner, attribute, value)
    # 1e6 and infinity are accepted: they are convenient to write, and are whole or no limit.
    if value is not None and not isinstance(value, Integral) and not (math.isinf(value) or value == int(value)):
        raise InvalidLimits(f"Limits: {attribute.name} is {value!r}, it must be a whole number or None")


def _number(_: object, attribute: attrs.Attribute[Any], value: float | None) -> None:
    if value is not None and (not isinstance(value, Real) or math.isnan(value)):
        raise InvalidLimits(f"Limits: {attribute.name} is {value!r}, it must be a number or None")


@attrs.frozen
class Limits:
    """Limits on a solve, which at every limit returns the best structure found, with a valid bound.

    Parameters
    ----------
    time : float, optional
        Wall-clock seconds.
    nodes : int, optional
        Nodes of a search tree.
    relative_gap : float, default 0
        Stop once ``bound - value <= relative_gap * max(1, |value|)``.
    iterations : int, optional
        Rounds of pricing or multiplier steps, over the whole solve.
    target : float, optional
        Stop at a structure whose value is at least this good (in the problem's own sense).

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> gl.solve(problem, "column-generation", limits=gl.Limits(iterations=1)).stop
    <Stop.ITERATIONS: 'iterations'>
    """

    time: float | None = attrs.field(default=None, validator=_not_negative)
    nodes: int | None = attrs.field(default=None, validator=_count)
    relative_gap: float = attrs.field(default=0.0, validator=_not_negative)
    iterations: int | None = attrs.field(default=None, validator=_count)
    target: float | None = attrs.field(default=None, validator=_number)


NO_LIMITS = Limits()


class SolveBudget:
    """Effort of a solve, its `Limits` and its observers. All loops of a solve share one budget.

    Parameters
    ----------
    limits : Limits
    observers : sequence of callables
        Receivers of every `Event`.
    trace : bool
        If True, store the events in `events`.
    clock : callable
        Monotonic seconds; replaceable in tests.
    sense : Sense, optional
        Sense of the problem, for scores in events and messages. By default that of the problem passed to
        `tree_search` or `branch_price_and_cut`; without one, scores are stated unchanged.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless.roles import SolveBudget
    >>> budget = SolveBudget(gl.Limits(nodes=1))
    >>> budget.stop_reason() is None
    True
    >>> budget.nodes += 1
    >>> budget.stop_reason()
    """

    def __init__(
        self,
        limits: Limits = NO_LIMITS,
        *,
        observers: Sequence[Observer] = (),
        trace: bool = False,
        clock: Callable[[], float] = time.perf_counter,
        sense: Sense | None = None,
    ) -> None:
        self.limits = limits
        self.observers = tuple(observers)
        self.trace = trace
        self.sense = sense
        self.events: list[Event] = []
        self.nodes = 0
        self.iterations = 0
        self.oracle_calls = 0
        self._parent: SolveBudget | None = None
        self._interrupted = False
        self._clock = clock
        self._start = clock()

    @property
    def has_observers(self) -> bool:
        """Whether any observer is registered, the trace included."""
        return bool(self.observers or self.trace)

    def emit(self, kind: str, bound: float, value: float, **details: Any) -> None:
        """Notify the observers; `bound` and `value` are scores. Without observers it returns at once."""
        if not self.has_observers:
            return
        event = Event.of_scores(kind, self.elapsed, bound, value, details, self.sense or Sense.MAXIMISE)
        if self.trace:
            self.events.append(event)
        for observer in self.observers:
            observer(event)

    def as_value(self, score: float) -> str:
        """Format a score for a message, as a value in the problem's own sense."""
        return f"{(self.sense or Sense.MAXIMISE).turn(score):.12g}"

    @property
    def elapsed(self) -> float:
        """Wall-clock seconds since the solve began."""
        return self._clock() - self._start

    @property
    def counts_cpu(self) -> bool:
        """Whether time is CPU time of the process; solvers with a clock of their own should then use it, too."""
        return self._clock is time.process_time

    @property
    def time_left(self) -> float:
        """Seconds until the time limit, possibly infinite, never negative."""
        return float("inf") if self.limits.time is None else max(0.0, self.limits.time - self.elapsed)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._interrupted or (self._parent is not None and self._parent.interrupted)

    def interrupt(self) -> None:
        """Record a Ctrl-C: loops end at their next check."""
        self._interrupted = True

    def part(self, limits: Limits) -> SolveBudget:
        """Make a budget for a part of the solve, with limits of its own; Ctrl-C during the solve ends the part.

        Observers of the solve do not receive its events.
        """
        part = SolveBudget(limits, clock=self._clock, sense=self.sense)
        part._parent = self
        return part

    def must_stop(self) -> bool:
        """Return whether work inside a round must end, too: at the time limit and after Ctrl-C.

        Limits on iterations and nodes do not count here: the round or the node that reaches one is finished.
        """
        return self.interrupted or self.time_left <= 0

    def stop_reason(self) -> Stop | None:
        """Return the reason to stop inside a node (interrupt, iterations, time), or None."""
        # Time last: where a counted limit is reached as well, the reason does not depend on the machine.
        if self.interrupted:
            return Stop.INTERRUPTED
        if self.limits.iterations is not None and self.iterations >= self.limits.iterations:
            return Stop.ITERATIONS
        if self.limits.time is not None and self.elapsed >= self.limits.time:
            return Stop.TIME
        return None

    def stop_reason_between_nodes(self) -> Stop | None:
        """As `stop_reason`, but also at the node limit."""
        if self.limits.nodes is not None and self.nodes >= self.limits.nodes and not self.interrupted:
            return Stop.NODES
        return self.stop_reason()


def budget_of(limits: SolveBudget | Limits | None) -> SolveBudget:
    """Return a budget unchanged, or make one with these limits, or with none."""
    return limits if isinstance(limits, SolveBudget) else SolveBudget(limits or NO_LIMITS)


class Deadline:
    """The time limit of one call of a role, with a record of whether it was reached.

    A budget belongs to the engine that runs the solve. A generator sees it as `MasterView.stop`; `gapless.rcsp`,
    which generators call, looks up the deadline of the current call. So a generator that forwards no ``stop`` also
    obeys the limits of its solve.

    Parameters
    ----------
    budget : SolveBudget, optional
        Without one there is no limit.

    Attributes
    ----------
    has_stopped : bool
        Whether `stop` returned True at least once: the result may then be incomplete, whatever it claims
        (decision 062).
    """

    def __init__(self, budget: SolveBudget | None = None) -> None:
        self._budget, self.has_stopped = budget, False

    @property
    def time_left(self) -> float:
        """Seconds until the time limit, possibly infinite; 0 after Ctrl-C."""
        if self._budget is None:
            return math.inf
        return 0.0 if self._budget.interrupted else self._budget.time_left

    def stop(self) -> bool:
        """Return whether to stop: at the time limit and after Ctrl-C."""
        # Once True, always True: a caller that saw True may return early, so the record must keep it.
        if self._budget is not None and self._budget.must_stop():
            self.has_stopped = True
        return self.has_stopped


NO_DEADLINE = Deadline()

# A context variable, not a global: threads and coroutines solve at the same time.
_current: ContextVar[Deadline] = ContextVar("the deadline of the current call of a role", default=NO_DEADLINE)


def current_deadline() -> Deadline:
    """Return the deadline of the current call of a role; `NO_DEADLINE` outside of such calls."""
    return _current.get()


@contextmanager
def question_deadline(budget: SolveBudget) -> Iterator[Deadline]:
    """Set the deadline of `budget` for a call of a role, inside the block."""
    deadline = Deadline(budget)
    token = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(token)
