"""Bounds of certificates on configurations: they hold, are tight, and believe nothing that they can check."""

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from diagrams import configurations, drawn_diagram, plain_value
from drawn import examples, generators, seeing
from hypothesis import given

import gapless
from gapless import InvalidProblem
from gapless.factors.configuration_bound import configuration_bound, configuration_flips
from gapless.limits.work import WorkLimitReached, verification_account
from gapless.roles import ConfigurationFactor, DecisionDiagram, Decisions
from gapless.testing.random_factors import ScoredCount


@seeing("found", "nothing", "on")
@examples(60)
@given(rng=generators())
def test_a_diagram_is_bounded_by_its_steps(seen, rng):
    factor, decisions = drawn_diagram(rng, integers=False)
    scope = factor.scope(decisions)
    weights = np.asarray(rng.normal(size=scope.size), float).reshape(scope.size)
    weights[np.asarray(rng.random(scope.size)) < 0.1] = -np.inf
    state = np.asarray(rng.choice(np.array([-1, -1, -1, 0, 1]), scope.size), np.int8).reshape(scope.size)
    exact = -np.inf
    for on in configurations(scope.size):
        value = plain_value(factor, decisions, on)
        if value > -np.inf and np.all((state == -1) | (on == (state == 1))) and np.all(weights[on] > -np.inf):
            whole = [Fraction(float(w)) for w in weights[on]]
            exact = max(exact, sum(whole, Fraction(value)))
    bound = configuration_bound(factor, decisions, weights, state)
    if exact == -np.inf:
        assert bound == -np.inf
    else:
        assert exact <= Fraction(bound) <= exact + Fraction(1, 10**12)
    seen["found" if bound > -np.inf else "nothing"] += 1
    seen["on"] += bool(np.any(state == 1)) and bound > -np.inf


class Sum(DecisionDiagram):
    """Adds 0.1 for each decision that is on: a sum that float64 rounds."""

    name = "sum"
    step_score = 0.1

    def layers(self, decisions):
        return [[d] for d in range(decisions.count)]

    def step(self, layer, choice, states):
        return states + choice + 1, self.step_score * (choice + 1)


def test_rounding_is_counted():
    decisions = Decisions(300)
    free = np.full(300, -1, np.int8)
    bound = configuration_bound(Sum(), decisions, np.full(300, 0.7), free)
    assert Fraction(bound) >= 300 * (Fraction(0.1) + Fraction(0.7))
    assert bound == pytest.approx(240.0, abs=1e-9)


def test_the_unrolled_graph_is_not_asked(monkeypatch):
    monkeypatch.setattr(DecisionDiagram, "graph", None)
    monkeypatch.setattr(DecisionDiagram, "best", None)
    assert configuration_bound(Sum(), Decisions(3), np.zeros(3), np.array([-1, 0, 1], np.int8)) == pytest.approx(
        0.2
    )


def test_a_relaxed_diagram_is_bounded():
    class Coarse(Sum):
        limit: ClassVar[int] = 40

        def step(self, layer, choice, states):
            following = states + choice + 1
            return np.where(following > 4, -1, following), 0.0

        def relax(self, layer, states):
            return states // 2 * 2

    weights, free = np.ones(12), np.full(12, -1, np.int8)
    factor = Coarse()
    factor.scope(Decisions(12))
    bound = configuration_bound(factor, Decisions(12), weights, free)
    assert 4.0 < bound == pytest.approx(factor.best(weights)[0])
    weights[:] = -1.0
    assert configuration_bound(Coarse(), Decisions(12), weights, free) == 0.0


def test_a_verification_runs_the_steps_once_and_counts_them():
    asked = []

    class Asked(Sum):
        def step(self, layer, choice, states):
            asked.append(layer)
            return super().step(layer, choice, states)

    factor, decisions, free = Asked(), Decisions(4), np.full(4, -1, np.int8)
    with gapless.work_limit(1e7), verification_account() as (account, _):
        for _ in range(3):
            configuration_bound(factor, decisions, np.zeros(4), free)
        assert len(asked) == 8
        assert account.steps > 0
    with gapless.work_limit(1e4), verification_account(), pytest.raises(WorkLimitReached):
        configuration_bound(factor, Decisions(40), np.zeros(40), np.full(40, -1, np.int8))


class Count(ConfigurationFactor):
    """The square of a number; `best` is short by `short`."""

    name = "count"
    short = 0.0

    def scope(self, decisions):
        return np.arange(decisions.count)

    def value(self, on):
        return float(on.sum() ** 2)

    def best(self, weights):
        on = weights > -np.inf
        return self.value(on) + float(weights[on].sum()) - self.short, on


