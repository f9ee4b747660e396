"""The explicit model: written whole or not at all, read back by SCIP, and solved as a judge."""

import gzip
from pathlib import Path

import numpy as np
import pyscipopt
import pytest
import tiny
from drawn import examples, generators
from hypothesis import given

import gapless as gl
from gapless import InvalidProblem, Limits, Problem, Status, Stop
from gapless.roles import LinearModel, SolveBudget, Sparse
from gapless.scip import solve_monolithic, write_model


@pytest.mark.parametrize("suffix", [".cip", ".lp", ".mps"])
def test_what_is_written_says_the_same(tmp_path, suffix):
    for seed in range(12):
        problem = tiny.draw(seed)
        path = tmp_path / f"model{seed}{suffix}"
        write_model(problem, path)
        model = pyscipopt.Model()
        model.hideOutput()
        model.readProblem(str(path))
        model.setPresolve(pyscipopt.SCIP_PARAMSETTING.OFF)  # decision 059
        model.optimize()
        best = problem.best_score()
        if best == -np.inf:
            assert model.getStatus() == "infeasible"
        else:
            assert abs(model.getObjVal()) == pytest.approx(abs(best), abs=1e-6)
        model.freeProb()
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [suffix] * 12, "nothing half-written is left"


@pytest.mark.parametrize("name", ["model.txt", "model", "model.lp.gz"])
def test_another_suffix_is_an_error(tmp_path, name):
    with pytest.raises(InvalidProblem, match="suffix must be one of"):
        write_model(tiny.draw(5), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_limits_end_the_judge_honestly():
    problem = tiny.draw(5)
    stopped = solve_monolithic(problem, SolveBudget(Limits(time=0.0)))
    assert stopped.stop is Stop.TIME
    assert problem.sense.sign * stopped.bound >= problem.best_score()
    assert solve_monolithic(problem).method == "ilp"


class Wrong(Problem):
    """A problem whose linear model allows what it forbids."""

    def __init__(self, decisions):
        self._decisions = decisions

    @property
    def decisions(self):
        return self._decisions

    def value(self, structure):
        return 0.0

    def violations(self, structure):
        return ["never good enough"]

    def encode(self, structure):
        return structure

    def decode(self, on_ids):
        return on_ids


class Modelled(Wrong):
    def linear_model(self):
        return LinearModel([1.0], [0.0], [1.0], [True], Sparse.empty(), [], [], [0])


def test_a_model_that_allows_too_much_is_named():
    with pytest.raises(InvalidProblem, match="never good enough"):
        solve_monolithic(Modelled(tiny.draw(5).decisions))


def test_no_linear_model_is_named(tmp_path):
    problem = Wrong(tiny.draw(5).decisions)
    with pytest.raises(InvalidProblem, match="Wrong offers no linear model"):
        solve_monolithic(problem)
    with pytest.raises(InvalidProblem, match="Wrong offers no linear model"):
        write_model(problem, tmp_path / "model.lp")


def test_infeasible_is_infeasible():
    problem = next(p for p in map(tiny.draw, range(100)) if not p.known)
    assert solve_monolithic(problem).status is Status.INFEASIBLE


def test_a_start_is_the_least_that_comes_back():
    problem = next(p for p in map(tiny.draw, range(100)) if len(p.known) > 1)
    judged = solve_monolithic(problem)
    for structure in problem.known.values():
        found = solve_monolithic(problem, start=[structure])
        assert found.value == pytest.approx(judged.value)
        assert found.stats.warm_start_used
        assert len(found.solutions) == 1
        stopped = solve_monolithic(problem, SolveBudget(Limits(time=0.0)), start=[structure])
        sign = problem.sense.sign
        assert sign * stopped.value >= sign * problem.value(structure)
        assert sign * stopped.bound >= problem.best_score()


def test_a_tight_proof_is_found_in_silence(capfd):
    """SCIP tries to prove a node of this one infeasible with a thousandth of its tolerance of reduced costs."""
    stored = Path(__file__).with_name("parse-with-tight-proof.json.gz")
    problem = gl.loads(gzip.decompress(stored.read_bytes()).decode())
    result = gl.solve(problem, "ilp")
    assert result.status is Status.OPTIMAL
    assert result.value == gl.solve(problem).value == 7.0
    assert result.bound == 7.0
    assert tuple(capfd.readouterr()) == ("", "")


@examples(6)
@given(rng=generators())
def test_scores_of_every_size_come_back_as_they_were(rng):
    problem = tiny.draw(rng)
    best = problem.best_score()
    result = solve_monolithic(problem)
    if best == -np.inf:
        assert result.status is Status.INFEASIBLE
    else:
        assert problem.sense.sign * result.value == pytest.approx(best)
        assert result.bound == pytest.approx(result.value, abs=1e-9)
