"""Rules for a `DecisionDiagram`, and its configurations one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np

from gapless.arrays.sparse import BoolArray
from gapless.decisions.decisions import Decisions
from gapless.factors.diagrams.diagram import DecisionDiagram, passes
from gapless.factors.diagrams.unrolling import checked_step, final_scores, start_of, unroll_within
from gapless.testing.conformance import Check, dominates
from gapless.testing.enumeration import SpaceTooLarge

_MOST = 2**14


def configurations(factor: DecisionDiagram, decisions: Decisions) -> list[BoolArray]:
    """List all configurations with at most one decision of each layer on, and one with two.

    Raises
    ------
    SpaceTooLarge
        More than 16384.
    """
    layout = factor.layout(decisions)
    count = math.prod(places.size + 1 for places in layout.places)
    if count > _MOST:
        raise SpaceTooLarge(f"the layers have {count} configurations, check_factor enumerates up to {_MOST}")
    found = []
    for chosen in itertools.product(*([-1, *places.tolist()] for places in layout.places)):
        on = np.zeros(layout.scope.size, bool)
        on[[decision for decision in chosen if decision >= 0]] = True
        found.append(on)
    wide = next((places for places in layout.places if places.size > 1), None)
    if wide is not None:
        on = np.zeros(layout.scope.size, bool)
        on[wide[:2]] = True
        found.append(on)
    return found


def check_steps(
    check: Check, factor: DecisionDiagram, decisions: Decisions, rng: np.random.Generator, samples: int
) -> None:
    """Check that layers and steps are reproducible, states independent, and coarser states no stricter."""
    at = check.at(factor.name)
    listed = at.call("layers can be listed", lambda: [list(one) for one in factor.layers(decisions)])
    again = [list(layer) for layer in factor.layers(decisions)]
    at.require(listed == again, "layers are listed the same way each time")
    layout = factor.layout(decisions)
    graph = at.call("a diagram can be unrolled", factor.graph, decisions)
    states = np.array([start_of(factor)])
    for layer in range(layout.layers):
        reached = []
        for choice in layout.choices(layer):
            following, scores = checked_step(factor, layer, choice, states)
            reached.append(following[(following >= 0) & (scores > -np.inf)])
            # The search steps any subset of states at a time.
            for part in _parts(states.size, rng):
                next_states, step_scores = checked_step(factor, layer, choice, states[part])
                # A forbidden step may be stated by a state or by a score; what the other says is of no use.
                alive = (next_states >= 0) & (step_scores > -np.inf)
                check.require(
                    np.array_equal(alive, (following[part] >= 0) & (scores[part] > -np.inf))
                    and np.array_equal(next_states[alive], following[part][alive])
                    and np.array_equal(step_scores[alive], scores[part][alive]),
                    "a step depends on nothing but layer, choice and state",
                    f"layer {layer}, choice {choice}, states {states[part].tolist()}: "
                    f"{next_states.tolist()} and {step_scores.tolist()}, but "
                    f"{following[part].tolist()} and {scores[part].tolist()} before",
                )
        states = np.unique(np.concatenate([np.zeros(0, np.int64), *reached]))[: _MOST // 4]
    ends = final_scores(factor, states)
    for part in _parts(states.size, rng):
        check.require(
            np.array_equal(final_scores(factor, states[part]), ends[part]),
            "a final score depends on nothing but the state",
            f"states {states[part].tolist()}",
        )
    if factor.can_be_relaxed and not graph.relaxed:
        exact = passes(graph, layout.scope, factor.value)
        free = np.full(layout.scope.size, -1, np.int8)
        for width in (1, 2, 3):
            coarse = unroll_within(factor, layout, width)
            if coarse is None:
                continue
            relaxed = passes(coarse, layout.scope, factor.value)
            for _ in range(samples):
                prices = rng.normal(0, 2, layout.scope.size)
                bound, true = relaxed.solve(prices, free)[0], exact.solve(prices, free)[0]
                check.require(
                    dominates(bound, true),
                    "coarser states allow as much as those that they stand for",
                    f"layers of {width} states, weights {(-prices).tolist()}: {bound!r} below {true!r}",
                )


def _parts(count: int, rng: np.random.Generator) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Choose subsets of the states: all, a single one, and a random half."""
    if not count:
        return []
    some = np.flatnonzero(rng.random(count) < 0.5)
    return [part for part in (np.arange(count), np.array([rng.integers(count)]), some) if part.size]
