"""Addresses of C functions and of their data, and the objects that must stay alive for them."""

from __future__ import annotations

import ctypes
import operator
from typing import Any

import numpy as np

from gapless_kernels.search._signatures import check_ctypes, check_text

_API = ctypes.pythonapi
_FUNCTION: Any = ctypes._CFuncPtr  # type: ignore[attr-defined]  # the base of all functions of ctypes


def _capsules(name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(_API, name)
    function.restype, function.argtypes = result, [ctypes.py_object, *arguments]
    return function


_NAME = _capsules("PyCapsule_GetName", ctypes.c_char_p)
_CONTEXT = _capsules("PyCapsule_GetContext", ctypes.c_void_p)
_POINTER = _capsules("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_char_p)


class Addresses:
    """The functions of a role, which all get the same data.

    Parameters
    ----------
    role : str
        For messages.
    data : contiguous array or other buffer, ctypes pointer, address, or None
    """

    def __init__(self, role: str, data: Any) -> None:
        self.role, self.given = role, data
        self.contexts: dict[str, int] = {}
        self.holds: list[Any] = [data]

    def function(self, name: str, given: Any, types: str, optional: bool = False) -> int:
        """Return the address of a function; 0 if it is left out."""
        if given is None and optional:
            return 0
        where = f"{self.role}: {name}"
        self.holds.append(given)
        if isinstance(given, tuple) and len(given) > 1:  # scipy.LowLevelCallable, which forbids indices
            if isinstance(tuple.__getitem__(given, 1), _FUNCTION):
                check_ctypes(where, tuple.__getitem__(given, 1), types)
            given = tuple.__getitem__(given, 0)
        elif hasattr(given, "ctypes") and hasattr(given, "address"):  # numba's cfunc
            given = given.ctypes
        if type(given).__name__ == "PyCapsule":
            return self._capsule(name, given, types)
        if isinstance(given, _FUNCTION):
            check_ctypes(where, given, types)
            address = ctypes.cast(given, ctypes.c_void_p).value or 0
        elif isinstance(given, bool) or not hasattr(given, "__index__"):
            raise TypeError(
                f"{where} must be a scipy.LowLevelCallable, a numba cfunc, a ctypes function, a capsule or an "
                f"address, got {given!r}" + ("; compile it first, as by numba.cfunc" if callable(given) else "")
            )
        else:
            address = operator.index(given)
        if not 4096 <= address <= np.iinfo(np.uintp).max:  # no process maps the first page
            raise ValueError(f"{where}: {address} is no address of a function")
        return address

    def _capsule(self, name: str, given: Any, types: str) -> int:
        """Return the address in a capsule, whose name is the declaration; its context is the user data of scipy."""
        text = _NAME(given)
        if text is not None:
            check_text(f"{self.role}: {name}", text.decode(), types)
        context = _CONTEXT(given)
        if context:
            self.contexts[name] = context
        return int(_POINTER(given, text))

    def data(self) -> int:
        """Return the address of the data."""
        given = self.given
        if given is None:
            if len(set(self.contexts.values())) > 1:
                raise ValueError(
                    f"{self.role}: the user data of {' and '.join(self.contexts)} differ; all functions get the "
                    "same, give data="
                )
            return next(iter(self.contexts.values()), 0)
        if isinstance(given, ctypes.c_void_p):
            return given.value or 0
        if isinstance(given, ctypes._Pointer):
            return ctypes.cast(given, ctypes.c_void_p).value or 0
        if not isinstance(given, bool) and hasattr(given, "__index__") and not isinstance(given, np.ndarray):
            return operator.index(given)
        try:
            view = memoryview(given)
        except TypeError:
            raise TypeError(
                f"{self.role}: data must be an array, another buffer, a ctypes pointer or an address, got {given!r}"
            ) from None
        if not view.c_contiguous:
            raise ValueError(f"{self.role}: data must be contiguous; give numpy.ascontiguousarray(data)")
        if view.nbytes == 0:
            return 0
        self.holds.append(view)  # an array cannot be resized meanwhile
        return np.frombuffer(view.cast("B"), np.uint8).ctypes.data

    def references(self) -> tuple[Any, ...]:
        """Return everything that must stay alive."""
        return tuple(self.holds)
