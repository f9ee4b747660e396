"""The compiled kernels equal their NumPy twins bit by bit, and both equal enumeration."""

import itertools
import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from drawn import generators
from hypothesis import given
from hypothesis import strategies as st

import gapless_kernels
from gapless_kernels.chains import _viterbi_twin

Array = npt.NDArray[Any]

IMPLEMENTATIONS = [pytest.param(_viterbi_twin, id="numpy")]
if gapless_kernels.COMPILED:
    from gapless_kernels.chains import _viterbi

    IMPLEMENTATIONS.append(pytest.param(_viterbi, id="compiled"))

both = pytest.mark.parametrize("kernels", IMPLEMENTATIONS)
needs_compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")


@dataclass(frozen=True)
class Chain:
    unary: Array
    transition: Array

    def score(self, path: Any) -> float:
        """Sum in float64 and another order than the kernels': small integers, so every sum is exact."""
        edges = range(len(path) - 1)
        pairs = self.transition if self.transition.ndim == 3 else [self.transition] * len(edges)
        return float(
            sum(float(self.unary[i, y]) for i, y in enumerate(path))
            + sum(float(pairs[i][path[i], path[i + 1]]) for i in edges)
        )

    def paths(self) -> Any:
        n, k = self.unary.shape
        return itertools.product(range(k), repeat=n)


def scores(draw: Any, shape: tuple[int, ...], dtype: Any, integers: bool) -> Array:
    """Small integers (many ties) or real numbers, with a drawn share of -inf."""
    rng = draw(generators())
    values = rng.integers(-3, 4, shape).astype(dtype) if integers else rng.normal(size=shape).astype(dtype)
    values[rng.random(shape) < draw(st.sampled_from([0.0, 0.2, 0.7, 1.0]))] = -np.inf
    return values


@st.composite
def chains(draw: st.DrawFn, max_n: int = 5, max_k: int = 3, integers: bool = True, dtype: Any = None) -> Chain:
    n, k = draw(st.integers(1, max_n)), draw(st.integers(1, max_k))
    dtype = dtype or draw(st.sampled_from([np.float32, np.float64]))
    shape = draw(st.sampled_from([(k, k), (n - 1, k, k)]))
    return Chain(scores(draw, (n, k), dtype, integers), scores(draw, shape, dtype, integers))


def decode(kernels: Any, chain: Chain) -> tuple[float, Array]:
    labels = np.full(len(chain.unary), 99, np.int64)
    return kernels.viterbi(chain.unary, chain.transition, labels), labels


def forward(kernels: Any, chain: Chain) -> Array:
    messages = np.full_like(chain.unary, 99)
    kernels.forward_messages(chain.unary, chain.transition, messages)
    return messages


@both
@given(chain=chains())
def test_viterbi_is_enumeration(kernels: Any, chain: Chain) -> None:
    value, labels = decode(kernels, chain)
    assert value == max(map(chain.score, chain.paths()))
    if value == -np.inf:
        assert (labels == -1).all()
    else:
        assert chain.score(labels) == value


@both
@given(chain=chains(max_n=4))
def test_forward_messages_are_enumeration(kernels: Any, chain: Chain) -> None:
    messages = forward(kernels, chain)
    for i, x in np.ndindex(*chain.unary.shape):
        prefixes = itertools.product(range(chain.unary.shape[1]), repeat=i)
        assert messages[i, x] == max(chain.score((*prefix, x)) for prefix in prefixes)


# Bit by bit, on sizes around the multiples of the vector block (16) and of the sources taken together (4).


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@given(chain=chains(max_n=6, max_k=70, integers=False) | chains(max_n=6, max_k=70))
def test_twins_agree(chain: Chain) -> None:
    value, labels = decode(_viterbi, chain)
    expected, path = decode(_viterbi_twin, chain)
    assert value == expected
    assert (labels == path).all()
    assert (forward(_viterbi, chain) == forward(_viterbi_twin, chain)).all()


@both
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_labels_among_equals_are_the_lowest(kernels: Any, dtype: Any) -> None:
    for k in (1, 5, 16, 17, 33):
        value, labels = decode(kernels, Chain(np.zeros((4, k), dtype), np.zeros((k, k), dtype)))
        assert value == 0
        assert (labels == 0).all()


@both
def test_strided_arrays(kernels: Any) -> None:
    rng = np.random.default_rng(5)
    chain = Chain(rng.normal(size=(7, 19)), rng.normal(size=(19, 19)))
    strided = Chain(np.repeat(np.asfortranarray(chain.unary), 2, axis=1)[:, ::2], chain.transition.T.copy().T)
    assert not strided.unary.flags.c_contiguous
    assert not strided.transition.flags.c_contiguous

    value, path = decode(kernels, chain)
    labels = np.full(14, 99, np.int64)
    assert kernels.viterbi(strided.unary, strided.transition, labels[::-2]) == value
    assert (labels[::-2] == path).all()
    assert (labels[::2] == 99).all()

    messages = np.full((19, 7), 99.0)
    kernels.forward_messages(strided.unary, strided.transition, messages.T)
    assert (forward(kernels, chain) == messages.T).all()


