"""A plan as a map: the depot, the customers by number, and each route in its colour."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gapless.svg import GREY, INK, svg, text
from gapless_vehicle_routing.problem import Plan, VehicleRoutingProblem

SIZE, MARGIN, LEGEND, MOST_NUMBERS = 520.0, 24.0, 18.0, 60


def draw_plan(problem: VehicleRoutingProblem, plan: Plan) -> str:
    """Draw routes between the places of the problem, or around a circle without places, and a line about each."""
    x, y = _spots(problem).T

    def drawn() -> Iterator[str]:
        for number, route in enumerate(plan):
            colour = _colour(number)
            stops = " ".join(f"{x[c]:.1f},{y[c]:.1f}" for c in route)
            # The legs at the depot are thin, so that the shape of a route shows.
            for end in {route[0], route[-1]}:
                yield (
                    f'<line x1="{x[0]:.1f}" y1="{y[0]:.1f}" x2="{x[end]:.1f}" y2="{y[end]:.1f}" stroke="{colour}" '
                    'stroke-width="1" stroke-dasharray="4 3"/>'
                )
            yield f'<polyline points="{stops}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        for number, route in enumerate(plan):
            for c in route:
                yield f'<circle cx="{x[c]:.1f}" cy="{y[c]:.1f}" r="4" fill="{_colour(number)}"/>'
                if len(problem.customers) <= MOST_NUMBERS:
                    yield text(x[c], y[c] - 7, str(c), INK, 11, halo=True)
        yield f'<rect x="{x[0] - 6:.1f}" y="{y[0] - 6:.1f}" width="12" height="12" fill="{INK}"/>'
        for number, route in enumerate(plan):
            line = SIZE + 2 * MARGIN + (number + 0.5) * LEGEND
            yield f'<rect x="{MARGIN:.0f}" y="{line - 10:.1f}" width="12" height="12" fill="{_colour(number)}"/>'
            yield text(MARGIN + 20, line, _words(problem, number, route), GREY, 12, anchor="start")

    said = "; ".join(_words(problem, number, route) for number, route in enumerate(plan))
    return svg(SIZE + 2 * MARGIN, SIZE + 2 * MARGIN + (len(plan) + 1) * LEGEND, said, drawn())


def _words(problem: VehicleRoutingProblem, number: int, route: tuple[int, ...]) -> str:
    load = int(problem.demands[list(route)].sum())
    length = problem.length(route) / problem.scale
    return f"route {number + 1}: {len(route)} customers, {load} of {problem.capacity} loaded, distance {length:g}"


def _colour(number: int) -> str:
    return f"hsl({number * 137 % 360}, 60%, 42%)"


def _spots(problem: VehicleRoutingProblem) -> NDArray[np.float64]:
    """Places on the drawing, float64 (n + 1, 2), with north up."""
    if problem.places is None:
        turns = 2 * np.pi * np.arange(problem.demands.size) / problem.demands.size
        places = np.column_stack([np.sin(turns), np.cos(turns)])
        places[0] = 0
    else:
        places = problem.places
    low, high = places.min(axis=0), places.max(axis=0)
    spots = (places - (low + high) / 2) / max(float((high - low).max()), 1e-9) * SIZE
    return np.asarray(SIZE / 2 + MARGIN + spots * [1, -1])
