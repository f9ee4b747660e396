"""From a kernel to results: those of one problem, and the frame of every method that decodes a `ChainBatch`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import BatchResult, Certificate, Event, InvalidProblem, InvalidResult, Result, SolveError, Stop
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import score_tolerance
from gapless.results.batch_result import row_offsets
from gapless.roles import SolveRequest, Stats
from gapless_chains.batch import ChainBatch, shared_batches
from gapless_chains.node_labelling import NodeLabelling
from gapless_chains.problem import ChainProblem
from gapless_kernels import DOUBTFUL, INVALID


@attrs.frozen(eq=False, repr=False)
class KBestLabellings:
    """The best labellings of each sentence of a batch, best first.

    Parameters
    ----------
    labels : int64 (k, N)
        Row j holds each sentence's labelling of rank j; -1 where it has fewer.
    values : float64 (S, k)
        Their values; minus infinity where there is none.
    counts : int64 (S,)
        Number of labellings of each sentence: fewer than k only where there are no more.
    offsets : int64 (S+1,)
        Sentence s holds the columns ``offsets[s]`` to ``offsets[s + 1] - 1`` of `labels`.

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_chains import ChainModel, k_best_of_batch
    >>> batch = ChainModel([[0.0, -3.0], [0.0, 0.0]]).batch(np.array([[1.0, 0.0], [0.0, 2.0]]), [2])
    >>> k_best_of_batch(batch, 2).values
    array([[2., 1.]])
    """

    labels: IntArray
    values: FloatArray
    counts: IntArray
    offsets: IntArray

    @classmethod
    def none(cls, k: int, offsets: IntArray) -> KBestLabellings:
        """Allocate arrays for `k` labellings of each sentence, all marked as missing."""
        count = len(offsets) - 1
        labels, values = np.full((k, int(offsets[-1])), -1, np.int64), np.full((count, k), -np.inf)
        return cls(labels, values, np.zeros(count, np.int64), offsets)

    def __len__(self) -> int:
        return len(self.counts)

    def of(self, sentence: int) -> list[IntArray]:
        """Return the labellings of one sentence, best first."""
        columns = slice(self.offsets[sentence], self.offsets[sentence + 1])
        return [self.labels[rank, columns] for rank in range(self.counts[sentence])]

    def take(self, other: KBestLabellings, sentences: IntArray) -> None:
        """Copy the labellings of some of the sentences from `other`."""
        starts, lengths = self.offsets[sentences], np.diff(other.offsets)
        columns = np.repeat(starts - other.offsets[:-1], lengths) + np.arange(other.offsets[-1])
        self.labels[:, columns] = other.labels
        self.values[sentences], self.counts[sentences] = other.values, other.counts

    def take_result(self, result: Result[IntArray], sentence: int) -> None:
        """Copy the labellings of one sentence from its result."""
        columns = slice(self.offsets[sentence], self.offsets[sentence + 1])
        for rank, solution in enumerate(result.solutions):
            self.labels[rank, columns], self.values[sentence, rank] = solution.structure, solution.value
        self.counts[sentence] = len(result.solutions)

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays for `BatchResult.arrays`, tokens and sentences first; they become read-only."""
        # `BatchResult` hands these arrays out; results made later must not change under the caller.
        for array in (self.labels, self.values, self.counts):
            array.flags.writeable = False
        return {"k_best_labels": self.labels.T, "k_best_values": self.values, "k_best_counts": self.counts}

    def __repr__(self) -> str:
        return f"<KBest of {len(self)}: k={len(self.labels)}, {int(self.counts.sum())} labellings>"


