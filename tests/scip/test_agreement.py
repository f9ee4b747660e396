"""Own tree, SCIP's tree, the monolithic model and enumeration say the same, and every early stop says the truth."""

import math

import numpy as np
import pytest
import tiny
from agreement import agrees
from drawn import examples, generators, long, seeing
from hypothesis import given

from gapless import Limits, Status, Stop
from gapless.column_generation import branch_and_price
from gapless.problems.problem import score_of
from gapless.roles import Batch, Branch, Brancher, GeneratorResult, SolveBudget
from gapless.scip import branch_price_and_cut, solve_monolithic
from gapless.scip.tree import Enforcer, Tree

TREES = (branch_and_price, branch_price_and_cut)
ORDERS = ("best-first", "depth-first", "breadth-first")
LIMITS = (
    Limits(nodes=0),
    Limits(nodes=1),
    Limits(nodes=2),
    Limits(iterations=1),
    Limits(iterations=3),
    Limits(iterations=6),
    Limits(time=0.0),
    Limits(relative_gap=1.0),
)


@examples(6)
@given(rng=generators())
def test_four_ways_to_the_same_answer(rng):
    block = int(rng.integers(24))
    for seed in range(20 * block, 20 * block + 20):
        problem = tiny.draw(seed)
        results = [tree(problem, tiny.formulation(problem), order=ORDERS[seed % 3]) for tree in TREES]
        results.append(solve_monolithic(problem))
        assert [agrees(problem, r) for r in results] == [True] * 3, seed


def test_the_family_has_what_it_promises():
    problems = [tiny.draw(seed) for seed in range(480)]
    assert sum(not p.known for p in problems) > 50, "infeasible ones"
    assert sum(p.threshold.max(initial=0) > 1 for p in problems) > 200, "thresholds above 1"
    assert sum(p.sense.sign < 0 for p in problems) > 100, "minimised ones"
    ties = 0
    for p in problems:
        scores = sorted((score_of(p, z) for z in p.known.values()), reverse=True)
        ties += len(scores) > 1 and scores[0] == scores[1] < 0
    assert ties > 5, "ties of negative score"


class FirstOpen(Brancher):
    """Not the fractional one but the first that is open, in a child on its own and its opposite."""

    def split(self, fixings, relaxed):
        free = fixings.free
        return [Branch(off=free[:1]), Branch(on=free[:1])] if free.size else []


@pytest.mark.parametrize("tree", TREES)
@given(rng=generators())
def test_any_brancher_will_do(rng, tree):
    seed = int(rng.integers(80))
    problem = tiny.draw(rng)
    assert agrees(problem, tree(problem, tiny.formulation(problem, brancher=FirstOpen()))), seed


@pytest.mark.parametrize("tree", TREES)
@given(rng=generators())
def test_without_granularity_and_with_columns_at_the_start(rng, tree):
    seed = int(rng.integers(80))
    problem = tiny.draw(rng)
    problem.granularity = None
    start = range(problem.gain.size) if seed % 2 else [0]
    assert agrees(problem, tree(problem, tiny.formulation(problem, start=start))), seed


@pytest.mark.parametrize("tree", TREES)
@given(rng=generators())
def test_rows_without_columns_and_pricing_that_stops_short(rng, tree):
    seed = int(rng.integers(150))

    class RowsFirst(tiny.Complete):
        def query(self, view, *, limit=None):
            before = set(self.priced)
            answer = super().query(view, limit=limit)
            if not len(answer.batch.rows):
                return answer
            self.priced = before
            return GeneratorResult(Batch(rows=answer.batch.rows), pricing_gap=answer.pricing_gap)

    class StopsShort(tiny.Complete):
        def query(self, view, *, limit=None):
            before = set(self.priced)
            answer = super().query(view, limit=limit)
            if not view.objective_weight or answer.pricing_gap >= 2:
                return answer
            self.priced = before
            return GeneratorResult(Batch(rows=answer.batch.rows), pricing_gap=answer.pricing_gap)

    problem = tiny.draw(rng)
    for generator in (RowsFirst(problem), StopsShort(problem)):
        assert agrees(problem, tree(problem, tiny.formulation(problem, generator))), seed


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cases", [25, long(40)])
def test_a_spent_limit_leaves_a_true_bound(tree, limits, cases):
    stops = set()
    for seed in range(cases):
        problem = tiny.draw(seed)
        result = tree(problem, tiny.formulation(problem), SolveBudget(limits))
        sign = problem.sense.sign
        assert sign * result.bound >= problem.best_score(), seed
        if result.solutions:
            assert problem.violations(result.best) == []
        if result.status is Status.INFEASIBLE:
            assert not problem.known
        stops.add(result.stop)
    assert stops <= {Stop.PROVED, Stop.NODES, Stop.ITERATIONS, Stop.TIME, Stop.GAP}
    assert stops != {Stop.PROVED} or limits.iterations == 6


