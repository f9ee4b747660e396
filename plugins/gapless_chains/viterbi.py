"""The method ``viterbi``: exact max-product dynamic programming over all labels, O(n K^2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gapless import BatchResult, Result
from gapless.arrays.sparse import IntArray
from gapless.roles import SolveRequest, Stats
from gapless_chains import k_best
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import KernelAnswers, decode_many, proved
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_chains.pruning import by_nothing
from gapless_kernels import viterbi, viterbi_batch


def run(problem: ChainProblem, request: SolveRequest) -> Result[IntArray]:
    """Decode one chain.

    Limits never stop it: it has no bound before it has the answer. The certificate says that no label was dropped.
    """
    if request.k > 1:
        return k_best.run(problem, request, by_nothing)
    labels = np.empty(problem.positions, np.int64)
    score = viterbi(problem.local, problem.transition, labels)
    request.budget.emit("stop", score, score)
    return result_of(problem, labels, score, score, {}, request=request, seconds=request.budget.elapsed)


def run_many(problems: Sequence[ChainProblem], request: SolveRequest) -> BatchResult[IntArray]:
    """Decode many chains; those that share one transition matrix go through the batch kernel together.

    Values are those of `run`: what float32 scores leave in doubt is decoded again in float64. Ctrl-C keeps what is
    finished.
    """
    if request.k > 1:
        return k_best.run_many(problems, request, by_nothing)

    make = partial(result_of, request=request)
    return decode_many(problems, request, decode_batch, make, partial(run, request=request), again=decode_again)


def decode_again(problem: ChainProblem) -> tuple[IntArray, float, float]:
    """Decode one chain in float64; return labels, score and bound."""
    labels = np.empty(problem.positions, np.int64)
    score = viterbi(problem.local, problem.transition, labels)
    return labels, score, score


def decode_batch(batch: ChainBatch) -> KernelAnswers:
    """Decode a batch by the kernel, in the type of its scores."""
    labels, values = np.empty(batch.tokens, np.int64), np.empty(len(batch))
    status = np.empty(len(batch), np.uint8)
    model = batch.model
    viterbi_batch(batch.unary, batch.offsets, model.transition, model.initial, model.final, labels, values, status)
    return KernelAnswers(labels, values, values.copy(), status)


def result_of(
    problem: ChainProblem,
    labels: IntArray,
    value: float,
    bound: float,
    counts: Mapping[str, Any],
    *,
    request: SolveRequest,
    seconds: float = 0.0,
) -> Result[IntArray]:
    """Make the result of a search that drops no label from its messages; `counts`: see `decode_many`."""
    certificate = DominanceCertificate.everything(problem)
    stats = Stats(seconds=seconds, oracle_calls=1, columns=counts.get("survivors", 0), extra=dict(counts))
    return proved(problem, [labels], bound, certificate, request, stats, trace=request.budget.events)
