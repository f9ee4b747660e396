"""Blocks, sparse vectors, and weights that shrink and average lazily: all against dense arrays."""

from itertools import pairwise

import numpy as np
import pytest

import gapless as gl
from gapless.learn import Blocks, FeatureVector, TrainingWeights, Weights

BLOCKS = Blocks({"a": (4, 3), "b": (3,), "c": (), "none": (0, 5)})


def dense(vector, blocks=BLOCKS):
    flat = np.zeros(blocks.size)
    for name, (places, values) in vector.parts.items():
        np.add.at(flat[blocks.slice(name)], places, values)
    return flat


def random_vector(rng):
    count = rng.integers(0, 9)
    return BLOCKS.vector(
        a=((rng.integers(0, 4, count), rng.integers(0, 3, count)), rng.integers(-2, 3, count)),
        b=(rng.integers(0, 3, 2), 1.0),
        c=(np.zeros(1, int), -0.5),
    )


def test_blocks_lie_one_after_the_other():
    assert BLOCKS.size == 16
    assert list(BLOCKS) == ["a", "b", "c", "none"]
    assert [BLOCKS.slice(name).indices(16)[:2] for name in BLOCKS] == [(0, 12), (12, 15), (15, 16), (16, 16)]
    assert dict(BLOCKS) == {"a": (4, 3), "b": (3,), "c": (), "none": (0, 5)}


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"z": (np.zeros(1, int), 1.0)}, "no weight block 'z'"),
        ({"a": ((np.array([4]), np.array([0])), 1.0)}, "block 'a'"),
        ({"a": ((np.array([-1]), np.array([0])), 1.0)}, "block 'a'"),
        ({"b": (np.array([3]), 1.0)}, "block 'b'"),
        ({"b": (np.array([-1]), 1.0)}, "block 'b'"),
        ({"b": (np.array([0, 1]), [1.0, 2.0, 3.0])}, "block 'b'"),
        ({"none": ((np.array([0]), np.array([0])), 1.0)}, "block 'none'"),
    ],
)
def test_places_outside_of_a_block_are_refused(entries, words):
    with pytest.raises(gl.InvalidProblem, match=words):
        BLOCKS.vector(**entries)


@pytest.mark.parametrize("shapes", [{}, {"a": (-1,)}, {"a": (1.5,)}])
def test_bad_blocks(shapes):
    with pytest.raises(gl.InvalidProblem):
        Blocks(shapes)


def test_vectors_add_up_repeated_places():
    vector = BLOCKS.vector(b=(np.array([0, 2, 0]), [1.0, 2.0, 3.0]))
    merged = vector.merged()
    assert merged.parts["b"][0].tolist() == [0, 2]
    assert merged.parts["b"][1].tolist() == [4.0, 2.0]
    assert vector.squared_norm() == 20.0
    gone = vector - vector
    assert gone.squared_norm() == 0.0
    assert gone.merged().parts["b"][0].size == 0
    assert (FeatureVector({}) - vector).merged().parts["b"][1].tolist() == [-4.0, -2.0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_reading_by_block_row_and_sum(dtype):
    rng = np.random.default_rng(0)
    weights = Weights(BLOCKS, rng.normal(size=16).astype(dtype))
    block = weights["a"]
    assert block.shape == (4, 3)
    assert not block.flags.writeable
    ids = np.array([3, 0, 3, 1])
    np.testing.assert_array_equal(weights.rows("a", ids), block[ids])
    for indptr in ([0, 2, 4], [0, 0, 3, 4, 4], [0, 4], [0]):
        wanted = [block[ids[s:e]].astype(float).sum(axis=0) for s, e in pairwise(indptr)]
        found = weights.row_sums("a", ids[: indptr[-1]], np.array(indptr))
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, np.reshape(wanted, (-1, 3)), rtol=1e-6, atol=1e-12)
    vector = random_vector(rng)
    assert weights.dot(vector) == pytest.approx(float(weights.values @ dense(vector)), rel=1e-5)


def test_values_of_another_shape_or_type_are_refused():
    for values in (np.zeros(3), np.zeros(16, int)):
        with pytest.raises(gl.InvalidProblem, match="weights have the shape"):
            Weights(BLOCKS, values)


@pytest.mark.parametrize("scale", ["kept", "carried out", "zero"])
@pytest.mark.parametrize("average", [True, False])
def test_lazy_shrinking_and_averaging_equal_the_dense_arithmetic(scale, average):
    rng = np.random.default_rng(3)
    lazy = TrainingWeights(BLOCKS, average=average)
    now, total = np.zeros(16), np.zeros(16)
    for step in range(1, 41):
        factors = {"a": rng.uniform(0.5, 1.0), "b": 1.0}
        if scale == "carried out":
            factors["a"] = 10.0 ** -rng.integers(0, 6)
        elif scale == "zero" and step % 7 == 1:
            factors["b"] = 0.0
        for name, factor in factors.items():
            lazy.shrink(name, factor)
            now[BLOCKS.slice(name)] *= factor
        for _ in range(rng.integers(0, 3)):
            vector, rate = random_vector(rng), rng.uniform(0.5, 2.0)
            lazy.add(vector, rate)
            now += rate * dense(vector)
        lazy.end_step()
        total += now
        for name in BLOCKS:
            wanted = now[BLOCKS.slice(name)].reshape(BLOCKS[name])
            np.testing.assert_allclose(lazy[name], wanted, rtol=1e-12, atol=1e-12)
        ids = rng.integers(0, 4, 3)
        np.testing.assert_allclose(lazy.rows("a", ids), now[:12].reshape(4, 3)[ids], rtol=1e-12, atol=1e-12)
        sums = lazy.row_sums("a", ids, np.array([0, 3]))
        np.testing.assert_allclose(sums[0], now[:12].reshape(4, 3)[ids].sum(axis=0), rtol=1e-12, atol=1e-12)
        probe = random_vector(rng)
        assert lazy.dot(probe) == pytest.approx(float(now @ dense(probe)), rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(lazy.current().values, now, rtol=1e-12, atol=1e-12)
        mean = total / step if average else now
        np.testing.assert_allclose(lazy.average().values, mean, rtol=1e-10, atol=1e-12)


def test_float32_stays_float32():
    rng = np.random.default_rng(4)
    weights = TrainingWeights(BLOCKS, dtype=np.float32)
    for _ in range(5):
        weights.shrink("a", 0.9)
        weights.add(random_vector(rng), 0.5)
        weights.end_step()
    for array in (weights.values, weights.average().values, weights.current().values, weights["a"]):
        assert array.dtype == np.float32


@pytest.mark.parametrize("factor", [-0.1, 1.1, float("nan")])
def test_weights_do_not_grow_by_shrinking(factor):
    with pytest.raises(gl.InvalidProblem, match="between 0 and 1"):
        TrainingWeights(BLOCKS).shrink("a", factor)


def test_the_state_continues_bit_by_bit():
    rng = np.random.default_rng(6)
    first = TrainingWeights(BLOCKS)
    second = TrainingWeights(BLOCKS)
    for step in range(30):
        if step == 17:
            second.restore(*first.state())
        for weights in (first, second) if step >= 17 else (first,):
            again = np.random.default_rng(step)
            weights.shrink("a", again.uniform(0.2, 1))
            weights.add(random_vector(again), 1 / 3)
            weights.end_step()
    del rng
    np.testing.assert_array_equal(first.average().values, second.average().values)
    np.testing.assert_array_equal(first.current().values, second.current().values)
