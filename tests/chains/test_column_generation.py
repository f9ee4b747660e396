"""Column generation in chains and trees through its roles: domains, oracle, gap, limits, fixings, wrong oracles."""

import functools
from collections.abc import Callable

import attrs
import numpy as np
import pytest
from all_labellings import best_values
from drawn import examples, generators, mostly_long, numbers, seeing
from hypothesis import given
from small_trees import random_tree

import gapless
from gapless import InvalidProblem, Limits, Result, Status, Stop
from gapless.arrays.tolerance import meets
from gapless.column_generation import PricedRelaxation, price_and_cut
from gapless.roles import (
    Batch,
    Fixings,
    GeneratorResult,
    InconsistentBound,
    MostFractional,
    OracleError,
    SolveBudget,
)
from gapless.tree_search import tree_search
from gapless_chains import (
    ChainProblem,
    DomainMessages,
    ReducedCostOracle,
    TransitionBounds,
    TreeMessages,
    TreeProblem,
    TreeReducedCostOracle,
    transition_bounds,
)

INF = float("inf")
METHOD = "column-generation"


def flat_chain(seed, n=12, k=15, sharpness=0.5, forbidden=0.0):
    """Scores so flat that several rounds are needed."""
    rng = numbers(seed)
    transition = rng.normal(size=(k, k))
    transition[rng.random((k, k)) < forbidden] = -INF
    return ChainProblem(sharpness * rng.normal(size=(n, k)), transition)


def flat_tree(seed, n=12, k=12, **options):
    """Scores so flat that several rounds are needed."""
    return random_tree(seed, n, k, **{"sharpness": 0.5, **options})


@attrs.frozen
class Kind:
    """Chains or trees: their roles, flat instances, and the two messages of their views."""

    name: str
    messages: type
    oracle: type
    flat: Callable
    views: tuple

    def __str__(self):
        return self.name

    def pair(self, problem):
        return self.messages(problem), self.oracle(problem)


CHAIN = Kind("chain", DomainMessages, ReducedCostOracle, flat_chain, ("alpha", "beta"))
TREE = Kind("tree", TreeMessages, TreeReducedCostOracle, flat_tree, ("up", "down"))
both_kinds = pytest.mark.parametrize("kind", [CHAIN, TREE], ids=str)


def rounds(problem, fixings=None, first="greedy"):
    """(view, relaxed, answer, certified bound) of every round, by hand."""
    kind = CHAIN if isinstance(problem, ChainProblem) else TREE
    messages, oracle = kind.messages(problem, first=first), kind.oracle(problem)
    fixings = fixings or Fixings.none(problem.decisions.count)
    state = None
    while True:
        relaxed = messages.solve(fixings, SolveBudget(), state=state)
        state = relaxed.state
        answer = oracle.query(messages.view())
        yield messages.view(), relaxed, answer, messages.certify([answer]).upper_bound(problem, fixings)
        if not messages.extend(answer.batch):
            return


# --- the roles


@both_kinds
@seeing("several")
@pytest.mark.parametrize("forbidden", [0.0, 0.4])
@pytest.mark.parametrize("first", ["greedy", "local"])
@given(rng=generators())
def test_every_round_has_a_true_bound_that_its_certificate_proves(seen, rng, kind, forbidden, first):
    """The certificate of a chain is exactly as far above the restricted optimum as the oracle says."""
    problem = kind.flat(rng, forbidden=forbidden)
    if problem.infeasibility():
        return
    best = gapless.solve(problem).value
    bounds, values = [], []
    for _, relaxed, answer, certified in rounds(problem, first=first):
        bounds.append(relaxed.bound + answer.pricing_gap)
        values.append(relaxed.bound)
        if kind is CHAIN:
            assert certified == pytest.approx(bounds[-1], rel=1e-9, abs=1e-9)
        assert best - 1e-9 <= certified <= bounds[-1] + 1e-9 * max(1.0, abs(bounds[-1]))
        assert problem.value(relaxed.structure) == pytest.approx(relaxed.bound, abs=1e-9)
        assert relaxed.bound <= best + 1e-9
        assert bounds[-1] >= best - 1e-9
    assert meets(bounds[-1], best)
    assert values == sorted(values)
    seen["several"] += len(values) > 2


