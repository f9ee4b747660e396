"""Input of both drivers: first columns and rows, pricing, branching, rounding, evidence."""

from __future__ import annotations

from functools import partial

import numpy as np

import gapless as gl
from gapless.roles import Batch, Formulation, Rows
from gapless_cutting_stock.branching import LargestItemFirst
from gapless_cutting_stock.certificate import PatternPriceCertificate
from gapless_cutting_stock.pricing import PatternColumns, PatternPricing
from gapless_cutting_stock.problem import CuttingStockProblem, Plan
from gapless_cutting_stock.rolls import first_fit_decreasing, round_flows
from gapless_cutting_stock.subset_rows import REACH, SubsetRows


def formulation(problem: CuttingStockProblem, *, reach: float = REACH) -> Formulation[Plan]:
    """Build the set-covering master of Gilmore and Gomory (1961): one column per pattern, one row per item type.

    Parameters
    ----------
    problem : CuttingStockProblem
    reach : float, default 0.1
        Subset rows are added where the relaxation is at most so far below a whole number of rolls; 0 adds none.

    Raises
    ------
    InvalidProblem
        `reach` is no number from 0 to 1.
    """
    if not 0 <= reach <= 1:
        raise gl.InvalidProblem(f"reach is {reach!r}, expected a number from 0 (no subset rows) to 1")
    columns = PatternColumns(problem, SubsetRows(problem.demands, reach))
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
