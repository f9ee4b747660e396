"""Column generation in trees through its roles: messages, oracle, slack, limits, fixings, a wrong reduced cost."""

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import InvalidProblem, Limits, Status, Stop
from gapless.core.tolerance import meets
from gapless.engine import PricedRelaxation, price_and_cut
from gapless.roles import Budget, Fixings, InconsistentBound
from gapless.testing import check_oracle, check_relaxation
from gapless_chains import TreeMessages, TreeProblem, TreeReducedCostOracle
from gapless_chains.trees.messages import root_weights

INF = float("inf")
METHOD = "column-generation"


def rounds(problem, fixings=None, first="greedy"):
    """(view, relaxed, answer, certified bound) of every round, by hand."""
    messages, oracle = TreeMessages(problem, first=first), TreeReducedCostOracle(problem)
    fixings = fixings or Fixings.none(problem.decisions.count)
    state = None
    while True:
        relaxed = messages.solve(fixings, Budget(), state=state)
        state = relaxed.state
        answer = oracle.query(messages.view())
        yield messages.view(), relaxed, answer, messages.certify([answer]).upper_bound(problem, fixings)
        if not messages.extend(answer.batch):
            return


@pytest.fixture(scope="module")
def flat_tree(random_tree):
    """Scores so flat that several rounds are needed."""
    return lambda seed, n=12, k=12, **options: random_tree(seed, n, k, **{"sharpness": 0.5, **options})


# --- the roles


@pytest.mark.parametrize("forbidden", [0.0, 0.3])
@examples(4)
@given(rng=generators())
def test_the_kit_accepts_the_roles(rng, random_tree, forbidden):
    seed = int(rng.integers(8))
    problem = random_tree(rng, 1 + seed % 5, 2 + seed % 2, forbidden=forbidden, integers=seed % 2 > 0)

    def relaxation(problem=problem):
        return PricedRelaxation(TreeMessages(problem), [TreeReducedCostOracle(problem)], problem.decisions)

    check_relaxation(relaxation, problem, samples=6)
    if problem.infeasibility():
        return
    check_oracle(
        TreeReducedCostOracle(problem), problem, make_restricted=lambda problem=problem: TreeMessages(problem)
    )


@seeing("several")
@pytest.mark.parametrize("forbidden", [0.0, 0.4])
@pytest.mark.parametrize("first", ["greedy", "local"])
@examples(40)
@given(rng=generators())
def test_every_round_has_a_true_bound_that_its_certificate_proves(seen, rng, flat_tree, forbidden, first):
    problem = flat_tree(rng, forbidden=forbidden)
    if problem.infeasibility():
        return
    best = gapless.solve(problem).value
    bounds, values = [], []
    for _, relaxed, answer, certified in rounds(problem, first=first):
        bounds.append(relaxed.bound + answer.slack)
        values.append(relaxed.bound)
        assert best - 1e-9 <= certified <= bounds[-1] + 1e-9
        assert problem.value(relaxed.structure) == pytest.approx(relaxed.bound, abs=1e-9)
        assert relaxed.bound <= best + 1e-9
    assert meets(bounds[-1], best)
    assert values == sorted(values)
    seen["several"] += len(values) > 2


def test_messages_leave_out_the_edge_they_cross(flat_tree):
    problem = flat_tree(1, 9, 4)
    *_, (view, _, _, _) = rounds(problem)
    neighbours = {i: {} for i in range(9)}
    for i in problem.inner.tolist():
        parent = int(problem.parents[i])
        neighbours[i][parent], neighbours[parent][i] = problem.pairs(i).T, problem.pairs(i)

    def reaching(node, without):
        """Best score of what hangs on `node`, the edge to `without` cut."""
        total = problem.unary[node].copy()
        for other, pairs in neighbours[node].items():
            if other != without:
                inside = view.domains[other]
                total += (pairs[:, inside] + reaching(other, node)[inside]).max(axis=1)
        return total

    for i in problem.inner.tolist():
        parent = int(problem.parents[i])
        np.testing.assert_allclose(view.below[i], reaching(i, parent), atol=1e-12)
        np.testing.assert_allclose(view.beyond[i], reaching(parent, i), atol=1e-12)


@pytest.mark.parametrize("forbidden", [0.0, 0.3])
@given(rng=generators())
def test_warm_messages_equal_messages_from_scratch(rng, flat_tree, forbidden):
    problem = flat_tree(rng, forbidden=forbidden)
    fixings = Fixings.none(problem.decisions.count)
    inner = problem.inner
    for view, relaxed, _, _ in rounds(problem):
        if not view.feasible:
            break
        up, down = view.up.copy(), view.down.copy()
        fresh = TreeMessages(problem)
        assert fresh.solve(fixings, Budget(), state=relaxed.state).bound == relaxed.bound
        np.testing.assert_array_equal(fresh.view().up[inner], up[inner])
        np.testing.assert_array_equal(fresh.view().down[inner], down[inner])


