"""The method ``viterbi``: exact max-product dynamic programming over all labels, O(n K^2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gapless import BatchResult, Result
from gapless.core.sparse import IntArray
from gapless.roles import Solve, Stats
from gapless_chains import k_best
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import Found, decode_many
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_chains.proved import proved
from gapless_chains.pruning import by_nothing
from gapless_kernels import viterbi, viterbi_batch


def run(problem: ChainProblem, solve: Solve) -> Result[IntArray]:
    """Decode one chain.

    Limits never stop it: it has no bound before it has the answer. The certificate says that no label was dropped.
    """
    if solve.k > 1:
        return k_best.run(problem, solve, by_nothing)
    labels = np.empty(problem.positions, np.int64)
    score = viterbi(problem.local, problem.transition, labels)
    solve.budget.emit("stop", score, score)
    return _result(problem, labels, score, solve, solve.budget.elapsed)


def run_many(problems: Sequence[ChainProblem], solve: Solve) -> BatchResult[IntArray]:
    """Decode many chains; those that share one transition matrix go through the batch kernel together.

    Values are those of `run`: what float32 scores leave in doubt is decoded again in float64. Ctrl-C keeps what is
    finished.
    """
    if solve.k > 1:
        return k_best.run_many(problems, solve, by_nothing)

    def make(
        problem: ChainProblem, labels: IntArray, value: float, bound: float, counts: Mapping[str, Any]
    ) -> Result[IntArray]:
        return _result(problem, labels, bound, solve)

    return decode_many(problems, solve, decode_batch, decode_again, make, lambda problem: run(problem, solve))


def decode_again(problem: ChainProblem) -> tuple[IntArray, float, float]:
    """Labels, score and bound of one chain in float64."""
    labels = np.empty(problem.positions, np.int64)
    score = viterbi(problem.local, problem.transition, labels)
    return labels, score, score


def decode_batch(batch: ChainBatch) -> Found:
    """Decode a batch by the kernel, in the type of its scores."""
    labels, values = np.empty(batch.tokens, np.int64), np.empty(len(batch))
    status = np.empty(len(batch), np.uint8)
    model = batch.model
    viterbi_batch(batch.unary, batch.offsets, model.transition, model.initial, model.final, labels, values, status)
    return Found(labels, values, values.copy(), status)


def _result(
    problem: ChainProblem, labels: IntArray, score: float, solve: Solve, seconds: float = 0.0
) -> Result[IntArray]:
    certificate = DominanceCertificate.everything(problem)
    stats = Stats(seconds=seconds, oracle_calls=1)
    return proved(problem, labels, score, certificate, solve, stats, trace=solve.budget.events)
