"""The *Problem* role: cut rolls of one width into the ordered items, using as few rolls as possible."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import ClassVar, SupportsIndex

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless.roles import Decisions, Fixings, LinearModel, Sense, serialisable
from gapless_cutting_stock.arcflow import arc_flow_model
from gapless_cutting_stock.arcs import Arcs

Pattern = tuple[int, ...]
"""Item types on one roll."""

LARGEST = 50_000_000
"""Limit on width times number of items: arrays have this size, and a small file must not request more."""

Plan = tuple[tuple[Pattern, int], ...]
"""Patterns, each with its number of rolls."""


def merged(rolls: Iterable[tuple[Pattern, int]]) -> Plan:
    """Merge equal patterns, so that a plan names each once."""
    plan: Counter[Pattern] = Counter()
    for pattern, count in rolls:
        plan[pattern] += count
    return tuple(sorted(plan.items()))


def _whole(value: SupportsIndex) -> int:
    try:
        return operator.index(value)
    except TypeError as error:
        raise gl.InvalidProblem(f"width, sizes and demands are whole numbers, got {value!r}") from error


def _wholes(values: Iterable[SupportsIndex]) -> tuple[int, ...]:
    return tuple(_whole(value) for value in values)


@serialisable("gapless_cutting_stock.CuttingStockProblem")
@attrs.frozen(eq=False, slots=False)
class CuttingStockProblem(gl.Problem[Plan]):
    """Minimise the number of rolls. Bin packing is the case of small demands.

    A structure is a `Plan` that cuts exactly the demand; the rest of a roll is waste.

    Parameters
    ----------
    width : int
        Width of every roll.
    sizes : sequence of int
        Width of each item type.
    demands : sequence of int
        Number of ordered items of each type, at least 1.

    Raises
    ------
    InvalidProblem
        Nothing is ordered, lengths differ, a number is not positive, or width times items is beyond `LARGEST`.
    """

    sense: ClassVar[Sense] = Sense.MINIMISE
    granularity = 1.0

    width: int = attrs.field(converter=_whole)
    sizes: tuple[int, ...] = attrs.field(converter=_wholes)
    demands: tuple[int, ...] = attrs.field(converter=_wholes)

    def __attrs_post_init__(self) -> None:
        if not self.sizes or len(self.sizes) != len(self.demands):
            raise gl.InvalidProblem(f"{len(self.sizes)} sizes and {len(self.demands)} demands: give one each")
        if min(self.width, *self.sizes, *self.demands) < 1:
            raise gl.InvalidProblem("width, sizes and demands must be at least 1")
        if self.width * sum(self.demands) > LARGEST:
            raise gl.InvalidProblem(
                f"a width of {self.width} and {sum(self.demands)} items may take more than {LARGEST:,} decisions; "
                "where a decision is a place on a roll, that is too many"
            )

    @cached_property
    def arcs(self) -> Arcs:
        """Possible places of items on a roll: the quantities of the decisions."""
        return Arcs.build(self.width, self.sizes, self.demands)

    @cached_property
    def decisions(self) -> Decisions:
        """*At least t rolls hold an item of type i at offset a*, for t = 1 up to the demand for i."""
        arcs = self.arcs
        levels = np.asarray(self.demands)[arcs.item]
        quantity = np.repeat(np.arange(len(arcs)), levels)
        threshold = np.arange(quantity.size) - np.repeat(np.cumsum(levels) - levels, levels) + 1

        def name(decision: int) -> str:
            arc, least = quantity[decision], threshold[decision]
            return f"at least {least} rolls hold a {self.sizes[arcs.item[arc]]} at offset {arcs.offset[arc]}"

        return Decisions(quantity.size, name, quantity, threshold)

    def value(self, structure: Plan) -> float:
        """Return the number of rolls."""
        return float(sum(count for _, count in structure))

    def describe(self, structure: Plan, words: Sequence[str] = ()) -> tuple[str, ...]:
        """Describe each pattern by the sizes of its items and the number of its rolls."""
        del words
        sizes = [(count, "+".join(str(self.sizes[item]) for item in pattern)) for pattern, count in structure]
        return tuple(f"{count} x {pattern}" for count, pattern in sizes)

    def violations(self, structure: Plan) -> list[str]:
        """List overfull rolls, and missing or surplus items."""
        broken = []
        cut: Counter[int] = Counter()
        for number, (pattern, count) in enumerate(structure):
            place = f"pattern {number} {pattern}"
            unknown = [i for i in pattern if i not in range(len(self.sizes))]
            if unknown or not pattern:
                broken.append(
                    f"{place} {'is empty' if not pattern else f'cuts the unknown item type {unknown[0]}'}"
                )
                continue
            if count not in range(1, sum(self.demands) + 1):
                broken.append(f"{place} is used {count} times")
                continue
            used = sum(self.sizes[i] for i in pattern)
            if used > self.width:
                broken.append(f"{place} needs {used} of a roll that is {self.width} wide")
            for item in pattern:
                cut[item] += count
        for item, demand in enumerate(self.demands):
            if cut[item] != demand:
                broken.append(
                    f"{cut[item]} items of type {item} (size {self.sizes[item]}) are cut, {demand} ordered"
                )
        return broken

    def encode(self, structure: Plan) -> NDArray[np.int64]:
        """Return the decisions that hold when every roll is filled from offset 0 in order of decreasing size."""
        use = np.zeros(len(self.arcs), np.int64)
        for pattern, count in structure:
            use[self.arcs.of(pattern)] += count
        decisions = self.decisions
        return np.flatnonzero(use[decisions.quantity_index()] >= decisions.thresholds())

    def decode(self, on_ids: NDArray[np.int64]) -> Plan:
        """Make a plan from the use of each arc: lay the items on rolls so that none overlap.

        Items at given offsets are intervals. Assigning each to a free roll, from left to right, needs as many rolls
        as intervals overlap, and no plan with these arcs has fewer. If possible, an item goes where a previous item
        ends that is not smaller, so that `encode` gives the same arcs back.
        """
        arcs = self.arcs
        use = np.bincount(self.decisions.quantity_index()[on_ids], minlength=len(arcs))
        missing = list(self.demands)
        rolls: Counter[tuple[Pattern, int]] = Counter()
        for arc in np.lexsort((arcs.item, [-self.sizes[i] for i in arcs.item], arcs.offset)):
            item, offset = int(arcs.item[arc]), int(arcs.offset[arc])
            needed = min(int(use[arc]), missing[item])
            missing[item] -= needed
            while needed:
                roll = self._roll_for(item, offset, rolls)
                alike = rolls.pop(roll, needed)
                count = min(needed, alike)
                if alike > count:
                    rolls[roll] = alike - count
                rolls[(*roll[0], item), offset + self.sizes[item]] += count
                needed -= count
        return merged((pattern, count) for (pattern, _), count in rolls.items())

    def _roll_for(self, item: int, offset: int, rolls: Iterable[tuple[Pattern, int]]) -> tuple[Pattern, int]:
        """The roll (its pattern and its end) for `item`; a new one if none is free."""

        def rank(kind: int) -> tuple[int, int]:
            return -self.sizes[kind], kind

        free = [roll for roll in rolls if offset and roll[1] <= offset]
        in_order = [roll for roll in free if roll[1] == offset and rank(roll[0][-1]) <= rank(item)]
        return next(iter(in_order or sorted(free, key=lambda roll: -roll[1])), ((), 0))

    def use_limits(self, fixings: Fixings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the least and the largest number of rolls on each arc under the fixings."""
        decisions, arcs = self.decisions, self.arcs
        quantity, threshold = decisions.quantity_index(), decisions.thresholds()
        least = np.zeros(len(arcs), np.int64)
        most = np.asarray(self.demands)[arcs.item]
        np.maximum.at(least, quantity[fixings.on], threshold[fixings.on])
        np.minimum.at(most, quantity[fixings.off], threshold[fixings.off] - 1)
        return least, most

    def infeasibility(self) -> list[str]:
        """List items that are wider than a roll."""
        return [
            f"item type {item} (size {size}) is wider than a roll ({self.width})"
            for item, size in enumerate(self.sizes)
            if size > self.width
        ]

    def linear_model(self) -> LinearModel:
        """Build the arc-flow model, for export and as an independent check."""
        return arc_flow_model(self.arcs, self.demands, self.decisions)
