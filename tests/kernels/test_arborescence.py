"""The kernels for arborescences equal enumeration, networkx and each other."""

import itertools

import networkx
import numpy as np
import pytest
from drawn import generators
from every_tree import by_arc, every_tree, forced, is_tree, real_arcs, tree_values
from hypothesis import given
from hypothesis import strategies as st
from kernel_versions import both, changed, needs_compiled, random_scores, rules, strided, versions, zeros

_arborescence_twin, _arborescence = versions("arborescences._arborescence")
each_version = both("arborescences._arborescence")


def random_weights(rng, n, integers, share, root):
    weights = random_scores(rng, (n + 1, n + 1), integers, share) * (1 if integers else 3)
    weights[0] += root
    return weights


@st.composite
def graphs(draw, max_n=5):
    rng = draw(generators())
    share, root = draw(st.sampled_from([0.0, 0.2, 0.5])), draw(st.sampled_from([-100.0, -4.0, 0.0, 4.0]))
    return random_weights(rng, draw(st.integers(1, max_n)), draw(st.booleans()), share, root)


def assert_tree(weights, single_root, value, heads):
    if value == -np.inf:
        assert (heads == -1).all()
    else:
        assert is_tree(heads.tolist(), single_root, projective=False)
        assert value == tree_values(weights, heads[None])[0]


def all_values(weights, single_root):
    """Enumerate the trees and their values."""
    trees = every_tree(len(weights) - 1, single_root, projective=False)
    return trees, tree_values(weights, trees)


@each_version
@rules
@given(weights=graphs())
def test_arborescences_are_enumeration(kernels, single_root, weights):
    value, heads = kernels.arborescence(weights, single_root)
    assert value == pytest.approx(all_values(weights, single_root)[1].max(), abs=1e-12)
    assert_tree(weights, single_root, value, heads)


@each_version
@rules
@given(weights=graphs(), gap=st.sampled_from([0.0, 1.0, 4.0]))
def test_arborescence_max_marginals_are_enumeration(kernels, single_root, weights, gap):
    expected = by_arc(*all_values(weights, single_root), np.maximum, -np.inf)
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


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@rules
@pytest.mark.parametrize("n", [8, 15, 16, 23, 31])
def test_arborescence_max_marginals_are_those_of_forced_arcs(n, single_root):
    rng = np.random.default_rng(n)
    for integers, share, root in [(True, 0.0, 0.0), (True, 0.6, -2.0), (False, 0.0, -8.0), (False, 0.7, 3.0)]:
        weights = random_weights(rng, n, integers, share, root)
        _, _, marginals = _arborescence.arborescence_max_marginals(weights, single_root)
        assert (marginals[~real_arcs(weights)] == -np.inf).all()
        for h, m in np.argwhere(real_arcs(weights)).tolist():
            value, _ = _arborescence.arborescence(forced(weights, h, m), single_root)
            assert marginals[h, m] == pytest.approx(value, abs=1e-9)


@needs_compiled
@pytest.mark.parametrize("n", [7, 8, 9, 17, 40])
def test_arborescences_are_those_of_networkx(n):
    rng = np.random.default_rng(n)
    for integers, share in itertools.product([False, True], [0.0, 0.5]):
        weights = random_weights(rng, n, integers, share, -3.0)
        graph = networkx.DiGraph()
        arcs = np.argwhere(real_arcs(weights) & (weights > -np.inf)).tolist()
        graph.add_weighted_edges_from((h, m, weights[h, m]) for h, m in arcs)
        tree = networkx.maximum_spanning_arborescence(graph)
        value, _ = _arborescence.arborescence(weights, False)
        assert value == pytest.approx(tree.size("weight"), abs=1e-9)


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@rules
@pytest.mark.parametrize("n", [7, 8, 9, 15, 16, 17, 33, 100])
def test_large_arborescences_twins_agree(n, single_root):
    rng = np.random.default_rng(n)
    for integers, share, root in itertools.product([False, True], [0.0, 0.5, 0.9], [-50.0, 0.0]):
        weights = random_weights(rng, n, integers, share, root)
        value, heads = _arborescence.arborescence(weights, single_root)
        assert_tree(weights, single_root, value, heads)
        assert value == pytest.approx(_arborescence_twin.arborescence(weights, single_root)[0], abs=1e-9)


@each_version
@rules
def test_arborescence_opens_deeply_nested_cycles(kernels, single_root):
    """Each contracted cycle is a cycle with the next word."""
    n = 40
    weights = np.full((n + 1, n + 1), -np.inf)
    weights[0, 1:] = -1000.0
    for m in range(1, n):
        weights[m, m + 1] = weights[m + 1, m] = -float(m)
    value, heads = kernels.arborescence(weights, single_root)
    assert value == -1000.0 - sum(range(1, n)) if single_root else value >= -1000.0 - sum(range(1, n))
    assert_tree(weights, single_root, value, heads)


