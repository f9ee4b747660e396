"""Integer programs of chains with factors, for HiGHS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.factors.instances import SkipChain, Spots
from benchmarks.frame.highs import RowProgram, run_to_optimum
from benchmarks.frame.turns import Side
from gapless.arrays.sparse import FloatArray, IntArray


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
    rows: list[tuple[IntArray, FloatArray]] = [(node, np.ones(node.shape))]
    for parts, ends in ((edge.transpose(0, 1, 2), node[:-1]), (edge.transpose(0, 2, 1), node[1:])):
        columns = np.concatenate([parts, ends[:, :, None]], axis=2).reshape(-1, k + 1)
        rows.append((columns, np.tile(np.append(np.ones(k), -1.0), (len(columns), 1))))
    for end in (0, 1):
        columns = np.stack([skip, node[chain.pairs[:, end]]], axis=2).reshape(-1, 2)
        rows.append((columns, np.tile([1.0, -1.0], (len(columns), 1))))
    counts = [len(columns) for columns, _ in rows]
    upper = np.concatenate([np.ones(counts[0]), np.zeros(sum(counts[1:]))])
    lower = np.concatenate([np.ones(counts[0]), np.zeros(counts[1] + counts[2]), np.full(sum(counts[3:]), -np.inf)])
    widths = np.concatenate([np.full(len(columns), columns.shape[1]) for columns, _ in rows])
    return RowProgram(
        objective,
        lower,
        upper,
        np.concatenate([[0], np.cumsum(widths)]).astype(np.int32),
        np.concatenate([columns.ravel() for columns, _ in rows]).astype(np.int32),
        np.concatenate([values.ravel() for _, values in rows]),
        column_upper=1.0,
        integer=integer,
    )


def spots_program(spots: Spots) -> RowProgram:
    """Build a program with a binary column per spot, a row per pair of neighbours, and the row of the budget."""
    n = spots.worth.size
    pair = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    return RowProgram(
        spots.worth.astype(np.float64),
        np.full(n, -np.inf),
        np.append(np.ones(n - 1), spots.budget),
        np.append(2 * np.arange(n), 3 * n - 2).astype(np.int32),
        np.append(pair.ravel(), np.arange(n)).astype(np.int32),
        np.append(np.ones(2 * n - 2), spots.price),
        column_upper=1.0,
        integer=np.ones(n, bool),
    )


def load(program: RowProgram) -> Any:
    """Load the program into HiGHS, to be proved without a gap; other settings are the defaults."""
    return program.load(mip_rel_gap=0.0, mip_abs_gap=1e-9)


def _side(program: Callable[[Any], RowProgram]) -> Side[Any, float]:
    def prepare(instance: Any) -> Any:
        return load(program(instance))

    return Side(lambda instance: run_to_optimum(prepare(instance)), run_to_optimum, prepare)


SKIPS: Side[SkipChain, float] = _side(skip_program)
SPOTS: Side[Spots, float] = _side(spots_program)
