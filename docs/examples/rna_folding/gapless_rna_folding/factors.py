"""A factor for foldings: pairs that stack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.roles import Decisions, Factor, serialisable
from gapless_rna_folding.pairs import Pairs

# Xia et al. (1998), table 4: kcal/mol at 37 degrees, 5' to 3' over 3' to 5'. The second pair is inside the first.
WATSON_CRICK = {
    "AU-AU": 0.93, "AU-UA": 1.10, "UA-AU": 1.33, "CG-UA": 2.08, "CG-AU": 2.11,
    "GC-UA": 2.24, "GC-AU": 2.35, "CG-GC": 2.36, "GC-GC": 3.26, "GC-CG": 3.42,
}  # fmt: skip
WOBBLE = 1.0
"""Score of a stack with a G-U pair: a round number, not from the table."""


@serialisable("gapless_rna_folding.Stacking")
@attrs.frozen(eq=False)
class Stacking(Factor):
    """A score for each two pairs of which one lies directly inside the other, as in helices.

    Parameters
    ----------
    scores : mapping of str to float
        By the letters of the outer pair and of the inner one, as in ``"GC-AU"``, or read from the other end,
        ``"UA-CG"``.
    wobble : float
        Score of the stacks that `scores` leaves out.
    """

    name: ClassVar[str] = "stacking"
    scores: Mapping[str, float] = attrs.field(factory=lambda: dict(WATSON_CRICK))
    wobble: float = WOBBLE

    def scopes(self, pairs: Decisions) -> NDArray[np.int64]:
        """Return the pairs (i, j) and (i + 1, j - 1)."""
        assert isinstance(pairs, Pairs)
        outer = np.flatnonzero(pairs.right - pairs.left >= 3)
        inner = pairs.index[pairs.left[outer] + 1, pairs.right[outer] - 1]
        return np.stack([outer, inner], axis=1)[inner >= 0]

    def score(self, scopes: NDArray[np.int64], pairs: Decisions) -> NDArray[np.float64]:
        """Look up the score in the table, by the letters."""
        assert isinstance(pairs, Pairs)
        letters = [pairs.sequence[i] + pairs.sequence[j] for i, j in zip(pairs.left, pairs.right, strict=True)]
        return np.array([self._of(letters[outer], letters[inner]) for outer, inner in scopes])

    def _of(self, outer: str, inner: str) -> float:
        turned = f"{inner[::-1]}-{outer[::-1]}"
        return self.scores.get(f"{outer}-{inner}", self.scores.get(turned, self.wobble))
