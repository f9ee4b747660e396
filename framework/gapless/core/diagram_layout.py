"""Places of the layers of a diagram in its scope."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.decisions import Decisions
from gapless.core.errors import InvalidProblem
from gapless.core.factor import name_of, named_after
from gapless.core.sparse import BoolArray, IntArray

if TYPE_CHECKING:
    from gapless.core.diagram import Diagram


@attrs.frozen(eq=False)
class Layout:
    """Places of the layers of a diagram in its scope.

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

    def chosen(self, on: BoolArray) -> list[int] | None:
        """The choice that a configuration makes in each layer; None where one is forbidden.

        `on` (bool (count,)).
        """
        layer, index = self._reader
        held = np.flatnonzero(on)
        found = np.full(len(self.places), -1)
        found[layer[held]] = index[held]
        if np.count_nonzero(found >= 0) < held.size or np.any(found[self._must] < 0):
            return None
        made: list[int] = found.tolist()
        return made

    @functools.cached_property
    def free(self) -> NDArray[np.int8]:
        """The state in which nothing is fixed, int8 (count,)."""
        return np.full(self.scope.size, -1, np.int8)

    @functools.cached_property
    def _reader(self) -> tuple[IntArray, IntArray]:
        """For each place the layer that reads it, and its index there."""
        layer, index = np.zeros(self.scope.size, np.int64), np.zeros(self.scope.size, np.int64)
        for number, places in enumerate(self.places):
            layer[places], index[places] = number, np.arange(places.size)
        return layer, index

    @functools.cached_property
    def _must(self) -> IntArray:
        """Layers in which a decision must be on."""
        return np.flatnonzero(self.whole)

    @functools.cached_property
    def key(self) -> Any:
        """Equal where diagrams over two sets of decisions are the same."""
        return tuple(place.tobytes() for place in self.places), self.whole

    def choices(self, layer: int) -> range:
        """The choices of a layer: -1, unless one must be on, and its indices."""
        return range(0 if self.whole[layer] else -1, self.places[layer].size)


def laid_out(factor: Diagram, decisions: Decisions) -> Layout:
    """`Diagram.layers`, checked."""
    name = name_of(factor)
    with named_after(factor, "layers"):
        given = [list(layer) for layer in factor.layers(decisions)]
    try:
        listed = [np.array([operator.index(d) for d in layer], np.int64) for layer in given]
    except TypeError as error:
        raise InvalidProblem(f"factor {name}: layers() must list decisions, integers: {error}") from error
    joined = np.concatenate([np.zeros(0, np.int64), *listed])
    inside = not joined.size or 0 <= joined.min() <= joined.max() < decisions.count
    for number, layer in enumerate(() if inside else listed):
        if layer.size and not 0 <= layer.min() <= layer.max() < decisions.count:
            raise InvalidProblem(
                f"factor {name}: layer {number} reads {layer.tolist()}, but there are decisions "
                f"0..{decisions.count - 1} only"
            )
    scope, times = np.unique(joined, return_counts=True)
    if np.any(times > 1):
        twice = int(scope[times > 1][0])
        numbers = [number for number, layer in enumerate(listed) if twice in layer]
        raise InvalidProblem(
            f"factor {name}: the decision {twice} ({decisions.name(twice)}) is read twice, in layers {numbers}; "
            "read it once, and keep what matters of it in the state"
        )
    ends = np.cumsum([layer.size for layer in listed])[:-1]
    places = np.split(np.searchsorted(scope, joined), ends) if listed else []
    widths = {layer.size for layer in listed if layer.size}
    groups = {frozenset(map(int, group)) for group in decisions.exactly_one if len(group) in widths}
    return Layout(
        scope,
        tuple(places),
        tuple(layer.size > 0 and frozenset(layer.tolist()) in groups for layer in listed),
    )
