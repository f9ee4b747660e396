"""One decoder on all graphs: the time of each title, its path, its proof."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from statistics import median
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import meets
from gapless.cli import Console
from gapless.parallel import map_chunks_ordered
from gapless.runs import AnswerLog
from gapless_models.titles.graph import TitleGraph
from gapless_ordering import OrderingProblem
from gapless_tasks.stored_answers import contradicted_optimum, read_stored, stored_places, unique_names
from gapless_tasks.titles.decoders import Decoder

SHORT_SECONDS = 0.005
TITLES_AT_ONCE = 16
"""Sent to a process together, at most."""
PASSES = 5
"""A decoding as short as that is repeated, and its time is the median: the first one warms tables and caches."""

TitleResult = gl.Result[IntArray]

_TINY = OrderingProblem(np.zeros(2), np.zeros((2, 2)), np.zeros(2), 2)
"""Solved before the clock runs: the first call of a method loads plug-ins and libraries."""


@attrs.frozen(eq=False)
class Decoded:
    """The answers of one decoder.

    Parameters
    ----------
    results : mapping of int to Result
        By the number of the graph; those that were reached and did not fail.
    seconds : mapping of int to float
        CPU time of each title, of the process that decoded it. The mean of all where they were decoded together.
    failed : int
        Titles whose decoder raised.
    """

    decoder: Decoder
    results: Mapping[int, TitleResult]
    seconds: Mapping[int, float]
    failed: int
    interrupted: bool

    @property
    def proved(self) -> int:
        """Titles whose path is proved to be the best."""
        return sum(result.status is gl.Status.OPTIMAL for result in self.results.values())

    @property
    def certified(self) -> Mapping[int, TitleResult]:
        """Results with a certificate; integer programs and beams without a bound have none."""
        return {i: result for i, result in self.results.items() if result.certified}

    def optimal(self, optima: FloatArray) -> tuple[int, int]:
        """Count the titles that reach the optimum, and those whose optimum is known.

        Parameters
        ----------
        optima : float64 (graphs,)
            NaN without a proof.
        """
        known = [i for i in self.results if not np.isnan(optima[i])]
        solved = [i for i in known if self.results[i].solutions]
        return sum(meets(float(optima[i]), self.results[i].value) for i in solved), len(known)


def decode(
    decoder: Decoder,
    graphs: Sequence[TitleGraph],
    console: Console,
    *,
    limits: gl.Limits = gl.Limits(),  # noqa: B008  frozen
    seed: int = 0,
    numbers: Sequence[int] | None = None,
    jobs: int = 1,
    log: AnswerLog | None = None,
) -> Decoded:
    """Decode graphs that are ready; Ctrl-C keeps the finished part.

    Parameters
    ----------
    console : Console
        Draws progress; complains about failures.
    limits : Limits
        For each title.
    numbers : sequence of int, optional
        Numbers of the graphs to decode; by default all.
    jobs : int
        Processes over the graphs; those that are decoded together share this one.
    log : AnswerLog, optional
        Gets every answer as soon as it is known; those that it has are not decoded again.
    """
    selected = range(len(graphs)) if numbers is None else numbers
    every = unique_names(graph.section.name for graph in graphs)
    names = [every[i] for i in selected]
    places = stored_places(log, names, "titles", decoder.name, console)
    known = {selected[index]: answer for index, answer in read_stored(log, names, places)}
    results: dict[int, TitleResult] = {i: answer.result for i, answer in known.items()}
    seconds: dict[int, float] = {i: answer.measurements["seconds"] for i, answer in known.items()}
    todo = [i for i in selected if i not in known]
    way = _decode_together if decoder.together else _decode_each
    failed, interrupted = 0, False
    problems = [graphs[i].problem for i in todo]
    with console.progress(decoder.name, len(selected)) as advance, _models_out_of_the_way():
        advance(len(known))
        try:
            for index, result, taken in way(decoder, problems, limits, seed, jobs):
                i = todo[index]
                if isinstance(result, gl.SolveError):
                    console.error(f"{decoder.name}: {graphs[i].section.name}: {result}")
                    failed += 1
                elif result.stop is gl.Stop.INTERRUPTED:
                    interrupted = True
                    break
                else:
                    results[i], seconds[i] = result, taken
                    if log is not None and (not log.records or result.certified):
                        words = graphs[i].section.title
                        log.keep(every[i], graphs[i].problem, result, words, {"seconds": taken}, words)
                advance(1)
        except KeyboardInterrupt:
            interrupted = True
    results = {i: results[i] for i in selected if i in results}
    return Decoded(decoder, results, {i: seconds[i] for i in results}, failed, interrupted)


@contextlib.contextmanager
def _models_out_of_the_way() -> Iterator[None]:
    """Keep the garbage collector from traversing models and graphs while a title is timed.

    Garbage of the decoders is collected as always.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


