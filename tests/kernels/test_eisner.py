"""First-order projective parsing: the compiled kernel and its NumPy twin equal enumeration, and each other."""

import itertools
import os
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from drawn import generators
from hypothesis import given
from hypothesis import strategies as st

import gapless_kernels
from gapless_kernels.parsing import _eisner_twin

Array = npt.NDArray[Any]

IMPLEMENTATIONS = [pytest.param(_eisner_twin, id="numpy")]
if gapless_kernels.COMPILED:
    from gapless_kernels.parsing import _eisner

    IMPLEMENTATIONS.append(pytest.param(_eisner, id="compiled"))

both = pytest.mark.parametrize("kernels", IMPLEMENTATIONS)
rules = pytest.mark.parametrize("single_root", [True, False])
needs_compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")

# Around the multiples of the vector's eight lanes, where rows of the charts end in margins.
EDGES = [1, 2, 6, 7, 8, 9, 10, 15, 16, 17, 18, 24, 25, 33]


def is_tree(heads: tuple[int, ...]) -> bool:
    """Whether every word, `heads[m - 1]` being the head of word m, is below the root."""
    for word in range(1, len(heads) + 1):
        above, steps = word, 0
        while above and steps < len(heads):
            above, steps = heads[above - 1], steps + 1
        if above:
            return False
    return True


def is_projective(heads: tuple[int, ...]) -> bool:
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


@cache
def projective_trees(n: int, single_root: bool) -> Array:
    """The heads of all projective trees of n words: (trees, n+1)."""
    heads = itertools.product(*([h for h in range(n + 1) if h != m] for m in range(1, n + 1)))
    found = [
        (-1, *tree)
        for tree in heads
        if (tree.count(0) == 1 if single_root else 0 in tree) and is_tree(tree) and is_projective(tree)
    ]
    return np.array(found)


def values(weights: Array, trees: Array) -> Array:
    total = np.zeros(len(trees))
    for word in range(1, len(weights)):
        total += weights[trees[:, word], word]
    return total


def assert_is_projective_tree(heads: Array, single_root: bool) -> None:
    assert heads[0] == -1
    tree = tuple(heads[1:].tolist())
    assert all(0 <= h < len(heads) for h in tree)
    assert is_tree(tree)
    assert is_projective(tree)
    assert not single_root or tree.count(0) == 1


@st.composite
def sentences(draw: st.DrawFn, sizes: Any = (1, 2, 3, 4, 5)) -> Any:
    """Arc weights: small integers, so that there are ties, or not; some or many arcs missing."""
    rng = draw(generators())
    n, integers = draw(st.sampled_from(sizes)), draw(st.booleans())
    shape = (n + 1, n + 1)
    weights = rng.integers(-2, 3, shape).astype(float) if integers else rng.normal(size=shape)
    weights[rng.random(shape) < draw(st.sampled_from([0.0, 0.3, 0.6, 0.9]))] = -np.inf
    # What is ignored may be anything.
    np.fill_diagonal(weights, draw(st.sampled_from([0.0, 1e9, np.nan, np.inf])))
    weights[:, 0] = draw(st.sampled_from([0.0, 1e9, np.nan, np.inf]))
    return weights


def forced(weights: Array, head: int, modifier: int) -> Array:
    """The weights with the arc as the only one into `modifier`."""
    alone = weights.copy()
    alone[:, modifier] = -np.inf
    alone[head, modifier] = weights[head, modifier]
    return alone


def real_arcs(weights: Array) -> Array:
    real = ~np.eye(len(weights), dtype=bool)
    real[:, 0] = False
    return real


@both
@rules
@given(weights=sentences())
def test_best_tree_is_that_of_enumeration(kernels: Any, single_root: bool, weights: Array) -> None:
    scores = values(weights, projective_trees(len(weights) - 1, single_root))
    value, heads = kernels.eisner(weights, single_root)
    assert heads.dtype == np.int64
    assert value == pytest.approx(scores.max(), abs=1e-12)
    if value == -np.inf:
        assert (heads == -1).all()
    else:
        assert_is_projective_tree(heads, single_root)
        assert value == values(weights, heads[None])[0]


@both
@rules
@given(weights=sentences())
def test_max_marginals_are_those_of_enumeration(kernels: Any, single_root: bool, weights: Array) -> None:
    n = len(weights) - 1
    trees = projective_trees(n, single_root)
    scores = values(weights, trees)
    expected = np.full(weights.shape, -np.inf)
    for modifier in range(1, n + 1):
        np.maximum.at(expected[:, modifier], trees[:, modifier], scores)
    value, heads, found = kernels.eisner_max_marginals(weights, single_root)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert value == pytest.approx(scores.max(), abs=1e-12)
    assert heads.tolist() == kernels.eisner(weights, single_root)[1].tolist()


