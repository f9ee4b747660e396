"""Registrations of plug-ins: problem types, methods, factors, maximisers, tasks.

Names are unique; clashes name both owners.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import attrs

from gapless.arrays.spelling_hint import spelling_hint
from gapless.errors import DuplicateName, FactorsNotSupported, GaplessError, UnknownName, UnknownOption
from gapless.plugins.options import check_type, option_defaults
from gapless.plugins.reference import import_reference, names_class, reference_to, resolved

if TYPE_CHECKING:
    from gapless.factors.factor import ConfigurationFactor, Factor
    from gapless.oracles.maximiser import Maximiser
    from gapless.problems.problem import Problem
    from gapless.results.result import Result

T = TypeVar("T")
ProblemType: TypeAlias = "type[Problem[Any]]"
FactorType: TypeAlias = "type[Factor] | type[ConfigurationFactor]"
MaximiserType: TypeAlias = "type[Maximiser[Any]]"


@attrs.frozen
class Method:
    """Method that solves one type of problem.

    Class and functions may be references, such as ``"gapless_chains.viterbi:run"``, which are imported when a
    problem is solved. The attributes are always the class and the functions themselves.

    Parameters
    ----------
    name : str
    problem : type, or str
        Class of the accepted problems, including subclasses. A reference names the module that defines it.
    run : callable, or str
        ``run(problem, solve, **options) -> Result``. The options and their defaults are the function's
        keyword-only parameters; `solve` is a `SolveRequest`.
    summary : str
        One line for ``gapless methods``.
    exact : bool
        Whether it proves optimality unless a limit stops it.
    k_best, warm_start : bool
        Whether it honours `k` and `start`.
    default : bool
        Whether it is the default for its problem type.
    run_many : callable or str, optional
        ``run_many(problems, solve, **options) -> BatchResult``, for methods with a fused batch kernel.
    batch_k_best : bool
        Whether `run_many` honours ``solve.k``, too; if not, the k best of many problems are computed one by one.
    supports_factors : bool
        Whether it counts `Problem.factors`. Other methods are refused for problems with factors, because their
        optimum would be that of another problem.
    needs_backbone : bool
        Whether it needs `Problem.backbone`; problem types without a backbone then lack the method.

    Examples
    --------
    >>> from gapless.roles import Method
    >>> greedy = Method("greedy", "gapless_chains:ChainProblem", "my_package:run", "each token alone")
    """

    name: str
    _problem: ProblemType | str
    _run: Callable[..., Result[Any]] | str
    summary: str = ""
    exact: bool = True
    k_best: bool = False
    warm_start: bool = False
    default: bool = False
    _run_many: Callable[..., Any] | str | None = None
    batch_k_best: bool = False
    supports_factors: bool = False
    needs_backbone: bool = False

    @property
    def problem(self) -> ProblemType:
        """The problem type."""
        return cast("ProblemType", resolved(self._problem))

    @property
    def run(self) -> Callable[..., Result[Any]]:
        """The function that solves one problem."""
        return cast("Callable[..., Result[Any]]", resolved(self._run))

    @property
    def run_many(self) -> Callable[..., Any] | None:
        """The function that solves many problems together, if there is one."""
        return cast("Callable[..., Any] | None", resolved(self._run_many))

    @property
    def problem_key(self) -> ProblemType | str:
        """Key of the problem type in the registry; nothing is imported."""
        return self._problem if isinstance(self._problem, str) else _key(self._problem)

    @property
    def references(self) -> Iterator[str]:
        """Those by which the class and the functions were given."""
        return (given for given in (self._problem, self._run, self._run_many) if isinstance(given, str))

    def of(self, problem: ProblemType) -> Method:
        """Return the same method with the class in place of the reference to it."""
        return attrs.evolve(self, problem=problem)

    def has_batch_kernel_for(self, k: int) -> bool:
        """Return True if `run_many` computes the `k` best of many problems."""
        return self._run_many is not None and (k == 1 or self.batch_k_best)

    @property
    def options(self) -> Mapping[str, Any]:
        """Option names with their defaults."""
        return option_defaults(self.run)

    def check(self, options: Mapping[str, Any], k: int, start: Sequence[Any]) -> None:
        """Refuse options and arguments that this method does not support; suggest the nearest known name."""
        for option, value in options.items():
            known = self.options
            if option not in known:
                raise UnknownOption(
                    f"method {self.name!r} has no option {option!r}{spelling_hint(option, [*known, *COMMON])}; "
                    f"its options are: {', '.join(known) or 'none'}"
                )
            check_type(self.run, option, value)
        check_count("k", k, below=math.inf)  # "all of them" may be any large number
        if k > 1 and not self.k_best:
            raise UnknownOption(f"method {self.name!r} finds one best structure only, k={k} was asked")
        if len(start) and not self.warm_start:
            raise UnknownOption(f"method {self.name!r} cannot use a start structure")


COMMON = ("limits", "k", "start", "observers", "seed", "trace", "verify")
"""Keywords of `gapless.solve` for every method."""


def names_a_backbone(problem: ProblemType) -> bool:
    """Return True if a problem type overrides `Problem.backbone`, or is the base class of all."""
    from gapless.problems.problem import Problem  # noqa: PLC0415  loaded with any problem type

    return problem is Problem or problem.backbone is not Problem.backbone


LARGEST_COUNT = 2**63
"""Counts from this on do not fit the int64 of compiled code."""


def check_count(name: str, value: Any, at_least: int = 1, below: float = LARGEST_COUNT) -> None:
    """Raise `UnknownOption` unless an option that counts something is an integer in its range."""
    # The first test is the fast path: `isinstance` of an abstract class is slower.
    if type(value) is not int and (not isinstance(value, Integral) or isinstance(value, bool)):
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
    add_arguments : callable, or str
        ``add_arguments(parser)`` adds options to an `argparse` parser. It may be given as a reference, such as
        ``"my_package.job:add_arguments"``, which is imported when the task is selected.
    run : callable, or str
        ``run(arguments, console) -> int``: does the job with a `gapless.cli.Console`, returns an exit code.
    benchmark : bool
        Whether it measures speed; benchmarks are listed separately from the jobs.

    Examples
    --------
    >>> from gapless.roles import Task
    >>> task = Task("my-task", "One line for the help.", "my_package.job:options", "my_package.job:run")
    """

    name: str
    summary: str
    _add_arguments: Callable[[Any], None] | str
    _run: Callable[[Any, Any], int] | str
    benchmark: bool = False

    @property
    def add_arguments(self) -> Callable[[Any], None]:
        """The function that adds the options."""
        function: Callable[[Any], None] = resolved(self._add_arguments)
        return function

    @property
    def run(self) -> Callable[[Any, Any], int]:
        """The function that does the job."""
        function: Callable[[Any, Any], int] = resolved(self._run)
        return function

    @property
    def references(self) -> Iterator[str]:
        """Those by which the functions were given."""
        return (given for given in (self._add_arguments, self._run) if isinstance(given, str))


