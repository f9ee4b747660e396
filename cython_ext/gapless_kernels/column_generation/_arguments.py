"""Checks of the arguments of column generation, shared by the compiled kernel and its NumPy twin."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._arguments import check_offsets, check_output
from gapless_kernels.chains._batch_arguments import check_rows
from gapless_kernels.chains._transition_tables import TransitionTables


def check_column_generation(
    unary: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64],
    tables: Any,
    outputs: Sequence[Any],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    start: int,
    gap: float,
    effort: float,
) -> int:
    """Check the arguments of `column_generation_batch`; return the number of sentences, S.

    The `outputs` are labels, values, bounds, status, rounds, domain_sizes, candidates; then second_values and
    second_labels if a margin is given.
    """
    if not isinstance(tables, TransitionTables):
        raise TypeError(f"tables must be made by transition_tables, got {type(tables).__name__}")
    labels = len(tables.transition)
    rows = check_rows(unary, labels)
    if tables.forward.dtype != unary.dtype:
        raise TypeError(f"tables are for {tables.forward.dtype}, unary is {unary.dtype}")
    sentences = check_offsets(offsets, rows)
    per_token = ((rows,), np.int64)
    per_sentence = ((sentences,), np.float64)
    count = ((sentences,), np.int64)
    expected = {
        "labels": per_token,
        "values": per_sentence,
        "bounds": per_sentence,
        "status": ((sentences,), np.uint8),
        "rounds": count,
        "domain_sizes": count,
        "candidates": count,
        "second_values": per_sentence,
        "second_labels": per_token,
    }
    for array, (name, (shape, dtype)) in zip(outputs, expected.items(), strict=False):
        check_output(name, array, shape, dtype)
    for name, ends in (("initial", initial), ("final", final)):
        if ends is not None and np.shape(ends) != (labels,):
            raise ValueError(f"{name} must have shape ({labels},), got {np.shape(ends)}")
    if start not in (0, 1):
        raise ValueError(f"start must be 0 (greedy) or 1 (local), got {start}")
    if not (gap >= 0 and effort >= 0):
        raise ValueError(f"gap and effort must be numbers >= 0, got {gap} and {effort}")
    return sentences
