"""Measurements on one treebank, beside their marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.frame.bench import Measurement
from benchmarks.frame.marks import ALONE, FROM_ARRAYS, UNJUDGED, BenchmarkLine, both_ways, line
from benchmarks.frame.turns import Compared, Side, cpu_seconds, time_interleaved
from benchmarks.parsing.measurement import decode, prepared
from benchmarks.price_and_cut.ad3_peer import ETAS, Ad3, DenseScores
from benchmarks.price_and_cut.highs_peer import highs_side
from benchmarks.price_and_cut.material import LONG, Material, between
from benchmarks.price_and_cut.timing import exact_side, exact_value, result_of, result_side
from gapless_tasks.parsing.sentence_arrays import SentenceArrays

DELAYED = "price-and-cut"
_LONG = f"n = {LONG[0]}-{LONG[1]}"
_TUNED = 20
"""Sentences on which AD3's step size is chosen."""
_EVERY = 3
"""The paper's variant, which takes long, solves every third sentence."""


HIGHS = {"flow": "HiGHS, whole program", "cuts": "HiGHS, lazy cut-sets"}
"""The lean program whole, with a flow; and as HiGHS solves it fastest, which is judged by the same marks."""


def _highs_sides() -> dict[str, Side[SentenceArrays, Any]]:
    return {"flow": highs_side(flow=True), "cuts": highs_side(flow=False)}


def exact_lines(material: Material, method: str, rounds: int) -> Iterator[BenchmarkLine]:
    """Measure the speed of the exact method, proofs included."""
    name, console = material.name, material.bench.console
    if material.long:
        sides = {method: exact_side(method)}
        found_long = time_interleaved(sides, material.long_arrays, console, f"{name}, {method}, {_LONG}")[method]
        for how, times in ((FROM_ARRAYS, found_long.from_arrays), (ALONE, found_long.alone)):
            median, slowest = times.milliseconds, times.milliseconds.most
            what = f"{method}, {_LONG}"
            yield line(f"{what}, median sentence, {how}", name, median, "ms", material.marks(3, 1.2))
            yield line(f"{what}, slowest sentence, {how}", name, slowest, "ms", material.marks(40, 10))
    found = decode(material.problems, console, f"{name}, {method}", method=method, rounds=rounds)
    marks = material.marks(25_000, 60_000) if name == "danish" else UNJUDGED
    rates = found.from_arrays, found.words_per_second
    yield from both_ways(f"{method}, whole test set", name, rates, "words/s", marks, more=True)
    if found.closed_at_root is not None:
        closed = 100 * found.closed_at_root
        yield line("closed at the root without an LP", name, closed, "%", material.marks(85, 95), more=True)
    if found.oracle_calls is not None:
        yield line("oracle calls", name, found.oracle_calls, "a sentence", material.marks(75, 30))
    yield line("proved within 10 s each", name, 100 * found.proved, "%", material.marks(99.5, 100), more=True)


def highs_lines(material: Material, method: str) -> Iterator[Compared]:
    """Compare the exact method and the delayed program with HiGHS on the whole program."""
    name, console = material.name, material.bench.console
    if material.some:
        sides = {"ours": exact_side(method), **_highs_sides()}
        found = time_interleaved(sides, material.some_arrays, console, f"{name}, {method} and HiGHS")
        for form, peer in HIGHS.items():
            times = found["ours"], found[form]
            yield Compared(method, peer, "n = 11-40", name, times, material.marks(40, 120))
    if material.long:
        sides = {"ours": result_side(DELAYED), **_highs_sides()}
        found = time_interleaved(sides, material.long_arrays, console, f"{name}, {DELAYED} and HiGHS, {_LONG}")
        for form, peer in HIGHS.items():
            yield Compared(DELAYED, peer, _LONG, name, (found["ours"], found[form]), material.marks(2.5, 6))


def ad3_lines(material: Material, method: str, ad3: Ad3) -> Iterator[Measurement]:
    """Compare the exact method with AD3 under the best of a few step sizes; AD3's time includes its graph."""
    name, console = material.name, material.bench.console
    if not material.some:
        return
    some = material.some_arrays
    sides = {str(eta): _ad3_side(ad3, eta) for eta in ETAS}
    tried = time_interleaved(sides, some[:_TUNED], console, f"{name}, AD3's step size")
    best = min(tried, key=lambda step: float(tried[step].from_arrays.seconds.sum()))
    found = time_interleaved(
        {"ours": exact_side(method), "ad3": sides[best]}, some, console, f"{name}, {method} and AD3"
    )
    times = found["ours"], found["ad3"]
    yield Compared(method, "AD3 with stars", "n = 11-40", name, times, material.marks(5, 15))
    values = np.array(
        [
            np.nan if heads is None else problem.value(problem.tree(heads))
            for problem, heads in zip(material.some, found["ad3"].alone.answers, strict=True)
        ]
    )
    proved = 100 * float(np.isfinite(values).mean())
    yield line("proved by AD3, n = 11-40", name, proved, "%", more=True)
    material.compare("values proved by AD3 and by us", np.array(found["ours"].alone.answers), values)


def _ad3_side(ad3: Ad3, eta: float) -> Side[SentenceArrays, Any]:
    return Side.of(lambda dense: ad3(dense, eta), DenseScores.of)


def program_lines(material: Material) -> Iterator[Measurement]:
    """Compare the default delayed program with the paper's variant; count its integral optima."""
    name, console = material.name, material.bench.console
    if material.long:
        sides = {"ours": result_side(DELAYED), "paper": result_side(DELAYED, variant="paper")}
        some = material.long_arrays[::_EVERY]
        found = time_interleaved(sides, some, console, f"{name}, the paper's variant, {_LONG}")
        times = found["ours"], found["paper"]
        yield Compared(DELAYED, "the paper's variant", _LONG, name, times, material.marks(3, 6))
    solve = result_of(DELAYED, fix=False)
    sentences = between(material.problems, 1, LONG[1])
    integral = [
        bool(solve(problem).stats.extra["integral"])
        for problem in material.bench.each(f"{name}, relaxations", sentences)
    ]
    share = 100 * float(np.mean(integral))
    yield line(f"integral over cut-sets, n <= {LONG[1]}", name, share, "%", material.marks(96, 99), more=True)


def scoring_lines(material: Material, method: str) -> Iterator[BenchmarkLine]:
    """Measure the share of parts that lazy scoring looks up, and the time it saves."""
    fresh = material.fresh_between(*LONG)
    if not fresh:
        return
    name = material.name
    judged = material.marks(15, 7)
    for what, solve, marks in (
        (method, result_of(method), judged),
        (DELAYED, result_of(DELAYED), judged),
        ("the paper's variant", result_of(DELAYED, variant="paper"), UNJUDGED),
    ):
        scored = total = 0
        for make in material.bench.each(f"{name}, parts scored by {what}", fresh):
            stats = solve(make()).stats
            scored, total = scored + stats.scopes_scored, total + stats.scopes_total
        yield line(f"parts scored by {what}, {_LONG}", name, 100 * scored / total, "%", marks)
    exact = exact_value(method)
    lazy = np.array([cpu_seconds(exact, make()) for make in fresh])
    eager = np.array([cpu_seconds(lambda problem: exact(prepared(problem)), make()) for make in fresh])
    for what, seconds in (("as needed", lazy), ("all before", eager)):
        yield line(f"{method}, parts scored {what}, {_LONG}", name, 1e3 * seconds, "ms")
