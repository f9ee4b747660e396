"""Cutting-stock instances with known optima, and judges that share no code with the example."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np
import pyscipopt
import pytest
from hypothesis import strategies as st

import gapless as gl

pytest.importorskip(
    "gapless_cutting_stock", reason="the example is not installed: pip install -e docs/examples/cutting_stock"
)
from gapless_cutting_stock import CuttingStockProblem, gilmore_gomory

METHODS = ("branch-and-price", "scip")

TEXTBOOK = {
    "Chvatal 1983": (gilmore_gomory(), 453),
    "Valerio de Carvalho 1999": (CuttingStockProblem(8, (4, 3, 2), (5, 4, 8)), 6),
    "AMPL book": (CuttingStockProblem(110, (20, 45, 50, 55, 75), (48, 35, 24, 10, 8)), 47),
    "Wikipedia": (
        CuttingStockProblem(
            5600,
            (1380, 1520, 1560, 1710, 1820, 1880, 1930, 2000, 2050, 2100, 2140, 2150, 2200),
            (22, 25, 12, 14, 18, 18, 20, 10, 12, 14, 16, 18, 20),
        ),
        73,
    ),
}

WITHOUT_ROUND_UP = {
    "30: 15 10 6": (CuttingStockProblem(30, (15, 10, 6), (3, 5, 9)), 5, 6),
    "132: 44 33 12": (CuttingStockProblem(132, (44, 33, 12), (5, 7, 17)), 5, 6),
}
"""Instances where the rounded-up linear relaxation is one roll short: problem, relaxation rounded up, optimum."""


def proved(problem, method, **options):
    result = gl.solve(problem, method, **options)
    assert result.status is gl.Status.OPTIMAL
    assert result.gap == 0
    assert problem.violations(result.best) == []
    return result


def verified(problem, result):
    verdict = result.verify(problem)
    assert verdict, f"{verdict.location}: {verdict.reason}"
    again = gl.Result.from_json(result.to_json())
    assert again.best == result.best
    assert again.verify(gl.loads(gl.dumps(problem)))
    return verdict


def fewest_rolls(problem):
    """Enumeration: every way to cut the next roll, remembered."""
    patterns = [
        counts
        for counts in itertools.product(*[range(d + 1) for d in problem.demands])
        if any(counts) and sum(c * s for c, s in zip(counts, problem.sizes, strict=True)) <= problem.width
    ]

    @cache
    def rest(missing: tuple[int, ...]) -> int:
        if not any(missing):
            return 0
        first = next(i for i, m in enumerate(missing) if m)
        return 1 + min(
            rest(tuple(m - c for m, c in zip(missing, counts, strict=True)))
            for counts in patterns
            if counts[first] and all(c <= m for c, m in zip(counts, missing, strict=True))
        )

    return rest(problem.demands)


def arc_flow_optimum(problem):
    """The integer arc-flow model with waste arcs, written here once more and solved by SCIP as it is."""
    model = pyscipopt.Model()
    model.hideOutput()
    model.setPresolve(pyscipopt.SCIP_PARAMSETTING.OFF)  # decision 059
    flow = {}
    for kind, size in enumerate(problem.sizes):
        for start in range(problem.width - size + 1):
            flow[kind, start, start + size] = model.addVar(vtype="I", lb=0, ub=problem.demands[kind])
    for start in range(problem.width):
        flow[-1, start, start + 1] = model.addVar(vtype="I", lb=0)
    rolls = model.addVar(vtype="I", lb=0)
    for place in range(problem.width + 1):
        arriving = pyscipopt.quicksum(x for (_, _, end), x in flow.items() if end == place)
        leaving = pyscipopt.quicksum(x for (_, start, _), x in flow.items() if start == place)
        made = rolls if place == 0 else (-rolls if place == problem.width else 0)
        model.addCons(leaving - arriving == made)
    for kind, demand in enumerate(problem.demands):
        model.addCons(pyscipopt.quicksum(x for (k, _, _), x in flow.items() if k == kind) == demand)
    model.setObjective(rolls, "minimize")
    model.optimize()
    assert model.getStatus() == "optimal"
    return round(model.getObjVal())


def martello_toth_bound(problem):
    """L2 of Martello and Toth (1990): large items keep a roll each, small ones fill what is left."""
    items = [s for s, d in zip(problem.sizes, problem.demands, strict=True) for _ in range(d)]
    best = 0
    for small in range(problem.width // 2 + 1):
        alone = [s for s in items if s > problem.width - small]
        large = [s for s in items if problem.width / 2 < s <= problem.width - small]
        rest = sum(s for s in items if small <= s <= problem.width / 2)
        room = len(large) * problem.width - sum(large)
        best = max(best, len(alone) + len(large) + max(0, math.ceil((rest - room) / problem.width)))
    return best


@st.composite
def problems(draw, items=7):
    width = draw(st.integers(4, 20))
    sizes = draw(st.lists(st.integers(1, width), min_size=1, max_size=4))
    demands = [draw(st.integers(1, 3)) for _ in sizes]
    while sum(demands) > items:
        demands[demands.index(max(demands))] -= 1
    return CuttingStockProblem(width, sizes, demands)


def triplets(rolls, seed):
    """Make bins that three items fill to the brim: class T of Falkenauer (1996), hard to find, known beforehand."""
    rng = np.random.default_rng(seed)
    demands = Counter()
    for _ in range(rolls):
        large = int(rng.integers(380, 491))
        middle = int(rng.integers(250, (1000 - large) // 2 + 1))
        demands.update([large, middle, 1000 - large - middle])
    return CuttingStockProblem(1000, list(demands), list(demands.values()))
