"""Evidence of ``exact``, honest and forged: what holds is true, and all else is a refused verdict."""

import warnings

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import assume, given

import gapless
import gapless_kernels
from gapless import Limits, Result, Stop
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.roles import Fixings
from gapless_linking import LinkingProblem
from gapless_linking.certificate import DOMINATED, END, RUSSIAN_DOLL, SPLIT, STAGE, SearchCertificate
from gapless_linking.enumeration import all_structures
from gapless_linking.random_problems import random_problem
from gapless_ordering import OrderingProblem

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="the NumPy twin writes no evidence")

DRAWN = range(60)


def drawn(number):
    return random_problem(np.random.default_rng([77, number]))


def wide(seed=3, k=7, size=8, highest=3):
    """An instance that needs nested searches or splits."""
    rng = np.random.default_rng(seed)
    distances = np.triu(rng.integers(1, highest + 1, (k * size, k * size)), 1)
    return LinkingProblem.from_distances(distances + distances.T, np.arange(k * size).reshape(k, size))


def least(problem, fixings=None):
    """The least cost of what the fixings allow, by enumeration."""
    structures, costs = all_structures(problem)
    if fixings is not None:
        chosen = np.array([problem.chosen(one) for one in structures], np.int64).reshape(-1, problem.k)
        allowed = ~np.isin(chosen, fixings.off).any(axis=1)
        for member in fixings.on:
            allowed &= (chosen == member).any(axis=1)
        costs = costs[allowed]
    return costs.min(initial=np.inf)


