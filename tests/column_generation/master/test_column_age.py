"""Columns that left the linear program: the master solves as if they had not, under any fixings and rows."""

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.column_generation import PricedRelaxation
from gapless.column_generation.master import LinearMaster, LinearProgram
from gapless.roles import Batch, Columns, Fixings, PricingOptions, Rows, SolveBudget, Sparse


def test_the_same_optima_with_and_without_aged_columns(make, to_sparse, monkeypatch):
    left, back = [], []
    delete, note = LinearProgram.delete_columns, LinearMaster._return_columns
    monkeypatch.setattr(
        LinearProgram, "delete_columns", lambda self, gone: left.append(gone.size) or delete(self, gone)
    )
    monkeypatch.setattr(LinearMaster, "_return_columns", lambda self: back.append(note(self)) or back[-1])
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows, count, quantities = 3, 30, 4
        entries, uses = rng.integers(0, 3, (rows, count)), rng.integers(0, 2, (count, quantities))
        score = rng.integers(-6, 4, count).astype(float)
        first = make([-50.0] * rows, np.eye(rows), [3.0] * rows, [9.0] * rows, np.zeros((rows, quantities)))
        masters = [
            LinearMaster(
                first.problem, attrs.evolve(first.formulation, pricing=PricingOptions(column_age_limit=age))
            )
            for age in (0, 1)
        ]
        keys = 100 + np.arange(count)
        more = Columns(keys, score, to_sparse(entries.T), to_sparse(uses), np.full(count, 2.0))
        for step in range(12):
            state = rng.choice([-1, -1, -1, 0, 1], quantities)
            batch = Batch(more.take(np.arange(step * 5, step * 5 + 5))) if step < 6 else Batch()
            if step == 8:
                held = masters[0].view().column_keys
                batch = Batch(rows=Rows([77], [-np.inf], [4.0], Sparse.from_rows([held[held >= 100][::3]])))
            bounds = []
            for master in masters:
                master.extend(batch)
                relaxed = master.solve(Fixings(state), SolveBudget())
                bounds.append((relaxed.bound, relaxed.primal_value))
                assert master.view().column_keys.size == rows + 5 * min(step + 1, 6), "the master keeps them"
            np.testing.assert_allclose(*bounds, rtol=1e-7, atol=1e-7, err_msg=f"seed {seed}, step {step}")
    assert sum(left) > 100
    assert sum(back) > 20


@pytest.fixture
def pooled(make):
    """One unit at a cost of 10 in the program; at 2 outside of it, where it gains 8 at the master's prices."""
    pricing = PricingOptions(column_age_limit=1, branch_before_pricing=True)
    master = make([-10.0], [[1.0]], [1.0], [np.inf], [[0.0]], pricing=pricing, refused=[()])
    master.extend(Batch(Columns([20, 21, 22], [-1.0, -2.0, -3.0], Sparse.from_rows([[0]] * 3), Sparse.empty(3))))
    for _ in range(3):
        assert master.solve(Fixings.none(1), SolveBudget()).bound == -1.0
    assert master._lp.columns == 2
    master.extend(Batch(rows=Rows([5], [-np.inf], [0.0], Sparse.from_rows([[20]]))))
    return master


def test_a_limit_before_columns_come_back_leaves_no_bound_below_what_they_reach(pooled):
    budget = SolveBudget(gl.Limits(time=1.0), clock=iter([0.0, *[5.0] * 100]).__next__)
    relaxed = pooled.solve(Fixings.none(1), budget)
    assert relaxed.primal_value == -10.0
    assert relaxed.bound == np.inf
    assert pooled.view().bound == np.inf
    assert pooled.solve(Fixings.none(1), SolveBudget()).bound == -2.0


def test_a_glance_sees_the_pool(pooled):
    relaxation = PricedRelaxation(pooled, [], pooled.decisions, pricing=pooled.formulation.pricing)
    assert relaxation.quick_estimate(Fixings.none(1), SolveBudget(), incumbent=-20.0).primal_value == -2.0
