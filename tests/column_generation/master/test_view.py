"""A view of a master: keys, values, uses, the objective; in every state that a master can be in."""

import numpy as np
import pytest

from gapless.roles import Batch, Columns, Decisions, Fixings, LinearView, Rows, SolveBudget, Sparse

NONE = Fixings.none


def test_a_view_says_what_the_master_holds_and_reaches(make):
    master = make([3.0, 2.0], [[1, 1], [1, -1]], [-np.inf, 0.0], [5.0, 0.0], keys=[44, 7], constant=100.0)
    relaxed = master.solve(NONE(2), SolveBudget())
    view = master.view()
    assert view.column_keys.tolist() == [44, 7], "in the order of their entry, not sorted"
    assert view.row_keys.tolist() == [0, 1]
    assert view.column_values.tolist() == pytest.approx([2.5, 2.5])
    assert view.usage.tolist() == pytest.approx([2.5, 2.5])
    assert view.point.tolist() == [1.0, 1.0], "which a point cuts off at 1"
    assert view.objective == pytest.approx(112.5) == relaxed.primal_value


def test_values_follow_keys_when_columns_come_later(make):
    master = make([3.0, 2.0], [[1, 1]], [-np.inf], [5.0], keys=[44, 7])
    master.solve(NONE(2), SolveBudget())
    before = master.view()
    new = Columns([9, 50], [4.0, 1.0], Sparse.from_rows([[0], []]), Sparse.from_rows([[1], []]), upper=[1.0, 2.0])
    master.extend(Batch(new, Rows([30], [-np.inf], [3.0], Sparse.from_rows([[7, 44]]))))
    assert before.column_keys.tolist() == [44, 7]
    assert before.column_values.tolist() == pytest.approx([5.0, 0.0])
    assert before.row_keys.tolist() == [0]
    master.solve(NONE(2), SolveBudget())
    view = master.view()
    assert dict(zip(view.column_keys.tolist(), view.column_values.tolist(), strict=True)) == pytest.approx(
        {44: 3.0, 7: 0.0, 9: 1.0, 50: 2.0}
    )
    assert view.row_keys.tolist() == [0, 30]
    assert view.objective == pytest.approx(15.0)


def test_usage_counts_multiplicities_and_a_point_its_thresholds(make):
    decisions = Decisions(3, quantity=[0, 0, 0], threshold=[1, 2, 3])
    master = make([1.0], [[1]], [-np.inf], [1.25], uses=[[2]], decisions=decisions)
    master.solve(NONE(3), SolveBudget())
    assert master.view().usage.tolist() == pytest.approx([2.5])
    assert master.view().point.tolist() == pytest.approx([1.0, 1.0, 0.5])


@pytest.mark.parametrize("fixings", [Fixings([0, 0]), Fixings([0, 1])])
def test_an_infeasible_master_has_keys_but_no_solution(make, fixings):
    """Farkas pricing, and fixings that leave nothing without any LP."""
    decisions = Decisions(2, quantity=[0, 0], threshold=[1, 2])
    master = make([3.0], [[1]], [1.0], [5.0], uses=[[1]], decisions=decisions, keys=[44])
    assert master.solve(fixings, SolveBudget()).bound == -np.inf
    view = master.view()
    assert view.objective_weight == 0
    assert (view.point, view.column_values, view.usage, view.objective) == (None, None, None, -np.inf)
    assert (view.column_keys.tolist(), view.row_keys.tolist()) == ([44], [0])


def test_a_view_is_nobodys_to_write_into(make):
    master = make([3.0], [[1]], [1.0], [5.0])
    master.solve(NONE(1), SolveBudget())
    view = master.view()
    for array in (view.column_keys, view.column_values, view.row_keys, view.usage, view.usage_prices()):
        array[...] = 77
    assert 77 not in (*view.column_keys, *view.column_values, *view.row_keys, *view.usage, *view.usage_prices())


def test_a_view_of_someone_elses_master_says_what_it_does_not_say():
    class Own(LinearView):
        def prices(self, row_keys):
            return np.zeros(len(row_keys))

        def usage_prices(self):
            return np.ones(3)

        def reduced_costs(self, columns):
            return columns.objective

        def allowances(self):
            return np.zeros(3)

    view = Own(NONE(3))
    assert view.fixing_prices().tolist() == [1.0, 1.0, 1.0]
    for name in ("column_keys", "column_values", "row_keys", "usage"):
        with pytest.raises(NotImplementedError, match="Own does not implement"):
            getattr(view, name)


def test_a_view_bounds_what_cancelling_scores_lose(make):
    """1e9 and -1e9 sum to 1, up to 1e-7: comparisons with claimed bounds must allow for that."""
    plain = make([1.0, 1.0], [[1, 0], [0, 1]], [1.0, 1.0], [1.0, 1.0])
    cancelling = make([1e9 + 1.0, -1e9], [[1, 0], [0, 1]], [1.0, 1.0], [1.0, 1.0])
    for master, least, most in ((plain, 0.0, 1e-14), (cancelling, 1e-7, 1e-5)):
        relaxed = master.solve(NONE(2), SolveBudget())
        assert least <= master.view().rounding <= most
        assert relaxed.rounding == master.view().rounding
