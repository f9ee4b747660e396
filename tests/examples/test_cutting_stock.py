"""The cutting-stock example, as its users meet it: textbook instances, judges that share no code with it, lies."""

from __future__ import annotations

import ast
import itertools
import math
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyscipopt
import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

import gapless as gl
from gapless import testing
from gapless.cli import main
from gapless.engine import PricedRelaxation
from gapless.lp import LinearMaster
from gapless.roles import Columns, Decisions, Fixings, FloatArray, IntArray, LinearView, TreeCertificate
from gapless.scip import solve_monolithic

example = pytest.importorskip(
    "gapless_cutting_stock",
    reason="the example is not installed: pip install -e docs/examples/cutting_stock",
)
from gapless_cutting_stock import (  # noqa: E402
    CuttingStockProblem,
    KnapsackOracle,
    LargestItemFirst,
    PatternPriceCertificate,
    formulation,
    gilmore_gomory,
    uniform_bin_packing,
)
from gapless_cutting_stock.rolls import first_fit_decreasing  # noqa: E402

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


def proved(problem: CuttingStockProblem, method: str, **options: Any) -> gl.Result[Any]:
    result = gl.solve(problem, method, **options)
    assert result.status is gl.Status.OPTIMAL
    assert result.gap == 0
    assert problem.violations(result.best) == []
    return result


def verified(problem: CuttingStockProblem, result: gl.Result[Any]) -> gl.Verdict:
    verdict = result.verify(problem)
    assert verdict, f"{verdict.place}: {verdict.reason}"
    again = gl.Result.from_json(result.to_json())
    assert again.best == result.best
    assert again.verify(gl.loads(gl.dumps(problem)))
    return verdict


def fewest_rolls(problem: CuttingStockProblem) -> int:
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


def arc_flow_optimum(problem: CuttingStockProblem) -> int:
    """The integer arc-flow model with waste arcs, written here once more and solved by SCIP as it is."""
    model = pyscipopt.Model()
    model.hideOutput()
    flow: dict[tuple[int, int, int], Any] = {}
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


def martello_toth_bound(problem: CuttingStockProblem) -> int:
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
def problems(draw: st.DrawFn, items: int = 7) -> CuttingStockProblem:
    width = draw(st.integers(4, 20))
    sizes = draw(st.lists(st.integers(1, width), min_size=1, max_size=4))
    demands = [draw(st.integers(1, 3)) for _ in sizes]
    while sum(demands) > items:
        demands[demands.index(max(demands))] -= 1
    return CuttingStockProblem(width, sizes, demands)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_optima(name: str, method: str) -> None:
    problem, optimum = TEXTBOOK[name]
    assert proved(problem, method).value == optimum


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_certificates(name: str) -> None:
    problem, optimum = TEXTBOOK[name]
    assert verified(problem, gl.solve(problem)).bound == -optimum


@pytest.mark.parametrize("order", ["best-first", "depth-first", "breadth-first"])
@pytest.mark.parametrize("name", WITHOUT_ROUND_UP)
def test_the_tree_closes_what_rounding_up_leaves_open(name: str, order: str) -> None:
    problem, rounded_up, optimum = WITHOUT_ROUND_UP[name]
    root = gl.solve(problem, limits=gl.Limits(nodes=1))
    assert (root.status, root.bound, root.value) == (gl.Status.FEASIBLE, rounded_up, optimum)
    assert root.verify(problem)
    result = proved(problem, "branch-and-price", order=order)
    assert result.value == optimum == fewest_rolls(problem)
    assert result.stats.nodes > 1
    assert isinstance(result.certificate, TreeCertificate)
    verified(problem, result)


@pytest.mark.parametrize("name", WITHOUT_ROUND_UP)
def test_scip_closes_it_too(name: str) -> None:
    problem, _, optimum = WITHOUT_ROUND_UP[name]
    assert proved(problem, "scip").value == optimum


@examples(15)
@given(problems())
def test_own_tree_equals_enumeration(problem: CuttingStockProblem) -> None:
    result = proved(problem, "branch-and-price")
    assert result.value == fewest_rolls(problem)
    verified(problem, result)


@examples(5)
@given(problems())
def test_scip_equals_enumeration(problem: CuttingStockProblem) -> None:
    assert proved(problem, "scip").value == fewest_rolls(problem)


