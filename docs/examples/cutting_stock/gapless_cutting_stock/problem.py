"""The role *Problem*: cut rolls of one width into the items that were ordered, using as few rolls as possible."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, SupportsIndex

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless_cutting_stock.arcflow import arc_flow_model
from gapless_cutting_stock.arcs import Arcs

Pattern = tuple[int, ...]
"""Item types on one roll."""

LARGEST = 50_000_000
"""Width of a roll times number of items: arrays of this size are made, and a small file must not ask for more."""

Plan = tuple[tuple[Pattern, int], ...]
"""Patterns, each with the number of rolls that are cut by it."""


def merged(rolls: Iterable[tuple[Pattern, int]]) -> Plan:
    """A plan that names each pattern once."""
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


@gl.serialisable("gapless_cutting_stock.CuttingStockProblem")
@attrs.frozen(eq=False, slots=False)
class CuttingStockProblem(gl.Problem[Plan]):
    """Minimise the number of rolls. Bin packing is the case of small demands.

    A structure is a `Plan` that cuts exactly what is demanded; what is left of a roll is waste.

    Parameters
    ----------
    width : int
        Of every roll.
    sizes : sequence of int
        Width of each item type.
    demands : sequence of int
        How many items of each type are ordered, at least 1.

    Raises
    ------
    InvalidProblem
        Nothing is ordered, lengths differ, a number is not positive, or width times items is beyond `LARGEST`.
    """

    sense: ClassVar[gl.Sense] = gl.Sense.MINIMISE
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
        """Where items can lie on a roll; the quantities that the decisions look at."""
        return Arcs.build(self.width, self.sizes, self.demands)

    @cached_property
    def decisions(self) -> gl.Decisions:
        """*At least t rolls hold an item of type i at offset a*, for t = 1 up to the demand for i."""
        arcs = self.arcs
        levels = np.asarray(self.demands)[arcs.item]
        quantity = np.repeat(np.arange(len(arcs)), levels)
        threshold = np.arange(quantity.size) - np.repeat(np.cumsum(levels) - levels, levels) + 1

        def name(decision: int) -> str:
            arc, least = quantity[decision], threshold[decision]
            return f"at least {least} rolls hold a {self.sizes[arcs.item[arc]]} at offset {arcs.offset[arc]}"

        return gl.Decisions(quantity.size, name, quantity, threshold)

    def value(self, structure: Plan) -> float:
        """How many rolls are cut."""
        return float(sum(count for _, count in structure))

    def violations(self, structure: Plan) -> list[str]:
        """Rolls that are too full, items that are missing or too many."""
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
        """The decisions that hold when every roll is filled from offset 0 in order of decreasing size."""
        use = np.zeros(len(self.arcs), np.int64)
        for pattern, count in structure:
            use[self.arcs.of(pattern)] += count
        decisions = self.decisions
        return np.flatnonzero(use[decisions.quantity_of()] >= decisions.threshold_of())

    def decode(self, on_ids: NDArray[np.int64]) -> Plan:
        """A plan from how often each arc is used: lay the items on rolls so that none overlap.

        Items at given offsets are intervals. Giving each to a roll that is free there, from left to right, needs as
        many rolls as intervals overlap, and no plan with these arcs has fewer. An item goes where the item
        before ends and is not smaller, if there is such a roll, so that `encode` gives the same arcs back.
        """
        arcs = self.arcs
        use = np.bincount(self.decisions.quantity_of()[on_ids], minlength=len(arcs))
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
        """The roll (its pattern and where that ends) on which `item` goes; a new one if none is free there."""

        def rank(kind: int) -> tuple[int, int]:
            return -self.sizes[kind], kind

        free = [roll for roll in rolls if offset and roll[1] <= offset]
        in_order = [roll for roll in free if roll[1] == offset and rank(roll[0][-1]) <= rank(item)]
        return next(iter(in_order or sorted(free, key=lambda roll: -roll[1])), ((), 0))

    def use_limits(self, fixings: gl.Fixings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many rolls must and may use each arc: at least, at most."""
        decisions, arcs = self.decisions, self.arcs
        quantity, threshold = decisions.quantity_of(), decisions.threshold_of()
        least = np.zeros(len(arcs), np.int64)
        most = np.asarray(self.demands)[arcs.item]
        np.maximum.at(least, quantity[fixings.on], threshold[fixings.on])
        np.minimum.at(most, quantity[fixings.off], threshold[fixings.off] - 1)
        return least, most

    def infeasibility(self) -> list[str]:
        """Items that are wider than a roll."""
        return [
            f"item type {item} (size {size}) is wider than a roll ({self.width})"
            for item, size in enumerate(self.sizes)
            if size > self.width
        ]

    def linear_model(self) -> gl.LinearModel:
        """The arc-flow model, for export and as an independent judge."""
        return arc_flow_model(self.arcs, self.demands, self.decisions)
