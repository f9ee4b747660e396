"""Choice groups as rows of one array, and answers whose value is known."""

import itertools

import numpy as np

import gapless as gl
from gapless.results.result import Result, Solution
from gapless.roles import Decisions
from gapless_dependency import ParsingProblem
from gapless_ordering import OrderingProblem


def test_rows_of_a_parse_are_the_groups_of_its_words():
    scores = np.random.default_rng(0).normal(size=(6, 6))
    scores[2, 4] = scores[0, 1] = -np.inf
    decisions = ParsingProblem(scores).decisions
    first, members = decisions.choice_groups_csr()
    rows = [members[a:b].tolist() for a, b in itertools.pairwise(first)]
    assert rows == [list(group) for group in decisions.exactly_one]
    assert members.dtype == first.dtype == np.int64


def test_rows_of_scattered_groups_leave_out_those_that_share_a_decision():
    decisions = Decisions(6, exactly_one=[(4, 0), (1, 3), (3, 5)])
    first, members = decisions.choice_groups_csr()
    assert (first.tolist(), members.tolist()) == ([0, 2, 4], [4, 0, 1, 3])


def test_a_solve_computes_the_value_of_its_answer_once():
    class Counting(ParsingProblem):
        calls = 0

        def value(self, structure):
            Counting.calls += 1
            return super().value(structure)

    problem = Counting(np.random.default_rng(1).normal(size=(5, 5)))
    result = gl.solve(problem, "split-bound")
    assert Counting.calls == 1
    assert result.value == problem.value(result.best)


def test_a_solution_keeps_its_value():
    problem = ParsingProblem(np.random.default_rng(2).normal(size=(4, 4)))
    known = gl.solve(problem).best
    held = Solution(known, problem.value(known))
    found = Result.of(problem, [held], held.value, gl.Stop.PROVED)
    assert found.status is gl.Status.OPTIMAL
    assert found.solutions == (held,)


def test_classes_are_numbered_as_they_first_appear_however_they_are_given():
    scores = np.zeros(5), np.zeros((5, 5)), np.zeros(5)
    given = (
        ["b", "a", "b", "c", "a"],
        np.array([7, 3, 7, 9, 3]),
        np.array([0, 1, 0, 2, 1], np.int8),
        (0, 1, 0, 2, 1),
    )
    for classes in given:
        problem = OrderingProblem(*scores, 2, classes=classes)
        assert problem.classes.tolist() == [0, 1, 0, 2, 1]
        same = problem.classes[:, None] == problem.classes
        assert np.array_equal(problem.ordering == -np.inf, same)
    for classes in ([1, 0, 0, 2, 1], [0, 2, 1, 0, 0], [0, -1, 0, 1, 2]):
        problem = OrderingProblem(*scores, 2, classes=np.array(classes))
        assert problem.classes.tolist() == OrderingProblem(*scores, 2, classes=classes).classes.tolist()
        assert problem.classes[0] == 0
