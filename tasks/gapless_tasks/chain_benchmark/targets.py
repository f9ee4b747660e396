"""What the numbers are to be: a lower mark that must be reached and a higher one to aim at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from gapless_tasks.chain_benchmark import contenders
from gapless_tasks.chain_benchmark.contenders import DOMINANCE, NUMBA, PUBLIC, READING, VITERBI
from gapless_tasks.chain_benchmark.measurement import Measured, ratio
from gapless_tasks.chain_benchmark.stopwatch import Seconds, Spread

STREAMED, CYCLED = "cold", "warm"
_FEW, _SOME, _MANY = 45, 350, 1000
_Marks = Mapping[int, tuple[float, float]]
_Row = tuple[str, str, Spread | None, str, _Marks, bool]


@attrs.frozen
class Line:
    """One number beside what it is to be.

    Parameters
    ----------
    what, scores : str
        What was measured, on which scores.
    caches : str
        ``cold``, ``warm``, or empty where it makes no difference.
    value : Spread or None
        None if it could not be measured.
    unit : str
    must, aim : float or None
        None: only to be looked at.
    more : bool
        Whether more is better.
    """

    what: str
    scores: str
    caches: str
    value: Spread | None
    unit: str
    must: float | None
    aim: float | None
    more: bool

    @property
    def verdict(self) -> str:
        """``aim``, ``must`` or ``missed``; empty where nothing is to be reached or nothing was measured."""
        if self.value is None or self.must is None or self.aim is None:
            return ""
        sign = 1 if self.more else -1
        if sign * self.value.median >= sign * self.aim:
            return "aim"
        return "must" if sign * self.value.median >= sign * self.must else "missed"


def lines(measured: Measured) -> list[Line]:
    """Every number of one model's scores."""
    k = min((_FEW, _SOME, _MANY), key=lambda count: abs(count - measured.scores.label_count))
    name = measured.scores.name
    found = []
    for what, caches, value, unit, marks, more in (*_speed(measured), *_cost(measured)):
        must, aim = marks.get(k, (None, None))
        if value is not None or must is not None:
            found.append(Line(what, name, caches, value, unit, must, aim, more))
    return found


def _everywhere(must: float, aim: float) -> _Marks:
    return dict.fromkeys((_FEW, _SOME, _MANY), (must, aim))


def _speed(m: Measured) -> Iterator[_Row]:
    for caches, seconds in ((STREAMED, m.streamed), (CYCLED, m.cycled)):
        yield (
            f"{DOMINANCE} over {VITERBI}, kernels",
            caches,
            ratio(seconds, VITERBI, DOMINANCE),
            "x",
            {_FEW: (3, 3.6), _SOME: (8, 15), _MANY: (40, 75)},
            True,
        )
        yield (
            f"{PUBLIC}{DOMINANCE} over {NUMBA}",
            caches,
            ratio(seconds, NUMBA, f"{PUBLIC}{DOMINANCE}"),
            "x",
            {_FEW: (8, 15), _SOME: (25, 50)},
            True,
        )
        yield (
            f"column generation over {VITERBI}",
            caches,
            ratio(seconds, VITERBI, f"{PUBLIC}column-generation"),
            "x",
            {_FEW: (0.55, 0.8), _SOME: (1.8, 5)},
            True,
        )
        yield (
            f"{DOMINANCE} over the {READING}",
            caches,
            ratio(seconds, DOMINANCE, READING),
            "x",
            {_SOME: (6, 2.5)} if caches == STREAMED else {},
            False,
        )
        yield (
            f"{DOMINANCE} is faster than beam width",
            caches,
            _slower_beam(seconds),
            "",
            _everywhere(3, 3),
            False,
        )


def _cost(m: Measured) -> Iterator[_Row]:
    for kind, seconds in m.unprunable.items():
        what = f"{DOMINANCE} over {VITERBI}, {kind} scores, kernels"
        yield what, STREAMED, ratio(seconds, DOMINANCE, VITERBI), "x time", _everywhere(1.15, 1.05), False
    milliseconds = None if m.tables is None else _scaled(m.tables, 1e3)
    yield "dominance tables of the model", "", milliseconds, "ms", {_SOME: (20, 8), _MANY: (200, 80)}, False
    process = None if m.memory.process is None else _one(m.memory.process / m.memory.scores)
    yield (
        "memory beyond the scores, all of the process",
        "",
        process,
        "x",
        _everywhere(2, 0.2),
        False,
    )
    yield (
        "memory beyond the scores, arrays, tables ready",
        "",
        _one(m.memory.arrays / m.memory.scores),
        "x",
        _everywhere(2, 0.2),
        False,
    )
    yield (
        "one call of gapless.solve, beyond its kernels",
        "",
        _scaled(m.overhead, 1e6),
        "us",
        _everywhere(60, 60),
        False,
    )


def _slower_beam(seconds: Mapping[str, Seconds]) -> Spread | None:
    """The least width at which beam search takes longer than dominance, both through the public interface."""
    ratios = {w: ratio(seconds, contenders.beam(w), f"{PUBLIC}{DOMINANCE}") for w in contenders.BEAM_WIDTHS}
    known = {width: one for width, one in ratios.items() if one is not None}
    if not known:
        return None
    beyond = max(known) + 1
    least, median, most = (
        min((w for w, one in known.items() if getattr(one, at) > 1), default=beyond)
        for at in ("most", "median", "least")
    )
    return Spread(median, least, most)


def _scaled(spread: Spread, factor: float) -> Spread:
    return Spread(spread.median * factor, spread.least * factor, spread.most * factor)


def _one(value: float) -> Spread:
    return Spread(value, value, value)
