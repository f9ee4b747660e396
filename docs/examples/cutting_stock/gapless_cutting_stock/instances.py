"""Instances from textbooks, and random ones like those of the literature."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gapless_cutting_stock.problem import CuttingStockProblem


def gilmore_gomory() -> CuttingStockProblem:
    """Return the cutting-stock example of Chvatal, *Linear Programming* (1983), chapter 13: 453 rolls."""
    return CuttingStockProblem(100, (45, 36, 31, 14), (97, 610, 395, 211))


def uniform_bin_packing(count: int, seed: int, *, width: int = 150) -> CuttingStockProblem:
    """Draw `count` items with sizes uniformly from 20..100, like class U of Falkenauer (1996)."""
    sizes = np.random.default_rng(seed).integers(20, 101, size=count)
    demands = Counter(sizes.tolist())
    ordered = sorted(demands, reverse=True)
    return CuttingStockProblem(width, ordered, [demands[size] for size in ordered])
