"""Score arrays of problems: checked, float64, contiguous, immutable, and recognised by identity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.array_input import as_array, given_sequence
from gapless.arrays.sparse import FloatArray

# Beyond this, sums of a few thousand scores could overflow, and an overflow would look like a proof.
LARGEST = 1e150
_EXACT_INTEGERS = 2**53
_NUMBERS = "biuf"

# Arrays that `scores` made. Problems of one model share their transitions, which are then checked once.
_checked: WeakValueDictionary[int, FloatArray] = WeakValueDictionary()


def scores(name: str, values: Any) -> FloatArray:
    """Return `values` as an immutable float64 array: a copy, unless `values` is already such a copy.

    Tables are remembered by the identity of these arrays, so none may ever change. An array that is read-only now
    can be made writeable again by its owner; the copies cannot, their memory is a bytes object. Raises
    `InvalidProblem`: not numbers, ragged, masked, NaN, plus infinity, or too large; minus infinity is allowed.
    `name`: name of the array in messages.
    """
    cached = _checked.get(id(values))
    if cached is not None and cached is values:
        return cached
    array = _as_float64(name, values)
    _check(name, array)
    _checked[id(array)] = array
    return array


def given_scores(name: str, values: Any) -> NDArray[Any]:
    """Return `values` as an array of real numbers of any dtype, not copied if possible.

    Raises `InvalidProblem`: not numbers, or what `gapless.arrays.array_input` refuses.
    """
    array = as_array(values, f"{name} is")
    if array.dtype.kind == "c":
        raise InvalidProblem(
            f"{name} has dtype {array.dtype}; scores are real numbers: {name}.real, or its modulus"
        )
    if array.dtype.kind not in _NUMBERS:
        raise InvalidProblem(f"{name} has dtype {array.dtype}; scores are real numbers, e.g. {name}.astype(float)")
    return array


def _as_float64(name: str, values: Any) -> FloatArray:
    array = given_scores(name, values)
    if array.dtype.kind in "iu" and array.size and max(abs(int(array.min())), int(array.max())) > _EXACT_INTEGERS:
        raise InvalidProblem(f"{name} holds integers beyond 2**53, which float64 would round; scale them down")
    return immutable(array)


def immutable(array: NDArray[Any]) -> FloatArray:
    """Return a contiguous float64 copy that cannot be written or made writeable."""
    numbers = array.astype(np.float64, copy=False)
    return np.ndarray(numbers.shape, np.float64, numbers.tobytes())


def _check(name: str, array: FloatArray) -> None:
    if not array.size:
        return
    # Two passes suffice for valid arrays; NaN fails both comparisons, and -inf is sorted out below.
    if array.max() < LARGEST and array.min() > -LARGEST:
        return
    for bad, fault, fix in (
        (np.isnan(array), "NaN", "a score must be a number"),
        (array == np.inf, "+inf", "forbid the alternatives by -inf instead"),
        ((np.abs(array) >= LARGEST) & np.isfinite(array), "too large", "scale the scores down; -inf forbids"),
    ):
        if bad.any():
            index = ", ".join(str(int(i)) for i in np.argwhere(bad)[0])
            raise InvalidProblem(f"{name}[{index}] is {fault} ({bad.sum()} in all); {fix}")


def as_transition(values: Any) -> FloatArray:
    """Check transition scores, see `scores`."""
    return scores("transition", values)


def as_initial(values: Any) -> FloatArray | None:
    """Check the scores of the first label, or return None."""
    return None if values is None else scores("initial", values)


def as_final(values: Any) -> FloatArray | None:
    """Check the scores of the last label, or return None."""
    return None if values is None else scores("final", values)


def as_names(values: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return names of labels as a tuple, or None; raises for a single string."""
    return None if values is None else given_sequence(values, "labels")


def check_ends(count: int, labels: tuple[str, ...] | None, **scores: FloatArray | None) -> None:
    """Refuse scores and names that are not one for each of `count` labels."""
    for name, array in scores.items():
        if array is not None and array.shape != (count,):
            raise InvalidProblem(f"{name} has shape {array.shape}, expected {(count,)}, one score for each label")
    if labels is not None and (len(labels) != count or not all(isinstance(label, str) for label in labels)):
        raise InvalidProblem(f"labels holds {len(labels)} entries, expected {count} strings")
