"""The paper's program, the one that is cut, subtour rows and their separation, limits, Ctrl-C, certificates."""

import itertools

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import InvalidProblem, Limits, SolveError, Status, Stop, UnknownOption
from gapless.arrays import serial
from gapless.arrays.tolerance import INTEGRAL, score_tolerance
from gapless.roles import Fixings, OracleError
from gapless.scip import solve_monolithic, write_model
from gapless_ordering import OrderingProblem, ilp_cuts
from gapless_ordering.cut_program import CutDual, base_rows, cut_program
from gapless_ordering.enumeration import all_paths, best_paths
from gapless_ordering.random_problems import metric, random_problem, title_like
from gapless_ordering.subtours import Subtour, violated


@pytest.fixture(scope="module")
def hard():
    """An instance that takes several nodes, and its best value."""
    problem = metric(16, 7, 1)
    result = gapless.solve(problem, "ilp-cuts")
    assert result.status is Status.OPTIMAL
    assert result.stats.nodes > 1
    return problem, result.value


def completed(model, problem, path):
    """The point of `integer_program` for a path: indicators, numbers, demands, inflows and outflows."""
    n, k, count = problem.vertices, problem.length, problem.decisions.count
    point = np.zeros(model.objective.size)
    stations = [n, *path, n]
    scores = np.concatenate([problem.start, problem.ordering.ravel(), problem.end])
    allowed = np.cumsum(scores > -np.inf) - 1
    flows = int(allowed[-1]) + 1
    for place, (u, v) in enumerate(itertools.pairwise(stations)):
        edge = v if u == n else (n + n * n + u if v == n else n + n * u + v)
        point[edge], point[count + allowed[edge]] = 1.0, k + 1.0 - place
    for place, v in enumerate(path):
        point[count + flows + v] = 1.0
        point[count + flows + n + v] = k + 1.0 - place
        point[count + flows + 2 * n + v] = k - place
    point[-2:] = k + 1.0, 1.0
    return point


@seeing("points")
@examples(25)
@given(rng=generators())
def test_every_path_is_a_point_of_both_programs_and_scores_the_same(seen, rng):
    problem = random_problem(rng, n=int(rng.integers(1, 6)))
    model, cut = problem.linear_model(), cut_program(problem)
    for path, score in zip(*all_paths(problem), strict=True):
        seen["points"] += 1
        visits = np.bincount(path, minlength=problem.vertices)
        chosen = np.isin(np.arange(problem.decisions.count), problem.encode(path)).astype(float)
        points = (model, completed(model, problem, path)), (cut, np.concatenate([chosen, visits]))
        for program, point in points:
            reached = program.rows.dot(point)
            assert np.all((reached >= program.row_lower) & (reached <= program.row_upper))
            assert np.all((point >= program.column_lower) & (point <= program.column_upper))
            assert program.objective @ point == pytest.approx(score, rel=1e-9, abs=1e-9)


def test_the_program_can_be_written(tmp_path):
    write_model(title_like(4, 2, 0), tmp_path / "paths.lp")
    assert (tmp_path / "paths.lp").read_text().startswith("\\ SCIP")


# --- subtours


def fractional_point(rng, problem):
    """A mixture of three walks, each with a cycle beside it, as decisions: in-degrees equal out-degrees."""
    n = problem.vertices
    point = np.zeros(problem.decisions.count)
    for weight in rng.dirichlet(np.ones(3)):
        while True:
            head, rest = np.split(rng.permutation(n), [int(rng.integers(1, n + 1))])
            cycle = [*rest.tolist(), int(rest[0])] if rest.size > 1 and rng.random() < 0.7 else []
            edges = [*itertools.pairwise(head.tolist()), *itertools.pairwise(cycle)]
            if all(problem.ordering[edge] > -np.inf for edge in edges):
                break
        point[[head[0], n + n * n + head[-1], *(n + n * u + v for u, v in edges)]] += weight
    return point


def excess(problem, point, row):
    n = problem.vertices
    inner = point[n : n + n * n].reshape(n, n)
    visits = inner.sum(axis=1) + point[n + n * n :]
    columns, values = row.columns(problem)
    return float(values @ np.concatenate([point, visits])[columns])


def every_row(problem):
    for size in range(1, problem.vertices + 1):
        for members in itertools.combinations(range(problem.vertices), size):
            for group in range(problem.class_count):
                yield Subtour(np.array(members), group)


@examples(8)
@given(rng=generators())
def test_no_path_violates_a_subtour_row(rng):
    problem = random_problem(rng, n=int(rng.integers(1, 6)))
    paths = all_paths(problem)[0][:20]
    for path in paths:
        point = np.isin(np.arange(problem.decisions.count), problem.encode(path)).astype(float)
        assert max(excess(problem, point, row) for row in every_row(problem)) <= 0


