"""The method ``dominance``: Viterbi's messages, computed from the few labels that no other label dominates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless import BatchResult, Result
from gapless.core.sparse import IntArray
from gapless.roles import Solve, Stats
from gapless_chains import k_best, viterbi
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import Found, decode_many
from gapless_chains.dominance_cache import dominance_cache
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_chains.proved import proved
from gapless_chains.pruning import by_dominance
from gapless_kernels import DominanceTables, dominance, dominance_batch


def run(problem: ChainProblem, solve: Solve) -> Result[IntArray]:
    """Decode one chain in a single pass.

    Where ``m(x) + max_r [t(x, r) - t(y, r)] <= m(y)``, nobody who comes through the label x does better than by
    coming through y, whatever follows; the maxima over r do not depend on the sentence and are tabulated once. What
    survives are one to four labels a token on the scores of trained models, and the messages computed from them
    alone are those of Viterbi. Limits never stop it: it has no bound before it has the answer.

    Transitions that vary along the chain, and the first tokens of a model whose table would not pay yet, are
    decoded by `viterbi`.
    """
    if solve.k > 1:
        return k_best.run(problem, solve, by_dominance)
    tables = None
    if problem.transition.ndim == 2:
        tables = dominance_cache(problem.transition).worth_it(problem.positions)
    if tables is None:
        return viterbi.run(problem, solve)
    labels, score, certificate = _decode(problem, tables)
    solve.budget.emit("stop", score, score)
    stats = Stats(solve.budget.elapsed, oracle_calls=1, columns=len(certificate.labels))
    return proved(problem, labels, score, certificate, solve, stats, trace=solve.budget.events)


def run_many(problems: Sequence[ChainProblem], solve: Solve) -> BatchResult[IntArray]:
    """Decode many chains; what `ChainBatch` holds in float32 is searched in float32 and proved in float64.

    A sentence on which float32 cannot tell two labels apart is decoded again in float64, so that values are those
    of `run`. The array ``survivors`` of the result counts the labels that were looked at.
    """
    if solve.k > 1:
        return k_best.run_many(problems, solve, by_dominance)

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
        return proved(problem, labels, bound, certificate, solve, stats)

    return decode_many(problems, solve, decode_batch, again, make, lambda problem: viterbi.run(problem, solve))


def _certificate(problem: ChainProblem) -> DominanceCertificate:
    return _decode(problem, dominance_cache(problem.transition).build())[2]


def decode_batch(batch: ChainBatch) -> Found:
    """Best labels and values of a batch, with the array ``survivors`` if there are tables."""
    model = batch.model
    tables = dominance_cache(model.transition).worth_it(batch.tokens, batch.unary.dtype)
    if tables is None:
        return viterbi.decode_batch(batch)
    labels, values = np.empty(batch.tokens, np.int64), np.empty(len(batch))
    status, survivors = np.empty(len(batch), np.uint8), np.empty(len(batch), np.int64)
    dominance_batch(
        batch.unary, batch.offsets, tables, model.initial, model.final, labels, values, status, survivors
    )
    return Found(labels, values, values.copy(), status, {"survivors": survivors})


def _search(problem: ChainProblem, tables: DominanceTables) -> tuple[IntArray, float, NDArray[np.bool_], IntArray]:
    """Labels and score in float64, which labels were kept (n, K), and what dominated the others (n,)."""
    labels, dominators = np.empty(problem.positions, np.int64), np.empty(problem.positions, np.int64)
    kept = np.empty(problem.unary.shape, bool)
    score = dominance(problem.unary, tables, problem.initial, problem.final, labels, kept, dominators)
    return labels, score, kept, dominators


def _decode(problem: ChainProblem, tables: DominanceTables) -> tuple[IntArray, float, DominanceCertificate]:
    """Labels, score and certificate, all in float64."""
    labels, score, kept, dominators = _search(problem, tables)
    kept_positions, kept_labels = kept.nonzero()
    return labels, score, DominanceCertificate(kept_positions, kept_labels, dominators)