@pytest.mark.parametrize("seed", range(6))
def test_own_tree_equals_the_arc_flow_model(seed: int) -> None:
    rng = np.random.default_rng(seed)
    demands = Counter(rng.integers(15, 40, size=24).tolist())
    problem = CuttingStockProblem(60, list(demands), list(demands.values()))
    result = proved(problem, "branch-and-price")
    assert result.value == arc_flow_optimum(problem)
    verified(problem, result)


BIN_PACKING = [(count, seed) for count in (50, 60, 80, 100, 120) for seed in range(5)]


@pytest.mark.parametrize(
    ("count", "seed"),
    [pytest.param(*case, marks=[pytest.mark.long] if at % 5 else []) for at, case in enumerate(BIN_PACKING)],
)
def test_uniform_bin_packing(count: int, seed: int) -> None:
    problem = uniform_bin_packing(count, seed)
    assert sum(problem.demands) == count
    result = proved(problem, "branch-and-price")
    verified(problem, result)
    if result.value != martello_toth_bound(problem):
        assert result.value == arc_flow_optimum(problem)


@pytest.mark.parametrize(("count", "seed"), BIN_PACKING[::5])
def test_both_drivers_agree(count: int, seed: int) -> None:
    problem = uniform_bin_packing(count, seed)
    assert proved(problem, "scip").value == proved(problem, "branch-and-price").value


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_triplets_fill_every_roll(seed: int, method: str) -> None:
    """Class T of Falkenauer (1996): three items to a roll and no waste, hard to find and known by construction."""
    rng = np.random.default_rng(seed)
    demands: Counter[int] = Counter()
    for _ in range(20):
        large = int(rng.integers(380, 491))
        middle = int(rng.integers(250, (1000 - large) // 2 + 1))
        demands.update([large, middle, 1000 - large - middle])
    problem = CuttingStockProblem(1000, list(demands), list(demands.values()))
    assert proved(problem, method).value == 20


@pytest.mark.parametrize("method", METHODS)
def test_an_item_wider_than_a_roll_is_infeasible(method: str) -> None:
    problem = CuttingStockProblem(10, (12, 4), (1, 5))
    result = gl.solve(problem, method)
    assert result.status is gl.Status.INFEASIBLE
    assert result.bound == math.inf
    assert "size 12" in result.explanation[0]


def test_infeasibility_is_certified() -> None:
    problem = CuttingStockProblem(10, (12, 4), (1, 5))
    assert gl.solve(problem, "branch-and-price").verify(problem)


@examples(15)
@given(problems(), st.data())
def test_any_prices_prove_something_true(problem: CuttingStockProblem, data: st.DataObject) -> None:
    optimum = fewest_rolls(problem)
    price = st.integers(-20, 50)
    arcs = data.draw(st.lists(st.integers(0, len(problem.arcs) - 1), max_size=4, unique=True))
    evidence = PatternPriceCertificate(
        [data.draw(price) for _ in problem.sizes], arcs, [data.draw(price) for _ in arcs]
    )
    verdict = evidence.verify(problem)
    assert verdict
    assert -optimum <= verdict.bound <= 0
    plan = gl.solve(problem).best
    on = problem.encode(plan)
    state = np.full(problem.decisions.count, -1, np.int8)
    held = np.isin(np.arange(state.size), on)
    chosen = np.array(data.draw(st.lists(st.integers(0, state.size - 1), max_size=3)), np.int64)
    state[chosen] = held[chosen]
    assert evidence.verify(problem, Fixings(state)).bound >= -problem.value(plan)


def test_tampered_evidence_fails() -> None:
    problem = gilmore_gomory()
    result = gl.solve(problem)
    assert isinstance(result.certificate, PatternPriceCertificate)
    weaker = attrs.evolve(result, certificate=PatternPriceCertificate([3, 1, 1, 1]))
    verdict = weaker.verify(problem)
    assert not verdict
    assert "but 453 is claimed" in verdict.reason
    assert not PatternPriceCertificate([1, 2]).verify(problem)
    assert not PatternPriceCertificate([1, 2, 3, 4], [10**6], [1]).verify(problem)
    assert not PatternPriceCertificate([1, 2, 3, 4], [1], []).verify(problem)


@examples(15)
@given(problems(), st.data())
def test_encode_and_decode(problem: CuttingStockProblem, data: st.DataObject) -> None:
    items = [i for i, d in enumerate(problem.demands) for _ in range(d)]
    rolls: list[list[int]] = []
    for item in data.draw(st.permutations(items)):
        fitting = [r for r in rolls if sum(problem.sizes[i] for i in [*r, item]) <= problem.width]
        if fitting:
            data.draw(st.sampled_from(fitting)).append(item)
        else:
            rolls.append([item])
    plan = tuple((tuple(roll), 1) for roll in rolls)
    assert problem.violations(plan) == []
    on = problem.encode(plan)
    decoded = problem.decode(on)
    assert problem.violations(decoded) == []
    assert problem.value(decoded) == problem.value(plan)
    assert problem.encode(decoded).tolist() == on.tolist()


@examples(15)
@given(problems(), st.data())
def test_the_knapsack_oracle_equals_enumeration(problem: CuttingStockProblem, data: st.DataObject) -> None:
    arcs = problem.arcs
    counts = itertools.product(*[range(d + 1) for d in problem.demands])
    patterns = [tuple(i for i, n in enumerate(c) for _ in range(n)) for c in counts]
    paths = [arcs.of(p) for p in patterns if sum(problem.sizes[i] for i in p) <= problem.width]
    weights = np.array([data.draw(st.integers(-3, 9)) for _ in range(len(arcs))], float)
    state = np.array([data.draw(st.sampled_from([-1, -1, -1, -1, 0, 1])) for _ in range(len(arcs))], np.int8)
    fixings = Fixings(state)
    oracle = KnapsackOracle(arcs)
    worth = {tuple(p): weights[p].sum() for p in paths if fixings.allow(np.array(p, np.int64))}
    found = oracle.solve(weights, fixings)
    assert found.value == max(worth.values(), default=-math.inf)
    if worth:
        assert weights[found.on_ids].sum() == found.value
        assert fixings.allow(found.on_ids)
        slacks = oracle.slacks(weights, fixings)
        for arc in range(len(arcs)):
            forced = max((v for p, v in worth.items() if arc in p), default=-math.inf)
            assert slacks.on[arc] == found.value - forced


def test_first_fit_decreasing_groups_equal_rolls() -> None:
    problem = CuttingStockProblem(10, (4, 3, 7), (5, 4, 1))
    plan = first_fit_decreasing(problem, problem.demands)
    assert problem.violations(plan) == []
    assert plan == (((0, 0), 2), ((0, 1, 1), 1), ((1,), 1), ((2, 1), 1))


def test_violations_are_readable() -> None:
    problem = CuttingStockProblem(10, (6, 3), (1, 2))
    assert problem.violations((((0, 1), 1), ((1,), 1))) == []
    assert problem.violations((((0, 1, 1), 1),)) == ["pattern 0 (0, 1, 1) needs 12 of a roll that is 10 wide"]
    assert problem.violations((((0,), 1),)) == ["0 items of type 1 (size 3) are cut, 2 ordered"]
    assert "unknown item type 7" in problem.violations((((7,), 1),))[0]
    assert "is empty" in problem.violations((((), 1),))[0]
    odd: list[Any] = [0, -1, 1.5, math.inf, math.nan, 10**9]
    for count in odd:
        assert f"is used {count} times" in problem.violations((((0,), count),))[0]


@pytest.mark.parametrize(
    ("width", "sizes", "demands"),
    [
        (0, [1], [1]),
        (5, [], []),
        (5, [1, 2], [1]),
        (5, [0], [1]),
        (5, [2], [0]),
        (5, [2.5], [1]),
        (math.nan, [1], [1]),
        (5, [2], [-1]),
    ],
)
def test_bad_input_is_refused(width: int, sizes: list[Any], demands: list[int]) -> None:
    with pytest.raises(gl.InvalidProblem):
        CuttingStockProblem(width, sizes, demands)


def test_decisions_have_names() -> None:
    problem = CuttingStockProblem(8, (4, 3), (2, 1))
    assert problem.decisions.name(1) == "at least 2 rolls hold a 4 at offset 0"


@pytest.mark.parametrize("limits", [gl.Limits(nodes=0), gl.Limits(iterations=1), gl.Limits(time=0.0)])
def test_limits_return_what_is_known(limits: gl.Limits) -> None:
    problem = uniform_bin_packing(80, 1)
    best = proved(problem, "branch-and-price").value
    early = gl.solve(problem, limits=limits)
    assert early.bound <= best
    assert not early.solutions or early.value >= best


def test_bounds_on_the_way_are_true() -> None:
    problem = uniform_bin_packing(100, 3)
    result = gl.solve(problem, trace=True)
    bounds = [e.bound for e in result.trace if e.kind == "round"]
    assert len(bounds) > 3
    assert all(b >= -result.value for b in bounds)
    assert math.isfinite(bounds[0])


SMALL = [
    CuttingStockProblem(8, (4, 3), (2, 1)),
    CuttingStockProblem(7, (3, 2), (2, 2)),
    CuttingStockProblem(6, (3, 3, 2), (1, 2, 1)),
    CuttingStockProblem(5, (2, 1), (1, 3)),
    CuttingStockProblem(4, (6, 2), (1, 2)),
]


@pytest.mark.parametrize("problem", SMALL, ids=str)
def test_the_kit_accepts_every_role(problem: CuttingStockProblem) -> None:
    testing.check_problem(problem)
    counts = itertools.product(*[range(d + 1) for d in problem.demands])
    fitting = [c for c in counts if np.dot(c, problem.sizes) <= problem.width]
    paths = [problem.arcs.of([i for i, n in enumerate(c) for _ in range(n)]) for c in fitting]
    testing.check_maximiser(
        KnapsackOracle(problem.arcs),
        Decisions(len(problem.arcs)),
        [np.sort(np.array(path, np.int64)) for path in paths],
    )
    form = formulation(problem)
    testing.check_generator(form.generators[0], lambda: LinearMaster(problem, form), problem)

    def whole() -> PricedRelaxation[Any, LinearView]:
        return PricedRelaxation(LinearMaster(problem, form), form.generators, problem.decisions)

    testing.check_relaxation(whole, problem)
    testing.check_brancher(LargestItemFirst(problem), problem, whole())


@pytest.mark.parametrize("method", METHODS)
def test_the_kit_accepts_the_methods(method: str) -> None:
    testing.check_method(method, SMALL)


@examples(5)
@given(problems())
def test_the_linear_model_has_the_same_optimum(problem: CuttingStockProblem) -> None:
    judged = solve_monolithic(problem)
    assert judged.value == fewest_rolls(problem)
    assert problem.violations(judged.best) == []


def test_the_plug_in_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins"]) == 0
    assert "gapless-cutting-stock" in capsys.readouterr().out
    assert main(["methods"]) == 0
    listed = capsys.readouterr().out
    assert "branch-and-price" in listed
    with pytest.raises(gl.UnknownName, match="scip"):
        gl.solve(gilmore_gomory(), "skip")
    with pytest.raises(gl.UnknownOption, match="order"):
        gl.solve(gilmore_gomory(), ordre="depth-first")


def test_records_are_verified_from_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = gilmore_gomory()
    gl.Record(problem, gl.solve(problem)).save(tmp_path / "record.json")
    assert main(["verify", str(tmp_path / "record.json")]) == 0


def test_the_formulation_starts_with_a_plan() -> None:
    problem = gilmore_gomory()
    initial = formulation(problem).initial
    assert len(initial.rows) == 4
    assert len(initial.columns) == len(first_fit_decreasing(problem, problem.demands))


def test_only_public_names_are_imported() -> None:
    public = {
        "gapless",
        "gapless.cli",
        "gapless.engine",
        "gapless.plugins",
        "gapless.roles",
        "gapless.scip",
        "gapless.svg",
        "gapless.testing",
    }
    for path in Path(str(example.__file__)).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.partition(".")[0] != "gapless" or name in public, f"{path.name} imports {name}"


class DualView(LinearView):
    """A master whose items earn this much each."""

    def __init__(self, problem: CuttingStockProblem, earned: list[float]) -> None:
        super().__init__(Fixings.none(problem.decisions.count))
        self.earned, self.arcs = np.asarray(earned), len(problem.arcs)

    def prices(self, row_keys: IntArray) -> FloatArray:
        return -self.earned[row_keys]

    def usage_prices(self) -> FloatArray:
        return np.zeros(self.arcs)

    def gain(self, columns: Columns) -> FloatArray:
        raise NotImplementedError

    def allowances(self) -> FloatArray:
        raise NotImplementedError


def test_a_gain_too_small_for_a_column_still_loosens_the_bound() -> None:
    """Two items on a roll earn 1 + 8e-10: no column is worth it, but 1000 rolls of them are not worth nothing."""
    problem = CuttingStockProblem(10, (5,), (2000,))
    pricing = formulation(problem).generators[0]
    answer = pricing.query(DualView(problem, [0.5 + 4e-10]))
    assert not len(answer.batch)
    assert answer.slack == pytest.approx(8e-7, rel=1e-4)
    assert pricing.query(DualView(problem, [0.5])).slack == 0.0
