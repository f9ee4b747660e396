"""The restricted master as price-and-cut meets it."""

import subprocess
import sys

import numpy as np
import pytest

from gapless import InvalidProblem, Limits, SolveError
from gapless.roles import (
    Batch,
    Columns,
    Decisions,
    Fixings,
    GeneratorResult,
    LinearDualCertificate,
    NoCertificate,
    Rows,
    SolveBudget,
    Sparse,
)

NONE = Fixings.none


def column(key, objective=1.0, rows=(), values=None, uses=(), upper=np.inf):
    return Columns(
        [key],
        [objective],
        Sparse.from_rows([list(rows)], None if values is None else [list(values)]),
        Sparse.from_rows([list(uses)]),
        [upper],
    )


def test_keys_are_added_once(make):
    master = make([1.0, 2.0], [[1, 1]], [-np.inf], [1.0])
    assert master.extend(Batch(column(3, 5.0, rows=[0]), Rows([0], [5.0], [5.0]))) == 1
    assert master.extend(Batch(column(3, 5.0, rows=[0]))) == 0
    assert master.solve(NONE(2), SolveBudget()).bound == 5.0
    assert master.extend(Batch(Columns([7, 7], [9.0, 9.0], Sparse.from_rows([[0], [0]]), Sparse.empty(2)))) == 1
    assert master.solve(NONE(2), SolveBudget()).bound == 9.0


def test_a_key_of_another_column_is_refused(make):
    master = make([1.0, 2.0], [[1, 1]], [-np.inf], [1.0])
    master.extend(Batch(column(3, 5.0, rows=[0], uses=[0])))
    for other in (column(3, 4.0, rows=[0], uses=[0]), column(3, 5.0, rows=[0], uses=[1])):
        with pytest.raises(InvalidProblem, match=r"column 3 comes with .* a key names one column"):
            master.extend(Batch(other))
    with pytest.raises(InvalidProblem, match="column 7 comes with"):
        master.extend(Batch(Columns([7, 7], [3.0, 9.0], Sparse.from_rows([[0], [0]]), Sparse.empty(2))))


def test_rows_of_a_batch_come_before_its_columns(make):
    master = make([1.0], [[1]], [-np.inf], [4.0])
    batch = Batch(column(20, 5.0, rows=[3], uses=[0]), Rows([3], [-np.inf], [2.0], Sparse.from_rows([[10]])))
    assert master.extend(batch) == 2
    assert master.solve(NONE(1), SolveBudget()).bound == pytest.approx(10.0)
    assert master.view().prices(np.array([3, 0, 99])) == pytest.approx([5.0, 0.0, 0.0])


def test_repeated_entries_add_up(make):
    master = make([1.0], [[1]], [-np.inf], [4.0])
    master.extend(Batch(column(20, 3.0, rows=[0, 0], values=[1.0, 3.0])))
    assert master.solve(NONE(1), SolveBudget()).bound == pytest.approx(4.0)
    assert master.view().reduced_costs(column(21, 3.0, rows=[0, 0], values=[1.0, 3.0])) == pytest.approx([-1.0])


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        (Batch(column(20, rows=[5])), "column 20 has an entry in row 5"),
        (Batch(rows=Rows([7], [0.0], [1.0], Sparse.from_rows([[44]]))), "row 7 has an entry in column 44"),
        (Batch(column(20, uses=[9])), "column 20 uses quantity 9"),
        (Batch(column(20, uses=[-1])), "column 20 uses quantity -1"),
        (Batch(column(20, np.inf)), "column 20 has objective inf"),
        (Batch(column(20, upper=-1.0)), "upper bound -1"),
        (Batch(column(20, rows=[0], values=[np.inf])), "not a finite number"),
        (Batch(rows=Rows([7], [2.0], [1.0])), "row 7 has sides 2.0 and 1.0"),
        (Batch(rows=Rows([7], [np.nan], [1.0])), "row 7 has sides nan"),
    ],
)
def test_what_no_master_can_hold_is_named(make, batch, words):
    with pytest.raises(InvalidProblem, match=words.replace(".", r"\.")):
        make([1.0], [[1]], [-np.inf], [4.0]).extend(batch)


