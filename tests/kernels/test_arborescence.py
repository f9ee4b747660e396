"""The kernels for arborescences equal enumeration, networkx and each other; their duals prove what they find."""

import functools
import itertools
import os
from typing import Any

import networkx
import numpy as np
import numpy.typing as npt
import pytest
from drawn import generators
from hypothesis import given
from hypothesis import strategies as st

import gapless_kernels
from gapless_kernels.arborescences import _arborescence_twin

Array = npt.NDArray[Any]

IMPLEMENTATIONS = [pytest.param(_arborescence_twin, id="numpy")]
if gapless_kernels.COMPILED:
    from gapless_kernels.arborescences import _arborescence

    IMPLEMENTATIONS.append(pytest.param(_arborescence, id="compiled"))

both = pytest.mark.parametrize("kernels", IMPLEMENTATIONS)
rules = pytest.mark.parametrize("single_root", [False, True])
needs_compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")


@functools.cache
def every_tree(n: int, single_root: bool) -> Array:
    """Heads of the words 1 to n, for every tree."""
    found = []
    for heads in itertools.product(range(n + 1), repeat=n):
        reached = {0}
        for _ in range(n):
            reached |= {m for m, h in enumerate(heads, 1) if h in reached}
        if len(reached) == n + 1 and (not single_root or heads.count(0) == 1):
            found.append(heads)
    return np.array(found)


def tree_values(weights: Array, trees: Array) -> Array:
    return np.asarray(weights[trees, np.arange(1, len(weights))].sum(axis=1))


def random_weights(rng: np.random.Generator, n: int, integers: bool, share: float, root: float) -> Array:
    shape = n + 1, n + 1
    weights = rng.integers(-3, 4, shape).astype(float) if integers else 3 * rng.normal(size=shape)
    weights[0] += root
    weights[rng.random(shape) < share] = -np.inf
    return weights


@st.composite
def graphs(draw: st.DrawFn, max_n: int = 5) -> Array:
    rng = draw(generators())
    share, root = draw(st.sampled_from([0.0, 0.2, 0.5])), draw(st.sampled_from([-100.0, -4.0, 0.0, 4.0]))
    return random_weights(rng, draw(st.integers(1, max_n)), draw(st.booleans()), share, root)


def assert_tree(weights: Array, single_root: bool, value: float, heads: Array) -> None:
    n = len(weights) - 1
    if value == -np.inf:
        assert (heads == -1).all()
        return
    assert heads[0] == -1
    assert not single_root or (heads[1:] == 0).sum() == 1
    reached = {0}
    for _ in range(n):
        reached |= {m for m in range(1, n + 1) if heads[m] in reached}
    assert len(reached) == n + 1
    assert value == sum(weights[heads[m], m] for m in range(1, n + 1))


def assert_dual(weights: Array, single_root: bool, value: float, dual: tuple[Array, Array, float]) -> None:
    """By weak duality alone: nothing here knows how trees are found."""
    members, values, multiplier = dual
    off = ~np.eye(len(weights), dtype=bool)
    off[:, 0] = False
    enters = members[:, None, :] & ~members[:, :, None] & off
    if value == -np.inf:
        assert (values == -np.inf).all()
        least = len(members) - 1
        assert least == 0 or (single_root and least == 1 and not members.all(axis=0).any())
        assert not any((weights[least:][entering] > -np.inf).any() for entering in enters[:, least:])
        return
    reduced = weights - (values[:, None, None] * enters).sum(axis=0)
    reduced[0] -= multiplier
    scale = 1 + np.abs(weights[np.isfinite(weights)]).max()
    assert reduced[off].max() <= 1e-12 * scale * len(weights)
    assert (values[members.sum(axis=1) > 1] <= 1e-12 * scale).all()
    assert single_root or multiplier == 0.0
    assert values.sum() + multiplier == pytest.approx(value, abs=1e-12 * scale * len(weights))


@both
@rules
@given(weights=graphs())
def test_best_trees_are_enumeration(kernels: Any, single_root: bool, weights: Array) -> None:
    value, heads = kernels.arborescence(weights, single_root)
    best = tree_values(weights, every_tree(len(weights) - 1, single_root)).max()
    assert value == pytest.approx(best, abs=1e-12)
    assert_tree(weights, single_root, value, heads)
    assert_dual(weights, single_root, value, kernels.arborescence_dual(weights, single_root))


def enumerated_marginals(weights: Array, single_root: bool) -> Array:
    trees = every_tree(len(weights) - 1, single_root)
    expected = np.full(weights.shape, -np.inf)
    np.maximum.at(expected, (trees, np.arange(1, len(weights))), tree_values(weights, trees)[:, None])
    return expected