@both
@rules
@given(weights=sentences(), k=st.sampled_from([1, 2, 3, 10, 1000]))
def test_k_best_are_those_of_enumeration(kernels: Any, single_root: bool, weights: Array, k: int) -> None:
    scores = values(weights, projective_trees(len(weights) - 1, single_root))
    expected = np.sort(scores[scores > -np.inf])[::-1][:k]
    found, heads = kernels.eisner_k_best(weights, k, single_root)
    assert found.shape == expected.shape
    assert heads.shape == (len(found), len(weights))
    assert heads.dtype == np.int64
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found, values(weights, heads))
    assert (np.diff(found) <= 0).all()
    assert len({tuple(tree) for tree in heads.tolist()}) == len(heads)
    for tree in heads:
        assert_is_projective_tree(tree, single_root)


@both
@rules
@given(weights=sentences(), scale=st.sampled_from([1.0, 1e3]))
def test_marginals_are_those_of_enumeration(kernels: Any, single_root: bool, weights: Array, scale: float) -> None:
    n = len(weights) - 1
    weights = weights * scale
    trees = projective_trees(n, single_root)
    scores = values(weights, trees)
    log_partition, marginals = kernels.eisner_marginals(weights, single_root)
    assert log_partition == pytest.approx(np.logaddexp.reduce(scores), rel=1e-12, abs=1e-12)
    expected = np.zeros(weights.shape)
    if log_partition > -np.inf:
        for modifier in range(1, n + 1):
            np.add.at(expected[:, modifier], trees[:, modifier], np.exp(scores - log_partition))
    np.testing.assert_allclose(marginals, expected, rtol=0, atol=1e-10)


@both
@rules
@given(weights=sentences(sizes=(6, 7, 8, 9, 10)))
def test_max_marginals_are_best_values_with_the_arc_forced(kernels: Any, single_root: bool, weights: Array) -> None:
    """Beyond what can be enumerated; the twin is too slow for more words."""
    _, _, found = kernels.eisner_max_marginals(weights, single_root)
    for head, modifier in np.argwhere(real_arcs(weights)).tolist():
        best, _ = kernels.eisner(forced(weights, head, modifier), single_root)
        assert found[head, modifier] == pytest.approx(best, abs=1e-11)
    assert (found[~real_arcs(weights)] == -np.inf).all()


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@rules
@pytest.mark.parametrize("n", [*EDGES, 41, 60])
def test_twins_agree(single_root: bool, n: int) -> None:
    rng = np.random.default_rng(n)
    for share, integers in itertools.product([0.0, 0.5, 0.85], [True, False]):
        weights = rng.integers(-3, 4, (n + 1, n + 1)).astype(float) if integers else rng.normal(size=(n + 1, n + 1))
        weights[rng.random(weights.shape) < share] = -np.inf
        ours = _eisner.eisner_max_marginals(weights, single_root)
        theirs = _eisner_twin.eisner_max_marginals(weights, single_root)
        assert ours[0] == pytest.approx(theirs[0], abs=1e-11)
        np.testing.assert_allclose(ours[2], theirs[2], rtol=0, atol=1e-11)
        if ours[0] > -np.inf:
            assert_is_projective_tree(ours[1], single_root)
            assert ours[0] == values(weights, ours[1][None])[0]
            # No arc is in a tree better than the best, and the best tree's are in one as good.
            assert ours[2].max() == pytest.approx(ours[0], abs=1e-11)
            assert ours[2][ours[1][1:], np.arange(1, n + 1)] == pytest.approx(ours[0], abs=1e-11)
        ours_sum = _eisner.eisner_marginals(weights, single_root)
        theirs_sum = _eisner_twin.eisner_marginals(weights, single_root)
        assert ours_sum[0] == pytest.approx(theirs_sum[0], abs=1e-9)
        np.testing.assert_allclose(ours_sum[1], theirs_sum[1], rtol=0, atol=1e-9)


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@rules
@given(weights=sentences(sizes=(6, 8, 9, 12)), k=st.sampled_from([1, 5, 40]))
def test_twins_agree_on_k_best(single_root: bool, weights: Array, k: int) -> None:
    ours, heads = _eisner.eisner_k_best(weights, k, single_root)
    theirs, _ = _eisner_twin.eisner_k_best(weights, k, single_root)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    assert len({tuple(tree) for tree in heads.tolist()}) == len(heads)