@attrs.frozen(eq=False)
class KernelAnswers:
    """The results of a kernel for the sentences of a `ChainBatch`, one after another.

    Parameters
    ----------
    labels : int64 (N,)
    values, bounds : float64 (S,)
    status : uint8 (S,)
        DECIDED, DOUBTFUL, INVALID or INFEASIBLE of `gapless_kernels`.
    arrays : mapping of str to array (S,)
        Counts and the like, one entry for each sentence.
    k_best : KBest, optional
        Further labellings, if several were requested; `labels` are the best.
    """

    labels: IntArray
    values: FloatArray
    bounds: FloatArray
    status: NDArray[np.uint8]
    arrays: Mapping[str, NDArray[Any]] = attrs.field(factory=dict)
    k_best: KBestLabellings | None = None


_CHANGED = "the rows of the batch have changed since they were decoded"

Kernel = Callable[[ChainBatch], KernelAnswers]
Again = Callable[[ChainProblem], tuple[IntArray, float, float]]
Make = Callable[[ChainProblem, IntArray, float, float, Mapping[str, Any]], Result[IntArray]]


def decode_many(
    problems: Sequence[ChainProblem],
    request: SolveRequest,
    kernel: Kernel,
    make: Make,
    alone: Callable[[ChainProblem], Result[IntArray]],
    *,
    again: Again | None = None,
    several: KBestLabellings | None = None,
) -> BatchResult[IntArray]:
    """Decode many chains by `kernel`, a chunk at a time; Ctrl-C keeps the chunks that are finished.

    Returns BatchResult: with the arrays ``labels`` (all sentences one after another), ``offsets``, those of the
    kernel, and those of `KBestLabellings.arrays` if several labellings were requested. Raises `InvalidProblem`: a
    score is NaN or plus infinity; the message names the sentence and the place.

    Parameters
    ----------
    problems : sequence of ChainProblem
        A `ChainBatch` is read where it lies; of a list, chains that share their scores are copied together.
    kernel : callable
        ``kernel(batch)`` decodes a batch.
    make : callable
        ``make(problem, labels, value, bound, counts)`` builds a `Result` on request; `counts` holds
        the sentence's entries of `KernelAnswers.arrays`, and ``labellings``, a list, where there are several. The
        labels are empty for an infeasible sentence.
    alone : callable
        ``alone(problem)`` decodes a chain that no batch can hold.
    again : callable, optional
        ``again(problem)`` decodes in float64 a sentence that the kernel calls doubtful: labels, value, bound. None
        for a kernel that decides every sentence.
    several : KBest, optional
        Room for what `KernelAnswers.k_best` holds.
    """
    count = len(problems)
    batches, remaining = shared_batches(problems)
    offsets = token_offsets(problems)
    labels: IntArray | None = None
    values, bounds = np.full((2, count), np.nan)
    arrays: dict[str, NDArray[Any]] = {}
    singles: dict[int, Result[IntArray]] = {}
    try:
        for numbers, batch in batches:
            for start, chunk in batch.chunks():
                chunk_numbers = numbers[start : start + len(chunk)]
                answers = _decided(chunk, kernel(chunk), again, request.first + chunk_numbers)
                labels = _placed(answers.labels, chunk.offsets, chunk_numbers, offsets, labels)
                for name, entries in answers.arrays.items():
                    arrays.setdefault(name, np.zeros(count, entries.dtype))[chunk_numbers] = entries
                if several is not None and answers.k_best is not None:
                    several.take(answers.k_best, chunk_numbers)
                values[chunk_numbers] = answers.values
                bounds[chunk_numbers] = answers.bounds
        for number in remaining:
            result = singles[number] = alone(problems[number])
            if result.solutions:
                labels = _room(offsets) if labels is None else labels
                labels[offsets[number] : offsets[number + 1]] = result.best
            if several is not None:
                several.take_result(result, number)
            values[number] = result.value if result.solutions else -np.inf
            bounds[number] = result.bound
    except KeyboardInterrupt:
        request.budget.interrupt()

    labels = _room(offsets) if labels is None else labels
    ranked = several.arrays() if several is not None else {}

    def result_of(problems: Sequence[ChainProblem], i: int) -> Result[IntArray]:
        if i in singles:
            return singles[i]
        counts: dict[str, Any] = {name: entries[i].item() for name, entries in arrays.items()}
        if ranked:
            columns = ranked["k_best_labels"][offsets[i] : offsets[i + 1]].T
            counts["labellings"] = [column.copy() for column in columns[: ranked["k_best_counts"][i]]]
        chunk_numbers = labels[offsets[i] : offsets[i + 1]] if values[i] > -np.inf else np.empty(0, np.int64)
        value = float(values[i])
        try:
            problem = problems[i]
        except InvalidProblem as error:  # it was valid when it was decoded
            raise InvalidResult(f"{_CHANGED}: {error}") from error
        try:
            return make(problem, chunk_numbers, value, float(bounds[i]), counts)
        except (InvalidResult, SolveError) as error:
            if chunk_numbers.size and abs(problem.value(chunk_numbers) - value) > score_tolerance(value):
                raise InvalidResult(
                    f"{_CHANGED}: the answer to sentence {request.first + i} was worth {value}, it is now worth "
                    f"{problem.value(chunk_numbers)}"
                ) from error
            raise

    everything = {"labels": labels, "offsets": offsets, **arrays, **ranked}
    return BatchResult.from_rows(problems, values, bounds, everything, result_of, method=request.method)


