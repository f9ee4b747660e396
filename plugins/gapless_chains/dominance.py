"""The method ``dominance``: Viterbi's messages, computed from the few labels that no other label dominates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless import BatchResult, Result
from gapless.arrays.sparse import IntArray
from gapless.roles import SolveRequest, Stats
from gapless_chains import k_best, viterbi
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import KernelAnswers, decode_many, proved
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_chains.pruning import by_dominance, dominance_cache
from gapless_kernels import DominanceTables, dominance, dominance_batch


def run(problem: ChainProblem, request: SolveRequest) -> Result[IntArray]:
    """Decode one chain in a single pass.

    If ``m(x) + max_r [t(x, r) - t(y, r)] <= m(y)``, no path through the label x is better than the one through y,
    whatever follows; the maxima over r do not depend on the sentence and are tabulated once. On the scores of
    trained models one to four labels per token survive, and the messages computed from them alone are those of
    Viterbi. Limits never stop it: it has no bound before it has the answer.

    Transitions that vary along the chain, and the first tokens of a model whose table would not pay yet, are
    decoded by `viterbi`.
    """
    if request.k > 1:
        return k_best.run(problem, request, by_dominance)
    # A table takes K^3 operations per matrix: one for each edge would cost more than Viterbi's n K^2.
    tables = None
    if problem.transition.ndim == 2:
        tables = dominance_cache(problem.transition).worth_it(problem.positions)
    if tables is None:
        return viterbi.run(problem, request)
    labels, score, certificate = _decode(problem, tables)
    request.budget.emit("stop", score, score)
    stats = Stats(request.budget.elapsed, oracle_calls=1, columns=len(certificate.labels))
    return proved(problem, [labels], score, certificate, request, stats, trace=request.budget.events)


def run_many(problems: Sequence[ChainProblem], request: SolveRequest) -> BatchResult[IntArray]:
    """Decode many chains; what `ChainBatch` holds in float32 is searched in float32 and proved in float64.

    A sentence on which float32 cannot tell two labels apart is decoded again in float64, so that values are those
    of `run`. The array ``survivors`` of the result counts the labels that were looked at.
    """
    if request.k > 1:
        return k_best.run_many(problems, request, by_dominance)

    def again(problem: ChainProblem) -> tuple[IntArray, float, float]:
        tables = dominance_cache(problem.transition).worth_it(problem.positions)
        if tables is None:
            return viterbi.decode_again(problem)
        labels, score, *_ = _search(problem, tables)
        return labels, score, score

    def make(
        problem: ChainProblem, labels: IntArray, value: float, bound: float, counts: Mapping[str, Any]
    ) -> Result[IntArray]:
        certificate = _certificate(problem)
        stats = Stats(oracle_calls=1, columns=len(certificate.labels), extra=dict(counts))
        return proved(problem, [labels], bound, certificate, request, stats)

    alone = partial(viterbi.run, request=request)
    return decode_many(problems, request, decode_batch, make, alone, again=again)


def _certificate(problem: ChainProblem) -> DominanceCertificate:
    return _decode(problem, dominance_cache(problem.transition).build())[2]


def decode_batch(batch: ChainBatch) -> KernelAnswers:
    """Decode a batch; the result has the array ``survivors`` if dominance tables exist."""
    model = batch.model
    tables = dominance_cache(model.transition).worth_it(batch.tokens, batch.unary.dtype)
    if tables is None:
        return viterbi.decode_batch(batch)
    labels, values = np.empty(batch.tokens, np.int64), np.empty(len(batch))
    status, survivors = np.empty(len(batch), np.uint8), np.empty(len(batch), np.int64)
    dominance_batch(
        batch.unary, batch.offsets, tables, model.initial, model.final, labels, values, status, survivors
    )
    return KernelAnswers(labels, values, values.copy(), status, {"survivors": survivors})


def _search(problem: ChainProblem, tables: DominanceTables) -> tuple[IntArray, float, NDArray[np.bool_], IntArray]:
    """Return labels, score in float64, a mask of the labels kept (n, K), and the dominators (n,)."""
    labels, dominators = np.empty(problem.positions, np.int64), np.empty(problem.positions, np.int64)
    keep_mask = np.empty(problem.unary.shape, bool)
    score = dominance(problem.unary, tables, problem.initial, problem.final, labels, keep_mask, dominators)
    return labels, score, keep_mask, dominators


def _decode(problem: ChainProblem, tables: DominanceTables) -> tuple[IntArray, float, DominanceCertificate]:
    """Return labels, score and certificate, all in float64."""
    labels, score, keep_mask, dominators = _search(problem, tables)
    kept_positions, kept_labels = keep_mask.nonzero()
    return labels, score, DominanceCertificate(kept_positions, kept_labels, dominators)
