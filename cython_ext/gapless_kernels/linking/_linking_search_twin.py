"""NumPy twin of the compiled linking search, for small problems: same values, same proofs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless_kernels.linking._arguments import (
    Ints,
    LinkingSearchResult,
    Pulse,
    check_choices,
    check_sets,
    rounding_of,
)

__all__ = ["linking_search"]


def linking_search(
    first: NDArray[np.int64],
    slots: NDArray[np.int64],
    distances: NDArray[Any],
    own: NDArray[np.float64],
    *,
    allowed: NDArray[Any] | None = None,
    start: NDArray[np.integer] | None = None,
    cutoff: float = np.inf,
    limit: float = np.inf,
    granularity: float | None = None,
    kicks: int = 50,
    seed: int = 0,
    pulse: Pulse | None = None,
    prove: bool = True,
    memory_limit: float = 2.0**31,
) -> LinkingSearchResult:
    """Find one member of each set such that ``sum_ij distances[x_i, x_j] + sum_i own[x_i]`` is least.

    Depth-first search over the sets, bounded by the least cost of each later set with those already chosen. The
    compiled search works differently: only values and proofs agree.

    Parameters
    ----------
    first : int64 (k + 1,)
        Set i holds the members ``first[i]:first[i + 1]``, at least one of them allowed.
    slots : int64 (N,)
        The row of each member in `distances`.
    distances : (p, p) array
        Symmetric, zero on the diagonal. uint8 with a `granularity`, float64 without.
    own : float64 (N,)
        Finite.
    allowed : bool (N,), optional
        Members that may be chosen; all by default.
    start : int32 (s, k), optional
        First choices, as members.
    cutoff : float
        Find only choices that cost less; a multiple of the `granularity`, if there is one.
    limit : float
        Choices of at least this cost are infeasible: some distance has no path.
    granularity : float, optional
        All costs are multiples of it, 2 or 1; see `whole_bits`.
    kicks : int
        Effort of the local search.
    seed : int
        Seed of the local search.
    pulse : callable, optional
        ``pulse(bound, value, sweeps, nodes)`` is called every few milliseconds; True ends the search.
    prove : bool
        If False, run local search only; the bound is then -inf.
    memory_limit : float
        Limit in bytes on one Russian doll search; the record may take an eighth of it.

    Returns
    -------
    LinkingSearchResult

    Raises
    ------
    ValueError
        Arguments that do not fit each other.
    MemoryError
    """
    check_sets(first, slots, own, distances)
    check_choices(first, allowed, start)
    k = len(first) - 1
    lengths = distances.astype(np.float64)
    is_allowed = np.ones(len(own), bool) if allowed is None else np.asarray(allowed, bool)
    step = granularity or rounding_of(first, own, lengths)
    state = _State(min(cutoff, limit))
    for choice in [] if start is None else np.asarray(start, np.int64):
        state.offer(choice, _cost(choice, slots, lengths, own))
    members = [np.flatnonzero(is_allowed[first[i] : first[i + 1]]) + first[i] for i in range(k)]
    first_choice = np.array([m[np.argmin(own[m])] for m in members])
    state.offer(first_choice, _cost(first_choice, slots, lengths, own))
    if not prove:
        return LinkingSearchResult(state.choice, state.value, -np.inf, False, 0, 0, 0, False, None)
    nodes, stack = 0, [(0, 0.0, np.array([], np.int64))]
    while stack:
        depth, cost, choice = stack.pop()
        nodes += 1
        if pulse is not None and nodes % 1024 == 0 and pulse(-np.inf, state.value, 0, nodes):
            return LinkingSearchResult(state.choice, state.value, -np.inf, False, 0, nodes, 0, False, None)
        if depth == k:
            state.offer(choice, cost)
            continue
        further = [
            own[members[j]] + 2 * lengths[slots[members[j]]][:, slots[choice]].sum(axis=1) for j in range(depth, k)
        ]
        if cost + sum(costs.min() for costs in further) > state.value - step:
            continue
        order = np.argsort(-further[0], kind="stable")
        stack += [(depth + 1, cost + further[0][i], np.append(choice, members[depth][i])) for i in order]
    return LinkingSearchResult(state.choice, state.value, state.value, True, 0, nodes, 0, False, None)


@dataclass
class _State:
    """The incumbent."""

    value: float
    choice: Ints | None = None

    def offer(self, choice: Ints, cost: float) -> None:
        if cost < self.value:
            self.value, self.choice = cost, choice.copy()


def _cost(choice: Ints, slots: Ints, lengths: NDArray[np.float64], own: NDArray[np.float64]) -> float:
    rows = slots[choice]
    return float(2 * np.triu(lengths[np.ix_(rows, rows)], 1).sum() + own[choice].sum())
