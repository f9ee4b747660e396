"""The two-index program of vehicle routing, with loads and times of Miller, Tucker and Zemlin (1960)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gapless.roles import LinearModel, Sparse
from gapless_vehicle_routing.network import VEHICLES

if TYPE_CHECKING:
    from gapless_vehicle_routing.problem import VehicleRoutingProblem


def two_index_model(problem: VehicleRoutingProblem) -> LinearModel:
    """Build 0/1 columns for decisions and arcs, a load for each customer, and a time where there are windows.

    Rows: one arc enters each customer and one leaves it; the arcs of a quantity, and the vehicles, are as many as
    its decisions that are on, which turn on in order; load, and time, grow along every arc that is driven.
    """
    decisions, network, places = problem.decisions, problem.network, problem.demands.size
    quantity, threshold = decisions.quantity_index(), decisions.thresholds()
    tails, heads = np.nonzero(network.number >= 0)
    arcs = decisions.count + np.arange(tails.size)
    load = (
        decisions.count + tails.size - 1 + np.arange(places)
    )  # the depot has no load: its place is the last arc's
    timed = problem.windows is not None
    time = load + places - 1
    columns = decisions.count + tails.size + (2 if timed else 1) * (places - 1)

    rows: list[tuple[list[int], list[float]]] = []
    lower: list[float] = []
    upper: list[float] = []

    def add(entries: list[int], values: list[float], least: float, most: float) -> None:
        rows.append((entries, values))
        lower.append(least)
        upper.append(most)

    for place in problem.customers:
        for end in (tails, heads):
            beside = arcs[end == place].tolist()
            add(beside, [1.0] * len(beside), 1.0, 1.0)
    number = network.number[tails, heads]
    for each in range(len(network)):
        driven = arcs[tails == 0 if each == VEHICLES else number == each].tolist()
        decided = np.flatnonzero(quantity == each).tolist()
        add(driven + decided, [1.0] * len(driven) + [-1.0] * len(decided), 0.0, 0.0)
    for later in np.flatnonzero(threshold > 1).tolist():
        add([later - 1, later], [1.0, -1.0], 0.0, np.inf)
    for arc, a, b in zip(arcs.tolist(), tails.tolist(), heads.tolist(), strict=True):
        if a and b:  # load[b] >= load[a] + weight[b] where the arc is driven
            add(
                [int(load[b]), int(load[a]), arc],
                [1.0, -1.0, -float(problem.room)],
                float(problem.weights[b]) - problem.room,
                np.inf,
            )
        if problem.windows is not None and a:
            travel, opens = float(problem.travel[a, b]), problem.windows[:, 0]
            closes = float(problem.windows[a, 1])
            if b:
                far = max(0.0, closes + travel - float(opens[b]))
                add([int(time[b]), int(time[a]), arc], [1.0, -1.0, -far], travel - far, np.inf)
            else:
                far = max(0.0, closes + travel - float(problem.windows[0, 1]))
                add([int(time[a]), arc], [-1.0, -far], travel - float(problem.windows[0, 1]) - far, np.inf)
        elif problem.windows is not None:
            first = float(problem.windows[0, 0] + problem.travel[0, b])
            far = max(0.0, first - float(problem.windows[b, 0]))
            add([int(time[b]), arc], [1.0, -far], first - far, np.inf)

    objective = np.zeros(columns)
    objective[arcs] = -problem.distances[tails, heads] / problem.scale
    column_lower, column_upper = np.zeros(columns), np.ones(columns)
    column_lower[load[1:]], column_upper[load[1:]] = problem.weights[1:], problem.room
    if problem.windows is not None:
        column_lower[time[1:]], column_upper[time[1:]] = problem.windows[1:].T
    names = [f"d{d}" for d in range(decisions.count)]
    names += [f"x{a}_{b}" for a, b in zip(tails, heads, strict=True)]
    names += [f"{what}{c}" for what in ("load", "time")[: 2 if timed else 1] for c in problem.customers]
    return LinearModel(
        objective=objective,
        column_lower=column_lower,
        column_upper=column_upper,
        integer=np.arange(columns) < decisions.count + tails.size,
        rows=Sparse.from_rows([entries for entries, _ in rows], [values for _, values in rows]),
        row_lower=np.array(lower),
        row_upper=np.array(upper),
        decision_columns=np.arange(decisions.count),
        column_names=names,
    )