def token_offsets(problems: Sequence[ChainProblem]) -> IntArray:
    """Return the first row of each of several concatenated chains, and the end of the last, int64 (S+1,)."""
    if isinstance(problems, ChainBatch):
        return problems.offsets
    return row_offsets(problem.positions for problem in problems)


def _room(offsets: IntArray) -> IntArray:
    """Return labels that mark every sentence as not decoded."""
    return np.full(offsets[-1], -1, np.int64)


def _placed(
    decoded: IntArray, starts: IntArray, numbers: IntArray, offsets: IntArray, labels: IntArray | None
) -> IntArray:
    """Write the labels of the sentences `numbers` into the labels of all.

    Labels of a single chunk are returned as they are: a second array would be fresh memory, whose first touch costs
    more than the copy.
    """
    if len(numbers) == len(offsets) - 1:
        return decoded
    labels = _room(offsets) if labels is None else labels
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        labels[offsets[numbers[0]] : offsets[numbers[-1] + 1]] = decoded
        return labels
    for number, start, end in zip(numbers, starts[:-1], starts[1:], strict=True):
        labels[offsets[number] : offsets[number + 1]] = decoded[start:end]
    return labels


def _decided(chunk: ChainBatch, answers: KernelAnswers, again: Again | None, numbers: IntArray) -> KernelAnswers:
    """Decode doubtful sentences again, and raise for invalid ones."""
    for i in np.flatnonzero(answers.status == INVALID):
        _complain(chunk, int(i), int(numbers[i]))
    for i in np.flatnonzero(answers.status == DOUBTFUL):
        assert again is not None  # the kernel of such a method decides every sentence
        best, value, bound = again(chunk[int(i)])
        answers.labels[chunk.offsets[i] : chunk.offsets[i + 1]] = best
        answers.values[i], answers.bounds[i] = value, bound
    return answers


def _complain(chunk: ChainBatch, i: int, number: int) -> None:
    try:
        chunk.model.problem(chunk.rows(i))
    except InvalidProblem as error:
        raise InvalidProblem(f"sentence {number}: {error}") from error
    raise InvalidProblem(
        f"sentence {number}: a score was NaN or plus infinity while it was decoded, and is no more"
    )


def proved(
    problem: NodeLabelling,
    labellings: Sequence[IntArray],
    score: float,
    certificate: Certificate,
    request: SolveRequest,
    stats: Stats,
    *,
    trace: Sequence[Event] = (),
) -> Result[IntArray]:
    """Make the result of optimal labellings, or of an infeasible problem if the best score is minus infinity."""
    feasible = score > -math.inf
    return Result.of(
        problem,
        labellings if feasible else [],
        score,
        Stop.PROVED,
        certificate=certificate,
        method=request.method,
        stats=stats,
        trace=trace,
        explanation=() if feasible else problem.infeasibility(),
    )
