"""Limits on a solve, and the running account of its effort."""

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

from gapless.core.errors import InvalidLimits
from gapless.core.events import Event, Observer
from gapless.core.problem import Sense


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
    """The search is complete: the answer is optimal, or nothing is feasible."""
    GAP = "gap"
    """The gap is within `Limits.gap`."""
    TIME = "time"
    """The time limit was reached."""
    NODES = "nodes"
    """The node limit was reached."""
    ITERATIONS = "iterations"
    """The limit on rounds of pricing or multiplier steps was reached."""
    TARGET = "target"
    """The answer is at least as good as `Limits.target`."""
    RESTRICTED = "restricted"
    """The search is complete, but an option excluded part of the problem."""
    RELAXED = "relaxed"
    """The method solves a relaxation without branching, and a gap is left."""
    INTERRUPTED = "interrupted"
    """Ctrl-C."""
    ERROR = "error"
    """A role, a solver or a requested verification failed."""

    @property
    def words(self) -> str:
        """The reason as it stands in sentences: ``"time limit"``."""
        words = {Stop.GAP: "gap limit", Stop.TIME: "time limit", Stop.NODES: "node limit"}
        words |= {Stop.ITERATIONS: "iteration limit", Stop.TARGET: "target reached"}
        return words.get(self, self.value)


def _not_negative(_: object, attribute: attrs.Attribute[Any], value: float | None) -> None:
    unset = attribute.default
    if value is None and unset is None:
        return
    if not isinstance(value, Real) or not value >= 0:
        raise InvalidLimits(
            f"Limits: {attribute.name} is {value!r}, it must be a number >= 0{' or None' if unset is None else ''}"
        )


def _count(owner: object, attribute: attrs.Attribute[Any], value: float | None) -> None:
    _not_negative(owner, attribute, value)
    if value is not None and not isinstance(value, Integral) and not (math.isinf(value) or value == int(value)):
        raise InvalidLimits(f"Limits: {attribute.name} is {value!r}, it must be a whole number or None")


def _number(_: object, attribute: attrs.Attribute[Any], value: float | None) -> None:
    if value is not None and (not isinstance(value, Real) or math.isnan(value)):
        raise InvalidLimits(f"Limits: {attribute.name} is {value!r}, it must be a number or None")


