"""Random instances of a problem type, which a plug-in provides for ``gapless selftest``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    import numpy as np

    from gapless.problems.problem import Problem
    from gapless.results.result import Solution


def _with_factors(problem: Any, factors: Sequence[Any]) -> Any:
    return attrs.evolve(problem, factors=[*problem.factors, *factors])


@attrs.frozen
class SelftestInstances:
    """Source of small instances of one problem type, with their best structures by brute force.

    Parameters
    ----------
    problem : type
        A registered problem type, all of whose methods are tested.
    draw : callable
        ``draw(rng) -> problem`` from a `numpy.random.Generator`: small enough to enumerate, with ties, degenerate
        and infeasible cases among them.
    best : callable, optional
        ``best(problem, k) -> sequence of Solution``: the `k` best structures by brute force, best first, or all
        if there are fewer; by default `gapless.testing.enumerate_best`.
    factors : bool
        Whether the problems have factors; methods that do not support factors are then skipped.
    structures : callable, optional
        ``structures(problem) -> iterable of structures``: all feasible structures of a sampled problem, each
        once. If given, factors of every kind are added to the problems; see `gapless.testing.listed_instances`.
    with_factors : callable, optional
        ``with_factors(problem, factors) -> problem``: the problem with `factors` added to its own; by default
        ``attrs.evolve(problem, factors=[*problem.factors, *factors])``.
    named : callable, optional
        ``named(problem) -> str``: the backbone of an instance, if the instances differ in it.

    Examples
    --------
    >>> from gapless.roles import SelftestInstances
    >>> from gapless_chains import ChainProblem
    >>> def draw(rng):
    ...     return ChainProblem(rng.normal(size=(2, 3)), rng.normal(size=(3, 3)))
    >>>
    ... SelftestInstances(ChainProblem, draw).problem.__name__
    'ChainProblem'
    """

    problem: type[Problem[Any]]
    draw: Callable[[np.random.Generator], Problem[Any]]
    best: Callable[[Any, int], Sequence[Solution[Any]]] | None = None
    factors: bool = False
    structures: Callable[[Any], Iterable[Any]] | None = None
    with_factors: Callable[[Any, Sequence[Any]], Any] = _with_factors
    named: Callable[[Any], str] | None = None