def test_bans_switch_columns_off_and_on_again(make):
    master = make([3.0, 2.0], [[1, 1]], [1.0], [1.0])
    for _ in range(2):
        assert master.solve(Fixings([0, -1]), SolveBudget()).bound == pytest.approx(2.0)
        assert master.view().usage_prices().tolist() == [np.inf, 0.0]
        assert master.view().allowances()[0] == np.inf
        assert master.solve(NONE(2), SolveBudget()).bound == pytest.approx(3.0)
        assert master.solve(Fixings([-1, 1]), SolveBudget()).bound == pytest.approx(2.0)
        assert master.view().usage_prices() == pytest.approx([0.0, -1.0])
        assert master.view().allowances() == pytest.approx([0.0, 0.0])
    assert master.solve(Fixings([0, 0]), SolveBudget()).bound == -np.inf


def test_a_column_that_comes_later_feels_old_fixings(make):
    master = make([3.0, 2.0], [[1, 1]], [1.0], [1.0])
    fixings = Fixings([1, -1])
    assert master.solve(fixings, SolveBudget()).bound == pytest.approx(3.0)
    master.extend(Batch(column(30, 9.0, rows=[0], uses=[1])))
    assert master.solve(fixings, SolveBudget()).bound == pytest.approx(3.0)
    assert master.view().reduced_costs(column(31, 9.0, rows=[0], uses=[1]))[0] <= 1e-9
    assert master.solve(Fixings([0, -1]), SolveBudget()).bound == pytest.approx(9.0)
    master.extend(Batch(column(32, 20.0, rows=[0], uses=[0, 1])))
    assert master.solve(fixings, SolveBudget()).bound == pytest.approx(20.0)


def test_thresholds_above_one_limit_the_use(make):
    decisions = Decisions(3, quantity=[0, 0, 0], threshold=[1, 2, 3])
    master = make([1.0, -1.0], [[1, 0]], [-np.inf], [5.0], uses=[[2], [1]], decisions=decisions)
    free = master.solve(NONE(3), SolveBudget())
    assert free.bound == pytest.approx(5.0)
    assert free.point.tolist() == [1.0, 1.0, 1.0]
    two = master.solve(Fixings([-1, -1, 0]), SolveBudget())
    assert two.bound == pytest.approx(1.0)
    assert two.point.tolist() == [1.0, 1.0, 0.0]
    assert master.view().usage_prices() == pytest.approx([0.5])
    one = master.solve(Fixings([-1, 0, -1]), SolveBudget())
    assert one.bound == pytest.approx(0.5)
    assert one.structure is None
    assert master.solve(Fixings([0, -1, -1]), SolveBudget()).bound == pytest.approx(0.0)
    assert master.solve(Fixings([-1, -1, 1]), SolveBudget()).bound == pytest.approx(5.0)
    assert master.solve(Fixings([0, -1, 1]), SolveBudget()).bound == -np.inf
    assert master.view().objective_weight == 0
    both = master.solve(Fixings([-1, 1, 0]), SolveBudget())
    assert both.bound == pytest.approx(1.0)
    assert both.structure == (0, 1)


def test_the_structure_is_read_from_integral_points_only(make):
    entries, sides = [[1, 1], [1, -1]], ([-np.inf, 0.0], [1.0, 0.0])
    assert make([1.0, 1.0], entries, *sides).solve(NONE(2), SolveBudget()).structure is None
    assert make([1.0, 0.5], [[1, 1]], [1.0], [1.0]).solve(NONE(2), SolveBudget()).structure == (0,)
    refusing = make([1.0, 0.5], [[1, 1]], [1.0], [1.0], refused=[(0,)])
    assert refusing.solve(NONE(2), SolveBudget()).structure is None


def test_the_constant_is_in_bound_and_attained(make):
    relaxed = make([1.0], [[1]], [-np.inf], [4.0], constant=100.0).solve(NONE(1), SolveBudget())
    assert relaxed.bound == pytest.approx(104.0)
    assert relaxed.primal_value == pytest.approx(104.0)


def test_a_view_is_a_snapshot(make):
    master = make([1.0], [[1]], [-np.inf], [4.0])
    master.solve(NONE(1), SolveBudget())
    view = master.view()
    master.extend(Batch(column(20, 5.0, rows=[3]), Rows([3], [-np.inf], [2.0])))
    assert view.prices(np.array([0, 3])).tolist() == [1.0, 0.0]
    master.solve(NONE(1), SolveBudget())
    assert view.prices(np.array([0, 3])).tolist() == [1.0, 0.0]


