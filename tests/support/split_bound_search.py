"""Trees of a sentence in the one search, by heads and modifiers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels.search._search import NODES, PROVED, STEPS, TIME, CompiledSearch
from gapless_kernels.search._trees import Trees

__all__ = ["NODES", "PROVED", "STEPS", "TIME", "SplitBoundSearch"]


def arcs_into(modifiers, words):
    """The arcs into each word, ``members[first[w - 1]:first[w]]``: the choice groups of trees."""
    counts = np.bincount(np.asarray(modifiers, np.int64), minlength=words + 1)[1:]
    members = np.argsort(modifiers, kind="stable").astype(np.int64)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), members


class SplitBoundSearch(CompiledSearch):
    def __init__(
        self,
        weights: npt.ArrayLike,
        blocks: Any,
        heads: npt.NDArray[Any],
        modifiers: npt.NDArray[Any],
        *,
        projective: bool,
        single_root: bool,
        incumbent_heads: npt.ArrayLike | None = None,
        **options: Any,
    ) -> None:
        weights = np.asarray(weights, np.float64)
        if weights.ndim != 2 or weights.shape[0] != weights.shape[1] or not 2 <= len(weights) <= 30000:
            raise ValueError(f"weights must have shape (n + 1, n + 1) with 1 <= n < 30000, got {weights.shape}")
        trees = Trees(heads, modifiers, len(weights) - 1, projective=projective, single_root=single_root)
        base = weights[heads, modifiers]
        if not (np.abs(base) < 1e300).all():
            at = int(np.argmin(np.abs(base) < 1e300))
            raise ValueError(
                f"weights[{heads[at]}, {modifiers[at]}] is {base[at]}, but arc {at} needs a finite score"
            )
        self._heads, self._modifiers = np.asarray(heads), np.asarray(modifiers)
        self._index = np.full(weights.shape, -1)
        self._index[self._heads, self._modifiers] = np.arange(len(base))
        first, members = arcs_into(modifiers, len(weights) - 1)
        super().__init__(
            trees,
            base,
            blocks,
            group_first=first,
            groups=members,
            incumbent=self._arcs(incumbent_heads),
            **options,
        )

    def _arcs(self, heads: npt.ArrayLike | None) -> npt.NDArray[np.int64] | None:
        if heads is None:
            return None
        heads, size = np.asarray(heads, np.int64), len(self._index)
        if heads.shape != (size,):
            raise ValueError(f"incumbent_heads must have shape ({size},), got {heads.shape}")
        for m in range(1, size):
            if not 0 <= heads[m] < size or self._index[heads[m], m] < 0:
                raise ValueError(f"incumbent_heads[{m}] is {heads[m]}, which is no candidate arc")
        found: npt.NDArray[np.int64] = self._index[heads[1:], np.arange(1, size)]
        return found

    @property
    def heads(self) -> npt.NDArray[np.int64]:
        heads = np.full(len(self._index), -1, np.int64)
        heads[self._modifiers[self.on]] = self._heads[self.on]
        return heads

    def offer_incumbent(self, incumbent_heads: npt.ArrayLike | None) -> None:
        super().offer_incumbent(self._arcs(incumbent_heads))

    def restart(self, multipliers: Any, incumbent_heads: npt.ArrayLike | None = None) -> None:
        super().restart(multipliers, self._arcs(incumbent_heads))

    def groups(self) -> npt.NDArray[Any]:
        return self.grouped()
