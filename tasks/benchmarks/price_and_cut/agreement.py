"""Whether values and objectives agree, found by methods that share next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.price_and_cut.highs_peer import Relaxed, solve_relaxation
from benchmarks.price_and_cut.material import Material
from benchmarks.price_and_cut.timing import exact_value, result_of
from gapless.core.sparse import FloatArray
from gapless_dependency import ParsingProblem

_BRUTE_FORCE = 15
"""Words up to which the program with all columns and rows is solved by ``lp-full`` as well."""


def check_agreement(material: Material, method: str) -> None:
    """Hold the methods' values and objectives against the optima of HiGHS, over cut-sets and over a flow."""
    some = material.some
    if not some:
        return
    cut_sets = _all(solve_relaxation, some, material, "HiGHS")
    flow = _all(lambda problem: solve_relaxation(problem, flow=True), some, material, "HiGHS with a flow")
    optima, loose = _objectives(cut_sets), _objectives(flow)
    values = np.array(_all(exact_value(method), some, material, method))
    integral = np.array([answer.integral for answer in cut_sets])
    material.compare(f"values of {method} and integral optima", values, np.where(integral, optima, np.nan))
    material.compare(f"values of {method} above the relaxation's", np.fmax(values, optima), optima)
    material.compare("optima over cut-sets above those over a flow", np.fmax(optima, loose), loose)
    delayed = _told(_all(result_of("price-and-cut", fix=False), some, material, "price-and-cut"))
    material.compare("objectives of price-and-cut and of HiGHS", delayed, optima)
    short = [number for number, problem in enumerate(some) if problem.length <= _BRUTE_FORCE]
    for tree, theirs in (("cut-sets", optima), ("flow", loose)):
        solve = result_of("lp-full", rows="lean", tree=tree)
        full = _told(_all(solve, [some[number] for number in short], material, f"lp-full, {tree}"))
        material.compare(f"objectives of lp-full ({tree}) and of HiGHS", full, theirs[short])


def _all(
    solve: Callable[[ParsingProblem], Any], problems: Sequence[ParsingProblem], material: Material, what: str
) -> list[Any]:
    answers = []
    with material.bench.console.progress(f"{material.name}, {what}, to compare", len(problems)) as advance:
        for problem in problems:
            answers.append(solve(problem))
            advance(1)
    return answers


def _objectives(found: Sequence[Relaxed]) -> FloatArray:
    return np.array([answer.objective for answer in found])


def _told(found: Sequence[Any]) -> FloatArray:
    return np.array([float(result.stats.extra["objective"]) for result in found])
