"""Registration by a table of names and references, without imports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gapless.plugins.hookspecs import hookimpl
from gapless.plugins.registry import Method, Registry, Task


def table(
    *,
    problems: Mapping[str, str] | None = None,
    methods: Sequence[Method] = (),
    factors: Mapping[str, str] | None = None,
    maximisers: Mapping[str, str] | None = None,
    tasks: Sequence[Task] = (),
) -> Callable[[Registry], None]:
    """Make a ``gapless_register`` hook from a table.

    Parameters
    ----------
    problems : mapping of str to str
        Problem types by short name, as references.
    methods : sequence of Method
        With references as problem type and functions.
    factors : mapping of str to str
        Factor classes by their `name`, as references.
    maximisers : mapping of str to str
        Maximiser classes by short name, as references.
    tasks : sequence of Task
        With references as functions.
    """

    @hookimpl
    def gapless_register(registry: Registry) -> None:
        for name, problem in (problems or {}).items():
            registry.problem(name, problem)
        for method in methods:
            registry.method(method)
        for name, factor in (factors or {}).items():
            registry.factor(factor, name)
        for name, maximiser in (maximisers or {}).items():
            registry.maximiser(name, maximiser)
        for task in tasks:
            registry.task(task)

    return gapless_register
