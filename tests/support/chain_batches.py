"""Batches of random chains, and what is true of them without any kernel."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from kernel_versions import Array


@dataclass
class Batch:
    """The sentences of one model, one below the other."""

    unary: Array
    offsets: Array
    transition: Array
    initial: Array | None = None
    final: Array | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def model(self) -> tuple[Any, ...]:
        """Arguments of a kernel, in their order."""
        return self.unary, self.offsets, self.transition, self.initial, self.final

    def rows(self, s: int) -> slice:
        """Rows of sentence s."""
        return slice(int(self.offsets[s]), int(self.offsets[s + 1]))

    def local(self, s: int) -> Array:
        """Scores of sentence s in float64, with those of its ends."""
        local = self.unary[self.rows(s)].astype(np.float64)
        local[0] += 0.0 if self.initial is None else self.initial
        local[-1] += 0.0 if self.final is None else self.final
        return local

    def value(self, s: int, path: Any) -> float:
        """Score of a path of sentence s, summed from the left; -inf if a label is missing."""
        if min(path) < 0:
            return -np.inf
        local = self.local(s)
        total = local[0, path[0]]
        for i in range(1, len(path)):
            total = local[i, path[i]] + (total + self.transition[path[i - 1], path[i]])
        return float(total)

    def values(self, labels: Array) -> Array:
        """Scores of a path of each sentence."""
        return np.array([self.value(s, labels[self.rows(s)]) for s in range(len(self))])

    def best(self) -> Array:
        """Best score of each sentence, by Viterbi in float64."""
        best = np.empty(len(self))
        for s in range(len(self)):
            message, *rows = self.local(s)
            for row in rows:
                message = row + (message[:, None] + self.transition).max(axis=0)
            best[s] = message.max()
        return best

    def enumerated(self, s: int) -> list[float]:
        """Scores of all paths of sentence s, best first."""
        paths = itertools.product(range(len(self.transition)), repeat=len(self.local(s)))
        return sorted((self.value(s, path) for path in paths), reverse=True)


def improper(batch, places):
    """Spoil one score at a time by NaN or infinity; yield its sentence and the label scores."""
    for value, (row, label) in itertools.product((np.nan, np.inf), places):
        unary = batch.unary.copy()
        unary[row, label] = value
        yield int(np.searchsorted(batch.offsets, row, "right")) - 1, unary