@both
def test_inputs_may_be_read_only_and_stay_as_they_are(kernels: Any) -> None:
    rng = np.random.default_rng(6)
    chain = Chain(rng.normal(size=(3, 4)), rng.normal(size=(2, 4, 4)))
    before = chain.unary.copy(), chain.transition.copy()
    chain.unary.flags.writeable = chain.transition.flags.writeable = False
    decode(kernels, chain)
    forward(kernels, chain)
    assert (chain.unary == before[0]).all()
    assert (chain.transition == before[1]).all()


@both
def test_nan_never_leads_out_of_bounds(kernels: Any) -> None:
    _, labels = decode(kernels, Chain(np.full((4, 18), np.nan), np.full((18, 18), np.nan)))
    assert ((labels >= 0) & (labels < 18)).all()


def zeros(*shape: int, dtype: Any = np.float64) -> Array:
    return np.zeros(shape, dtype)


I64 = np.int64
WRONG = [
    ("viterbi", (zeros(3), zeros(2, 2), zeros(3, dtype=I64)), ValueError, r"unary .*\(n, K\)"),
    ("viterbi", (zeros(0, 2), zeros(2, 2), zeros(0, dtype=I64)), ValueError, r"unary .*n >= 1"),
    ("viterbi", (zeros(3, 0), zeros(0, 0), zeros(3, dtype=I64)), ValueError, r"unary .*K >= 1"),
    (
        "viterbi",
        (zeros(3, 2), zeros(2, 3), zeros(3, dtype=I64)),
        ValueError,
        r"transition .*\(2, 2\) or \(2, 2, 2\)",
    ),
    ("viterbi", (zeros(3, 2), zeros(3, 2, 2), zeros(3, dtype=I64)), ValueError, "transition"),
    ("viterbi", (zeros(3, 2), zeros(4), zeros(3, dtype=I64)), ValueError, "transition"),
    ("viterbi", (zeros(3, 2), zeros(2, 2), zeros(2, dtype=I64)), ValueError, r"labels .*\(3,\)"),
    ("viterbi", (zeros(3, 2), zeros(2, 2), zeros(3, 1, dtype=I64)), ValueError, "labels"),
    ("viterbi", (zeros(3, 2), zeros(2, 2), zeros(3)), TypeError, "labels must be int64"),
    ("viterbi", (zeros(3, 2), zeros(2, 2), [0, 0, 0]), TypeError, "labels must be a NumPy array"),
    ("viterbi", ([[0.0]], zeros(1, 1), zeros(1, dtype=I64)), TypeError, "unary must be a NumPy array"),
    ("viterbi", (zeros(3, 2, dtype=I64), zeros(2, 2), zeros(3, dtype=I64)), TypeError, "unary"),
    ("viterbi", (zeros(3, 2, dtype=">f8"), zeros(2, 2), zeros(3, dtype=I64)), TypeError, "unary"),
    ("viterbi", (zeros(3, 2), zeros(2, 2, dtype=np.float32), zeros(3, dtype=I64)), TypeError, "transition"),
    ("forward_messages", (zeros(3, 2), zeros(2, 2), zeros(2, 2)), ValueError, r"messages .*\(3, 2\)"),
    ("forward_messages", (zeros(3, 2), zeros(2, 2), zeros(3, 2, dtype=np.float32)), TypeError, "messages"),
]


@both
@pytest.mark.parametrize(("function", "arguments", "error", "message"), WRONG)
def test_wrong_arguments_are_named(
    kernels: Any, function: str, arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        getattr(kernels, function)(*arguments)


@both
def test_read_only_outputs_are_refused(kernels: Any) -> None:
    labels = zeros(3, dtype=np.int64)
    labels.flags.writeable = False
    with pytest.raises(ValueError, match="labels must be writeable"):
        kernels.viterbi(zeros(3, 2), zeros(2, 2), labels)


def test_package_exports_the_chosen_twin() -> None:
    assert (os.environ.get("GAPLESS_PURE") != "1") == gapless_kernels.COMPILED
    chosen = _viterbi if gapless_kernels.COMPILED else _viterbi_twin
    for name in ("forward_messages", "viterbi"):
        assert getattr(gapless_kernels, name) is getattr(chosen, name)


@needs_compiled
def test_bounds_are_checked_in_the_checked_build_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A noexcept kernel cannot raise: Python hands its error to a hook, and pytest's hook fails the test."""
    caught = []
    monkeypatch.setattr(sys, "unraisablehook", lambda event: caught.append(event.exc_type))
    _viterbi.read_past_end(np.array([1.0, 2.0])[:1])
    assert caught == ([IndexError] if os.environ.get("GAPLESS_CHECKED") == "1" else [])
