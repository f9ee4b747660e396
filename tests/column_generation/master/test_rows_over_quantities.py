"""Rows that speak of quantities: the master derives the entries of columns, and charges quantities for them."""

import numpy as np
import pytest
from drawn import generators
from hypothesis import given

from gapless import InvalidProblem
from gapless.roles import Batch, Columns, Decisions, Fixings, Rows, SolveBudget, Sparse

NONE = Fixings.none


def row(key, uses, lower=-np.inf, upper=np.inf):
    return Rows([key], [lower], [upper], uses=Sparse.from_rows([list(uses)], [list(uses.values())]))


def column(key, objective, uses, rows=()):
    return Columns([key], [objective], Sparse.from_rows([list(rows)]), Sparse.from_rows([list(uses)]), [9.0])


@pytest.fixture
def master(make):
    """Columns 10 and 11; quantity 0 is used twice by column 10, quantity 1 by both, quantity 2 by none."""
    return make([3.0, 2.0], [[1, 1]], [-np.inf], [4.0], uses=[[2, 1, 0], [0, 1, 0]])


def test_columns_that_are_there_have_the_entries(master):
    assert master.extend(Batch(rows=row(5, {0: 1.0, 1: 3.0}, upper=10.0))) == 1  # 5 z0 + 3 z1 <= 10
    relaxed = master.solve(NONE(3), SolveBudget())
    assert relaxed.bound == pytest.approx(2 * 10 / 3)  # not 3 * 2
    z = dict(zip(master.view().column_keys.tolist(), master.view().column_values.tolist(), strict=True))
    assert 5 * z[10] + 3 * z[11] == pytest.approx(10.0)


def test_columns_that_come_later_have_them_too(master):
    master.extend(Batch(rows=row(5, {2: 1.0, 1: -1.0}, upper=1.0)))
    master.extend(Batch(column(20, 50.0, [2])))
    assert master.solve(NONE(3), SolveBudget()).bound == pytest.approx(3 * 4 + 50 * 5)  # z20 <= 1 + z10 + z11
    both = Batch(column(21, 120.0, [2, 2, 1]), row(6, {2: 1.0}, upper=3.0))
    assert master.extend(both) == 2, "and those of the same batch"
    assert master.solve(NONE(3), SolveBudget()).bound == pytest.approx(3 * 4 + 120 * 1.5)  # 2 z21 <= 3


def test_charges_arrive_as_prices_of_usage(master):
    master.extend(Batch(rows=row(5, {0: 1.0, 1: 1.0}, upper=3.0)))  # 3 z0 + z1 <= 3
    assert master.solve(NONE(3), SolveBudget()).bound == pytest.approx(6.0)
    view = master.view()
    price = float(view.prices([5])[0])
    assert price == pytest.approx(2.0)
    assert view.usage_prices() == pytest.approx([price, price, 0.0])
    assert view.fixing_prices() == pytest.approx([0.0, 0.0, 0.0])
    assert view.reduced_costs(column(30, 7.0, [0, 1])) == pytest.approx([3.0])
    assert view.allowances() == pytest.approx([0.0, 0.0, 0.0]), "column 11, alone in quantity 1, gains 0"


def test_fixings_and_rows_share_the_prices(make):
    master = make([3.0, 2.0], [[1, 1]], [-np.inf], [4.0], uses=[[1, 0], [0, 1]])
    master.extend(Batch(rows=row(5, {0: 1.0, 1: 1.0}, upper=2.0)))
    assert master.solve(Fixings([-1, 1]), SolveBudget()).bound == pytest.approx(5.0)
    view = master.view()
    assert view.usage_prices() == pytest.approx([3.0, 2.0])
    assert view.fixing_prices() == pytest.approx([0.0, -1.0])
    assert master.solve(Fixings([0, -1]), SolveBudget()).bound == pytest.approx(4.0)
    assert master.view().usage_prices() == pytest.approx([np.inf, 2.0])
    assert master.view().fixing_prices() == pytest.approx([np.inf, 0.0])


def test_rows_that_no_column_can_meet_ask_for_columns(master):
    """Farkas prices of a row over quantities are prices of usage as well."""
    master.extend(Batch(rows=row(5, {2: 1.0}, lower=1.0)))
    assert master.solve(NONE(3), SolveBudget()).bound == -np.inf
    view = master.view()
    assert view.usage_prices()[2] < 0
    assert view.reduced_costs(column(30, 7.0, [2]))[0] > 0
    assert master.extend(Batch(column(30, 7.0, [2]))) == 1
    assert master.solve(NONE(3), SolveBudget()).bound == pytest.approx(3 * 4 + 7 * 9)


