"""The problem as one integer program, complete: for export and as an independent judge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import LinearModel, Sparse

if TYPE_CHECKING:
    from gapless_linking.problem import LinkingProblem


def integer_program(problem: LinkingProblem) -> LinearModel:
    r"""One column for each candidate of each set, and one for each pair of them that may be chosen together.

    :math:`z_a` says that member a is chosen, :math:`y_{ab}` that a and b of different sets both are. A pair that no
    path connects has no column, nor has one with a forbidden member. With :math:`c_a` for what a member costs by
    itself, the model is the local polytope of the pairs:

    - minimise :math:`\sum_a c_a z_a + 2 \sum_{ab} d(a, b) y_{ab}`, here the maximum of its opposite;
    - :math:`\sum_{a \in X_i} z_a = 1` for each set i;
    - :math:`\sum_{b \in X_j} y_{ab} = z_a` for each member a and each other set j.

    The z are binary, the y follow from them. Of the usual linear programs this is the tightest, and no coefficient
    but 1 stands in its rows. Programs by length (a column for each member, set and length: "chosen, and nothing
    chosen from that set is as near") are smaller, and weaker; on sets of 4 to 20 candidates SCIP was as fast or
    faster with the pairs. What a set and a pair of sets cost at least is in the constant, so that large numbers
    that cancel do not use up the solver's precision. Returns LinearModel: n columns z, one for each decision, and
    at most N^2 / 2 columns y; k + k N rows.
    """
    k, count = problem.k, problem.members.size
    owner = np.repeat(np.arange(k), np.diff(problem.first))
    allowed = np.isfinite(problem.own_costs)
    apart = problem.lengths(problem.slots, problem.slots)
    a, b = np.nonzero(np.isfinite(apart) & allowed[:, None] & allowed & (owner[:, None] < owner))
    chosen, paired = np.arange(count), count + np.arange(a.size)
    least, own = _above_least(np.where(allowed, problem.own_costs, np.inf), owner)
    least_apart, costs = _above_least(2.0 * apart[a, b], owner[a] * k + owner[b])

    member, other = np.nonzero(owner[:, None] != np.arange(k))
    rows = np.concatenate([owner, k + a * k + owner[b], k + b * k + owner[a], k + member * k + other])
    columns = np.concatenate([chosen, paired, paired, member])
    values = np.concatenate([np.ones(count + 2 * a.size), -np.ones(member.size)])
    order = np.argsort(rows, kind="stable")
    sides = np.concatenate([np.ones(k), np.zeros(k * count)])
    return LinearModel(
        objective=-np.concatenate([np.where(allowed, own, 0.0), costs]),
        column_lower=np.zeros(count + a.size),
        column_upper=np.concatenate([allowed, np.ones(a.size)]),
        integer=np.arange(count + a.size) < count,
        rows=Sparse(np.searchsorted(rows[order], np.arange(sides.size + 1)), columns[order], values[order]),
        row_lower=sides,
        row_upper=sides,
        decision_columns=chosen,
        constant=-math.fsum([*least, *least_apart]),
    )


def _above_least(costs: FloatArray, group: IntArray) -> tuple[list[float], FloatArray]:
    """The least cost of each group that has a finite one, and the excess of each cost over its group's."""
    least = np.full(group.max(initial=0) + 1, np.inf)
    np.minimum.at(least, group, costs)
    finite = np.where(np.isfinite(least), least, 0.0)
    return finite.tolist(), costs - finite[group]
