"""Many chains of one model: shared scores, and label scores as contiguous rows for the batch kernels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, overload

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.array_input import as_array
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import ProblemBatch
from gapless_chains.padding import unpadded
from gapless_chains.problem import ChainProblem
from gapless_chains.scores import as_final, as_initial, as_names, as_transition, check_ends, given_scores

# Tokens per kernel call: enough to hide the cost of a call, few enough that Ctrl-C is prompt.
CHUNK = 1 << 16
_FLOAT32 = np.dtype(np.float32)
_READ_AS = {np.dtype(np.float16): _FLOAT32, _FLOAT32: _FLOAT32}
"""Types that the kernels read, or that widen to one without loss; others become float64."""


def _unary(values: Any) -> NDArray[np.floating]:
    array = given_scores("unary", values)
    native = array.dtype.newbyteorder("=")
    return np.ascontiguousarray(array, _READ_AS.get(native, np.dtype(np.float64)))


@attrs.frozen(eq=False, repr=False)
class ChainModel:
    """The scores that many chains share. Make it once: tables that decoders derive from it are remembered.

    Parameters
    ----------
    transition : (K, K) array of numbers
        Score of neighbouring labels, source first; minus infinity forbids. Copied to an immutable
        float64 array, which all problems and batches of the model share.
    initial, final : (K,) array of numbers, optional
        Score of the first and of the last label.
    labels : sequence of K str, optional
        Names, for messages.

    Raises
    ------
    InvalidProblem
        Empty, wrong shape, not numbers, NaN, plus infinity; the message names array and index.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainModel
    >>> model = ChainModel([[0.0, -3.0], [0.0, 0.0]], labels=["N", "V"])
    >>> gl.solve(model.problem([[1.0, 0.0], [0.0, 2.0]])).best
    array([1, 1])
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
        check_ends(shape[0], self.labels, initial=self.initial, final=self.final)

    @classmethod
    def of(cls, problem: ChainProblem) -> ChainModel:
        """Return the model with the scores that `problem` can share; its transitions must be one matrix."""
        return cls(problem.transition, initial=problem.initial, final=problem.final, labels=problem.labels)

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled and copied arrays are writeable, those of a model must not be.
        ends = {"initial": self.initial, "final": self.final, "labels": self.labels}
        return partial(type(self), **ends), (self.transition,)

    @property
    def label_count(self) -> int:
        """The number of labels, K."""
        return len(self.transition)

    def problem(self, unary: Any) -> ChainProblem:
        """Make the chain of one sentence from its label scores, (n, K)."""
        return ChainProblem(unary, self.transition, initial=self.initial, final=self.final, labels=self.labels)

    def batch(self, unary: Any, lengths: Sequence[int] | Any = None, *, mask: Any = None) -> ChainBatch:
        """Make a batch of the chains of many sentences.

        Parameters
        ----------
        unary : (N, K) or (S, T, K) array or tensor of numbers
            Label scores: the rows of all sentences one after another, see `ChainBatch`; or padded sentences, whose
            tokens are copied.
        lengths : (S,) integers
            Tokens of each sentence; of padded ones the first so many.
        mask : (S, T) booleans, or 0 and 1
            Of padded sentences, instead of `lengths`: which places hold a token. Padding stands behind the tokens;
            what it scores is not looked at.

        Raises
        ------
        InvalidProblem
            As `ChainBatch`; or padding stands before a token. The message names sentence and place.
        """
        array = given_scores("unary", unary)
        if array.ndim != 3:
            if mask is not None:
                raise InvalidProblem(
                    f"mask is for padded sentences (S, T, {self.label_count}), unary has shape {array.shape}: "
                    "give lengths, the number of tokens of each sentence"
                )
            return ChainBatch(array, lengths, self)
        if array.shape[2] != self.label_count:
            raise InvalidProblem(f"unary has shape {array.shape}, expected (S, T, {self.label_count}) for {self!r}")
        rows, counts = unpadded(array, lengths, mask)
        return ChainBatch(rows, counts, self, padded_length=array.shape[1])

    def batch_of(self, unaries: Iterable[Any]) -> ChainBatch:
        """Make a batch from one array of label scores per sentence; the arrays are copied into one."""
        listed = list(unaries)
        arrays = [given_scores("unary", unary) for unary in listed]
        for i, array in enumerate(arrays):
            if array.ndim != 2 or array.shape[1] != self.label_count or not len(array):
                raise InvalidProblem(
                    f"sentence {i}: unary has shape {array.shape}, expected (n, {self.label_count}) with n >= 1"
                )
        rows = np.concatenate(arrays) if arrays else np.empty((0, self.label_count))
        return self.batch(rows, [len(array) for array in arrays])

    def __repr__(self) -> str:
        return f"<ChainModel: {self.label_count} labels>"


