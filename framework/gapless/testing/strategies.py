"""Hypothesis strategies, the only part of `gapless.testing` that needs Hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.decisions.decisions import FREE, OFF, ON, Decisions, Fixings
from gapless.errors import MissingDependency
from gapless.problems.problem import Problem

try:
    from hypothesis import strategies as st
except ImportError as error:  # pragma: no cover
    raise MissingDependency("gapless.testing.strategies needs Hypothesis: pip install hypothesis") from error

KINDS = ("integers", "smooth", "constant", "near ties", "large", "tiny")


@st.composite
def fixings(draw: st.DrawFn, of: Problem[Any] | Decisions, *, feasible: Fixings | None = None) -> Fixings:
    """Draw fixings of a problem's decisions, contradictory ones included.

    Parameters
    ----------
    of : Problem or Decisions
    feasible : Fixings, optional
        Complete fixings with which the drawn ones agree, so that a structure remains.
    """
    decisions = of.decisions if isinstance(of, Problem) else of
    if feasible is None:
        values = st.sampled_from((FREE, FREE, OFF, ON))
        return Fixings(draw(st.lists(values, min_size=decisions.count, max_size=decisions.count)))
    keep = draw(st.lists(st.booleans(), min_size=decisions.count, max_size=decisions.count))
    return Fixings(np.where(keep, feasible.state, FREE))


@st.composite
def scores(
    draw: st.DrawFn, shape: int | tuple[int, ...], *, forbidden: bool = True, kinds: tuple[str, ...] = KINDS
) -> FloatArray:
    """Draw arrays of scores that are hard for decoders: ties, constants, near ties, huge and tiny numbers, -inf.

    Parameters
    ----------
    shape : int or tuple of int
    forbidden : bool
        Whether some or all entries may be -inf.
    kinds : tuple of str
        A selection from `KINDS`.
    """
    kind = draw(st.sampled_from(kinds))
    size = int(np.prod(shape))
    whole = np.array(draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size)), np.float64)
    if kind == "smooth":
        numbers = st.floats(-10, 10, allow_nan=False, width=32)
        values = np.array(draw(st.lists(numbers, min_size=size, max_size=size)), np.float64)
    elif kind == "constant":
        values = np.full(size, float(draw(st.integers(-3, 3))))
    else:
        values = {
            "integers": whole,
            "near ties": np.round(whole / 3) + whole * 1e-12,
            "large": whole * 1e12,
            "tiny": whole * 1e-9,
        }[kind]
    if forbidden and draw(st.booleans()):
        banned = draw(st.lists(st.booleans(), min_size=size, max_size=size))
        values = np.where(banned, -np.inf, values)
    return values.reshape(shape)
