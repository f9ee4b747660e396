"""Factors as decision diagrams: a step function over states, unrolled once into a layered graph."""

from __future__ import annotations

import contextlib
import operator
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import attrs
import numpy as np

import gapless_kernels
from gapless.core.decisions import Decisions
from gapless.core.errors import GaplessError, InvalidProblem
from gapless.core.factor import ConfigurationFactor, name_of
from gapless.core.layered_graph import Layer, LayeredGraph, packed
from gapless.core.score_array import LARGEST
from gapless.core.sparse import BoolArray, FloatArray, IntArray


class Diagram(ConfigurationFactor):
    """A factor that reads its decisions layer by layer and keeps a *state*: budgets, counts, automata.

    A subclass defines `layers`, `step`, and where they differ from the defaults `start`, `final` and `relax`.
    From these the framework makes a layered graph, once: equal states of a layer are one node, nodes that reach no
    end are left out, nodes with the same edges are merged (Bryant, *Graph-Based Algorithms for Boolean Function
    Manipulation*, 1986, section 4.2). `value` runs the steps; `best` and the compiled search pass over the graph.

    A factor is immutable: steps must not change between calls, nor depend on the other states of a call.

    Attributes
    ----------
    start : int
        State before the first layer, at least 0.
    limit : int
        Largest number of nodes. A diagram with more is relaxed where it has `relax`, else refused.
    """

    start: int = 0
    limit: ClassVar[int] = 1_000_000

    @abstractmethod
    def layers(self, decisions: Decisions) -> Sequence[Sequence[int]]:
        """The decisions that each layer reads, in the order in which they are read; none of them twice.

        A layer of one decision reads whether it is on. Of a layer of several at most one may be on: others are
        forbidden; where the layer has all decisions of a group of `Decisions.exactly_one`, one must be on.
        """

    @abstractmethod
    def step(self, layer: int, choice: int, states: IntArray) -> tuple[IntArray, FloatArray | float]:
        """What a choice does to each state of a layer.

        Parameters
        ----------
        layer : int
            Its number, from 0.
        choice : int
            Index in the layer of the decision that is on, -1 where none is.
        states : int64 (m,)
            States before the layer, ascending.

        Returns
        -------
        next : int64 (m,)
            States after the layer, at least 0; -1 forbids.
        scores : float64 (m,), or a number for all
            At most 1e12 in size; -inf forbids.
        """

    def final(self, states: IntArray) -> FloatArray | float:
        """Scores of the states after the last layer, float64 (m,); -inf forbids. By default 0."""
        return 0.0

    def relax(self, layer: int, states: IntArray) -> IntArray:
        """Coarser states, int64 (m,), for a layer with too many; those that become equal are merged.

        Whatever may follow a state must be allowed, with at least its score, after the coarser one: then bounds
        stay true. Called again while states are too many and grow fewer. By default a diagram is not relaxed.

        Parameters
        ----------
        layer : int
            The layer that the states stand before; after the last one, the number of layers.
        states : int64 (m,)
            Ascending.
        """
        raise NotImplementedError

    @property
    def can_be_relaxed(self) -> bool:
        """Whether the class defines `relax`."""
        return type(self).relax is not Diagram.relax

    # --- derived

    def scope(self, decisions: Decisions) -> IntArray:
        """The decisions of all layers, ascending."""
        return self.layout(decisions).scope.copy()

    def value(self, on: BoolArray) -> float:
        """Run the steps; -inf where two decisions of a layer are on, or none of a group."""
        on = np.asarray(on, bool)
        layout = _kept(self).of_size(self, on.size)
        state, total = np.array([_state(self)]), 0.0
        for layer, places in enumerate(layout.places):
            chosen = np.flatnonzero(on[places])
            if chosen.size > 1 or (not chosen.size and layout.whole[layer]):
                return -np.inf
            following, scores = stepped(self, layer, int(chosen[0]) if chosen.size else -1, state)
            if following[0] < 0 or scores[0] == -np.inf:
                return -np.inf
            state, total = following, total + float(scores[0])
        return total + float(ended(self, state)[0])

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """The longest path; of a relaxed diagram an upper bound, and the configuration of its path."""
        weights = np.asarray(weights, np.float64)
        passes = _kept(self).passes_of(self, _kept(self).of_size(self, weights.size))
        value, on = passes.solve(-weights, np.full(weights.size, -1, np.int8))
        return value, on == 1

    def graph(self, decisions: Decisions) -> LayeredGraph:
        """The layered graph over these decisions, made once.

        Raises
        ------
        InvalidProblem
            Steps of a wrong shape, NaN, plus infinity; more nodes than `limit`.
        """
        return _kept(self).graph_of(self, self.layout(decisions))

    def layout(self, decisions: Decisions) -> Layout:
        """The scope, and the places in it that each layer reads."""
        return _kept(self).over(self, decisions)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Copies and pickles know the layouts, as a copied problem does not ask for scopes again."""
        made = super().__reduce_ex__(max(protocol, 2))
        return (_copied, (_kept(self).layouts, *made[1]), *made[2:]) if isinstance(made, tuple) else made

    def compiled(self, decisions: Decisions) -> Any:
        """Compiled passes over the graph; None without compiled kernels."""
        if not gapless_kernels.COMPILED:
            return None
        layout = self.layout(decisions)
        return passes(_kept(self).graph_of(self, layout), layout.scope, self.value)


@attrs.frozen(eq=False)
class Layout:
    """Where the layers of a diagram stand in its scope.

    Parameters
    ----------
    scope : int64 (count,)
        Decisions, ascending.
    places : tuple of int64 arrays
        For each layer the places in the scope of its decisions, in their order.
    whole : tuple of bool
        Whether one of the layer's decisions must be on.
    """

    scope: IntArray
    places: tuple[IntArray, ...]
    whole: tuple[bool, ...]

    @property
    def key(self) -> Any:
        """Equal where diagrams over two sets of decisions are the same."""
        return tuple(place.tobytes() for place in self.places), self.whole

    def choices(self, layer: int) -> range:
        """The choices of a layer: -1, unless one must be on, and its indices."""
        return range(0 if self.whole[layer] else -1, self.places[layer].size)


class _Kept:
    """What a diagram has been laid out and unrolled over; copies and pickles keep the layouts."""

    def __init__(self, layouts: Sequence[Layout] = ()) -> None:
        self._layouts: WeakKeyDictionary[Decisions, Layout] = WeakKeyDictionary()
        self._by_key: dict[Any, Layout] = {}
        self._by_size: dict[int, list[Layout]] = {}
        self._graphs: dict[Any, LayeredGraph] = {}
        self._passes: dict[Any, Any] = {}
        for layout in layouts:
            self._know(layout)

    def __reduce__(self) -> Any:
        return _Kept, (self.layouts,)

    @property
    def layouts(self) -> list[Layout]:
        """All that differ."""
        return list(self._by_key.values())

    def _know(self, layout: Layout) -> None:
        if layout.key not in self._by_key:
            self._by_key[layout.key] = layout
            self._by_size.setdefault(layout.scope.size, []).append(layout)

    def over(self, factor: Diagram, decisions: Decisions) -> Layout:
        found = self._layouts.get(decisions)
        if found is None:
            found = self._layouts[decisions] = _laid_out(factor, decisions)
            self._know(found)
        return found

    def of_size(self, factor: Diagram, size: int) -> Layout:
        """The layout that a configuration of `size` decisions belongs to."""
        found = self._by_size.get(size, ())
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidProblem(
                f"factor {name_of(factor)}: it stands over two problems that give it {size} decisions each, but in "
                "different layers; make a factor for each"
            )
        raise InvalidProblem(
            f"factor {name_of(factor)}: a configuration of {size} decisions, but scope() listed "
            f"{' or '.join(map(str, sorted(self._by_size))) or 'none yet; call scope(decisions) first'}"
        )

    def graph_of(self, factor: Diagram, layout: Layout) -> LayeredGraph:
        if layout.key not in self._graphs:
            self._graphs[layout.key] = unrolled(factor, layout)
        return self._graphs[layout.key]

    def passes_of(self, factor: Diagram, layout: Layout) -> Any:
        if layout.key not in self._passes:
            self._passes[layout.key] = passes(self.graph_of(factor, layout), layout.scope, factor.value)
        return self._passes[layout.key]


def _kept(factor: Diagram) -> _Kept:
    found: _Kept | None = factor.__dict__.get("_kept")
    if found is None:
        found = _Kept()
        object.__setattr__(factor, "_kept", found)  # also where the class is frozen
    return found


def _copied(layouts: Sequence[Layout], cls: Any, *arguments: Any) -> Any:
    made = cls.__new__(cls, *arguments)
    object.__setattr__(made, "_kept", _Kept(layouts))
    return made


def passes(graph: LayeredGraph, scope: IntArray, value: Any) -> Any:
    """Passes over a graph, with room of their own: compiled, or their NumPy twin."""
    if gapless_kernels.COMPILED:
        from gapless_kernels.search._diagram import DiagramFactor  # noqa: PLC0415  loaded when it is used
    else:
        from gapless_kernels.search._diagram_twin import DiagramFactor  # type: ignore[assignment]  # noqa: PLC0415
    return DiagramFactor(
        scope,
        graph.layer_nodes,
        graph.layer_blocks,
        graph.places,
        graph.sources,
        graph.counts,
        graph.target_at,
        graph.score_at,
        graph.constants,
        graph.targets,
        graph.scores,
        graph.final,
        exact_value=value if graph.relaxed else None,
    )


# --- the user's functions, checked


@contextlib.contextmanager
def _noted(factor: Diagram, call: str) -> Iterator[None]:
    try:
        yield
    except GaplessError:
        raise  # the message names its origin
    except Exception as error:
        error.add_note(f"raised in {call} of the factor {name_of(factor)!r} ({type(factor).__qualname__})")
        raise


def _state(factor: Diagram) -> int:
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
    with _noted(factor, f"step({layer}, {choice}, states)"):
        given: Any = factor.step(layer, choice, states.copy())
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


def ended(factor: Diagram, states: IntArray) -> FloatArray:
    """`Diagram.final`, checked; not asked where there are no states."""
    if not states.size:
        return np.zeros(0)
    with _noted(factor, "final(states)"):
        given = factor.final(states.copy())
    scores = _numbers(given, states.size, lambda: f"factor {name_of(factor)}: final() gave scores")
    _check_numbers(scores, states, lambda: f"factor {name_of(factor)}: the final score")
    return scores


def _place(factor: Diagram, layer: int, choice: int) -> str:
    said = f"choice {choice}" if choice >= 0 else "choice -1 (none is on)"
    return f"factor {name_of(factor)}: step of layer {layer}, {said},"


def _integers(factor: Diagram, given: Any, size: int, place: Any, lowest: int = -1) -> IntArray:
    array = np.asarray(given)
    if array.dtype.kind not in "iu" or array.shape != (size,):
        raise InvalidProblem(
            f"{place()} gave states of shape {array.shape} and dtype {array.dtype}, expected integers of shape ({size},)"
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


def _laid_out(factor: Diagram, decisions: Decisions) -> Layout:
    name = name_of(factor)
    with _noted(factor, "layers()"):
        given = [list(layer) for layer in factor.layers(decisions)]
    try:
        listed = [np.array([operator.index(d) for d in layer], np.int64) for layer in given]
    except TypeError as error:
        raise InvalidProblem(f"factor {name}: layers() must list decisions, integers: {error}") from error
    for number, layer in enumerate(listed):
        if layer.size and not 0 <= layer.min() <= layer.max() < decisions.count:
            raise InvalidProblem(
                f"factor {name}: layer {number} reads {layer.tolist()}, but there are decisions "
                f"0..{decisions.count - 1} only"
            )
    joined = np.concatenate([np.zeros(0, np.int64), *listed])
    scope, times = np.unique(joined, return_counts=True)
    if np.any(times > 1):
        twice = int(scope[times > 1][0])
        numbers = [number for number, layer in enumerate(listed) if twice in layer]
        raise InvalidProblem(
            f"factor {name}: the decision {twice} ({decisions.name(twice)}) is read twice, in layers {numbers}; "
            "read it once, and keep what matters of it in the state"
        )
    widths = {layer.size for layer in listed if layer.size}
    groups = {frozenset(map(int, group)) for group in decisions.exactly_one if len(group) in widths}
    return Layout(
        scope,
        tuple(np.searchsorted(scope, layer) for layer in listed),
        tuple(layer.size > 0 and frozenset(layer.tolist()) in groups for layer in listed),
    )


# --- unrolling


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
    states = np.array([_state(factor)])
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
    """All steps of a layer, (choices, m), -1 where a choice is forbidden: checked together, one by one where something is wrong."""
    targets = np.empty((len(choices), states.size), np.int64)
    scores = np.empty((len(choices), states.size))
    if not states.size:
        return targets, scores
    states.flags.writeable = False
    choice = -1
    try:
        for row, choice in enumerate(choices):
            following, score = factor.step(layer, choice, states)
            if not isinstance(following, np.ndarray) or following.dtype != np.int64 or following.shape != states.shape:
                following, score = stepped(factor, layer, choice, states)
            elif isinstance(score, np.ndarray) and (score.dtype.kind not in "biuf" or score.shape not in (states.shape, ())):
                following, score = stepped(factor, layer, choice, states)
            targets[row], scores[row] = following, score
    except GaplessError:
        raise
    except Exception:
        stepped(factor, layer, choice, states)  # says where
        raise
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
        with _noted(factor, f"relax({layer}, states)"):
            given = factor.relax(layer, left.copy())
        coarser = _integers(factor, given, left.size, lambda: f"factor {name_of(factor)}: relax({layer})", 0)
        whole = coarser[np.searchsorted(left, whole)]
        fewer = np.unique(coarser)
        if fewer.size >= left.size:
            break
        left = fewer
    return whole
