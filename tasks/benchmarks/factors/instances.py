"""Chains with factors, drawn: skips between tokens, and a budget."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray


@attrs.frozen(eq=False)
class SkipChain:
    """A chain whose tokens are tied in pairs: a reward for each pair with one label.

    Parameters
    ----------
    unary : float64 (n, K)
    transition : float64 (K, K)
    pairs : int64 (skips, 2)
        Tokens.
    reward : float64 (skips,)
        At least 0.
    """

    unary: FloatArray
    transition: FloatArray
    pairs: IntArray
    reward: FloatArray


def skip_chains(
    count: int, *, n: int = 24, labels: int = 45, skips: int = 20, seed: int = 0
) -> Iterator[SkipChain]:
    """Draw chains that are undecided enough for skips to matter."""
    rng = np.random.default_rng(seed)
    far = np.stack(np.triu_indices(n, 2), axis=1)
    for _ in range(count):
        pairs = far[rng.choice(len(far), skips, replace=False)]
        unary, transition = rng.normal(size=(n, labels)), rng.normal(size=(labels, labels))
        yield SkipChain(unary, transition, pairs, rng.uniform(0.5, 2.0, skips))


@attrs.frozen(eq=False)
class Spots:
    """Spots in a programme: no two neighbours, and prices within a budget.

    Parameters
    ----------
    worth, price : int64 (n,)
    budget : int
    """

    worth: IntArray
    price: IntArray
    budget: int


def programmes(count: int, n: int, seed: int = 5) -> Iterator[Spots]:
    """Draw programmes of `n` spots, those of the how-to "Write an oracle"."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield Spots(rng.integers(1, 20, n), rng.integers(1, 10, n), round(1.125 * n))
