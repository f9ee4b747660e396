"""`gapless.solve` and `gapless.solve_many`."""

import importlib
import importlib.util
import math
import os
import sys
import textwrap
from pathlib import Path

import attrs
import numpy as np
import patience
import pytest

import gapless
from gapless import (
    BatchResult,
    InvalidProblem,
    Limits,
    NoSolution,
    SolveError,
    Status,
    Stop,
    UnknownName,
    UnknownOption,
    solve,
    solve_many,
)
from gapless.roles import Method, OracleError
from gapless.testing.examples import Expenses, Selection

HAS_JOBLIB = importlib.util.find_spec("joblib") is not None
needs_joblib = pytest.mark.skipif(not HAS_JOBLIB, reason="joblib is not installed")


def boom(event):
    raise LookupError(f"boom at {event.kind}")


@pytest.mark.usefixtures("searching")
class TestSolve:
    def test_the_default_method(self, knapsack):
        result = solve(knapsack)
        assert (result.method, result.status, result.value) == ("search", Status.OPTIMAL, 10.0)
        assert result.verify(knapsack)

    def test_everything_reaches_the_method(self, knapsack):
        seen = []
        result = solve(
            knapsack,
            "search",
            limits=Limits(nodes=3),
            k=2,
            start=(0, 2),
            observers=[seen.append],
            trace=True,
            order="depth-first",
        )
        assert result.stop is Stop.NODES
        assert result.stats.warm_start_used
        assert list(result.trace) == seen

    @pytest.mark.parametrize("what", [None, 3, "x", Selection, [1]])
    def test_what_is_no_problem(self, what):
        with pytest.raises(InvalidProblem, match=r"takes an instance of gapless.Problem, got"):
            solve(what)

    def test_typos_are_answered(self, knapsack):
        with pytest.raises(UnknownName, match="did you mean 'search'"):
            solve(knapsack, "serch")
        with pytest.raises(UnknownOption, match="did you mean 'order'"):
            solve(knapsack, odrer="depth-first")
        with pytest.raises(UnknownOption, match="k is 0"):
            solve(knapsack, k=0)
        with pytest.raises(TypeError):
            solve(knapsack, nothing_like_it=1)

    def test_a_start_that_is_infeasible(self, knapsack):
        with pytest.raises(InvalidProblem, match="start: the structure is infeasible"):
            solve(knapsack, start=(0, 1, 2, 3))

    def test_errors_carry_the_best_so_far(self, knapsack):
        with pytest.raises(OracleError, match="boom at start") as caught:
            solve(knapsack, start=(0, 2), observers=[lambda e: boom(e) if e.kind == "start" else None])
        result = caught.value.result
        assert (result.stop, result.status, result.value) == (Stop.ERROR, Status.FEASIBLE, 8.0)


def test_no_plugin_at_all(install, knapsack):
    install()
    with pytest.raises(UnknownName, match="no plug-in registered a method for Selection"):
        solve(knapsack)


def test_a_seed_reaches_the_method(install, make, knapsack):
    seeds = []

    def seeded(problem, how):
        seeds.append(how.seed)
        return make.search(problem, how)

    install(
        make.Entry(
            "demo", make.plugin(lambda registry: registry.method(Method("m", Selection, seeded, default=True)))
        )
    )
    solve(knapsack, seed=11)
    solve_many([knapsack], seed=12)
    assert seeds == [11, 12]


class Bomb(Selection):
    """Raises when its value is asked."""

    def value(self, structure):
        raise OSError("scores are gone")


@pytest.fixture
def mixed(knapsack):
    """Optimal, infeasible, minimising."""
    empty = Selection([1.0, 1.0], [[3.0, 3.0]], [2.0], ((0, 1),))
    return [knapsack, empty, Expenses(-knapsack.worth, knapsack.weights, knapsack.capacities)]


