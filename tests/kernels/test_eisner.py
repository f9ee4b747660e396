"""Projective parsing of every order: compiled kernels and twins equal enumeration and each other."""

import functools
import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from drawn import examples, generators
from every_tree import by_arc, every_tree, forced, is_tree, real_arcs, tree_values
from hypothesis import given
from hypothesis import strategies as st
from kernel_versions import changed, needs_compiled, random_scores, rules, strided, versions, zeros

from gapless_dependency import AdjacentSibling, GrandSibling, OutermostGrandchild
from gapless_kernels import COMPILED

PAIRS = zip(versions("parsing._eisner"), versions("parsing._eisner_higher"), strict=True)
TWIN, KERNELS = (SimpleNamespace(**{**vars(first), **vars(higher)}) for first, higher in PAIRS)

PARTS = {
    "eisner": (),
    "eisner_sibling": ("sibling",),
    "eisner_carreras": ("sibling", "grandchild"),
    "eisner_grand_sibling": ("grandchild", "sibling", "grand_sibling"),
}
"""Scores of larger parts that each order takes, in the order of the arguments."""
AXES = {"sibling": 3, "grandchild": 3, "grand_sibling": 4}

each_version = pytest.mark.parametrize(
    "kernels", [TWIN, KERNELS][: 1 + COMPILED], ids=["numpy", "compiled"][: 1 + COMPILED]
)
each_order = pytest.mark.parametrize("order", PARTS)
higher_orders = pytest.mark.parametrize("order", [order for order in PARTS if PARTS[order]])

# Around the multiples of the vector's eight lanes, where rows of the charts end in margins.
EDGES = [1, 2, 6, 7, 8, 9, 10, 15, 16, 17, 18, 24, 25, 33]


@st.composite
def weights_of_arcs(draw, sizes=(1, 2, 3, 4, 5)):
    """Weights with ties or without, some or many arcs missing; entries that are ignored hold anything."""
    size = draw(st.sampled_from(sizes)) + 1
    missing = draw(st.sampled_from([0.0, 0.3, 0.6, 0.9]))
    weights = random_scores(draw(generators()), (size, size), draw(st.booleans()), missing)
    np.fill_diagonal(weights, draw(st.sampled_from([0.0, 1e9, np.nan, np.inf])))
    weights[:, 0] = draw(st.sampled_from([0.0, 1e9, np.nan, np.inf]))
    return weights


@st.composite
def sentences(draw, order, sizes):
    """Weights, the score arrays of the order (some None), and the rule for roots."""
    weights = draw(weights_of_arcs(sizes))
    rng, integers, missing = draw(generators()), draw(st.booleans()), draw(st.sampled_from([0.0, 0.1]))
    parts = [
        random_scores(rng, (len(weights),) * AXES[name], integers, missing) if draw(st.integers(0, 3)) else None
        for name in PARTS[order]
    ]
    return weights, parts, draw(st.booleans())


def random_sentence(order, n, missing, seed):
    rng = np.random.default_rng(seed)
    weights = random_scores(rng, (n + 1, n + 1), False, missing)
    return rng, weights, [random_scores(rng, (n + 1,) * AXES[name], False, 0.02) for name in PARTS[order]]


def value_of(order, weights, parts, heads):
    """Sum the scores of a tree as the factor classes define them."""
    words = heads[1:]
    terms = [weights[head, m] for m, head in enumerate(words, start=1)]
    given_parts = dict(zip(PARTS[order], parts, strict=True))
    if given_parts.get("sibling") is not None:
        terms.append(AdjacentSibling(given_parts["sibling"]).value(words))
    if given_parts.get("grand_sibling") is not None:
        terms.append(GrandSibling(given_parts["grand_sibling"]).value(words))
    grandchild = given_parts.get("grandchild")
    if grandchild is not None and order == "eisner_carreras":
        terms.append(OutermostGrandchild(grandchild).value(words))
    elif grandchild is not None:
        terms += [grandchild[heads[h], h, m] for m, h in enumerate(words, start=1) if h]
    return math.fsum(terms)


def solve(kernels, order, weights, parts, single_root):
    return getattr(kernels, order)(weights, *parts, single_root)


def max_marginals(kernels, order, weights, parts, single_root):
    return getattr(kernels, f"{order}_max_marginals")(weights, *parts, single_root)


