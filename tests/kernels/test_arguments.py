"""The checks that all rooms share: every kind of wrong argument is refused in the words of one message."""

import re
from typing import Any

import numpy as np
import pytest

from gapless_kernels._arguments import REALS, check_array, check_output, check_type


def frozen(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        ([1.0, 2.0], TypeError, "x must be a NumPy array, got list"),
        (None, TypeError, "x must be a NumPy array, got NoneType"),
        (np.zeros(2, np.float32), TypeError, "x must be float64, got float32"),
        (np.zeros((2, 1)), ValueError, "x must have shape (2,), got (2, 1)"),
        (frozen(np.zeros(2)), ValueError, "x must be writeable: it is an output"),
    ],
)
def test_output(array: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        check_output("x", array, (2,), np.float64)


def test_none_where_it_is_optional() -> None:
    check_array("x", None, (2,), optional=True)
    with pytest.raises(TypeError, match=r"^x must be a NumPy array or None, got int$"):
        check_array("x", 3, (2,), optional=True)
    with pytest.raises(ValueError, match="shape"):
        check_array("x", np.zeros(3), (2,), optional=True)


def test_either_number_type() -> None:
    for dtype in REALS:
        check_type("x", np.zeros(2, dtype), *REALS)
    with pytest.raises(TypeError, match=r"^x must be float32 or float64, got int64$"):
        check_type("x", np.zeros(2, np.int64), *REALS)
    check_type("x", np.zeros(2, np.int64))
