"""The compiled linking search and its twin: values and proofs agree, whatever the numbers are."""

import numpy as np
import pytest
from drawn import generators, numbers
from hypothesis import given

from gapless_kernels import COMPILED, linking_search, whole_bits
from gapless_kernels.linking import _linking_search_twin

if not COMPILED:
    pytest.skip("the compiled kernels are switched off by GAPLESS_PURE", allow_module_level=True)

pytestmark = pytest.mark.usefixtures("instruction_set")


def drawn(seed, *, whole):
    """Sets that overlap, sets of one member, zero distances, own costs small and large, ties."""
    rng = numbers(seed)
    k, points = int(rng.integers(1, 8)), int(rng.integers(2, 20))
    distances = np.triu(rng.integers(rng.integers(0, 2), rng.integers(2, 60), (points, points)), 1)
    distances = distances + distances.T
    sizes = rng.integers(1, min(points, 6) + 1, k)
    slots = np.concatenate([rng.choice(points, size, replace=False) for size in sizes])
    own = rng.integers(-40, 40, slots.size) * float(rng.choice([0, 2]))
    first = np.concatenate([[0], np.cumsum(sizes)])
    if whole:
        return first, slots, distances.astype(np.uint8), own
    return first, slots, distances * 0.37, own * 0.11


def cost(first, slots, distances, own, members):
    assert np.all((members >= first[:-1]) & (members < first[1:]))
    at = slots[members]
    return np.triu(distances[np.ix_(at, at)].astype(float), 1).sum() * 2 + own[members].sum()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("kicks", [0, 20])
@given(rng=generators())
def test_the_search_finds_what_its_twin_finds(rng, whole, kicks):
    seed = int(rng.integers(150))
    problem = drawn(rng, whole=whole)
    step = 2.0 if whole else None
    found = linking_search(*problem, granularity=step, kicks=kicks, seed=seed)
    twin = _linking_search_twin.linking_search(*problem, granularity=step)
    assert found.proved
    assert twin.proved
    assert found.value == pytest.approx(twin.value, abs=1e-9)
    assert cost(*problem, found.members) == pytest.approx(found.value, abs=1e-9)
    assert found.bound == pytest.approx(found.value, abs=1e-6)


@pytest.mark.parametrize("whole", [True, False])
@given(rng=generators())
def test_members_that_are_not_allowed_and_a_cutoff(rng, whole):
    problem = drawn(rng, whole=whole)
    first, own = problem[0], problem[3]
    allowed = rng.random(own.size) < 0.6
    allowed[first[:-1]] = True
    step = 2.0 if whole else None
    best = linking_search(*problem, granularity=step, allowed=allowed)
    assert np.all(allowed[best.members])
    twin = _linking_search_twin.linking_search(*problem, granularity=step, allowed=allowed)
    assert best.value == pytest.approx(twin.value, abs=1e-9)
    none = linking_search(*problem, granularity=step, allowed=allowed, cutoff=best.value)
    assert none.members is None
    assert none.proved
    above = best.value + 2.0
    again = linking_search(*problem, granularity=step, allowed=allowed, cutoff=above)
    assert again.value == pytest.approx(best.value, abs=1e-9)


def test_a_pulse_stops_the_search_and_leaves_a_true_bound():
    rng = np.random.default_rng(3)
    k, size = 30, 20
    distances = np.triu(rng.integers(1, 7, (k * size, k * size)), 1)
    distances = (distances + distances.T).astype(np.uint8)
    problem = (np.arange(k + 1) * size, np.arange(k * size), distances, np.zeros(k * size))
    seen = []

    def pulse(bound, value, sweeps, nodes):
        seen.append((bound, value))
        return len(seen) == 20

    found = linking_search(*problem, granularity=2.0, pulse=pulse)
    assert not found.proved
    assert not found.interrupted
    assert max(bound for bound, _ in seen) <= found.bound <= found.value
    assert cost(*problem, found.members) == found.value

    def fails(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        linking_search(*problem, granularity=2.0, pulse=fails)

    def interrupts(*_):
        raise KeyboardInterrupt

    assert linking_search(*problem, granularity=2.0, pulse=interrupts).interrupted


def test_local_search_alone_has_no_bound():
    found = linking_search(*drawn(5, whole=True), granularity=2.0, prove=False)
    assert found.bound == -np.inf
    assert not found.proved
    assert found.record is None


def test_local_search_is_stopped_between_kicks():
    asked = []

    def stops(bound, value, sweeps, nodes):
        asked.append(value)
        return len(asked) == 3

    found = linking_search(*drawn(5, whole=True), granularity=2.0, kicks=10**12, prove=False, pulse=stops)
    assert len(asked) == 3
    assert asked[-1] == found.value


def test_shapes_that_do_not_fit_are_refused():
    first, slots, distances, own = drawn(1, whole=True)
    for wrong in (
        (first[1:], slots, distances, own),
        (np.append(first, first[-1]), slots, distances, own),
        (first, slots[:-1], distances, own),
        (first, slots + distances.shape[0], distances, own),
        (first, slots, distances[:, :-1], own),
        (first, slots, distances, own[:-1]),
    ):
        with pytest.raises(ValueError, match=r"slots|distances|first"):
            linking_search(*wrong, granularity=2.0)


def test_costs_that_are_too_large_have_no_bits():
    first, _, distances, own = drawn(2, whole=True)
    assert whole_bits(first, own, distances) == 8
    assert whole_bits(first, own + 2.0**33, distances) < 1