@seeing("cut off")
@examples(40)
@given(rng=generators())
def test_separation_finds_a_row_exactly_when_there_is_one(seen, rng):
    n = int(rng.integers(2, 7))
    classes = rng.integers(0, n + 1, n)
    problem = OrderingProblem(np.zeros(n), np.zeros((n, n)), np.zeros(n), 1, classes=classes)
    point = fractional_point(rng, problem)
    worst = max(excess(problem, point, row) for row in every_row(problem))
    found = violated(problem, point)
    assert bool(found) == (worst > INTEGRAL)
    assert all(excess(problem, point, row) > INTEGRAL for row in found)
    seen["cut off"] += bool(found)


def test_a_path_is_not_cut_off_and_a_cycle_beside_it_is():
    problem = OrderingProblem(np.zeros(5), np.zeros((5, 5)), np.zeros(5), 4, classes=[0, 1, 1, 2, 3])
    point = np.zeros(problem.decisions.count)
    point[problem.encode(np.array([0, 1, 3, 4]))] = 1.0
    assert violated(problem, point) == []
    n = 5
    point[:] = 0.0
    point[[0, n + n * 0 + 4, n + n * n + 4, n + n * 1 + 3, n + n * 3 + 1]] = 1.0
    (row,) = violated(problem, point)
    assert row.members.tolist() == [1, 3]


# --- the methods


def test_an_unknown_tree_is_answered_with_the_nearest():
    with pytest.raises(UnknownOption, match="scip"):
        gapless.solve(metric(5, 2, 0), "ilp-cuts", tree="scop")


@pytest.mark.parametrize(
    ("method", "options", "limits", "stop"),
    [
        ("ilp", {}, Limits(time=0.0), Stop.TIME),
        ("ilp", {}, Limits(nodes=1), Stop.NODES),
        ("ilp-cuts", {}, Limits(time=0.0), Stop.TIME),
        ("ilp-cuts", {}, Limits(nodes=1), Stop.NODES),
        ("ilp-cuts", {"tree": "own"}, Limits(nodes=1), Stop.NODES),
        ("ilp-cuts", {"tree": "own"}, Limits(relative_gap=0.5), Stop.GAP),
    ],
)
def test_limits_leave_true_bounds(hard, method, options, limits, stop):
    problem, best = hard
    result = gapless.solve(problem, method, limits=limits, **options)
    assert result.stop is stop
    assert result.status in (Status.FEASIBLE, Status.NO_SOLUTION)
    assert result.bound >= best - score_tolerance(best)
    assert all(solution.value <= best + score_tolerance(best) for solution in result.solutions)


@pytest.mark.parametrize("tree", ["scip", "own"])
@pytest.mark.parametrize(
    ("place", "error", "path"),
    [
        ("observers", KeyboardInterrupt(), False),
        ("observers", LookupError("planted"), True),
        ("first_batch", KeyboardInterrupt(), True),
        ("violated", LookupError("planted"), False),
    ],
)
def test_what_breaks_off_leaves_a_true_bound(hard, monkeypatch, tree, place, error, path):
    """An observer, writing the program and the separation; a path is there where one is found before."""
    problem, best = hard

    def planted(*_):
        raise error

    options = {"tree": tree, "observers": [planted]} if place == "observers" else {"tree": tree}
    if place != "observers":
        monkeypatch.setattr(ilp_cuts, place, planted)
    if isinstance(error, KeyboardInterrupt):
        result = gapless.solve(problem, "ilp-cuts", **options)
        assert result.stop is Stop.INTERRUPTED
    else:
        with pytest.raises(OracleError, match="planted") as caught:
            gapless.solve(problem, "ilp-cuts", **options)
        result = caught.value.result
        assert result.stop is Stop.ERROR
    assert result.status is not Status.OPTIMAL
    assert result.bound >= best - score_tolerance(best)
    if path:
        assert result.status is Status.FEASIBLE
        assert result.value <= best <= result.bound


def test_ctrl_c_while_the_model_is_written_leaves_the_start(hard, monkeypatch):
    problem, best = hard
    start = np.arange(problem.length)

    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(OrderingProblem, "linear_model", interrupt)
    result = gapless.solve(problem, "ilp", start=start)
    assert (result.status, result.stop) == (Status.FEASIBLE, Stop.INTERRUPTED)
    assert result.value == problem.value(start)
    assert result.bound >= best


@pytest.mark.parametrize("method", ["ilp", "ilp-cuts"])
def test_a_start_that_is_no_path_is_refused(method):
    with pytest.raises(InvalidProblem, match="start: the structure is infeasible"):
        gapless.solve(metric(5, 2, 0), method, start=np.array([1, 1]))


