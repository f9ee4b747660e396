"""The method ``beam``: beam search with the true gap of its answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gapless import BatchResult, Certificate, Result, Stop
from gapless.arrays.sparse import IntArray
from gapless.arrays.tolerance import meets
from gapless.plugins.registry import check_count
from gapless.roles import NoCertificate, SolveRequest, Stats
from gapless_chains import dominance, viterbi
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import KernelAnswers, decode_many
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_kernels import DECIDED, DOUBTFUL, INFEASIBLE, INVALID, beam_batch, forward_messages


def run(problem: ChainProblem, request: SolveRequest, *, width: int = 10, bound: bool = True) -> Result[IntArray]:
    """Decode one chain by beam search.

    At each position the best `width` prefixes go on; prefixes that end in the same label are recombined first, so a
    beam as wide as the labels is exact. Its **true gap** comes with it (compare Belanger, Passos, Riedel, McCallum
    2012, appendix A.2): exact messages cost less than their reduced costs would, so the bound is the best value
    itself, and the answer is OPTIMAL wherever the beam found it. Chains whose transitions vary are decoded exactly.

    Without `bound`, the bound is infinite and nothing is proved. Raises `UnknownOption`: `width` is below 1, or no
    integer.
    """
    check_count("width", width)
    if problem.transition.ndim == 3:
        # The beam kernel reads one transition matrix for all edges.
        return viterbi.run(problem, request)
    answers = _decode(ChainBatch.of(problem), width, bound=False)
    # Exact messages cost O(n K^2), less than the reduced costs of appendix A.2, and give the optimum itself.
    best = math.inf
    if bound:
        messages = np.empty(problem.unary.shape)
        forward_messages(problem.local, problem.transition, messages)
        best = float(messages[-1].max())
    value = float(answers.values[0])
    request.budget.emit("stop", best, value)
    return _result(problem, answers.labels, value, best, {}, width, request, request.budget.elapsed)


def run_many(
    problems: Sequence[ChainProblem], request: SolveRequest, *, width: int = 10, bound: bool = True
) -> BatchResult[IntArray]:
    """Decode many chains by beam search in the type of their scores; bounds are those of `run`."""
    check_count("width", width)

    def again(problem: ChainProblem) -> tuple[IntArray, float, float]:
        result = run(problem, SolveRequest(), width=width, bound=bound)
        if result.solutions:
            return result.best, result.value, result.bound
        return np.full(problem.positions, -1), -math.inf, result.bound

    def alone(problem: ChainProblem) -> Result[IntArray]:
        return run(problem, SolveRequest(method=request.method), width=width, bound=bound)

    kernel, make = partial(_decode, width=width, bound=bound), partial(_result, width=width, request=request)
    return decode_many(problems, request, kernel, make, alone, again=again)


def _decode(batch: ChainBatch, width: int, bound: bool) -> KernelAnswers:
    """Run the beam on a batch; a sentence is DOUBTFUL if float32 leaves its bound open."""
    labels, values = np.empty(batch.tokens, np.int64), np.empty(len(batch))
    status = np.empty(len(batch), np.uint8)
    model = batch.model
    beam_batch(
        batch.unary, batch.offsets, model.transition, model.initial, model.final, width, labels, values, status
    )
    bounds = np.full(len(batch), np.inf)
    if bound:
        exact = dominance.decode_batch(batch)
        bounds = np.maximum(exact.values, values)  # where equal paths round differently
        # In float32 the beam may have found a path better than the one that rounding selected there.
        doubtful = (exact.status == DOUBTFUL) & (status != INVALID)
        status = np.where(doubtful, DOUBTFUL, status).astype(np.uint8)
    # A beam that ran dry is decided: it found nothing.
    status[status == INFEASIBLE] = DECIDED
    return KernelAnswers(labels, values, bounds, status)


def _result(
    problem: ChainProblem,
    labels: IntArray,
    value: float,
    best: float,
    counts: Mapping[str, Any],
    width: int,
    request: SolveRequest,
    seconds: float = 0.0,
) -> Result[IntArray]:
    has_solution = value > -math.inf
    infeasible = best == -math.inf
    certificate: Certificate = NoCertificate("the beam was asked for no bound")
    if best < math.inf:
        certificate = DominanceCertificate.everything(problem)
    if infeasible:
        explanation = problem.infeasibility()
    else:
        explanation = () if has_solution else [f"the beam ran dry: a width of {width} keeps no allowed prefix"]
    return Result.of(
        problem,
        [labels] if has_solution else [],
        best,
        # The width is a limit on what is searched; where the bound meets the answer, it did no harm.
        Stop.PROVED if infeasible or (has_solution and meets(best, value)) else Stop.NODES,
        certificate=certificate,
        method=request.method,
        stats=Stats(seconds=seconds, oracle_calls=1, extra={"width": width}),
        trace=request.budget.events,
        explanation=explanation,
    )
