"""Random instances of a problem type, which plug-ins give for ``gapless selftest``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    import numpy as np

    from gapless.core.problem import Problem
    from gapless.core.result import Solution


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
    """

    problem: type[Problem[Any]]
    draw: Callable[[np.random.Generator], Problem[Any]]
    best: Callable[[Any, int], Sequence[Solution[Any]]] | None = None
    factors: bool = False
