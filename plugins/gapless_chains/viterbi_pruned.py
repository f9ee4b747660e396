"""The method ``viterbi-pruned``: Viterbi over the labels that bounds on transitions cannot rule out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless import BatchResult, Result
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import SolveRequest
from gapless_chains import k_best, viterbi
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import KernelAnswers, decode_many
from gapless_chains.problem import ChainProblem
from gapless_chains.pruning import by_bounds, leaving_bounds
from gapless_kernels import viterbi_pruned_batch


def run(problem: ChainProblem, request: SolveRequest) -> Result[IntArray]:
    """Decode one chain.

    Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, section 4.3,
    eq. 14: a label is dropped when the worst transition from another one beats its best. The messages of dropped
    labels stay exact, so the certificate is Viterbi's. A label with a forbidden transition drops no other. Chains
    whose transitions vary are decoded without pruning.

    Limits never stop it: it has no bound before it has the answer.
    """
    if request.k > 1:
        return k_best.run(problem, request, by_bounds)
    if problem.transition.ndim == 3:
        return viterbi.run(problem, request)
    labels, score, survivors = _decode(problem)
    request.budget.emit("stop", score, score)
    counts = {"survivors": survivors}
    return viterbi.result_of(problem, labels, score, score, counts, request=request, seconds=request.budget.elapsed)


def run_many(problems: Sequence[ChainProblem], request: SolveRequest) -> BatchResult[IntArray]:
    """Decode many chains in the type of their scores; near-ties of float32 are decoded again in float64.

    The batch's array ``survivors`` counts the labels of each sentence that were not ruled out.
    """
    if request.k > 1:
        return k_best.run_many(problems, request, by_bounds)

    def again(problem: ChainProblem) -> tuple[IntArray, float, float]:
        labels, score, _ = _decode(problem)
        return labels, score, score

    def alone(problem: ChainProblem) -> Result[IntArray]:
        return viterbi.run(problem, SolveRequest(method=request.method))

    make = partial(viterbi.result_of, request=request)
    return decode_many(problems, request, decode_batch, make, alone, again=again)


def decode_batch(batch: ChainBatch) -> KernelAnswers:
    """Decode a batch; the result has the array ``survivors``."""
    model = batch.model
    return _found(batch.unary, batch.offsets, model.transition, model.initial, model.final)


def _found(
    unary: NDArray[Any],
    offsets: IntArray,
    transition: FloatArray,
    initial: FloatArray | None,
    final: FloatArray | None,
) -> KernelAnswers:
    lower, upper = leaving_bounds(transition)
    count = offsets.size - 1
    labels, values = np.empty(len(unary), np.int64), np.empty(count)
    status, survivors = np.empty(count, np.uint8), np.empty(count, np.int64)
    viterbi_pruned_batch(
        unary, offsets, transition, initial, final, lower, upper, labels, values, status, survivors
    )
    return KernelAnswers(labels, values, values.copy(), status, {"survivors": survivors})


def _decode(problem: ChainProblem) -> tuple[IntArray, float, int]:
    """Decode one chain; return labels, score in float64, and the number of survivors."""
    offsets = np.array([0, problem.positions])
    answers = _found(problem.unary, offsets, problem.transition, problem.initial, problem.final)
    return answers.labels, float(answers.values[0]), int(answers.arrays["survivors"][0])
