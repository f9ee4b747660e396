"""The method ``viterbi-pruned``: Viterbi over the labels that bounds on transitions cannot rule out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless import BatchResult, Result
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import Solve, Stats
from gapless_chains import k_best, viterbi
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import Found, decode_many
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_chains.proved import proved
from gapless_chains.pruning import by_bounds, leaving_bounds
from gapless_kernels import viterbi_pruned_batch


def run(problem: ChainProblem, solve: Solve) -> Result[IntArray]:
    """Decode one chain.

    Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, section 4.3,
    eq. 14: a label is dropped when the worst transition from another one beats its best. The messages of dropped
    labels stay exact, so the certificate is Viterbi's. A label with a forbidden transition drops no other. Chains
    whose transitions vary are decoded without pruning.

    Limits never stop it: it has no bound before it has the answer.
    """
    if solve.k > 1:
        return k_best.run(problem, solve, by_bounds)
    if problem.transition.ndim == 3:
        return viterbi.run(problem, solve)
    labels, score, survivors = _decode(problem)
    solve.budget.emit("stop", score, score)
    return _result(problem, labels, score, solve, {"survivors": survivors}, solve.budget.elapsed)


def run_many(problems: Sequence[ChainProblem], solve: Solve) -> BatchResult[IntArray]:
    """Decode many chains in the type of their scores; near-ties of float32 are decoded again in float64.

    The batch's array ``survivors`` counts the labels of each sentence that were not ruled out.
    """
    if solve.k > 1:
        return k_best.run_many(problems, solve, by_bounds)

    def make(
        problem: ChainProblem, labels: IntArray, value: float, bound: float, counts: Mapping[str, Any]
    ) -> Result[IntArray]:
        return _result(problem, labels, value, solve, counts)

    def again(problem: ChainProblem) -> tuple[IntArray, float, float]:
        labels, score, _ = _decode(problem)
        return labels, score, score

    def alone(problem: ChainProblem) -> Result[IntArray]:
        return viterbi.run(problem, Solve(method=solve.method))

    return decode_many(problems, solve, decode_batch, again, make, alone)


def decode_batch(batch: ChainBatch) -> Found:
    """Best labels and values of a batch, with the array ``survivors``."""
    model = batch.model
    return _found(batch.unary, batch.offsets, model.transition, model.initial, model.final)


def _found(
    unary: NDArray[Any],
    offsets: IntArray,
    transition: FloatArray,
    initial: FloatArray | None,
    final: FloatArray | None,
) -> Found:
    lower, upper = leaving_bounds(transition)
    count = offsets.size - 1
    labels, values = np.empty(len(unary), np.int64), np.empty(count)
    status, survivors = np.empty(count, np.uint8), np.empty(count, np.int64)
    viterbi_pruned_batch(
        unary, offsets, transition, initial, final, lower, upper, labels, values, status, survivors
    )
    return Found(labels, values, values.copy(), status, {"survivors": survivors})


def _decode(problem: ChainProblem) -> tuple[IntArray, float, int]:
    """Labels, their score in float64, and the number of survivors."""
    offsets = np.array([0, problem.positions])
    found = _found(problem.unary, offsets, problem.transition, problem.initial, problem.final)
    return found.labels, float(found.values[0]), int(found.arrays["survivors"][0])


def _result(
    problem: ChainProblem,
    labels: IntArray,
    score: float,
    solve: Solve,
    counts: Mapping[str, Any],
    seconds: float = 0.0,
) -> Result[IntArray]:
    certificate = DominanceCertificate.everything(problem)
    stats = Stats(seconds=seconds, oracle_calls=1, columns=counts["survivors"], extra=dict(counts))
    return proved(problem, labels, score, certificate, solve, stats, trace=solve.budget.events)
