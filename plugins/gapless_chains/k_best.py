"""The k best labellings of chains, from one forward pass that may be pruned as for one labelling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless import BatchResult, InvalidProblem, Result
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import SolveRequest, Stats
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import KBestLabellings, KernelAnswers, decode_many, proved, token_offsets
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_chains.pruning import Pruning, by_dominance
from gapless_kernels import INVALID, k_best_batch


def k_best_of_batch(
    batch: ChainBatch, k: int, pruning: Pruning = by_dominance, *, thresholds: FloatArray | None = None
) -> KBestLabellings:
    """Find the k best labellings of every sentence, in float64.

    Source: V. Jimenez and A. Marzal, Computing the k shortest paths: a new algorithm and an experimental
    comparison, Workshop on Algorithm Engineering, 1999.

    Parameters
    ----------
    batch : ChainBatch
    k : int
        At least 1.
    pruning : callable
        Pruning of the forward pass; the lists are the same. See `gapless_chains.pruning`.
    thresholds : float64 (S,), optional
        Labellings that score less are left out, and no time is spent on them.

    Raises
    ------
    InvalidProblem
        A score is NaN or plus infinity (the message names sentence and place), or `k` is no integer of at least 1.
    """
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        raise InvalidProblem(f"k is {k!r}, expected an integer of at least 1")
    labellings, status = _decode(batch, k, pruning, thresholds)
    for invalid in np.flatnonzero(status == INVALID):
        batch[int(invalid)]  # raises, with the place
    return labellings


def _decode(
    batch: ChainBatch, k: int, pruning: Pruning, thresholds: FloatArray | None = None
) -> tuple[KBestLabellings, NDArray[np.uint8]]:
    """As `k_best_of_batch`, but also returns the status (S,) of each sentence instead of raising."""
    labellings = KBestLabellings.none(k, batch.offsets)
    all_status = np.empty(len(batch), np.uint8)
    prune = pruning(batch.model.transition, batch.tokens)
    for start, chunk in batch.chunks():
        stop = start + len(chunk)
        columns = slice(batch.offsets[start], batch.offsets[stop])
        k_best_batch(
            chunk.unary,
            chunk.offsets,
            batch.model.transition,
            batch.model.initial,
            batch.model.final,
            labellings.labels[:, columns],
            labellings.values[start:stop],
            labellings.counts[start:stop],
            all_status[start:stop],
            thresholds=None if thresholds is None else thresholds[start:stop],
            **prune,
        )
    return labellings, all_status


def k_best_of(
    local: FloatArray, transition: FloatArray, k: int, prune: Mapping[str, FloatArray]
) -> tuple[IntArray, FloatArray]:
    """Find the k best labellings of one chain, and their values.

    Returns int64 (count, n) and float64 (count,): best first; fewer than k only where there are no more.

    Parameters
    ----------
    local : float64 (n, K)
        Label scores, those of starting and ending included.
    transition : float64 (K, K) or (n-1, K, K)
    prune : mapping
        From a `Pruning` of the transitions.
    """
    n, width = local.shape
    k = _at_most(n, width, k)
    labels, values = np.empty((k, n), np.int64), np.empty((1, k))
    counts, status = np.empty(1, np.int64), np.empty(1, np.uint8)
    k_best_batch(local, np.array([0, n]), transition, None, None, labels, values, counts, status, **prune)
    return labels[: counts[0]], values[0, : counts[0]]


def _at_most(positions: int, labels: int, k: int) -> int:
    """Return `k`, or the number of labellings if that is smaller."""
    # Compare logarithms first: the number of labellings can have thousands of digits.
    return k if positions * math.log(labels) > math.log(k) else min(k, labels**positions)


def run(problem: ChainProblem, request: SolveRequest, pruning: Pruning) -> Result[IntArray]:
    """Find the ``solve.k`` best labellings of one chain.

    The certificate bounds the best; that nothing between two neighbours of the list is missing rests on the
    algorithm, as no compact dual shows it.
    """
    labels, values = k_best_of(
        problem.local, problem.transition, request.k, pruning(problem.transition, problem.positions)
    )
    best = float(values[0]) if values.size else -math.inf
    request.budget.emit("stop", best, best)
    certificate = DominanceCertificate.everything(problem)
    stats = Stats(request.budget.elapsed, oracle_calls=1)
    return proved(problem, list(labels), best, certificate, request, stats, trace=request.budget.events)


def run_many(problems: Sequence[ChainProblem], request: SolveRequest, pruning: Pruning) -> BatchResult[IntArray]:
    """Find the ``solve.k`` best labellings of many chains; those of one model go through the kernel together.

    The arrays of the result are ``labels`` and ``offsets``, of the best labellings; ``k_best_labels`` (N, k), -1
    where a sentence has fewer; ``k_best_values`` (S, k), minus infinity there; and ``k_best_counts`` (S,).
    """
    offsets = token_offsets(problems)
    if isinstance(problems, ChainBatch):
        widths = [problems.model.label_count] * len(problems)
    else:
        widths = [problem.label_count for problem in problems]
    # One k for the arrays of all sentences: the largest number of labellings that any of them can have.
    sizes = set(zip(np.diff(offsets).tolist(), widths, strict=True))
    k = max((_at_most(n, width, request.k) for n, width in sizes), default=1)

    def kernel(batch: ChainBatch) -> KernelAnswers:
        labellings, status = _decode(batch, k, pruning)
        return KernelAnswers(
            labellings.labels[0], labellings.values[:, 0], labellings.values[:, 0], status, k_best=labellings
        )

    def make(
        problem: ChainProblem, labels: IntArray, value: float, bound: float, counts: Mapping[str, Any]
    ) -> Result[IntArray]:
        certificate = DominanceCertificate.everything(problem)
        return proved(problem, counts["labellings"], bound, certificate, request, Stats(oracle_calls=1))

    return decode_many(
        problems,
        request,
        kernel,
        make,
        lambda problem: run(problem, request, pruning),
        several=KBestLabellings.none(k, offsets),
    )
