"""Places of the layers of a diagram in its scope."""

from __future__ import annotations

import functools
import itertools
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
    read : int64 (count,)
        Their places in the scope in the order in which they are read.
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
        """For each layer the places of its decisions, in their order."""
        first = self.first.tolist()
        return tuple(self.read[begin:end] for begin, end in itertools.pairwise(first))

    @property
    def layers(self) -> int:
        """Number of layers."""
        return self.first.size - 1

    @functools.cached_property
    def blocks(self) -> IntArray:
        """The place that each choice of each layer turns on, -1 for none; as in `LayeredGraph.places`."""
        found = np.insert(self.read, self.first[:-1][~self.whole], -1)
        found.flags.writeable = False
        return found

    @functools.cached_property
    def first_choice(self) -> IntArray:
        """The begin of the choices of each layer in `blocks`, int64 (layers + 1,)."""
        found: IntArray = self.first + np.concatenate([[0], np.cumsum(~self.whole)])
        return found

    def chosen(self, on: BoolArray) -> list[int] | None:
        """The choice that a configuration makes in each layer; None where one is forbidden.

        `on` (bool (count,)).
        """
        layer, index = self._reader
        held = np.flatnonzero(on)
        found = np.full(self.layers, -1)
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
        layer, index = np.empty_like(self.read), np.empty_like(self.read)
        number = np.repeat(np.arange(self.layers), np.diff(self.first))
        layer[self.read], index[self.read] = number, np.arange(self.read.size) - self.first[number]
        return layer, index

    @functools.cached_property
    def _must(self) -> IntArray:
        """Layers in which a decision must be on."""
        return np.flatnonzero(self.whole)

    @functools.cached_property
    def key(self) -> Any:
        """Equal where diagrams over two sets of decisions are the same."""
        return self.read.tobytes(), self.first.tobytes(), self.whole.tobytes()

    def choices(self, layer: int) -> range:
        """The choices of a layer: -1, unless one must be on, and its indices."""
        begin, end = self._ends[layer : layer + 2]
        return range(0 if self._needs[layer] else -1, end - begin)

    @functools.cached_property
    def _ends(self) -> list[int]:
        found: list[int] = self.first.tolist()
        return found

    @functools.cached_property
    def _needs(self) -> list[bool]:
        found: list[bool] = self.whole.tolist()
        return found


def laid_out(factor: Diagram, decisions: Decisions) -> Layout:
    """`Diagram.layers`, checked."""
    name = name_of(factor)
    with named_after(factor, "layers"):
        answer = factor.layers(decisions)
    try:
        given = [list(layer) for layer in answer]
        read = np.array([operator.index(d) for layer in given for d in layer], np.int64)
    except (OverflowError, TypeError) as error:
        raise InvalidProblem(f"factor {name}: layers() must list decisions, integers: {error}") from error
    if read.size and not 0 <= read.min() <= read.max() < decisions.count:
        number = next(n for n, layer in enumerate(given) if not all(0 <= d < decisions.count for d in layer))
        raise InvalidProblem(
            f"factor {name}: layer {number} reads {[int(d) for d in given[number]]}, but there are decisions "
            f"0..{decisions.count - 1} only"
        )
    scope = np.sort(read)
    again = np.flatnonzero(scope[1:] == scope[:-1])
    if again.size:
        twice = int(scope[again[0]])
        numbers = [number for number, layer in enumerate(given) if twice in layer]
        raise InvalidProblem(
            f"factor {name}: the decision {twice} ({decisions.name(twice)}) is read twice, in layers {numbers}; "
            "read it once, and keep what matters of it in the state"
        )
    sizes = [len(layer) for layer in given]
    widths = set(sizes) - {0}
    groups = {frozenset(map(int, group)) for group in decisions.exactly_one if len(group) in widths}
    whole = np.zeros(len(given), bool)
    if groups:
        whole[:] = [frozenset(map(int, layer)) in groups for layer in given]
    return Layout(scope, np.searchsorted(scope, read), np.cumsum([0, *sizes]), whole)