@both
@rules
def test_forcing_a_whole_tree_gives_that_tree(kernels: Any, single_root: bool) -> None:
    for tree in projective_trees(5, single_root)[::7]:
        weights = np.full((6, 6), -np.inf)
        weights[tree[1:], np.arange(1, 6)] = -1e12, 1e12, 3.0, 1e-9, -5.0
        value, heads = kernels.eisner(weights, single_root)
        assert heads.tolist() == tree.tolist()
        assert value == values(weights, tree[None])[0]
        assert [len(found) for found in kernels.eisner_k_best(weights, 3, single_root)] == [1, 1]


@both
@rules
def test_marginals_of_large_weights_neither_overflow_nor_vanish(kernels: Any, single_root: bool) -> None:
    rng = np.random.default_rng(3)
    for shift in (-1e3, 0.0, 1e3):
        weights = rng.normal(size=(21, 21))
        log_partition, marginals = kernels.eisner_marginals(weights + shift, single_root)
        plain, expected = kernels.eisner_marginals(weights, single_root)
        assert log_partition == pytest.approx(plain + 20 * shift, rel=1e-12)
        np.testing.assert_allclose(marginals, expected, rtol=0, atol=1e-9)
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, rtol=1e-9)


@both
@rules
def test_no_tree(kernels: Any, single_root: bool) -> None:
    for n in (1, 2, 8):
        weights = np.zeros((n + 1, n + 1))
        weights[:, n] = -np.inf
        value, heads, marginals = kernels.eisner_max_marginals(weights, single_root)
        assert value == -np.inf
        assert (heads == -1).all()
        assert (marginals == -np.inf).all()
        found, trees = kernels.eisner_k_best(weights, 4, single_root)
        assert found.shape == (0,)
        assert trees.shape == (0, n + 1)
        log_partition, marginals = kernels.eisner_marginals(weights, single_root)
        assert log_partition == -np.inf
        assert (marginals == 0).all()


@both
def test_the_root_rule_is_kept(kernels: Any) -> None:
    weights = np.zeros((4, 4))
    weights[0] = 10.0
    assert kernels.eisner(weights, True)[0] == 10.0
    assert kernels.eisner(weights, False)[0] == 30.0


@both
def test_strided_and_read_only_arrays(kernels: Any) -> None:
    weights = np.random.default_rng(2).normal(size=(9, 9))
    expected = kernels.eisner_max_marginals(weights, True)
    strided = np.repeat(np.asfortranarray(weights), 2, axis=1)[:, ::2]
    strided.flags.writeable = False
    for ours, theirs in zip(kernels.eisner_max_marginals(strided, True), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


CALLS = {
    "eisner": (True,),
    "eisner_max_marginals": (True,),
    "eisner_marginals": (True,),
    "eisner_k_best": (2, True),
}


def changed(row: int, column: int, value: float) -> Array:
    weights = np.zeros((4, 4))
    weights[row, column] = value
    return weights


@both
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([[0.0]], TypeError, "weights must be a NumPy array, got list"),
        (np.zeros((3, 3), np.float32), TypeError, "weights must be float64, got float32"),
        (np.zeros((3, 4)), ValueError, r"weights must have shape \(n\+1, n\+1\) with n >= 1 words, got \(3, 4\)"),
        (np.zeros((1, 1)), ValueError, r"n >= 1 words, got \(1, 1\)"),
        (np.zeros(4), ValueError, r"got \(4,\)"),
        (changed(2, 1, np.nan), ValueError, r"weights\[2, 1\] is nan, expected a number or -inf"),
        (changed(0, 3, np.inf), ValueError, r"weights\[0, 3\] is inf, expected a number or -inf"),
    ],
)
def test_wrong_weights_are_named(
    kernels: Any, name: str, weights: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        getattr(kernels, name)(weights, *CALLS[name])


@both
def test_wrong_counts_are_named(kernels: Any) -> None:
    with pytest.raises(TypeError, match="k must be an integer, got float"):
        kernels.eisner_k_best(np.zeros((3, 3)), 2.0, True)
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        kernels.eisner_k_best(np.zeros((3, 3)), 0, True)


def test_package_exports_the_chosen_twin() -> None:
    assert (os.environ.get("GAPLESS_PURE") != "1") == gapless_kernels.COMPILED
    chosen = _eisner if gapless_kernels.COMPILED else _eisner_twin
    for name in CALLS:
        assert getattr(gapless_kernels, name) is getattr(chosen, name)
