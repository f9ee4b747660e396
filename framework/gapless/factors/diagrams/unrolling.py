"""Unrolling of a diagram: it runs the steps over the states of each layer, checks them, and merges equal states."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import gapless_kernels
from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.errors import GaplessError, InvalidProblem, OracleError
from gapless.factors.diagrams.diagram_layout import DiagramLayout
from gapless.factors.diagrams.diagram_steps import DiagramSteps
from gapless.factors.diagrams.layered_graph import LayeredGraph
from gapless.factors.error_notes import factor_name

NARROW = 32
"""Layers of fewer nodes are not searched for equal ones: that would take longer than a pass (decision 035)."""


def start_of(factor: DiagramSteps) -> int:
    """Return `DecisionDiagram.start`, checked."""
    try:
        start = operator.index(factor.start)
    except TypeError as error:
        raise InvalidProblem(
            f"factor {factor_name(factor)}: start is {factor.start!r}, expected a state: an integer"
        ) from error
    if start < 0:
        raise InvalidProblem(f"factor {factor_name(factor)}: start is {start}, states are at least 0")
    return start


def checked_step(factor: DiagramSteps, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray]:
    """Call `DecisionDiagram.step` and check its result; not called without states."""
    if not states.size:
        return states, np.zeros(0)
    try:
        raw: Any = factor.step(layer, choice, states.copy())  # a user's step may write to its argument
    except GaplessError:
        raise
    except Exception as error:
        raise _raised(_place(factor, layer, choice), error) from error
    try:
        following, scores = raw
    except (TypeError, ValueError) as error:
        raise InvalidProblem(
            f"{_place(factor, layer, choice)} gave {raw!r:.80}, expected two arrays: next states, and scores"
        ) from error
    following = _integers(following, states.size, lambda: _place(factor, layer, choice))
    scores = _numbers(scores, states.size, lambda: f"{_place(factor, layer, choice)}: scores")
    _check_numbers(scores, states, lambda: f"{_place(factor, layer, choice)}: the score")
    return following, scores


def step_single(factor: DiagramSteps, layer: int, choice: int, state: IntArray) -> tuple[IntArray, float]:
    """As `checked_step`, but for one state; it makes the full checks only if the result has an unusual form."""
    try:
        raw: Any = factor.step(layer, choice, state)
    except GaplessError:
        raise
    except Exception as error:
        checked_step(factor, layer, choice, state)  # raises an error with the location
        raise _raised(_place(factor, layer, choice), error) from error
    if type(raw) is tuple and len(raw) == 2:
        following, score = raw
        if type(following) is np.ndarray and following.dtype == np.int64 and following.shape == (1,):
            if type(score) is np.ndarray and score.dtype == np.float64 and score.shape == (1,):
                score = score.item()
            if type(score) is float and following[0] >= -1 and -LARGEST <= score <= LARGEST:
                return following, score
    following, scores = checked_step(factor, layer, choice, state)
    return following, float(scores[0])


def final_scores(factor: DiagramSteps, states: IntArray) -> FloatArray:
    """Call `DecisionDiagram.final` and check its result; not called without states."""
    if not states.size:
        return np.zeros(0)
    try:
        raw = factor.final(states.copy())
    except GaplessError:
        raise
    except Exception as error:
        raise _raised(f"factor {factor_name(factor)}: final()", error) from error
    scores = _numbers(raw, states.size, lambda: f"factor {factor_name(factor)}: final() gave scores")
    _check_numbers(scores, states, lambda: f"factor {factor_name(factor)}: the final score")
    return scores


def unrolling(largest: float) -> Any:
    """Make a builder of graphs, layer after layer: compiled, or its NumPy twin."""
    if gapless_kernels.COMPILED:
        from gapless_kernels.diagrams._unrolling import Unrolling  # noqa: PLC0415  loaded when it is used
    else:
        from gapless_kernels.diagrams._unrolling_twin import Unrolling  # type: ignore[assignment]  # noqa: PLC0415
    return Unrolling(largest)


def _place(factor: DiagramSteps, layer: int, choice: int) -> str:
    choice_name = f"choice {choice}" if choice >= 0 else "choice -1 (none is on)"
    return f"factor {factor_name(factor)}: step of layer {layer}, {choice_name},"


def _raised(location: str, error: Exception) -> OracleError:
    return OracleError(f"{location} raised {type(error).__name__}: {error}")


# Locations are functions: steps are many, and building the words of a message each time would be the slow part.


def _integers(values: Any, size: int, location: Callable[[], str], lowest: int = -1) -> IntArray:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.shape != (size,):
        raise InvalidProblem(
            f"{location()} gave states of shape {array.shape} and dtype {array.dtype}, "
            f"expected integers of shape ({size},)"
        )
    array = array.astype(np.int64, copy=False)
    if size and array.min() < lowest:
        raise InvalidProblem(f"{location()} gave the state {array.min()}; states are at least 0, and -1 forbids")
    return array


def _numbers(values: Any, size: int, location: Callable[[], str]) -> FloatArray:
    if isinstance(values, float | int):
        return np.full(size, float(values))
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or array.shape not in ((size,), ()):
        raise InvalidProblem(
            f"{location()} of shape {array.shape} and dtype {array.dtype}, expected numbers of shape ({size},)"
        )
    return np.broadcast_to(array.astype(np.float64, copy=False), (size,))


def _check_numbers(scores: FloatArray, states: IntArray, location: Callable[[], str]) -> None:
    bad = ~((np.abs(scores) <= LARGEST) | (scores == -np.inf))
    if bad.any():
        index = int(bad.argmax())
        raise InvalidProblem(
            f"{location()} of state {states[index]} is {scores[index]}; expected at most {LARGEST:g} in size, "
            "or -inf"
        )


def unrolled(factor: DiagramSteps, layout: DiagramLayout) -> LayeredGraph:
    """Run the steps over the states of each layer, and merge equal states; relax the diagram if it is too large."""
    graph = unroll_within(factor, layout, None)
    if graph is None:
        if not factor.can_be_relaxed:
            raise _too_large(factor, layout, "")
        # Layers of equal width, so that all of them together stay within the limit.
        graph = unroll_within(factor, layout, max(1, factor.limit // (layout.layers + 1)))
    if graph is None:
        raise _too_large(factor, layout, ", also after relax()")
    return graph


def _too_large(factor: DiagramSteps, layout: DiagramLayout, also: str) -> InvalidProblem:
    return InvalidProblem(
        f"factor {factor_name(factor)}: its diagram over {layout.scope.size} decisions in {layout.layers} layers "
        f"has more than {factor.limit} nodes{also}. Use fewer states (round weights, read decisions that belong "
        "together next to each other), give the class relax(layer, states), which makes a bound of coarser states, "
        "or a larger `limit`; or write a ConfigurationFactor with a best() of its own"
    )


def unroll_within(factor: DiagramSteps, layout: DiagramLayout, width: int | None) -> LayeredGraph | None:
    """Unroll a diagram; return None beyond the limit. `width`: layers with more states are relaxed."""
    states = np.array([start_of(factor)])
    builder, relaxed = unrolling(LARGEST), False
    for number in range(layout.layers):
        next_states = _follow_layer(builder, factor, number, layout.choices(number), states)
        if width is not None and next_states.size > width:
            relaxed = True
            coarser = coarser_states(factor, number + 1, next_states, width)
            next_states, merged = np.unique(coarser, return_inverse=True)
            builder.coarsen(merged, next_states.size)
        # Checked layer by layer: a diagram without bound must not fill the memory first.
        if builder.nodes > factor.limit:
            return None
        states = next_states
    layer_nodes, layer_blocks, *edges = builder.graph(final_scores(factor, states), NARROW)
    arrays: list[Any] = [layer_nodes, layer_blocks, layout.blocks, *edges, relaxed, builder.nodes]
    return LayeredGraph(layout.scope.size, *arrays)


def _follow_layer(builder: Any, factor: DiagramSteps, layer: int, choices: range, states: IntArray) -> IntArray:
    """Add all steps of a layer to the builder and return the next states.

    The builder takes results in the usual form as they are; others are checked one by one (decision 042).
    """
    next_states: IntArray | None
    if not states.size:
        next_states = builder.follow([(states, 0.0)] * len(choices))
        assert next_states is not None
        return next_states
    states.flags.writeable = False  # one array for all choices, so no step may write to it
    try:
        next_states = builder.follow([factor.step(layer, choice, states) for choice in choices])
    except (GaplessError, MemoryError):
        raise
    except Exception as error:
        for choice in choices:
            checked_step(factor, layer, choice, states)  # raises an error with the location
        raise _raised(f"factor {factor_name(factor)}: a step of layer {layer}", error) from error
    if next_states is None:
        steps = [checked_step(factor, layer, choice, states) for choice in choices]
        next_states = builder.follow([tuple(map(np.ascontiguousarray, step)) for step in steps])
        assert next_states is not None
    return next_states


def coarser_states(factor: DiagramSteps, layer: int, states: IntArray, width: int) -> IntArray:
    """Return the coarser state of each state; `relax` is called until there are `width` at most, or no fewer."""
    result = remaining = states
    while remaining.size > width:
        try:
            raw = factor.relax(layer, remaining.copy())
        except GaplessError:
            raise
        except Exception as error:
            raise _raised(f"factor {factor_name(factor)}: relax({layer}, states)", error) from error
        coarser = _integers(raw, remaining.size, lambda: f"factor {factor_name(factor)}: relax({layer})", 0)
        result = coarser[np.searchsorted(remaining, result)]
        fewer = np.unique(coarser)
        if fewer.size >= remaining.size:
            break
        remaining = fewer
    return result
