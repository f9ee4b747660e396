"""Random colourings: how many colours, how many colourings, and which (Deshpande et al. 2007, section 3)."""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import UnknownOption

BLOCK = 32
"""Colourings are drawn so many at a time, each block from a stream of its own."""


def success_probability(colors: int, length: int) -> float:
    """Compute the probability that `length` classes get different colours: ``r! / ((r - k)! r^k)``."""
    return math.prod((colors - i) / colors for i in range(length))


def choose_colors(length: int, classes: int) -> int:
    """Choose the number r of colours from k to 2 k that minimises the total time ``2^r / p`` of all colourings.

    Where there are no more classes than colours each class gets a colour of its own: then one colouring is enough,
    p = 1.
    """

    def cost(colors: int) -> float:
        # log2(2^r / p) = r - log2(p), the logarithm of the total time.
        chance = 0.0 if colors == classes else sum(math.log2((colors - i) / colors) for i in range(length))
        return colors - chance

    return min(range(length, min(2 * length, classes) + 1), key=cost)


def trials_for(failure: float, success: float) -> int:
    """Compute how many colourings all fail together with a probability of at most `failure`.

    The smallest t with ``(1 - p)^t <= failure``, that is ``ln(failure) / ln(1 - p)`` rounded up; the paper's
    ``ln(1 / failure) / p`` is larger by up to a factor ``-ln(1 - p) / p``.
    """
    return 1 if success >= 1.0 else max(1, math.ceil(math.log(failure) / math.log1p(-success)))


@attrs.frozen
class Colorings:
    """A sequence of random colourings. Colouring t depends on the seed and t alone.

    Raises `UnknownOption`: the seed is negative or no integer. `classes`: number of classes coloured, independently
    of each other. `colors`: as many as classes or more: each class has a colour of its own in every colouring.
    """

    classes: int
    colors: int
    seed: int

    def __attrs_post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise UnknownOption(f"seed is {self.seed!r}, it must be an integer of at least 0")

    def block(self, number: int) -> NDArray[np.uint8]:
        """Generate colourings ``BLOCK * number`` and following, one row of class colours each."""
        if self.colors >= self.classes:
            return np.tile(np.arange(self.classes, dtype=np.uint8), (BLOCK, 1))
        # Spawn keys give independent streams, which any thread can generate without the others.
        stream = np.random.default_rng(np.random.SeedSequence(int(self.seed), spawn_key=(number,)))
        return stream.integers(0, self.colors, (BLOCK, self.classes), dtype=np.uint8)
