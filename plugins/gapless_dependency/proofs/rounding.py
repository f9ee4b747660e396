"""Bounds that hold for exact sums: scores raised by what float64 may round away, or whole numbers for them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless.core.sparse import FloatArray

ObjectArray = NDArray[Any]
"""Of Python's integers, which have as many digits as they need."""


def whole_numbers(values: FloatArray) -> tuple[ObjectArray, int]:
    """Finite numbers times a power of two that makes all of them integers, and its exponent; exact."""
    mantissa, exponent = np.frexp(values)
    held = values != 0.0
    bits = 53 - int(exponent[held].min()) if held.any() else 0
    whole = np.ldexp(mantissa, 53).astype(np.int64).astype(object)
    shift = np.where(held, exponent - 53 + bits, 0).astype(object)
    return whole * 2**shift, bits


def rounded_up(whole: int, bits: int) -> float:
    """A float64 no less than ``whole / 2 ** bits``."""
    numerator, denominator = (whole, 1 << bits) if bits >= 0 else (whole << -bits, 1)
    return math.nextafter(numerator / denominator, math.inf)
