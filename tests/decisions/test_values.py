"""Sparse rows, decisions, fixings, models, batches, limits, tolerances, chances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapless import InvalidProblem
from gapless.arrays.tolerance import meets, round_bound, score_tolerance
from gapless.decisions.decisions import ON
from gapless.roles import (
    Columns,
    Decisions,
    Fixings,
    LinearDualCertificate,
    LinearModel,
    ProbabilisticCertificate,
    Rows,
    Sparse,
)
from gapless.testing import feasible_structures, strategies
from gapless.testing.examples import ChargedCapacities, Selection, random_selection

matrices = st.integers(0, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(-3, 3), min_size=columns, max_size=columns), min_size=0, max_size=5
    ).map(lambda rows: np.array(rows, np.float64).reshape(len(rows), columns))
)


def sparse(dense):
    used = [np.flatnonzero(row) for row in dense]
    return Sparse.from_rows(used, [row[u] for row, u in zip(dense, used, strict=True)])


@given(matrices, st.data())
def test_sparse_agrees_with_dense(dense, data):
    matrix = sparse(dense)
    rows, columns = dense.shape
    x = np.array(data.draw(st.lists(st.integers(-4, 4), min_size=columns, max_size=columns)), np.float64)
    y = np.array(data.draw(st.lists(st.integers(-4, 4), min_size=rows, max_size=rows)), np.float64)
    assert len(matrix) == rows
    assert np.array_equal(matrix.dot(x), dense @ x)
    assert np.array_equal(matrix.transpose_dot(y, columns), dense.T @ y)
    chosen = np.array(data.draw(st.lists(st.integers(0, rows - 1), max_size=6)) if rows else [], np.int64)
    assert np.array_equal(matrix.take(chosen).dot(x), (dense @ x)[chosen])
    for r in range(rows):
        indices, values = matrix.row(r)
        assert np.array_equal(values, dense[r, indices])


def test_sparse_never_multiplies_zero_by_infinity():
    assert Sparse.from_rows([[0], []]).dot(np.array([1.0, np.inf])).tolist() == [1.0, 0.0]
    assert Sparse.empty(3).dot(np.zeros(0)).tolist() == [0.0, 0.0, 0.0]
    assert Sparse.from_rows([]).transpose_dot(np.zeros(0), 2).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("indptr", "indices", "values"),
    [([], [], []), ([1, 1], [], []), ([0, 2, 1], [0], [1.0]), ([0, 2], [0], [1.0]), ([0, 1], [0], [1.0, 2.0])],
)
def test_sparse_refuses_what_does_not_fit(indptr, indices, values):
    with pytest.raises(InvalidProblem, match="Sparse"):
        Sparse(indptr, indices, values)


def test_arrays_of_values_are_read_only():
    as_array = np.arange(3)
    matrix = Sparse([0, 3], as_array, np.ones(3))
    for array in (matrix.indices, matrix.values, Fixings.none(2).state, Columns.none().keys):
        assert not array.flags.writeable
    as_array[0] = 7


def test_decisions_refuse_nonsense():
    for bad, message in (
        ({"count": -1}, "cannot be negative"),
        ({"count": 2, "quantity": [0]}, "quantity has shape"),
        ({"count": 2, "threshold": [1, 1, 1]}, "threshold has shape"),
        ({"count": 1, "threshold": [0]}, "a threshold below 1"),
    ):
        with pytest.raises(InvalidProblem, match=message):
            Decisions(**bad)
    assert Decisions(0).quantities == 0
    assert Decisions(2).name(1) == "decision 1"


def test_thresholds_and_quantities():
    """Quantity 0 with "at least 1" and "at least 2", quantity 1 with "at least 1"."""
    decisions = Decisions(3, quantity=[0, 0, 1], threshold=[1, 2, 1])
    assert decisions.quantities == 2
    uses = Sparse.from_rows([[0], [1], [0, 1], []])
    none = Fixings.none(3)
    assert none.uses_banned(uses, decisions).tolist() == [False] * 4
    assert none.fix(off=[1]).uses_banned(uses, decisions).tolist() == [False] * 4
    assert none.fix(off=[0]).uses_banned(uses, decisions).tolist() == [True, False, True, False]
    assert none.fix(off=[0, 2]).banned(decisions).tolist() == [True, True]
    assert none.uses_banned(Sparse.empty(0), decisions).tolist() == []
    plain = Decisions(2)
    assert (plain.quantity_index().tolist(), plain.thresholds().tolist()) == ([0, 1], [1, 1])


def test_fixings_say_what_contradicts():
    none = Fixings.none(4)
    fixed = none.fix(on=[0], off=np.array([1, 2]))
    assert (fixed.on.tolist(), fixed.off.tolist(), fixed.free.tolist()) == ([0], [1, 2], [3])
    assert fixed.fix(on=[1]) is None
    assert fixed.fix(off=[0]) is None
    assert none.fix(on=[3], off=[3]) is None
    assert fixed.fix(on=[0], off=[2]) == fixed
    assert hash(fixed.fix()) == hash(fixed)
    assert fixed != none
    assert none.free.size == 4
    assert repr(fixed) == "Fixings(on=[0], off=[1, 2])"
    assert fixed.allows(np.array([0, 3]))
    assert not fixed.allows(np.array([0, 1]))
    assert not fixed.allows(np.array([], np.int64))


def test_fixings_imply_by_groups():
    decisions = Decisions(5, exactly_one=((0, 1, 2), (3, 4)))
    none = Fixings.none(5)
    assert none.fix(on=[1]).implied(decisions) == none.fix(on=[1], off=[0, 2])
    assert none.fix(off=[0, 1]).implied(decisions) == none.fix(on=[2], off=[0, 1])
    assert none.fix(off=[3, 4]).implied(decisions) is None
    assert none.fix(on=[0, 2]).implied(decisions) is None
    assert none.implied(decisions) == none


@given(st.data())
def test_implied_fixings_keep_every_structure(data):
    problem = random_selection(np.random.default_rng(data.draw(st.integers(0, 50))), 6, group_sizes=(2, 3))
    fixings = data.draw(strategies.fixings(problem))
    implied = fixings.implied(problem.decisions)
    for found in feasible_structures(problem):
        if fixings.allows(found.on_ids):
            assert implied is not None
            assert implied.allows(found.on_ids)


@given(st.data())
def test_fixings_of_a_structure_allow_it(data):
    whole = Fixings(np.array(data.draw(st.lists(st.integers(0, 1), min_size=5, max_size=5))))
    part = data.draw(strategies.fixings(Decisions(5), feasible=whole))
    assert part.allows(whole.on)


@given(strategies.scores((3, 4)))
def test_scores_are_never_nan_or_plus_infinity(values):
    assert values.shape == (3, 4)
    assert not np.isnan(values).any()
    assert values.max() < np.inf


@given(st.integers(0, 300), st.data())
def test_dual_bounds_hold_for_any_prices(seed, data):
    rng = np.random.default_rng(seed)
    problem = random_selection(rng, 6, capacities=2, group_sizes=(2,))
    model = problem.linear_model()
    prices = np.array(data.draw(st.lists(st.floats(-5, 5, width=16), min_size=3, max_size=3)))
    prices[:2] = np.abs(prices[:2])
    fixings = data.draw(strategies.fixings(problem))
    bound = LinearDualCertificate(prices).upper_bound(problem, fixings)
    assert len(model.rows) == 3
    for found in feasible_structures(problem, fixings):
        assert bound >= found.score - 1e-9


def model(**changes):
    fields = {
        "objective": [1.0, 2.0],
        "column_lower": [0.0, 0.0],
        "column_upper": [1.0, 1.0],
        "integer": [True, True],
        "rows": Sparse.from_rows([[0, 1]]),
        "row_lower": [-np.inf],
        "row_upper": [1.0],
        "decision_columns": [0, 1],
    }
    return LinearModel(**{**fields, **changes})


def test_dual_bound_by_hand():
    plain = model(constant=10.0)
    zero, one = np.zeros(2), np.ones(2)
    assert plain.dual_bound(np.array([0.0]), zero, one) == pytest.approx(13.0, abs=1e-13)
    assert plain.dual_bound(np.array([1.5]), zero, one) == pytest.approx(12.0, abs=1e-13)
    assert plain.dual_bound(np.array([2.0]), zero, one) == pytest.approx(12.0, abs=1e-13)
    assert plain.dual_bound(np.array([-1.0]), zero, one) == math.inf
    assert plain.dual_bound(np.array([2.0]), zero, np.array([1.0, 0.0])) == pytest.approx(12.0, abs=1e-13)
    assert plain.dual_bound(np.array([1.0]), zero, np.array([1.0, np.inf])) == math.inf
    assert plain.dual_bound(np.array([2.0]), zero, np.array([1.0, np.inf])) == pytest.approx(12.0, abs=1e-13)


def test_huge_prices_hide_no_score():
    """Beside 1e20 float64 loses the objective; the bound must not lose it."""
    problem = Selection([5.0, 1.0], np.zeros((0, 2)), [], ((0,), (1,)))
    both = Fixings([ON, ON])
    for price in (1e17, 1e20, 1e300):
        verdict = LinearDualCertificate([price, 0.0]).verify(problem, both)
        assert verdict.bound >= 6.0
    priced = Selection([5.0, 1.0], [[1.0, 1.0]], [2.0])
    assert ChargedCapacities([1e20]).verify(priced, both).bound == 6.0


def test_prices_that_overflow_prove_nothing():
    problem = Selection([5.0, 1.0], [[1e200, 1.0]], [2.0])
    with np.errstate(over="ignore"):
        assert LinearDualCertificate([1e200]).upper_bound(problem, Fixings.none(2)) == math.inf


def test_only_the_true_sign_of_a_gain_counts_where_nothing_limits_a_column():
    """The gain is 1; float64 adds up 1e20 - 1 - 1e20 to 0, which would bound what is unbounded."""
    lower, upper, sides = np.zeros(1), np.full(1, np.inf), np.zeros(3)
    unlimited = LinearModel(
        [0.0], lower, upper, [False], Sparse.from_rows([[0], [0], [0]]), sides, sides, decision_columns=[]
    )
    assert unlimited.dual_bound(np.array([1e20, -1.0, -1e20]), lower, upper) == math.inf
    assert unlimited.dual_bound(np.array([1e20, 1.0, -1e20]), lower, upper) == 0.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"column_lower": [0.0]}, "column_lower must have shape"),
        ({"row_upper": [1.0, 2.0]}, "row_upper must have shape"),
        ({"objective": [1.0, -np.inf]}, "forbid with a column upper bound of 0"),
        ({"objective": [1.0, np.nan]}, "infinite objective"),
        ({"rows": Sparse.from_rows([[0, 2]])}, "column that does not exist"),
        ({"row_upper": [np.nan]}, "row_upper contains NaN"),
        ({"column_upper": [np.nan, 1.0]}, "column_upper contains NaN"),
        ({"rows": Sparse([0, 1], [0], [np.nan])}, "must be finite"),
        ({"constant": np.inf}, "must be finite"),
        ({"decision_columns": [0, 2]}, "decision_columns"),
        ({"decision_columns": [-1, 0]}, "decision_columns"),
    ],
)
def test_models_refuse_nonsense(changes, message):
    with pytest.raises(InvalidProblem, match=message):
        model(**changes)


def test_linear_dual_certificates_refuse_what_does_not_fit():
    problem = Selection([1.0], [[1.0]], [1.0])
    for prices in ([], [1.0, 1.0], [math.nan], [math.inf]):
        verdict = LinearDualCertificate(prices).verify(problem)
        assert not verdict
        assert "finite numbers" in verdict.reason


def test_columns_and_rows_refuse_what_does_not_fit():
    one = Sparse.from_rows([[0]])
    with pytest.raises(InvalidProblem, match="objective must have shape"):
        Columns([1], [1.0, 2.0], one, one)
    with pytest.raises(InvalidProblem, match="uses has 0 rows for 1 columns"):
        Columns([1], [1.0], one, Sparse.empty(0))
    with pytest.raises(InvalidProblem, match="uses must be positive"):
        Columns([1], [1.0], one, Sparse([0, 1], [0], [-1.0]))
    with pytest.raises(InvalidProblem, match="upper must have shape"):
        Rows([1], [0.0], [])
    with pytest.raises(InvalidProblem, match="coefficients has 1 rows"):
        Rows([], [], [], one)
    both = Columns([5, 6], [1.0, 2.0], Sparse.from_rows([[0], [1]]), Sparse.from_rows([[0], []]))
    taken = both.take(np.array([1, 0, 1]))
    assert taken.keys.tolist() == [6, 5, 6]
    assert taken.upper.tolist() == [np.inf] * 3


@pytest.mark.parametrize(
    ("trials", "colours", "size", "failure"),
    [
        (1, 2, 2, 0.5),
        (10, 2, 2, 0.5**10),
        (1, 3, 3, 1 - 6 / 27),
        (7, 5, 2, 0.2**7),
        (3, 4, 1, 0.0),
        (0, 4, 1, 1.0),
        (0, 5, 1, 1.0),
        (0, 4, 2, 1.0),
        (5, 2, 3, 1.0),
        (5, 2, 0, 1.0),
        (-1, 2, 2, 1.0),
    ],
)
def test_chances_of_colour_coding(trials, colours, size, failure):
    certificate = ProbabilisticCertificate(trials, colours, size)
    assert certificate.failure_probability == pytest.approx(failure, abs=1e-15)
    problem = Selection([1.0], [[1.0]], [1.0])
    assert bool(certificate.verify(problem)) == (trials >= 1 and 0 < size <= colours)
    assert certificate.verify(problem).bound == math.inf


def test_chances_of_many_trials_do_not_underflow_to_nonsense():
    assert 0.0 <= ProbabilisticCertificate(10**6, 20, 20).failure_probability <= 1.0
    assert ProbabilisticCertificate(1, 400, 300).failure_probability == pytest.approx(1.0)


@given(st.floats(-1e9, 1e9), st.floats(0, 1e3))
def test_tolerances_are_symmetric_in_what_they_call_equal(value, step):
    assert meets(value, value)
    assert meets(value - step, value)
    assert meets(value + step, value) == (
        step <= score_tolerance(value) or value + step - value <= score_tolerance(value)
    )
    assert meets(math.inf, math.inf)
    assert not meets(math.inf, value)
    assert meets(-math.inf, value)
    assert not meets(value, -math.inf)


@given(st.integers(-(10**6), 10**6), st.sampled_from([1.0, 0.5, 3.0, 0.1]), st.floats(0, 0.99))
def test_rounding_a_bound_keeps_every_multiple_below_it(multiple, granularity, more):
    score = multiple * granularity
    rounded = round_bound(score + more * granularity, granularity)
    assert rounded >= score - 1e-9 * max(1.0, abs(score))
    assert rounded <= score + more * granularity + 1e-6 * max(1.0, abs(score))
    assert round_bound(math.inf, granularity) == math.inf
    assert round_bound(score, None) == score
