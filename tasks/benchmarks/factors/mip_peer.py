"""Integer programs of chains with factors, for HiGHS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.factors.instances import SkipChain, Spots
from benchmarks.frame.highs import RowBlocks, RowProgram, run_to_optimum
from benchmarks.frame.turns import Side


def skip_program(chain: SkipChain) -> RowProgram:
    """Build the local polytope of the chain, plus a column per label of each skip, bounded by both tokens' labels.

    Only the labels need to be integral; then an optimum has integral transitions and skips, too.
    """
    n, k = chain.unary.shape
    nodes, edges = n * k, (n - 1) * k * k
    edge = nodes + np.arange(edges).reshape(n - 1, k, k)
    skips = len(chain.pairs)
    skip = nodes + edges + np.arange(skips * k).reshape(skips, k)
    reward = np.repeat(chain.reward, k)
    objective = np.concatenate([chain.unary.ravel(), np.tile(chain.transition.ravel(), n - 1), reward])
    integer = np.zeros(objective.size, bool)
    integer[:nodes] = True
    node = np.arange(nodes).reshape(n, k)
    rows = RowBlocks()
    rows.add_even(node, 1.0, (1.0, 1.0))
    for parts, ends in ((edge.transpose(0, 1, 2), node[:-1]), (edge.transpose(0, 2, 1), node[1:])):
        columns = np.concatenate([parts, ends[:, :, None]], axis=2).reshape(-1, k + 1)
        rows.add_even(columns, np.append(np.ones(k), -1.0), (0.0, 0.0))
    for end in (0, 1):
        columns = np.stack([skip, node[chain.pairs[:, end]]], axis=2).reshape(-1, 2)
        rows.add_even(columns, (1.0, -1.0), (-np.inf, 0.0))
    return rows.program(objective, 1.0, integer)


def spots_program(spots: Spots) -> RowProgram:
    """Build a program with a binary column per spot, a row per pair of neighbours, and the row of the budget."""
    n, rows = spots.worth.size, RowBlocks()
    rows.add_even(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1), 1.0, (-np.inf, 1.0))
    rows.add_even(np.arange(n)[None], spots.price, (-np.inf, spots.budget))
    return rows.program(spots.worth.astype(np.float64), 1.0, np.ones(n, bool))


def _side(program: Callable[[Any], RowProgram]) -> Side[Any, float]:
    """Make the side of HiGHS, which proves the optimum without a gap; other settings are the defaults."""
    return Side.of(run_to_optimum, lambda instance: program(instance).load(mip_rel_gap=0.0, mip_abs_gap=1e-9))


SKIPS: Side[SkipChain, float] = _side(skip_program)
SPOTS: Side[Spots, float] = _side(spots_program)
