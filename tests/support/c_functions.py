"""C functions made of Python ones, whose errors are lost as those of C would be."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

VOID, DOUBLE, INT8, INT = ctypes.c_void_p, ctypes.c_double, ctypes.c_int8, ctypes.c_int32
DOUBLES, INT8S, INTS = ctypes.POINTER(DOUBLE), ctypes.POINTER(INT8), ctypes.POINTER(INT)
FOUND, NOTHING, FAILED = 0, 1, -1


def address(function):
    return ctypes.cast(function, VOID).value or 0


def compiled(*types):
    """A maker of C functions with these types, the returned one first: nobody sees the Python inside."""
    kind = ctypes.CFUNCTYPE(*types)

    def make(function: Callable[..., Any]) -> Any:
        inner = kind(function)
        outer = kind(address(inner))
        outer.inner = inner
        return outer

    return make


CONFIGURATION = compiled(INT, VOID, DOUBLES, INT8S, DOUBLES, INT8S)
VALUE = compiled(INT, VOID, INT8S, DOUBLES)
MARGINALS = compiled(INT, VOID, DOUBLES, INT8S, DOUBLES, DOUBLES)
STRUCTURE = compiled(INT, VOID, INT, DOUBLES, INT8S, DOUBLES, INTS, ctypes.POINTER(ctypes.c_ssize_t))
OWN = compiled(INT, VOID, INTS, ctypes.c_ssize_t, DOUBLES)
EXCLUDES = compiled(INT, VOID, INT, INT)
LOST = "left entry 0 of its answer NaN|which is none of"


def raises(*arguments):
    raise ZeroDivisionError