@each_version
def test_arborescence_keeps_a_single_root_under_any_weights(kernels):
    """Scores at which a penalty on arcs out of 0 would be lost in the digits, or lose those of the rest."""
    weights = np.array([[0, 1e15, 1e15, 1e15], [0, 0, 0.5, 0.25], [0, 0.125, 0, 0.75], [0, 0.5, 0.25, 0]])
    value, heads = kernels.arborescence(weights, True)
    assert (heads[1:] == 0).sum() == 1
    assert value == 1e15 + 1.25
    many, roots = kernels.arborescence(weights, False)
    assert many == 3e15
    assert (roots[1:] == 0).all()


@each_version
@rules
@given(weights=graphs(max_n=4), k=st.integers(1, 40))
def test_arborescence_k_best_are_enumeration(kernels, single_root, weights, k):
    values, heads = kernels.arborescence_k_best(weights, k, single_root)
    every = np.sort(all_values(weights, single_root)[1])[::-1]
    expected = every[every > -np.inf][:k]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
    assert heads.shape == (len(expected), len(weights))
    assert len(set(map(tuple, heads.tolist()))) == len(expected)
    for value, tree in zip(values, heads, strict=True):
        assert_tree(weights, single_root, value, tree)


@each_version
@rules
@given(weights=graphs())
def test_arborescence_marginals_are_enumeration(kernels, single_root, weights):
    trees, values = all_values(weights, single_root)
    log_partition, marginals = kernels.arborescence_marginals(weights, single_root)
    total = np.logaddexp.reduce(values)
    assert log_partition == (total if total == -np.inf else pytest.approx(total, abs=1e-10))
    shares = np.exp(values - total) if total > -np.inf else np.zeros(len(values))
    np.testing.assert_allclose(marginals, by_arc(trees, shares, np.add, 0.0), rtol=0, atol=1e-10)


@each_version
@rules
def test_arborescence_marginals_of_weights_far_apart_add_up(kernels, single_root):
    """A determinant of these would be nothing but rounding."""
    rng = np.random.default_rng(2)
    weights = 1000.0 * rng.integers(-1, 2, (6, 6))
    _, values = all_values(weights, single_root)
    log_partition, marginals = kernels.arborescence_marginals(weights, single_root)
    assert log_partition == pytest.approx(np.logaddexp.reduce(values), rel=1e-14)
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, rtol=0, atol=1e-12)


@each_version
@rules
def test_arborescence_of_one_word(kernels, single_root):
    weights = np.array([[5.0, 2.5], [np.nan, np.inf]])
    value, heads, marginals = kernels.arborescence_max_marginals(weights, single_root)
    assert (value, heads.tolist()) == (2.5, [-1, 0])
    np.testing.assert_array_equal(marginals, [[-np.inf, 2.5], [-np.inf, -np.inf]])
    assert kernels.arborescence_marginals(weights, single_root)[0] == 2.5
    assert kernels.arborescence_k_best(weights, 3, single_root)[1].tolist() == [[-1, 0]]


@each_version
@rules
def test_arborescence_kernels_report_that_there_is_no_tree(kernels, single_root):
    weights = changed(zeros(4, 4), 0, -np.inf)
    value, heads, marginals = kernels.arborescence_max_marginals(weights, single_root)
    assert value == -np.inf
    assert (heads == -1).all()
    assert (marginals == -np.inf).all()
    values, trees = kernels.arborescence_k_best(weights, 2, single_root)
    assert (values.shape, trees.shape) == ((0,), (0, 4))


@each_version
def test_arborescence_takes_strided_and_read_only_weights(kernels):
    weights = np.random.default_rng(7).normal(size=(10, 10))
    expected = kernels.arborescence(weights, True)[0]
    assert kernels.arborescence(strided(weights), True)[0] == expected
    weights.flags.writeable = False
    assert kernels.arborescence(weights, True)[0] == expected


@each_version
@pytest.mark.parametrize("name", ["", "_max_marginals", "_k_best", "_marginals"])
@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (changed(zeros(4, 4), (2, 3), np.nan), ValueError, r"weights\[2, 3\]"),
        (changed(zeros(4, 4), (2, 3), np.inf), ValueError, r"weights\[2, 3\]"),
        (zeros(3, 4), ValueError, "shape"),
        (np.zeros((3, 3), np.float32), TypeError, "float64"),
    ],
)
def test_arborescence_kernels_name_wrong_weights(kernels, name, weights, error, message):
    with pytest.raises(error, match=message):
        getattr(kernels, f"arborescence{name}")(weights, *([2] if name == "_k_best" else []), False)
