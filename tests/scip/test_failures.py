"""Errors inside SCIP's callbacks, Ctrl-C, bad input, and memory."""

import os
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import tiny
from pyscipopt import Model

from gapless import InvalidProblem, Limits, SolveError, Status, Stop, UnknownOption
from gapless.roles import Batch, Columns, Formulation, MostFractional, OracleError, Rows, SolveBudget, Sparse
from gapless.scip import branch_price_and_cut

SEEDS = (76, 2280, 14, 36)  # several nodes, Farkas pricing at the root and below


class Trouble(Exception):
    """Nobody else raises this."""


def failing_at(turn, error):
    class Fails(tiny.Complete):
        turns = 0

        def query(self, view, *, limit=None):
            self.turns += 1
            if self.turns == turn:
                raise error
            return super().query(view, limit=limit)

    return Fails


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("turn", range(1, 6))
def test_a_raising_generator_is_named_and_the_best_so_far_kept(capfd, seed, turn):
    problem = tiny.draw(seed)
    original = Trouble("out of paper")
    formulation = tiny.formulation(problem, failing_at(turn, original)(problem))
    if branch_price_and_cut(problem, tiny.formulation(problem)).stats.iterations < turn:
        pytest.skip("solved before that turn")
    with pytest.raises(OracleError, match=r"Fails\.query raised Trouble: out of paper") as caught:
        branch_price_and_cut(problem, formulation)
    assert caught.value.__cause__ is original
    result = caught.value.result
    assert result.stop is Stop.ERROR
    assert result.status in (Status.NO_SOLUTION, Status.FEASIBLE)
    assert problem.sense.sign * result.bound >= problem.best_score()
    assert capfd.readouterr() == ("", ""), "SCIP keeps quiet about it"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("turn", range(1, 8))
def test_ctrl_c_in_a_generator_returns_a_true_bound(capfd, seed, turn):
    problem = tiny.draw(seed)
    formulation = tiny.formulation(problem, failing_at(turn, KeyboardInterrupt())(problem))
    result = branch_price_and_cut(problem, formulation)
    assert result.stop is Stop.INTERRUPTED or (result.proved and turn > 2)
    assert problem.sense.sign * result.bound >= problem.best_score()
    assert capfd.readouterr() == ("", "")


def test_a_signal_ends_the_solve_and_the_handler_is_put_back():
    class Interrupts(tiny.Complete):
        def query(self, view, *, limit=None):
            os.kill(os.getpid(), signal.SIGINT)
            return super().query(view, limit=limit)

    before = signal.getsignal(signal.SIGINT)
    problem = tiny.draw(76)
    result = branch_price_and_cut(problem, tiny.formulation(problem, Interrupts(problem)))
    assert result.stop is Stop.INTERRUPTED
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_signal_breaks_off_the_generator():
    reached = []

    class Interrupts(tiny.Complete):
        def query(self, view, *, limit=None):
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("first")
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("second")
            return super().query(view, limit=limit)

    problem = tiny.draw(76)
    result = branch_price_and_cut(problem, tiny.formulation(problem, Interrupts(problem)))
    assert result.stop is Stop.INTERRUPTED
    assert reached == ["first"]


def test_other_threads_may_solve():
    problem, found = tiny.draw(76), []
    worker = threading.Thread(target=lambda: found.append(branch_price_and_cut(problem, tiny.formulation(problem))))
    worker.start()
    worker.join()
    assert found[0].proved


def test_an_exit_is_an_exit():
    problem = tiny.draw(76)
    with pytest.raises(SystemExit):
        branch_price_and_cut(problem, tiny.formulation(problem, failing_at(2, SystemExit(3))(problem)))


def raise_trouble(*args):
    raise Trouble("in a role")


