"""The overhead of `gapless.solve` over its kernels for one sentence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import gapless as gl
from benchmarks.chains.score_set import ScoreSet
from benchmarks.frame.marks import Spread
from benchmarks.frame.turns import cpu_seconds
from gapless.plugins import load_plugins
from gapless_chains import ChainProblem
from gapless_kernels import dominance, dominance_tables, forward_messages, viterbi

_CALLS = 20


def overhead(scores: ScoreSet, rounds: int) -> Spread | None:
    """Measure CPU seconds of one call of the default method beyond those of its kernels.

    Measured on the sentence whose length is nearest to the mean, everything loaded and warm; None if the default
    method's kernels are not known here.
    """
    at = int(np.argmin(np.abs(scores.lengths - scores.lengths.mean())))
    one = scores.between(at, at + 1)
    problem = one.model().problem(one.unary)
    method = load_plugins().registry.find_method(ChainProblem, None).name
    if method not in _KERNELS:
        return None
    kernels = _KERNELS[method](problem)

    def calls(work: Callable[[], object]) -> float:
        return cpu_seconds(lambda: [work() for _ in range(_CALLS)]) / _CALLS

    gl.solve(problem, method)
    return Spread.of([calls(lambda: gl.solve(problem, method)) - calls(kernels) for _ in range(rounds)])


def _viterbi(problem: ChainProblem) -> Callable[[], None]:
    """Return a function that computes the answer and the messages of its certificate."""
    local, transition = problem.local, problem.transition
    labels, messages = np.empty(len(local), np.int64), np.empty(local.shape)

    def work() -> None:
        viterbi(local, transition, labels)
        forward_messages(local, transition, messages)

    return work


def _dominance(problem: ChainProblem) -> Callable[[], None]:
    """Return a function that computes the answer and the labels retained for its certificate."""
    tables = dominance_tables(problem.transition, np.float64)
    n, k = problem.unary.shape
    labels, kept, dominators = np.empty(n, np.int64), np.empty((n, k), bool), np.empty(n, np.int64)

    def work() -> None:
        dominance(problem.unary, tables, problem.initial, problem.final, labels, kept, dominators)

    return work


_KERNELS: dict[str, Callable[[ChainProblem], Callable[[], None]]] = {"viterbi": _viterbi, "dominance": _dominance}
