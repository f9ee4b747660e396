"""Bounds that hold for exact sums: scores raised by what float64 may round away, or whole numbers for them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import FloatArray

ObjectArray = NDArray[Any]
"""Of Python's integers, which have as many digits as they need."""


def whole_numbers(values: FloatArray) -> tuple[ObjectArray, int]:
    """Scale finite numbers by a power of two that makes all of them integers; return these and the exponent."""
    # A float64 has 53 binary digits: shifted by those, and by its exponent, it is an integer.
    mantissa, exponent = np.frexp(values)
    nonzero = values != 0.0
    bits = 53 - int(exponent[nonzero].min()) if nonzero.any() else 0
    integers = np.ldexp(mantissa, 53).astype(np.int64).astype(object)
    shift = np.where(nonzero, exponent - 53 + bits, 0).astype(object)
    return integers * 2**shift, bits


def rounded_up(integer: int, bits: int) -> float:
    """Return a float64 that is at least ``whole / 2 ** bits``."""
    numerator, denominator = (integer, 1 << bits) if bits >= 0 else (integer << -bits, 1)
    # Python divides integers with correct rounding, so one step up is above the exact quotient.
    return math.nextafter(numerator / denominator, math.inf)
