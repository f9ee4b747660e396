"""Walks as the backbone of paths: against all walks and all paths, in Python and compiled; factors beside them."""

import itertools
import math

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless_kernels
from gapless.arrays.tolerance import score_tolerance
from gapless.roles import Fixings
from gapless.testing import check_factor
from gapless_ordering import OrderingProblem, WalkMaximiser

compiled_only = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="compares compiled kernels with Python")


def drawn(rng):
    n = int(rng.integers(1, 5))
    k = int(rng.integers(1, 6 - n // 2))
    scores = [rng.integers(-3, 4, shape).astype(float) for shape in ((n,), (n, n), (n,))]
    scores = [np.where(rng.random(one.shape) < 0.1, -np.inf, one) for one in scores]
    return OrderingProblem(*scores, k, classes=rng.integers(0, n, n).tolist())


def all_paths(problem):
    """The decisions of every path, ascending."""
    paths = map(np.array, itertools.permutations(range(problem.vertices), problem.length))
    return [problem.encode(path) for path in paths if not problem.violations(path)]


def walks(problem, weights, state):
    """Every walk with its edges, once for each use; edges that are on shut out the others of their ends."""
    n, k = problem.vertices, problem.length

    def ends(d):
        return (-1, d) if d < n else (d - n - n * n, n) if d >= n + n * n else divmod(d - n, n)

    on = [ends(d) for d in np.flatnonzero(state == 1).tolist()]

    def shut_out(d):
        u, v = ends(d)
        return state[d] == 0 or any((u, v) != (a, b) and (u == a or v == b) for a, b in on)

    for walk in itertools.product(range(n), repeat=k):
        edges = [walk[0], *(n + n * u + v for u, v in itertools.pairwise(walk)), n + n * n + walk[-1]]
        if not any(map(shut_out, edges)):
            yield walk, np.array(edges)


def worth(weights, state, edges):
    """The score of a walk: an edge counts each time that it is used, but once where it is on."""
    on = state == 1
    return float(np.where(on, 0.0, weights)[edges].sum() + weights[on].sum())


def drawn_state(rng, problem, paths):
    """Some decisions off; of a random path some on, or all of it with everything else off."""
    state = np.where(rng.random(problem.decisions.count) < 0.1, 0, -1).astype(np.int8)
    if paths and rng.random() < 0.6:
        on = paths[int(rng.integers(len(paths)))]
        if rng.random() < 0.3:  # perhaps through a class twice
            walk = rng.permutation(np.arange(problem.vertices))[: problem.length]
            on = problem.encode(walk)
        if rng.random() < 0.5:
            state[:] = 0
            state[on] = 1
        else:
            state[on[rng.random(on.size) < 0.4]] = 1
    return state


def cases(rng):
    problem = drawn(rng)
    backbone = problem.backbone()
    paths = all_paths(problem)
    for _ in range(4):
        shaken = backbone.weights + rng.integers(-2, 3, backbone.weights.size)
        yield problem, shaken, drawn_state(rng, problem, paths), paths


@examples(40)
@seeing("decided", "nothing")
@given(rng=generators())
def test_the_best_walk(seen, rng):
    for problem, weights, state, paths in cases(rng):
        found = WalkMaximiser(problem).solve(weights, Fixings(state))
        values = {walk: worth(weights, state, edges) for walk, edges in walks(problem, weights, state)}
        best = max(values.values(), default=-math.inf)
        feasible = max((weights[on].sum() for on in paths if Fixings(state).allows(on)), default=-math.inf)
        assert found.value >= feasible - score_tolerance(abs(found.value))
        if not (state == -1).any():
            seen["decided"] += 1
            assert found.value == pytest.approx(feasible)
            continue
        assert found.value == pytest.approx(best)
        seen["nothing"] += best == -math.inf
        if best > -math.inf:
            assert weights[found.on_ids].sum() + found.internal_score == pytest.approx(found.value)
            assert Fixings(state).allows(found.on_ids)
            if found.structure is not None:
                assert problem.encode(found.structure).tolist() == found.on_ids.tolist()


def test_an_edge_that_is_used_twice_counts_twice():
    problem = OrderingProblem([1.0, 0.0], [[0.0, 5.0], [4.0, 0.0]], [0.0, 2.0], 4)
    backbone = problem.backbone()
    found = backbone.maximiser.solve(backbone.weights, Fixings.none(problem.decisions.count))
    assert found.value == 1.0 + 5.0 + 4.0 + 5.0 + 2.0
    assert found.on_ids.tolist() == [0, 3, 4, 7]
    assert found.internal_score == 5.0
    assert found.structure is None


@examples(40)
@given(rng=generators())
def test_slacks_never_say_too_much(rng):
    for problem, weights, state, paths in cases(rng):
        maximiser, fixings = WalkMaximiser(problem), Fixings(state)
        value = maximiser.solve(weights, fixings).value
        if value == -math.inf:
            continue
        slacks = maximiser.max_marginals(weights, fixings)
        through = np.full(weights.size, -math.inf)
        for _, edges in walks(problem, weights, state):
            through[edges] = np.maximum(through[edges], worth(weights, state, edges))
        free = state == -1
        np.testing.assert_allclose(value - slacks.on[free], through[free], atol=1e-9)
        for on in paths:
            if fixings.allows(on):
                off = np.setdiff1d(np.arange(weights.size), on)
                least = weights[on].sum() - score_tolerance(abs(value))
                assert (value - slacks.on[on] >= least).all()
                assert (value - slacks.off[off] >= least).all()


@compiled_only
@examples(40)
@given(rng=generators())
def test_compiled_walks_are_the_same(rng):
    for problem, weights, state, paths in cases(rng):
        maximiser, role = WalkMaximiser(problem), WalkMaximiser(problem).compiled()
        found, (value, on_ids) = maximiser.solve(weights, Fixings(state)), role.solve(weights, state)
        assert value == pytest.approx(found.value)
        on, off = role.max_marginals(weights, state)
        if value > -math.inf:
            slacks = maximiser.max_marginals(weights, Fixings(state))
            assert (role.internal_score_of(on_ids) == 0.0) == (found.structure is not None)
            np.testing.assert_allclose(value - on, slacks.on, atol=1e-9)
            np.testing.assert_allclose(value - off, slacks.off, atol=1e-9)
        held = {tuple(path.tolist()) for path in paths}
        for path in paths:
            assert role.internal_score_of(rng.permutation(path)) == 0.0
            assert role.internal_score_of(path[1:]) is None
            assert not any(role.excluded(a, b) for a, b in itertools.combinations(path.tolist(), 2))
        allowed = np.flatnonzero(problem.backbone().weights > -np.inf)
        if allowed.size > problem.length:
            other = np.sort(rng.choice(allowed, problem.length + 1, replace=False))
            assert (role.internal_score_of(other) == 0.0) == (tuple(other.tolist()) in held)


@examples(10)
@given(rng=generators())
def test_with_its_structural_factors_the_backbone_is_the_problem(rng):
    problem = drawn(rng)
    backbone, count = problem.backbone(), problem.decisions.count
    scopes = [(factor, factor.scope(problem.decisions)) for factor in problem.structural_factors]
    best = -math.inf
    for _, edges in walks(problem, backbone.weights, np.full(count, -1)):
        on = np.zeros(count, bool)
        on[edges] = True
        if np.unique(edges).size == edges.size:
            beside = sum(factor.value(on[scope]) for factor, scope in scopes)
            best = max(best, backbone.weights[edges].sum() + beside)
        else:  # an edge that is used twice leads from and to a vertex that is entered twice
            assert any(factor.value(on[scope]) == -math.inf for factor, scope in scopes)
    expected = max((problem.value(problem.decode(on)) for on in all_paths(problem)), default=-math.inf)
    assert best == pytest.approx(expected)


def test_the_factor_of_a_class_keeps_its_contract():
    problem = OrderingProblem(np.zeros(2), np.zeros((2, 2)), np.zeros(2), 1, classes=["a", "a"])
    for factor in problem.structural_factors:
        check_factor(factor, problem.decisions)