def test_mixed_rows_in_one_batch(master):
    rows = Rows(
        [5, 6],
        [-np.inf, -np.inf],
        [1.0, 1.5],
        Sparse.from_rows([[10], []]),
        Sparse.from_rows([[], [1]], [[], [1.0]]),
    )
    assert rows.over_quantities.tolist() == [False, True]
    assert master.extend(Batch(rows=rows)) == 2
    assert master.solve(NONE(3), SolveBudget()).bound == pytest.approx(3 * 1 + 2 * 0.5)


def test_an_entry_that_uses_state_already_is_refused(master):
    master.extend(Batch(rows=row(5, {0: 1.0}, upper=1.0)))
    twice = column(20, 1.0, [0], rows=[5])
    with pytest.raises(InvalidProblem, match="column 20 has an entry in row 5, which is over quantities"):
        master.extend(Batch(twice))
    master.solve(NONE(3), SolveBudget())
    with pytest.raises(InvalidProblem, match="remove it"):
        master.view().reduced_costs(twice)


def test_a_row_is_over_columns_or_over_quantities():
    with pytest.raises(InvalidProblem, match="row 8 has coefficients and uses"):
        Rows([7, 8], [0.0, 0.0], [1.0, 1.0], Sparse.from_rows([[], [1]]), Sparse.from_rows([[0], [1]]))
    with pytest.raises(InvalidProblem, match="uses has 2 rows for 1 keys"):
        Rows([7], [0.0], [1.0], uses=Sparse.empty(2))


@pytest.mark.parametrize("quantity", [-1, 3])
def test_a_quantity_that_does_not_exist_is_named(master, quantity):
    with pytest.raises(InvalidProblem, match=f"row 5 uses quantity {quantity}, but the decisions have only 3"):
        master.extend(Batch(rows=row(5, {quantity: 1.0}, upper=1.0)))


def test_an_entry_that_is_no_number_is_refused(master):
    with pytest.raises(InvalidProblem, match="not a finite number"):
        master.extend(Batch(rows=row(5, {0: np.inf}, upper=1.0)))


@given(rng=generators())
def test_the_same_program_as_with_entries_by_hand(rng, make, to_sparse):
    """Random rows over quantities, entered in random order between columns, against rows over columns."""
    n, quantities, count = int(rng.integers(1, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    uses = rng.integers(0, 3, (n, quantities)).astype(float)
    over = rng.integers(-2, 3, (count, quantities)).astype(float)
    objective = rng.integers(-3, 6, n).astype(float)
    lower, upper = np.full(count, -np.inf), rng.integers(0, 6, count).astype(float)
    decisions = Decisions(quantities)
    plain = make(objective, over @ uses.T, lower, upper, uses=uses, bounds=np.full(n, 4.0), decisions=decisions)
    grown = make([], [], [], [], uses=np.zeros((0, quantities)), decisions=decisions)
    for what in rng.permutation(n + count).tolist():
        if what < n:
            one = Columns([10 + what], objective[[what]], Sparse.empty(1), to_sparse(uses[[what]]), upper=[4.0])
            grown.extend(Batch(one))
        else:
            r = what - n
            grown.extend(Batch(rows=Rows([r], lower[[r]], upper[[r]], uses=to_sparse(over[[r]]))))
    for state in [np.full(quantities, -1), rng.integers(-1, 2, quantities), rng.integers(-1, 1, quantities)]:
        one, other = plain.solve(Fixings(state), SolveBudget()), grown.solve(Fixings(state), SolveBudget())
        assert other.bound == pytest.approx(one.bound)
        view = grown.view()
        known = Columns(10 + np.arange(n), objective, Sparse.empty(n), to_sparse(uses))
        if one.bound > -np.inf:
            free = ~np.isin(np.arange(n), np.flatnonzero(uses @ (state == 0)))
            at_upper = view.column_values[np.argsort(view.column_keys)] >= 4.0 - 1e-9
            assert np.all(view.reduced_costs(known)[free & ~at_upper] <= 1e-7), (
                "dual feasible, priced by uses alone"
            )
            values = view.column_values[np.argsort(view.column_keys)]
            assert np.all(over @ uses.T @ values <= upper + 1e-7)