@given(rng=generators())
def test_the_oracle_returns_exactly_what_a_full_search_finds(rng, flat_tree):
    problem = flat_tree(rng, 8, 7, sharpness=2.0)
    weights, above = root_weights(problem)
    for view, _, answer, _ in rounds(problem):
        wanted = np.zeros(view.domains.shape, bool)
        slack = 0.0
        for i in range(8):
            reaching = view.below[i] + (view.down[i] if problem.parents[i] >= 0 else 0.0)
            excess = (reaching - view.values[i]) * (weights[i] > 0)
            wanted[i] |= excess > 1e-12
            slack += weights[i] * max(excess.max(), 0.0)
        for i in problem.inner.tolist():
            upward = view.below[i] + problem.pairs(i) - view.up[i][:, None]
            downward = view.beyond[i][:, None] + problem.pairs(i) - view.down[i]
            reduced = above[i] * upward + (1 - above[i]) * downward
            wanted[problem.parents[i]] |= (reduced > 1e-12).any(axis=1)
            wanted[i] |= (reduced > 1e-12).any(axis=0)
            slack += max(reduced.max(), 0.0)
        np.testing.assert_array_equal(answer.batch.columns.keys, np.flatnonzero(wanted & ~view.domains))
        assert answer.slack == pytest.approx(slack, abs=1e-9)


def test_weights_are_a_convex_combination_of_roots(random_tree):
    for seed in range(40):
        problem = random_tree(seed, 1 + seed % 11, 1)
        weights, above = root_weights(problem)
        totals = np.bincount(problem.roots, weights, minlength=problem.positions)
        np.testing.assert_allclose(totals[problem.parents < 0], 1.0)
        assert ((above[problem.inner] > 0) & (above[problem.inner] < 1)).all()
    path = TreeProblem(np.zeros((5, 1)), [[0.0]], [-1, 0, 1, 2, 3])
    weights, above = root_weights(path)
    assert weights.tolist() == [0.5, 0, 0, 0, 0.5]
    assert above[1:].tolist() == [0.5] * 4


@seeing("caught", "wrong")
@examples(30)
@given(rng=generators())
def test_a_half_on_every_edge_would_be_wrong_where_a_tree_branches(seen, rng):
    """The chain's reduced cost taken as it is: it stops early at a wrong labelling, or contradicts itself."""
    n, k = int(rng.integers(4, 9)), int(rng.integers(2, 6))
    problem = TreeProblem(rng.normal(size=(n, k)), 2 * rng.normal(size=(k, k)), np.minimum(np.arange(n) - 1, 0))
    messages, oracle = TreeMessages(problem), TreeReducedCostOracle(problem)
    degree = np.bincount(np.concatenate([problem.inner, problem.parents[problem.inner]]))
    messages.above = np.full(n, 0.5)
    messages.weights = np.maximum(1 - degree / 2, 0.0)
    none = Fixings.none(problem.decisions.count)
    try:
        relaxed = price_and_cut(messages, [oracle], problem.decisions, none, Budget())
    except InconsistentBound:
        seen["caught"] += 1
        return
    best = gapless.solve(problem).value
    seen["wrong"] += not meets(best, problem.value(relaxed.structure))
    # The certificate is a formula, so it is not taken in.
    assert relaxed.certificate.upper_bound(problem, none) >= best - 1e-9
    assert gapless.solve(problem, METHOD).value == pytest.approx(best, abs=1e-9)