@each_version
@each_order
@examples(30)
@given(data=st.data())
def test_projective_values_and_max_marginals_are_enumeration(kernels, order, data):
    sizes = (1, 2, 3, 4) if kernels is TWIN and PARTS[order] else (1, 2, 3, 4, 5)
    weights, parts, single_root = data.draw(sentences(order, sizes))
    trees = every_tree(len(weights) - 1, single_root)
    values = np.array([value_of(order, weights, parts, heads) for heads in trees])
    value, heads = solve(kernels, order, weights, parts, single_root)
    assert heads.dtype == np.int64
    assert value == pytest.approx(values.max(), abs=1e-12)
    if value == -np.inf:
        assert (heads == -1).all()
    else:
        assert is_tree(heads.tolist(), single_root, projective=True)
        assert value_of(order, weights, parts, heads) == pytest.approx(value, abs=1e-12)
        assert PARTS[order] or value == tree_values(weights, heads[None])[0]
    again, same, marginals = max_marginals(kernels, order, weights, parts, single_root)
    assert again == value
    assert same.tolist() == heads.tolist()
    np.testing.assert_allclose(marginals, by_arc(trees, values, np.maximum, -np.inf), rtol=0, atol=1e-12)


@each_version
@rules
@given(weights=weights_of_arcs(), k=st.sampled_from([1, 2, 3, 10, 1000]))
def test_eisner_k_best_are_enumeration(kernels, single_root, weights, k):
    values = tree_values(weights, every_tree(len(weights) - 1, single_root))
    expected = np.sort(values[values > -np.inf])[::-1][:k]
    found, heads = kernels.eisner_k_best(weights, k, single_root)
    assert found.shape == expected.shape
    assert heads.shape == (len(found), len(weights))
    assert heads.dtype == np.int64
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found, tree_values(weights, heads))
    assert (np.diff(found) <= 0).all()
    assert len({tuple(tree) for tree in heads.tolist()}) == len(heads)
    assert all(is_tree(tree, single_root, projective=True) for tree in heads.tolist())


@each_version
@rules
@given(weights=weights_of_arcs(), scale=st.sampled_from([1.0, 1e3]))
def test_eisner_marginals_are_enumeration(kernels, single_root, weights, scale):
    weights = weights * scale
    trees = every_tree(len(weights) - 1, single_root)
    values = tree_values(weights, trees)
    log_partition, marginals = kernels.eisner_marginals(weights, single_root)
    assert log_partition == pytest.approx(np.logaddexp.reduce(values), rel=1e-12, abs=1e-12)
    shares = np.exp(values - log_partition) if log_partition > -np.inf else np.zeros(len(values))
    np.testing.assert_allclose(marginals, by_arc(trees, shares, np.add, 0.0), rtol=0, atol=1e-10)


def assert_forcing_gives(kernels, order, weights, parts, single_root, arcs):
    """Compare max-marginals with the best values of problems that force one arc."""
    value, heads, marginals = max_marginals(kernels, order, weights, parts, single_root)
    for h, m in arcs:
        expected, _ = solve(kernels, order, forced(weights, h, m), parts, single_root)
        assert marginals[h, m] == pytest.approx(expected, abs=1e-10)
    assert (marginals[~real_arcs(weights)] == -np.inf).all()
    assert marginals.max() == pytest.approx(value, abs=1e-10)
    if value > -np.inf:
        chosen = marginals[heads[1:], np.arange(1, len(heads))]
        np.testing.assert_allclose(chosen, value, rtol=0, atol=1e-10)


@each_version
@rules
@given(weights=weights_of_arcs(sizes=(6, 7, 8, 9, 10)))
def test_eisner_max_marginals_are_those_of_forced_arcs(kernels, single_root, weights):
    """Beyond what can be enumerated; the twin is too slow for more words."""
    assert_forcing_gives(kernels, "eisner", weights, [], single_root, np.argwhere(real_arcs(weights)).tolist())


@needs_compiled
@higher_orders
@pytest.mark.parametrize("n", [8, 9, 16, 17, 33])
@rules
def test_higher_order_max_marginals_are_those_of_forced_arcs(order, n, single_root):
    rng, weights, parts = random_sentence(order, n, 0.3, n)
    arcs = rng.permutation(np.argwhere(real_arcs(weights)))[:40].tolist()
    assert_forcing_gives(KERNELS, order, weights, parts, single_root, arcs)