@both
@rules
@given(weights=graphs(), gap=st.sampled_from([0.0, 1.0, 4.0]))
def test_max_marginals_are_enumeration(kernels: Any, single_root: bool, weights: Array, gap: float) -> None:
    expected = enumerated_marginals(weights, single_root)
    value, heads, marginals = kernels.arborescence_max_marginals(weights, single_root)
    assert_tree(weights, single_root, value, heads)
    np.testing.assert_allclose(marginals, expected, rtol=0, atol=1e-10)
    if value == -np.inf:
        return
    for threshold in (value - gap, np.inf):
        above = kernels.arborescence_max_marginals(weights, single_root, threshold)[2]
        assert (above >= expected - 1e-10).all()
        np.testing.assert_allclose(above[above >= threshold], expected[above >= threshold], rtol=0, atol=1e-10)
        assert (above <= value).all()


def forced(weights: Array, head: int, modifier: int) -> Array:
    others = weights.copy()
    others[:, modifier] = -np.inf
    others[head, modifier] = weights[head, modifier]
    return others


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@rules
@pytest.mark.parametrize("n", [8, 15, 16, 23, 31])
def test_max_marginals_are_those_of_forced_arcs(n: int, single_root: bool) -> None:
    rng = np.random.default_rng(n)
    for integers, share, root in [(True, 0.0, 0.0), (True, 0.6, -2.0), (False, 0.0, -8.0), (False, 0.7, 3.0)]:
        weights = random_weights(rng, n, integers, share, root)
        _, _, marginals = _arborescence.arborescence_max_marginals(weights, single_root)
        for h, m in np.ndindex(weights.shape):
            if m == 0 or h == m:
                assert marginals[h, m] == -np.inf
            else:
                value, _ = _arborescence.arborescence(forced(weights, h, m), single_root)
                assert marginals[h, m] == pytest.approx(value, abs=1e-9)


@needs_compiled
@pytest.mark.parametrize("n", [7, 8, 9, 17, 40])
def test_best_trees_are_those_of_networkx(n: int) -> None:
    rng = np.random.default_rng(n)
    for integers, share in itertools.product([False, True], [0.0, 0.5]):
        weights = random_weights(rng, n, integers, share, -3.0)
        graph = networkx.DiGraph()
        graph.add_weighted_edges_from(
            (h, m, weights[h, m])
            for h, m in np.ndindex(weights.shape)
            if m > 0 and h != m and weights[h, m] > -np.inf
        )
        tree = networkx.maximum_spanning_arborescence(graph)
        value, _ = _arborescence.arborescence(weights, False)
        assert value == pytest.approx(tree.size("weight"), abs=1e-9)


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@rules
@pytest.mark.parametrize("n", [7, 8, 9, 15, 16, 17, 33, 100])
def test_large_trees_are_proved_and_twins_agree(n: int, single_root: bool) -> None:
    rng = np.random.default_rng(n)
    for integers, share, root in itertools.product([False, True], [0.0, 0.5, 0.9], [-50.0, 0.0]):
        weights = random_weights(rng, n, integers, share, root)
        value, heads = _arborescence.arborescence(weights, single_root)
        assert_tree(weights, single_root, value, heads)
        assert_dual(weights, single_root, value, _arborescence.arborescence_dual(weights, single_root))
        assert value == pytest.approx(_arborescence_twin.arborescence(weights, single_root)[0], abs=1e-9)


@both
@rules
def test_deeply_nested_cycles(kernels: Any, single_root: bool) -> None:
    """Each contracted cycle is a cycle with the next word."""
    n = 40
    weights = np.full((n + 1, n + 1), -np.inf)
    weights[0, 1:] = -1000.0
    for m in range(1, n):
        weights[m, m + 1] = weights[m + 1, m] = -float(m)
    value, heads = kernels.arborescence(weights, single_root)
    assert value == -1000.0 - sum(range(1, n)) if single_root else value >= -1000.0 - sum(range(1, n))
    assert_tree(weights, single_root, value, heads)
    assert_dual(weights, single_root, value, kernels.arborescence_dual(weights, single_root))


@both
def test_a_single_root_is_no_matter_of_weight(kernels: Any) -> None:
    """Scores at which a penalty on arcs out of 0 would be lost in the digits, or lose those of the rest."""
    weights = np.array([[0, 1e15, 1e15, 1e15], [0, 0, 0.5, 0.25], [0, 0.125, 0, 0.75], [0, 0.5, 0.25, 0]])
    value, heads = kernels.arborescence(weights, True)
    assert (heads[1:] == 0).sum() == 1
    assert value == 1e15 + 1.25
    many, roots = kernels.arborescence(weights, False)
    assert many == 3e15
    assert (roots[1:] == 0).all()


