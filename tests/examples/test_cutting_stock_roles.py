"""The roles of the cutting-stock example: evidence, decisions, bad input, limits, the kit, the shell."""

import itertools
import math

import attrs
import numpy as np
import pytest
from cutting_stock_judges import METHODS, fewest_rolls, problems, proved
from drawn import examples, mostly_long
from hypothesis import given
from hypothesis import strategies as st

import gapless as gl
from gapless import testing
from gapless.cli import main
from gapless.column_generation import PricedRelaxation
from gapless.column_generation.master import LinearMaster
from gapless.roles import Decisions, Fixings, LinearView
from gapless.scip import solve_monolithic
from gapless_cutting_stock import (
    CuttingStockProblem,
    KnapsackOracle,
    LargestItemFirst,
    PatternPriceCertificate,
    formulation,
    gilmore_gomory,
    uniform_bin_packing,
)
from gapless_cutting_stock.problem import merged
from gapless_cutting_stock.rolls import first_fit_decreasing, fullest_rolls


@pytest.mark.parametrize("method", METHODS)
def test_an_item_wider_than_a_roll_is_infeasible(method):
    problem = CuttingStockProblem(10, (12, 4), (1, 5))
    result = gl.solve(problem, method)
    assert result.status is gl.Status.INFEASIBLE
    assert result.bound == math.inf
    assert "size 12" in result.explanation[0]


def test_infeasibility_is_certified():
    problem = CuttingStockProblem(10, (12, 4), (1, 5))
    assert gl.solve(problem, "branch-and-price").verify(problem)


@examples(15)
@given(problems(), st.data())
def test_any_prices_prove_something_true(problem, data):
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


def test_tampered_evidence_fails():
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
def test_encode_and_decode(problem, data):
    items = [i for i, d in enumerate(problem.demands) for _ in range(d)]
    rolls = []
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
def test_the_knapsack_oracle_equals_enumeration(problem, data):
    arcs = problem.arcs
    counts = itertools.product(*[range(d + 1) for d in problem.demands])
    patterns = [tuple(i for i, n in enumerate(c) for _ in range(n)) for c in counts]
    paths = [arcs.of(p) for p in patterns if sum(problem.sizes[i] for i in p) <= problem.width]
    weights = np.array([data.draw(st.integers(-3, 9)) for _ in range(len(arcs))], float)
    state = np.array([data.draw(st.sampled_from([-1, -1, -1, -1, 0, 1])) for _ in range(len(arcs))], np.int8)
    fixings = Fixings(state)
    oracle = KnapsackOracle(arcs)
    worth = {tuple(p): weights[p].sum() for p in paths if fixings.allows(np.array(p, np.int64))}
    found = oracle.solve(weights, fixings)
    assert found.value == max(worth.values(), default=-math.inf)
    if worth:
        assert weights[found.on_ids].sum() == found.value
        assert fixings.allows(found.on_ids)
        slacks = oracle.max_marginals(weights, fixings)
        for arc in range(len(arcs)):
            forced = max((v for p, v in worth.items() if arc in p), default=-math.inf)
            assert slacks.on[arc] == found.value - forced


def test_first_fit_decreasing_groups_equal_rolls():
    problem = CuttingStockProblem(10, (4, 3, 7), (5, 4, 1))
    plan = first_fit_decreasing(problem, problem.demands)
    assert problem.violations(plan) == []
    assert plan == (((0, 0), 2), ((0, 1, 1), 1), ((1,), 1), ((2, 1), 1))


@examples(15)
@given(problems())
def test_first_fit_decreasing_is_that_of_single_items(problem):
    rolls = []
    for item in sorted(range(len(problem.sizes)), key=lambda i: -problem.sizes[i]):
        for _ in range(problem.demands[item]):
            fits = (r for r in rolls if sum(problem.sizes[i] for i in [*r, item]) <= problem.width)
            roll = next(fits, None)
            if roll is None:
                rolls.append(roll := [])
            roll.append(item)
    plan = first_fit_decreasing(problem, problem.demands)
    assert plan == merged((tuple(roll), 1) for roll in rolls)


@examples(15)
@given(problems())
def test_fullest_rolls_fill_each_roll_best(problem):
    plan = fullest_rolls(problem, problem.demands)
    assert problem.violations(plan) == []
    # In the order of the rule: every roll has the largest item that is left, and nothing left fills it better.
    left = list(problem.demands)
    rolls = [pattern for pattern, count in plan for _ in range(count)]
    while rolls:
        first = max((i for i, n in enumerate(left) if n), key=lambda i: problem.sizes[i])
        with_first = [
            r for r in rolls if problem.sizes[max(r, key=lambda i: problem.sizes[i])] == problem.sizes[first]
        ]
        assert with_first
        roll = max(with_first, key=lambda r: sum(problem.sizes[i] for i in r))
        others = itertools.product(*[range(n + 1) for n in left])
        sums = (
            int(np.dot(c, problem.sizes))
            for c in others
            if any(problem.sizes[i] == problem.sizes[first] for i, n in enumerate(c) if n)
        )
        assert sum(problem.sizes[i] for i in roll) == max(s for s in sums if s <= problem.width)
        rolls.remove(roll)
        for item in roll:
            left[item] -= 1


