"""What all chains of one model share: the scores of label pairs, and what decoders derive from them once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import FloatArray
from gapless_chains.scores import scores

if TYPE_CHECKING:
    from gapless_chains.batch import ChainBatch
    from gapless_chains.problem import ChainProblem


def as_transition(values: Any) -> FloatArray:
    """Checked transition scores, see `scores`."""
    return scores("transition", values)


def as_initial(values: Any) -> FloatArray | None:
    """Checked scores of the first label, or None."""
    return None if values is None else scores("initial", values)


def as_final(values: Any) -> FloatArray | None:
    """Checked scores of the last label, or None."""
    return None if values is None else scores("final", values)


def as_names(values: Iterable[str] | None) -> tuple[str, ...] | None:
    """Names of labels as a tuple, or None; a single string is refused."""
    if values is None:
        return None
    if isinstance(values, str):
        raise InvalidProblem("labels is one string; give a list of names")
    return tuple(values)


@attrs.frozen(eq=False, repr=False)
class ChainModel:
    """The scores that many chains share. Make it once: tables that decoders derive from it are remembered.

    Parameters
    ----------
    transition : (K, K) array of numbers
        Score of neighbouring labels, source first; minus infinity forbids. Kept as read-only float64.
    initial, final : (K,) array of numbers, optional
        Score of the first and of the last label.
    labels : sequence of K str, optional
        Names, for messages.

    Raises
    ------
    InvalidProblem
        Empty, wrong shape, not numbers, NaN, plus infinity; the message names array and index.
    """

    transition: FloatArray = attrs.field(converter=as_transition)
    initial: FloatArray | None = attrs.field(converter=as_initial, default=None, kw_only=True)
    final: FloatArray | None = attrs.field(converter=as_final, default=None, kw_only=True)
    labels: tuple[str, ...] | None = attrs.field(converter=as_names, default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        shape = self.transition.shape
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
            raise InvalidProblem(
                f"transition has shape {shape}, expected (K, K): chains of one model share one matrix; "
                "a chain whose transitions vary along it is a ChainProblem of its own"
            )
        for name in ("initial", "final"):
            array = getattr(self, name)
            if array is not None and array.shape != shape[:1]:
                raise InvalidProblem(
                    f"{name} has shape {array.shape}, expected {shape[:1]}, one score for each label"
                )
        if self.labels is not None and (
            len(self.labels) != shape[0] or not all(isinstance(s, str) for s in self.labels)
        ):
            raise InvalidProblem(f"labels holds {len(self.labels)} entries, expected {shape[0]} strings")

    @property
    def label_count(self) -> int:
        """The number of labels, K."""
        return len(self.transition)

    def problem(self, unary: Any) -> ChainProblem:
        """The chain of one sentence from its label scores, (n, K)."""
        from gapless_chains.problem import ChainProblem  # noqa: PLC0415  a problem knows its model

        return ChainProblem(unary, self.transition, initial=self.initial, final=self.final, labels=self.labels)

    def batch(self, unary: Any, lengths: Sequence[int] | Any) -> ChainBatch:
        """The chains of many sentences; `unary` (N, K) holds their rows one sentence after another."""
        from gapless_chains.batch import ChainBatch  # noqa: PLC0415  a batch knows its model

        return ChainBatch(unary, lengths, self)

    def batch_of(self, unaries: Iterable[Any]) -> ChainBatch:
        """The chains of many sentences from one array of label scores each; they are copied together."""
        arrays = [np.asarray(unary) for unary in unaries]
        for i, array in enumerate(arrays):
            if array.ndim != 2 or array.shape[1] != self.label_count or not len(array):
                raise InvalidProblem(
                    f"sentence {i}: unary has shape {array.shape}, expected (n, {self.label_count}) with n >= 1"
                )
        rows = np.concatenate(arrays) if arrays else np.empty((0, self.label_count))
        return self.batch(rows, [len(array) for array in arrays])

    def __repr__(self) -> str:
        return f"<ChainModel: {self.label_count} labels>"
