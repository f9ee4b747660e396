"""What plug-ins register: problem types, methods, factors, tasks. Names are unique; clashes name both owners."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeVar

import attrs

from gapless.core.errors import DuplicateName, UnknownName, UnknownOption
from gapless.core.factor import ConfigurationFactor, Factor
from gapless.core.limits import Budget
from gapless.core.nearest import nearest
from gapless.core.problem import Problem
from gapless.core.result import Result

T = TypeVar("T")
ProblemType = type[Problem[Any]]


@attrs.define
class Solve:
    """One call of a method: everything that `gapless.solve` was given, except the method's own options.

    Parameters
    ----------
    budget : Budget
        Limits, observers and trace.
    k : int
    start : sequence
        Structures to begin with.
    seed : int
    method : str
        The name to write into the result.
    first : int
        For `Method.run_many`: the number that messages give to the first problem, when others are solved elsewhere.
    every_result : bool
        For `Method.run_many`: every `Result` will be asked for, so a method that would solve again to make one
        keeps them.
    """

    budget: Budget = attrs.field(factory=Budget)
    k: int = 1
    start: Sequence[Any] = ()
    seed: int = 0
    method: str = ""
    first: int = 0
    every_result: bool = False


@attrs.frozen
class Method:
    """A way to solve one type of problem.

    Parameters
    ----------
    name : str
    problem : type
        Problems of this class (and its subclasses) are accepted.
    run : callable
        ``run(problem, solve, **options) -> Result``. The options and their defaults are the function's
        keyword-only parameters; `solve` is a `Solve`.
    summary : str
        One line for ``gapless methods``.
    exact : bool
        Whether it proves optimality when no limit stops it.
    k_best, warm_start : bool
        Whether it honours `k` and `start`.
    default : bool
        Whether it is the default for its problem type.
    run_many : callable, optional
        ``run_many(problems, solve, **options) -> BatchResult``, for methods with a fused batch kernel.
    k_best_many : bool
        Whether `run_many` honours ``solve.k``, too; if not, the k best of many problems are found one by one.
    """

    name: str
    problem: ProblemType
    run: Callable[..., Result[Any]]
    summary: str = ""
    exact: bool = True
    k_best: bool = False
    warm_start: bool = False
    default: bool = False
    run_many: Callable[..., Any] | None = None
    k_best_many: bool = False

    def solves_together(self, k: int) -> bool:
        """Whether `run_many` finds the `k` best of many problems."""
        return self.run_many is not None and (k == 1 or self.k_best_many)

    @property
    def options(self) -> Mapping[str, Any]:
        """Option names with their defaults."""
        return _options(self.run)

    def check(self, options: Mapping[str, Any], k: int, start: Sequence[Any]) -> None:
        """Refuse what this method does not have; a typo is answered with the nearest known name."""
        known = self.options
        for option in options:
            if option not in known:
                raise UnknownOption(
                    f"method {self.name!r} has no option {option!r}{nearest(option, known)}; "
                    f"its options are: {', '.join(known) or 'none'}"
                )
        check_count("k", k, below=math.inf)  # "all of them" may be any large number
        if k > 1 and not self.k_best:
            raise UnknownOption(f"method {self.name!r} finds one best structure only, k={k} was asked")
        if len(start) and not self.warm_start:
            raise UnknownOption(f"method {self.name!r} cannot use a start structure")


_OPTIONS: dict[Callable[..., Any], Mapping[str, Any]] = {}


def _options(run: Callable[..., Any]) -> Mapping[str, Any]:
    if run not in _OPTIONS:
        parameters = inspect.signature(run).parameters.values()
        _OPTIONS[run] = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    return _OPTIONS[run]


LARGEST_COUNT = 2**63
"""Compiled code counts in 64 bits."""


def check_count(name: str, value: Any, at_least: int = 1, below: float = LARGEST_COUNT) -> None:
    """Raise `UnknownOption` unless an option that counts something is an integer in its range."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise UnknownOption(f"{name} is {value!r}, it must be an integer")
    if value < at_least:
        raise UnknownOption(f"{name} is {value}, it must be at least {at_least}")
    if int(value) >= below:
        raise UnknownOption(f"{name} is {value!r:.40}, it must be below 2**63")


