"""A user's problem with a maximiser and factors needs no method of its own."""

import numpy as np
import pytest

import gapless as gl
from gapless.roles import Backbone, Conjunctions, Decisions, Maximiser, MaxMarginals, Optimum
from gapless.testing import check_method, check_problem, enumerate_best


class Fill(Maximiser):
    """At most `room` decisions, those of positive weight first."""

    def __init__(self, room):
        self.room = room

    def solve(self, weights, fixings):
        fixed, free = fixings.on, np.flatnonzero(fixings.state == -1)
        if fixed.size > self.room:
            return Optimum(-np.inf, fixed[:0])
        heavy = free[np.argsort(-weights[free], kind="stable")][: self.room - fixed.size]
        on_ids = np.sort(np.concatenate([fixed, heavy[weights[heavy] > 0]]))
        return Optimum(float(weights[on_ids].sum()), on_ids)

    def max_marginals(self, weights, fixings):
        best = self.solve(weights, fixings).value
        forced = [[fixings.fix(**{side: [d]}) for d in range(weights.size)] for side in ("on", "off")]
        values = [[-np.inf if f is None else self.solve(weights, f).value for f in row] for row in forced]
        return MaxMarginals(*(best - np.array(row) for row in values))


class Bag(gl.Problem):
    def __init__(self, worth, room, factors=()):
        self.worth, self.room, self.factors = np.asarray(worth, float), room, factors
        self.decisions = Decisions(self.worth.size)

    decisions = None

    def value(self, structure):
        return float(self.worth[structure].sum()) + self.factor_value(structure)

    def violations(self, structure):
        return ["too many"] if len(structure) > self.room else self.factor_violations(structure)

    def encode(self, structure):
        return np.asarray(structure, np.int64)

    def decode(self, on_ids):
        return np.asarray(on_ids, np.int64)

    def backbone(self):
        return Backbone(Fill(self.room), self.worth)


def bag(rng, count=12):
    pairs = [(a, b) for a in range(count) for b in range(a) if rng.random() < 0.4]
    scores = rng.integers(-3, 4, len(pairs)).astype(float)
    scores[rng.random(scores.size) < 0.1] = -np.inf
    return Bag(rng.integers(-2, 5, count), 4, [Conjunctions(pairs, scores)])


def test_it_is_solved_and_proved():
    rng = np.random.default_rng(0)
    for _ in range(10):
        problem = bag(rng)
        result = gl.solve(problem)
        assert result.method == "split-bound"
        assert result.status is gl.Status.OPTIMAL
        assert result.value == pytest.approx(enumerate_best(problem)[0].value)
        verdict = result.verify(problem)
        assert verdict
        assert "rests on the word of Fill.solve" in verdict.assumptions or not verdict.assumptions


def test_it_keeps_the_rules_of_problems_and_methods():
    problems = [bag(np.random.default_rng(seed), 6) for seed in range(3)]
    for problem in problems:
        check_problem(problem, json=False)
    check_method("split-bound", problems)


def test_a_problem_without_a_backbone_has_no_such_method():
    class Bare(Bag):
        backbone = gl.Problem.backbone

    with pytest.raises(gl.GaplessError, match="no plug-in registered a method for Bare"):
        gl.solve(Bare([1.0], 1))