@seeing("cold", "warm")
@given(rng=generators())
def test_scip_starts_from_what_the_user_brings(seen, rng):
    problem = tiny.draw(rng)
    if not problem.known:
        return
    best = max(problem.known.values(), key=lambda z: score_of(problem, z))
    result = branch_price_and_cut(problem, tiny.formulation(problem), start=[best])
    assert agrees(problem, result)
    assert result.stats.warm_start_used
    assert result.best == best
    seen["warm"] += result.stats.nodes
    seen["cold"] += branch_price_and_cut(problem, tiny.formulation(problem)).stats.nodes
    target = Limits(target=problem.value(best))
    reached = branch_price_and_cut(problem, tiny.formulation(problem), SolveBudget(target), start=[best])
    assert reached.value == problem.value(best)


@pytest.mark.parametrize("cases", [15, long(40)])
def test_rounding_is_used_and_judged(cases):
    asked = []
    for seed in range(cases):
        problem = tiny.draw(seed)
        anything = next(iter(problem.known.values()), None)

        def rounding(relaxed, anything=anything):
            asked.append(relaxed.point)
            return anything

        def nonsense(relaxed, problem=problem):
            return tuple([9] * problem.gain.size)

        for idea in (rounding, nonsense):
            assert agrees(problem, branch_price_and_cut(problem, tiny.formulation(problem, rounding=idea)))
    assert asked


@pytest.mark.parametrize("cases", [25, long(60)])
def test_events_tell_bounds_that_fall_and_values_that_rise(cases):
    kinds = set()
    for seed in range(cases):
        problem = tiny.draw(seed)
        budget = SolveBudget(trace=True)
        result = branch_price_and_cut(problem, tiny.formulation(problem), budget)
        assert result.trace == tuple(budget.events)
        sign = problem.sense.sign
        assert all(e.sense is problem.sense for e in result.trace)
        values = [sign * e.value for e in result.trace]
        assert values == sorted(values)
        assert all(sign * e.bound >= problem.best_score() for e in result.trace)
        kinds |= {e.kind for e in result.trace}
        for event in result.trace:
            if event.kind == "branch":
                told = event.details
                assert told["node"] < min(told["children"])
                assert len(told["children"]) == len(told["decisions"])
                assert all(told["decisions"])
    assert kinds == {"round", "node", "incumbent", "branch"}


@pytest.mark.parametrize("cases", [20, long(60)])
def test_nodes_without_an_lp_are_branched_all_the_same(monkeypatch, cases):
    """SCIP may give up a node's LP; here it always seems to."""
    monkeypatch.setattr(Enforcer, "consenfolp", lambda self, *arguments: self.consenfops(*arguments, False))
    for seed in range(cases):
        problem = tiny.draw(seed, columns=3)
        assert agrees(problem, branch_price_and_cut(problem, tiny.formulation(problem))), seed


def test_a_result_survives_json_and_says_that_it_is_not_recorded():
    problem = tiny.draw(5)
    result = branch_price_and_cut(problem, tiny.formulation(problem), method="mine")
    assert result.method == "mine"
    assert result.stats.columns
    verdict = result.verify(problem)
    assert not verdict
    assert "not recorded" in verdict.reason
    assert type(result).from_json(result.to_json()).bound == result.bound


def test_scip_gets_bounds_in_steps_of_the_granularity(monkeypatch):
    """Nodes that are equally good are then equally good to SCIP, too."""
    told, own = [], []
    price = Tree.price

    def heard(tree):
        answer = price(tree)
        if math.isfinite(answer.get("lowerbound", math.inf)) and answer["lowerbound"] < tree.model.infinity():
            told.append(tree.master.score(answer["lowerbound"]) - tree.problem.constant)
            own.append(tree._bound - tree.problem.constant)
        return answer

    monkeypatch.setattr(Tree, "price", heard)
    for seed in range(20):
        problem = tiny.draw(np.random.default_rng(seed))
        assert agrees(problem, branch_price_and_cut(problem, tiny.formulation(problem)))
    assert any(abs(bound - round(bound)) > 0.01 for bound in own)
    assert all(abs(bound - round(bound)) < 1e-6 for bound in told)
