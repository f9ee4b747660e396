"""Rows that left the linear program: the master solves as if they had not, under any fixings and columns."""

import attrs
import numpy as np
import pytest

from gapless.column_generation.master import LinearMaster, LinearProgram
from gapless.roles import Batch, Columns, Fixings, PricingOptions, Rows, SolveBudget, Sparse


@pytest.mark.parametrize("column_age_limit", [0, 1])
def test_the_same_optima_with_and_without_aged_rows(make, to_sparse, monkeypatch, column_age_limit):
    left, back = [], []
    delete, bring = LinearProgram.delete_rows, LinearMaster._enter_rows
    monkeypatch.setattr(
        LinearProgram, "delete_rows", lambda self, gone: left.append(gone.size) or delete(self, gone)
    )
    monkeypatch.setattr(LinearMaster, "_enter_rows", lambda self, rows: back.append(rows.size) or bring(self, rows))
    for seed in range(40):
        rng = np.random.default_rng(seed)
        count, quantities, rows = 12, 4, 16
        uses = rng.integers(0, 2, (count, quantities))
        first = make(-rng.integers(0, 3, count).astype(float), np.ones((1, count)), [2.0], [6.0], uses)
        masters = [
            LinearMaster(
                first.problem,
                attrs.evolve(
                    first.formulation,
                    pricing=PricingOptions(row_age_limit=age, column_age_limit=column_age_limit if age else 0),
                ),
            )
            for age in (0, 1)
        ]
        keys, over = 10 + np.arange(count), rng.integers(-1, 3, (rows, quantities))
        for step in range(12):
            state = rng.choice([-1, -1, -1, 0, 1], quantities)
            batch = Batch()
            if step < 8 and step % 2 == 0:
                here = slice(2 * step, 2 * step + 2)
                batch = Batch(
                    rows=Rows(
                        100 + np.arange(rows)[here], [-np.inf] * 2, [float(step)] * 2, uses=to_sparse(over[here])
                    )
                )
            elif step < 8:
                entries = to_sparse(rng.integers(0, 2, (2, keys.size)))
                stated = Sparse(entries.indptr, keys[entries.indices], entries.values)
                batch = Batch(rows=Rows([200 + step, 300 + step], [0.5, -np.inf], [np.inf, 3.0], stated))
            else:
                more, known = 4, masters[0].view().row_keys
                into = known[(known == 0) | (known >= 200)]
                enter = to_sparse(rng.integers(0, 2, (more, into.size)) | (into == 0))
                new = 1000 * step + np.arange(more)
                stated = Sparse(enter.indptr, into[enter.indices], enter.values)
                worth = rng.integers(-3, 4, more).astype(float)
                batch = Batch(Columns(new, worth, stated, to_sparse(rng.integers(0, 2, (more, quantities)))))
            bounds = []
            for master in masters:
                master.extend(batch)
                relaxed = master.solve(Fixings(state), SolveBudget())
                bounds.append((relaxed.bound, relaxed.primal_value))
            assert masters[0].view().row_keys.tolist() == masters[1].view().row_keys.tolist(), (
                "the master keeps them"
            )
            np.testing.assert_allclose(*bounds, rtol=1e-7, atol=1e-7, err_msg=f"seed {seed}, step {step}")
    assert sum(left) > 50
    assert sum(back) > 20


def test_rows_come_back_where_the_program_needs_them_to_be_bounded(make):
    """A row had room, left, and is the only limit of a column that enters later."""
    master = make([0.0], [[1.0]], [0.0], [1.0], [[0.0]], pricing=PricingOptions(row_age_limit=1))
    row = Rows([7], [-np.inf], [5.0], Sparse.from_rows([[10]]))
    master.extend(Batch(rows=row))
    for _ in range(3):
        master.solve(Fixings.none(1), SolveBudget())
    assert master._lp.rows == 1
    master.extend(Batch(Columns([11], [2.0], Sparse.from_rows([[7]]), Sparse.empty(1))))
    assert master.solve(Fixings.none(1), SolveBudget()).bound == pytest.approx(10.0)


def test_rows_of_branches_leave_when_they_limit_nothing(make):
    master = make([-1.0] * 6, [[1.0] * 6], [1.0], [1.0], pricing=PricingOptions(row_age_limit=2))
    for d in range(6):
        assert master.solve(Fixings.none(6).fix(on=[d]), SolveBudget()).bound == -1.0
    assert master._lp.rows < 1 + 6
    plain = make([-1.0] * 6, [[1.0] * 6], [1.0], [1.0])
    for d in range(6):
        plain.solve(Fixings.none(6).fix(on=[d]), SolveBudget())
    assert plain._lp.rows == 1 + 6


def test_an_initial_row_stays(make):
    master = make([0.0, 0.0], np.eye(2), [0.0, 0.0], [1.0, 1.0], pricing=PricingOptions(row_age_limit=1))
    for _ in range(4):
        master.solve(Fixings.none(2), SolveBudget())
    assert master._lp.rows == 2


def test_a_row_of_a_branch_stays_where_a_restricted_master_imposed_it(make):
    """It was idle long enough to leave, and then the same fixings were imposed without a solve."""
    master = make([-1.0] * 6, [[1.0] * 6], [1.0], [1.0], pricing=PricingOptions(row_age_limit=1))
    master.solve(Fixings.none(6).fix(on=[0]), SolveBudget())
    master.solve(Fixings.none(6), SolveBudget())
    both = Fixings.none(6).fix(on=[0, 1])
    assert master.integral(both, SolveBudget()) is None
    assert master.solve(both, SolveBudget()).bound == -np.inf
