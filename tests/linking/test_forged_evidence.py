"""Evidence of `exact` that nobody's search wrote down proves nothing that is false."""

import numpy as np
import pytest
from drawn import generators
from hypothesis import given

from gapless_linking.certificate import SearchCertificate
from gapless_linking.enumeration import all_structures
from gapless_linking.problem import LinkingProblem

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
