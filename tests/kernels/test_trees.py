"""The compiled kernels for trees equal their NumPy twins bit by bit, and both equal enumeration."""

import itertools
import os
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from drawn import generators
from hypothesis import given
from hypothesis import strategies as st

import gapless_kernels
from gapless_kernels.trees import _trees_twin

Array = npt.NDArray[Any]

IMPLEMENTATIONS = [pytest.param(_trees_twin, id="numpy")]
if gapless_kernels.COMPILED:
    from gapless_kernels.trees import _trees

    IMPLEMENTATIONS.append(pytest.param(_trees, id="compiled"))

both = pytest.mark.parametrize("kernels", IMPLEMENTATIONS)
needs_compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")

# Around the multiples of the vector block (16) and of the sources taken together (4).
EDGES = [1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 45, 48]


@st.composite
def forests(draw: st.DrawFn, max_n: int = 4, sizes: Any = (1, 2, 3), varying: bool = False) -> Any:
    """Unary scores, parents, offsets and transitions of some trees."""
    rng = draw(generators())
    lengths = draw(st.lists(st.integers(1, max_n), min_size=1, max_size=5))
    k, integers, share = draw(st.sampled_from(sizes)), draw(st.booleans()), draw(st.sampled_from([0.0, 0.2, 0.7]))
    n = sum(lengths)

    def scores(*shape: int) -> Array:
        values = rng.integers(-3, 4, shape).astype(float) if integers else rng.normal(size=shape)
        values[rng.random(shape) < share] = -np.inf
        return values

    parents = np.concatenate([[int(rng.integers(-1, i)) for i in range(length)] for length in lengths])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return scores(n, k), parents, offsets, scores(n, k, k) if varying else scores(k, k)


def viterbi(kernels: Any, unary: Array, parents: Array, offsets: Array, transition: Array) -> tuple[Array, ...]:
    found = np.full(unary.shape, 99.0), np.full(len(unary), 99), np.full(len(offsets) - 1, 99.0)
    kernels.tree_viterbi(unary, parents, offsets, transition, *found)
    return found


def leads(kernels: Any, transition: Array) -> Array:
    table = np.full(transition.shape, 99.0)
    kernels.parent_leads(transition, table)
    return table


def dominance(kernels: Any, unary: Array, parents: Array, offsets: Array, transition: Array) -> tuple[Array, ...]:
    found = np.full(unary.shape, 99.0), np.full(len(unary), 99), np.full(len(offsets) - 1, 99.0)
    survived = np.full(len(offsets) - 1, 99)
    kernels.tree_dominance(
        unary, parents, offsets, transition, transition.T.copy(), leads(kernels, transition), *found, survived
    )
    return *found, survived


def score(unary: Array, parents: Array, transition: Array, begin: int, labels: Any) -> float:
    total = 0.0
    for i, x in enumerate(labels):
        pairs = transition if transition.ndim == 2 else transition[begin + i]
        parent = parents[begin + i]
        total += unary[begin + i, x] + (pairs[labels[parent], x] if parent >= 0 else 0.0)
    return float(total)


@both
@given(forest=forests() | forests(varying=True))
def test_values_are_enumeration(kernels: Any, forest: Any) -> None:
    unary, parents, offsets, transition = forest
    answers = [viterbi(kernels, *forest)]
    if transition.ndim == 2:
        answers.append(dominance(kernels, *forest)[:3])
    for _, labels, values in answers:
        for t, (begin, end) in enumerate(itertools.pairwise(offsets.tolist())):
            every = itertools.product(range(unary.shape[1]), repeat=end - begin)
            best = max(score(unary, parents, transition, begin, here) for here in every)
            assert values[t] == pytest.approx(best, abs=1e-12)
            if best == -np.inf:
                assert (labels[begin:end] == -1).all()
            else:
                own = score(unary, parents, transition, begin, labels[begin:end].tolist())
                assert own == pytest.approx(best, abs=1e-12)