@both
@rules
@given(weights=graphs(max_n=4), k=st.integers(1, 40))
def test_k_best_are_enumeration(kernels: Any, single_root: bool, weights: Array, k: int) -> None:
    values, heads = kernels.arborescence_k_best(weights, k, single_root)
    every = np.sort(tree_values(weights, every_tree(len(weights) - 1, single_root)))[::-1]
    expected = every[every > -np.inf][:k]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
    assert heads.shape == (len(expected), len(weights))
    assert len(set(map(tuple, heads.tolist()))) == len(expected)
    for value, tree in zip(values, heads, strict=True):
        assert_tree(weights, single_root, value, tree)


@both
@rules
@given(weights=graphs())
def test_sums_are_enumeration(kernels: Any, single_root: bool, weights: Array) -> None:
    trees = every_tree(len(weights) - 1, single_root)
    values = tree_values(weights, trees)
    log_partition, marginals = kernels.arborescence_marginals(weights, single_root)
    expected = np.zeros(weights.shape)
    if values.max() == -np.inf:
        assert log_partition == -np.inf
    else:
        total = np.logaddexp.reduce(values)
        assert log_partition == pytest.approx(total, abs=1e-10)
        np.add.at(expected, (trees, np.arange(1, len(weights))), np.exp(values - total)[:, None])
    np.testing.assert_allclose(marginals, expected, rtol=0, atol=1e-10)


@both
@rules
def test_sums_of_weights_far_apart(kernels: Any, single_root: bool) -> None:
    """A determinant of these would be nothing but rounding."""
    rng = np.random.default_rng(2)
    weights = 1000.0 * rng.integers(-1, 2, (6, 6))
    values = tree_values(weights, every_tree(5, single_root))
    log_partition, marginals = kernels.arborescence_marginals(weights, single_root)
    assert log_partition == pytest.approx(np.logaddexp.reduce(values), rel=1e-14)
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, rtol=0, atol=1e-12)


@both
@rules
def test_one_word(kernels: Any, single_root: bool) -> None:
    weights = np.array([[5.0, 2.5], [np.nan, np.inf]])
    value, heads, marginals = kernels.arborescence_max_marginals(weights, single_root)
    assert (value, heads.tolist()) == (2.5, [-1, 0])
    np.testing.assert_array_equal(marginals, [[-np.inf, 2.5], [-np.inf, -np.inf]])
    assert kernels.arborescence_marginals(weights, single_root)[0] == 2.5
    assert kernels.arborescence_k_best(weights, 3, single_root)[1].tolist() == [[-1, 0]]


@both
@rules
def test_no_tree(kernels: Any, single_root: bool) -> None:
    weights = np.zeros((4, 4))
    weights[0] = -np.inf
    value, heads, marginals = kernels.arborescence_max_marginals(weights, single_root)
    assert value == -np.inf
    assert (heads == -1).all()
    assert (marginals == -np.inf).all()
    values, trees = kernels.arborescence_k_best(weights, 2, single_root)
    assert values.shape == (0,)
    assert trees.shape == (0, 4)
    assert_dual(weights, single_root, value, kernels.arborescence_dual(weights, single_root))


@both
def test_strided_and_read_only_weights(kernels: Any) -> None:
    rng = np.random.default_rng(7)
    weights = rng.normal(size=(10, 10))
    expected = kernels.arborescence(weights, True)[0]
    strided = np.repeat(np.asfortranarray(weights), 2, axis=1)[:, ::2]
    for array in (strided, weights):
        array.flags.writeable = False
        assert kernels.arborescence(array, True)[0] == expected


FUNCTIONS: list[tuple[str, tuple[Any, ...]]] = [
    ("arborescence", (False,)),
    ("arborescence_max_marginals", (False,)),
    ("arborescence_dual", (False,)),
    ("arborescence_k_best", (2, False)),
    ("arborescence_marginals", (False,)),
]


@both
@pytest.mark.parametrize(("name", "arguments"), FUNCTIONS)
def test_wrong_arguments_are_named(kernels: Any, name: str, arguments: tuple[Any, ...]) -> None:
    function = getattr(kernels, name)
    for bad in (np.nan, np.inf):
        weights = np.zeros((4, 4))
        weights[2, 3] = bad
        with pytest.raises(ValueError, match=r"weights\[2, 3\]"):
            function(weights, *arguments)
    with pytest.raises(ValueError, match="shape"):
        function(np.zeros((3, 4)), *arguments)
    with pytest.raises(TypeError, match="float64"):
        function(np.zeros((3, 3), np.float32), *arguments)


def test_package_exports_the_chosen_twin() -> None:
    assert (os.environ.get("GAPLESS_PURE") != "1") == gapless_kernels.COMPILED
    chosen = _arborescence if gapless_kernels.COMPILED else _arborescence_twin
    for name, _ in FUNCTIONS:
        assert getattr(gapless_kernels, name) is getattr(chosen, name)
