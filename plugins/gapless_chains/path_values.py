"""The scores of given label paths, many at once."""

from __future__ import annotations

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_chains.batch import ChainBatch


def path_values(batch: ChainBatch, labels: IntArray) -> FloatArray:
    """Score one labelling of each sentence, bit by bit as `ChainProblem.value` does.

    Parameters
    ----------
    batch : ChainBatch
    labels : int64 (N,)
        The labels of all sentences, one after another.

    Returns
    -------
    float64 (S,)
        Minus infinity where a labelling is forbidden.

    Raises
    ------
    InvalidProblem
        Another shape, or labels out of range.
    """
    chosen = np.asarray(labels)
    if chosen.shape != (batch.tokens,) or chosen.dtype.kind not in "iu":
        raise InvalidProblem(
            f"labels must be {batch.tokens} integers, one for each token, got {chosen.dtype} {chosen.shape}"
        )
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < batch.model.label_count:
        raise InvalidProblem(f"labels must lie in 0..{batch.model.label_count - 1}")
    starts, ends = batch.offsets[:-1], batch.offsets[1:] - 1
    local = batch.unary[np.arange(chosen.size), chosen].astype(np.float64)
    if batch.model.initial is not None:
        local[starts] += batch.model.initial[chosen[starts]]
    if batch.model.final is not None:
        local[ends] += batch.model.final[chosen[ends]]
    pairs = batch.model.transition[chosen[:-1], chosen[1:]]
    totals: FloatArray = local[starts]
    lengths = ends - starts + 1
    going = np.arange(len(batch))
    for step in range(1, int(lengths.max(initial=0))):
        going = going[lengths[going] > step]
        rows = starts[going] + step
        # One step of all sentences that are still running, in the order of additions of `ChainProblem.value`.
        totals[going] = local[rows] + (totals[going] + pairs[rows - 1])
    return totals
