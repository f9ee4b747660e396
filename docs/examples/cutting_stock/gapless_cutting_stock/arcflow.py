"""The arc-flow model of Valerio de Carvalho (1999) as arrays: rolls are paths from offset 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gapless.roles import Decisions, LinearModel, Sparse
from gapless_cutting_stock.arcs import Arcs


def arc_flow_model(arcs: Arcs, demands: Sequence[int], decisions: Decisions) -> LinearModel:
    """Build the arc-flow model: one 0/1 column per decision; an arc carries as many rolls as it has decisions on.

    Rows: each type is cut exactly as demanded; the number of rolls that leave an offset is at most that of
    arrivals; the decisions of an arc turn on in order. The score is minus the number of rolls that leave offset 0.
    """
    count = decisions.count
    item, offset = (array[decisions.quantity_index()] for array in (arcs.item, arcs.offset))
    end = offset + np.asarray(arcs.sizes)[item]
    rows: list[NDArray[np.int64]] = []
    values: list[NDArray[np.float64]] = []
    lower: list[float] = []
    for kind, demand in enumerate(demands):
        rows.append(np.flatnonzero(item == kind))
        values.append(np.ones(rows[-1].size))
        lower.append(demand)
    for place in np.unique(offset[offset > 0]):
        arriving, leaving = np.flatnonzero(end == place), np.flatnonzero(offset == place)
        rows.append(np.concatenate([arriving, leaving]))
        values.append(np.repeat([1.0, -1.0], [arriving.size, leaving.size]))
        lower.append(0)
    later = np.flatnonzero(decisions.thresholds() > 1)
    for decision in later:
        rows.append(np.array([decision - 1, decision]))
        values.append(np.array([1.0, -1.0]))
        lower.append(0)
    return LinearModel(
        objective=-(offset == 0).astype(float),
        column_lower=np.zeros(count),
        column_upper=np.ones(count),
        integer=np.ones(count, bool),
        rows=Sparse.from_rows([row.tolist() for row in rows], [value.tolist() for value in values]),
        row_lower=np.array(lower, float),
        row_upper=np.array([*demands, *[np.inf] * (len(lower) - len(demands))], float),
        decision_columns=np.arange(count),
        column_names=[f"item{i}_at{a}_{t}" for i, a, t in zip(item, offset, decisions.thresholds(), strict=True)],
    )
