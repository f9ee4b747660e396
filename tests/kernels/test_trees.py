"""The compiled kernels for trees equal their NumPy twins bit by bit, and both equal enumeration."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from drawn import generators
from hypothesis import given
from hypothesis import strategies as st
from kernel_versions import Array, both, needs_compiled, random_scores, strided, versions, zeros

_trees_twin, _trees = versions("trees._trees")
each_version = both("trees._trees")

# Around the multiples of the vector block (16) and of the sources taken together (4).
EDGES = [1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 45, 48]


@st.composite
def forests(draw, max_n=4, sizes=(1, 2, 3), varying=False):
    """Unary scores, parents, offsets and transitions of some trees."""
    rng = draw(generators())
    lengths = draw(st.lists(st.integers(1, max_n), min_size=1, max_size=5))
    k, integers, share = draw(st.sampled_from(sizes)), draw(st.booleans()), draw(st.sampled_from([0.0, 0.2, 0.7]))
    n = sum(lengths)

    parents = np.concatenate([[int(rng.integers(-1, i)) for i in range(length)] for length in lengths])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    unary, transition = (
        random_scores(rng, shape, integers, share) for shape in ((n, k), (n, k, k) if varying else (k, k))
    )
    return unary, parents, offsets, transition


def viterbi(kernels, unary, parents, offsets, transition):
    out = np.full(unary.shape, 99.0), np.full(len(unary), 99), np.full(len(offsets) - 1, 99.0)
    kernels.tree_viterbi(unary, parents, offsets, transition, *out)
    return out


def leads(kernels, transition):
    table = np.full(transition.shape, 99.0)
    kernels.parent_leads(transition, table)
    return table


def dominance(kernels, unary, parents, offsets, transition):
    out = np.full(unary.shape, 99.0), np.full(len(unary), 99), np.full(len(offsets) - 1, 99.0)
    survived = np.full(len(offsets) - 1, 99)
    kernels.tree_dominance(
        unary, parents, offsets, transition, transition.T.copy(), leads(kernels, transition), *out, survived
    )
    return *out, survived


def score(unary, parents, transition, begin, labels):
    total = 0.0
    for i, x in enumerate(labels):
        pairs = transition if transition.ndim == 2 else transition[begin + i]
        parent = parents[begin + i]
        total += unary[begin + i, x] + (pairs[labels[parent], x] if parent >= 0 else 0.0)
    return float(total)


@each_version
@given(forest=forests() | forests(varying=True))
def test_tree_values_are_enumeration(kernels, forest):
    unary, parents, offsets, transition = forest
    answers = [viterbi(kernels, *forest)]
    if transition.ndim == 2:
        answers.append(dominance(kernels, *forest)[:3])
    for _, labels, values in answers:
        for t, (begin, end) in enumerate(itertools.pairwise(offsets.tolist())):
            every = itertools.product(range(unary.shape[1]), repeat=end - begin)
            best = max(score(unary, parents, transition, begin, path) for path in every)
            assert values[t] == pytest.approx(best, abs=1e-12)
            if best == -np.inf:
                assert (labels[begin:end] == -1).all()
            else:
                total_score = score(unary, parents, transition, begin, labels[begin:end].tolist())
                assert total_score == pytest.approx(best, abs=1e-12)


@each_version
@given(forest=forests(max_n=8, sizes=EDGES))
def test_tree_dominance_is_viterbi_bit_by_bit(kernels, forest):
    pruned, full = dominance(kernels, *forest), viterbi(kernels, *forest)
    for ours, theirs in zip(pruned[:3], full, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert (pruned[3] <= np.diff(forest[2]) * forest[0].shape[1]).all()


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@given(forest=forests(max_n=8, sizes=EDGES) | forests(max_n=8, sizes=EDGES, varying=True))
def test_tree_viterbi_twins_agree(forest):
    for ours, theirs in zip(viterbi(_trees, *forest), viterbi(_trees_twin, *forest), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@given(forest=forests(max_n=8, sizes=EDGES))
def test_tree_dominance_twins_agree(forest):
    np.testing.assert_array_equal(leads(_trees, forest[3]), leads(_trees_twin, forest[3]))
    for ours, theirs in zip(dominance(_trees, *forest), dominance(_trees_twin, *forest), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@each_version
@given(forest=forests(max_n=1, sizes=(1, 2, 5)))
def test_parent_leads_are_never_below_their_definition(kernels, forest):
    transition = forest[3]
    k = len(transition)
    table = leads(kernels, transition)
    for y, x in np.ndindex(k, k):
        allowed = transition[:, x] > -np.inf
        exact = (transition[allowed, x] - transition[allowed, y]).max(initial=-np.inf)
        assert table[y, x] >= exact
        assert table[y, x] == exact or table[y, x] == pytest.approx(exact, abs=1e-300, rel=1e-15)


@each_version
@given(forest=forests(max_n=8, sizes=(1, 2, 7)))
def test_tree_messages_are_upper_bounds_in_exact_arithmetic(kernels, forest):
    """Fraction computes in exact arithmetic."""
    unary, parents, offsets, transition = forest
    messages, _, _ = viterbi(kernels, *forest)
    k = unary.shape[1]
    for begin, end in itertools.pairwise(offsets.tolist()):
        for i in range(begin, end):
            for x in np.flatnonzero(messages[i] > -np.inf):
                expected = Fraction(unary[i, x])
                for c in begin + np.flatnonzero(parents[begin:end] == i - begin):
                    finite = [y for y in range(k) if messages[c, y] > -np.inf and transition[x, y] > -np.inf]
                    expected += max(Fraction(messages[c, y]) + Fraction(transition[x, y]) for y in finite)
                assert Fraction(messages[i, x]) >= expected


@each_version
def test_tree_dominance_drops_most_labels_of_sharp_scores(kernels):
    rng = np.random.default_rng(0)
    n, k = 40, 45
    unary = 20 * rng.normal(size=(n, k))
    parents = np.array([-1, *(int(rng.integers(i)) for i in range(1, n))])
    *_, survived = dominance(kernels, unary, parents, np.array([0, n]), rng.normal(size=(k, k)))
    assert n <= survived[0] < 2 * n


@each_version
def test_tree_viterbi_takes_strided_and_read_only_arrays(kernels):
    rng = np.random.default_rng(5)
    unary, transition = rng.normal(size=(7, 19)), rng.normal(size=(19, 19))
    parents, offsets = np.array([-1, 0, 0, 2, -1, 0, 1]), np.array([0, 4, 7])
    expected = viterbi(kernels, unary, parents, offsets, transition)
    messages, labels, values = np.full((19, 7), 99.0), np.full(14, 99), np.full(4, 99.0)
    inputs = map(strided, (unary, parents, offsets, transition))
    kernels.tree_viterbi(*inputs, messages.T, labels[::2], values[::2])
    for ours, theirs in zip((messages.T, labels[::2], values[::2]), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert (labels[1::2] == 99).all()
    assert (values[1::2] == 99).all()


@each_version
def test_tree_kernels_keep_nan_within_bounds(kernels):
    nan = np.full((4, 18), np.nan), np.array([-1, 0, 1, 0]), np.array([0, 4]), np.full((18, 18), np.nan)
    for labels in (viterbi(kernels, *nan)[1], dominance(kernels, *nan)[1]):
        assert ((labels >= -1) & (labels < 18)).all()


ONE = np.array([0, 3])
PARENTS = np.array([-1, 0, 1])
OUT = zeros(3, 2), zeros(3, dtype=np.int64), zeros(1)
GOOD = {"unary": zeros(3, 2), "parents": PARENTS, "offsets": ONE, "transition": zeros(2, 2)}
GOOD |= dict(zip(("messages", "labels", "values"), OUT, strict=True))
WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"unary": zeros(3)}, ValueError, r"unary .*\(n, K\)"),
    ({"unary": zeros(3, 2, dtype=np.float32)}, TypeError, "unary must be float64"),
    ({"unary": [[0.0]]}, TypeError, "unary must be a NumPy array"),
    ({"transition": zeros(2, 2, 2)}, ValueError, r"transition .*\(2, 2\) or \(3, 2, 2\)"),
    ({"offsets": np.array([0, 2])}, ValueError, "offsets"),
    ({"parents": zeros(3)}, TypeError, "parents must be int64"),
    ({"parents": [-1, 0, 1]}, TypeError, "parents must be a NumPy array"),
    ({"parents": PARENTS[:2]}, ValueError, r"parents must have shape \(3,\)"),
    ({"parents": np.array([-1, 0, 2])}, ValueError, "got 2 in row 2"),
    ({"parents": np.array([-2, 0, 1])}, ValueError, "got -2 in row 0"),
    ({"offsets": np.array([0, 2, 3]), "values": zeros(2)}, ValueError, "got 1 in row 2, which is node 0"),
    ({"messages": zeros(2, 2)}, ValueError, "messages"),
    ({"labels": zeros(3)}, TypeError, "labels must be int64"),
    ({"values": zeros(2)}, ValueError, "values"),
]


@each_version
@pytest.mark.parametrize(("change", "error", "message"), WRONG)
def test_tree_viterbi_names_wrong_arguments(kernels, change, error, message):
    with pytest.raises(error, match=message):
        kernels.tree_viterbi(*(GOOD | change).values())


TABLES = {"transition": zeros(2, 2), "child_first": zeros(2, 2), "leads": zeros(2, 2)}
WRONG_TABLES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"child_first": zeros(2, 3)}, ValueError, r"child_first must have shape \(2, 2\)"),
    ({"leads": zeros(2, 3)}, ValueError, r"leads must have shape \(2, 2\)"),
    ({"transition": zeros(3, 2, 2)}, ValueError, r"transition must have shape \(2, 2\)"),
    ({"survived": zeros(1)}, TypeError, "survived must be int64"),
]
WRONG_LEADS: list[tuple[Any, Array, type[Exception], str]] = [
    (zeros(2, 3), zeros(2, 2), ValueError, r"transition must have shape \(K, K\)"),
    ([[0.0]], zeros(1, 1), TypeError, "transition must be a NumPy array"),
    (zeros(2, 2), zeros(3, 3), ValueError, "leads must have shape"),
]


@each_version
@pytest.mark.parametrize(("change", "error", "message"), WRONG_TABLES)
def test_tree_dominance_names_wrong_tables(kernels, change, error, message):
    *tables, survived = (TABLES | {"survived": zeros(1, dtype=np.int64)} | change).values()
    with pytest.raises(error, match=message):
        kernels.tree_dominance(zeros(3, 2), PARENTS, ONE, *tables, *OUT, survived)


@each_version
@pytest.mark.parametrize(("transition", "table", "error", "message"), WRONG_LEADS)
def test_parent_leads_names_wrong_arguments(kernels, transition, table, error, message):
    with pytest.raises(error, match=message):
        kernels.parent_leads(transition, table)
