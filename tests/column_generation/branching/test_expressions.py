"""Branching on sums in both trees, against enumeration; pricing sees the rows as prices of quantities."""

import attrs
import knapsacks
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless as gl
from gapless.column_generation import branch_and_price
from gapless.column_generation.branching import (
    Candidate,
    Expressions,
    Fractional,
    Phase,
    PseudoCosts,
    StrongBranching,
    Sum,
)
from gapless.roles import Branch, SolveBudget, UncoveredBranching
from gapless.scip import branch_price_and_cut

TREES = (branch_and_price, branch_price_and_cut)
ITEMS = 8


class Ungranular(knapsacks.Knapsacks):
    """Values need not be whole, so bounds are not rounded."""

    granularity = None


def sums():
    return Expressions([Sum(range(ITEMS), "items"), Sum(range(0, ITEMS, 2), coefficients=range(1, 1 + ITEMS // 2))])


BRANCHERS = {
    "sums": sums,
    "strong": lambda: StrongBranching(sums()),
    "pseudo-costs": lambda: StrongBranching(sums(), phases=(), reliability=0),
    "decisions": lambda: StrongBranching(Fractional(), phases=(Phase(3), Phase(2, None)), reliability=1),
}


@pytest.mark.parametrize("solve", TREES)
@pytest.mark.parametrize("brancher", BRANCHERS)
@seeing("branched", "on sums")
@examples(6)
@given(rng=generators())
def test_equals_enumeration(seen, rng, brancher, solve):
    problem = knapsacks.draw(rng)
    rows = []

    def watch(event):
        if event.kind == "branch":
            seen["branched"] += 1
            rows.extend(words for words in event.details["decisions"] if "items <=" in words or "sum of" in words)

    result = solve(problem, knapsacks.formulation(problem, BRANCHERS[brancher]()), SolveBudget(observers=[watch]))
    seen["on sums"] += bool(rows) or brancher == "decisions"
    assert result.status is gl.Status.OPTIMAL
    assert result.value == problem.best()
    if solve is branch_and_price:
        verdict = result.verify(problem)
        assert verdict, verdict.reason
        again = gl.Result.from_json(result.to_json())
        assert again.verify(problem)


def test_a_sum_closes_what_decisions_leave_open():
    """Nine equal items, of which four fit: on or off says little, their number says all."""
    problem = knapsacks.Knapsacks(np.full(9, 1.0), 2 * np.ones((1, 9)), np.array([9.0]))
    problem = Ungranular(problem.worth, problem.weights, problem.capacities)
    one = branch_and_price(problem, knapsacks.formulation(problem, Expressions([Sum(range(9))])))
    many = branch_and_price(problem, knapsacks.formulation(problem, Fractional()))
    assert one.value == many.value == 4
    assert one.stats.nodes == 3
    assert many.stats.nodes > 10
    assert one.verify(problem)


@pytest.mark.parametrize("solve", TREES)
def test_a_gap_between_rows_is_no_optimum(solve):
    class Loses(Expressions):
        """Skips a value."""

        def split(self, fixings, relaxed):
            above, below = super().split(fixings, relaxed)
            row = above.rows[0] if above.rows else None
            return [above, below] if row is None else [
                Branch(rows=[attrs.evolve(row, lower=row.lower + 1)]), below
            ]  # fmt: skip

    rng, refused = np.random.default_rng(3), []
    for _ in range(6):
        problem = knapsacks.draw(rng)
        try:
            solve(problem, knapsacks.formulation(problem, Loses([Sum(range(ITEMS), "items")])))
        except UncoveredBranching as error:
            refused.append(error)
    assert refused
    assert all("no child covers the case" in str(error) for error in refused)
    assert all(error.result.stop is gl.Stop.ERROR for error in refused)


@pytest.mark.parametrize("solve", TREES)
def test_strong_branching_loses_nothing_either(solve):
    class Half(Fractional):
        """Forgets the children where a decision is off."""

        def candidates(self, fixings, relaxed):
            return [Candidate(c.key, c.branches[:1], c.distances[:1]) for c in super().candidates(fixings, relaxed)]

    rng, refused = np.random.default_rng(4), 0
    for _ in range(6):
        problem = knapsacks.draw(rng)
        try:
            solve(problem, knapsacks.formulation(problem, StrongBranching(Half())))
        except UncoveredBranching:
            refused += 1
    assert refused


@pytest.mark.parametrize("solve", TREES)
def test_an_error_in_a_look_is_an_error(solve):
    class Breaks(knapsacks.Items):
        def query(self, view, *, limit=None):
            if view.fixings.free.size < view.fixings.state.size or view.fixings.rows:
                raise ZeroDivisionError("below the root")
            return super().query(view, limit=limit)

    rng, broken = np.random.default_rng(5), []
    for _ in range(6):
        problem = knapsacks.draw(rng)
        made = attrs.evolve(
            knapsacks.formulation(problem, StrongBranching(sums(), phases=[Phase(4, None)])),
            generators=[Breaks(problem)],
        )
        try:
            solve(problem, made)
        except gl.SolveError as error:
            broken.append(error)
    assert broken
    assert all("ZeroDivisionError" in str(error) for error in broken)
    assert all(error.result.status is not gl.Status.OPTIMAL for error in broken)


def test_pseudo_costs_are_means():
    costs = PseudoCosts()
    one = Candidate("a", (Branch(on=[0]), Branch(off=[0])), (0.5, 0.25))
    assert costs.gains(one) == [0.5, 0.25]  # nothing is known: 1 per unit
    costs.observe("a", 0, 2.0, 0.5)
    costs.observe("a", 0, 1.0, 0.5)
    costs.observe("b", 1, 8.0, 1.0)
    costs.observe("a", 1, float("inf"), 1.0)
    assert costs.gains(one) == [0.5 * 3.0, 0.25 * 8.0]
    assert costs.count(one) == 0
    costs.observe("a", 1, -1.0, 1.0)  # bounds never rise
    assert costs.count(one) == 1
    assert costs.gains(one)[1] == 0.0


def test_strong_branching_makes_smaller_trees():
    rng = np.random.default_rng(6)
    problems = [knapsacks.draw(rng, items=14, rows=3) for _ in range(6)]
    nodes = {
        name: sum(branch_and_price(p, knapsacks.formulation(p, make())).stats.nodes for p in problems)
        for name, make in {"first": Fractional, "strong": lambda: StrongBranching(Fractional())}.items()
    }
    assert nodes["strong"] < 0.8 * nodes["first"], nodes


def test_a_known_answer_is_given_again():
    problem = knapsacks.draw(np.random.default_rng(7))
    asked = []

    class Watched(StrongBranching):
        def split(self, fixings, relaxed):
            first, again = super().split(fixings, relaxed), super().split(fixings, relaxed)
            asked.append(first is again)
            return first

    branch_and_price(problem, knapsacks.formulation(problem, Watched(Fractional())))
    assert asked
    assert all(asked)
