"""From a kernel that decodes a `ChainBatch` to a `BatchResult`: the frame of every batch method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import BatchResult, InvalidProblem, InvalidResult, Result, SolveError
from gapless.core.batch_result import row_offsets
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import margin
from gapless.roles import Solve
from gapless_chains.batch import ChainBatch, shared_batches
from gapless_chains.k_best_labellings import KBest
from gapless_chains.problem import ChainProblem
from gapless_kernels import DOUBTFUL, INVALID


@attrs.frozen(eq=False)
class Found:
    """The answers of a kernel to the sentences of a `ChainBatch`, one after another.

    Parameters
    ----------
    labels : int64 (N,)
    values, bounds : float64 (S,)
    status : uint8 (S,)
        DECIDED, DOUBTFUL, INVALID or INFEASIBLE of `gapless_kernels`.
    arrays : mapping of str to array (S,)
        Counts and the like, one entry for each sentence.
    k_best : KBest, optional
        Further labellings, where several were asked for; `labels` are the best.
    """

    labels: IntArray
    values: FloatArray
    bounds: FloatArray
    status: NDArray[np.uint8]
    arrays: Mapping[str, NDArray[Any]] = attrs.field(factory=dict)
    k_best: KBest | None = None


_CHANGED = "the rows of the batch have changed since they were decoded"

Kernel = Callable[[ChainBatch], Found]
Again = Callable[[ChainProblem], tuple[IntArray, float, float]]
Make = Callable[[ChainProblem, IntArray, float, float, Mapping[str, Any]], Result[IntArray]]


def decode_many(
    problems: Sequence[ChainProblem],
    solve: Solve,
    kernel: Kernel,
    again: Again,
    make: Make,
    alone: Callable[[ChainProblem], Result[IntArray]],
    several: KBest | None = None,
) -> BatchResult[IntArray]:
    """Decode many chains by `kernel`, a chunk at a time; Ctrl-C keeps the chunks that are finished.

    Returns BatchResult: with the arrays ``labels`` (all sentences one after another), ``offsets``, those of the
    kernel, and those of `KBest.arrays` where several labellings were asked for. Raises `InvalidProblem`: a score is
    NaN or plus infinity; the message names the sentence and the place.

    Parameters
    ----------
    problems : sequence of ChainProblem
        A `ChainBatch` is read where it lies; of a list, chains that share their scores are copied together.
    kernel : callable
        ``kernel(batch)`` decodes a batch.
    again : callable
        ``again(problem)`` decodes in float64 a sentence that the kernel calls doubtful: labels, value, bound.
    make : callable
        ``make(problem, labels, value, bound, counts)`` builds a `Result` when one is asked for; `counts` holds
        the sentence's entries of `Found.arrays`, and ``labellings``, a list, where there are several. The labels
        are empty for an infeasible sentence.
    alone : callable
        ``alone(problem)`` decodes a chain that no batch can hold.
    several : KBest, optional
        Room for what `Found.k_best` holds.
    """
    count = len(problems)
    batches, left = shared_batches(problems)
    offsets = token_offsets(problems)
    labels: IntArray | None = None
    values, bounds = np.full((2, count), np.nan)
    arrays: dict[str, NDArray[Any]] = {}
    singles: dict[int, Result[IntArray]] = {}
    try:
        for numbers, batch in batches:
            for start, chunk in batch.chunks():
                here = numbers[start : start + len(chunk)]
                found = _decided(chunk, kernel(chunk), again, solve.first + here)
                labels = _placed(found.labels, chunk.offsets, here, offsets, labels)
                for name, entries in found.arrays.items():
                    arrays.setdefault(name, np.zeros(count, entries.dtype))[here] = entries
                if several is not None and found.k_best is not None:
                    several.take(found.k_best, here)
                values[here] = found.values
                bounds[here] = found.bounds
        for number in left:
            result = singles[number] = alone(problems[number])
            if result.solutions:
                labels = _room(offsets) if labels is None else labels
                labels[offsets[number] : offsets[number + 1]] = result.best
            if several is not None:
                several.take_result(result, number)
            values[number] = result.value if result.solutions else -np.inf
            bounds[number] = result.bound
    except KeyboardInterrupt:
        solve.budget.interrupt()

    labels = _room(offsets) if labels is None else labels
    ranked = several.arrays() if several is not None else {}

    def result_of(problems: Sequence[ChainProblem], i: int) -> Result[IntArray]:
        if i in singles:
            return singles[i]
        counts: dict[str, Any] = {name: entries[i].item() for name, entries in arrays.items()}
        if ranked:
            columns = ranked["k_best_labels"][offsets[i] : offsets[i + 1]].T
            counts["labellings"] = [column.copy() for column in columns[: ranked["k_best_counts"][i]]]
        here = labels[offsets[i] : offsets[i + 1]] if values[i] > -np.inf else np.empty(0, np.int64)
        value = float(values[i])
        try:
            problem = problems[i]
        except InvalidProblem as error:  # it was valid when it was decoded
            raise InvalidResult(f"{_CHANGED}: {error}") from error
        try:
            return make(problem, here, value, float(bounds[i]), counts)
        except (InvalidResult, SolveError) as error:
            if here.size and abs(problem.value(here) - value) > margin(value):
                raise InvalidResult(
                    f"{_CHANGED}: the answer to sentence {solve.first + i} was worth {value}, it is now worth "
                    f"{problem.value(here)}"
                ) from error
            raise

    everything = {"labels": labels, "offsets": offsets, **arrays, **ranked}
    return BatchResult.from_rows(problems, values, bounds, everything, result_of, method=solve.method)


def token_offsets(problems: Sequence[ChainProblem]) -> IntArray:
    """Beginnings of chains that stand one after another, and their common end, int64 (S+1,)."""
    if isinstance(problems, ChainBatch):
        return problems.offsets
    return row_offsets(problem.positions for problem in problems)


def _room(offsets: IntArray) -> IntArray:
    """Labels of sentences that were not reached."""
    return np.full(offsets[-1], -1, np.int64)


def _placed(
    found: IntArray, starts: IntArray, numbers: IntArray, offsets: IntArray, labels: IntArray | None
) -> IntArray:
    """All labels, with those of the sentences `numbers` in their places; of one chunk they are there already.

    A second array would be fresh memory, whose first touch costs more than the copy.
    """
    if len(numbers) == len(offsets) - 1:
        return found
    labels = _room(offsets) if labels is None else labels
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        labels[offsets[numbers[0]] : offsets[numbers[-1] + 1]] = found
        return labels
    for number, start, end in zip(numbers, starts[:-1], starts[1:], strict=True):
        labels[offsets[number] : offsets[number + 1]] = found[start:end]
    return labels


def _decided(chunk: ChainBatch, found: Found, again: Again, numbers: IntArray) -> Found:
    """The same with doubtful sentences decoded again; raises for invalid ones."""
    for i in np.flatnonzero(found.status == INVALID):
        _complain(chunk, int(i), int(numbers[i]))
    for i in np.flatnonzero(found.status == DOUBTFUL):
        best, value, bound = again(chunk[int(i)])
        found.labels[chunk.offsets[i] : chunk.offsets[i + 1]] = best
        found.values[i], found.bounds[i] = value, bound
    return found


def _complain(chunk: ChainBatch, i: int, number: int) -> None:
    try:
        chunk.model.problem(chunk.rows(i))
    except InvalidProblem as error:
        raise InvalidProblem(f"sentence {number}: {error}") from error
    raise InvalidProblem(
        f"sentence {number}: a score was NaN or plus infinity while it was decoded, and is no more"
    )