@both
@given(forest=forests(max_n=8, sizes=EDGES))
def test_dominance_is_viterbi_bit_by_bit(kernels: Any, forest: Any) -> None:
    pruned, full = dominance(kernels, *forest), viterbi(kernels, *forest)
    for ours, theirs in zip(pruned[:3], full, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert (pruned[3] <= np.diff(forest[2]) * forest[0].shape[1]).all()


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@given(forest=forests(max_n=8, sizes=EDGES) | forests(max_n=8, sizes=EDGES, varying=True))
def test_viterbi_twins_agree(forest: Any) -> None:
    for ours, theirs in zip(viterbi(_trees, *forest), viterbi(_trees_twin, *forest), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@given(forest=forests(max_n=8, sizes=EDGES))
def test_dominance_twins_agree(forest: Any) -> None:
    np.testing.assert_array_equal(leads(_trees, forest[3]), leads(_trees_twin, forest[3]))
    for ours, theirs in zip(dominance(_trees, *forest), dominance(_trees_twin, *forest), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@both
@given(forest=forests(max_n=1, sizes=(1, 2, 5)))
def test_leads_are_their_definition_and_never_below_it(kernels: Any, forest: Any) -> None:
    transition = forest[3]
    k = len(transition)
    table = leads(kernels, transition)
    for y, x in np.ndindex(k, k):
        allowed = transition[:, x] > -np.inf
        exact = (transition[allowed, x] - transition[allowed, y]).max(initial=-np.inf)
        assert table[y, x] >= exact
        assert table[y, x] == exact or table[y, x] == pytest.approx(exact, abs=1e-300, rel=1e-15)


@both
@given(forest=forests(max_n=8, sizes=(1, 2, 7)))
def test_messages_are_never_below_what_they_bound(kernels: Any, forest: Any) -> None:
    """In exact arithmetic, which Fraction stands for here."""
    unary, parents, offsets, transition = forest
    messages, _, _ = viterbi(kernels, *forest)
    k = unary.shape[1]
    for begin, end in itertools.pairwise(offsets.tolist()):
        for i in range(begin, end):
            for x in np.flatnonzero(messages[i] > -np.inf):
                owed = Fraction(unary[i, x])
                for c in begin + np.flatnonzero(parents[begin:end] == i - begin):
                    finite = [y for y in range(k) if messages[c, y] > -np.inf and transition[x, y] > -np.inf]
                    owed += max(Fraction(messages[c, y]) + Fraction(transition[x, y]) for y in finite)
                assert Fraction(messages[i, x]) >= owed


@both
def test_survivors_are_few_where_scores_are_sharp(kernels: Any) -> None:
    rng = np.random.default_rng(0)
    n, k = 40, 45
    unary = 20 * rng.normal(size=(n, k))
    parents = np.array([-1, *(int(rng.integers(i)) for i in range(1, n))])
    *_, survived = dominance(kernels, unary, parents, np.array([0, n]), rng.normal(size=(k, k)))
    assert n <= survived[0] < 2 * n


@both
def test_strided_and_read_only_arrays(kernels: Any) -> None:
    rng = np.random.default_rng(5)
    unary, transition = rng.normal(size=(7, 19)), rng.normal(size=(19, 19))
    parents, offsets = np.array([-1, 0, 0, 2, -1, 0, 1]), np.array([0, 4, 7])
    expected = viterbi(kernels, unary, parents, offsets, transition)
    strided = np.repeat(np.asfortranarray(unary), 2, axis=1)[:, ::2]
    for array in (strided, transition, parents, offsets):
        array.flags.writeable = False
    messages, labels, values = np.full((19, 7), 99.0), np.full(14, 99), np.full(4, 99.0)
    kernels.tree_viterbi(strided, parents, offsets, transition, messages.T, labels[::2], values[::2])
    for ours, theirs in zip((messages.T, labels[::2], values[::2]), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert (labels[1::2] == 99).all()
    assert (values[1::2] == 99).all()


@both
def test_nan_never_leads_out_of_bounds(kernels: Any) -> None:
    nan = np.full((4, 18), np.nan), np.array([-1, 0, 1, 0]), np.array([0, 4]), np.full((18, 18), np.nan)
    for labels in (viterbi(kernels, *nan)[1], dominance(kernels, *nan)[1]):
        assert ((labels >= -1) & (labels < 18)).all()


def zeros(*shape: int, dtype: Any = np.float64) -> Array:
    return np.zeros(shape, dtype)


I64 = np.int64
ONE = np.array([0, 3])
PARENTS = np.array([-1, 0, 1])
OUT = zeros(3, 2), zeros(3, dtype=I64), zeros(1)
WRONG = [
    ((zeros(3), PARENTS, ONE, zeros(2, 2), *OUT), ValueError, r"unary .*\(n, K\)"),
    ((zeros(3, 2, dtype=np.float32), PARENTS, ONE, zeros(2, 2), *OUT), TypeError, "unary must be float64"),
    (([[0.0]], PARENTS, ONE, zeros(2, 2), *OUT), TypeError, "unary must be a NumPy array"),
    ((zeros(3, 2), PARENTS, ONE, zeros(2, 2, 2), *OUT), ValueError, r"transition .*\(2, 2\) or \(3, 2, 2\)"),
    ((zeros(3, 2), PARENTS, np.array([0, 2]), zeros(2, 2), *OUT), ValueError, "offsets"),
    ((zeros(3, 2), zeros(3), ONE, zeros(2, 2), *OUT), TypeError, "parents must be int64"),
    ((zeros(3, 2), [-1, 0, 1], ONE, zeros(2, 2), *OUT), TypeError, "parents must be a NumPy array"),
    ((zeros(3, 2), PARENTS[:2], ONE, zeros(2, 2), *OUT), ValueError, r"parents must have shape \(3,\)"),
    ((zeros(3, 2), np.array([-1, 0, 2]), ONE, zeros(2, 2), *OUT), ValueError, "got 2 in row 2"),
    ((zeros(3, 2), np.array([-2, 0, 1]), ONE, zeros(2, 2), *OUT), ValueError, "got -2 in row 0"),
    (
        (zeros(3, 2), PARENTS, np.array([0, 2, 3]), zeros(2, 2), *OUT[:2], zeros(2)),
        ValueError,
        "got 1 in row 2, which is node 0",
    ),
    ((zeros(3, 2), PARENTS, ONE, zeros(2, 2), zeros(2, 2), *OUT[1:]), ValueError, "messages"),
    ((zeros(3, 2), PARENTS, ONE, zeros(2, 2), OUT[0], zeros(3), OUT[2]), TypeError, "labels must be int64"),
    ((zeros(3, 2), PARENTS, ONE, zeros(2, 2), *OUT[:2], zeros(2)), ValueError, "values"),
]


@both
@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
def test_wrong_arguments_are_named(
    kernels: Any, arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        kernels.tree_viterbi(*arguments)


@both
def test_wrong_tables_are_named(kernels: Any) -> None:
    def decode(**changed: Any) -> None:
        tables = {"transition": zeros(2, 2), "child_first": zeros(2, 2), "leads": zeros(2, 2), **changed}
        survived = changed.get("survived", zeros(1, dtype=I64))
        kernels.tree_dominance(zeros(3, 2), PARENTS, ONE, *list(tables.values())[:3], *OUT, survived)

    for name in ("child_first", "leads"):
        with pytest.raises(ValueError, match=rf"{name} must have shape \(2, 2\)"):
            decode(**{name: zeros(2, 3)})
    with pytest.raises(ValueError, match=r"transition must have shape \(2, 2\)"):
        decode(transition=zeros(3, 2, 2))
    with pytest.raises(TypeError, match="survived must be int64"):
        decode(survived=zeros(1))
    with pytest.raises(ValueError, match=r"transition must have shape \(K, K\)"):
        kernels.parent_leads(zeros(2, 3), zeros(2, 2))
    with pytest.raises(TypeError, match="transition must be a NumPy array"):
        kernels.parent_leads([[0.0]], zeros(1, 1))
    with pytest.raises(ValueError, match="leads must have shape"):
        kernels.parent_leads(zeros(2, 2), zeros(3, 3))


def test_package_exports_the_chosen_twin() -> None:
    assert (os.environ.get("GAPLESS_PURE") != "1") == gapless_kernels.COMPILED
    chosen = _trees if gapless_kernels.COMPILED else _trees_twin
    for name in ("parent_leads", "tree_dominance", "tree_viterbi"):
        assert getattr(gapless_kernels, name) is getattr(chosen, name)
