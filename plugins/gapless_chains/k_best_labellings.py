"""Several labellings of each of many chains, as arrays that a `BatchResult` keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import Result
from gapless.arrays.sparse import FloatArray, IntArray


@attrs.frozen(eq=False, repr=False)
class KBestLabellings:
    """The best labellings of each sentence of a batch, best first.

    Parameters
    ----------
    labels : int64 (k, N)
        Row j holds each sentence's labelling of rank j; -1 where it has fewer.
    values : float64 (S, k)
        Their values; minus infinity where there is none.
    counts : int64 (S,)
        Number of labellings of each sentence: fewer than k only where there are no more.
    offsets : int64 (S+1,)
        Sentence s holds the columns ``offsets[s]`` to ``offsets[s + 1] - 1`` of `labels`.

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_chains import ChainModel, k_best_of_batch
    >>> batch = ChainModel([[0.0, -3.0], [0.0, 0.0]]).batch(np.array([[1.0, 0.0], [0.0, 2.0]]), [2])
    >>> k_best_of_batch(batch, 2).values
    array([[2., 1.]])
    """

    labels: IntArray
    values: FloatArray
    counts: IntArray
    offsets: IntArray

    @classmethod
    def none(cls, k: int, offsets: IntArray) -> KBestLabellings:
        """Allocate arrays for `k` labellings of each sentence, all marked as missing."""
        count = len(offsets) - 1
        labels, values = np.full((k, int(offsets[-1])), -1, np.int64), np.full((count, k), -np.inf)
        return cls(labels, values, np.zeros(count, np.int64), offsets)

    def __len__(self) -> int:
        return len(self.counts)

    def of(self, sentence: int) -> list[IntArray]:
        """Return the labellings of one sentence, best first."""
        columns = slice(self.offsets[sentence], self.offsets[sentence + 1])
        return [self.labels[rank, columns] for rank in range(self.counts[sentence])]

    def take(self, other: KBestLabellings, sentences: IntArray) -> None:
        """Copy the labellings of some of the sentences from `other`."""
        starts, lengths = self.offsets[sentences], np.diff(other.offsets)
        columns = np.repeat(starts - other.offsets[:-1], lengths) + np.arange(other.offsets[-1])
        self.labels[:, columns] = other.labels
        self.values[sentences], self.counts[sentences] = other.values, other.counts

    def take_result(self, result: Result[IntArray], sentence: int) -> None:
        """Copy the labellings of one sentence from its result."""
        columns = slice(self.offsets[sentence], self.offsets[sentence + 1])
        for rank, solution in enumerate(result.solutions):
            self.labels[rank, columns], self.values[sentence, rank] = solution.structure, solution.value
        self.counts[sentence] = len(result.solutions)

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays for `BatchResult.arrays`, tokens and sentences first; they become read-only."""
        # `BatchResult` hands these arrays out; results made later must not change under the caller.
        for array in (self.labels, self.values, self.counts):
            array.flags.writeable = False
        return {"k_best_labels": self.labels.T, "k_best_values": self.values, "k_best_counts": self.counts}

    def __repr__(self) -> str:
        return f"<KBest of {len(self)}: k={len(self.labels)}, {int(self.counts.sum())} labellings>"
