"""The complete integer program of a linking problem, for export and as an independent reference."""

from __future__ import annotations

import math

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import LinearModel, Sparse


def integer_program(first: IntArray, unary_costs: FloatArray, lengths: FloatArray) -> LinearModel:
    r"""Build a model with a column for each candidate of each set, and for each pair that may be chosen together.

    :math:`z_a` says that candidate a is chosen, :math:`y_{ab}` that a and b of different sets both are. A pair has
    no column if no path connects it or one of its candidates is forbidden. With :math:`c_a` for the unary cost of a
    candidate, the model is the local polytope of the pairs:

    - minimise :math:`\sum_a c_a z_a + 2 \sum_{ab} d(a, b) y_{ab}`, here the maximum of its opposite;
    - :math:`\sum_{a \in X_i} z_a = 1` for each set i;
    - :math:`\sum_{b \in X_j} y_{ab} = z_a` for each candidate a and each other set j.

    The z are binary, the y follow from them. Of the usual linear programs this is the tightest, and all its
    coefficients are 1 or -1. Programs by length (a column for each candidate, set and length: "chosen, and nothing
    chosen from that set is as near") are smaller and weaker; on sets of 4 to 20 candidates SCIP was as fast or
    faster with the pairs. The minimum cost of each set and of each pair of sets moves into the constant, so that
    large numbers that cancel do not use up the solver's precision.

    Parameters
    ----------
    first : int64 (k + 1,)
        Set i holds the candidates ``first[i]:first[i + 1]``, N in all.
    unary_costs : float64 (N,)
        Unary costs; inf forbids.
    lengths : float64 (N, N)
        Distances between candidates; inf if no path leads.

    Returns
    -------
    LinearModel
        N columns z, one for each decision, and at most N^2 / 2 columns y; k + k N rows.
    """
    k, count = first.size - 1, unary_costs.size
    owner = np.repeat(np.arange(k), np.diff(first))
    allowed = np.isfinite(unary_costs)
    # Each unordered pair once, from the earlier set to the later one.
    a, b = np.nonzero(np.isfinite(lengths) & allowed[:, None] & allowed & (owner[:, None] < owner))
    chosen, paired = np.arange(count), count + np.arange(a.size)
    least, unary = _above_least(np.where(allowed, unary_costs, np.inf), owner)
    least_lengths, costs = _above_least(2.0 * lengths[a, b], owner[a] * k + owner[b])

    # One row for each set, then one for each candidate and each other set.
    member, other = np.nonzero(owner[:, None] != np.arange(k))
    rows = np.concatenate([owner, k + a * k + owner[b], k + b * k + owner[a], k + member * k + other])
    columns = np.concatenate([chosen, paired, paired, member])
    values = np.concatenate([np.ones(count + 2 * a.size), -np.ones(member.size)])
    sides = np.concatenate([np.ones(k), np.zeros(k * count)])
    return LinearModel(
        objective=-np.concatenate([np.where(allowed, unary, 0.0), costs]),
        column_lower=np.zeros(count + a.size),
        column_upper=np.concatenate([allowed, np.ones(a.size)]),
        integer=np.arange(count + a.size) < count,
        rows=Sparse.from_entries(rows, columns, values, sides.size),
        row_lower=sides,
        row_upper=sides,
        decision_columns=chosen,
        constant=-math.fsum([*least, *least_lengths]),
    )


def _above_least(costs: FloatArray, group: IntArray) -> tuple[list[float], FloatArray]:
    """Split costs into the minimum of each group, 0 if none is finite, and the excess over it."""
    least = np.full(group.max(initial=0) + 1, np.inf)
    np.minimum.at(least, group, costs)
    finite = np.where(np.isfinite(least), least, 0.0)
    return finite.tolist(), costs - finite[group]