@attrs.frozen
class Limits:
    """Limits on a solve. At every limit it returns the best answer found, with its true bound.

    Parameters
    ----------
    time : float, optional
        Wall-clock seconds.
    nodes : int, optional
        Nodes of a search tree.
    gap : float, default 0
        Stop once ``bound - value <= gap * max(1, |value|)``.
    iterations : int, optional
        Rounds of pricing or multiplier steps, over the whole solve.
    target : float, optional
        Stop at an answer at least this good (in the problem's own sense).

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
    gap: float = attrs.field(default=0.0, validator=_not_negative)
    iterations: int | None = attrs.field(default=None, validator=_count)
    target: float | None = attrs.field(default=None, validator=_number)


NO_LIMITS = Limits()


class Budget:
    """Running account of a solve: remaining `Limits` and observers. All loops of a solve share one.

    Parameters
    ----------
    limits : Limits
    observers : sequence of callables
        Receivers of every `Event`.
    trace : bool
        Whether to keep the events in `events`.
    clock : callable
        Monotonic seconds; replaceable in tests.
    sense : Sense, optional
        Sense of the problem, for scores in events and messages. By default that of the problem passed to
        `tree_search` or `branch_price_and_cut`; without one, scores are stated unchanged.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless.roles import Budget
    >>> budget = Budget(gl.Limits(nodes=1))
    >>> budget.spent() is None
    True
    >>> budget.nodes += 1
    >>> budget.spent()
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
        self._whole: Budget | None = None
        self._interrupted = False
        self._clock = clock
        self._start = clock()

    @property
    def heard(self) -> bool:
        """Whether anyone is told of events."""
        return bool(self.observers or self.trace)

    def emit(self, kind: str, bound: float, value: float, **details: Any) -> None:
        """Notify the observers; `bound` and `value` are scores. Free when there are no observers."""
        if not self.heard:
            return
        event = Event.of_scores(kind, self.elapsed, bound, value, details, self.sense or Sense.MAXIMISE)
        if self.trace:
            self.events.append(event)
        for observer in self.observers:
            observer(event)

    def as_value(self, score: float) -> str:
        """A score in a message, as a value in the problem's own sense."""
        return f"{(self.sense or Sense.MAXIMISE).turn(score):.12g}"

    @property
    def elapsed(self) -> float:
        """Wall-clock seconds since the solve began."""
        return self._clock() - self._start

    @property
    def counts_cpu(self) -> bool:
        """Whether the clock is that of the process, which solvers with a clock of their own should then use."""
        return self._clock is time.process_time

    @property
    def time_left(self) -> float:
        """Seconds until the time limit, possibly infinite, never negative."""
        return float("inf") if self.limits.time is None else max(0.0, self.limits.time - self.elapsed)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._interrupted or (self._whole is not None and self._whole.interrupted)

    def interrupt(self) -> None:
        """Record a Ctrl-C: loops end at their next check."""
        self._interrupted = True

    def part(self, limits: Limits) -> Budget:
        """Make an account for a part of the solve, with limits of its own; Ctrl-C in the whole ends the part."""
        part = Budget(limits, clock=self._clock, sense=self.sense)
        part._whole = self
        return part

    def must_stop(self) -> bool:
        """Whether work inside a round has to end as well: at the time limit and after Ctrl-C.

        Limits on iterations and nodes do not count here: the round or the node that reaches one is finished.
        """
        return self.interrupted or self.time_left <= 0

    def spent(self) -> Stop | None:
        """The reason to stop inside a node (interrupt, iterations, time), or None."""
        if self.interrupted:
            return Stop.INTERRUPTED
        if self.limits.iterations is not None and self.iterations >= self.limits.iterations:
            return Stop.ITERATIONS
        if self.limits.time is not None and self.elapsed >= self.limits.time:
            return Stop.TIME
        return None

    def spent_between_nodes(self) -> Stop | None:
        """As `spent`, with the node limit."""
        if self.limits.nodes is not None and self.nodes >= self.limits.nodes and not self.interrupted:
            return Stop.NODES
        return self.spent()


def budget_of(given: Budget | Limits | None) -> Budget:
    """The budget that is given, or one of the limits, or an endless one."""
    return given if isinstance(given, Budget) else Budget(given or Limits())


class Deadline:
    """The time limit of one question to a role; it remembers whether it said stop.

    A budget belongs to whoever runs the solve. A generator meets it as `View.stop`; `gapless.labelling`, which
    generators call, looks up the deadline of the question that is being answered, so that also a generator that
    passes no ``stop`` on keeps the limits of its solve.

    Parameters
    ----------
    budget : Budget, optional
        Without one there is no limit.

    Attributes
    ----------
    has_stopped : bool
        Whether `stop` was True at least once: the answer may be unfinished, whatever it claims.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget, self.has_stopped = budget, False

    @property
    def time_left(self) -> float:
        """Seconds until the time limit, possibly infinite; 0 after Ctrl-C."""
        if self._budget is None:
            return math.inf
        return 0.0 if self._budget.interrupted else self._budget.time_left

    def stop(self) -> bool:
        """Whether to stop: at the time limit and after Ctrl-C."""
        if self._budget is not None and self._budget.must_stop():
            self.has_stopped = True
        return self.has_stopped


NO_DEADLINE = Deadline()

_current: ContextVar[Deadline] = ContextVar(
    "the deadline of the question that is being answered", default=NO_DEADLINE
)


def current_deadline() -> Deadline:
    """The deadline of the question that is being answered; `NO_DEADLINE` outside of questions."""
    return _current.get()


@contextmanager
def question_deadline(budget: Budget) -> Iterator[Deadline]:
    """Give a question to a role the deadline of `budget`, inside the block."""
    deadline = Deadline(budget)
    token = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(token)
