"""Memory that must not grow, and limits that must hold."""

from __future__ import annotations

import time
from collections.abc import Iterator

import gapless as gl
from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import BenchmarkLine, line
from benchmarks.price_and_cut.hard_sentence import WORDS, hard_sentence
from benchmarks.price_and_cut.material import Material
from benchmarks.price_and_cut.memory import growth, has_statm
from benchmarks.price_and_cut.timing import result_of

LIMIT = 2.0
"""Seconds for the hard sentence."""
_SHARES = {"price-and-cut": 10, "branch-price-and-cut": 50}
"""Slower methods, each with the factor by which it decodes fewer sentences."""
_LONGEST = 25
"""Words of the sentences that are decoded again and again."""


def memory_lines(material: Material, method: str, count: int) -> Iterator[BenchmarkLine]:
    """Measure the growth of resident memory over many sentences."""
    if not has_statm():
        material.bench.console.error("memory is not measured: this system has no /proc/self/statm")
        return
    fresh = material.fresh_between(1, _LONGEST)
    for name, share in {method: 1, **_SHARES}.items():
        sentences = max(1, count // share)
        grown = growth(
            fresh,
            result_of(name, limits=gl.Limits(time=LIMIT)),
            sentences,
            material.bench.console,
            f"{material.name}, memory of {name}",
        )
        what = f"memory growth of {name}, {sentences:,} sentences"
        yield line(what, material.name, grown, "MB", (10, 1))


def limit_lines(method: str, bench: Bench) -> Iterator[BenchmarkLine]:
    """Check that a sentence that is too hard stops at its limit with a valid bound."""
    for name in (method, *_SHARES):
        problem = hard_sentence(WORDS)
        start = time.perf_counter()
        result = result_of(name, limits=gl.Limits(time=LIMIT))(problem)
        seconds = time.perf_counter() - start
        what = f"{name}, {WORDS} words, limit of {LIMIT:g} s"
        yield line(what, "drawn", seconds, "s", (1.25 * LIMIT, 1.05 * LIMIT))
        if not result.solutions:
            bench.console.error(f"{what}: no tree, at most {result.bound:.6g}")
            continue
        if not result.value <= result.bound:
            bench.wrong.append(f"{what}: a tree of {result.value} above the bound {result.bound}")
            continue
        bench.console.info(f"{what}: {result.value:.6g}, at most {result.bound:.6g}")
        verdict = result.verify(problem)
        if not result.certified:
            bench.console.error(f"{what}: {verdict.reason}")
        elif not verdict:
            bench.wrong.append(f"{what}: {verdict.reason}")
