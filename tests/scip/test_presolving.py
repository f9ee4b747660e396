"""SCIP as a judge: without presolving, compared with the problem's own values, and named as the one who proves."""

import re
from pathlib import Path

import numpy as np
import pytest

import gapless as gl
from gapless import Problem, Status, Stop
from gapless.roles import Decisions, InconsistentBound, LinearModel, Sparse
from gapless.scip import solve_monolithic

UPSTREAM = Path(__file__).parents[2] / "docs" / "upstream"
ROWS = [[0, 3], [4, 5, 1], [6, 7, 2], [4, 6, 0], [5, 7, 3], [8, 9, 10], [9, 10, 1], [8, 10, 3]]
SIGNS = [[1, 1], *[[1, 1, -1]] * 4, [1, 1, 1], *[[1, 1, -1]] * 2]
SIDES = [1, 0, 0, 0, 0, 1, 0, 0]


class Cured(Problem):
    """The whole of the model reported to SCIP: its presolving loses the optimum, 0, and proves -1."""

    decisions = Decisions(4)

    def value(self, structure):
        on = set(structure)
        return -1.0 if {1, 3} <= on and 2 not in on else 0.0

    def violations(self, structure):
        return [] if (0 in structure) != (3 in structure) else ["neither or both of 0 and 3"]

    def encode(self, structure):
        return np.array(structure)

    def decode(self, on_ids):
        return tuple(on_ids.tolist())

    def linear_model(self):
        objective = np.zeros(11)
        objective[5] = -1.0
        rows = Sparse.from_rows(ROWS, SIGNS)
        return LinearModel(
            objective, np.zeros(11), np.ones(11), np.arange(11) < 4, rows, SIDES, SIDES, np.arange(4)
        )


def test_the_judge_finds_the_optimum_that_presolving_loses():
    problem = Cured()
    result = solve_monolithic(problem)
    assert (result.status, result.value, result.bound) == (Status.OPTIMAL, 0.0, 0.0)
    assert not problem.violations(result.best)


def test_the_report_to_scip_is_about_that_model():
    """The file that a person sends says the same as the test."""
    text = (UPSTREAM / "scip_presolving.lp").read_text("utf-8")
    found = re.findall(r"^ c\d: (.*) = (\d)$", text, re.MULTILINE)
    assert [int(side) for _, side in found] == SIDES
    terms = [re.findall(r"([-+]?) ?x(\d+)", row) for row, _ in found]
    assert [[int(column) for _, column in row] for row in terms] == ROWS
    assert [[-1 if sign == "-" else 1 for sign, _ in row] for row in terms] == SIGNS
    assert " obj: - x5\n" in text
    assert " x0 x1 x2 x3\nEnd" in text


class Choice(Problem):
    """One of two decisions, of score 1 and 2; `scores` and `rows` are those of the linear model."""

    decisions = Decisions(2, exactly_one=[[0, 1]])

    def __init__(self, scores=(1.0, 2.0), rows=((0, 1),)):
        self.scores, self.rows = scores, rows

    def value(self, structure):
        return (1.0, 2.0)[structure]

    def violations(self, structure):
        return []

    def encode(self, structure):
        return np.array([structure])

    def decode(self, on_ids):
        return int(on_ids[0])

    def linear_model(self):
        sides = [1.0, *[0.0] * (len(self.rows) - 1)]
        rows = Sparse.from_rows(self.rows)
        return LinearModel(self.scores, np.zeros(2), np.ones(2), [True, True], rows, sides, sides, [0, 1])


@pytest.mark.parametrize("presolve", [False, True])
@pytest.mark.parametrize("scores", [(1.0, 2.5), (1.0, 1.5), (2.0, 1.0)])
def test_values_of_scip_that_the_problem_does_not_know_are_refused(scores, presolve):
    with pytest.raises(InconsistentBound, match=r"SCIP values its structure at .*, Choice\.value at") as refused:
        solve_monolithic(Choice(scores), presolve=presolve)
    held = refused.value.result
    assert (held.stop, held.bound) == (Stop.ERROR, np.inf)
    assert held.value == Choice().value(held.best)


def test_a_start_better_than_what_scip_proves_is_a_contradiction():
    """The linear model forbids the better choice, as presolving would that cuts it off."""
    forbidding = Choice(rows=((0, 1), (1,)))
    assert solve_monolithic(forbidding).value == 1.0
    with pytest.raises(InconsistentBound, match=r"nothing scores more than 1, but .* `start` has the value 2\.0"):
        solve_monolithic(forbidding, start=[1])
    nothing = Choice(rows=((0, 1), (0,), (1,)))
    assert solve_monolithic(nothing).status is Status.INFEASIBLE
    with pytest.raises(InconsistentBound, match="nothing is feasible, but a structure of `start`"):
        solve_monolithic(nothing, start=[1])


def test_proofs_of_scip_are_said_to_be_its_own():
    problem = Choice()
    result = solve_monolithic(problem)
    assert result.proof == "proved by SCIP, no certificate: SCIP's tree is not recorded"
    assert "proved by SCIP" in repr(result)
    assert gl.Result.from_json(result.to_json()).proof == result.proof


def test_methods_on_scip_take_the_option_and_say_who_proves():
    from gapless_ordering import OrderingProblem  # noqa: PLC0415

    rng = np.random.default_rng(5)
    problem = OrderingProblem(rng.integers(-2, 3, 4), rng.integers(-2, 3, (4, 4)), rng.integers(-2, 3, 4), 3)
    exact = gl.solve(problem)
    assert exact.proof == "proved, with certificate"
    for options in ({}, {"presolve": True}):
        found = gl.solve(problem, "ilp", **options)
        assert found.value == exact.value
        assert found.proof.startswith("proved by SCIP, no certificate")
    assert gl.solve(problem, "ilp-cuts").proof.startswith("proved by SCIP, no certificate")
