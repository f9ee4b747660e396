"""The result of a method that ends with the optimum or with a proof that there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gapless import Certificate, Event, Result, Stop
from gapless.arrays.sparse import IntArray
from gapless.roles import SolveRequest, Stats
from gapless_chains.node_labelling import NodeLabelling


def proved(
    problem: NodeLabelling,
    labels: IntArray,
    score: float,
    certificate: Certificate,
    request: SolveRequest,
    stats: Stats,
    *,
    trace: Sequence[Event] = (),
) -> Result[IntArray]:
    """Make the result of optimal labels, or of an infeasible problem if their score is minus infinity."""
    feasible = score > -math.inf
    return Result.of(
        problem,
        [labels] if feasible else [],
        score,
        Stop.PROVED,
        certificate=certificate,
        method=request.method,
        stats=stats,
        trace=trace,
        explanation=() if feasible else problem.infeasibility(),
    )