def told(certificate, problem, truth, fixings=None):
    """The verdict, which may be no more than the truth."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdict = certificate.verify(problem, fixings)
    if verdict:
        assert -verdict.bound <= truth + score_tolerance(truth), (certificate, verdict, truth)
    else:
        assert verdict.reason
    return verdict


def forged(certificate, rng):
    """One lie about a certificate."""
    script, moved, floors = certificate.script.copy(), np.array(certificate.moved, np.float64), certificate.floors
    wrong = (-1, 0, 1, 2, 3, 4, 5, 6, 10**6, 2**31 - 1, -(2**31))
    strange = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e18, 0.0)

    def spoiled(array, values):
        array = array.astype(np.float64)
        if array.size:
            array[rng.integers(array.size)] = rng.choice(values)
        return array

    def other_numbers():
        if script.size:
            script[rng.integers(script.size)] = rng.choice(wrong) if rng.random() < 0.5 else rng.integers(0, 20)
        return {"script": script}

    lies = (
        lambda: {"level": certificate.level + float(rng.choice([1e-3, 1.0, 2.0, 50.0, 1e12]))},
        lambda: {"level": float(rng.choice(strange))},
        lambda: {"unit": float(rng.choice([*strange, -1.0, 3.0, 1e-300]))},
        lambda: {"script": script[: rng.integers(script.size + 1)]},
        lambda: {"script": np.concatenate([script, script[rng.integers(script.size + 1) :]])},
        other_numbers,
        other_numbers,
        lambda: {"moved": spoiled(moved, strange)},
        lambda: {"moved": moved + rng.integers(-9, 10, moved.shape)},
        lambda: {"moved": moved[: rng.integers(moved.size + 1)]},
        lambda: {"moved": rng.permutation(np.clip(moved, -1e300, 1e300)) * rng.choice([1, 1e6])},
        lambda: {"floors": spoiled(floors, strange)},
        lambda: {"floors": floors + rng.integers(0, 50, floors.shape)},
        lambda: {"floors": floors[: rng.integers(floors.size + 1)]},
        lambda: {"floors": np.full(floors.shape, 1e9)},
    )
    return attrs.evolve(certificate, **lies[rng.integers(len(lies))]())


def drawn_script(problem, rng):
    """Operations that fit the problem, drawn without regard to it; moved costs and floors are small or huge."""
    script, moved, floors = [], [], []
    for operation in rng.choice(
        [STAGE, STAGE, RUSSIAN_DOLL, SPLIT, END, DOMINATED, DOMINATED], rng.integers(1, 9)
    ).tolist():
        sets, members = rng.permutation(problem.k), rng.permutation(problem.members.size)
        script.append(operation)
        if operation == STAGE:
            script += [sets.size, members.size, *sets, *members]
            moved += drawn_costs(rng, sets.size * members.size, 20).tolist()
        elif operation == RUSSIAN_DOLL:
            script += [sets.size, *sets]
            floors += np.sort(np.abs(drawn_costs(rng, sets.size + 1, 8)))[::-1].tolist()
        elif operation == SPLIT:
            script.append(members[0])
        elif operation == DOMINATED:
            own = rng.integers(problem.k)
            script += [2, *rng.integers(problem.first[own], problem.first[own + 1], 4)]
    level, unit = float(rng.choice([np.inf, 0.0, 10.0, 1e6])), float(rng.choice([1.0, 2 / 256, 0.1]))
    return SearchCertificate(level, unit, script, np.array(moved, np.float64), np.array(floors, np.float64))


def drawn_costs(rng, count, powers):
    """Small integers, or one in two times numbers of a size that is drawn, below ten to the `powers`."""
    if rng.integers(2):
        return rng.integers(-3, 4, count).astype(float)
    return rng.normal(size=count) * 10.0 ** rng.integers(0, powers)


@seeing("refused")
@examples(40)
@given(rng=generators())
def test_forged_evidence_proves_nothing_that_is_wrong(seen, rng):
    problem = random_problem(rng)
    truth, honest = least(problem), gapless.solve(problem).certificate
    assume(isinstance(honest, SearchCertificate))  # none is written where large costs cancel
    for _ in range(20):
        lie = forged(honest, rng)
        for _ in range(rng.integers(3)):
            lie = forged(lie, rng)
        seen["refused"] += not told(lie, problem, truth)


@seeing("held")
@examples(40)
@given(rng=generators())
def test_drawn_evidence_proves_nothing_that_is_wrong(seen, rng):
    problem = random_problem(rng)
    truth = least(problem)
    for _ in range(10):
        seen["held"] += bool(told(drawn_script(problem, rng), problem, truth))


def test_forged_nested_searches_and_splits_prove_nothing_that_is_wrong():
    problem = wide()
    result = gapless.solve(problem)
    assert result.proved
    assert RUSSIAN_DOLL in result.certificate.script
    assert told(result.certificate, problem, result.value)

    @examples(50)
    @given(rng=generators())
    def proves_nothing_that_is_wrong(rng):
        told(forged(result.certificate, rng), problem, result.value)

    proves_nothing_that_is_wrong()


@pytest.mark.parametrize(
    "lie",
    [
        {"script": [SPLIT, 10**6]},
        {"script": [SPLIT, -1]},
        {"script": [STAGE, 1, 1, 99, 0], "moved": [0.0]},
        {"script": [STAGE, 1, 1, 0, 99], "moved": [0.0]},
        {"script": [STAGE, 1, 2, 0, 1, 1], "moved": [0.0, 0.0]},
        {"script": [STAGE, -1, 1, 0]},
        {"script": [STAGE, 1]},
        {"script": [STAGE, 1, 1, 0, 1]},
        {"script": [RUSSIAN_DOLL, 3, 0, 1, 2]},
        {"script": [DOMINATED, 1, 0, 99]},
        {"script": [DOMINATED, 2**40]},
        {"script": [END]},
        {"script": [6]},
        {"level": np.nan},
        {"level": -np.inf},
        {"unit": 0.0},
        {"unit": np.nan},
        {"moved": [[1.0]]},
        {"moved": ["a"]},
        {"moved": [np.nan]},
        {"floors": [np.nan]},
    ],
    ids=repr,
)
def test_what_cannot_be_read_is_refused(lie):
    problem = wide(k=3, size=3)
    empty = SearchCertificate(4.0, 1.0, [], np.zeros(0), [])
    assert told(empty, problem, least(problem))
    assert not told(attrs.evolve(empty, **lie), problem, least(problem))


def test_a_member_is_not_dominated_where_no_path_leads():
    """A difference of costs of 1e9, or without a path, hides none of those that matter."""
    for far, near in ((np.inf, 5.0), (1e9, 1.0005)):
        table = [[0, 0, 1, far], [0, 0, near, far], [1, near, 0, 1], [far, far, 1, 0]]
        problem = LinkingProblem.from_distances(table, [[0, 1], [2, 3]])
        lie = SearchCertificate(np.inf, 1.0, [DOMINATED, 1, 0, 1, DOMINATED, 1, 3, 2], np.zeros(0), [])
        told(lie, problem, 2.0)


@pytest.mark.parametrize(
    "limits", [Limits(nodes=1), Limits(iterations=1), Limits(iterations=20), Limits(time=0.0)], ids=repr
)
def test_stopped_searches_hold_what_they_claim(limits):
    stopped = 0
    for problem in [wide(), wide(8, 12, 40, 9), *map(drawn, DRAWN[::4])]:
        result = gapless.solve(problem, limits=limits)
        verdict = result.verify(problem)
        assert verdict, (result, verdict)
        assert verdict.bound <= -result.bound + score_tolerance(result.bound)
        stopped += result.stop in (Stop.NODES, Stop.ITERATIONS, Stop.TIME)
    assert stopped


def test_evidence_goes_through_a_file():
    for problem in [wide(), *map(drawn, DRAWN[::6])]:
        result = gapless.solve(problem, k=2)
        read = Result.from_json(result.to_json())
        first, second = result.certificate, read.certificate
        for name in ("script", "moved", "floors"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
        assert (first.level, first.unit) == (second.level, second.unit)
        one, other = result.verify(problem), read.verify(problem)
        assert (one.holds, one.bound) == (other.holds, other.bound)
        assert one


def test_evidence_is_for_linking_problems():
    assert not gapless.solve(drawn(0)).certificate.verify(OrderingProblem([0.0], [[0.0]], [0.0], 1))


@seeing("tight")
@examples(40)
@given(rng=generators())
def test_fixings_make_the_bound_another_and_true_one(seen, rng):
    """Evidence made without fixings bounds what any fixings allow, forged or not."""
    problem = random_problem(rng)
    honest, count = gapless.solve(problem).certificate, problem.members.size
    assume(isinstance(honest, SearchCertificate))  # none is written where large costs cancel
    for _ in range(3):
        members = rng.permutation(count)
        off, on = members[: rng.integers(0, count // 2 + 1)], members[count - rng.integers(0, 2) :]
        fixings = Fixings.none(count).fix(on=on.tolist(), off=off.tolist())
        if fixings is None:
            continue
        truth = least(problem, fixings)
        verdict = told(honest, problem, truth, fixings)
        seen["tight"] += bool(verdict) and meets(verdict.bound, -truth)
        told(forged(honest, rng), problem, truth, fixings)


def test_rounding_of_huge_moved_costs_is_taken_off():
    """1.2 - 1e16 is 2 - 1e16 in float64, so that moving 1e16 there and back would make 2 of 1.2."""
    problem = LinkingProblem.from_distances(0.6 * (1.0 - np.eye(4)), [[0, 1], [2, 3]])
    moved = np.array([0, 1e16, 0, 1e16, 0, 0, 0, 0])
    lie = SearchCertificate(np.inf, 1.0, [STAGE, 2, 4, 0, 1, 0, 1, 2, 3], moved, [])
    assert told(lie, problem, 1.2)
    assert told(attrs.evolve(lie, moved=moved / 1e16), problem, 1.2).bound == pytest.approx(-1.2)


def test_what_is_infeasible_beside_large_costs_is_proved():
    apart = np.inf
    distances = [[0, apart, 0.1], [apart, 0, 0.2], [0.1, 0.2, 0]]
    problem = LinkingProblem.from_distances(distances, [[0], [1, 2], [1]], prior=[[1e9], [-1e9, -1e9], [1e9]])
    result = gapless.solve(problem)
    assert result.status is gapless.Status.INFEASIBLE
    verdict = result.verify(problem)
    assert verdict, verdict
