"""Unrolling of a diagram: its steps over the states of each layer, checked, and equal states merged."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gapless.core.errors import GaplessError, InvalidProblem, OracleError
from gapless.core.factor import name_of, named_after
from gapless.core.layered_graph import Layer, LayeredGraph, packed
from gapless.core.score_array import LARGEST
from gapless.core.sparse import FloatArray, IntArray

if TYPE_CHECKING:
    from gapless.core.diagram import Diagram
    from gapless.core.diagram_layout import Layout


def start_of(factor: Diagram) -> int:
    """`Diagram.start`, checked."""
    try:
        start = operator.index(factor.start)
    except TypeError as error:
        raise InvalidProblem(
            f"factor {name_of(factor)}: start is {factor.start!r}, expected a state: an integer"
        ) from error
    if start < 0:
        raise InvalidProblem(f"factor {name_of(factor)}: start is {start}, states are at least 0")
    return start


def stepped(factor: Diagram, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray]:
    """`Diagram.step`, checked; not asked where there are no states."""
    if not states.size:
        return states, np.zeros(0)
    try:
        given: Any = factor.step(layer, choice, states.copy())
    except GaplessError:
        raise
    except Exception as error:
        raise _raised(_place(factor, layer, choice), error) from error
    try:
        following, scores = given
    except (TypeError, ValueError) as error:
        raise InvalidProblem(
            f"{_place(factor, layer, choice)} gave {given!r:.80}, expected two arrays: next states, and scores"
        ) from error
    following = _integers(factor, following, states.size, lambda: _place(factor, layer, choice))
    scores = _numbers(scores, states.size, lambda: f"{_place(factor, layer, choice)}: scores")
    _check_numbers(scores, states, lambda: f"{_place(factor, layer, choice)}: the score")
    return following, scores


def step_alone(factor: Diagram, layer: int, choice: int, state: IntArray) -> tuple[IntArray, float]:
    """`stepped` for one state: checked in full only where the answer has another form than usual."""
    try:
        given: Any = factor.step(layer, choice, state)
    except GaplessError:
        raise
    except Exception as error:
        stepped(factor, layer, choice, state)  # says where
        raise _raised(_place(factor, layer, choice), error) from error
    if type(given) is tuple and len(given) == 2:
        following, score = given
        if type(following) is np.ndarray and following.dtype == np.int64 and following.shape == (1,):
            if type(score) is np.ndarray and score.dtype == np.float64 and score.shape == (1,):
                score = score.item()
            if type(score) is float and following[0] >= -1 and -LARGEST <= score <= LARGEST:
                return following, score
    following, scores = stepped(factor, layer, choice, state)
    return following, float(scores[0])


def ended(factor: Diagram, states: IntArray) -> FloatArray:
    """`Diagram.final`, checked; not asked where there are no states."""
    if not states.size:
        return np.zeros(0)
    try:
        given = factor.final(states.copy())
    except GaplessError:
        raise
    except Exception as error:
        raise _raised(f"factor {name_of(factor)}: final()", error) from error
    scores = _numbers(given, states.size, lambda: f"factor {name_of(factor)}: final() gave scores")
    _check_numbers(scores, states, lambda: f"factor {name_of(factor)}: the final score")
    return scores


def _place(factor: Diagram, layer: int, choice: int) -> str:
    said = f"choice {choice}" if choice >= 0 else "choice -1 (none is on)"
    return f"factor {name_of(factor)}: step of layer {layer}, {said},"


def _raised(where: str, error: Exception) -> OracleError:
    return OracleError(f"{where} raised {type(error).__name__}: {error}")


def _integers(factor: Diagram, given: Any, size: int, place: Any, lowest: int = -1) -> IntArray:
    array = np.asarray(given)
    if array.dtype.kind not in "iu" or array.shape != (size,):
        raise InvalidProblem(
            f"{place()} gave states of shape {array.shape} and dtype {array.dtype}, "
            f"expected integers of shape ({size},)"
        )
    array = array.astype(np.int64, copy=False)
    if size and array.min() < lowest:
        raise InvalidProblem(f"{place()} gave the state {array.min()}; states are at least 0, and -1 forbids")
    return array


def _numbers(given: Any, size: int, place: Any) -> FloatArray:
    if isinstance(given, float | int):
        return np.full(size, float(given))
    array = np.asarray(given)
    if array.dtype.kind not in "biuf" or array.shape not in ((size,), ()):
        raise InvalidProblem(
            f"{place()} of shape {array.shape} and dtype {array.dtype}, expected numbers of shape ({size},)"
        )
    return np.broadcast_to(array.astype(np.float64, copy=False), (size,))


def _check_numbers(scores: FloatArray, states: IntArray, place: Any) -> None:
    bad = ~((np.abs(scores) <= LARGEST) | (scores == -np.inf))
    if bad.any():
        at = int(bad.argmax())
        raise InvalidProblem(
            f"{place()} of state {states[at]} is {scores[at]}; expected at most {LARGEST:g} in size, or -inf"
        )


def unrolled(factor: Diagram, layout: Layout) -> LayeredGraph:
    """Run the steps over the states of each layer, and merge what is equal."""
    found = run_within(factor, layout, None)
    if found is None:
        if not factor.can_be_relaxed:
            raise _too_large(factor, layout, "")
        found = run_within(factor, layout, max(1, factor.limit // (len(layout.places) + 1)))
    if found is None:
        raise _too_large(factor, layout, ", also after relax()")
    return found


def _too_large(factor: Diagram, layout: Layout, also: str) -> InvalidProblem:
    return InvalidProblem(
        f"factor {name_of(factor)}: its diagram over {layout.scope.size} decisions in {len(layout.places)} layers "
        f"has more than {factor.limit} nodes{also}. Use fewer states (round weights, read decisions that belong "
        "together next to each other), give the class relax(layer, states), which makes a bound of coarser states, "
        "or a larger `limit`; or write a ConfigurationFactor with a best() of its own"
    )


def run_within(factor: Diagram, layout: Layout, width: int | None) -> LayeredGraph | None:
    """The graph; None beyond the limit. `width`: layers with more states are relaxed."""
    states = np.array([start_of(factor)])
    nodes, relaxed = 1, False
    layers = []
    for number, places in enumerate(layout.places):
        targets, scores = _steps(factor, number, layout.choices(number), states)
        # `reached`, ascending, and the number of each state in it.
        most = int(targets.max(initial=-1))
        if most < 4 * targets.size + 1024:
            held = np.zeros(most + 2, bool)
            held[targets] = True  # -1 is the last place
            held[-1] = False
            reached, rank = np.flatnonzero(held), np.cumsum(held) - 1
            rank[-1] = -1
            targets = rank[targets]
        else:
            reached, inverse = np.unique(np.append(targets, -1), return_inverse=True)
            reached, targets = reached[1:], (inverse[:-1] - 1).reshape(targets.shape)
        if width is not None and reached.size > width:
            relaxed = True
            reached, merged = np.unique(coarser_states(factor, number + 1, reached, width), return_inverse=True)
            targets = np.append(merged, -1)[targets]
        nodes += reached.size
        if nodes > factor.limit:
            return None
        own = places if layout.whole[number] else np.concatenate([[-1], places])
        layers.append(Layer(own, targets, scores))
        states = reached
    return packed(layers, ended(factor, states), layout.scope.size, relaxed=relaxed, reached=nodes)


def _steps(factor: Diagram, layer: int, choices: range, states: IntArray) -> tuple[IntArray, FloatArray]:
    """All steps of a layer, (choices, m), -1 where a choice is forbidden; checked together first."""
    targets = np.empty((len(choices), states.size), np.int64)
    scores = np.empty((len(choices), states.size))
    if not states.size:
        return targets, scores
    states.flags.writeable = False
    choice = -1
    try:
        for row, choice in enumerate(choices):
            following, score = factor.step(layer, choice, states)
            if (
                not isinstance(following, np.ndarray)
                or following.dtype != np.int64
                or following.shape != states.shape
                or (
                    isinstance(score, np.ndarray)
                    and (score.dtype.kind not in "biuf" or score.shape not in (states.shape, ()))
                )
            ):
                following, score = stepped(factor, layer, choice, states)
            targets[row], scores[row] = following, score
    except GaplessError:
        raise
    except Exception as error:
        stepped(factor, layer, choice, states)  # says where
        raise _raised(_place(factor, layer, choice), error) from error
    if targets.size and not (targets.min() >= -1 and scores.min() >= -LARGEST and scores.max() <= LARGEST):
        for choice in choices:
            stepped(factor, layer, choice, states)
        targets[scores == -np.inf] = -1
    return targets, scores


def coarser_states(factor: Diagram, layer: int, states: IntArray, width: int) -> IntArray:
    """The coarser state of each state."""
    whole = states
    left = states
    while left.size > width:
        with named_after(factor, "relax", f"{layer}, states"):
            given = factor.relax(layer, left.copy())
        coarser = _integers(factor, given, left.size, lambda: f"factor {name_of(factor)}: relax({layer})", 0)
        whole = coarser[np.searchsorted(left, whole)]
        fewer = np.unique(coarser)
        if fewer.size >= left.size:
            break
        left = fewer
    return whole
