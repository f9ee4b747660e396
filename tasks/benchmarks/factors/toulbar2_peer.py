"""toulbar2 on chains with skips: one table for each pair of neighbours and each skip."""

from __future__ import annotations

from typing import Any

import numpy as np

import gapless as gl
from benchmarks.factors.instances import SkipChain
from benchmarks.frame.peers import TOULBAR2
from benchmarks.frame.turns import Side

DIGITS = 9
"""Decimals of a cost: toulbar2 counts in whole numbers."""


def network(chain: SkipChain, **settings: int) -> Any:
    """Build the cost function network, passing its tables in few calls."""
    n, k = chain.unary.shape
    found = TOULBAR2.load().CFN(resolution=DIGITS, **settings)
    found.AddVariables(n, "x", 0, k - 1)
    for i, scores in enumerate(chain.unary):
        found.AddFunction([i], (-scores).tolist())
    steps = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    found.AddFunctions(steps, np.broadcast_to(-chain.transition, (n - 1, k, k)).copy())
    found.AddFunctions(chain.pairs, -chain.reward[:, None, None] * np.eye(k))
    return found


def optimum(network: Any) -> float:
    """Solve the network; return the proved optimum as a score.

    Raises
    ------
    SolveError
        toulbar2 does not find an optimum.
    """
    answer = network.Solve()
    if answer is None or TOULBAR2.load().tb2.option.limited:
        raise gl.SolveError("toulbar2 ends without a proof")
    return -float(answer[1])


SKIPS: Side[SkipChain, float] = Side.of(optimum, network)
