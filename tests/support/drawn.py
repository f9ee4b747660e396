"""Random numbers that Hypothesis draws, behind the methods of `numpy.random.Generator`.

``@given(rng=generators())`` in place of ``rng = np.random.default_rng(seed)``: the body of a test stays as it is,
and an example that fails shrinks: to small sizes, to zeros, to masks that mask nothing. Hypothesis draws a few
thousand numbers at most for an example. A large array is therefore drawn as one seed: its values shrink once its
size has shrunk.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import is_hypothesis_test, note, settings
from hypothesis import strategies as st

Array = npt.NDArray[Any]
Shape = int | Sequence[int] | None

FULL = 20
"""Unit of `examples(count)`; the profiles of `tests/conftest.py` draw a multiple of it."""

LARGE = 1000
"""The most numbers of an array that are drawn."""

MOST = 3000
"""The most numbers of an example that are drawn: Hypothesis ends an example at 8 KiB."""

CODES = 1 << 16
RUN = 8
"""Numbers of an array that are drawn together."""


def examples(count):
    """Draw `count` examples, of a test whose examples are cheap or costly.

    The quick run draws fewer and --long more, both by the same factor as for tests that do not ask here.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        test.full_count = count  # type: ignore[attr-defined]
        return settings(max_examples=scaled(count))(test)

    return decorate


def scaled(count):
    """Convert a full number of examples to that of the current profile."""
    return max(1, round(count * settings().max_examples / FULL))


def long(*values):
    """Values of a parametrised test that only --long runs."""
    return pytest.param(*values, marks=pytest.mark.long)


def always_the_same(count):
    """Draw `count` examples, the same with --long: for a test whose other examples meet a limit that it names."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        test.has_fixed_examples = True  # type: ignore[attr-defined]
        return settings(max_examples=count, derandomize=True, database=None)(test)

    return decorate


def generators():
    """Generators of drawn numbers, one for each example."""
    return _Generators()


class _Generators(st.SearchStrategy["DrawnGenerator"]):
    """Numbers come straight from Hypothesis' data, not by strategies of their own.

    Where strategies repeat, Hypothesis copies what one drew to another, and of 20 examples it makes, 16 are such
    near copies of 4: fine for trees of small parts, a waste for arrays.
    """

    def do_draw(self, data: Any) -> DrawnGenerator:
        return DrawnGenerator(data)


def seeded():
    """NumPy's own generators, for thousands of numbers: sizes that are drawn beside them shrink, they do not."""
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


def numbers(source):
    """A generator that is given, or NumPy's for the seed that is given: for what makes instances from either."""
    return source if hasattr(source, "normal") else np.random.default_rng(source)


def mostly_long(cases: Iterable[Any], quick: Iterable[int]) -> list[Any]:
    """Convert cases to parameters of which all run with --long, except those whose places are in `quick`."""
    return [
        case
        if place in quick
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.long)
        for place, case in enumerate(cases)
    ]


