"""Higher-order projective parsing: both twins equal enumeration, whose values are the factor classes' own."""

import itertools
import math
import os
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from drawn import examples, generators
from hypothesis import given
from hypothesis import strategies as st

import gapless_kernels
from gapless_dependency import AdjacentSibling, GrandSibling, OutermostGrandchild
from gapless_dependency.shape import crossing, cycle
from gapless_kernels.parsing import _eisner_higher_twin

Array = npt.NDArray[Any]

IMPLEMENTATIONS = [pytest.param(_eisner_higher_twin, id="python")]
if gapless_kernels.COMPILED:
    from gapless_kernels.parsing import _eisner_higher

    IMPLEMENTATIONS.append(pytest.param(_eisner_higher, id="compiled"))

both = pytest.mark.parametrize("kernels", IMPLEMENTATIONS)
needs_compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
every_order = pytest.mark.parametrize("order", ["sibling", "carreras", "grand_sibling"])

AXES = {"sibling": (3,), "carreras": (3, 3), "grand_sibling": (3, 3, 4)}
"""Number of axes of each score array, in the order of the arguments."""


@cache
def projective_trees(n: int) -> list[Array]:
    """Heads (n,) of every projective tree of n words, whatever the number of roots."""
    every = (np.array(heads) for heads in itertools.product(range(n + 1), repeat=n))
    return [heads for heads in every if not cycle(heads) and crossing(heads) is None]


def scores_of(rng: np.random.Generator, shape: tuple[int, ...], integers: bool, forbidden: float) -> Array:
    scores = rng.integers(-3, 4, shape).astype(float) if integers else rng.normal(size=shape)
    scores[rng.random(shape) < forbidden] = -np.inf
    return scores


@st.composite
def sentences(draw: st.DrawFn, order: str, max_n: int) -> tuple[Array, list[Array | None], bool]:
    """Weights, the score arrays of the order's arguments (some None), and the rule for roots."""
    rng = draw(generators())
    size = draw(st.integers(1, max_n)) + 1
    integers, share = draw(st.booleans()), draw(st.sampled_from([0.0, 0.2, 0.5]))
    weights = scores_of(rng, (size, size), integers, share)
    forbidden = draw(st.sampled_from([0.0, 0.1]))
    parts = [
        scores_of(rng, (size,) * axes, integers, forbidden) if draw(st.integers(0, 3)) else None
        for axes in AXES[order]
    ]
    return weights, parts, draw(st.booleans())


def value_of(order: str, weights: Array, parts: list[Array | None], heads: Array) -> float:
    terms = [weights[head, m] for m, head in enumerate(heads, start=1)]
    given = dict(zip(names(order), parts, strict=True))
    if given.get("sibling") is not None:
        terms.append(AdjacentSibling(given["sibling"]).value(heads))
    if given.get("grand_sibling") is not None:
        terms.append(GrandSibling(given["grand_sibling"]).value(heads))
    grandchild = given.get("grandchild")
    if grandchild is not None and order == "carreras":
        terms.append(OutermostGrandchild(grandchild).value(heads))
    elif grandchild is not None:
        terms += [grandchild[heads[h - 1], h, m] for m, h in enumerate(heads, start=1) if h]
    return math.fsum(terms)


def names(order: str) -> tuple[str, ...]:
    return {
        "sibling": ("sibling",),
        "carreras": ("sibling", "grandchild"),
        "grand_sibling": ("grandchild", "sibling", "grand_sibling"),
    }[order]


def solve(kernels: Any, order: str, weights: Array, parts: list[Array | None], single_root: bool) -> Any:
    return getattr(kernels, f"eisner_{order}")(weights, *parts, single_root)


def max_marginals(kernels: Any, order: str, weights: Array, parts: list[Array | None], single_root: bool) -> Any:
    return getattr(kernels, f"eisner_{order}_max_marginals")(weights, *parts, single_root)


def is_tree(heads: Array, single_root: bool) -> bool:
    roots = int((heads[1:] == 0).sum())
    return bool(
        heads[0] == -1
        and not cycle(heads[1:])
        and crossing(heads[1:]) is None
        and (roots == 1 or (roots > 1 and not single_root))
    )