def test_messages_are_those_of_equations_7_and_11():
    problem = flat_chain(1, 6, 5)
    *_, (view, _, _, _) = rounds(problem)
    theta, tau = problem.local, problem.transition
    for i in range(5):
        here, there = view.domains[i], view.domains[i + 1]
        alpha = (view.alpha[i][here, None] + theta[i][here, None] + tau[here]).max(axis=0)
        beta = (view.beta[i + 1][there] + theta[i + 1][there] + tau[:, there]).max(axis=1)
        np.testing.assert_allclose(view.alpha[i + 1], alpha, atol=1e-12)
        np.testing.assert_allclose(view.beta[i], beta, atol=1e-12)


@both_kinds
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
@given(rng=generators())
def test_warm_messages_equal_messages_from_scratch(rng, kind, forbidden):
    problem = kind.flat(rng, forbidden=forbidden)
    fixings = Fixings.none(problem.decisions.count)
    # Rows of roots hold no messages; those of chains are shifted by constants instead of computed again.
    rows, tolerance = (slice(None), 1e-12) if kind is CHAIN else (problem.inner, 0.0)
    for view, relaxed, _, _ in rounds(problem):
        if not view.feasible:
            break
        warm = [getattr(view, name)[rows].copy() for name in kind.views]
        fresh = kind.messages(problem)
        assert fresh.solve(fixings, SolveBudget(), state=relaxed.state).bound == relaxed.bound
        for name, message in zip(kind.views, warm, strict=True):
            np.testing.assert_allclose(getattr(fresh.view(), name)[rows], message, rtol=0, atol=tolerance)


@given(rng=generators())
def test_the_oracle_returns_exactly_what_a_full_search_finds(rng):
    problem = flat_chain(rng, 8, 9, sharpness=2.0)
    for view, _, answer, _ in rounds(problem):
        left = view.theta[:-1] + view.alpha[:-1] - view.beta[:-1]
        right = view.theta[1:] - view.alpha[1:] + view.beta[1:]
        reduced = 0.5 * (left[:, :, None] + 2 * problem.transition + right[:, None])
        ends = 0.5 * (view.theta + view.beta - view.value)[0], 0.5 * (view.theta + view.alpha - view.value)[-1]
        wanted = np.zeros(view.domains.shape, bool)
        wanted[:-1] |= (reduced > 1e-12).any(axis=2)
        wanted[1:] |= (reduced > 1e-12).any(axis=1)
        wanted[[0, -1]] |= np.array(ends) > 1e-12
        np.testing.assert_array_equal(answer.batch.columns.keys, np.flatnonzero(wanted & ~view.domains))
        maxima = [*reduced.max(axis=(1, 2)), ends[0].max(), ends[1].max()]
        assert answer.pricing_gap == pytest.approx(np.maximum(maxima, 0).sum(), abs=1e-9)


def test_columns_are_decisions_and_domains_are_never_priced_again():
    problem = flat_chain(3)
    seen = set()
    for view, _, answer, _ in rounds(problem):
        columns = answer.batch.columns
        assert not view.domains.ravel()[columns.keys].any()
        assert not seen.intersection(columns.keys.tolist())
        seen.update(columns.keys.tolist())
        np.testing.assert_array_equal(columns.uses.indices, columns.keys)
        np.testing.assert_array_equal(columns.objective, problem.local.ravel()[columns.keys])
    assert seen