def seeing(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a drawn test the counter `seen`; it fails when one of the names was never counted.

    If the examples of the current profile lack a name, the test runs again with the full number of them.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        full = getattr(test, "full_count", FULL)
        is_scaled = is_hypothesis_test(test) and not hasattr(test, "has_fixed_examples")
        counts = sorted({scaled(full), max(full, scaled(full))}) if is_scaled else [0]

        @functools.wraps(test)
        def counted(*args: Any, **kwargs: Any) -> None:
            for count in counts:
                if count:
                    test._hypothesis_internal_use_settings = settings(max_examples=count)  # type: ignore[attr-defined]
                seen = Counter[str]()
                test(*args, seen=seen, **kwargs)
                if not (missing := [name for name in names if not seen[name]]):
                    return
            raise AssertionError(f"no example has {missing}")

        signature = inspect.signature(test)
        asked = [parameter for name, parameter in signature.parameters.items() if name != "seen"]
        counted.__signature__ = signature.replace(parameters=asked)  # type: ignore[attr-defined]
        return counted

    return decorate


@cache
def _quantiles():
    """Normal numbers by code (65535,): 0, then both signs in turn, the small ones first; no short fractions."""
    normal = NormalDist()
    upper = [normal.inv_cdf(0.5 + i / CODES) for i in range(1, CODES // 2)]
    return np.stack([np.array([0.0, *upper]), np.array([0.0, *np.negative(upper)])], axis=1).ravel()[1:]


def _shown(drawn):
    """Printed beside the example that fails."""
    note(drawn)
    return drawn


class DrawnGenerator:
    """The part of `numpy.random.Generator` that the tests use; see there."""

    def __init__(self, data: Any) -> None:
        self._data, self._left = data, MOST

    def __repr__(self) -> str:
        return "generators()"

    def _below(self, bound: int, shape: Shape) -> Array:
        """Codes from 0 to `bound` - 1, the simplest first."""
        count = 1 if shape is None else int(np.prod(shape))
        if count > min(LARGE, self._left):
            codes = np.random.default_rng(self._data.draw_integer(0, 2**32 - 1)).integers(bound, size=count)
        else:
            self._left -= count
            codes = self._drawn(bound, count)
        return codes[0] if shape is None else codes.reshape(shape)

    def _drawn(self, bound: int, count: int) -> Array:
        if bound > CODES or (count == 1 and bound <= 256):
            return np.array([self._data.draw_integer(0, bound - 1) for _ in range(count)], np.int64)
        # Bytes are uniform, which Hypothesis' integers are not, and a run of them takes as long as one number.
        width = 1 if bound <= 256 else 2
        run = width * min(count, RUN)
        runs = [self._data.draw_bytes(run, run) for _ in range(-(-count // RUN))]
        return np.frombuffer(b"".join(runs), f">u{width}")[:count].astype(np.int64) % bound

    def integers(self, low: Any, high: Any = None, size: Shape = None, dtype: Any = np.int64) -> Any:
        low, high = (0, low) if high is None else (low, high)
        if np.ndim(low) or np.ndim(high):
            lows, highs, _ = np.broadcast_arrays(low, high, np.empty(() if size is None else size))
            pairs = zip(lows.ravel(), highs.ravel(), strict=True)
            return np.array([self.integers(a, b) for a, b in pairs], dtype).reshape(lows.shape)
        low, high = int(low), int(high)
        if low >= high:
            raise ValueError("low >= high")
        # The simplest is what is nearest to 0, and of two equally near the positive one.
        near = min(max(low, 0), high - 1)
        codes = self._below(high - low, size)
        below = min(near - low, high - 1 - near)
        paired = np.where(codes % 2 == 1, near + (codes + 1) // 2, near - codes // 2)
        sign = 1 if high - 1 - near > near - low else -1
        values = np.where(codes <= 2 * below, paired, near + sign * (codes - below))
        return _shown(np.int64(values) if size is None else values.astype(dtype))

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Shape = None) -> Any:
        if size is None and (np.ndim(loc) or np.ndim(scale)):
            size = np.broadcast_shapes(np.shape(loc), np.shape(scale))
        return loc + scale * self.standard_normal(size)

    def standard_normal(self, size: Shape = None) -> Any:
        values = _quantiles()[self._below(CODES - 1, size)]
        return _shown(float(values) if size is None else values)

    def random(self, size: Shape = None) -> Any:
        """The simplest is almost 1: what is compared with a share is left as it is."""
        values = 1.0 - (self._below(CODES, size) + 1) / (CODES + 1)
        return _shown(float(values) if size is None else values)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Shape = None) -> Any:
        return _shown(low + (high - low) * (self._below(CODES, size) / CODES))

    def exponential(self, scale: Any = 1.0, size: Shape = None) -> Any:
        return _shown(-scale * np.log1p(-self._below(CODES, size) / CODES))

    def permutation(self, values: Any) -> Any:
        values = np.arange(values) if np.ndim(values) == 0 else np.array(values)
        return values[self._order(len(values))]

    def shuffle(self, values: Any) -> None:
        order = self._order(len(values))
        values[:] = np.array(values)[order] if isinstance(values, np.ndarray) else [values[i] for i in order]

    def _order(self, count: int) -> Array:
        """The simplest leaves everything in its place."""
        order = list(range(count))
        for at in range(count - 1):
            other = at + int(self._below(count - at, None))
            order[at], order[other] = order[other], order[at]
        return _shown(np.array(order, np.int64))

    def choice(self, values: Any, size: Shape = None, replace: bool = True, p: Any = None) -> Any:
        values = np.arange(values) if np.ndim(values) == 0 else np.asarray(values)
        if not len(values):
            raise ValueError("a cannot be empty")
        if p is not None:
            places = np.minimum(np.searchsorted(np.cumsum(p), 1.0 - self.random(size), "right"), len(values) - 1)
        elif replace or size is None:
            places = self._below(len(values), size)
        else:
            places = self._order(len(values))[: int(np.prod(size))].reshape(size)
        return _shown(values[places])

    def dirichlet(self, alpha: Any, size: Shape = None) -> Any:
        """Of ones only: points of the simplex."""
        count = () if size is None else np.atleast_1d(size)
        parts = 1e-9 + self.exponential(size=(*count, len(alpha)))
        return parts / parts.sum(axis=-1, keepdims=True)
