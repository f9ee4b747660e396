"""Label scores of many sentences under one model: what a decoder is given, and what the benchmark stores."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless.arrays.serial import write_aside
from gapless_chains import ChainModel

_ARRAYS = ("unary", "offsets", "transition", "initial", "final", "gold")


@attrs.frozen(eq=False)
class ScoreSet:
    """The scores of a corpus part.

    Parameters
    ----------
    name : str
        Short, for tables and file names.
    about : str
        A description of the labels, and the source of the scores.
    unary : (N, K) array of float32
        One row for each token, sentence after sentence.
    offsets : (S+1,) array of int64
        Sentence s holds the rows ``offsets[s]`` to ``offsets[s + 1] - 1``.
    transition : (K, K) array of float64
        Source first.
    initial, final : (K,) array of float64
        Scores of the first and of the last label; not contained in `unary`.
    gold : (N,) array of int64
        The right labels; -1 where none is known.
    """

    name: str
    about: str
    unary: NDArray[np.float32]
    offsets: NDArray[np.int64]
    transition: NDArray[np.float64]
    initial: NDArray[np.float64]
    final: NDArray[np.float64]
    gold: NDArray[np.int64]

    @property
    def label_count(self) -> int:
        """K."""
        return len(self.transition)

    @property
    def tokens(self) -> int:
        """N."""
        return len(self.unary)

    @property
    def sentences(self) -> int:
        """S."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each sentence, (S,)."""
        return np.diff(self.offsets)

    def model(self) -> ChainModel:
        """Make a new model of these scores, with nothing derived from them yet."""
        return ChainModel(self.transition, initial=self.initial, final=self.final)

    def between(self, start: int, stop: int) -> ScoreSet:
        """Select some consecutive sentences; the scores are a view."""
        begin, end = self.offsets[start], self.offsets[stop]
        offsets = self.offsets[start : stop + 1] - begin
        return attrs.evolve(self, unary=self.unary[begin:end], offsets=offsets, gold=self.gold[begin:end])

    def holding(self, tokens: int, start: int = 0) -> ScoreSet:
        """Select whole sentences from `start` on with about that many tokens, at least one sentence."""
        stop = int(np.searchsorted(self.offsets, self.offsets[start] + tokens, "right")) - 1
        return self.between(start, min(max(stop, start + 1), self.sentences))

    def repeated(self, times: int) -> ScoreSet:
        """Repeat the sentences `times` over, in memory of their own."""
        lengths = np.tile(self.lengths, times)
        return attrs.evolve(
            self,
            unary=np.tile(self.unary, (times, 1)),
            offsets=np.concatenate([[0], np.cumsum(lengths)]),
            gold=np.tile(self.gold, times),
        )

    def save(self, path: Path) -> None:
        """Write the arrays to an npz file, which appears under its name only when it is complete."""
        packed = io.BytesIO()
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        np.savez(packed, allow_pickle=False, about=np.array(self.about), **arrays)
        write_aside(path, packed.getvalue())

    @classmethod
    def load(cls, path: Path) -> ScoreSet:
        """Read what :meth:`save` wrote.

        Raises
        ------
        InvalidProblem
            The file is damaged or holds something else.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                arrays: dict[str, Any] = {name: stored[name] for name in _ARRAYS}
                return cls(path.stem, str(stored["about"]), **arrays)
        except (KeyError, ValueError, EOFError) as error:
            raise gl.InvalidProblem(f"{path}: not stored scores ({error}); delete it to train again") from error