@pytest.mark.parametrize("parents", [None, np.arange(30) // 2 - (np.arange(30) < 1)], ids=["chain", "tree"])
def test_ties_need_no_labels(parents):
    scores = np.zeros((30, 20)), np.full((20, 20), 0.1)
    result = gapless.solve(ChainProblem(*scores) if parents is None else TreeProblem(*scores, parents), METHOD)
    assert result.status is Status.OPTIMAL
    assert result.stats.extra == {"mean_domain_size": 1.0, "oracle_candidates": result.stats.scopes_scored}
    assert result.stats.iterations == 1


def test_sharp_scores_need_few_candidates():
    result = gapless.solve(flat_chain(0, 24, 45, sharpness=20.0), METHOD)
    assert result.stats.extra["mean_domain_size"] < 1.5
    assert result.stats.extra["oracle_candidates"] < 24 * 45**2 / 50


def test_limit_returns_part_and_still_closes():
    problem = flat_chain(4)
    messages, oracle = DomainMessages(problem), ReducedCostOracle(problem)
    fixings = Fixings.none(problem.decisions.count)
    relaxed = price_and_cut(messages, [oracle], problem.decisions, fixings, SolveBudget(), limit=1)
    assert meets(relaxed.bound, gapless.solve(problem).value)


def test_transition_bounds_are_computed_once_for_an_array():
    problems = ChainProblem.many([np.zeros((3, 4)), np.ones((5, 4))], np.arange(16.0).reshape(4, 4))
    first, second = (transition_bounds(p.transition) for p in problems)
    assert first is second
    np.testing.assert_array_equal(first.into, [12, 13, 14, 15])
    np.testing.assert_array_equal(first.out_of, [3, 7, 11, 15])
    assert not first.forbids
    copy = problems[0].transition.copy()
    assert transition_bounds(copy) is not first
    assert TransitionBounds.compute(np.full((1, 1), -INF)).forbids


@both_kinds
def test_view_before_solve(kind):
    with pytest.raises(RuntimeError, match="before solve"):
        kind.messages(kind.flat(0)).view()


# --- fixings


@both_kinds
@pytest.mark.parametrize("forbidden", [0.0, 0.35])
@given(rng=generators())
def test_bounds_under_fixings_are_exact(rng, random_chain, kind, forbidden):
    seed = int(rng.integers(120))
    n, k = int(rng.integers(1, 7)), int(rng.integers(1, 5))
    draw = random_chain if kind is CHAIN else random_tree
    problem = draw(rng, n, k, forbidden=forbidden, integers=bool(seed % 2))
    messages, oracle = kind.pair(problem)
    state = None
    for _ in range(4):  # one object for all of them, as in a tree search
        fixings = Fixings(rng.choice([-1, 0, 1], n * k, p=[0.7, 0.22, 0.08]))
        masked = np.where(problem.allowed(fixings), problem.local, -INF)
        edges = (problem.transition,) if kind is CHAIN else (problem.transition, problem.parents)
        expected = gapless.solve(type(problem)(masked, *edges)).bound
        relaxed = price_and_cut(messages, [oracle], problem.decisions, fixings, SolveBudget(), state=state)
        state = relaxed.state
        assert relaxed.bound == pytest.approx(expected, abs=1e-9)
        assert relaxed.certificate.verify(problem, fixings).bound == pytest.approx(expected, abs=1e-9)
        if relaxed.structure is not None:
            assert fixings.allows(problem.encode(relaxed.structure))


@examples(6)
@given(rng=generators())
def test_k_best_by_tree_search_over_the_same_roles(rng, random_chain):
    seed = int(rng.integers(12))
    problem = random_chain(rng, 4, 3, forbidden=0.15, integers=bool(seed % 2))
    values = best_values(problem, 5)
    relaxation = PricedRelaxation(DomainMessages(problem), [ReducedCostOracle(problem)], problem.decisions)
    result = tree_search(problem, relaxation, MostFractional(), k=5)
    assert [s.value for s in result.solutions] == pytest.approx(values, abs=1e-9)
    assert len({tuple(s.structure) for s in result.solutions}) == len(values)


# --- limits


@functools.cache
def slow(kind):
    """An instance of three rounds at least."""
    for seed in range(50):
        problem = kind.flat(seed, 20, 20) if kind is CHAIN else kind.flat(seed, 20, 20, sharpness=1.0)
        if gapless.solve(problem, METHOD).stats.iterations >= 3:
            return problem
    raise AssertionError


@both_kinds
@seeing("early")
@pytest.mark.parametrize("iterations", mostly_long([1, 2], quick=[0]))
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
@examples(60)
@given(rng=generators())
def test_an_early_stop_has_a_true_bound(seen, rng, kind, iterations, forbidden):
    problem = kind.flat(rng, 15, 12, forbidden=forbidden)
    if problem.infeasibility():
        return
    best = gapless.solve(problem).value
    result = gapless.solve(problem, METHOD, limits=Limits(iterations=iterations), first="local")
    assert result.verify(problem)
    assert result.value <= best + 1e-9
    assert result.bound >= best - 1e-9
    if result.status is Status.FEASIBLE:
        assert result.stop is Stop.ITERATIONS
        seen["early"] += 1


@both_kinds
def test_time_gap_and_target(kind):
    problem = slow(kind)
    best = gapless.solve(problem).value
    results = {
        stop: gapless.solve(problem, METHOD, limits=limits)
        for stop, limits in (
            (Stop.TIME, Limits(time=0.0)),
            (Stop.GAP, Limits(relative_gap=100.0)),
            (Stop.TARGET, Limits(target=best - 1000.0)),
        )
    }
    for stop, result in results.items():
        assert (result.status, result.stop) == (Status.FEASIBLE, stop)
        assert np.isfinite(result.bound)
        assert result.bound >= best > result.value - 1e-9
        assert result.verify(problem)
    assert results[Stop.TARGET].stats.iterations == results[Stop.GAP].stats.iterations == 1
    assert gapless.solve(problem, METHOD, limits=Limits(target=best + 1000.0)).status is Status.OPTIMAL


@pytest.mark.parametrize("at", [0, 1, 2])
def test_ctrl_c_returns_what_is_known(monkeypatch, at):
    problem = slow(CHAIN)
    best = gapless.solve(problem).value
    calls = []
    query = ReducedCostOracle.query

    def interrupted(self, view, *, limit=None):
        calls.append(1)
        if len(calls) > at:
            raise KeyboardInterrupt
        return query(self, view, limit=limit)

    monkeypatch.setattr(ReducedCostOracle, "query", interrupted)
    result = gapless.solve(problem, METHOD)
    assert result.stop is Stop.INTERRUPTED
    assert result.value <= best
    assert result.bound >= best - 1e-9
    assert (result.bound < INF) is (at > 0)
    assert result.verify(problem)


def test_observers_see_rounds_whose_bounds_never_rise():
    events = []
    gapless.solve(slow(CHAIN), METHOD, observers=[events.append])
    bounds = [e.bound for e in events if e.kind == "round"]
    assert len(bounds) > 1
    assert bounds == sorted(bounds, reverse=True)
    assert len(gapless.solve(slow(CHAIN), METHOD, trace=True).trace) == len(events)


# --- start structures and options


@both_kinds
def test_a_good_start_saves_rounds(kind):
    problem = slow(kind)
    best, cold = gapless.solve(problem), gapless.solve(problem, METHOD)
    warm = gapless.solve(problem, METHOD, start=best.best)
    assert warm.status is Status.OPTIMAL
    assert warm.stats.warm_start_used
    assert warm.stats.iterations <= cold.stats.iterations
    assert not cold.stats.warm_start_used
    with pytest.raises(InvalidProblem, match=rf"start: .*{problem.node_word} 0 has label 99"):
        gapless.solve(problem, METHOD, start=np.full(20, 99))


@both_kinds
def test_unknown_options_are_refused(kind):
    with pytest.raises(gapless.UnknownOption, match="did you mean 'first'"):
        gapless.solve(kind.flat(0), METHOD, frist="local")
    with pytest.raises(gapless.UnknownOption, match="expected one of greedy, local"):
        gapless.solve(kind.flat(0), METHOD, first="last")


# --- mutation: oracles that lie


class Dropping(ReducedCostOracle):
    """Hides one label and says that nothing else is missing."""

    hidden = 0

    def query(self, view, *, limit=None):
        answer = super().query(view, limit=limit)
        columns = answer.batch.columns
        kept = columns.take(np.flatnonzero(columns.keys != self.hidden))
        return GeneratorResult(Batch(kept), 0.0)


@seeing("wrong")
@examples(60)
@given(rng=generators())
def test_a_dropped_label_with_a_slack_of_zero_is_caught(seen, rng):
    problem = flat_chain(rng)
    best = gapless.solve(problem)
    oracle = Dropping(problem)
    oracle.hidden = int(problem.encode(best.best)[5])
    messages = DomainMessages(problem)
    fixings = Fixings.none(problem.decisions.count)
    try:
        relaxed = price_and_cut(messages, [oracle], problem.decisions, fixings, SolveBudget(), enough=meets)
    except InconsistentBound:
        return  # caught
    result = Result.of(problem, [relaxed.structure], relaxed.bound, Stop.PROVED, certificate=relaxed.certificate)
    if not meets(best.value, result.value):
        seen["wrong"] += 1
        verdict = result.verify(problem)
        assert not verdict
        assert verdict.location == "certificate"


def test_a_raising_oracle_is_named_and_nothing_is_claimed(monkeypatch):
    def broken(self, view, *, limit=None):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(ReducedCostOracle, "query", broken)
    with pytest.raises(OracleError, match="oops") as caught:
        gapless.solve(flat_chain(0), METHOD)
    assert caught.value.result.stop is Stop.ERROR
    assert caught.value.result.status is Status.NO_SOLUTION


def test_stale_bounds_of_changed_transitions_are_caught_by_verify(monkeypatch):
    """A write to an array shared with a problem leads to a wrong answer, but no proof of it."""
    problem = flat_chain(0)
    good = transition_bounds(problem.transition)
    low = attrs.evolve(good, into=good.into - 50.0, out_of=good.out_of - 50.0)
    monkeypatch.setattr("gapless_chains.column_generation.reduced_cost.transition_bounds", lambda _: low)
    result = gapless.solve(problem, METHOD)
    assert result.value < gapless.solve(problem).value
    assert not result.verify(problem)


def test_scores_that_float64_cannot_tell_apart_are_a_named_error():
    """Beside 1e140 the last digits of 2 and 3 are noise; the answer is kept, and not called optimal."""
    unary = [[-1e140, 1.0], [-1e140, 0.0], [1.0, 1e140], [1.0, 0.0]]
    problem = ChainProblem(unary, [[1.0, 0.0], [1.0, -1e140]])
    with pytest.raises(InconsistentBound, match="float64 cannot prove") as caught:
        gapless.solve(problem, METHOD)
    held = caught.value.result
    assert (held.stop, held.status) == (Stop.ERROR, Status.FEASIBLE)
    assert held.bound >= gapless.solve(problem, "viterbi").value


@pytest.mark.parametrize("method", [METHOD, "viterbi-pruned", "beam", "dominance", "viterbi"])
@examples(40)
@given(rng=generators())
def test_answers_beside_finite_masks_are_proved(rng, method):
    """Many models forbid by a large negative number; the proof must stay sharp beside it."""
    n, k, mask = int(rng.integers(1, 25)), int(rng.integers(2, 8)), float(rng.choice([-1e4, -1e9, -1e12]))
    transition = np.where(rng.random((k, k)) < 0.3, mask, rng.normal(size=(k, k)))
    unary = np.where(rng.random((n, k)) < 0.3, mask, rng.normal(size=(n, k)))
    problem = ChainProblem(unary, transition)
    best = gapless.solve(problem, "viterbi").value
    for result in (gapless.solve(problem, method), gapless.solve_many([problem], method)[0]):
        assert result.verify(problem), result.verify(problem).reason
        assert method == "beam" or result.value == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("failure", [InconsistentBound, gapless.InvalidResult])
@pytest.mark.parametrize(("largest", "hidden"), [(1.0, False), (1e3, False), (1e9, True)])
def test_a_contradiction_is_blamed_on_rounding_only_beside_huge_scores(monkeypatch, failure, largest, hidden):
    """A faulty role must not end as OPTIMAL because another method knows the answer."""

    def contradict(*arguments, **options):
        raise failure("made for this test")

    monkeypatch.setattr("gapless_chains.column_generation.method.generate_labels", contradict)
    problem = ChainProblem([[0.0, largest], [0.0, 0.0]], np.zeros((2, 2)))
    if hidden:
        result = gapless.solve(problem, METHOD)
        assert result.proved
        assert result.verify(problem)
    else:
        with pytest.raises(failure, match="made for this test"):
            gapless.solve(problem, METHOD)
