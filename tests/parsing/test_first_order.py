"""The method for sums over arcs: enumeration, k best, batches, its certificate, refusals."""

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given
from parsing_cases import best_score, trees_under

from gapless import InvalidProblem, Status, solve, solve_many
from gapless.roles import Fixings
from gapless.testing import check_method
from gapless_dependency import Grandchild, ParsingProblem, Sibling, first_order
from gapless_dependency.proofs.first_order import FirstOrderCertificate
from gapless_dependency.random_problems import random_problem

SHAPES = [(projective, single_root) for projective in (False, True) for single_root in (False, True)]


@pytest.mark.parametrize(("projective", "single_root"), SHAPES)
@pytest.mark.parametrize("ties", [False, True])
def test_the_kit(projective, single_root, ties):
    rng = np.random.default_rng(8)
    check_method(
        "first-order",
        [
            random_problem(rng, n, projective=projective, single_root=single_root, ties=ties, forbidden=share)
            for n, share in ((1, 0.0), (1, 1.0), (2, 0.3), (3, 0.0), (3, 0.5), (4, 0.2))
        ],
    )


@pytest.mark.parametrize(("projective", "single_root"), SHAPES)
@examples(4)
@given(rng=generators())
def test_many_against_enumeration(rng, projective, single_root):
    problems = [
        random_problem(
            rng,
            int(rng.integers(1, 6)),
            projective=projective,
            single_root=single_root,
            ties=bool(rng.integers(2)),
            forbidden=0.25 * int(rng.integers(3)),
        )
        for _ in range(rng.integers(1, 16))
    ]
    batch = solve_many(problems, "first-order")
    for number, problem in enumerate(problems):
        best = best_score(problem)
        here = slice(batch.arrays["offsets"][number], batch.arrays["offsets"][number + 1])
        if best == -np.inf:
            assert batch.statuses[number] is batch[number].status is Status.INFEASIBLE
            assert (batch.arrays["heads"][here] == -1).all()
        else:
            assert batch.values[number] == pytest.approx(best)
            assert problem.value(batch.structure(number)) == pytest.approx(best)
            assert (batch.arrays["heads"][here] == batch[number].best.heads).all()
            assert batch[number].verify(problem)


@pytest.mark.parametrize(("projective", "single_root"), SHAPES)
@examples(12)
@given(rng=generators())
def test_the_certificate_under_fixings(rng, projective, single_root):
    """It bounds what is left, tightly where trees are projective, and says nothing about problems with factors."""
    problem = random_problem(rng, 4, projective=projective, single_root=single_root, ties=True, forbidden=0.1)
    state = rng.choice([-1, -1, -1, 0, 1], problem.decisions.count)
    fixings = Fixings(state)
    left = trees_under(problem, fixings)[1]
    bound = FirstOrderCertificate().upper_bound(problem, fixings)
    best = left.max(initial=-np.inf)
    assert bound >= best - 1e-9
    if projective or left.size:
        assert bound == pytest.approx(best)


def test_factors_are_refused_by_name():
    problem = ParsingProblem(
        np.zeros((3, 3)), factors=[Grandchild(np.zeros((3, 3, 3))), Sibling(np.zeros((3, 3, 3)))]
    )
    words = r"has factors \(grandchild, sibling\): use method='split-bound'"
    with pytest.raises(InvalidProblem, match=words):
        solve(problem, "first-order")
    batch = solve_many([problem, ParsingProblem(np.zeros((3, 3)))], "first-order")
    assert batch.statuses == [Status.NO_SOLUTION, Status.OPTIMAL]
    assert "grandchild" in str(batch.errors[0])
    verdict = FirstOrderCertificate().verify(problem)
    assert not verdict
    assert "does not count factors" in verdict.reason


def test_ctrl_c_keeps_what_is_finished(monkeypatch):
    problems = [ParsingProblem(np.zeros((3, 3))) for _ in range(3)]
    best = first_order._best

    def interrupted(problem):
        if problem is problems[1]:
            raise KeyboardInterrupt
        return best(problem)

    monkeypatch.setattr(first_order, "_best", interrupted)
    batch = solve_many(problems, "first-order")
    assert batch.statuses == [Status.OPTIMAL, None, None]
    assert batch[2].status is Status.NO_SOLUTION
