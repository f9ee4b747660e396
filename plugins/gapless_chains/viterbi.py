"""The method ``viterbi``: exact max-product dynamic programming over all labels, O(n K^2)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gapless import BatchResult, Event, Result, Solve, Stats, Status, Stop
from gapless.core.sparse import FloatArray, IntArray
from gapless_chains import k_best
from gapless_chains.forward_potentials import forward_potentials
from gapless_chains.problem import ChainProblem
from gapless_chains.pruning import by_nothing
from gapless_kernels import forward_messages, viterbi, viterbi_batch

# The batch kernel lays the transitions out anew at every call; these keep that below a percent, and Ctrl-C prompt.
_CHUNK = 2048
_WORTH_A_BATCH = 4


def run(problem: ChainProblem, solve: Solve) -> Result[IntArray]:
    """Decode one chain.

    Limits never stop it: it has no bound before it has the answer. The certificate holds the forward messages (eq.
    7 of Belanger et al. 2012), which bound every labelling by the optimum; where no allowed path ends they are
    minus infinity, so that they also prove that a chain is infeasible.
    """
    if solve.k > 1:
        return k_best.run(problem, solve, by_nothing)
    labels = np.empty(problem.positions, np.int64)
    score = viterbi(problem.local, problem.transition, labels)
    solve.budget.emit("stop", score, score)
    return _result(problem, labels, score, solve.method, solve.budget.elapsed, solve.budget.events)


def run_many(problems: Sequence[ChainProblem], solve: Solve) -> BatchResult[IntArray]:
    """Decode many chains; those that share one transition matrix go through the batch kernel together.

    Values are those of `run`, bit by bit. Ctrl-C keeps what is finished.
    """
    ends = np.cumsum([problem.positions for problem in problems])
    offsets = np.concatenate([[0], ends]).astype(np.int64)
    labels = np.empty(offsets[-1], np.int64)
    scores = np.full(len(problems), np.nan)
    reached = np.zeros(len(problems), bool)
    try:
        for group in _sharing_transitions(problems):
            _decode(problems, group, offsets, labels, scores)
            reached[group] = True
    except KeyboardInterrupt:
        solve.budget.interrupt()

    def structure(i: int) -> IntArray:
        return make(i).best

    def make(i: int) -> Result[IntArray]:
        if not reached[i]:
            return Result.of(problems[i], [], math.inf, Stop.INTERRUPTED, method=solve.method)
        return _result(problems[i], labels[offsets[i] : offsets[i + 1]], float(scores[i]), solve.method)

    infeasible = scores == -np.inf
    statuses = [
        None if not known else Status.INFEASIBLE if empty else Status.OPTIMAL
        for known, empty in zip(reached.tolist(), infeasible.tolist(), strict=True)
    ]
    return BatchResult(np.where(infeasible, np.nan, scores), scores, statuses, structure, make)


def _result(
    problem: ChainProblem,
    labels: IntArray,
    score: float,
    method: str,
    seconds: float = 0.0,
    trace: Sequence[Event] = (),
) -> Result[IntArray]:
    messages = np.empty(problem.unary.shape)
    forward_messages(problem.local, problem.transition, messages)
    feasible = score > -math.inf
    return Result.of(
        problem,
        [labels] if feasible else [],
        score,
        Stop.PROVED,
        certificate=forward_potentials(messages, problem.local),
        method=method,
        stats=Stats(seconds=seconds, oracle_calls=1),
        trace=trace,
        explanation=() if feasible else problem.infeasibility(),
    )


def _sharing_transitions(problems: Sequence[ChainProblem]) -> list[list[int]]:
    """Numbers of the problems in groups for the batch kernel; a group of one is for the single kernel."""
    sharing: dict[int, list[int]] = {}
    for number, problem in enumerate(problems):
        key = id(problem.transition) if problem.transition.ndim == 2 else -1 - number
        sharing.setdefault(key, []).append(number)
    groups: list[list[int]] = []
    for numbers in sharing.values():
        size = _CHUNK if len(numbers) >= _WORTH_A_BATCH else 1
        groups += [numbers[start : start + size] for start in range(0, len(numbers), size)]
    return groups


def _decode(
    problems: Sequence[ChainProblem], group: list[int], offsets: IntArray, labels: IntArray, scores: FloatArray
) -> None:
    """Write the labels and scores of the problems in `group`."""
    if len(group) == 1:
        (number,) = group
        here = labels[offsets[number] : offsets[number + 1]]
        scores[number] = viterbi(problems[number].local, problems[number].transition, here)
        return
    local = np.concatenate([problems[number].local for number in group])
    starts = np.concatenate([[0], np.cumsum([problems[number].positions for number in group])]).astype(np.int64)
    found = np.empty(len(local), np.int64)
    values = np.empty(len(group))
    viterbi_batch(local, starts, problems[group[0]].transition, found, values)
    scores[group] = values
    for number, start, end in zip(group, starts[:-1], starts[1:], strict=True):
        labels[offsets[number] : offsets[number + 1]] = found[start:end]