def test_fullest_rolls_find_triplets_without_waste():
    """First fit decreasing needs three rolls."""
    problem = CuttingStockProblem(100, (48, 46, 32, 28, 26, 20), (1, 1, 1, 1, 1, 1))
    assert len(fullest_rolls(problem, problem.demands)) == 2
    assert len(first_fit_decreasing(problem, problem.demands)) == 3


def test_violations_are_readable():
    problem = CuttingStockProblem(10, (6, 3), (1, 2))
    assert problem.violations((((0, 1), 1), ((1,), 1))) == []
    assert problem.violations((((0, 1, 1), 1),)) == ["pattern 0 (0, 1, 1) needs 12 of a roll that is 10 wide"]
    assert problem.violations((((0,), 1),)) == ["0 items of type 1 (size 3) are cut, 2 ordered"]
    assert "unknown item type 7" in problem.violations((((7,), 1),))[0]
    assert "is empty" in problem.violations((((), 1),))[0]
    odd = [0, -1, 1.5, math.inf, math.nan, 10**9]
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
def test_bad_input_is_refused(width, sizes, demands):
    with pytest.raises(gl.InvalidProblem):
        CuttingStockProblem(width, sizes, demands)


def test_decisions_have_names():
    problem = CuttingStockProblem(8, (4, 3), (2, 1))
    assert problem.decisions.name(1) == "at least 2 rolls hold a 4 at offset 0"


@pytest.mark.parametrize("limits", [gl.Limits(nodes=0), gl.Limits(iterations=1), gl.Limits(time=0.0)])
def test_limits_return_what_is_known(limits):
    problem = uniform_bin_packing(80, 1)
    best = proved(problem, "branch-and-price").value
    early = gl.solve(problem, limits=limits)
    assert early.bound <= best
    assert not early.solutions or early.value >= best


def test_bounds_on_the_way_are_true():
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


@pytest.mark.parametrize("problem", mostly_long(SMALL, quick=[2, 4]), ids=str)
def test_the_kit_accepts_every_role(problem):
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

    def whole():
        return PricedRelaxation(LinearMaster(problem, form), form.generators, problem.decisions)

    testing.check_relaxation(whole, problem)
    testing.check_brancher(LargestItemFirst(problem), problem, whole())


@pytest.mark.parametrize("every", mostly_long([3, 1], quick=[0]))
@pytest.mark.parametrize("method", METHODS)
def test_the_kit_accepts_the_methods(method, every):
    testing.check_method(method, SMALL[1::every])


@examples(5)
@given(problems())
def test_the_linear_model_has_the_same_optimum(problem):
    judged = solve_monolithic(problem)
    assert judged.value == fewest_rolls(problem)
    assert problem.violations(judged.best) == []


def test_records_are_verified_from_the_shell(tmp_path, capsys):
    problem = gilmore_gomory()
    gl.Record(problem, gl.solve(problem)).save(tmp_path / "record.json")
    assert main(["verify", str(tmp_path / "record.json")]) == 0


def test_the_formulation_starts_with_a_plan():
    problem = gilmore_gomory()
    initial = formulation(problem).initial
    assert len(initial.rows) == 4
    assert len(initial.columns) == len(first_fit_decreasing(problem, problem.demands))


class DualView(LinearView):
    """A master whose items earn this much each."""

    def __init__(self, problem, earned):
        super().__init__(Fixings.none(problem.decisions.count))
        self.earned, self.arcs = np.asarray(earned), len(problem.arcs)
        self.objective = self.bound = -float(self.earned @ problem.demands)

    def prices(self, row_keys):
        return -self.earned[row_keys]

    @property
    def row_keys(self):
        return np.arange(self.earned.size)

    @property
    def column_values(self):
        return None

    def usage_prices(self):
        return np.zeros(self.arcs)

    def reduced_costs(self, columns):
        raise NotImplementedError

    def allowances(self):
        raise NotImplementedError


def test_a_gain_too_small_for_a_column_still_weakens_the_bound():
    """Two items on a roll earn 1 + 8e-10: no column is worth it, but 1000 rolls of them are not worth nothing."""
    problem = CuttingStockProblem(10, (5,), (2000,))
    pricing = formulation(problem).generators[0]
    answer = pricing.query(DualView(problem, [0.5 + 4e-10]))
    assert not len(answer.batch)
    assert answer.pricing_gap == pytest.approx(8e-7, rel=1e-4)
    assert pricing.query(DualView(problem, [0.5])).pricing_gap == 0.0
