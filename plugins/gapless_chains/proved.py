"""The result of a method that ends with the optimum or with a proof that there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gapless import Certificate, Event, Result, Stop
from gapless.core.sparse import IntArray
from gapless.roles import Solve, Stats
from gapless_chains.labelling import Labelling


def proved(
    problem: Labelling,
    labels: IntArray,
    score: float,
    certificate: Certificate,
    solve: Solve,
    stats: Stats,
    *,
    trace: Sequence[Event] = (),
) -> Result[IntArray]:
    """The result of labels that are best; where their score is minus infinity, of an infeasible problem."""
    feasible = score > -math.inf
    return Result.of(
        problem,
        [labels] if feasible else [],
        score,
        Stop.PROVED,
        certificate=certificate,
        method=solve.method,
        stats=stats,
        trace=trace,
        explanation=() if feasible else problem.infeasibility(),
    )