def test_ties_need_no_labels():
    problem = TreeProblem(np.zeros((30, 20)), np.full((20, 20), 0.1), np.arange(30) // 2 - (np.arange(30) < 1))
    result = gapless.solve(problem, METHOD)
    assert result.status is Status.OPTIMAL
    assert result.stats.extra == {"mean_domain_size": 1.0, "oracle_candidates": result.stats.parts_scored}
    assert result.stats.iterations == 1


def test_a_finished_tree_of_a_forest_is_left_alone(flat_tree, monkeypatch):
    hard = flat_tree(3, 12, 12, parents=np.arange(-1, 11))
    easy = 40
    problem = TreeProblem(
        np.vstack([hard.unary, 50.0 * np.eye(12)[np.zeros(easy, int)]]),
        hard.transition,
        np.concatenate([hard.parents, [-1], np.arange(12, 11 + easy)]),
    )
    passed = []
    message = TreeMessages._message

    def counted(self, node, *arguments, **options):
        passed[-1].append(node)
        return message(self, node, *arguments, **options)

    monkeypatch.setattr(TreeMessages, "_message", counted)
    passed.append([])
    for _ in rounds(problem):
        passed.append([])
    assert len(passed) > 2
    assert max(passed[0]) >= 12
    assert all(max(nodes, default=0) < 12 for nodes in passed[1:])


# --- fixings, limits, start structures, options


@pytest.mark.parametrize("forbidden", [0.0, 0.35])
@given(rng=generators())
def test_bounds_under_fixings_are_exact(rng, random_tree, forbidden):
    seed = int(rng.integers(80))
    n, k = int(rng.integers(1, 7)), int(rng.integers(1, 5))
    problem = random_tree(rng, n, k, forbidden=forbidden, integers=bool(seed % 2))
    messages, oracle = TreeMessages(problem), TreeReducedCostOracle(problem)
    state = None
    for _ in range(4):  # one object for all of them, as in a tree search
        fixings = Fixings(rng.choice([-1, 0, 1], n * k, p=[0.7, 0.22, 0.08]))
        masked = np.where(problem.allowed(fixings), problem.unary, -INF)
        expected = gapless.solve(TreeProblem(masked, problem.transition, problem.parents)).bound
        relaxed = price_and_cut(messages, [oracle], problem.decisions, fixings, Budget(), state=state)
        state = relaxed.state
        assert relaxed.bound == pytest.approx(expected, abs=1e-9)
        assert relaxed.certificate.verify(problem, fixings).bound == pytest.approx(expected, abs=1e-9)
        if relaxed.structure is not None:
            assert fixings.allow(problem.encode(relaxed.structure))


@pytest.fixture(scope="module")
def slow_tree(flat_tree):
    """Three rounds at least."""
    for seed in range(50):
        problem = flat_tree(seed, 20, 20, sharpness=1.0)
        if gapless.solve(problem, METHOD).stats.iterations >= 3:
            return problem
    raise AssertionError


@seeing("early")
@given(rng=generators())
def test_an_early_stop_has_a_true_bound(seen, rng, flat_tree):
    problem = flat_tree(rng, 15, 12)
    best = gapless.solve(problem).value
    result = gapless.solve(problem, METHOD, limits=Limits(iterations=1), first="local")
    assert result.verify(problem)
    assert result.value <= best + 1e-9
    assert result.bound >= best - 1e-9
    if result.status is Status.FEASIBLE:
        assert result.stop is Stop.ITERATIONS
        seen["early"] += 1


def test_time_gap_and_target(slow_tree):
    best = gapless.solve(slow_tree).value
    by_time = gapless.solve(slow_tree, METHOD, limits=Limits(time=0.0))
    assert by_time.stop is Stop.TIME
    by_gap = gapless.solve(slow_tree, METHOD, limits=Limits(gap=100.0))
    assert by_gap.stop is Stop.GAP
    by_target = gapless.solve(slow_tree, METHOD, limits=Limits(target=best - 1000.0))
    assert by_target.stop is Stop.TARGET
    for result in (by_time, by_gap, by_target):
        assert result.status is Status.FEASIBLE
        assert np.isfinite(result.bound)
        assert result.bound >= best > result.value - 1e-9
        assert result.verify(slow_tree)


def test_a_good_start_saves_rounds(slow_tree):
    best, cold = gapless.solve(slow_tree), gapless.solve(slow_tree, METHOD)
    warm = gapless.solve(slow_tree, METHOD, start=best.best)
    assert warm.status is Status.OPTIMAL
    assert warm.stats.warm_start_used
    assert warm.stats.iterations <= cold.stats.iterations
    with pytest.raises(InvalidProblem, match=r"start: .*node 0 has label 99"):
        gapless.solve(slow_tree, METHOD, start=np.full(20, 99))


def test_unknown_options_are_refused(flat_tree):
    with pytest.raises(gapless.UnknownOption, match="did you mean 'first'"):
        gapless.solve(flat_tree(0), METHOD, frist="local")
    with pytest.raises(gapless.UnknownOption, match="'greedy' or 'local'"):
        gapless.solve(flat_tree(0), METHOD, first="last")


def test_view_before_solve(flat_tree):
    with pytest.raises(RuntimeError, match="before solve"):
        TreeMessages(flat_tree(0)).view()


def test_where_float64_rounds_reduced_costs_away_the_proof_is_viterbis(random_tree):
    plain = random_tree(4, 20, 8, forbidden=0.5)
    unary = np.where(np.random.default_rng(0).random((20, 8)) < 0.5, plain.unary, plain.unary - 1e12)
    problem = TreeProblem(unary, plain.transition, plain.parents)
    result = gapless.solve(problem, METHOD)
    assert result.stats.extra["proved_by_viterbi"] is True
    assert result.value == gapless.solve(problem, "viterbi").value
    assert result.verify(problem)
