"""Thousands of sentences leave nothing behind."""

import os
from pathlib import Path

import numpy as np
import pytest

import gapless
from gapless_dependency.random_problems import random_problem


def resident():
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@pytest.mark.parametrize(
    ("method", "options"),
    [("price-and-cut", {}), ("price-and-cut", {"variant": "paper"}), ("branch-price-and-cut", {})],
)
def test_solves_leave_nothing_behind(method, options):
    rng = np.random.default_rng(5)

    def solve(count):
        for _ in range(count):
            problem = random_problem(rng, 4, families=("grandchild", "sibling"), strength=0.5)
            gapless.solve(problem, method, **options)

    solve(60)
    sizes = []
    for _ in range(6):
        solve(50)
        sizes.append(resident())
    slope = np.polyfit(np.arange(6) * 50, sizes, 1)[0]
    assert slope < 20_000, f"{slope:.0f} bytes for each sentence"
