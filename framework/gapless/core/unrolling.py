"""Unrolling of a diagram: its steps over the states of each layer, checked, and equal states merged."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

import gapless_kernels
from gapless.core.errors import GaplessError, InvalidProblem, OracleError
from gapless.core.factor import name_of
from gapless.core.layered_graph import LayeredGraph
from gapless.core.score_array import LARGEST
from gapless.core.sparse import FloatArray, IntArray

if TYPE_CHECKING:
    from gapless.core.diagram import Diagram
    from gapless.core.diagram_layout import Layout

NARROW = 32
"""In layers of fewer nodes, equal ones are not looked for: that takes longer than a pass over them."""


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
    return _checked(factor, layer, choice, states, given)


def _checked(factor: Diagram, layer: int, choice: int, states: IntArray, given: Any) -> tuple[IntArray, FloatArray]:
    """The answer of a step, in the types of arrays."""
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


def unrolling(largest: float) -> Any:
    """Room for a graph that is made layer after layer: compiled, or its NumPy twin."""
    if gapless_kernels.COMPILED:
        from gapless_kernels.diagrams._unrolling import Unrolling  # noqa: PLC0415  loaded when it is used
    else:
        from gapless_kernels.diagrams._unrolling_twin import Unrolling  # type: ignore[assignment]  # noqa: PLC0415
    return Unrolling(largest)


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
        found = run_within(factor, layout, max(1, factor.limit // (layout.layers + 1)))
    if found is None:
        raise _too_large(factor, layout, ", also after relax()")
    return found


def _too_large(factor: Diagram, layout: Layout, also: str) -> InvalidProblem:
    return InvalidProblem(
        f"factor {name_of(factor)}: its diagram over {layout.scope.size} decisions in {layout.layers} layers "
        f"has more than {factor.limit} nodes{also}. Use fewer states (round weights, read decisions that belong "
        "together next to each other), give the class relax(layer, states), which makes a bound of coarser states, "
        "or a larger `limit`; or write a ConfigurationFactor with a best() of its own"
    )


def run_within(factor: Diagram, layout: Layout, width: int | None) -> LayeredGraph | None:
    """The graph; None beyond the limit. `width`: layers with more states are relaxed."""
    states = np.array([start_of(factor)])
    taken, relaxed = unrolling(LARGEST), False
    for number in range(layout.layers):
        reached = _followed(taken, factor, number, layout.choices(number), states)
        if width is not None and reached.size > width:
            relaxed = True
            coarser = coarser_states(factor, number + 1, reached, width)
            reached, merged = np.unique(coarser, return_inverse=True)
            taken.coarsen(merged, reached.size)
        if taken.nodes > factor.limit:
            return None
        states = reached
    layer_nodes, layer_blocks, *edges = taken.graph(ended(factor, states), NARROW)
    parts: list[Any] = [layer_nodes, layer_blocks, layout.blocks, *edges, relaxed, taken.nodes]
    return LayeredGraph(layout.scope.size, *parts)


def _followed(taken: Any, factor: Diagram, layer: int, choices: range, states: IntArray) -> IntArray:
    """All steps of a layer, taken in; what they reach. Answers in an unusual form are checked one by one."""
    reached: IntArray | None
    if not states.size:
        reached = taken.follow([(states, 0.0)] * len(choices))
        assert reached is not None
        return reached
    states.flags.writeable = False
    try:
        reached = taken.follow([factor.step(layer, choice, states) for choice in choices])
    except (GaplessError, MemoryError):
        raise
    except Exception as error:
        for choice in choices:
            stepped(factor, layer, choice, states)  # says where
        raise _raised(f"factor {name_of(factor)}: a step of layer {layer}", error) from error
    if reached is None:
        made = [stepped(factor, layer, choice, states) for choice in choices]
        reached = taken.follow([tuple(map(np.ascontiguousarray, one)) for one in made])
        assert reached is not None
    return reached


def coarser_states(factor: Diagram, layer: int, states: IntArray, width: int) -> IntArray:
    """The coarser state of each state."""
    whole = states
    left = states
    while left.size > width:
        try:
            given = factor.relax(layer, left.copy())
        except GaplessError:
            raise
        except Exception as error:
            raise _raised(f"factor {name_of(factor)}: relax({layer}, states)", error) from error
        coarser = _integers(factor, given, left.size, lambda: f"factor {name_of(factor)}: relax({layer})", 0)
        whole = coarser[np.searchsorted(left, whole)]
        fewer = np.unique(coarser)
        if fewer.size >= left.size:
            break
        left = fewer
    return whole