def test_allowances_come_from_the_own_column(make):
    master = make([1.0, 4.0], [[1, 1]], [-np.inf], [1.0], uses=[[1, 0, 0], [1, 1, 0]])
    master.solve(NONE(3), SolveBudget())
    assert master.view().allowances() == pytest.approx([3.0, 0.0, 0.0])


def test_degenerate_problems(make):
    empty = make([], [], [], [], uses=np.zeros((0, 0)))
    assert empty.solve(NONE(0), SolveBudget()).bound == 0.0
    assert empty.solve(NONE(0), SolveBudget()).structure == ()
    lost = make([], np.zeros((1, 0)), [1.0], [1.0], uses=np.zeros((0, 1)))
    assert lost.solve(NONE(1), SolveBudget()).bound == -np.inf
    assert lost.view().reduced_costs(column(1, rows=[0]))[0] > 0
    assert lost.extend(Batch(column(1, 2.0, rows=[0], uses=[0]))) == 1
    assert lost.solve(NONE(1), SolveBudget()).bound == pytest.approx(2.0)


def test_an_unbounded_master_says_what_to_do(make):
    with pytest.raises(InvalidProblem, match="unbounded; give every column"):
        make([1.0], [[-1]], [-np.inf], [4.0]).solve(NONE(1), SolveBudget())


def test_view_before_solve(make):
    with pytest.raises(SolveError, match="solve"):
        make([1.0], [[1]], [-np.inf], [4.0]).view()


class Stalled:
    """A linear program whose solver knows nothing."""

    def __init__(self, lp):
        self.lp = lp

    def __getattr__(self, name):
        return getattr(self.lp, name)

    def isOptimal(self):
        return False

    def getDualRay(self):
        return None

    def getPrimalRay(self):
        return None


def test_out_of_time_inside_the_solver_leaves_a_true_bound(make):
    master = make([1.0], [[1]], [-np.inf], [4.0])
    master._lp._lp = Stalled(master._lp._lp)
    relaxed = master.solve(Fixings([0]), SolveBudget(Limits(time=0)))
    assert relaxed.bound == np.inf
    assert master.view().usage_prices().tolist() == [np.inf]
    with pytest.raises(SolveError, match="neither an optimum nor a proof"):
        master.solve(NONE(1), SolveBudget())


class Failing(Stalled):
    def solve(self, dual=True):
        raise RuntimeError("SCIP: error in LP solver!")


def test_a_failing_solver_is_asked_twice_and_named(make):
    master = make([1.0], [[1]], [-np.inf], [4.0])
    master._lp._lp = Failing(master._lp._lp)
    with pytest.raises(SolveError, match="error in LP solver"):
        master.solve(NONE(1), SolveBudget())


def test_certificates_come_from_the_formulation(make):
    def certify(view, answers):
        assert answers == ["an answer"]
        return LinearDualCertificate(view.prices(np.array([0])))

    master = make([2.0], [[1]], [-np.inf], [4.0], certify=certify)
    master.solve(NONE(1), SolveBudget())
    assert master.certify(["an answer"]).row_prices.tolist() == [2.0]
    bare = make([2.0], [[1]], [-np.inf], [4.0])
    assert isinstance(bare.certify([GeneratorResult()]), NoCertificate)


def test_many_columns_are_priced_in_bulk(make):
    rng = np.random.default_rng(0)
    master = make([0.0], np.ones((40, 1)), np.full(40, -np.inf), np.ones(40), uses=np.zeros((1, 500)))
    count = 2000
    batch = Columns(
        100 + np.arange(count),
        rng.random(count),
        Sparse.from_rows([rng.choice(40, 5, replace=False) for _ in range(count)]),
        Sparse.from_rows([rng.choice(500, 3, replace=False) for _ in range(count)]),
    )
    assert master.extend(Batch(batch)) == count
    relaxed = master.solve(NONE(500), SolveBudget())
    assert master.view().reduced_costs(batch).max() <= 1e-8
    assert relaxed.bound == pytest.approx(relaxed.primal_value)


def test_gapless_is_imported_without_scip():
    code = "import sys, gapless.search, gapless.column_generation.master; sys.exit('pyscipopt' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
