"""Arrays from users: NumPy's own, tensors, objects with ``__array__`` or ``__dlpack__``, lists of these.

Imports no tensor library: a tensor can only come from one that is already loaded.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless.errors import InvalidProblem

_SCALARS = (int, float, np.generic)
_HOST_DEVICES = {1, 3, 11, 13}
"""DLPack device types whose memory the CPU can read: CPU, pinned for CUDA, pinned for ROCm, managed by CUDA."""
_NARROW = ("bfloat16", "float8_", "float6_", "float4_")
"""Prefixes of the floating-point types that ``ml_dtypes`` adds to NumPy."""


def as_array(values: Any, subject: str) -> NDArray[Any]:
    """Convert `values` to a NumPy array, sharing memory where possible.

    Floating-point types foreign to NumPy (bfloat16, the 8-bit ones) are widened to float32, which is exact; all
    other types are left for the caller to check.

    Parameters
    ----------
    values : array, tensor, number or nested sequences of these
    subject : str
        First words of a message, verb included: "unary is", "sibling: scores are".

    Raises
    ------
    InvalidProblem
        A tensor requires grad while gradients are on, or is on another device; an array is sparse or masked, and
        would be read only in part; lists are ragged; or the values cannot be read as an array.
    """
    # The common cases first: they must not pay for the checks of foreign types.
    if type(values) is np.ndarray or isinstance(values, _SCALARS):
        return np.asarray(values)
    if isinstance(values, np.ma.MaskedArray):
        raise InvalidProblem(
            f"{subject} a masked array; fill with -inf what is forbidden: .astype(float).filled(-np.inf)"
        )
    if isinstance(values, list | tuple):
        values = _rows(values, subject)
    else:
        _refuse_sparse(values, subject)
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(values, torch.Tensor):
            values = _readable_tensor(values, subject)
        else:
            _refuse_other_devices(values, subject)
    try:
        array: NDArray[Any]
        if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
            array = np.from_dlpack(values)
        else:
            array = np.asarray(values)
    except Exception as error:  # foreign classes may raise anything
        if isinstance(values, list):
            raise InvalidProblem(
                f"{subject} not a rectangular array of numbers: {error}; give every row the same length"
            ) from error
        raise InvalidProblem(f"{subject} a {_type(values)}, which cannot be read as an array: {error}") from error
    return array.astype(np.float32) if array.dtype.name.startswith(_NARROW) else array


def given_sequence(values: Any, name: str) -> tuple[Any, ...]:
    """Return a caller's sequence as a tuple. Raises `InvalidProblem`: `values` is no sequence, or one string."""
    if isinstance(values, str | bytes):
        raise InvalidProblem(f"{name} is one string; give a list of names")
    try:
        return tuple(values)
    except TypeError as error:
        raise InvalidProblem(f"{name} is {values!r:.80}, expected a sequence") from error


def _rows(values: list[Any] | tuple[Any, ...], subject: str) -> list[Any]:
    """Convert every tensor inside nested lists to an array."""
    return [
        as_array(row, subject)
        if hasattr(row, "__dlpack__") or (hasattr(row, "__array__") and not isinstance(row, np.generic))
        else _rows(row, subject)
        if isinstance(row, list | tuple)
        else row
        for row in values
    ]


def _refuse_sparse(values: Any, subject: str) -> None:
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise InvalidProblem(f"{subject} a sparse {_type(values)}; {_DENSE}: .toarray()")


_DENSE = "absent entries could mean 0 or forbidden; convert it to a dense array"


def _readable_tensor(tensor: Any, subject: str) -> Any:
    """Return the tensor in a form that NumPy can read, widened where its dtype is foreign to NumPy."""
    torch = sys.modules["torch"]
    if tensor.requires_grad and torch.is_grad_enabled():
        raise InvalidProblem(
            f"{subject} a tensor that requires grad, and decoding has no gradient: call .detach(), or decode under "
            "torch.no_grad(); to train through the decoder use gapless_torch"
        )
    tensor = tensor.detach()
    if tensor.is_nested:
        raise InvalidProblem(f"{subject} a nested tensor; pass one per sentence: .unbind()")
    if tensor.layout != torch.strided:
        raise InvalidProblem(f"{subject} a sparse tensor; {_DENSE}: .to_dense()")
    if tensor.device.type != "cpu":
        raise InvalidProblem(f"{subject} a tensor on the device {tensor.device}; copy it to the CPU first: .cpu()")
    # Torch conjugates and negates lazily, by a flag that NumPy cannot read.
    tensor = tensor.resolve_conj().resolve_neg()
    return tensor.float() if str(tensor.dtype).removeprefix("torch.").startswith(_NARROW) else tensor


def _refuse_other_devices(values: Any, subject: str) -> None:
    device = getattr(values, "__dlpack_device__", None)
    if device is not None and not isinstance(values, np.ndarray) and int(device()[0]) not in _HOST_DEVICES:
        raise InvalidProblem(
            f"{subject} a {_type(values)} on another device than the CPU; copy it there first, "
            "with .cpu() or its library's equivalent"
        )


def _type(values: Any) -> str:
    return f"{type(values).__module__.partition('.')[0]}.{type(values).__name__}"
