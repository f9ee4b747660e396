"""Cutting stock and bin packing as a gapless plug-in: the problem, its oracle, its brancher, its certificate."""

from gapless_cutting_stock.bpplib import bpplib_files, read_bpplib
from gapless_cutting_stock.branching import LargestItemFirst
from gapless_cutting_stock.certificate import PatternPriceCertificate
from gapless_cutting_stock.formulation import formulation
from gapless_cutting_stock.instances import gilmore_gomory, uniform_bin_packing
from gapless_cutting_stock.knapsack import KnapsackOracle
from gapless_cutting_stock.problem import CuttingStockProblem, Pattern, Plan
from gapless_cutting_stock.subset_rows import SubsetRows

__all__ = [
    "CuttingStockProblem",
    "KnapsackOracle",
    "LargestItemFirst",
    "Pattern",
    "PatternPriceCertificate",
    "Plan",
    "SubsetRows",
    "bpplib_files",
    "formulation",
    "gilmore_gomory",
    "read_bpplib",
    "uniform_bin_packing",
]
