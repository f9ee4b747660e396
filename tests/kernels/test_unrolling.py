"""Unrolling: compiled and twin give the same states and the same arrays, and refuse the same steps."""

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless_kernels
from gapless_kernels.diagrams import _unrolling_twin

pytestmark = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
if gapless_kernels.COMPILED:
    from gapless_kernels.diagrams import _unrolling


def steps(rng, width, kind):
    """States and scores of one choice."""
    spread = {"near": 6, "far": 2**60, "few": 2, "wide": 400}[kind]
    following = np.asarray(rng.integers(0, spread, width), np.int64)
    if kind == "near" and rng.random() < 0.4:
        following = np.arange(width) + int(rng.integers(0, 3))
    following[np.asarray(rng.random(width)) < rng.choice([0.0, 0.1, 0.1, 0.9 * (kind != "wide")])] = -1
    scores = np.asarray(rng.choice(np.array([0.0, -0.0, 1.5, -2.0, -np.inf]), width), float)
    how = rng.integers(0, 4)
    given = [scores, float(rng.choice(np.array([0.0, 2.5, -np.inf]))), 3, np.full(width, 1.25)][how]
    return following, given


@seeing("rises", "far", "merged", "coarser", "forbidden", "nothing", "wide")
@examples(150)
@given(rng=generators())
def test_twin_and_compiled_agree_bit_by_bit(seen, rng):
    one, other = _unrolling.Unrolling(1e12), _unrolling_twin.Unrolling(1e12)
    states = np.zeros(1, np.int64)
    wide = rng.random() < 0.3
    for _ in range(7 if wide else int(rng.integers(0, 6))):
        kind = "wide" if wide else str(rng.choice(["near", "near", "few", "far"]))
        made = [steps(rng, states.size, kind) for _ in range(3 if wide else int(rng.integers(1, 4)))]
        ours, theirs = one.follow(made), other.follow(made)
        assert ours.dtype == np.int64
        assert ours.tolist() == theirs.tolist()
        seen["far"] += kind == "far" and ours.size > 1
        states = ours
        if states.size > 2 and rng.random() < 0.3:
            merged = np.unique(states // 2, return_inverse=True)
            for unrolling in (one, other):
                unrolling.coarsen(merged[1], merged[0].size)
            states = merged[0]
            seen["coarser"] += 1
        assert one.nodes == other.nodes
    ends = np.asarray(rng.choice(np.array([0.0, 1.0, -0.0, -np.inf]), states.size), float)
    narrow, reached = int(rng.choice([0, 2, 32])), one.nodes
    arrays = one.graph(ends, narrow), other.graph(ends, narrow)
    for ours, theirs in zip(*arrays, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.tobytes() == theirs.astype(ours.dtype).tobytes(), (ours, theirs)
    layer_nodes, _, _, counts, target_at, *_ = arrays[0]
    seen["rises"] += bool(np.any((target_at < 0) & (counts > 1)))
    seen["merged"] += narrow == 0 and 1 < layer_nodes[-1] < reached + 1
    seen["forbidden"] += bool(np.any(arrays[0][7] == 0))
    seen["nothing"] += layer_nodes[-1] == 1
    seen["wide"] += bool(np.any(np.diff(layer_nodes) >= 32))


REFUSED = {
    "another type": (np.zeros(1, np.int32), 0.0),
    "no array": ([0], 0.0),
    "one thing": (np.zeros(1, np.int64),),
    "a list": [np.zeros(1, np.int64), 0.0],
    "another length": (np.zeros(2, np.int64), 0.0),
    "a state of -2": (np.array([-2]), 0.0),
    "scores of another type": (np.zeros(1, np.int64), np.zeros(1, np.float32)),
    "scores of another length": (np.zeros(1, np.int64), np.zeros(2)),
    "NaN": (np.zeros(1, np.int64), np.array([np.nan])),
    "a number that is NaN": (np.zeros(1, np.int64), float("nan")),
    "plus infinity": (np.zeros(1, np.int64), np.inf),
    "too large a score": (np.zeros(1, np.int64), np.array([2e12])),
}


@pytest.mark.parametrize("wrong", REFUSED.values(), ids=REFUSED)
def test_steps_in_another_form_are_not_taken_in(wrong):
    fine = np.array([3]), np.array([0.5])
    for room in (_unrolling, _unrolling_twin):
        unrolling = room.Unrolling(1e12)
        assert unrolling.follow([fine, wrong]) is None
        assert unrolling.follow([fine]).tolist() == [3]
        assert unrolling.nodes == 2
        layer_nodes, *_, constants, _, scores, final = unrolling.graph(np.zeros(1), 0)
        assert layer_nodes.tolist() == [1, 2, 3]
        assert (constants.tolist(), scores.tolist(), final.tolist()) == ([0.5], [], [0.0])


def test_ends_and_numbers_that_do_not_fit_are_refused():
    for room in (_unrolling, _unrolling_twin):
        unrolling = room.Unrolling(1e12)
        unrolling.follow([(np.array([3]), 0.0)])
        with pytest.raises(ValueError, match="numbers must be 1 from 0 to 0"):
            unrolling.coarsen(np.array([1]), 1)
        with pytest.raises(ValueError, match="numbers must be 1 from 0 to 0"):
            unrolling.coarsen(np.array([0, 0]), 1)
        with pytest.raises(ValueError, match=r"ends have shape \(2,\), expected \(1,\)"):
            unrolling.graph(np.zeros(2), 0)
