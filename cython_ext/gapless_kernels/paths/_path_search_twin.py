"""NumPy twin of the compiled path search: same signature, same values and proofs.

Both are exact; values agree up to the rounding of sums. Multipliers, counts, and the choice among equal paths may
differ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gapless_kernels._arguments import owned
from gapless_kernels.paths._path_arguments import OpenWalks, PathSearchResult, Pulse, check_paths, improper

__all__ = ["forbid_within_classes", "path_search", "score_extent"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STEPS = 60
Label = tuple[float, tuple[int, ...]]


def score_extent(scores: Floats) -> float:
    """Find the largest finite magnitude of float64 numbers (n,) or (m, n); infinity if one is NaN or ``+inf``."""
    if not (scores < np.inf).all():
        return np.inf
    return float(np.abs(scores[scores > -np.inf]).max(initial=0.0))


def forbid_within_classes(ordering: Floats, classes: Ints) -> None:
    """Write ``-inf`` where row and column are of one class, the diagonal included.

    Parameters
    ----------
    ordering : float64 (n, n)
        Contiguous; changed in place.
    classes : int64 (n,)
        In 0..n-1.

    Raises
    ------
    ValueError
        Other shapes, or a class out of its range; nothing was changed.
    """
    n = len(ordering)
    if ordering.shape != (n, n) or classes.shape != (n,) or (n and not 0 <= classes.min() <= classes.max() < n):
        raise ValueError(
            f"ordering {ordering.shape} must be square, classes {classes.shape} a number below {n} each"
        )
    ordering[classes[:, None] == classes] = -np.inf


def path_search(
    start: Floats,
    ordering: Floats,
    end: Floats,
    classes: NDArray[np.integer],
    length: int,
    *,
    wanted: int = 1,
    begin: NDArray[np.integer] | None = None,
    pulse: Pulse | None = None,
    rounds: int = 8,
    memory_limit: float = 2.0**31,
) -> PathSearchResult:
    """Find the best paths ``start[v_1] + sum_i ordering[v_i, v_(i+1)] + end[v_k]`` that visit no class twice.

    Multipliers of the classes bound walks, and rule out vertices that no better path visits. Label setting then
    extends partial paths vertex by vertex; of those with the same last vertex and classes only the best go on.

    Parameters
    ----------
    start, end : (n,) array of float64
    ordering : (n, n) array of float64
        From the row's to the column's vertex. ``-inf`` forbids.
    classes : (n,) array of integers
        Numbered from 0.
    length : int
        Vertices on the path, k.
    wanted : int
        Number of paths.
    begin : (m, k) array of integers, optional
        Known paths; they must be feasible.
    pulse : callable, optional
        ``pulse(bound, value, steps, labels)`` is called every few milliseconds; True ends the search.
    rounds : int
        Effort: each round makes more steps and a wider search. 8 rounds end with a proof, unless a layer of labels
        exceeds `memory_limit`. With fewer than 8, the NumPy twin only bounds walks.
    memory_limit : float
        Bytes for labels.

    Returns
    -------
    PathSearchResult

    Raises
    ------
    ValueError
        Wrong shapes; a score that is NaN or plus infinity. The message names the place.
    MemoryError
    """
    start, ordering, end = owned(start, ordering, end)
    first, edges, last, groups, count, initial = check_paths(start, ordering, end, classes, length, wanted, begin)
    if not all((array < np.inf).all() for array in (first, edges, last)):
        raise improper(first, edges, last)
    walks = _Walks(first, edges, last, groups.astype(np.int64), count, length)
    paths = {tuple(map(int, path)): walks.score(path) for path in initial}
    paths = {path: value for path, value in paths.items() if value > -np.inf}
    bound, prices, steps = np.inf, np.zeros(count), 0
    best = prices
    proved = stopped = False
    for step in range(STEPS):
        prefix, suffix = walks.tables(prices)
        walk_bound, walk = walks.best(prices, suffix)
        steps += 1
        if walk_bound < bound:
            bound, best = walk_bound, prices
        visits = np.bincount(walks.groups[walk], minlength=count) if walk is not None else np.zeros(count)
        if walk is not None and visits.max() == 1:
            paths[tuple(walk.tolist())] = walks.score(walk)
        paths = _best_of(paths, wanted)
        value = _level(paths, wanted)
        if pulse is not None and pulse(bound, max(paths.values(), default=-np.inf), steps, 0):
            stopped = True
            break
        if walk_bound <= value:
            proved = True
            break
        excess = np.where((visits > 1) | (prices > 0), visits - 1, 0)
        target = value if value > -np.inf else walk_bound - 0.05 * abs(walk_bound) - 1e-3
        if not excess.any():
            break
        prices = np.maximum(0.0, prices + 0.9**step * (walk_bound - target) / (excess @ excess) * excess)
    labels = 0
    prefix, suffix = walks.tables(best)
    if not proved and not stopped and rounds >= 8:
        further, labels = walks.paths(best, suffix, _level(paths, wanted), wanted)
        paths, proved = _best_of({**paths, **further}, wanted), True
    ranked = sorted(paths, key=lambda path: (-paths[path], path))
    top = paths[ranked[0]] if ranked else -np.inf
    return PathSearchResult(
        np.array(ranked, np.int64).reshape(-1, length),
        np.array([paths[path] for path in ranked]),
        top if proved else max(bound, top),
        proved,
        ((np.flatnonzero(best), best[best > 0]),),
        None,
        None if proved else OpenWalks(np.arange(len(first)), best, prefix, suffix),
        steps,
        labels,
        1,
        len(first),
    )


def _best_of(paths: dict[tuple[int, ...], float], wanted: int) -> dict[tuple[int, ...], float]:
    return dict(sorted(paths.items(), key=lambda item: (-item[1], item[0]))[:wanted])


def _level(paths: dict[tuple[int, ...], float], wanted: int) -> float:
    return min(paths.values()) if len(paths) == wanted else -np.inf


class _Walks:
    """Walks whose scores are penalised by a multiplier for each visit of a class."""

    def __init__(self, start: Floats, ordering: Floats, end: Floats, groups: Ints, count: int, length: int) -> None:
        self.start, self.ordering, self.end = start, ordering, end
        self.groups, self.count, self.length = groups, count, length

    def score(self, path: NDArray[np.integer]) -> float:
        inner = self.ordering[path[:-1], path[1:]].sum()
        return float(self.start[path[0]] + inner + self.end[path[-1]])

    def tables(self, prices: Floats) -> tuple[Floats, Floats]:
        """Compute best penalised scores before and after each vertex at each position, without its own penalty."""
        n, k, penalty = len(self.start), self.length, prices[self.groups]
        prefix, suffix = np.empty((k, n)), np.empty((k, n))
        prefix[0], suffix[-1] = self.start, self.end
        for position in range(1, k):
            prefix[position] = ((prefix[position - 1] - penalty)[:, None] + self.ordering).max(axis=0)
            suffix[-1 - position] = (self.ordering + (suffix[-position] - penalty)[None, :]).max(axis=1)
        return prefix, suffix

    def best(self, prices: Floats, suffix: Floats) -> tuple[float, Ints | None]:
        """Find the best walk under these multipliers, and its bound."""
        penalty = prices[self.groups]
        walk, edges, bound = [], self.start, -np.inf
        for position in range(self.length):
            scores = edges + (suffix[position] - penalty)
            vertex = int(scores.argmax())
            if scores[vertex] == -np.inf:
                return -np.inf, None
            bound = float(scores[vertex]) if position == 0 else bound
            walk.append(vertex)
            edges = self.ordering[vertex]
        return bound + float(prices.sum()), np.array(walk)

    def paths(
        self, prices: Floats, suffix: Floats, level: float, wanted: int
    ) -> tuple[dict[tuple[int, ...], float], int]:
        """Find all paths better than `level`, except those that `wanted` others with their classes and end beat."""
        penalty, total, created = prices[self.groups], float(prices.sum()), 0
        layer: dict[tuple[int, frozenset[int]], list[Label]] = {(-1, frozenset()): [(0.0, ())]}
        for position in range(self.length):
            extended: dict[tuple[int, frozenset[int]], list[Label]] = {}
            for (u, visited), labels in layer.items():
                edges = self.start if u < 0 else self.ordering[u]
                for value, path in labels:
                    # The rounding of sums must not cut off what ties with the best.
                    slack = 1e-12 * (1.0 + abs(value) + total)
                    reach = value + edges - penalty + suffix[position] + total
                    for v in np.flatnonzero(reach > level - slack).tolist():
                        group = int(self.groups[v])
                        if group in visited or edges[v] == -np.inf:
                            continue
                        best_labels = extended.setdefault((v, visited | {group}), [])
                        best_labels.append((value + float(edges[v] - penalty[v]), (*path, v)))
                        best_labels.sort(key=lambda label: (-label[0], label[1]))
                        del best_labels[wanted:]
                        created += 1
            layer = extended
        ends = [path for labels in layer.values() for _, path in labels]
        scored = {path: self.score(np.array(path)) for path in ends}
        return {path: value for path, value in scored.items() if value > -np.inf}, created