@both
@every_order
@examples(12)
@given(data=st.data())
def test_values_and_marginals_are_enumeration(kernels: Any, order: str, data: st.DataObject) -> None:
    weights, parts, single_root = data.draw(sentences(order, 5 if kernels is not _eisner_higher_twin else 4))
    size = len(weights)
    best = np.full((size, size), -np.inf)
    for heads in projective_trees(size - 1):
        if single_root and (heads == 0).sum() > 1:
            continue
        value = value_of(order, weights, parts, heads)
        cells = heads, np.arange(1, size)
        best[cells] = np.maximum(best[cells], value)
    value, heads = solve(kernels, order, weights, parts, single_root)
    assert value == pytest.approx(best.max(), abs=1e-12)
    if best.max() == -np.inf:
        assert (heads == -1).all()
    else:
        assert is_tree(heads, single_root)
        assert value_of(order, weights, parts, heads[1:]) == pytest.approx(value, abs=1e-12)
    again, same, marginals = max_marginals(kernels, order, weights, parts, single_root)
    assert again == value
    np.testing.assert_array_equal(same, heads)
    np.testing.assert_allclose(marginals, best, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@every_order
@examples(6)
@given(data=st.data())
def test_twins_agree_on_longer_sentences(order: str, data: st.DataObject) -> None:
    weights, parts, single_root = data.draw(sentences(order, 12))
    value, heads, _ = max_marginals(_eisner_higher, order, weights, parts, single_root)
    expected, _ = solve(_eisner_higher_twin, order, weights, parts, single_root)
    assert value == pytest.approx(expected, abs=1e-11)
    assert expected == -np.inf or value_of(order, weights, parts, heads[1:]) == pytest.approx(value, abs=1e-11)


@needs_compiled
@every_order
@pytest.mark.parametrize("n", [8, 9, 16, 17, 33])
@pytest.mark.parametrize("single_root", [True, False])
def test_marginals_are_what_forcing_an_arc_gives(order: str, n: int, single_root: bool) -> None:
    rng = np.random.default_rng(n)
    weights = scores_of(rng, (n + 1, n + 1), False, 0.3)
    parts: list[Array | None] = [scores_of(rng, (n + 1,) * axes, False, 0.02) for axes in AXES[order]]
    value, heads, marginals = max_marginals(_eisner_higher, order, weights, parts, single_root)
    assert marginals.max() == pytest.approx(value, abs=1e-10)
    if value > -np.inf:
        np.testing.assert_allclose(marginals[heads[1:], np.arange(1, n + 1)], value, rtol=0, atol=1e-10)
    for _ in range(40):
        m = int(rng.integers(1, n + 1))
        h = int(rng.choice([head for head in range(n + 1) if head != m]))
        forced = weights.copy()
        forced[:, m] = -np.inf
        forced[h, m] = weights[h, m]
        expected, _ = solve(_eisner_higher, order, forced, parts, single_root)
        assert marginals[h, m] == pytest.approx(expected, abs=1e-10)
    assert (marginals[:, 0] == -np.inf).all()
    assert (np.diag(marginals) == -np.inf).all()


@both
def test_orders_agree_where_their_extra_scores_are_none(kernels: Any) -> None:
    rng = np.random.default_rng(3)
    weights, sibling = rng.normal(size=(10, 10)), rng.normal(size=(10, 10, 10))
    expected, _ = kernels.eisner_sibling(weights, sibling, True)
    assert kernels.eisner_carreras(weights, sibling, None, True)[0] == pytest.approx(expected, abs=1e-12)
    assert kernels.eisner_grand_sibling(weights, None, sibling, None, True)[0] == pytest.approx(expected, abs=1e-12)
    spread = np.broadcast_to(sibling, (10, 10, 10, 10))
    assert kernels.eisner_grand_sibling(weights, None, None, spread, True)[0] == pytest.approx(expected, abs=1e-12)


@both
@every_order
def test_any_memory_layout_and_read_only(kernels: Any, order: str) -> None:
    rng = np.random.default_rng(7)
    weights = rng.normal(size=(7, 7))
    parts: list[Array | None] = [rng.normal(size=(7,) * axes) for axes in AXES[order]]
    expected, _ = solve(kernels, order, weights, parts, True)
    laid_out: list[Array | None] = [np.asfortranarray(part) for part in parts]
    for array in (weights, *laid_out):
        assert array is not None
        array.flags.writeable = False
    assert solve(kernels, order, weights.T.copy().T, laid_out, True)[0] == pytest.approx(expected, abs=1e-12)


@both
@every_order
def test_infeasible(kernels: Any, order: str) -> None:
    weights = np.full((4, 4), -np.inf)
    value, heads, marginals = max_marginals(kernels, order, weights, [None] * len(AXES[order]), True)
    assert value == -np.inf
    assert (heads == -1).all()
    assert (marginals == -np.inf).all()


@both
@every_order
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_scores_are_named(kernels: Any, order: str, bad: float) -> None:
    weights = np.zeros((4, 4))
    for number, (name, axes) in enumerate(zip(names(order), AXES[order], strict=True)):
        parts: list[Array | None] = [None] * len(AXES[order])
        wrong = np.zeros((4,) * axes)
        wrong[(1, 2, 3, 0)[:axes]] = bad
        parts[number] = wrong
        place = ", ".join("1230"[:axes])
        with pytest.raises(ValueError, match=rf"^{name}\[{place}\] is {bad}"):
            solve(kernels, order, weights, parts, True)
        parts[number] = np.zeros((4,) * (axes - 1) + (5,))
        with pytest.raises(ValueError, match=rf"^{name} must have shape"):
            solve(kernels, order, weights, parts, True)
        parts[number] = np.zeros((4,) * axes, np.float32)
        with pytest.raises(TypeError, match=f"^{name} must be float64"):
            solve(kernels, order, weights, parts, True)
        parts[number] = [[0.0]]  # type: ignore[call-overload]
        with pytest.raises(TypeError, match=f"^{name} must be a NumPy array or None"):
            solve(kernels, order, weights, parts, True)
    weights[1, 2] = bad
    with pytest.raises(ValueError, match=rf"weights\[1, 2\] is {bad}"):
        solve(kernels, order, weights, [None] * len(AXES[order]), True)


def test_package_exports_the_chosen_twin() -> None:
    assert (os.environ.get("GAPLESS_PURE") != "1") == gapless_kernels.COMPILED
    chosen = _eisner_higher if gapless_kernels.COMPILED else _eisner_higher_twin
    for order in AXES:
        for name in (f"eisner_{order}", f"eisner_{order}_max_marginals"):
            assert getattr(gapless_kernels, name) is getattr(chosen, name)