Outcomes = Iterator[tuple[int, "TitleResult | gl.SolveError", float]]
"""For each problem its number, its answer, and its seconds."""


def _decode_each(
    decoder: Decoder, problems: Sequence[OrderingProblem], limits: gl.Limits, seed: int, jobs: int
) -> Outcomes:
    work = partial(_decode_some, decoder, limits, seed)
    for done in map_chunks_ordered(work, iter(problems), jobs, 1 if jobs == 1 else TITLES_AT_ONCE):
        for index, (result, seconds) in enumerate(done.outcome, done.start):
            yield index, result, seconds


def _decode_some(
    decoder: Decoder, limits: gl.Limits, seed: int, _: int, problems: Sequence[OrderingProblem]
) -> list[tuple[TitleResult | gl.SolveError, float]]:
    """Decode titles one by one, each with the CPU time of the process that decoded it, which may be new."""
    _warm(decoder.method, tuple(decoder.options.items()))
    return [_decode_one(decoder, problem, limits, seed) for problem in problems]


def _decode_one(
    decoder: Decoder, problem: OrderingProblem, limits: gl.Limits, seed: int
) -> tuple[TitleResult | gl.SolveError, float]:
    seconds: list[float] = []
    while not seconds or (max(seconds) < SHORT_SECONDS and len(seconds) < PASSES):
        start = time.process_time()
        try:
            result = gl.solve(problem, decoder.method, limits=limits, seed=seed, **decoder.options)
        except gl.SolveError as error:
            return error, 0.0
        seconds.append(time.process_time() - start)
        if result.stop is gl.Stop.INTERRUPTED:
            break
    return result, median(seconds)


@cache
def _warm(method: str, options: tuple[tuple[str, Any], ...]) -> None:
    """Load plug-ins and libraries, which the first call of a method in a process does."""
    gl.solve(_TINY, method, **dict(options))


def _decode_together(
    decoder: Decoder, problems: Sequence[OrderingProblem], limits: gl.Limits, seed: int, _: int
) -> Outcomes:
    seconds: list[float] = []
    while not seconds or (max(seconds) < SHORT_SECONDS * len(problems) and len(seconds) < PASSES):
        start = time.process_time()
        batch = gl.solve_many(problems, decoder.method, limits=limits, seed=seed, **decoder.options)
        seconds.append(time.process_time() - start)
        if batch.errors or None in batch.statuses:
            break
    mean = median(seconds) / max(len(problems), 1)
    for index in range(len(problems)):
        error = batch.errors.get(index)
        if error is None and batch.statuses[index] is None:
            raise KeyboardInterrupt
        yield index, error or batch[index], mean


def proved_optima(decoded: Sequence[Decoded], count: int) -> FloatArray:
    """Find the optimum of each graph, NaN where no decoder has proved one; float64 (count,)."""
    optima = np.full(count, np.nan)
    for decoder in decoded:
        for i, result in decoder.results.items():
            if result.status is gl.Status.OPTIMAL and np.isnan(optima[i]):
                optima[i] = result.value
    return optima


def contradictions(decoded: Sequence[Decoded], optima: FloatArray, graphs: Sequence[TitleGraph]) -> list[str]:
    """Return sentences about titles with a value above a proved optimum, or with two proved optima."""
    messages = []
    for decoder in decoded:
        for i, result in decoder.results.items():
            if np.isnan(optima[i]) or not result.solutions:
                continue
            name = f"{graphs[i].section.name}: {decoder.decoder.name}"
            message = contradicted_optimum(name, result, graphs[i].problem, float(optima[i]))
            messages += [] if message is None else [message]
    return messages
