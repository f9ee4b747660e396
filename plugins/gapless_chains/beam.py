"""The method ``beam``: beam search, and how far its answer is from the best one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gapless import BatchResult, Certificate, Result, Stop
from gapless.core.sparse import IntArray
from gapless.core.tolerance import meets
from gapless.plugins.registry import check_count
from gapless.roles import NoCertificate, Solve, Stats
from gapless_chains import dominance, viterbi
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import Found, decode_many
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_kernels import DECIDED, DOUBTFUL, INFEASIBLE, INVALID, beam_batch, forward_messages


def run(problem: ChainProblem, solve: Solve, *, width: int = 10, bound: bool = True) -> Result[IntArray]:
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
        return viterbi.run(problem, solve)
    found = _decode(ChainBatch.of(problem), width, bound=False)
    best = math.inf
    certificate: Certificate = NoCertificate("the beam was asked for no bound")
    if bound:
        messages = np.empty(problem.unary.shape)
        forward_messages(problem.local, problem.transition, messages)
        best = float(messages[-1].max())
        certificate = DominanceCertificate.everything(problem)
    value = float(found.values[0])
    solve.budget.emit("stop", best, value)
    return _result(problem, found.labels, value, best, certificate, width, solve, solve.budget.elapsed)


def run_many(
    problems: Sequence[ChainProblem], solve: Solve, *, width: int = 10, bound: bool = True
) -> BatchResult[IntArray]:
    """Decode many chains by beam search in the type of their scores; bounds are those of `run`."""
    check_count("width", width)

    def make(
        problem: ChainProblem, labels: IntArray, value: float, best: float, counts: Mapping[str, Any]
    ) -> Result[IntArray]:
        certificate: Certificate = NoCertificate("the beam was asked for no bound")
        if bound:
            certificate = DominanceCertificate.everything(problem)
        return _result(problem, labels, value, best, certificate, width, solve)

    def again(problem: ChainProblem) -> tuple[IntArray, float, float]:
        result = run(problem, Solve(), width=width, bound=bound)
        if result.solutions:
            return result.best, result.value, result.bound
        return np.full(problem.positions, -1), -math.inf, result.bound

    def alone(problem: ChainProblem) -> Result[IntArray]:
        return run(problem, Solve(method=solve.method), width=width, bound=bound)

    return decode_many(problems, solve, lambda batch: _decode(batch, width, bound), again, make, alone)


def _decode(batch: ChainBatch, width: int, bound: bool) -> Found:
    """The answers of the beam; DOUBTFUL where float32 leaves the bound open."""
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
        # The beam's own search in float32 may have met a path that is better than what rounding chose there.
        doubtful = (exact.status == DOUBTFUL) & (status != INVALID)
        status = np.where(doubtful, DOUBTFUL, status).astype(np.uint8)
    # A beam that ran dry is decided: it found nothing.
    status[status == INFEASIBLE] = DECIDED
    return Found(labels, values, bounds, status)


def _result(
    problem: ChainProblem,
    labels: IntArray,
    value: float,
    best: float,
    certificate: Certificate,
    width: int,
    solve: Solve,
    seconds: float = 0.0,
) -> Result[IntArray]:
    found = value > -math.inf
    infeasible = best == -math.inf
    if infeasible:
        explanation = problem.infeasibility()
    else:
        explanation = () if found else [f"the beam ran dry: a width of {width} keeps no allowed prefix"]
    return Result.of(
        problem,
        [labels] if found else [],
        best,
        # The width is a limit on what is searched; where the bound meets the answer, it did no harm.
        Stop.PROVED if infeasible or (found and meets(best, value)) else Stop.NODES,
        certificate=certificate,
        method=solve.method,
        stats=Stats(seconds=seconds, oracle_calls=1, extra={"width": width}),
        trace=solve.budget.events,
        explanation=explanation,
    )