@functools.cache
def answers_of_the_twin(single_root, n):
    """Random weights with the twin's answers, which are the same for every instruction set."""
    rng = np.random.default_rng(n)
    cases = itertools.product([0.0, 0.5, 0.85], [True, False])
    weights = [random_scores(rng, (n + 1, n + 1), integers, missing) for missing, integers in cases]
    return [(w, TWIN.eisner_max_marginals(w, single_root), TWIN.eisner_marginals(w, single_root)) for w in weights]


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@rules
@pytest.mark.parametrize("n", [*EDGES, 41, 60])
def test_eisner_twins_agree(single_root, n):
    for weights, theirs, theirs_sum in answers_of_the_twin(single_root, n):
        ours = KERNELS.eisner_max_marginals(weights, single_root)
        assert ours[0] == pytest.approx(theirs[0], abs=1e-11)
        np.testing.assert_allclose(ours[2], theirs[2], rtol=0, atol=1e-11)
        if ours[0] > -np.inf:
            assert is_tree(ours[1].tolist(), single_root, projective=True)
            assert ours[0] == tree_values(weights, ours[1][None])[0]
            # No arc is in a tree better than the best, and the best tree's are in one as good.
            assert ours[2].max() == pytest.approx(ours[0], abs=1e-11)
            assert ours[2][ours[1][1:], np.arange(1, n + 1)] == pytest.approx(ours[0], abs=1e-11)
        ours_sum = KERNELS.eisner_marginals(weights, single_root)
        assert ours_sum[0] == pytest.approx(theirs_sum[0], abs=1e-9)
        np.testing.assert_allclose(ours_sum[1], theirs_sum[1], rtol=0, atol=1e-9)


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@rules
@given(weights=weights_of_arcs(sizes=(6, 8, 9, 12)), k=st.sampled_from([1, 5, 40]))
def test_eisner_k_best_twins_agree(single_root, weights, k):
    ours, heads = KERNELS.eisner_k_best(weights, k, single_root)
    theirs, _ = TWIN.eisner_k_best(weights, k, single_root)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    assert len({tuple(tree) for tree in heads.tolist()}) == len(heads)


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@higher_orders
@examples(6)
@given(data=st.data())
def test_higher_order_twins_agree_on_longer_sentences(order, data):
    weights, parts, single_root = data.draw(sentences(order, range(1, 13)))
    value, heads, _ = max_marginals(KERNELS, order, weights, parts, single_root)
    expected, _ = solve(TWIN, order, weights, parts, single_root)
    assert value == pytest.approx(expected, abs=1e-11)
    assert expected == -np.inf or value_of(order, weights, parts, heads) == pytest.approx(value, abs=1e-11)


@each_version
def test_higher_orders_agree_without_their_extra_scores(kernels):
    rng = np.random.default_rng(3)
    weights, sibling = rng.normal(size=(10, 10)), rng.normal(size=(10, 10, 10))
    expected, _ = kernels.eisner_sibling(weights, sibling, True)
    grand = np.broadcast_to(sibling, (10, 10, 10, 10))
    for order, parts in (
        ("eisner_carreras", [sibling, None]),
        ("eisner_grand_sibling", [None, sibling, None]),
        ("eisner_grand_sibling", [None, None, grand]),
    ):
        assert solve(kernels, order, weights, parts, True)[0] == pytest.approx(expected, abs=1e-12)


@each_version
@rules
def test_eisner_finds_the_only_tree(kernels, single_root):
    for tree in every_tree(5, single_root)[::7]:
        weights = np.full((6, 6), -np.inf)
        weights[tree[1:], np.arange(1, 6)] = -1e12, 1e12, 3.0, 1e-9, -5.0
        value, heads = kernels.eisner(weights, single_root)
        assert heads.tolist() == tree.tolist()
        assert value == tree_values(weights, tree[None])[0]
        assert [len(found) for found in kernels.eisner_k_best(weights, 3, single_root)] == [1, 1]


