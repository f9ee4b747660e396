"""Sentences padded to one length: positions that hold a token, and the rows of the tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.array_input import as_array
from gapless.arrays.sparse import BoolArray, IntArray


def token_mask(mask: Any, shape: tuple[int, int]) -> BoolArray:
    """Return which positions hold a token, bool (S, T), from booleans or from numbers 0 and 1.

    Raises `InvalidProblem`: another shape, or another number; the message names the place.
    """
    array = as_array(mask, "mask is")
    if array.shape != shape:
        turned = "; it is transposed: give mask.T" if array.shape == shape[::-1] else ""
        raise InvalidProblem(
            f"mask has shape {array.shape}, expected booleans, or 0 and 1, for each place, {shape}{turned}"
        )
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind not in "iuf":
        raise InvalidProblem(f"mask has dtype {array.dtype}, expected booleans, or the numbers 0 and 1")
    keep_mask: BoolArray = array == 1
    wrong = np.argwhere(~keep_mask & (array != 0))
    if len(wrong):
        sentence, position = wrong[0]
        raise InvalidProblem(
            f"mask[{sentence}, {position}] is {array[sentence, position]}, expected 1 for a token and 0 for padding"
        )
    return keep_mask


def unpadded(unary: NDArray[Any], lengths: Any, mask: Any) -> tuple[NDArray[Any], IntArray]:
    """Copy the rows of all tokens (N, K), and count the tokens of each sentence (S,).

    Raises `InvalidProblem`: neither of them is given, or both; they do not fit; padding stands elsewhere; a
    sentence is empty.

    Parameters
    ----------
    unary : array (S, T, K)
    lengths : (S,) integers, or None
    mask : (S, T) booleans, or 0 and 1, or None
        Padding stands behind the tokens.
    """
    shape = unary.shape[0], unary.shape[1]
    if (lengths is None) == (mask is None):
        both = "" if mask is None else ", and not both"
        raise InvalidProblem(
            f"unary has shape {unary.shape}: padded sentences need mask, of shape {shape}, or lengths, of shape "
            f"{shape[:1]}, which say where the tokens are{both}"
        )
    counts = _counts(lengths, shape) if mask is None else _tokens(token_mask(mask, shape))
    if (counts < 1).any():
        sentence = int(np.flatnonzero(counts < 1)[0])
        raise InvalidProblem(f"sentence {sentence} has no token; leave empty sentences out")
    # Padding stands behind the tokens, so the counts alone select the rows.
    return unary[np.arange(shape[1]) < counts[:, None]], counts


def _counts(lengths: Any, shape: tuple[int, int]) -> IntArray:
    counts = as_array(lengths, "lengths is")
    if counts.shape != shape[:1] or counts.dtype.kind not in "iu":
        raise InvalidProblem(
            f"lengths must be {shape[0]} integers, one a sentence, got {counts.dtype} {counts.shape}"
        )
    wrong = np.flatnonzero((counts < 0) | (counts > shape[1]))
    if len(wrong):
        raise InvalidProblem(
            f"sentence {wrong[0]} has length {counts[wrong[0]]}, but unary has {shape[1]} places for it"
        )
    return counts.astype(np.int64)


def _tokens(keep_mask: BoolArray) -> IntArray:
    """Count the tokens of each sentence; raises if padding precedes one of them."""
    counts: IntArray = keep_mask.sum(axis=1, dtype=np.int64)
    gaps = np.argwhere(~keep_mask & (np.arange(keep_mask.shape[1]) < counts[:, None]))
    if len(gaps):
        sentence, position = gaps[0]
        where = "on the left" if position == 0 else "between tokens"
        raise InvalidProblem(
            f"sentence {sentence} is padded {where}: mask[{sentence}, {position}] is 0, and tokens come after it; "
            "padding belongs behind them. Where the places that the mask keeps make up the chain, give them alone: "
            "model.batch(unary[mask], mask.sum(1)), with a mask of booleans"
        )
    return counts
