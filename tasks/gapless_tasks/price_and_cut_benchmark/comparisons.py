"""What is measured on one treebank, beside its marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import attrs
import numpy as np

from gapless_dependency import ParsingProblem
from gapless_tasks.chain_benchmark.stopwatch import Spread, cpu_seconds
from gapless_tasks.chain_benchmark.targets import Line
from gapless_tasks.parsing_benchmark.lines import UNJUDGED, line, one, percent
from gapless_tasks.parsing_benchmark.measurement import decode, prepared
from gapless_tasks.price_and_cut_benchmark.ad3_peer import ETAS, Ad3, DenseScores
from gapless_tasks.price_and_cut_benchmark.highs_peer import solve_relaxation
from gapless_tasks.price_and_cut_benchmark.material import LONG, Material, between
from gapless_tasks.price_and_cut_benchmark.timing import exact_value, result_of, timed, timed_in_turn

DELAYED = "price-and-cut"
_LONG = f"n = {LONG[0]}-{LONG[1]}"
_TUNED = 20
"""Sentences on which AD3's step size is chosen."""
_EVERY = 3
"""The paper's variant, which takes long, solves every third sentence."""


HIGHS = {"flow": "whole program", "cuts": "lazy cut-sets"}
"""The lean program whole, with a flow; and as HiGHS solves it fastest, which is judged by the same marks."""
HIGHS_SOLVERS: dict[str, Callable[[ParsingProblem], Any]] = {
    "flow": partial(solve_relaxation, flow=True),
    "cuts": solve_relaxation,
}


def exact_lines(material: Material, method: str, rounds: int) -> Iterator[Line]:
    """How fast the exact method finds and proves trees."""
    name, console = material.name, material.console
    if material.long:
        alone = timed(exact_value(method), material.long, console, f"{name}, {method}, {_LONG}").milliseconds
        yield line(f"{method}, {_LONG}, median sentence", name, alone, "ms", material.marks(3, 1.2), False)
        slowest = one(alone.most)
        yield line(f"{method}, {_LONG}, slowest sentence", name, slowest, "ms", material.marks(40, 10), False)
    found = decode(material.problems, console, f"{name}, {method}", method=method, rounds=rounds)
    marks = material.marks(25_000, 60_000) if name == "danish" else UNJUDGED
    yield line(f"{method}, whole test set", name, found.words_per_second, "words/s", marks, True)
    if found.closed_at_root is not None:
        closed = percent(found.closed_at_root)
        yield line("closed at the root without an LP", name, closed, "%", material.marks(85, 95), True)
    if found.oracle_calls is not None:
        yield line("oracle calls", name, one(found.oracle_calls), "a sentence", material.marks(75, 30), False)
    yield line("proved within 10 s each", name, percent(found.proved), "%", material.marks(99.5, 100), True)


def highs_lines(material: Material, method: str) -> Iterator[Line]:
    """The exact method and the delayed program against HiGHS on the whole program."""
    name, console = material.name, material.console
    if material.some:
        solvers: dict[str, Callable[[ParsingProblem], Any]] = {
            "ours": exact_value(method),
            **HIGHS_SOLVERS,
        }
        found = timed_in_turn(solvers, material.some, console, f"{name}, {method} and HiGHS")
        for form, what in HIGHS.items():
            times = found[form].times(found["ours"])
            yield line(f"{method} over HiGHS, {what}, n = 11-40", name, times, "x", material.marks(40, 120), True)
    if material.long:
        solvers = {"ours": result_of(DELAYED), **HIGHS_SOLVERS}
        found = timed_in_turn(solvers, material.long, console, f"{name}, {DELAYED} and HiGHS, {_LONG}")
        for form, what in HIGHS.items():
            times = found[form].times(found["ours"])
            yield line(f"{DELAYED} over HiGHS, {what}, {_LONG}", name, times, "x", material.marks(2.5, 6), True)


@attrs.frozen(eq=False)
class _Both:
    """A sentence as our methods and as AD3 are given it."""

    problem: ParsingProblem
    dense: DenseScores