@each_version
@rules
def test_eisner_marginals_of_large_weights_neither_overflow_nor_vanish(kernels, single_root):
    rng = np.random.default_rng(3)
    for shift in (-1e3, 0.0, 1e3):
        weights = rng.normal(size=(21, 21))
        log_partition, marginals = kernels.eisner_marginals(weights + shift, single_root)
        plain, expected = kernels.eisner_marginals(weights, single_root)
        assert log_partition == pytest.approx(plain + 20 * shift, rel=1e-12)
        np.testing.assert_allclose(marginals, expected, rtol=0, atol=1e-9)
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, rtol=1e-9)


@each_version
@each_order
@rules
def test_projective_kernels_report_that_there_is_no_tree(kernels, order, single_root):
    for n in (1, 2, 8):
        weights = changed(zeros(n + 1, n + 1), (slice(None), n), -np.inf)
        value, heads, marginals = max_marginals(kernels, order, weights, [None] * len(PARTS[order]), single_root)
        assert value == -np.inf
        assert (heads == -1).all()
        assert (marginals == -np.inf).all()
        found, trees = kernels.eisner_k_best(weights, 4, single_root)
        assert (found.shape, trees.shape) == ((0,), (0, n + 1))
        log_partition, marginals = kernels.eisner_marginals(weights, single_root)
        assert log_partition == -np.inf
        assert (marginals == 0).all()


@each_version
def test_eisner_keeps_the_rule_for_roots(kernels):
    weights = changed(zeros(4, 4), 0, 10.0)
    assert kernels.eisner(weights, True)[0] == 10.0
    assert kernels.eisner(weights, False)[0] == 30.0


@each_version
@each_order
def test_projective_kernels_take_strided_and_read_only_arrays(kernels, order):
    _, weights, parts = random_sentence(order, 6, 0.0, 7)
    expected = max_marginals(kernels, order, weights, parts, True)
    apart = [strided(part) for part in parts if part is not None]
    found = max_marginals(kernels, order, strided(weights), apart, True)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 if parts else 0)


CALLS = {
    **{order: [None] * len(parts) for order, parts in PARTS.items()},
    "eisner_max_marginals": [],
    "eisner_marginals": [],
    "eisner_k_best": [2],
}


@each_version
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([[0.0]], TypeError, "weights must be a NumPy array, got list"),
        (np.zeros((3, 3), np.float32), TypeError, "weights must be float64, got float32"),
        (zeros(3, 4), ValueError, r"weights must have shape \(n\+1, n\+1\) with n >= 1 words, got \(3, 4\)"),
        (zeros(1, 1), ValueError, r"n >= 1 words, got \(1, 1\)"),
        (zeros(4), ValueError, r"got \(4,\)"),
        (changed(zeros(4, 4), (2, 1), np.nan), ValueError, r"weights\[2, 1\] is nan, expected a number or -inf"),
        (changed(zeros(4, 4), (0, 3), np.inf), ValueError, r"weights\[0, 3\] is inf, expected a number or -inf"),
    ],
)
def test_projective_kernels_name_wrong_weights(kernels, name, weights, error, message):
    with pytest.raises(error, match=message):
        getattr(kernels, name)(weights, *CALLS[name], True)


@each_version
@pytest.mark.parametrize(("order", "number"), [(order, i) for order in PARTS for i in range(len(PARTS[order]))])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_higher_orders_name_wrong_scores(kernels, order, number, bad):
    name = PARTS[order][number]
    axes = AXES[name]
    for wrong, error, message in (
        (
            changed(zeros(*(4,) * axes), (1, 2, 3, 0)[:axes], bad),
            ValueError,
            rf"\[{', '.join('1230'[:axes])}\] is {bad}",
        ),
        (zeros(*(4,) * (axes - 1), 5), ValueError, " must have shape"),
        (zeros(*(4,) * axes, dtype=np.float32), TypeError, " must be float64"),
        ([[0.0]], TypeError, " must be a NumPy array or None"),
    ):
        parts = [None] * len(PARTS[order])
        parts[number] = wrong
        with pytest.raises(error, match=f"^{name}{message}"):
            solve(kernels, order, zeros(4, 4), parts, True)


@each_version
def test_eisner_k_best_names_wrong_counts(kernels):
    with pytest.raises(TypeError, match="k must be an integer, got float"):
        kernels.eisner_k_best(zeros(3, 3), 2.0, True)
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        kernels.eisner_k_best(zeros(3, 3), 0, True)
