"""Argument types of C functions, as capsules and ctypes name them, compared with those that a role expects."""

import ctypes
import re
from typing import Any

_CANONICAL = {
    "signed char": "int8",
    "byte": "int8",  # so scipy writes ctypes.c_int8
    "int8_t": "int8",
    "int32_t": "int",
    "signed int": "int",
    "ptrdiff_t": "long",
    "intptr_t": "long",
    "ssize_t": "long",
    "Py_ssize_t": "long",
    "npy_intp": "long",
    "long int": "long",
    "int64_t": "long",
}
_SIMPLE = {ctypes.c_double: "double", ctypes.c_int8: "int8", ctypes.c_int32: "int", ctypes.c_ssize_t: "long"}
_SHOWN = {"int8": "int8_t", "int": "int32_t", "long": "ptrdiff_t"}
_DECLARED = re.compile(r"\s*(?P<returned>[\w ]+?)\s*\((?P<arguments>[^()]*)\)\s*(?:noexcept\b|nogil\b|\s)*")
_NO_TYPE = re.compile(r"\b(?:const|noexcept|nogil|restrict)\b")


def check_text(where: str, text: str, wanted: str) -> None:
    """Refuse a function that is declared with other types.

    Parameters
    ----------
    where : str
        The function, for the message.
    text : str
        ``"int (void *, double const *)"``: the name of a capsule. A text that is no declaration is not looked at.
    wanted : str
        Types of the arguments, as in ``"void* double*"``.

    Raises
    ------
    TypeError
    """
    found = _DECLARED.fullmatch(text)
    if found is not None:
        _compare(where, _plain(found["returned"]), [_plain(part) for part in found["arguments"].split(",")], wanted)


def check_ctypes(where: str, function: Any, wanted: str) -> None:
    """Refuse a ctypes function with other types, one of Python or one that needs the GIL.

    Types that ctypes does not know are not looked at.

    Raises
    ------
    TypeError
    """
    if function._flags_ & ctypes._FUNCFLAG_PYTHONAPI:  # type: ignore[attr-defined]  # the only place where ctypes says it
        raise TypeError(f"{where}: a function of ctypes.PyDLL needs the GIL; load its library by ctypes.CDLL")
    if any(type(kept).__name__ == "CThunkObject" for kept in (function._objects or {}).values()):
        raise TypeError(
            f"{where} is a Python function behind ctypes, whose exceptions are lost; leave it in Python, as "
            "value(), best(), solve() or max_marginals()"
        )
    if function.argtypes is not None:
        _compare(where, _named(function.restype), [_named(kind) for kind in function.argtypes], wanted)


def _plain(text: str) -> str:
    """Write a declared type as this module does: ``const signed char *`` is ``int8*``."""
    words = _NO_TYPE.sub(" ", text).replace("*", " * ").split()
    name = " ".join(word for word in words if word != "*")
    return _CANONICAL.get(name, name) + "*" * words.count("*")


def _named(kind: Any) -> str:
    """Write a type of ctypes as this module does."""
    if kind in {ctypes.c_void_p, ctypes.c_char_p}:
        return "void*"
    if isinstance(kind, type) and issubclass(kind, ctypes._Pointer):
        return f"{_named(kind._type_)}*"
    return _SIMPLE.get(kind, getattr(kind, "__name__", str(kind)))


def _compare(where: str, returned: str, given: list[str], wanted: str) -> None:
    """Compare types; a pointer without type may stand for every other, and the first argument for anything."""
    types = wanted.split()
    fits = returned == "int" and len(given) == len(types)
    for number, (one, other) in enumerate(zip(given, types, strict=False)):
        fits = fits and (
            one == other or (other.endswith("*") and one.endswith("*") and (number == 0 or one == "void*"))
        )
    if not fits:
        raise TypeError(f"{where} has the type {_shown(returned, given)}; expected {_shown('int', types)}")


def _shown(returned: str, types: list[str]) -> str:
    def c(text: str) -> str:
        stars = text.count("*")
        name = text.rstrip("*")
        return _SHOWN.get(name, name) + (" " + "*" * stars if stars else "")

    return f"{'int' if returned == 'int' else c(returned)} ({', '.join(map(c, types))})"
