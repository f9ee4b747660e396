"""Weights of a linear model: one flat vector with views of its blocks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.errors import InvalidProblem
from gapless.learn.archive import DamagedFile, read_archive, write_archive
from gapless.learn.blocks import Blocks, FeatureVector

KIND = "weights"


class Weights:
    """The weights of a model.

    Parameters
    ----------
    blocks : Blocks
    values : float32 or float64 (blocks.size,), optional
        Not copied; zeros by default.
    dtype : float32 or float64
        Type of the default zeros.

    Raises
    ------
    InvalidProblem
        `values` has another shape or type.
    """

    def __init__(
        self, blocks: Blocks, values: NDArray[np.floating] | None = None, dtype: DTypeLike = np.float64
    ) -> None:
        if values is None:
            values = np.zeros(blocks.size, dtype)
        if values.shape != (blocks.size,) or values.dtype not in (np.float32, np.float64):
            raise InvalidProblem(
                f"weights have the shape {values.shape} and the type {values.dtype}; these blocks need "
                f"{(blocks.size,)}, float32 or float64"
            )
        self.blocks = blocks
        self.values = values
        # Views, not copies: an update of the flat vector changes the blocks that scorers read.
        self._views = {name: values[blocks.slice(name)].reshape(shape) for name, shape in blocks.items()}

    @classmethod
    def of(cls, blocks: Mapping[str, NDArray[np.floating]], dtype: DTypeLike = np.float64) -> Weights:
        """Make weights from one array per block."""
        weights = cls(Blocks({name: array.shape for name, array in blocks.items()}), dtype=dtype)
        for name, array in blocks.items():
            weights._views[name][...] = array
        return weights

    def _scale(self, name: str) -> float:
        """Return the factor of the stored numbers of the block."""
        del name
        return 1.0

    def __getitem__(self, name: str) -> NDArray[np.floating]:
        """The block in its shape, read-only; valid until the weights change."""
        scale = self._scale(name)
        view = np.asarray(self._views[name] * scale) if scale != 1.0 else self._views[name].view()
        view.flags.writeable = False
        return view

    def rows(self, name: str, ids: IntArray) -> NDArray[np.floating]:
        """Copy ``weights[name][ids]``, without touching the other rows."""
        found: NDArray[np.floating] = self._views[name].take(ids, axis=0)
        scale = self._scale(name)
        if scale != 1.0:
            found *= scale
        return found

    def row_sums(self, name: str, ids: IntArray, indptr: IntArray) -> FloatArray:
        """Sum rows: the scores of sparse 0/1 features.

        Parameters
        ----------
        name : str
            A block of shape (m, ...).
        ids : int64 (entries,)
            Rows.
        indptr : int64 (n + 1,)
            Sum ``i`` is over ``ids[indptr[i]:indptr[i + 1]]``, which may be empty.

        Returns
        -------
        float64 (n, ...)
            Summed in float64.
        """
        taken = self._views[name].take(ids, axis=0)
        starts = indptr[:-1]
        if starts.size and bool((starts < indptr[1:]).all()):
            sums: FloatArray = np.add.reduceat(taken, starts, axis=0, dtype=np.float64)
        else:
            # reduceat would give an empty segment the row where it begins.
            sums = np.zeros((starts.size, *taken.shape[1:]))
            full = np.flatnonzero(starts < indptr[1:])
            if full.size:
                sums[full] = np.add.reduceat(taken, starts[full], axis=0, dtype=np.float64)
        scale = self._scale(name)
        if scale != 1.0:
            sums *= scale
        return sums

    def dot(self, features: FeatureVector) -> float:
        """Compute the score of a structure with these features."""
        total = 0.0
        for name, (places, values) in features.parts.items():
            block = self.values[self.blocks.slice(name)]
            total += self._scale(name) * float(block.take(places) @ values)
        return total

    def save(self, path: str | os.PathLike[str], metadata: Mapping[str, Any] | None = None) -> None:
        """Write the blocks and JSON data to one npz file, atomically; readable without pickle.

        Parameters
        ----------
        path : path
            Path in an existing folder.
        metadata : mapping, optional
            Other data of the model, such as label names: strings, numbers, lists, dicts.
        """
        write_archive(path, KIND, {name: self[name] for name in self.blocks}, metadata or {})

    @classmethod
    def load(cls, path: str | os.PathLike[str], blocks: Blocks | None = None) -> tuple[Weights, dict[str, Any]]:
        """Read a file of `save`.

        Parameters
        ----------
        path : path
        blocks : Blocks, optional
            If given, the file must contain exactly these.

        Returns
        -------
        Weights, dict
            The weights and the metadata.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        DamagedFile
            The file is truncated, altered, from another program, or contains other blocks.
        """
        arrays, metadata = read_archive(path, KIND)
        found = Blocks({name: array.shape for name, array in arrays.items()}) if arrays else None
        if found is None or any(array.dtype not in (np.float32, np.float64) for array in arrays.values()):
            raise DamagedFile(f"{os.fspath(path)}: holds no weights of type float32 or float64")
        if blocks is not None and dict(found) != dict(blocks):
            raise DamagedFile(
                f"{os.fspath(path)}: holds the blocks {dict(found)}, expected {dict(blocks)}; "
                "the file belongs to another model"
            )
        values = np.concatenate([arrays[name].ravel() for name in blocks or found])
        return cls(blocks or found, values), metadata
