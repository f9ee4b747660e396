"""The best configuration of a factor that is no conjunction, not merely believed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gapless.core.decisions import Decisions
from gapless.core.errors import InvalidProblem
from gapless.core.factor import ConfigurationFactor, name_of
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tolerance import margin
from gapless.core.work import spend_work

ENUMERATED = 8
"""Over so many open arcs all configurations are scored; over more, those that are likely to be the best."""


def best_configuration(factor: ConfigurationFactor, weights: FloatArray) -> float:
    """`ConfigurationFactor.best`, compared with ``value``.

    A bound rests on ``best``, which whoever wrote the factor wrote, too. Over at most 8 open arcs the answer is
    certain. Over more, the configuration that ``best`` names, the empty one, single arcs and the heaviest arcs
    for each count are scored: a factor that passes all these may still be wrong. Raises `InvalidProblem`: a
    configuration is worth more. `weights` (float64 (arcs,)): -inf where an arc is not possible.
    """
    claimed, named = factor.best(weights)
    open_arcs = np.flatnonzero(weights > -np.inf)
    configurations = _all(open_arcs) if open_arcs.size <= ENUMERATED else _likely(weights, open_arcs, named)
    for chosen in configurations:
        spend_work(weights.size, 8)
        on = np.zeros(weights.size, bool)
        on[list(chosen)] = True
        worth = factor.value(on) + float(weights[on].sum())
        scale = float(np.abs(weights[open_arcs]).sum())
        if worth > claimed + margin(max(scale, abs(worth))):
            raise InvalidProblem(
                f"factor {name_of(factor)}: best() promises that no configuration is worth more than "
                f"{claimed:.12g}, but by value() one of {int(np.count_nonzero(on))} decisions is worth {worth:.12g}"
            )
    return float(claimed)


def configuration_bound(
    factor: ConfigurationFactor, decisions: Decisions, weights: FloatArray, state: NDArray[np.int8]
) -> float:
    """No configuration that agrees with `state` is worth more, see `best_configuration`.

    Parameters
    ----------
    factor : ConfigurationFactor
    decisions : Decisions
    weights : float64 (scope,)
        Finite; of the decisions of the scope.
    state : int8 (scope,)
        Of each, -1 free, 0 off, 1 on.
    """
    bound = best_configuration(factor, np.where(state == 0, -np.inf, weights))
    held, free = np.flatnonzero(state == 1), np.flatnonzero(state == -1)
    if held.size and free.size <= ENUMERATED:
        best = -np.inf
        for chosen in _all(free):
            spend_work(weights.size, 8)
            on = np.zeros(weights.size, bool)
            on[held] = True
            on[list(chosen)] = True
            best = max(best, factor.value(on) + float(weights[on].sum()))
        bound = min(bound, best)
    return bound


def _all(open_arcs: IntArray) -> Iterator[tuple[int, ...]]:
    for count in range(open_arcs.size + 1):
        yield from itertools.combinations(open_arcs.tolist(), count)


def _likely(weights: FloatArray, open_arcs: IntArray, named: BoolArray) -> Iterator[tuple[int, ...]]:
    yield tuple(np.flatnonzero(named).tolist())
    heaviest = open_arcs[np.argsort(-weights[open_arcs], kind="stable")].tolist()
    for count in range(len(heaviest) + 1):
        yield tuple(heaviest[:count])
    for arc in heaviest[1:]:
        yield (arc,)


def allows(factor: ConfigurationFactor, on: BoolArray, free: BoolArray) -> bool:
    """Whether some configuration scores more than -inf.

    Over at most 8 free arcs all configurations are scored. Over more, ``best`` is asked with weights that outweigh
    any sum of scores: it then leaves out an arc that is on only where no allowed configuration has them all. `on`,
    `free` (bool (arcs,)): decisions that every configuration holds, and those that it may hold.
    """
    places = np.flatnonzero(free)
    if places.size <= ENUMERATED:
        for chosen in _all(places):
            spend_work(on.size, 4)
            configuration = on.copy()
            configuration[list(chosen)] = True
            if factor.value(configuration) > -np.inf:
                return True
        return False
    spend_work(10.0 * on.size, 20)
    value, named = factor.best(np.where(on, 1e300, np.where(free, 0.0, -np.inf)))
    return bool(value != -np.inf and np.all(np.asarray(named, bool)[on]))