@pytest.mark.parametrize("role", ["violations", "value", "observer", "rounding", "brancher"])
def test_every_other_role_may_fail_too(role):
    problem = tiny.draw(76 if role in ("rounding", "brancher", "observer") else 5)
    more, budget = {}, SolveBudget()
    if role == "observer":
        budget = SolveBudget(observers=[raise_trouble])
    elif role == "rounding":
        more["rounding"] = raise_trouble
    elif role == "brancher":
        more["brancher"] = MostFractional()
        more["brancher"].split = raise_trouble
    else:
        setattr(problem, role, raise_trouble)
    with pytest.raises(OracleError, match="Trouble") as caught:
        branch_price_and_cut(problem, tiny.formulation(problem, **more), budget)
    assert isinstance(caught.value.__cause__, Trouble)


def test_a_value_that_is_nan_is_refused():
    problem = tiny.draw(5)
    problem.value = lambda structure: float("nan")
    with pytest.raises(SolveError, match="NaN"):
        branch_price_and_cut(problem, tiny.formulation(problem))


def test_a_batch_that_does_not_fit_is_named():
    class Confused(tiny.Complete):
        def columns(self, chosen):
            columns = super().columns(chosen)
            entries = Sparse.from_rows([[777]] * len(columns))
            return Columns(columns.keys, columns.objective, entries, columns.uses)

    problem = tiny.draw(5)
    with pytest.raises(OracleError, match="row 777") as caught:
        branch_price_and_cut(problem, tiny.formulation(problem, Confused(problem)))
    assert isinstance(caught.value.__cause__, InvalidProblem)


def test_bad_arguments():
    problem = tiny.draw(5)
    with pytest.raises(UnknownOption, match="expected one of best-first"):
        branch_price_and_cut(problem, tiny.formulation(problem), order="worst-first")
    with pytest.raises(InvalidProblem, match="start: the structure is infeasible"):
        branch_price_and_cut(problem, tiny.formulation(problem), start=[None])


def test_an_unbounded_master_says_what_to_do():
    problem = tiny.draw(5)
    loose = Columns([1], [1.0], Sparse.empty(1), Sparse.empty(1))
    with pytest.raises(OracleError, match="unbounded; give every column") as caught:
        branch_price_and_cut(problem, Formulation(Batch(loose)))
    assert caught.value.result.bound * problem.sense.sign == np.inf


def test_a_problem_without_columns():
    problem = tiny.draw(5)
    nothing = Formulation(Batch(rows=Rows([0], [1.0], [1.0])))
    assert branch_price_and_cut(problem, nothing).status is Status.INFEASIBLE


def resident():
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
@pytest.mark.parametrize("ends", ["proved", "raising"])
def test_three_hundred_solves_leave_nothing_behind(ends):
    """A model that is kept costs about a megabyte; 300 would cost 300."""
    problem = tiny.draw(76)

    def solve():
        if ends == "proved":
            assert branch_price_and_cut(problem, tiny.formulation(problem), SolveBudget(Limits(nodes=3)))
            return
        with pytest.raises(OracleError):
            branch_price_and_cut(problem, tiny.formulation(problem, failing_at(2, Trouble())(problem)))

    for _ in range(50):
        solve()
    sizes = []
    for _ in range(6):
        for _ in range(50):
            solve()
        sizes.append(resident())
    slope = np.polyfit(np.arange(6) * 50, sizes, 1)[0]
    assert slope < 20_000, f"{slope:.0f} bytes for each solve"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("nodes", range(4))
def test_scip_stumbling_over_a_spent_limit_is_that_limit(monkeypatch, seed, nodes):
    """SCIP's clock breaks off pricing, and where nothing is left to branch on SCIP calls that an LP failure."""
    problem, budget = tiny.draw(seed), SolveBudget(Limits(nodes=nodes))

    class Stumbles(Model):
        late = False

        def optimize(self):
            super().optimize()
            if self.late:
                monkeypatch.setattr(budget, "stop_reason", lambda: Stop.TIME)
            raise Trouble("SCIP: error in LP solver!")

    monkeypatch.setattr(sys.modules[branch_price_and_cut.__module__], "Model", Stumbles)
    with pytest.raises(SolveError, match="error in LP solver"):
        branch_price_and_cut(problem, tiny.formulation(problem))
    Stumbles.late = True
    result = branch_price_and_cut(problem, tiny.formulation(problem), budget)
    assert result.stop is Stop.TIME
    assert problem.sense.sign * result.bound >= problem.best_score()
