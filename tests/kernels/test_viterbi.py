"""The compiled kernels for one chain equal their NumPy twins bit by bit, and both equal enumeration."""

import itertools
import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from drawn import generators
from hypothesis import given
from hypothesis import strategies as st
from kernel_versions import Array, both, needs_compiled, random_scores, strided, versions, zeros

_viterbi_twin, _viterbi = versions("chains._viterbi")
each_version = both("chains._viterbi")


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


@st.composite
def chains(draw, max_n=5, max_k=3, integers=True):
    n, k = draw(st.integers(1, max_n)), draw(st.integers(1, max_k))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    shape = draw(st.sampled_from([(k, k), (n - 1, k, k)]))
    forbidden = st.sampled_from([0.0, 0.2, 0.7, 1.0])
    scores = (random_scores(draw(generators()), size, integers, draw(forbidden)) for size in ((n, k), shape))
    return Chain(*(array.astype(dtype) for array in scores))


def decode(kernels, chain):
    labels = np.full(len(chain.unary), 99, np.int64)
    return kernels.viterbi(chain.unary, chain.transition, labels), labels


def forward(kernels, chain):
    messages = np.full_like(chain.unary, 99)
    kernels.forward_messages(chain.unary, chain.transition, messages)
    return messages


@each_version
@given(chain=chains())
def test_viterbi_is_enumeration(kernels, chain):
    n, k = chain.unary.shape
    value, labels = decode(kernels, chain)
    assert value == max(map(chain.score, itertools.product(range(k), repeat=n)))
    if value == -np.inf:
        assert (labels == -1).all()
    else:
        assert chain.score(labels) == value


@each_version
@given(chain=chains(max_n=4))
def test_forward_messages_are_enumeration(kernels, chain):
    messages = forward(kernels, chain)
    for i, x in np.ndindex(*chain.unary.shape):
        prefixes = itertools.product(range(chain.unary.shape[1]), repeat=i)
        assert messages[i, x] == max(chain.score((*prefix, x)) for prefix in prefixes)


# Bit by bit, on sizes around the multiples of the vector block (16) and of the sources taken together (4).


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@given(chain=chains(max_n=6, max_k=70, integers=False) | chains(max_n=6, max_k=70))
def test_viterbi_twins_agree(chain):
    value, labels = decode(_viterbi, chain)
    expected, path = decode(_viterbi_twin, chain)
    assert value == expected
    assert (labels == path).all()
    assert (forward(_viterbi, chain) == forward(_viterbi_twin, chain)).all()


@each_version
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_viterbi_prefers_low_labels_among_equals(kernels, dtype):
    for k in (1, 5, 16, 17, 33):
        value, labels = decode(kernels, Chain(zeros(4, k, dtype=dtype), zeros(k, k, dtype=dtype)))
        assert value == 0
        assert (labels == 0).all()


@each_version
def test_viterbi_takes_arrays_of_any_layout_and_changes_no_input(kernels):
    rng = np.random.default_rng(5)
    chain = Chain(rng.normal(size=(7, 19)), rng.normal(size=(19, 19)))
    copies = Chain(strided(chain.unary), strided(chain.transition))
    value, path = decode(kernels, chain)
    labels = np.full(14, 99, np.int64)
    assert kernels.viterbi(copies.unary, copies.transition, labels[::-2]) == value
    assert (labels[::-2] == path).all()
    assert (labels[::2] == 99).all()

    messages = np.full((19, 7), 99.0)
    kernels.forward_messages(copies.unary, copies.transition, messages.T)
    assert (forward(kernels, chain) == messages.T).all()
    assert (chain.unary == copies.unary).all()
    assert (chain.transition == copies.transition).all()


@each_version
def test_viterbi_keeps_nan_within_bounds(kernels):
    _, labels = decode(kernels, Chain(np.full((4, 18), np.nan), np.full((18, 18), np.nan)))
    assert ((labels >= 0) & (labels < 18)).all()


INTEGERS, UNARY, PAIRS = zeros(3, dtype=np.int64), zeros(3, 2), zeros(2, 2)
READ_ONLY = INTEGERS.copy()
READ_ONLY.flags.writeable = False
WRONG: list[tuple[str, tuple[Any, ...], type[Exception], str]] = [
    ("viterbi", (zeros(3), PAIRS, INTEGERS), ValueError, r"unary .*\(n, K\)"),
    ("viterbi", (zeros(0, 2), PAIRS, INTEGERS[:0]), ValueError, r"unary .*n >= 1"),
    ("viterbi", (zeros(3, 0), zeros(0, 0), INTEGERS), ValueError, r"unary .*K >= 1"),
    ("viterbi", (UNARY, zeros(2, 3), INTEGERS), ValueError, r"transition .*\(2, 2\) or \(2, 2, 2\)"),
    ("viterbi", (UNARY, zeros(3, 2, 2), INTEGERS), ValueError, "transition"),
    ("viterbi", (UNARY, zeros(4), INTEGERS), ValueError, "transition"),
    ("viterbi", (UNARY, PAIRS, INTEGERS[:2]), ValueError, r"labels .*\(3,\)"),
    ("viterbi", (UNARY, PAIRS, INTEGERS[:, None]), ValueError, "labels"),
    ("viterbi", (UNARY, PAIRS, zeros(3)), TypeError, "labels must be int64"),
    ("viterbi", (UNARY, PAIRS, [0, 0, 0]), TypeError, "labels must be a NumPy array"),
    ("viterbi", ([[0.0]], zeros(1, 1), INTEGERS[:1]), TypeError, "unary must be a NumPy array"),
    ("viterbi", (zeros(3, 2, dtype=np.int64), PAIRS, INTEGERS), TypeError, "unary"),
    ("viterbi", (zeros(3, 2, dtype=">f8"), PAIRS, INTEGERS), TypeError, "unary"),
    ("viterbi", (UNARY, zeros(2, 2, dtype=np.float32), INTEGERS), TypeError, "transition"),
    ("viterbi", (UNARY, PAIRS, READ_ONLY), ValueError, "labels must be writeable"),
    ("forward_messages", (UNARY, PAIRS, PAIRS), ValueError, r"messages .*\(3, 2\)"),
    ("forward_messages", (UNARY, PAIRS, zeros(3, 2, dtype=np.float32)), TypeError, "messages"),
]


@each_version
@pytest.mark.parametrize(("function", "arguments", "error", "message"), WRONG)
def test_viterbi_names_wrong_arguments(kernels, function, arguments, error, message):
    with pytest.raises(error, match=message):
        getattr(kernels, function)(*arguments)


@needs_compiled
def test_bounds_are_checked_in_the_checked_build_only(monkeypatch):
    """A noexcept kernel cannot raise: Python hands its error to a hook, and pytest's hook fails the test."""
    caught = []
    monkeypatch.setattr(sys, "unraisablehook", lambda event: caught.append(event.exc_type))
    _viterbi.read_past_end(np.array([1.0, 2.0])[:1])
    assert caught == ([IndexError] if os.environ.get("GAPLESS_CHECKED") == "1" else [])
