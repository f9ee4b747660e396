"""What both drivers are given: first columns and rows, pricing, branching, rounding, evidence."""

from __future__ import annotations

from functools import partial

import numpy as np

import gapless as gl
from gapless_cutting_stock.branching import LargestItemFirst
from gapless_cutting_stock.certificate import PatternPriceCertificate
from gapless_cutting_stock.pricing import PatternColumns, PatternPricing
from gapless_cutting_stock.problem import CuttingStockProblem, Plan
from gapless_cutting_stock.rolls import first_fit_decreasing, round_flows


def formulation(problem: CuttingStockProblem) -> gl.Formulation[Plan]:
    """The set-covering master of Gilmore and Gomory (1961): a column for each pattern, a row for each item type."""
    columns = PatternColumns(problem)
    first = [pattern for pattern, _ in first_fit_decreasing(problem, problem.demands)]
    demands = gl.Rows(
        keys=np.arange(len(problem.sizes)),
        lower=np.asarray(problem.demands, float),
        upper=np.full(len(problem.sizes), np.inf),
    )
    return gl.Formulation(
        initial=gl.Batch(columns.write(first), demands),
        generators=[PatternPricing(columns)],
        brancher=LargestItemFirst(problem),
        rounding=round_flows(problem),
        certify=partial(PatternPriceCertificate.from_view, problem),
    )