@attrs.frozen(eq=False, slots=False, repr=False, init=False)
class ChainBatch(ProblemBatch[ChainProblem]):
    """The chains of many sentences under one `ChainModel`; a sequence of `ChainProblem`.

    Parameters
    ----------
    unary : (N, K) array or tensor of float32 or float64
        Label scores of all sentences, one row for each token, sentence after sentence. Contiguous arrays and
        tensors of these types are not copied and must not change while the batch is in use; others are copied,
        half precision and bfloat16 to float32, all else to float64.
    lengths : (S,) integers
        Tokens of each sentence, each at least 1, together N.
    model : ChainModel
    padded_length : int, optional
        Places that each sentence had where they came padded.

    Attributes
    ----------
    offsets : int64 (S+1,)
        Sentence s holds the rows ``offsets[s]`` to ``offsets[s + 1] - 1``.

    Raises
    ------
    InvalidProblem
        Wrong shapes, no ChainModel, an empty sentence, or lengths that do not add up. NaN and plus infinity are
        noticed when a sentence is decoded or taken out, with the sentence and the place.

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_chains import ChainModel
    >>> batch = ChainModel([[0.0, -3.0], [0.0, 0.0]]).batch(np.eye(2)[[0, 1, 1]], [2, 1])
    >>> len(batch), batch[1].unary
    (2, array([[0., 1.]]))
    >>> gl.solve_many(batch).values
    array([1., 1.])
    """

    unary: NDArray[np.floating]
    offsets: IntArray
    model: ChainModel
    padded_length: int | None = None

    def __init__(self, unary: Any, lengths: Any, model: ChainModel, *, padded_length: int | None = None) -> None:
        if not isinstance(model, ChainModel):
            raise InvalidProblem(
                f"model is a {type(model).__name__}, expected a ChainModel; the order is "
                "ChainBatch(unary, lengths, model)"
            )
        rows = _unary(unary)
        if rows.ndim != 2 or rows.shape[1] != model.label_count:
            padded = "; padded sentences are for model.batch(unary, mask=...)" if rows.ndim == 3 else ""
            raise InvalidProblem(
                f"unary has shape {rows.shape}, expected (N, {model.label_count}) for {model!r}{padded}"
            )
        if lengths is None:
            raise InvalidProblem("lengths is missing: rows (N, K) need the number of tokens of each sentence")
        counts = as_array(lengths, "lengths is")
        if counts.ndim != 1 or (counts.size and counts.dtype.kind not in "iu"):
            raise InvalidProblem(f"lengths must be integers, one a sentence, got {counts.dtype} {counts.shape}")
        counts = counts.astype(np.int64)
        if (counts < 1).any():
            sentence = int(np.flatnonzero(counts < 1)[0])
            raise InvalidProblem(f"sentence {sentence} has length {counts[sentence]}; leave empty sentences out")
        offsets = np.concatenate([[0], np.cumsum(counts)])
        if offsets[-1] != len(rows):
            raise InvalidProblem(f"lengths add up to {offsets[-1]} tokens, but unary has {len(rows)} rows")
        self.__attrs_init__(rows, offsets, model, padded_length)

    @classmethod
    def of(cls, problem: ChainProblem) -> ChainBatch:
        """Make a batch of one sentence."""
        return cls(problem.unary, [problem.positions], ChainModel.of(problem))

    @property
    def problem_type(self) -> type[ChainProblem]:
        """`ChainProblem`."""
        return ChainProblem

    @property
    def tokens(self) -> int:
        """Rows of all sentences together, N."""
        return len(self.unary)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> ChainProblem: ...
    @overload
    def __getitem__(self, index: slice) -> ChainBatch: ...
    def __getitem__(self, index: int | slice) -> ChainProblem | ChainBatch:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            # Slices of step 1 are views; others copy their rows.
            if step != 1:
                some = range(start, stop, step)
                rows = np.concatenate([self.unary[:0], *map(self.rows, some)])
                return ChainBatch(rows, np.diff(self.offsets)[index], self.model, padded_length=self.padded_length)
            return self._between(start, max(start, stop))
        if not -len(self) <= index < len(self):
            raise IndexError(f"a batch of {len(self)} sentences has no sentence {index}")
        try:
            return self.model.problem(self.rows(index % len(self)))
        except InvalidProblem as error:
            raise InvalidProblem(f"sentence {index % len(self)}: {error}") from error

    def rows(self, sentence: int) -> NDArray[np.floating]:
        """Return the label scores of a sentence, a view (n, K)."""
        return self.unary[self.offsets[sentence] : self.offsets[sentence + 1]]

    def chunks(self) -> Iterator[tuple[int, ChainBatch]]:
        """Yield views of consecutive sentences, about `CHUNK` tokens each, with their first number."""
        start = 0
        while start < len(self):
            stop = int(np.searchsorted(self.offsets, self.offsets[start] + CHUNK, "right")) - 1
            # A sentence that is longer than a chunk makes a chunk of its own.
            stop = min(max(stop, start + 1), len(self))
            yield start, self._between(start, stop)
            start = stop

    def _between(self, start: int, stop: int) -> ChainBatch:
        if (start, stop) == (0, len(self)):
            return self
        begin, end = self.offsets[start], self.offsets[stop]
        lengths = np.diff(self.offsets[start : stop + 1])
        return ChainBatch(self.unary[begin:end], lengths, self.model, padded_length=self.padded_length)

    def __repr__(self) -> str:
        return f"<ChainBatch: {len(self)} sentences, {self.tokens} tokens, {self.model.label_count} labels>"


