"""Comparison of values and objectives from methods that share almost no code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.price_and_cut.highs_peer import solve_relaxation
from benchmarks.price_and_cut.material import Material
from benchmarks.price_and_cut.timing import exact_value, result_of
from gapless.arrays.sparse import FloatArray
from gapless_dependency import ParsingProblem

_BRUTE_FORCE = 15
"""Words up to which the program with all columns and rows is solved by ``lp-full`` as well."""


def check_agreement(material: Material, method: str) -> None:
    """Compare the methods' values and objectives with the optima of HiGHS, over cut-sets and over a flow."""
    some = material.some
    if not some:
        return
    cut_sets = _all(solve_relaxation, some, material, "HiGHS")
    flow = _all(lambda problem: solve_relaxation(problem, flow=True), some, material, "HiGHS with a flow")
    optima, flow_optima = (np.array([answer.objective for answer in side]) for side in (cut_sets, flow))
    values = np.array(_all(exact_value(method), some, material, method))
    integral = np.array([answer.integral for answer in cut_sets])
    material.compare(f"values of {method} and integral optima", values, np.where(integral, optima, np.nan))
    material.compare(f"values of {method} above the relaxation's", np.fmax(values, optima), optima)
    material.compare("optima over cut-sets above those over a flow", np.fmax(optima, flow_optima), flow_optima)
    delayed = _stated_objectives(_all(result_of("price-and-cut", fix=False), some, material, "price-and-cut"))
    material.compare("objectives of price-and-cut and of HiGHS", delayed, optima)
    short = [number for number, problem in enumerate(some) if problem.length <= _BRUTE_FORCE]
    for tree, peer_optima in (("cut-sets", optima), ("flow", flow_optima)):
        solve = result_of("lp-full", rows="lean", tree=tree)
        full = _stated_objectives(_all(solve, [some[number] for number in short], material, f"lp-full, {tree}"))
        material.compare(f"objectives of lp-full ({tree}) and of HiGHS", full, peer_optima[short])


def _all(
    solve: Callable[[ParsingProblem], Any], problems: Sequence[ParsingProblem], material: Material, what: str
) -> list[Any]:
    return [solve(problem) for problem in material.bench.each(f"{material.name}, {what}, to compare", problems)]


def _stated_objectives(results: Sequence[Any]) -> FloatArray:
    return np.array([float(result.stats.extra["objective"]) for result in results])
