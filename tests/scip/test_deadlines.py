"""Both trees at a limit that falls into a question: a generator that stops early proves nothing by its claims."""

import math

import attrs
import numpy as np
import pytest
import tiny
from drawn import long

import gapless as gl
from gapless.column_generation import branch_and_price, reduced_cost_fixing
from gapless.problems.problem import score_of
from gapless.roles import Batch, Columns, GeneratorResult, SolveBudget
from gapless.scip import branch_price_and_cut

TREES = (branch_and_price, branch_price_and_cut)


class Clock:
    """Seconds that pass only when told."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def stopping():
    """Makes generators that are told to stop in one of their questions, and answer `made` of the honest answer."""

    class Stopping(tiny.Complete):
        def __init__(self, problem, clock, at, made):
            super().__init__(problem)
            self.clock, self.left, self.made = clock, at, made
            self.seen = []

        def query(self, view, *, limit=None):
            self.left -= 1
            if self.left >= 0:
                self.seen.append((view.time_left, view.stop()))
                return super().query(view, limit=limit)
            self.clock.now = 5.0
            self.seen.append((view.time_left, view.stop()))
            return self.made(super().query(view, limit=limit))

    return Stopping


UNFINISHED = {
    "silent": lambda answer: GeneratorResult(pricing_gap=None),
    "wrong claim": lambda answer: GeneratorResult(pricing_gap=0.0),
    "columns": lambda answer: attrs.evolve(answer, pricing_gap=None),
    "columns and a wrong claim": lambda answer: attrs.evolve(answer, pricing_gap=0.0),
}


@pytest.mark.parametrize("made", UNFINISHED.values(), ids=UNFINISHED)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cases", [20, long(40)])
def test_a_stopped_question_is_never_taken_for_a_finished_one(tree, made, stopping, cases):
    stopped = 0
    for seed in range(cases):
        problem, clock = tiny.draw(seed), Clock()
        generator = stopping(problem, clock, seed % 4, made)
        budget = SolveBudget(gl.Limits(time=4.0), clock=clock)
        result = tree(problem, tiny.formulation(problem, generator), budget)
        best = problem.best_score()
        assert problem.sense.turn(result.bound) >= best - 1e-9
        assert all(score_of(problem, one.structure) <= best for one in result.solutions)
        if generator.left < 0:
            stopped += 1
            assert result.stop is gl.Stop.TIME or math.isclose(problem.sense.turn(result.bound), best)
            assert generator.seen[-1] == (0.0, True)
            assert generator.left == -1, "nothing is asked after the limit"
        assert {(4.0, False)} >= {*generator.seen[: 1 if generator.left >= 0 else -1]}
    assert stopped > cases / 2


@pytest.mark.parametrize("tree", TREES)
def test_bounds_of_earlier_questions_are_kept(tree, stopping):
    """The last question proves nothing; the bound is the best one before it."""
    kept = 0
    for seed in range(40):
        problem, clock = tiny.draw(seed), Clock()
        if not problem.known:
            continue
        generator = stopping(problem, clock, 2, UNFINISHED["wrong claim"])
        bounds = []
        budget = SolveBudget(
            gl.Limits(time=4.0),
            clock=clock,
            observers=[lambda event, bounds=bounds: bounds.append(event.bound) if event.kind == "round" else None],
        )
        result = tree(problem, tiny.formulation(problem, generator), budget)
        if generator.left < 0 and result.stop is gl.Stop.TIME:
            kept += math.isfinite(result.bound)
    assert kept


@pytest.mark.parametrize("tree", TREES)
def test_claims_stay_where_only_the_time_was_read(tree):
    """Separation that ends early: the bound of the question counts, and its point is not judged."""
    kept = 0

    class Hurried(tiny.Complete):
        def __init__(self, problem, clock):
            super().__init__(problem, chunk=99)
            self.clock = clock

        def separate(self, view):
            self.clock.now = 5.0
            return [] if not view.time_left else super().separate(view)

    for seed in range(60):
        problem, clock = tiny.draw(seed), Clock()
        budget = SolveBudget(gl.Limits(time=4.0), clock=clock)
        result = tree(problem, tiny.formulation(problem, Hurried(problem, clock)), budget)
        kept += result.stop is gl.Stop.TIME and math.isfinite(result.bound)
        assert problem.sense.turn(result.bound) >= problem.best_score() - 1e-9, seed
    assert kept


@pytest.mark.parametrize("tree", TREES)
def test_no_decision_is_fixed_by_gains_of_a_search_that_was_stopped(tree, monkeypatch):
    """They say that no missing column gains, which would fix what the optimum needs."""
    fixed, stopped = [], 0
    made = reduced_cost_fixing.Tightening
    monkeypatch.setattr(reduced_cost_fixing, "Tightening", lambda *a: fixed.append(a) or made(*a))

    class Fixing(tiny.Complete):
        def __init__(self, problem, clock):
            super().__init__(problem)
            self.clock = clock

        def reduced_cost_bounds(self, view):
            nonlocal stopped
            self.clock.now = 5.0
            stopped += view.stop()
            self.clock.now = 0.0  # so that only the question's own deadline knows
            return np.full(self.problem.decisions.quantities, -1e3)

    for seed in range(20):
        problem, clock = tiny.draw(seed), Clock()
        ranked = sorted(problem.known.values(), key=lambda z: score_of(problem, z))
        budget = SolveBudget(gl.Limits(time=4.0), clock=clock)
        form = tiny.formulation(problem, Fixing(problem, clock))
        result = tree(problem, form, budget, start=ranked[-2:-1])
        assert problem.sense.turn(result.bound) >= problem.best_score() - 1e-9, seed
    assert stopped
    assert not fixed


def test_rows_that_were_not_sought_are_no_contradiction():
    """An integral point that a row would have cut off: not judged while separation is unfinished."""
    seen = 0
    for seed in range(80):
        problem, clock = tiny.draw(seed), Clock()
        generator = tiny.Complete(problem, chunk=99)
        honest = generator.query

        def query(view, *, limit=None, clock=clock, honest=honest):
            answer = honest(view, limit=limit)
            if len(answer.batch.columns):
                return answer
            clock.now = 5.0
            assert view.stop()
            return GeneratorResult(Batch(Columns.none()), pricing_gap=0.0)

        generator.query = query
        result = branch_and_price(
            problem, tiny.formulation(problem, generator), SolveBudget(gl.Limits(time=4.0), clock=clock)
        )
        seen += result.stop is gl.Stop.TIME
        assert problem.sense.turn(result.bound) >= problem.best_score() - 1e-9
    assert seen
