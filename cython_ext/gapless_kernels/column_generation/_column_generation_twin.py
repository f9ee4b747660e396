"""NumPy twin of the compiled column generation: same signatures, same values, plain loops over edges.

Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, eqs 7, 11 and 12,
sections 4 and 5.

The twin prices all pairs of all edges in every round. Its answers and bounds are those of the compiled kernel, its
counts (rounds, domain sizes, candidates) need not be: which of several labels with equal prices enter, and when
dense Viterbi takes over, is left to each.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._status import DECIDED, INFEASIBLE, INVALID
from gapless_kernels.chains._transition_tables import TransitionTables
from gapless_kernels.column_generation._arguments import check_column_generation

__all__ = ["column_generation_batch"]

_ROUNDS = 64
_ROUNDINGS = 64.0
_TIE = 1e-30  # less than any difference that counts
Scores = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Paths = list[tuple[float, tuple[int, ...]]]


def column_generation_batch(
    unary: npt.NDArray[Any],
    offsets: Labels,
    tables: TransitionTables,
    labels: Labels,
    values: Scores,
    bounds: Scores,
    status: npt.NDArray[np.uint8],
    rounds: Labels,
    domain_sizes: Labels,
    candidates: Labels,
    *,
    initial: Scores | None = None,
    final: Scores | None = None,
    start: int = 0,
    gap: float = 0.0,
    margin: float = -1.0,
    second_values: Scores | None = None,
    second_labels: Labels | None = None,
    effort: float = 0.25,
) -> None:
    """Decode many chains by column generation.

    The search runs in the type of `unary`; the final solution and the proof are in float64. A sentence whose scores
    are so flat that the search would cost more than dense Viterbi is decoded by dense Viterbi, in float64.

    Parameters
    ----------
    unary : (N, K) array of float32 or float64
        Label scores of all sentences, one below the other; finite or ``-inf``.
    offsets : (S+1,) array of int64
        Sentence ``s`` is made of the rows ``offsets[s]`` to ``offsets[s+1] - 1``; rises strictly from 0 to N.
    tables : TransitionTables
        See `transition_tables`; made for the type of `unary`.
    labels : (N,) array of int64
        Overwritten with the paths; -1 where there is none.
    values : (S,) array of float64
        Overwritten with the paths' scores, summed in float64 from the left: ``local + (sum so far + transition)``,
        with ``local = unary + initial + final``.
    bounds : (S,) array of float64
        Overwritten: no path scores more. Equal to the value unless a gap was enough.
    status : (S,) array of uint8
        Overwritten with DECIDED, INFEASIBLE (value ``-inf``) or INVALID (a label score is NaN or ``+inf``; value
        NaN).
    rounds, domain_sizes, candidates : (S,) arrays of int64
        Overwritten with the rounds of pricing, the labels in all domains at the end (all labels after dense
        Viterbi) and the label pairs whose reduced cost was looked at.
    initial, final : (K,) arrays of float64, optional
        Scores of the first and of the last label.
    start : int
        First path: 0 greedy from the left, 1 each position's best label.
    gap : float
        A bound within ``gap * max(1, |value|)`` of the value is enough.
    margin : float
        If not negative, labels of reduced cost above ``-margin`` are kept and the best path but one is found:
        exact if it scores at least ``value - margin``, else there is none within the margin.
    second_values, second_labels : (S,) array of float64 and (N,) array of int64
        Overwritten if a margin is given: the best path but one; ``-inf`` and -1 if none is within the margin.
    effort : float
        Limit on the label rows that pricing reads, as a share of those that dense Viterbi reads; beyond it, dense
        Viterbi takes over.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape or range, or an output is read-only.
    """
    outputs: list[Any] = [labels, values, bounds, status, rounds, domain_sizes, candidates]
    if margin >= 0:
        outputs += [second_values, second_labels]
    sentences = check_column_generation(unary, offsets, tables, outputs, initial, final, start, gap, effort)
    for s in range(sentences):
        here = slice(int(offsets[s]), int(offsets[s + 1]))
        rows = unary[here]
        if not (rows < np.inf).all():
            labels[here], values[s], bounds[s], status[s] = -1, np.nan, np.nan, INVALID
            rounds[s] = domain_sizes[s] = candidates[s] = 0
            if second_values is not None and second_labels is not None and margin >= 0:
                second_values[s], second_labels[here] = -np.inf, -1
            continue
        local = rows.astype(np.float64)
        local[0] += 0.0 if initial is None else initial
        local[-1] += 0.0 if final is None else final
        # Never 0 where a second path is asked for: of scores that are all 0 nothing is rounded, and ties count too.
        search = _ChainSearch(local, tables, start == 0, margin + _TIE if margin >= 0 else 0.0)
        paths, bounds[s], rounds[s], domain_sizes[s], candidates[s] = search.run(gap, 2 if margin >= 0 else 1)
        values[s] = paths[0][0] if paths else -np.inf
        labels[here] = paths[0][1] if paths else -1
        status[s] = DECIDED if paths else INFEASIBLE
        if second_values is not None and second_labels is not None and margin >= 0:
            within = len(paths) > 1 and paths[1][0] >= values[s] - margin
            second_values[s] = paths[1][0] if within else -np.inf
            second_labels[here] = paths[1][1] if within else -1


class _ChainSearch:
    """The rounds of one sentence; reduced costs are doubled, as in eq. 12."""

    def __init__(self, local: Scores, tables: TransitionTables, greedy: bool, margin: float) -> None:
        self.local, self.tables, self.margin = local, tables, margin
        self.n, self.k = local.shape
        self.pairs = tables.forward[:, : self.k].astype(np.float64)
        self.p = local.copy()
        self.p[:-1] += tables.leaving
        self.p[1:] += tables.entering
        self.path = self._first(greedy)
        self.domains = np.zeros(local.shape, bool)
        self.domains[np.arange(self.n), self.path] = True

    def run(self, gap: float, count: int) -> tuple[Paths, float, int, int, int]:
        """Return best paths, bound, rounds, labels in the domains, and pairs priced."""
        everything = np.ones_like(self.domains)
        for rounds in range(1, _ROUNDS + 1):
            through = self.p[np.arange(self.n), self.path]
            if not np.isfinite(through).all():
                break
            missing, slack, error = self._price()
            looked = rounds * (self.n - 1) * self.k**2
            optimal = not missing.any()
            if optimal or gap > 0:
                lowered = self.tables.lowered
                if lowered is not None and lowered[self.path[:-1], self.path[1:]].any():
                    break
                paths = self._best_paths(self.domains, count if optimal else 1)
                bound = paths[0][0] if optimal else paths[0][0] + 0.5 * slack + error
                if optimal or bound - paths[0][0] <= gap * max(1.0, abs(paths[0][0])):
                    return paths, bound, rounds, int(self.domains.sum()), looked
            self.domains |= missing
        paths = self._best_paths(everything, count)
        return paths, paths[0][0] if paths else -np.inf, rounds, everything.size, looked if rounds > 1 else 0

    def _first(self, greedy: bool) -> Labels:
        path: Labels = self.p.argmax(axis=1)
        for i in range(1, self.n if greedy else 0):
            path[i] = (self.p[i] + self.pairs[path[i - 1]]).argmax()
        return path

    def _price(self) -> tuple[npt.NDArray[np.bool_], float, float]:
        """Find missing labels, the sum of the largest positive reduced costs, and a bound on rounding errors."""
        p, n = self.p, self.n
        a, b = np.zeros_like(p), np.zeros_like(p)
        for i, domain in enumerate(self.domains[:-1]):
            offers = (a[i] + p[i])[domain]
            a[i + 1] = (offers[:, None] + self.pairs[domain]).max(axis=0) - offers.max()
        for i in range(n - 1, 0, -1):
            domain = self.domains[i]
            offers = (b[i] + p[i])[domain]
            b[i - 1] = (offers + self.pairs[:, domain]).max(axis=1) - offers.max()
        self._trace(a)
        plus, minus, through = p + a - b, p - a + b, p + a + b
        scale = max(np.abs(plus.max(axis=1)).max(), np.abs(p[np.arange(n), self.path]).max())
        unit = 2.0**-24 if self.tables.forward.dtype == np.float32 else 2.0**-53
        error = _ROUNDINGS * unit * (n + 2) * (scale + 8 * self.tables.largest)
        missing, slack = np.zeros_like(self.domains), 0.0
        for i in range(n - 1):
            costs = plus[i][:, None] + 2 * self.pairs + minus[i + 1]
            costs -= costs[self.path[i], self.path[i + 1]]
            costs[np.ix_(self.domains[i], self.domains[i + 1])] = -np.inf
            hits = costs > -error - 2 * self.margin
            missing[i] |= hits.any(axis=1)
            missing[i + 1] |= hits.any(axis=0)
            slack += max(0.0, float(costs.max()))
        for end in (0, -1):
            excess = np.where(self.domains[end], -np.inf, through[end] - through[end, self.path[end]])
            missing[end] |= excess > -error - 2 * self.margin
            slack += max(0.0, float(excess.max()))
        return missing & ~self.domains, slack, float(error)

    def _trace(self, a: Scores) -> None:
        scores = np.where(self.domains, a + self.p, -np.inf)
        self.path[-1] = scores[-1].argmax()
        for i in range(self.n - 2, -1, -1):
            self.path[i] = (scores[i] + self.pairs[:, self.path[i + 1]]).argmax()

    def _best_paths(self, domains: npt.NDArray[np.bool_], count: int) -> Paths:
        """Return up to `count` best paths inside the domains, best first."""
        exact = self.tables.transition
        ending: dict[int, Paths] = {x: [(float(self.local[0, x]), (x,))] for x in domains[0].nonzero()[0].tolist()}
        for i, (_, domain) in enumerate(pairwise(domains), start=1):
            ending = {
                y: _top(
                    (
                        (float(self.local[i, y]) + (score + float(exact[x, y])), (*path, y))
                        for x, paths in ending.items()
                        for score, path in paths
                    ),
                    count,
                )
                for y in domain.nonzero()[0].tolist()
            }
        return _top((entry for paths in ending.values() for entry in paths), count)


def _top(paths: Iterator[tuple[float, tuple[int, ...]]], count: int) -> Paths:
    allowed = [entry for entry in paths if entry[0] > -np.inf]
    return sorted(allowed, key=lambda entry: -entry[0])[:count]
