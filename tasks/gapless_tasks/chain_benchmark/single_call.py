"""What `gapless.solve` adds to the kernels' work for one sentence."""

from __future__ import annotations

import numpy as np

import gapless as gl
from gapless_kernels import forward_messages, viterbi
from gapless_tasks.chain_benchmark.score_set import ScoreSet
from gapless_tasks.chain_benchmark.stopwatch import Spread, cpu_seconds

_CALLS = 20


def overhead(scores: ScoreSet, rounds: int) -> Spread:
    """CPU seconds of one call beyond those of the kernels that it must run: the answer and its certificate.

    Measured on the sentence whose length is nearest to the mean, everything loaded and warm.
    """
    at = int(np.argmin(np.abs(scores.lengths - scores.lengths.mean())))
    one = scores.between(at, at + 1)
    problem = one.model().problem(one.unary)
    labels, messages = np.empty(one.tokens, np.int64), np.empty(one.unary.shape)
    local, transition = problem.local, problem.transition

    def whole() -> None:
        for _ in range(_CALLS):
            gl.solve(problem, "viterbi")

    def kernels() -> None:
        for _ in range(_CALLS):
            viterbi(local, transition, labels)
            forward_messages(local, transition, messages)

    whole()
    return Spread.of([(cpu_seconds(whole) - cpu_seconds(kernels)) / _CALLS for _ in range(rounds)])