@pytest.mark.parametrize("count", [3, 8, 9, 12])
def test_other_factors(count):
    decisions, weights = Decisions(count), np.full(count, 0.5)
    state = np.full(count, -1, np.int8)
    assert configuration_bound(Count(), decisions, weights, state) == pytest.approx(count**2 + 0.5 * count)
    state[0] = 0
    state[1] = 1
    assert configuration_bound(Count(), decisions, weights, state) == pytest.approx(
        (count - 1) ** 2 + 0.5 * (count - 1)
    )
    fixed = (np.arange(count) % 2).astype(np.int8)
    assert configuration_bound(Count(), decisions, weights, fixed) == pytest.approx(
        (count // 2) ** 2 + 0.5 * (count // 2)
    )
    lying = Count()
    lying.short = 1.0
    with pytest.raises(
        InvalidProblem, match=r"factor count: best\(\) promises that no configuration is worth more"
    ):
        configuration_bound(lying, decisions, weights, np.full(count, -1, np.int8))


@seeing("found", "nothing", "on", "whole")
@examples(60)
@given(rng=generators())
def test_one_pass_bounds_every_flip_of_a_diagram(seen, rng):
    factor, decisions = drawn_diagram(rng, integers=False)
    scope = factor.scope(decisions)
    weights = np.asarray(rng.normal(size=scope.size), float).reshape(scope.size)
    weights[np.asarray(rng.random(scope.size)) < 0.1] = -np.inf
    state = np.asarray(rng.choice(np.array([-1, -1, -1, 0, 1]), scope.size), np.int8).reshape(scope.size)
    exact = np.full((2, scope.size), -np.inf, object)
    for on in configurations(scope.size):
        value = plain_value(factor, decisions, on)
        if value > -np.inf and np.all((state == -1) | (on == (state == 1))) and np.all(weights[on] > -np.inf):
            worth = sum([Fraction(float(w)) for w in weights[on]], Fraction(value))
            for place in range(scope.size):
                exact[int(on[place]), place] = max(exact[int(on[place]), place], worth)
    found = configuration_flips(factor, decisions, weights, state)
    assert found is not None
    for bound, truth in zip(np.concatenate(found[::-1]).tolist(), exact.ravel().tolist(), strict=True):
        seen["nothing" if truth == -np.inf else "found"] += 1
        assert bound == -np.inf if truth == -np.inf else truth <= Fraction(bound) <= truth + Fraction(1, 10**12)
    seen["on"] += bool(np.any(state == 1))
    seen["whole"] += bool(factor.layout(decisions).whole.any())


def test_flips_count_rounding_and_ask_no_graph(monkeypatch):
    monkeypatch.setattr(DecisionDiagram, "graph", None)
    monkeypatch.setattr(DecisionDiagram, "best", None)
    decisions = Decisions(300)
    on, off = configuration_flips(Sum(), decisions, np.full(300, 0.7), np.full(300, -1, np.int8))
    assert all(Fraction(bound) >= 300 * (Fraction(0.1) + Fraction(0.7)) for bound in on.tolist())
    assert all(Fraction(bound) >= 299 * (Fraction(0.1) + Fraction(0.7)) for bound in off.tolist())
    assert on == pytest.approx(np.full(300, 240.0), abs=1e-9)
    assert off == pytest.approx(np.full(300, 239.2), abs=1e-9)


def test_a_factor_that_is_no_diagram_has_no_pass():
    assert configuration_flips(Unknown(), Decisions(2), np.zeros(2), np.full(2, -1, np.int8)) is None


class Unknown(ConfigurationFactor):
    """Scores nothing."""

    name = "unknown"

    def scope(self, decisions):
        return np.arange(decisions.count)

    def value(self, on):
        return 0.0

    def best(self, weights):
        return float(np.maximum(weights, 0.0).sum()), weights > 0


@seeing("held", "impossible")
@examples(60)
@given(rng=generators())
def test_what_is_on_counts_where_best_is_asked(seen, rng):
    """``best`` ignores the decisions that are fixed on: so its bound was more than searches found."""
    size = int(rng.integers(10, 13))
    forbidden = float(rng.choice([0.3, 0.95]))
    scores = np.where(rng.random(size + 1) < forbidden, -np.inf, rng.normal(0.0, 3.0, size + 1))
    weights = rng.normal(size=size)
    state = np.asarray(rng.choice(np.array([-1, -1, -1, -1, 0]), size), np.int8)
    state[rng.choice(size, int(rng.integers(1, 4)), replace=False)] = 1
    if (state == -1).sum() <= 8:
        state[:9] = np.where(state[:9] == 0, -1, state[:9])
    factor = ScoredCount(np.arange(size), scores)
    free, on = np.flatnonzero(state == -1), weights[state == 1]
    heavy = np.sort(weights[free])[::-1]
    exact = max(
        (scores[on.size + more] + on.sum() + heavy[:more].sum() for more in range(free.size + 1)), default=-np.inf
    )
    bound = configuration_bound(factor, Decisions(size), weights, state)
    seen["held" if exact > -np.inf else "impossible"] += 1
    assert bound == (-np.inf if exact == -np.inf else pytest.approx(exact, abs=1e-9))
