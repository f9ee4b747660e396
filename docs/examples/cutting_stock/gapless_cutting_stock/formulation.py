"""Input of both drivers: first columns and rows, pricing, branching, rounding, evidence."""

from __future__ import annotations

from functools import partial

import numpy as np

from gapless.roles import Batch, Formulation, Rows
from gapless_cutting_stock.branching import LargestItemFirst
from gapless_cutting_stock.certificate import PatternPriceCertificate
from gapless_cutting_stock.pricing import PatternColumns, PatternPricing
from gapless_cutting_stock.problem import CuttingStockProblem, Plan
from gapless_cutting_stock.rolls import first_fit_decreasing, round_flows


def formulation(problem: CuttingStockProblem) -> Formulation[Plan]:
    """The set-covering master of Gilmore and Gomory (1961): one column per pattern, one row per item type."""
    columns = PatternColumns(problem)
    first = [pattern for pattern, _ in first_fit_decreasing(problem, problem.demands)]
    demands = Rows(
        keys=np.arange(len(problem.sizes)),
        lower=np.asarray(problem.demands, float),
        upper=np.full(len(problem.sizes), np.inf),
    )
    return Formulation(
        initial=Batch(columns.write(first), demands),
        generators=[PatternPricing(columns)],
        brancher=LargestItemFirst(problem),
        rounding=round_flows(problem),
        certify=partial(PatternPriceCertificate.from_view, problem),
    )
