"""`LinearView.lagrangian` and `LinearView.farley`: slacks that bound the complete master, computed by the view."""

import numpy as np
import pytest

from gapless import InvalidProblem
from gapless.roles import Fixings, LinearView, SolveBudget


def cover(make, patterns, demand, constant=0.0):
    """Cover the demand by patterns of cost 1, each as often as needed."""
    entries = np.asarray(patterns, float).T
    infinite = [np.inf] * len(demand)
    return make(-np.ones(len(patterns)), entries, demand, infinite, constant=constant)


@pytest.mark.parametrize("constant", [0.0, 7.5])
def test_farleys_slack_bounds_what_is_missing(make, constant):
    rng = np.random.default_rng(1)
    tight = 0
    for _ in range(60):
        every = np.vstack([np.eye(3), rng.integers(0, 3, (5, 3))])
        demand = rng.integers(1, 6, 3).astype(float)
        complete = cover(make, every, demand, constant)
        whole = complete.solve(Fixings.none(3), SolveBudget()).bound
        restricted = cover(make, every[:4], demand, constant)
        base = restricted.solve(Fixings.none(3), SolveBudget()).bound
        view = restricted.view()
        assert view.bound == base
        gains = -1 - every @ view.prices(np.arange(3))
        slack = view.farley(float(gains.max()))
        assert base + slack >= whole - 1e-9
        assert slack <= view.lagrangian(float(gains.max()), -(base - constant)) + 1e-9, "that of all rolls"
        tight += base + slack <= whole + 1e-9
    assert tight, "and it is no looser than need be"


def test_a_lagrangian_slack_sums_kinds(make):
    master = cover(make, np.eye(2), [1.0, 1.0])
    master.solve(Fixings.none(2), SolveBudget())
    view = master.view()
    assert view.lagrangian(np.array([2.0, -3.0, 0.5]), np.array([1.0, np.inf, 4.0])) == 4.0
    assert view.lagrangian(-1.0, np.inf) == 0.0
    assert view.lagrangian(np.array([-np.inf]), 3.0) == 0.0
    assert view.lagrangian(1.0, np.inf) == np.inf


def test_farley_has_no_bound_to_improve_while_the_master_is_infeasible(make):
    master = cover(make, np.eye(2)[:1], [1.0, 1.0])
    assert master.solve(Fixings.none(2), SolveBudget()).bound == -np.inf
    assert master.view().farley(1.0) is None
    assert master.view().farley(0.0) == 0.0


def test_farley_needs_a_cost(make):
    master = cover(make, np.eye(2), [1.0, 1.0])
    master.solve(Fixings.none(2), SolveBudget())
    with pytest.raises(InvalidProblem, match="cost is 0, it must be positive"):
        master.view().farley(1.0, cost=0)


def test_farley_is_for_costs(make):
    master = make([-1.0, 2.0], np.eye(2), [1.0, 0.0], [np.inf, 3.0])
    master.solve(Fixings.none(2), SolveBudget())
    with pytest.raises(InvalidProblem, match=r"has a positive objective.*use view\.lagrangian"):
        master.view().farley(1.0)


def test_foreign_views_prove_nothing_by_themselves():
    assert LinearView.bound == np.inf
    assert not LinearView.smoothed
