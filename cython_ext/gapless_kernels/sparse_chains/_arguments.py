"""Checks of the arguments of the kernels for sparse chains, shared by compiled code and twins; see `_arguments`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import REALS, check_array, check_offsets, check_output, check_type
from gapless_kernels.chains._batch_arguments import check_batch, check_ends

Array = npt.NDArray[Any]


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
) -> None:
    """Check the arguments of `viterbi_pruned_batch`."""
    check_batch(unary, offsets, transition, initial, final, labels, values, status, survivors)
    for name, bounds in (("lower", lower), ("upper", upper)):
        check_array(name, bounds, (len(transition),))
    if messages is not None:
        check_output("messages", messages, unary.shape, np.float64)
        if unary.dtype != np.float64:
            raise TypeError("messages are given in float64 only, so unary must be float64")


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
    check_type("unary", unary, *REALS)
    if unary.ndim != 2 or 0 in unary.shape:
        raise ValueError(f"unary must have shape (N, K) with N >= 1 and K >= 1, got {unary.shape}")
    rows, count = (int(size) for size in unary.shape)
    varies = isinstance(transition, np.ndarray) and transition.ndim == 3
    check_array("transition", transition, (rows - 1, count, count) if varies else (count, count))
    check_ends(initial, final, count)
    sentences = check_offsets(offsets, rows)
    if varies and (sentences > 1 or table is not None or upper is not None):
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
        check_array(name, array, shape, optional=True)
    return count


def largest_score(*scores: Array | None) -> float:
    """Find the largest finite magnitude in any of the arrays."""
    present = [array for array in scores if array is not None]
    return max(float(np.max(np.abs(array), where=np.isfinite(array), initial=0.0)) for array in present)
