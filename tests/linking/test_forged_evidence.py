"""Evidence of `exact` that nobody's search wrote down proves nothing that is false."""

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

from gapless_linking.certificate import SearchCertificate
from gapless_linking.enumeration import all_structures
from gapless_linking.problem import LinkingProblem
from gapless_linking.random_problems import random_problem

STAGE = [1, 3, 9, 0, 1, 2, *range(9)]
RUSSIAN_DOLL = [2, 3, 0, 1, 2]


def forged(script, moved=(), floors=(), *, level=np.inf, unit=1.0):
    return SearchCertificate(level, unit, np.array(script, np.int64), np.ravel(moved), np.array(floors, np.float64))


@pytest.fixture(scope="module")
def problem():
    distances = np.triu(np.random.default_rng(0).integers(1, 9, (9, 9)), 1)
    return LinkingProblem.from_distances(distances + distances.T, [[0, 1, 2], [3, 4, 5], [6, 7, 8]])


@pytest.mark.parametrize(
    ("floors", "unit"), [([1e5, 1e4, np.inf, 0], 1.0), ([1e5, 1e4, 1e308, 0], 1e10), ([np.nan] * 4, 1.0)]
)
def test_floors_that_are_no_numbers_prove_nothing(problem, floors, unit):
    verdict = forged(STAGE + RUSSIAN_DOLL, np.zeros((9, 3)), floors, unit=unit).verify(problem)
    assert -verdict.bound <= all_structures(problem)[1].min()


def test_moved_costs_that_overflow_prove_nothing(problem):
    moved = np.zeros((9, 3))
    moved[:3, 1], moved[3:6, 0] = 1e300, -1e300
    verdict = forged(STAGE + RUSSIAN_DOLL, moved, [1e5, 1e4, 1e3, 0], unit=1e300).verify(problem)
    assert -verdict.bound <= all_structures(problem)[1].min()


@pytest.mark.parametrize("power", [13, 15, 16, 17, 18, 19])
@given(rng=generators())
def test_large_costs_moved_there_and_back_prove_nothing_by_their_rounding(rng, problem, power):
    least = all_structures(problem)[1].min()
    x, y, z = rng.normal(size=3) * 10.0**power
    moved = np.zeros((9, 3))
    moved[:3, 1], moved[:3, 2], moved[3:6, 2] = x, y, z
    moved[3:6, 0], moved[6:, 0], moved[6:, 1] = -x, -y, -z
    verdict = forged(STAGE, moved, level=1e6).verify(problem)
    assert verdict
    assert -verdict.bound <= least


def test_an_unreachable_vertex_does_not_let_any_member_dominate():
    distances = np.array([[0, 9, 9, np.inf], [9, 0, 1, 1], [9, 1, 0, 1], [np.inf, 1, 1, 0]])
    problem = LinkingProblem.from_distances(distances, [[0, 1], [2, 3]])
    script = [5, 1, 1, 0, 1, 2, 4, 0, 1, *range(4)]  # member 0 is said to be better than member 1
    verdict = forged(script, np.zeros(8)).verify(problem)
    assert verdict
    assert -verdict.bound <= all_structures(problem)[1].min()


@seeing("a bound", rare=False)
@examples(60)
@given(rng=generators())
def test_random_scripts_prove_nothing_false(seen, rng):
    problem = random_problem(rng)
    least = all_structures(problem)[1].min(initial=np.inf)
    size, k = problem.members.size, problem.k
    script = []
    moved = [np.zeros(0)]
    floors = [np.zeros(0)]
    for operation in rng.integers(1, 6, rng.integers(1, 6)).tolist():
        if operation <= 2:
            script += [1, k, size, *range(k), *range(size)]
            moved.append(rng.normal(size=size * k) * 10.0 ** rng.integers(0, 20))
        if operation == 2:
            script += [2, k, *rng.permutation(k).tolist()]
            floors.append(np.sort(rng.normal(size=k + 1) * 10.0 ** rng.integers(0, 8)))
        elif operation == 3:
            script += [3, int(rng.integers(size))]
        elif operation == 5:
            script += [5, 5, *rng.integers(0, size, 10).tolist()]
    level = float(rng.choice([least, least + 1, 1e6]))
    unit = float(rng.choice([1, 2 / 256, 0.1]))
    verdict = forged(script, np.concatenate(moved), np.concatenate(floors), level=level, unit=unit).verify(problem)
    assert verdict
    assert -verdict.bound <= least + 1e-8 * max(1.0, abs(least))
    seen["a bound"] += np.isfinite(verdict.bound)
