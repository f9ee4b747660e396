"""Weights during training, with sparse updates, L2 shrinking and averaging at the cost of the changed entries."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import DTypeLike, NDArray

from gapless.errors import InvalidProblem
from gapless.learn.blocks import Blocks, FeatureVector
from gapless.learn.weights import Weights

_CHUNK = 1 << 15
"""Numbers that stay in the cache between the operations on them."""
_SMALLEST_SCALE = 1e-3
"""Smallest scale: the average of a block is a difference of numbers as large as the weights over the scale."""


@attrs.define(eq=False)
class _Block:
    """One block: its weights are ``scale * stored``, the sum of its past weights ``mass * stored - delayed``."""

    stored: NDArray[np.floating]
    delayed: NDArray[np.floating] | None
    scale: float = 1.0
    mass: float = 0.0

    def fold_scale(self) -> None:
        """Multiply the scale into the weights and reset it to 1."""
        if self.delayed is not None:
            self.delayed -= self.mass * self.stored
        self.stored *= self.scale
        self.scale, self.mass = 1.0, 0.0


class TrainingWeights(Weights):
    """Weights that change in steps, with their average over the steps.

    Parameters
    ----------
    blocks : Blocks
        Initially zeros.
    average : bool
        Whether to keep the average, which doubles the memory.
    dtype : float32 or float64

    Attributes
    ----------
    steps : int
        Number of completed steps.

    Notes
    -----
    Shrinking multiplies one number per block instead of the block (Shalev-Shwartz, Singer and Srebro, "Pegasos",
    ICML 2007, section 2). The average is kept as in Daumé, "Practical structured learning techniques for natural
    language processing" (2006), figure 2.3, with the sum of the scales so far (`mass`) in place of the number of
    steps: for the stored ``v_t``, which changes by ``d_t`` in step ``t``, and weights ``s_t v_t``,

        sum_t s_t v_t = mass_T v_T - sum_t mass_{t-1} d_t.

    A scale that becomes small is multiplied in and both sums restart, so that little cancels.
    """

    def __init__(self, blocks: Blocks, *, average: bool = True, dtype: DTypeLike = np.float64) -> None:
        super().__init__(blocks, dtype=dtype)
        self.steps = 0
        self._delayed = np.zeros_like(self.values) if average else None
        self._parts = {
            name: _Block(
                self.values[blocks.slice(name)],
                None if self._delayed is None else self._delayed[blocks.slice(name)],
            )
            for name in blocks
        }

    def _scale(self, name: str) -> float:
        return self._parts[name].scale

    def add(self, change: FeatureVector, rate: float = 1.0) -> None:
        """Add ``rate * change`` to the weights, at the cost of the entries of `change`."""
        for name, (indices, values) in change.parts.items():
            block = self._parts[name]
            # The weights are scale * stored, so a change of the weights is divided by the scale.
            factor = rate / block.scale
            delta = (values if factor == 1.0 else values * factor).astype(block.stored.dtype, copy=False)
            np.add.at(block.stored, indices, delta)
            # The sum over past steps must not contain the change: mass * stored does, so `delayed` takes it out.
            if block.delayed is not None and block.mass:
                np.add.at(block.delayed, indices, (delta * block.mass).astype(delta.dtype, copy=False))

    def shrink(self, name: str, factor: float) -> None:
        """Multiply a block by a factor in [0, 1], in constant time."""
        if not 0.0 <= factor <= 1.0:
            raise InvalidProblem(f"the factor is {factor}, expected a number between 0 and 1")
        block = self._parts[name]
        block.scale *= factor
        if block.scale < _SMALLEST_SCALE:
            block.fold_scale()

    def end_step(self) -> None:
        """Add the current weights to the average."""
        self.steps += 1
        for block in self._parts.values():
            block.mass += block.scale

    def current(self) -> Weights:
        """Return a copy of the current weights."""
        copy = Weights(self.blocks, self.values.copy())
        for name, block in self._parts.items():
            copy.values[self.blocks.slice(name)] *= block.scale
        return copy

    def average(self) -> Weights:
        """Return the mean of the weights at the end of each step; without averaging, the current weights."""
        if self._delayed is None or not self.steps:
            return self.current()
        mean = np.empty_like(self.values)
        for name, block in self._parts.items():
            block_slice = self.blocks.slice(name)
            # In chunks: three passes over a block of millions of weights would each go to main memory.
            for start in range(block_slice.start, block_slice.stop, _CHUNK):
                chunk = slice(start, min(start + _CHUNK, block_slice.stop))
                part = np.multiply(self.values[chunk], block.mass, out=mean[chunk])
                part -= self._delayed[chunk]
                part /= self.steps
        return Weights(self.blocks, mean)

    def state(self) -> tuple[dict[str, NDArray[np.floating]], dict[str, Any]]:
        """Return arrays and JSON data from which `restore` continues bit by bit."""
        # Hexadecimal text restores each float exactly.
        arrays = {"stored": self.values}
        if self._delayed is not None:
            arrays["delayed"] = self._delayed
        scales = {name: [block.scale.hex(), block.mass.hex()] for name, block in self._parts.items()}
        return arrays, {"steps": self.steps, "scales": scales}

    def restore(self, arrays: dict[str, NDArray[np.floating]], data: dict[str, Any]) -> None:
        """Restore the result of `state`, for the same blocks and type."""
        self.values[...] = arrays["stored"]
        if self._delayed is not None:
            self._delayed[...] = arrays["delayed"]
        self.steps = int(data["steps"])
        for name, block in self._parts.items():
            block.scale, block.mass = (float.fromhex(text) for text in data["scales"][name])
