"""Random instances of a problem type, which plug-ins give for ``gapless selftest``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    import numpy as np

    from gapless.core.problem import Problem
    from gapless.core.result import Solution


def _with_factors(problem: Any, factors: Sequence[Any]) -> Any:
    return attrs.evolve(problem, factors=[*problem.factors, *factors])


@attrs.frozen
class Specimens:
    """A source of small instances of one problem type, and the judge of answers to them.

    Parameters
    ----------
    problem : type
        A registered problem type: all its methods are tried.
    draw : callable
        ``draw(rng) -> problem`` from a `numpy.random.Generator`: small enough to enumerate, with ties, degenerate
        and infeasible cases among them.
    best : callable, optional
        ``best(problem, k) -> sequence of Solution``: the `k` best structures by brute force, best first, fewer when
        there are fewer; by default `gapless.testing.enumerate_best`.
    factors : bool
        Whether the problems have factors: then methods that do not count them are left out.
    structures : callable, optional
        ``structures(problem) -> iterable of structures``: all feasible ones of a problem as it is drawn, each
        once. Then more factors of every kind are put on the problems, see `gapless.selftest.pairs`.
    with_factors : callable, optional
        ``with_factors(problem, factors) -> problem``: the problem with these besides its own; by default
        ``attrs.evolve(problem, factors=[*problem.factors, *factors])``.
    named : callable, optional
        ``named(problem) -> str``: the backbone of an instance, where not all have the same.

    Examples
    --------
    >>> from gapless.roles import Specimens
    >>> from gapless_chains import ChainProblem
    >>> def drawn(rng):
    ...     return ChainProblem(rng.normal(size=(2, 3)), rng.normal(size=(3, 3)))
    >>>
    ... Specimens(ChainProblem, drawn).problem.__name__
    'ChainProblem'
    """

    problem: type[Problem[Any]]
    draw: Callable[[np.random.Generator], Problem[Any]]
    best: Callable[[Any, int], Sequence[Solution[Any]]] | None = None
    factors: bool = False
    structures: Callable[[Any], Iterable[Any]] | None = None
    with_factors: Callable[[Any, Sequence[Any]], Any] = _with_factors
    named: Callable[[Any], str] | None = None