@pytest.mark.usefixtures("searching")
class TestSolveMany:
    def test_answers_in_order(self, mixed):
        batch = solve_many(mixed)
        assert len(batch) == 3
        assert batch.statuses == [Status.OPTIMAL, Status.INFEASIBLE, Status.OPTIMAL]
        assert np.array_equal(batch.values, [10.0, math.nan, -10.0], equal_nan=True)
        assert np.array_equal(batch.bounds, [10.0, -math.inf, -10.0])
        assert batch.structure(0) == (1, 2, 3)
        assert [r.status for r in batch] == batch.statuses
        assert batch[-1].value == -10.0
        assert batch.proved_share == 1.0
        assert repr(batch) == "<BatchResult of 3: 100.0% proved>"
        assert not batch.errors
        for wrong in (3, -4):
            with pytest.raises(IndexError, match=f"no problem {wrong}"):
                _ = batch[wrong]

    def test_of_nothing(self):
        batch = solve_many([])
        assert (len(batch), list(batch), batch.proved_share) == (0, [], 1.0)

    def test_takes_any_iterable(self, knapsack):
        assert len(solve_many(p for p in [knapsack, knapsack])) == 2

    def test_a_failure_leaves_the_others_alone(self, mixed, knapsack):
        bomb = Bomb(knapsack.worth, knapsack.weights, [0.0])
        batch = solve_many([mixed[0], bomb, mixed[2]])
        assert list(batch.errors) == [1]
        assert "scores are gone" in str(batch.errors[1])
        assert batch.statuses == [Status.OPTIMAL, Status.NO_SOLUTION, Status.OPTIMAL]
        assert batch[1].stop is Stop.ERROR
        assert math.isnan(batch.values[1])
        assert batch.proved_share == pytest.approx(2 / 3)

    def test_limits_hold_for_each(self, mixed):
        assert [r.stop for r in solve_many(mixed, limits=Limits(nodes=1))] == [Stop.NODES, Stop.NODES, Stop.NODES]

    def test_wrong_input_is_an_error(self, knapsack):
        with pytest.raises(UnknownOption, match="did you mean 'order'"):
            solve_many([knapsack], odrer=1)
        with pytest.raises(UnknownName, match="did you mean 'search'"):
            solve_many([knapsack], "seach")
        with pytest.raises(InvalidProblem, match="got int"):
            solve_many([knapsack, 3])

    def test_control_c_keeps_what_is_finished(self, monkeypatch, mixed):
        calls = []

        def interrupted(problem, *args, **kwargs):
            calls.append(problem)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return solve(problem, *args, **kwargs)

        monkeypatch.setattr(gapless.solving, "solve", interrupted)
        batch = solve_many(mixed)
        assert batch.statuses == [Status.OPTIMAL, None, None]
        assert batch[0].value == 10.0
        assert np.isnan(batch.bounds[1:]).all()
        for ask in (lambda: batch[1], lambda: batch.structure(2)):
            with pytest.raises(NoSolution, match="failed or was not reached"):
                ask()

    @needs_joblib
    def test_jobs_in_threads_answer_alike(self, mixed, knapsack):
        joblib = importlib.import_module("joblib")

        todo = [*mixed, Bomb(knapsack.worth, knapsack.weights, [0.0])]
        alone = solve_many(todo)
        with joblib.parallel_config(backend="threading"):
            batch = solve_many(todo, jobs=2)
        assert batch.statuses == alone.statuses
        assert np.array_equal(batch.values, alone.values, equal_nan=True)
        assert np.array_equal(batch.bounds, alone.bounds)
        assert list(batch.errors) == [3]

    def test_jobs_without_joblib_say_what_to_install(self, monkeypatch, knapsack):
        monkeypatch.setitem(sys.modules, "joblib", None)
        with pytest.raises(gapless.MissingDependency, match=r"pip install 'gapless\[distributed\]'"):
            solve_many([knapsack], jobs=2)


def test_a_batch_method_is_used_when_it_can_be(install, make, knapsack):
    calls = []

    def many(problems, how, *, order="best-first"):
        calls.append((len(problems), how.method, how.seed, order))
        return BatchResult.from_results([make.search(p, how, order=order) for p in problems], len(problems))

    method = attrs.evolve(make.SEARCH, run_many=many)
    install(make.Entry("demo", make.plugin(lambda registry: registry.method(method))))
    assert solve_many([knapsack] * 3, seed=4, order="depth-first").values.tolist() == [10.0] * 3
    assert calls == [(3, "search", 4, "depth-first")]
    with pytest.raises(UnknownOption, match="did you mean 'order'"):
        solve_many([knapsack], odrer=1)
    minimising = Expenses(-knapsack.worth, knapsack.weights, knapsack.capacities)
    assert solve_many([knapsack, minimising]).values.tolist() == [10.0, -10.0]
    assert len(calls) == 1


def test_errors_in_a_batch_are_kept_by_number():
    error = SolveError("no")
    batch = BatchResult.from_results([error], 2)
    assert batch.errors == {0: error}
    assert batch.statuses == [None, None]


@needs_joblib
def test_jobs_in_processes(tmp_path):
    """An installed plug-in, two worker processes, an error that crosses the boundary with its result."""
    (tmp_path / "demo_selection.py").write_text(
        textwrap.dedent(
            """
            import gapless.roles
            from gapless.tree_search import tree_search
            from gapless.testing.examples import OptimisticBound, Selection


            def run(problem, solve):
                def refuse(event):
                    if problem.worth.size == 1 and event.kind == "node":
                        raise OSError("crossed")

                budget = gapless.roles.SolveBudget(solve.budget.limits, observers=[refuse])
                relaxation = OptimisticBound(problem)
                return tree_search(problem, relaxation, gapless.roles.MostFractional(), budget, method="demo")


            @gapless.roles.hookimpl
            def gapless_register(registry):
                registry.method(gapless.roles.Method("demo", Selection, run, default=True))
            """
        )
    )
    info = tmp_path / "demo_selection-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo-selection\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gapless]\ndemo = demo_selection\n")
    script = textwrap.dedent(
        """
        import gapless
        from gapless.testing.examples import Selection

        problems = [Selection([5.0, 4.0, 3.0], [[4.0, 3.0, 2.0]], [5.0]), Selection([1.0], [[1.0]], [1.0])]
        batch = gapless.solve_many(problems * 2, jobs=2)
        assert [str(s) for s in batch.statuses] == ["Status.OPTIMAL", "Status.FEASIBLE"] * 2, batch.statuses
        assert batch.values.tolist() == [7.0, 1.0] * 2, batch.values
        assert sorted(batch.errors) == [1, 3], batch.errors
        assert "crossed" in str(batch.errors[1]), batch.errors
        assert batch.errors[1].result.stop is gapless.Stop.ERROR
        assert batch[0].verify(problems[0])
        """
    )
    framework = Path(gapless.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{framework}", "GAPLESS_DISABLE_PLUGINS": ""}
    command = [sys.executable, "-c", script]
    done = patience.run(command, env=env)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("limits", [5, {"time": 1}, None])
def test_limits_of_another_type_are_refused(limits):
    with pytest.raises(UnknownOption, match=r"expected gapless\.Limits"):
        solve(Selection([1.0], [[1.0]], [1.0]), limits=limits)