def _key(cls: ProblemType) -> ProblemType | str:
    """Return the reference to a class, or the class itself if its name may denote another class later."""
    # Classes defined in functions, in `__main__` or in a reloaded module share names with others.
    named: Any = sys.modules.get(cls.__module__)
    for attribute in cls.__qualname__.split("."):
        named = getattr(named, attribute, None)
    return reference_to(cls) if named is cls and cls.__module__ != "__main__" else cls


class LazyMapping(Mapping[str, T]):
    """Objects by name; references are imported on look-up."""

    def __init__(self, given: Mapping[str, T | str] | None = None) -> None:
        self.given: dict[str, T | str] = dict(given or {})

    def __getitem__(self, name: str) -> T:
        value: T = resolved(self.given[name])
        return value

    def __contains__(self, name: object) -> bool:
        return name in self.given

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)

    def copy(self) -> LazyMapping[T]:
        """Copy the mapping without importing anything."""
        return LazyMapping(self.given)


class Registry:
    """Registered classes, methods and tasks, filled by ``gapless_register`` hooks.

    Attributes
    ----------
    problems, factors, maximisers : mapping
        Classes by name.
    tasks : dict of str to Task
    owners : dict
        The registering plug-in and its distribution.

    Examples
    --------
    >>> from gapless.plugins import load_plugins
    >>> "tree" in load_plugins().registry.problems
    True
    """

    def __init__(self) -> None:
        self.problems: LazyMapping[ProblemType] = LazyMapping()
        self.factors: LazyMapping[FactorType] = LazyMapping()
        self.maximisers: LazyMapping[MaximiserType] = LazyMapping()
        self.tasks: dict[str, Task] = {}
        self.owners: dict[tuple[str, Any], str] = {}
        self.owner = "gapless"
        self._methods: dict[tuple[ProblemType | str, str], Method] = {}
        self._accepted: dict[ProblemType, dict[str, Method]] = {}

    def copy(self) -> Registry:
        """Copy the registry."""
        other = Registry()
        for name in ("problems", "factors", "maximisers", "tasks", "owners", "_methods"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def _claim(self, kind: str, key: Any, label: str) -> None:
        owner = self.owners.get((kind, key))
        if owner is not None:
            raise DuplicateName(f"{kind} {label!r} is registered by {owner!r} and again by {self.owner!r}")
        self.owners[kind, key] = self.owner

    def problem(self, name: str, cls: ProblemType | str) -> None:
        """Register a problem type, or the reference to one, under a short name."""
        self._claim("problem", name, name)
        self.problems.given[name] = cls

    def method(self, method: Method) -> None:
        """Register a method for a problem type."""
        problem = method.problem_key
        label = (problem if isinstance(problem, str) else problem.__qualname__).rpartition(":")[2]
        if method.default:
            for other in self._methods.values():
                if other.default and other.problem_key == problem:
                    owner = self.owners["method", (problem, other.name)]
                    raise DuplicateName(
                        f"the default method for {label} is claimed by {other.name!r} "
                        f"of {owner!r} and by {method.name!r} of {self.owner!r}"
                    )
        self._claim("method", (problem, method.name), f"{label}/{method.name}")
        self._methods[problem, method.name] = method
        self._accepted.clear()

    def factor(self, cls: FactorType | str, name: str = "") -> None:
        """Register a factor class under its own `name`; a reference needs the argument."""
        if not isinstance(cls, str):
            name = cls.name
        self._claim("factor", name, name)
        self.factors.given[name] = cls

    def maximiser(self, name: str, cls: MaximiserType | str) -> None:
        """Register a maximiser class, or the reference to one, under a short name."""
        self._claim("maximiser", name, name)
        self.maximisers.given[name] = cls

    def task(self, task: Task) -> None:
        """Register a runnable job."""
        self._claim("task", task.name, task.name)
        self.tasks[task.name] = task

    @property
    def methods(self) -> dict[tuple[ProblemType, str], Method]:
        """All methods, by problem type and name."""
        for problem in {method.problem for method in self._methods.values()}:
            self._merge_aliases(problem)
        return {(method.problem, method.name): method for method in self._methods.values()}

    def methods_for(self, problem: ProblemType) -> dict[str, Method]:
        """Return the methods that accept a problem type, by name; those of the nearest class win."""
        if problem not in self._accepted:
            accepted: dict[str, Method] = {}
            # From the base class down, so that a subclass replaces methods of the same name.
            for cls in reversed(problem.__mro__):
                self._merge_aliases(cls)
                class_key = _key(cls)
                accepted.update(
                    {
                        m.name: m
                        for (key, _), m in self._methods.items()
                        if key == class_key and (not m.needs_backbone or names_a_backbone(problem))
                    }
                )
            self._accepted[problem] = accepted
        return self._accepted[problem]

    def find_method(self, problem: ProblemType, name: str | None, *, factors: Sequence[Any] = ()) -> Method:
        """Return the named method, or the default one, for a problem type.

        Raises
        ------
        UnknownName
            The type has no method, or none of that name.
        FactorsNotSupported
            `factors` (those of a problem) is not empty, and the method does not count factors.
        """
        known = self.methods_for(problem)
        if not known:
            raise UnknownName(f"no plug-in registered a method for {problem.__name__}{self._misnamed(problem)}")
        if name is None:
            for cls in problem.__mro__:
                class_key = _key(cls)
                # A default that cannot count the factors gives way to the default of a base class.
                for method in known.values():
                    if (
                        method.default
                        and method.problem_key == class_key
                        and (method.supports_factors or not len(factors))
                    ):
                        return method
            if len(factors):
                raise FactorsNotSupported(
                    f"no default method of {problem.__name__} counts factors{self._such(problem)}"
                )
            raise UnknownName(f"{problem.__name__} has no default method; name one of: {', '.join(sorted(known))}")
        if name not in known:
            raise UnknownName(
                f"{problem.__name__} has no method {name!r}{spelling_hint(name, known)}; "
                f"it has: {', '.join(sorted(known))}"
            )
        if len(factors) and not known[name].supports_factors:
            from gapless.factors.error_notes import factor_name  # noqa: PLC0415  for this message only

            raise FactorsNotSupported(
                f"method {name!r} does not count factors, and this {problem.__name__} has factors "
                f"({', '.join(dict.fromkeys(map(factor_name, factors)))}){self._such(problem)}"
            )
        return known[name]

    def _such(self, problem: ProblemType) -> str:
        """Advise on methods that count factors, the default one first."""
        known = self.methods_for(problem)
        such = sorted((not method.default, name) for name, method in known.items() if method.supports_factors)
        if not such:
            return "; give the problem type a backbone(), and split-bound solves it"
        more = f" (or one of: {', '.join(name for _, name in such[1:])})" if such[1:] else ""
        return f": use method={such[0][1]!r}{more}"

    def _merge_aliases(self, cls: ProblemType) -> None:
        """Replace the references that name `cls` by another module of its package, by the class itself."""
        for (key, name), method in list(self._methods.items()):
            if isinstance(key, str) and key != reference_to(cls) and names_class(key, cls):
                del self._methods[key, name]
                # Registering again checks for clashes with methods of the defining module, in the owner's name.
                current, self.owner = self.owner, self.owners.pop(("method", (key, name)))
                try:
                    self.method(method.of(cls))
                finally:
                    self.owner = current

    def _misnamed(self, problem: ProblemType) -> str:
        """Advise on a plug-in whose reference does not name the module that defines the class."""
        for key, _ in self._methods:
            if isinstance(key, str) and key.rpartition(":")[2] == problem.__qualname__:
                return f"; methods are registered for {key!r}, but the class is {reference_to(problem)!r}"
        return ""

    def references(self) -> Iterator[tuple[str, str]]:
        """Yield every reference with the plug-in that registered it: problem types first, tasks last."""
        kinds = (("problem", self.problems), ("factor", self.factors), ("maximiser", self.maximisers))
        for kind, named in kinds:
            for name, given in named.given.items():
                if isinstance(given, str):
                    yield self.owners[kind, name], given
        for key, method in self._methods.items():
            yield from ((self.owners["method", key], reference) for reference in method.references)
        for task in self.tasks.values():
            yield from ((self.owners["task", task.name], reference) for reference in task.references)

    def import_all(self, package: str = "") -> dict[str, str]:
        """Import all references, or those into one top-level package.

        Returns
        -------
        dict of str to str
            Plug-ins with broken references, and the reason for the first one.
        """
        broken: dict[str, str] = {}
        for owner, reference in dict.fromkeys(self.references()):
            if package in ("", reference.partition(":")[0].partition(".")[0]):
                try:
                    import_reference(reference)
                except DuplicateName:
                    raise
                except GaplessError as error:  # also errors that a module itself raises, such as MissingDependency
                    broken.setdefault(owner, str(error))
        return broken
