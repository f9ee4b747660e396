"""The k best labellings of chains, from one forward pass that may be pruned as for one labelling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral

import attrs
import numpy as np

from gapless import InvalidProblem, Result, Solve, Stats, Stop
from gapless.core.sparse import FloatArray, IntArray
from gapless_chains.batch import ChainBatch
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_chains.pruning import Pruning, by_dominance
from gapless_kernels import INVALID, k_best_batch


@attrs.frozen(eq=False)
class KBest:
    """The best labellings of each sentence of a batch, best first.

    Parameters
    ----------
    labels : int64 (k, N)
        Row j holds each sentence's labelling of rank j; -1 where it has fewer.
    values : float64 (S, k)
        Their values; minus infinity where there is none.
    counts : int64 (S,)
        How many labellings each sentence has here: fewer than k only where there are no more.
    offsets : int64 (S+1,)
        Sentence s holds the columns ``offsets[s]`` to ``offsets[s + 1] - 1`` of `labels`.
    """

    labels: IntArray
    values: FloatArray
    counts: IntArray
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.counts)

    def of(self, sentence: int) -> list[IntArray]:
        """The labellings of one sentence, best first."""
        here = slice(self.offsets[sentence], self.offsets[sentence + 1])
        return [self.labels[rank, here] for rank in range(self.counts[sentence])]


def k_best_of_batch(
    batch: ChainBatch, k: int, pruning: Pruning = by_dominance, *, thresholds: FloatArray | None = None
) -> KBest:
    """The k best labellings of every sentence, in float64.

    Source: V. Jimenez and A. Marzal, Computing the k shortest paths: a new algorithm and an experimental
    comparison, Workshop on Algorithm Engineering, 1999.

    Parameters
    ----------
    batch : ChainBatch
    k : int
        At least 1.
    pruning : callable
        How the forward pass is pruned; the lists are the same. See `gapless_chains.pruning`.
    thresholds : float64 (S,), optional
        Labellings worth less than this are left out, and no time is spent on finding them.

    Raises
    ------
    InvalidProblem
        A score is NaN or plus infinity (the message names sentence and place), or `k` is no integer of at least 1.
    """
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        raise InvalidProblem(f"k is {k!r}, expected an integer of at least 1")
    labels = np.empty((k, batch.tokens), np.int64)
    values, counts = np.empty((len(batch), k)), np.empty(len(batch), np.int64)
    prune = pruning(batch.model.transition, batch.tokens)
    for start, chunk in batch.chunks():
        stop = start + len(chunk)
        here = slice(batch.offsets[start], batch.offsets[stop])
        status = np.empty(len(chunk), np.uint8)
        k_best_batch(
            chunk.unary,
            chunk.offsets,
            batch.model.transition,
            batch.model.initial,
            batch.model.final,
            labels[:, here],
            values[start:stop],
            counts[start:stop],
            status,
            thresholds=None if thresholds is None else thresholds[start:stop],
            **prune,
        )
        for invalid in np.flatnonzero(status == INVALID):
            batch[start + int(invalid)]  # raises, with the place
    return KBest(labels, values, counts, batch.offsets)


def k_best_of(
    local: FloatArray, transition: FloatArray, k: int, prune: Mapping[str, FloatArray]
) -> tuple[IntArray, FloatArray]:
    """The k best labellings of one chain, and their values.

    Parameters
    ----------
    local : float64 (n, K)
        Label scores, those of starting and ending included.
    transition : float64 (K, K) or (n-1, K, K)
    k : int
    prune : mapping
        What a `Pruning` makes of the transitions.

    Returns
    -------
    int64 (count, n) and float64 (count,)
        Best first; fewer than k only where there are no more.
    """
    n, width = local.shape
    k = k if n * math.log(width) > math.log(k) else min(k, width**n)
    labels, values = np.empty((k, n), np.int64), np.empty((1, k))
    counts, status = np.empty(1, np.int64), np.empty(1, np.uint8)
    k_best_batch(local, np.array([0, n]), transition, None, None, labels, values, counts, status, **prune)
    return labels[: counts[0]], values[0, : counts[0]]


def run(problem: ChainProblem, solve: Solve, pruning: Pruning) -> Result[IntArray]:
    """Find the ``solve.k`` best labellings of one chain.

    The certificate bounds the best; that nothing between two neighbours of the list is missing rests on the
    algorithm, as no compact dual shows it.
    """
    labels, values = k_best_of(
        problem.local, problem.transition, solve.k, pruning(problem.transition, problem.positions)
    )
    best = float(values[0]) if values.size else -math.inf
    solve.budget.emit("stop", best, best)
    return Result.of(
        problem,
        list(labels),
        best,
        Stop.PROVED,
        certificate=DominanceCertificate.everything(problem),
        method=solve.method,
        stats=Stats(seconds=solve.budget.elapsed, oracle_calls=1),
        trace=solve.budget.events,
        explanation=() if values.size else problem.infeasibility(),
    )
