"""`BatchResult.from_rows`: what every method that solves many problems together says of them."""

import numpy as np
import pytest

from gapless import BatchResult, NoSolution, Result, SolveError, Status, Stop
from gapless.results.batch_result import interrupted, row_offsets
from gapless_chains import ChainProblem


def chains(count):
    return [ChainProblem(np.eye(2), np.zeros((2, 2))) for _ in range(count)]


def batch(values, bounds, **more):
    problems = chains(len(values))
    offsets = row_offsets(problem.positions for problem in problems)
    labels = np.tile([0, 1], len(problems))

    def make(problems, i):
        return Result.of(problems[i], [labels[offsets[i] : offsets[i + 1]]], bounds[i], Stop.PROVED)

    arrays = {"labels": labels, "offsets": offsets}
    return BatchResult.from_rows(problems, np.array(values), np.array(bounds), arrays, make, method="m", **more)


def test_statuses_follow_from_values_and_bounds():
    found = batch([2.0, 2.0, -np.inf, -np.inf, np.nan, 2.0], [2.0, 3.0, -np.inf, 1.0, np.nan, 2.0 + 1e-12])
    optimal, infeasible, feasible = Status.OPTIMAL, Status.INFEASIBLE, Status.FEASIBLE
    assert found.statuses == [optimal, feasible, infeasible, Status.NO_SOLUTION, None, optimal]
    assert np.isnan(found.values[[2, 3, 4]]).all()
    assert found.structure(1).tolist() == [0, 1]
    assert not found.is_complete


def test_a_search_that_was_stopped_proves_nothing_although_its_bound_meets_the_value():
    found = batch([2.0, -np.inf], [2.0, -np.inf], proved=np.array([False, False]))
    assert found.statuses == [Status.FEASIBLE, Status.NO_SOLUTION]


def test_failed_and_missing_problems_have_results_that_say_so():
    found = batch([np.nan, np.nan], [np.nan, np.nan], errors={0: SolveError("no memory")})
    assert found.statuses == [Status.NO_SOLUTION, None]
    assert (found[0].stop, found[1].stop) == (Stop.ERROR, Stop.INTERRUPTED)
    assert found[0].method == "m"
    for i in range(2):
        with pytest.raises(NoSolution):
            found.structure(i)


def test_structures_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        batch([2.0], [2.0]).structure(0)[0] = 1


def test_one_by_one_keeps_what_is_finished():
    problems = chains(4)

    def solve(problem):
        at = problems.index(problem)
        if at == 1:
            raise SolveError("no")
        if at == 3:
            raise KeyboardInterrupt
        return Result.of(problem, [np.array([0, 1])], 2.0, Stop.PROVED)

    found = BatchResult.one_by_one(problems, solve)
    assert found.statuses == [Status.OPTIMAL, None, Status.OPTIMAL, None]
    assert list(found.errors) == [1]
    stopped = Result.of(problems[0], [], np.inf, Stop.INTERRUPTED)
    assert interrupted(stopped)
    assert BatchResult.one_by_one(problems, lambda _: stopped).statuses == [Status.NO_SOLUTION, None, None, None]
