"""Checks of the arguments of the kernels for sparse chains, shared by compiled code and twins; see `_arguments`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_array, check_model, check_offsets, check_output

__all__ = ["check_beam", "check_k_best", "check_pruned", "largest_score"]

Array = npt.NDArray[Any]


def check_beam(
    unary: Array,
    offsets: Array,
    transition: Array,
    initial: Array | None,
    final: Array | None,
    labels: Array,
    values: Array,
    status: Array,
) -> tuple[int, int, int]:
    """Check a model, sentences and one answer for each; return the rows N, labels K and sentences S."""
    rows, count = check_model(unary, transition, initial, final)
    sentences = check_offsets(offsets, rows)
    check_output("labels", labels, (rows,), np.int64)
    check_output("values", values, (sentences,), np.float64)
    check_output("status", status, (sentences,), np.uint8)
    return rows, count, sentences


def check_pruned(
    unary: Array,
    offsets: Array,
    transition: Array,
    initial: Array | None,
    final: Array | None,
    lower: Array,
    upper: Array,
    labels: Array,
    values: Array,
    status: Array,
    survivors: Array | None,
    messages: Array | None,
) -> tuple[int, int, int]:
    """As `check_beam`, with bounds on the scores of leaving labels, and outputs that may be left out."""
    rows, count, sentences = check_beam(unary, offsets, transition, initial, final, labels, values, status)
    check_array("lower", lower, (count,))
    check_array("upper", upper, (count,))
    if survivors is not None:
        check_output("survivors", survivors, (sentences,), np.int64)
    if messages is not None:
        check_output("messages", messages, (rows, count), np.float64)
        if unary.dtype != np.float64:
            raise TypeError("messages are given in float64 only, so unary must be float64")
    return rows, count, sentences


def check_k_best(
    unary: Array,
    offsets: Array,
    transition: Array,
    initial: Array | None,
    final: Array | None,
    labels: Array,
    values: Array,
    counts: Array,
    status: Array,
    lower: Array | None,
    upper: Array | None,
    table: Array | None,
    thresholds: Array | None,
) -> int:
    """Check the arguments of `k_best_batch`; return the number of labels, K."""
    rows, count = check_model(unary, transition, initial, final, varying=True)
    sentences = check_offsets(offsets, rows)
    if transition.ndim == 3 and (sentences > 1 or table is not None or upper is not None):
        raise ValueError("transitions that vary along the chain are for one sentence, without pruning")
    if not isinstance(labels, np.ndarray) or labels.ndim != 2 or not labels.shape[0]:
        raise ValueError(f"labels must be an array of shape (k, {rows}) with k >= 1")
    k = labels.shape[0]
    check_output("labels", labels, (k, rows), np.int64)
    check_output("values", values, (sentences, k), np.float64)
    check_output("counts", counts, (sentences,), np.int64)
    check_output("status", status, (sentences,), np.uint8)
    if (lower is None) != (upper is None) or (table is not None and upper is not None):
        raise ValueError("give lower and upper together, or the table alone")
    for name, array, shape in (
        ("lower", lower, (count,)),
        ("upper", upper, (count,)),
        ("table", table, (count, count)),
        ("thresholds", thresholds, (sentences,)),
    ):
        if array is not None:
            check_array(name, array, shape)
    return count


def largest_score(*scores: Array | None) -> float:
    """Largest finite magnitude in any of the arrays."""
    given = [array for array in scores if array is not None]
    return max(float(np.max(np.abs(array), where=np.isfinite(array), initial=0.0)) for array in given)
