"""Column generation in trees: messages, oracle, a wrong reduced cost; `tests/chains` has what chains share."""

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless.arrays.tolerance import meets
from gapless.column_generation import PricedRelaxation, price_and_cut
from gapless.roles import Fixings, InconsistentBound, SolveBudget
from gapless.testing import check_oracle, check_relaxation
from gapless_chains import TreeMessages, TreeProblem, TreeReducedCostOracle
from gapless_chains.trees.messages import root_weights

INF = float("inf")
METHOD = "column-generation"


def rounds(problem):
    """(view, answer) of every round, by hand."""
    messages, oracle = TreeMessages(problem), TreeReducedCostOracle(problem)
    state = None
    while True:
        state = messages.solve(Fixings.none(problem.decisions.count), SolveBudget(), state=state).state
        answer = oracle.query(messages.view())
        yield messages.view(), answer
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


def test_messages_leave_out_the_edge_they_cross(flat_tree):
    problem = flat_tree(1, 9, 4)
    *_, (view, _) = rounds(problem)
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


@given(rng=generators())
def test_the_oracle_returns_exactly_what_a_full_search_finds(rng, flat_tree):
    problem = flat_tree(rng, 8, 7, sharpness=2.0)
    weights, above = root_weights(problem)
    for view, answer in rounds(problem):
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
        assert answer.pricing_gap == pytest.approx(slack, abs=1e-9)


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
        relaxed = price_and_cut(messages, [oracle], problem.decisions, none, SolveBudget())
    except InconsistentBound:
        seen["caught"] += 1
        return
    best = gapless.solve(problem).value
    seen["wrong"] += not meets(best, problem.value(relaxed.structure))
    # The certificate is a formula, so it is not taken in.
    assert relaxed.certificate.upper_bound(problem, none) >= best - 1e-9
    assert gapless.solve(problem, METHOD).value == pytest.approx(best, abs=1e-9)


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


def test_where_float64_rounds_reduced_costs_away_the_proof_is_viterbis(random_tree):
    plain = random_tree(4, 20, 8, forbidden=0.5)
    unary = np.where(np.random.default_rng(0).random((20, 8)) < 0.5, plain.unary, plain.unary - 1e12)
    problem = TreeProblem(unary, plain.transition, plain.parents)
    result = gapless.solve(problem, METHOD)
    assert result.stats.extra["proved_by_viterbi"] is True
    assert result.value == gapless.solve(problem, "viterbi").value
    assert result.verify(problem)