@attrs.frozen
class Task:
    """A runnable job: ``gapless run NAME``.

    Parameters
    ----------
    name : str
    summary : str
    add_arguments : callable
        ``add_arguments(parser)`` adds options to an `argparse` parser.
    run : callable
        ``run(arguments, console) -> int``: does the job, returns an exit code.
        `console` is a `gapless.cli.Console`.
    """

    name: str
    summary: str
    add_arguments: Callable[[Any], None]
    run: Callable[[Any, Any], int]


class Registry:
    """Filled by ``gapless_register`` hooks; asked by `gapless.solve` and the command line."""

    def __init__(self) -> None:
        self.problems: dict[str, ProblemType] = {}
        self.methods: dict[tuple[ProblemType, str], Method] = {}
        self.factors: dict[str, type[Factor] | type[ConfigurationFactor]] = {}
        self.tasks: dict[str, Task] = {}
        self.owners: dict[tuple[str, Any], str] = {}
        self.owner = "gapless"
        self._found: dict[ProblemType, dict[str, Method]] = {}

    def _claim(self, kind: str, key: Any, label: str) -> None:
        owner = self.owners.get((kind, key))
        if owner is not None:
            raise DuplicateName(f"{kind} {label!r} is registered by {owner!r} and again by {self.owner!r}")
        self.owners[kind, key] = self.owner

    def problem(self, name: str, cls: ProblemType) -> None:
        """A problem type under a short name."""
        self._claim("problem", name, name)
        self.problems[name] = cls

    def method(self, method: Method) -> None:
        """A method for a problem type."""
        if method.default:
            for other in self.methods.values():
                if other.default and other.problem is method.problem:
                    owner = self.owners["method", (other.problem, other.name)]
                    raise DuplicateName(
                        f"the default method for {method.problem.__name__} is claimed by {other.name!r} "
                        f"of {owner!r} and by {method.name!r} of {self.owner!r}"
                    )
        self._claim("method", (method.problem, method.name), f"{method.problem.__name__}/{method.name}")
        self.methods[method.problem, method.name] = method
        self._found.clear()

    def factor(self, cls: type[Factor] | type[ConfigurationFactor]) -> None:
        """A factor class under its own `name`."""
        self._claim("factor", cls.name, cls.name)
        self.factors[cls.name] = cls

    def task(self, task: Task) -> None:
        """A runnable job."""
        self._claim("task", task.name, task.name)
        self.tasks[task.name] = task

    def methods_for(self, problem: ProblemType) -> dict[str, Method]:
        """Methods that accept a problem type, by name; those of the nearest class win."""
        if problem not in self._found:
            found: dict[str, Method] = {}
            for cls in reversed(problem.__mro__):
                found.update({m.name: m for (owner, _), m in self.methods.items() if owner is cls})
            self._found[problem] = found
        return self._found[problem]

    def find_method(self, problem: ProblemType, name: str | None) -> Method:
        """The named method, or the default one, for a problem type."""
        known = self.methods_for(problem)
        if not known:
            raise UnknownName(f"no plug-in registered a method for {problem.__name__}")
        if name is None:
            for cls in problem.__mro__:
                for method in known.values():
                    if method.problem is cls and method.default:
                        return method
            raise UnknownName(f"{problem.__name__} has no default method; name one of: {', '.join(sorted(known))}")
        if name not in known:
            raise UnknownName(
                f"{problem.__name__} has no method {name!r}{nearest(name, known)}; "
                f"it has: {', '.join(sorted(known))}"
            )
        return known[name]
