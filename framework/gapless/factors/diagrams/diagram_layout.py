"""The layout of a diagram: which decisions of its scope each layer reads."""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import BoolArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.errors import InvalidProblem
from gapless.factors.diagrams.diagram_steps import DiagramSteps
from gapless.factors.error_notes import factor_name, named_after


@attrs.frozen(eq=False)
class DiagramLayout:
    """The decisions that each layer of a diagram reads, as indices in its scope.

    Parameters
    ----------
    scope : int64 (count,)
        Decisions, ascending.
    read : int64 (count,)
        Indices in the scope, in the order in which the layers read them.
    first : int64 (layers + 1,)
        The begin of each layer in `read`.
    whole : bool (layers,)
        Whether one of the layer's decisions must be on.
    """

    scope: IntArray
    read: IntArray
    first: IntArray
    whole: BoolArray

    @functools.cached_property
    def places(self) -> tuple[IntArray, ...]:
        """For each layer the scope indices of its decisions, in their order."""
        first = self.first.tolist()
        return tuple(self.read[begin:end] for begin, end in itertools.pairwise(first))

    @property
    def layers(self) -> int:
        """Number of layers."""
        return self.first.size - 1

    @functools.cached_property
    def blocks(self) -> IntArray:
        """The scope index that each choice of each layer turns on, -1 for none; as in `LayeredGraph.places`."""
        # A layer that is no whole group begins with the choice that turns nothing on.
        indices = np.insert(self.read, self.first[:-1][~self.whole], -1)
        indices.flags.writeable = False
        return indices

    @functools.cached_property
    def first_choice(self) -> IntArray:
        """The begin of the choices of each layer in `blocks`, int64 (layers + 1,)."""
        first_choice: IntArray = self.first + np.concatenate([[0], np.cumsum(~self.whole)])
        return first_choice

    def chosen(self, on: BoolArray) -> list[int] | None:
        """Return the choice of a configuration, bool (count,), in each layer; None if one is forbidden."""
        layer, index = self._reader
        indices_on = np.flatnonzero(on)
        choices = np.full(self.layers, -1)
        choices[layer[indices_on]] = index[indices_on]
        # Fewer layers with a choice than decisions on: two decisions of a layer are on.
        if np.count_nonzero(choices >= 0) < indices_on.size or np.any(choices[self._required] < 0):
            return None
        listed: list[int] = choices.tolist()  # steps take Python integers
        return listed

    @functools.cached_property
    def free(self) -> NDArray[np.int8]:
        """The state in which every decision is free, int8 (count,)."""
        return np.full(self.scope.size, -1, np.int8)

    @functools.cached_property
    def _reader(self) -> tuple[IntArray, IntArray]:
        """The layer that reads each decision of the scope, and its index in the layer."""
        layer, index = np.empty_like(self.read), np.empty_like(self.read)
        number = np.repeat(np.arange(self.layers), np.diff(self.first))
        layer[self.read], index[self.read] = number, np.arange(self.read.size) - self.first[number]
        return layer, index

    @functools.cached_property
    def _required(self) -> IntArray:
        """Layers in which a decision must be on."""
        return np.flatnonzero(self.whole)

    @functools.cached_property
    def key(self) -> Any:
        """A key that is equal for layouts with the same graph: it does not depend on the ids of the decisions."""
        return self.read.tobytes(), self.first.tobytes(), self.whole.tobytes()

    def choices(self, layer: int) -> range:
        """Return the choices of a layer: -1, unless a decision must be on, and its indices."""
        ends, needs_decision = self._lists
        begin, end = ends[layer : layer + 2]
        return range(0 if needs_decision[layer] else -1, end - begin)

    @functools.cached_property
    def _lists(self) -> tuple[list[int], list[bool]]:
        """`first` and `whole` as lists: reading single entries of arrays would take longer than most steps."""
        return self.first.tolist(), self.whole.tolist()


def lay_out_diagram(factor: DiagramSteps, decisions: Decisions) -> DiagramLayout:
    """Call `DecisionDiagram.layers` and check its result."""
    name = factor_name(factor)
    with named_after(factor, "layers"):
        raw = factor.layers(decisions)
    try:
        layers = [list(layer) for layer in raw]
        read = np.array([operator.index(d) for layer in layers for d in layer], np.int64)
    except (OverflowError, TypeError) as error:
        raise InvalidProblem(f"factor {name}: layers() must list decisions, integers: {error}") from error
    if read.size and not 0 <= read.min() <= read.max() < decisions.count:
        number = next(n for n, layer in enumerate(layers) if not all(0 <= d < decisions.count for d in layer))
        raise InvalidProblem(
            f"factor {name}: layer {number} reads {[int(d) for d in layers[number]]}, but there are decisions "
            f"0..{decisions.count - 1} only"
        )
    scope = np.sort(read)
    repeats = np.flatnonzero(scope[1:] == scope[:-1])
    if repeats.size:
        twice = int(scope[repeats[0]])
        numbers = [number for number, layer in enumerate(layers) if twice in layer]
        raise InvalidProblem(
            f"factor {name}: the decision {twice} ({decisions.name(twice)}) is read twice, in layers {numbers}; "
            "read it once, and keep what matters of it in the state"
        )
    sizes = [len(layer) for layer in layers]
    # Sets of large groups are costly: only groups as large as some layer can be one.
    widths = set(sizes) - {0}
    groups = {frozenset(map(int, group)) for group in decisions.exactly_one if len(group) in widths}
    whole = np.zeros(len(layers), bool)
    if groups:
        whole[:] = [frozenset(map(int, layer)) in groups for layer in layers]
    return DiagramLayout(scope, np.searchsorted(scope, read), np.cumsum([0, *sizes]), whole)