@pytest.mark.parametrize("tree", ["scip", "own"])
def test_a_separation_that_finds_nothing_is_no_wrong_optimum(tree, monkeypatch):
    """Two far ends and a cycle that pays: without rows, the program's point is no path."""
    ordering = np.full((4, 4), -1.0)
    ordering[1, 2] = ordering[2, 1] = 5.0
    problem = OrderingProblem([0, -9, -9, 0], ordering, [0, -9, -9, 0], 4)
    (best,) = best_paths(problem)
    assert gapless.solve(problem, "ilp-cuts", tree=tree).value == best.value
    monkeypatch.setattr(ilp_cuts, "violated", lambda problem, point, stop: [])
    try:
        result = gapless.solve(problem, "ilp-cuts", tree=tree)
    except SolveError as error:
        result = error.result
    assert result.status is not Status.OPTIMAL or result.value == best.value
    assert result.bound >= best.value


def test_a_model_that_allows_too_much_is_found_out(monkeypatch):
    """The paper's program without its acyclicity."""
    ordering = np.full((4, 4), -1.0)
    ordering[1, 2] = ordering[2, 1] = 5.0
    problem = OrderingProblem([0, -9, -9, 0], ordering, [0, -9, -9, 0], 4)
    whole = problem.linear_model()
    kept = np.arange(len(whole.rows)) < 3 + 4 + 4
    loose = attrs.evolve(
        whole,
        row_lower=np.where(kept, whole.row_lower, -np.inf),
        row_upper=np.where(kept, whole.row_upper, np.inf),
    )
    monkeypatch.setattr(OrderingProblem, "linear_model", lambda self: loose)
    with pytest.raises(InvalidProblem, match="allows a structure that the problem forbids"):
        solve_monolithic(problem)


# --- certificates


@pytest.fixture(scope="module")
def proved():
    """An instance that is proved without branching, its result and certificate."""
    problem = metric(12, 6, 2)
    result = gapless.solve(problem, "ilp-cuts", tree="own")
    assert result.stats.nodes == 1
    return problem, result, result.certificate


def test_certificates_survive_files_and_prove_the_bound(proved):
    problem, result, dual = proved
    assert isinstance(dual, CutDual)
    back = serial.loads(serial.dumps(dual))
    verdict = back.verify(problem)
    assert verdict
    assert verdict.bound == pytest.approx(result.value, rel=1e-9)
    assert back.row_prices.size == base_rows(problem) + back.groups.size


@examples(15)
@given(rng=generators())
def test_any_prices_of_any_rows_are_a_bound(rng, proved):
    problem, result, dual = proved
    rows = [
        Subtour(np.flatnonzero(rng.random(12) < 0.4), int(rng.integers(12))) for _ in range(int(rng.integers(4)))
    ]
    prices = np.concatenate([dual.row_prices[: base_rows(problem)], np.zeros(len(rows))])
    prices += 0.1 * rng.normal(size=prices.size)
    prices[base_rows(problem) - problem.class_count :] = np.abs(prices[base_rows(problem) - 12 :])
    assert CutDual.of(prices, rows, improving=True).upper_bound(problem, fixed(problem)) >= result.value


def fixed(problem, on=(), off=()):
    return Fixings.none(problem.decisions.count).fix(on, off)


@pytest.mark.parametrize(
    "change",
    [
        {"row_prices": np.zeros(3)},
        {"row_prices": lambda dual: np.full_like(dual.row_prices, np.nan)},
        {"members": lambda dual: dual.members + 100},
        {"members": lambda dual: dual.members[::-1]},
        {"members": lambda dual: dual.members[:-1]},
        {"ends": lambda dual: dual.ends[::-1]},
        {"groups": lambda dual: dual.groups[:-1]},
    ],
)
def test_certificates_that_do_not_fit_are_refused(proved, change):
    problem, _, dual = proved
    assert dual.groups.size > 1
    made = {name: value(dual) if callable(value) else value for name, value in change.items()}
    verdict = attrs.evolve(dual, **made).verify(problem)
    assert not verdict
    assert "does not fit" in verdict.reason


def test_prices_that_earn_where_they_may_not_bound_nothing(proved):
    problem, _, dual = proved
    earning = dual.row_prices.copy()
    earning[-1] = -1.0
    assert attrs.evolve(dual, row_prices=earning).upper_bound(problem, fixed(problem)) == np.inf


def test_emptiness_is_proved_only_where_nothing_is_left(proved):
    problem, _, dual = proved
    n = problem.vertices
    claimed = attrs.evolve(dual, improving=False)
    assert claimed.upper_bound(problem, fixed(problem)) == np.inf
    prices = np.zeros(base_rows(problem))
    prices[0] = -1.0
    nothing = CutDual.of(prices, [], improving=False)
    assert nothing.upper_bound(problem, fixed(problem)) == np.inf
    assert nothing.upper_bound(problem, fixed(problem, off=range(n))) == -np.inf