def ad3_lines(material: Material, method: str, ad3: Ad3) -> Iterator[Line]:
    """The exact method against AD3 with the best of a few step sizes."""
    name, console = material.name, material.console
    if not material.some:
        return
    some = [_Both(problem, DenseScores.of(problem)) for problem in material.some]
    exact = exact_value(method)
    steps = {str(eta): partial(_parsed_by_ad3, ad3, eta) for eta in ETAS}
    tried = timed_in_turn(steps, some[:_TUNED], console, f"{name}, AD3's step size")
    best = min(tried, key=lambda step: float(tried[step].seconds.sum()))
    solvers: dict[str, Callable[[_Both], Any]] = {"ours": lambda both: exact(both.problem), "ad3": steps[best]}
    found = timed_in_turn(solvers, some, console, f"{name}, {method} and AD3")
    times = found["ad3"].times(found["ours"])
    yield line(f"{method} over AD3 with stars, n = 11-40", name, times, "x", material.marks(5, 15), True)
    values = np.array(
        [
            np.nan if heads is None else both.problem.value(both.problem.tree(heads))
            for both, heads in zip(some, found["ad3"].answers, strict=True)
        ]
    )
    proved = percent(float(np.isfinite(values).mean()))
    yield line("proved by AD3, n = 11-40", name, proved, "%", UNJUDGED, True)
    material.compare("values proved by AD3 and by us", np.array(found["ours"].answers), values)


def _parsed_by_ad3(ad3: Ad3, eta: float, both: _Both) -> Any:
    return ad3(both.dense, eta)


def program_lines(material: Material) -> Iterator[Line]:
    """The default delayed program against the paper's variant, and how often it has an integral optimum."""
    name, console = material.name, material.console
    if material.long:
        solvers = {"ours": result_of(DELAYED), "paper": result_of(DELAYED, variant="paper")}
        found = timed_in_turn(solvers, material.long[::_EVERY], console, f"{name}, the paper's variant, {_LONG}")
        yield line(f"{DELAYED}, {_LONG}", name, found["ours"].milliseconds, "ms", UNJUDGED, False)
        times = found["paper"].times(found["ours"])
        yield line(f"{DELAYED} over the paper's variant, {_LONG}", name, times, "x", material.marks(3, 6), True)
    solve = result_of(DELAYED, fix=False)
    sentences = between(material.problems, 1, LONG[1])
    integral = []
    with console.progress(f"{name}, relaxations", len(sentences)) as advance:
        for problem in sentences:
            integral.append(bool(solve(problem).stats.extra["integral"]))
            advance(1)
    share = percent(float(np.mean(integral)))
    yield line(f"integral over cut-sets, n <= {LONG[1]}", name, share, "%", material.marks(96, 99), True)


def scoring_lines(material: Material, method: str) -> Iterator[Line]:
    """How many parts are scored when each costs something, and what that saves."""
    fresh = material.fresh_between(*LONG)
    if not fresh:
        return
    name, console = material.name, material.console
    judged = material.marks(15, 7)
    for what, solve, marks in (
        (method, result_of(method), judged),
        (DELAYED, result_of(DELAYED), judged),
        ("the paper's variant", result_of(DELAYED, variant="paper"), UNJUDGED),
    ):
        scored = total = 0
        with console.progress(f"{name}, parts scored by {what}", len(fresh)) as advance:
            for make in fresh:
                stats = solve(make()).stats
                scored, total = scored + stats.parts_scored, total + stats.parts_total
                advance(1)
        yield line(f"parts scored by {what}, {_LONG}", name, percent(scored / total), "%", marks, False)
    exact = exact_value(method)
    lazy = np.array([cpu_seconds(exact, make()) for make in fresh])
    eager = np.array([cpu_seconds(lambda problem: exact(prepared(problem)), make()) for make in fresh])
    for what, seconds in (("as needed", lazy), ("all before", eager)):
        spread = Spread.of(1e3 * seconds)
        yield line(f"{method}, parts scored {what}, {_LONG}", name, spread, "ms", UNJUDGED, False)
