"""Random numbers that Hypothesis draws, behind the methods of `numpy.random.Generator`.

``@given(rng=generators())`` in place of ``rng = np.random.default_rng(seed)``: the body of a test stays as it is,
and an example that fails shrinks: to small sizes, to zeros, to masks that mask nothing. Hypothesis draws the
numbers one by one, which takes about 15 microseconds each, and a few thousand for one example. A large array is
therefore drawn as one seed: its values shrink once its size has shrunk.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import settings
from hypothesis import strategies as st

Array = npt.NDArray[Any]
Shape = int | Sequence[int] | None

LARGE = 400
"""The most numbers of one array that are drawn one by one."""

MOST = 3000
"""The most numbers of one example that are drawn one by one: Hypothesis ends an example at 8 KiB."""

CODES = 1 << 16


def examples(count: int) -> settings:
    """`count` examples, for a test whose examples are cheap or dear; --long draws more by the same factor."""
    times = settings().max_examples / settings.get_profile("quick").max_examples
    return settings(max_examples=round(count * times))


def generators() -> st.SearchStrategy[Any]:
    """Generators of drawn numbers, one for each example."""
    return _generators()


@st.composite
def _generators(draw: st.DrawFn) -> DrawnGenerator:
    return DrawnGenerator(draw)


def seeded() -> st.SearchStrategy[np.random.Generator]:
    """NumPy's own generators, for thousands of numbers: sizes that are drawn beside them shrink, they do not."""
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


def numbers(source: Any) -> Any:
    """A generator that is given, or NumPy's for the seed that is given: for what makes instances from either."""
    return source if hasattr(source, "normal") else np.random.default_rng(source)


def seeing(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a drawn test the counter `seen`, and let it fail if one of the names was never counted: it tests nothing."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def counted(*args: Any, **kwargs: Any) -> None:
            seen = Counter[str]()
            test(*args, seen=seen, **kwargs)
            assert not (missing := [name for name in names if not seen[name]]), f"no example has {missing}"

        signature = inspect.signature(test)
        asked = [parameter for name, parameter in signature.parameters.items() if name != "seen"]
        counted.__signature__ = signature.replace(parameters=asked)  # type: ignore[attr-defined]
        return counted

    return decorate


@cache
def _quantiles() -> Array:
    """Normal numbers by code (65535,): 0, then both signs in turn, the small ones first; no short fractions."""
    normal = NormalDist()
    upper = [normal.inv_cdf(0.5 + i / CODES) for i in range(1, CODES // 2)]
    return np.stack([np.array([0.0, *upper]), np.array([0.0, *np.negative(upper)])], axis=1).ravel()[1:]


class DrawnGenerator:
    """What the tests use of `numpy.random.Generator`; see there."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw, self._left = draw, MOST

    def __repr__(self) -> str:
        return "generators()"

    def _below(self, bound: int, shape: Shape) -> Array:
        """Codes from 0 to `bound` - 1, the simplest first."""
        count = 1 if shape is None else int(np.prod(shape))
        if count > min(LARGE, self._left):
            codes = self._draw(seeded()).integers(bound, size=count)
        else:
            self._left -= count
            number = st.integers(0, bound - 1)
            codes = np.array([self._draw(number) for _ in range(count)], np.int64)
        return codes[0] if shape is None else codes.reshape(shape)

    def integers(self, low: Any, high: Any = None, size: Shape = None, *, dtype: Any = np.int64) -> Any:
        low, high = (0, low) if high is None else (low, high)
        if np.ndim(low) or np.ndim(high):
            lows, highs = np.broadcast_arrays(low, high)
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
        return np.int64(values) if size is None else values.astype(dtype)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Shape = None) -> Any:
        if size is None and (np.ndim(loc) or np.ndim(scale)):
            size = np.broadcast_shapes(np.shape(loc), np.shape(scale))
        return loc + scale * self.standard_normal(size)

    def standard_normal(self, size: Shape = None) -> Any:
        values = _quantiles()[self._below(CODES - 1, size)]
        return float(values) if size is None else values

    def random(self, size: Shape = None) -> Any:
        """The simplest is almost 1: what is compared with a share is left as it is."""
        values = 1.0 - (self._below(CODES, size) + 1) / (CODES + 1)
        return float(values) if size is None else values

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Shape = None) -> Any:
        return low + (high - low) * (self._below(CODES, size) / CODES)

    def exponential(self, scale: Any = 1.0, size: Shape = None) -> Any:
        return -scale * np.log1p(-self._below(CODES, size) / CODES)

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
        return np.array(order, np.int64)

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
        return values[places]

    def dirichlet(self, alpha: Any, size: Shape = None) -> Any:
        """Of ones only: points of the simplex."""
        count = () if size is None else np.atleast_1d(size)
        parts = 1e-9 + self.exponential(size=(*count, len(alpha)))
        return parts / parts.sum(axis=-1, keepdims=True)
