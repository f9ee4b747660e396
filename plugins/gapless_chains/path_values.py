"""The scores of given label paths, many at once."""

from __future__ import annotations

import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import FloatArray, IntArray
from gapless_chains.batch import ChainBatch


def path_values(batch: ChainBatch, labels: IntArray) -> FloatArray:
    """The score of one labelling of each sentence, bit by bit what `ChainProblem.value` returns.

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
    given = np.asarray(labels)
    if given.shape != (batch.tokens,) or given.dtype.kind not in "iu":
        raise InvalidProblem(
            f"labels must be {batch.tokens} integers, one for each token, got {given.dtype} {given.shape}"
        )
    if given.size and not 0 <= given.min() <= given.max() < batch.model.label_count:
        raise InvalidProblem(f"labels must lie in 0..{batch.model.label_count - 1}")
    starts, ends = batch.offsets[:-1], batch.offsets[1:] - 1
    local = batch.unary[np.arange(given.size), given].astype(np.float64)
    if batch.model.initial is not None:
        local[starts] += batch.model.initial[given[starts]]
    if batch.model.final is not None:
        local[ends] += batch.model.final[given[ends]]
    pairs = batch.model.transition[given[:-1], given[1:]]
    totals: FloatArray = local[starts]
    lengths = ends - starts + 1
    going = np.arange(len(batch))
    for step in range(1, int(lengths.max(initial=0))):
        going = going[lengths[going] > step]
        here = starts[going] + step
        totals[going] = local[here] + (totals[going] + pairs[here - 1])
    return totals