def shared_batches(problems: Sequence[ChainProblem]) -> tuple[list[tuple[IntArray, ChainBatch]], list[int]]:
    """Group chains into batches for the kernels; return the batches with their numbers, and the remaining numbers.

    A `ChainBatch` is one batch, not copied. Of a list, chains that share their scores (see `ChainProblem.many`)
    are copied together, at most about `CHUNK` tokens at a time; a chain whose transitions vary is left over.
    """
    if isinstance(problems, ChainBatch):
        return [(np.arange(len(problems)), problems)], []
    shared = [number for number, problem in enumerate(problems) if problem.transition.ndim == 2]
    some = [problems[number] for number in shared]
    # Identity suffices: `ChainProblem.many` and `ChainModel` share their immutable arrays.
    keys = ((id(problem.transition), id(problem.initial), id(problem.final)) for problem in some)
    batches: list[tuple[IntArray, ChainBatch]] = []
    for group in groups_of_tokens(keys, [problem.positions for problem in some], CHUNK):
        model = ChainModel.of(some[group[0]])
        batches.append((np.array(shared)[group], model.batch_of([some[index].unary for index in group])))
    return batches, [number for number, problem in enumerate(problems) if problem.transition.ndim != 2]


def groups_of_tokens(keys: Iterable[Hashable], tokens: Sequence[int], limit: int) -> list[IntArray]:
    """Group the numbers 0, 1, ... by their keys, about `limit` tokens to a group."""
    sharing: dict[Hashable, list[int]] = {}
    for number, key in enumerate(keys):
        sharing.setdefault(key, []).append(number)
    groups: list[IntArray] = []
    for numbers in sharing.values():
        # Cut wherever the running number of tokens passes a multiple of the limit.
        cuts = np.flatnonzero(np.diff(np.cumsum([tokens[number] for number in numbers]) // limit)) + 1
        groups += np.split(np.array(numbers), cuts)
    return groups


def path_values(batch: ChainBatch, labels: IntArray) -> FloatArray:
    """Score one labelling of each sentence, bit by bit as `ChainProblem.value` does.

    Parameters
    ----------
    batch : ChainBatch
    labels : int64 (N,)
        The labels of all sentences, one after another.

    Returns
    -------
    float64 (S,)
        Minus infinity where a labelling is forbidden.

    Raises
    ------
    InvalidProblem
        Another shape, or labels out of range.
    """
    chosen = np.asarray(labels)
    if chosen.shape != (batch.tokens,) or chosen.dtype.kind not in "iu":
        raise InvalidProblem(
            f"labels must be {batch.tokens} integers, one for each token, got {chosen.dtype} {chosen.shape}"
        )
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < batch.model.label_count:
        raise InvalidProblem(f"labels must lie in 0..{batch.model.label_count - 1}")
    starts, ends = batch.offsets[:-1], batch.offsets[1:] - 1
    local = batch.unary[np.arange(chosen.size), chosen].astype(np.float64)
    if batch.model.initial is not None:
        local[starts] += batch.model.initial[chosen[starts]]
    if batch.model.final is not None:
        local[ends] += batch.model.final[chosen[ends]]
    pairs = batch.model.transition[chosen[:-1], chosen[1:]]
    totals: FloatArray = local[starts]
    lengths = ends - starts + 1
    going = np.arange(len(batch))
    for step in range(1, int(lengths.max(initial=0))):
        going = going[lengths[going] > step]
        rows = starts[going] + step
        # One step of all sentences that are still running, in the order of additions of `ChainProblem.value`.
        totals[going] = local[rows] + (totals[going] + pairs[rows - 1])
    return totals
