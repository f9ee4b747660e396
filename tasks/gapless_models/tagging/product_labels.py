"""Labels that are combinations of parts: the whole product, unseen combinations included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from gapless_models.tagging.readers import JOINT

Labels = NDArray[np.int64]
Scores = NDArray[np.float64]


class ProductLabels:
    """The product of several label sets.

    Label ``(p, q)`` of parts with ``P`` and ``Q`` labels has the number ``p * Q + q`` and the name ``P|Q``; more
    parts likewise, the last one changing fastest.

    Parameters
    ----------
    parts : sequence of sequence of str
        The labels of each part, without repetitions.

    Raises
    ------
    ValueError
        If there are fewer than two parts, one is empty, a label repeats or contains ``|``.
    """

    def __init__(self, parts: Sequence[Sequence[str]]) -> None:
        self.parts = tuple(tuple(part) for part in parts)
        if len(self.parts) < 2 or not all(self.parts):
            raise ValueError("product labels need two parts or more, each with at least one label")
        for part in self.parts:
            if len(set(part)) < len(part) or any(JOINT in label for label in part):
                raise ValueError(f"the labels {', '.join(part)} must differ and not contain '{JOINT}'")
        self.sizes = tuple(len(part) for part in self.parts)
        self.names = tuple(JOINT.join(labels) for labels in product(*self.parts))

    @classmethod
    def seen(cls, labels: Iterable[str]) -> ProductLabels:
        """Build the product of the parts that occur in joint labels, each part sorted."""
        rows = {tuple(label.split(JOINT)) for label in labels}
        if len({len(row) for row in rows}) != 1:
            raise ValueError(f"joint labels need one number of parts, joined by '{JOINT}', in every label")
        return cls([sorted(set(part)) for part in zip(*rows, strict=True)])

    def __len__(self) -> int:
        return len(self.names)

    def split(self, labels: Labels) -> tuple[Labels, ...]:
        """Split label numbers of any shape into the labels of each part."""
        return tuple(part.astype(np.int64, copy=False) for part in np.unravel_index(labels, self.sizes))

    def sum(self, scores: Sequence[NDArray[np.floating]]) -> Scores:
        """Sum the scores of the parts for each combination.

        Parameters
        ----------
        scores : sequence of ndarray, shape (..., K_part)
            For each part; the other axes are common to all.

        Returns
        -------
        ndarray of float64, shape (..., K)
        """
        wide = [part.astype(np.float64, copy=False) for part in scores]
        return reduce(lambda a, b: (a[..., :, None] + b[..., None, :]).reshape(*a.shape[:-1], -1), wide)

    def sum_pairs(self, scores: Sequence[NDArray[np.floating]]) -> Scores:
        """Sum the scores (K_part, K_part) of each part's pairs for pairs of combinations, (K, K)."""
        wide = [part.astype(np.float64, copy=False) for part in scores]
        return reduce(lambda a, b: (a[:, None, :, None] + b[None, :, None, :]).reshape(len(a) * len(b), -1), wide)
