"""Plans by simple rules: first fit decreasing, fullest rolls, and plans near a fractional point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gapless.roles import RelaxationResult
from gapless_cutting_stock.problem import CuttingStockProblem, Pattern, Plan, merged

SMALLEST_FLOW = 1e-6
STRENGTHS = (0.9, 0.6, 0.3)
"""Flow weaker than this is left to simple rules: one plan for each."""


def first_fit_decreasing(problem: CuttingStockProblem, missing: Sequence[int], begun: Plan = ()) -> Plan:
    """Put every missing item, largest first, on the first roll where it fits, open rolls first.

    Items that are wider than a roll are omitted.
    """
    rolls = list(begun)
    rooms = [problem.width - sum(problem.sizes[i] for i in pattern) for pattern, _ in rolls]
    for item in sorted(range(len(problem.sizes)), key=lambda i: -problem.sizes[i]):
        size, left, place = problem.sizes[item], int(missing[item]), 0
        while left and place < len(rolls):
            if rooms[place] < size:
                place += 1
                continue
            room, (pattern, count) = rooms[place], rolls[place]
            parts = _add(pattern, count, item, room // size, left)
            rolls[place : place + 1] = parts
            rooms[place : place + 1] = [room - size * (len(each) - len(pattern)) for each, _ in parts]
            left -= min(left, count * (room // size))
            place += len(parts)
        most = problem.width // size
        if left and most:
            parts = _add((), -(-left // most), item, most, left)
            rolls += parts
            rooms += [problem.width - size * len(each) for each, _ in parts]
    return merged(rolls)


def _add(pattern: Pattern, count: int, item: int, room: int, left: int) -> list[tuple[Pattern, int]]:
    """Add up to `left` items to `count` equal rolls, at most `room` per roll."""
    full = min(count, left // room) if room else 0
    rest = min(room, left - full * room) if full < count else 0
    parts = [((*pattern, *[item] * room), full), ((*pattern, *[item] * rest), 1 if rest else 0)]
    parts.append((pattern, count - full - parts[1][1]))
    return [(each, times) for each, times in parts if times]


def fullest_rolls(problem: CuttingStockProblem, missing: Sequence[int], begun: Plan = ()) -> Plan:
    """Cut the largest missing item, fill its roll as full as possible, and repeat (Gupta and Ho 1999, MBS').

    Each roll is a subset-sum problem, on the bits of a whole number. Among fillings of equal width, larger items go
    first. Items that are wider than a roll are omitted.
    """
    left = list(missing)
    order = [
        i for i in sorted(range(len(left)), key=lambda i: problem.sizes[i]) if problem.sizes[i] <= problem.width
    ]
    rolls = list(begun)
    while order := [i for i in order if left[i]]:
        pattern = _fullest(problem, order, left)
        used = Counter(pattern)
        count = min(left[i] // n for i, n in used.items())
        for item, n in used.items():
            left[item] -= n * count
        rolls.append((pattern, count))
    return merged(rolls)


def _fullest(problem: CuttingStockProblem, order: Sequence[int], left: Sequence[int]) -> Pattern:
    """The largest item of `order`, with the filling of its roll."""
    *_, first = order
    room = problem.width - problem.sizes[first]
    copies = [i for i in order for _ in range(min(left[i] - (i == first), room // problem.sizes[i]))]
    mask, widths = (1 << (room + 1)) - 1, [1]
    for item in copies:
        widths.append((widths[-1] | widths[-1] << problem.sizes[item]) & mask)
    width, pattern = widths[-1].bit_length() - 1, [first]
    for item, before in zip(reversed(copies), reversed(widths[:-1]), strict=True):
        size = problem.sizes[item]
        if size <= width and before >> (width - size) & 1:
            pattern.append(item)
            width -= size
    return tuple(pattern)


def round_flows(problem: CuttingStockProblem) -> Callable[[RelaxationResult[Plan]], Plan]:
    """Follow the strongest flow from roll to roll, and finish by simple rules: a rounding heuristic.

    All flow is followed, or only flow of a strength; the rest is cut by first fit decreasing and by fullest rolls.
    """
    arcs, quantity = problem.arcs, problem.decisions.quantity_index()

    def rounding(relaxed: RelaxationResult[Plan]) -> Plan:
        point = relaxed.point if relaxed.point is not None else np.zeros(quantity.size)
        flow = np.bincount(quantity, weights=point, minlength=len(arcs)).astype(float)
        missing = np.array(problem.demands)
        begun: Counter[Pattern] = Counter()
        plans, weaker = [], list(STRENGTHS)
        while path := _strongest_path(problem, flow, missing):
            while weaker and flow[path].min() < weaker[0]:
                plans.append(fullest_rolls(problem, missing.tolist(), tuple(begun.items())))
                weaker.pop(0)
            pattern = tuple(int(i) for i in arcs.item[path])
            needed = np.bincount(arcs.item[path], minlength=missing.size)
            whole = max(1, int(flow[path].min() + SMALLEST_FLOW))
            count = min(whole, *(missing[list(pattern)] // needed[list(pattern)]))
            begun[pattern] += int(count)
            missing -= count * needed
            flow[path] = np.maximum(flow[path] - count, 0.0)
        for finish in (first_fit_decreasing, fullest_rolls):
            plans.append(finish(problem, missing.tolist(), tuple(begun.items())))
        return min(plans, key=problem.value)

    return rounding


def _strongest_path(
    problem: CuttingStockProblem, flow: NDArray[np.float64], missing: NDArray[np.int64]
) -> list[int]:
    """From offset 0, always the arc with the most flow among the missing items."""
    arcs, left = problem.arcs, missing.copy()
    path: list[int] = []
    offset = 0
    while True:
        here = arcs.number[:, offset]
        strength = np.where((here >= 0) & (left > 0), flow[here], 0.0)
        item = int(strength.argmax())
        if strength[item] <= SMALLEST_FLOW:
            return path
        path.append(int(here[item]))
        left[item] -= 1
        offset += problem.sizes[item]
