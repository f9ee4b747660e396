"""The checks that all subpackages share: each kind of wrong argument has one message."""

import re

import numpy as np
import pytest

from gapless_kernels._arguments import REALS, check_array, check_output, check_type


def frozen(array):
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
def test_check_output_names_wrong_arrays(array, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        check_output("x", array, (2,), np.float64)


def test_check_array_takes_none_where_it_is_optional():
    check_array("x", None, (2,), optional=True)
    with pytest.raises(TypeError, match=r"^x must be a NumPy array or None, got int$"):
        check_array("x", 3, (2,), optional=True)
    with pytest.raises(ValueError, match="shape"):
        check_array("x", np.zeros(3), (2,), optional=True)


def test_check_type_takes_either_number_type():
    for dtype in REALS:
        check_type("x", np.zeros(2, dtype), *REALS)
    with pytest.raises(TypeError, match=r"^x must be float32 or float64, got int64$"):
        check_type("x", np.zeros(2, np.int64), *REALS)
    check_type("x", np.zeros(2, np.int64))
