"""The marks of the numbers that chains are measured by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import attrs

from benchmarks.chains.contenders import BEAM_WIDTHS, DOMINANCE, NUMBA, PUBLIC, READING, VITERBI, beam
from benchmarks.chains.measurement import Measured, ratio
from benchmarks.chains.stopwatch import Seconds
from benchmarks.frame.marks import UNJUDGED, BenchmarkLine, Marks, Spread, Value, line

STREAMED, CYCLED = "cold", "warm"
_FEW, _SOME, _MANY = _SIZES = (45, 350, 1000)


@attrs.frozen
class _Number:
    """A quantity; `marks` holds (must, aim) for each size of label set that has them."""

    what: str
    value: Value
    unit: str
    marks: Mapping[int, Marks] = attrs.field(factory=dict)
    more: bool = True


def lines(measured: Measured) -> Iterator[BenchmarkLine]:
    """Yield every number of one model's scores."""
    size = min(_SIZES, key=lambda count: abs(count - measured.scores.label_count))
    for caches, numbers in (
        (STREAMED, _users(measured.from_arrays)),
        (STREAMED, _speeds(measured.streamed)),
        (CYCLED, _speeds(measured.cycled)),
        ("", _costs(measured)),
    ):
        for one in numbers:
            marks = one.marks.get(size, UNJUDGED)
            if one.value is not None or marks != UNJUDGED:
                name = measured.scores.name
                yield line(one.what, name, one.value, one.unit, marks, more=one.more, caches=caches)


_OVER_VITERBI = {_FEW: (3, 3.6), _SOME: (8, 15), _MANY: (40, 75)}
_OVER_NUMBA = {_FEW: (8, 15), _SOME: (25, 50)}
_GENERATING = {_FEW: (0.55, 0.8), _SOME: (1.8, 5)}


def _users(seconds: Mapping[str, Seconds]) -> Iterator[_Number]:
    """Yield ratios of what users get: both sides from arrays."""
    for slower, faster, marks in (
        (f"{PUBLIC}viterbi", f"{PUBLIC}{DOMINANCE}", _OVER_VITERBI),
        (NUMBA, f"{PUBLIC}{DOMINANCE}", _OVER_NUMBA),
        (f"{PUBLIC}viterbi", f"{PUBLIC}column-generation", _GENERATING),
    ):
        yield _Number(f"{faster} over {slower}, from arrays", ratio(seconds, slower, faster), "x", marks)


def _speeds(seconds: Mapping[str, Seconds]) -> Iterator[_Number]:
    for what, slower, faster, marks in (
        (f"{DOMINANCE} over {VITERBI}, kernels", VITERBI, DOMINANCE, _OVER_VITERBI),
        (f"{PUBLIC}{DOMINANCE} over {NUMBA}, search alone", NUMBA, f"{PUBLIC}{DOMINANCE}", _OVER_NUMBA),
        (f"column generation over {VITERBI}, search alone", VITERBI, f"{PUBLIC}column-generation", _GENERATING),
    ):
        yield _Number(what, ratio(seconds, slower, faster), "x", marks)
    floor = ratio(seconds, DOMINANCE, READING)
    yield _Number(f"{DOMINANCE} over the {READING}", floor, "x time", {_SOME: (6, 2.5)}, more=False)
    every = dict.fromkeys(_SIZES, (3, 3))
    yield _Number(f"{DOMINANCE} is faster than beam width", _slower_beam(seconds), "", every, more=False)


def _costs(m: Measured) -> Iterator[_Number]:
    for kind, seconds in m.unprunable.items():
        what, every = f"{DOMINANCE} over {VITERBI}, {kind} scores, kernels", dict.fromkeys(_SIZES, (1.15, 1.05))
        yield _Number(what, ratio(seconds, DOMINANCE, VITERBI), "x time", every, more=False)
    for call in m.calls:
        beside = f"{call.tokens:,} tokens, {call.instruction_set}"
        yield _Number(f"one call of solve_many over its kernel, {beside}", call.call / call.kernel, "x time")
        yield _Number(f"Viterbi kernel over the {DOMINANCE} kernel, {beside}", call.viterbi / call.kernel, "x")
        yield _Number(f"Viterbi kernel over one call of solve_many, {beside}", call.viterbi / call.call, "x")
        if call.page_faults is not None:
            yield _Number(f"pages of fresh memory in one call, {beside}", call.page_faults, "")
    tables = _scaled(m.tables, 1e3)
    yield _Number("dominance tables of the model", tables, "ms", {_SOME: (20, 8), _MANY: (200, 80)}, more=False)
    for what, size in (("all of the process", m.memory.process), ("arrays, tables ready", m.memory.arrays)):
        share = None if size is None else size / m.memory.scores
        yield _Number(f"memory beyond the scores, {what}", share, "x", dict.fromkeys(_SIZES, (2, 0.2)), more=False)
    each = None if m.overhead is None else _scaled(m.overhead, 1e6)
    every = dict.fromkeys(_SIZES, (60, 60))
    yield _Number("one call of gapless.solve, beyond its kernels", each, "us", every, more=False)


def _slower_beam(seconds: Mapping[str, Seconds]) -> Spread | None:
    """Find the smallest width at which beam search is slower than dominance, both by the public interface."""
    ratios = {width: ratio(seconds, beam(width), f"{PUBLIC}{DOMINANCE}") for width in BEAM_WIDTHS}
    known = {width: one for width, one in ratios.items() if one is not None}
    if not known:
        return None

    def width(beats: Callable[[Spread], float]) -> int:
        return min((width for width, one in known.items() if beats(one) > 1), default=max(known) + 1)

    return Spread(width(lambda one: one.median), width(lambda one: one.most), width(lambda one: one.least))


def _scaled(spread: Spread, factor: float) -> Spread:
    return Spread(spread.median * factor, spread.least * factor, spread.most * factor)
