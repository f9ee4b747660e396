"""One decoder on all graphs: the time of each title, its path, its proof."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import meets
from gapless_ordering import OrderingProblem
from gapless_tasks.title_generation.decoders import Decoder
from gapless_tasks.title_generation.graph import TitleGraph

SHORT_SECONDS = 0.005
PASSES = 5
"""A decoding as short as that is repeated, and its time is the median: the first one warms tables and caches."""

TitleResult = gl.Result[IntArray]

_TINY = OrderingProblem(np.zeros(2), np.zeros((2, 2)), np.zeros(2), 2)
"""Solved before the clock runs: the first call of a method loads plug-ins and libraries."""


@attrs.frozen(eq=False)
class Decoded:
    """What a decoder did.

    Parameters
    ----------
    decoder : Decoder
    results : mapping of int to Result
        By the number of the graph; those that were reached and did not fail.
    seconds : mapping of int to float
        CPU time of each title; by the clock with several threads. The mean of all where they were decoded together.
    failed : int
        Titles whose decoder raised.
    interrupted : bool
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
        return {i: one for i, one in self.results.items() if not isinstance(one.certificate, gl.NoCertificate)}

    def optimal(self, optima: FloatArray) -> tuple[int, int]:
        """How many titles reach the optimum, and of how many titles it is known.

        Parameters
        ----------
        optima : float64 (graphs,)
            NaN where nobody has proved one.
        """
        known = [i for i in self.results if not np.isnan(optima[i])]
        return sum(self._reaches(i, float(optima[i])) for i in known), len(known)

    def _reaches(self, i: int, optimum: float) -> bool:
        return bool(self.results[i].solutions) and meets(optimum, self.results[i].value)


def decode(
    decoder: Decoder,
    graphs: Sequence[TitleGraph],
    console: Console,
    *,
    limits: gl.Limits = gl.Limits(),  # noqa: B008  frozen
    seed: int = 0,
    numbers: Sequence[int] | None = None,
) -> Decoded:
    """Decode graphs that are ready; Ctrl-C keeps what is finished.

    Parameters
    ----------
    decoder : Decoder
    graphs : sequence of TitleGraph
    console : Console
        Draws progress; complains about failures.
    limits : Limits
        For each title.
    seed : int
    numbers : sequence of int, optional
        Which of the graphs; by default all.
    """
    chosen = range(len(graphs)) if numbers is None else numbers
    way = _decode_together if decoder.together else _decode_each
    with _models_out_of_the_way():
        return way(decoder, graphs, console, limits, seed, chosen)


@contextlib.contextmanager
def _models_out_of_the_way() -> Iterator[None]:
    """Keep the garbage collector from walking through models and graphs while a title is timed.

    What decoders leave behind is collected as always.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _decode_each(
    decoder: Decoder,
    graphs: Sequence[TitleGraph],
    console: Console,
    limits: gl.Limits,
    seed: int,
    numbers: Sequence[int],
) -> Decoded:
    gl.solve(_TINY, decoder.method, **decoder.options)
    results: dict[int, TitleResult] = {}
    seconds: dict[int, float] = {}
    failed, interrupted = 0, False
    clock = time.perf_counter if decoder.options.get("jobs", 1) > 1 else time.process_time
    with console.progress(decoder.name, len(numbers)) as advance:
        for i in numbers:
            taken: list[float] = []
            try:
                while not taken or (max(taken) < SHORT_SECONDS and len(taken) < PASSES):
                    start = clock()
                    result = gl.solve(
                        graphs[i].problem, decoder.method, limits=limits, seed=seed, **decoder.options
                    )
                    taken.append(clock() - start)
            except gl.SolveError as error:
                console.complain(f"{decoder.name}: {graphs[i].section.name}: {error}")
                failed += 1
                continue
            except KeyboardInterrupt:
                interrupted = True
                break
            if result.stop is gl.Stop.INTERRUPTED:
                interrupted = True
                break
            results[i], seconds[i] = result, median(taken)
            advance(1)
    return Decoded(decoder, results, seconds, failed, interrupted)


def _decode_together(
    decoder: Decoder,
    graphs: Sequence[TitleGraph],
    console: Console,
    limits: gl.Limits,
    seed: int,
    numbers: Sequence[int],
) -> Decoded:
    problems = [graphs[i].problem for i in numbers]
    taken: list[float] = []
    while not taken or (max(taken) < SHORT_SECONDS * len(problems) and len(taken) < PASSES):
        start = time.process_time()
        found = gl.solve_many(problems, decoder.method, limits=limits, seed=seed, **decoder.options)
        taken.append(time.process_time() - start)
        if found.errors or None in found.statuses:
            break
    for place, error in found.errors.items():
        console.complain(f"{decoder.name}: {graphs[numbers[place]].section.name}: {error}")
    results = {
        i: found[place]
        for place, i in enumerate(numbers)
        if found.statuses[place] is not None and place not in found.errors
    }
    interrupted = len(results) + len(found.errors) < len(numbers) or any(
        result.stop is gl.Stop.INTERRUPTED for result in results.values()
    )
    mean = median(taken) / max(len(problems), 1)
    return Decoded(decoder, results, dict.fromkeys(results, mean), len(found.errors), interrupted)


def proved_optima(decoded: Sequence[Decoded], count: int) -> FloatArray:
    """The optimum of each graph, NaN where no decoder has proved one; float64 (count,)."""
    optima = np.full(count, np.nan)
    for one in decoded:
        for i, result in one.results.items():
            if result.status is gl.Status.OPTIMAL and np.isnan(optima[i]):
                optima[i] = result.value
    return optima


def contradictions(decoded: Sequence[Decoded], optima: FloatArray, graphs: Sequence[TitleGraph]) -> list[str]:
    """Sentences about titles with a value above a proved optimum, or with two proved optima."""
    found = []
    for one in decoded:
        for i, result in one.results.items():
            if np.isnan(optima[i]) or not result.solutions:
                continue
            optimum, value = float(optima[i]), result.value
            proved = result.status is gl.Status.OPTIMAL
            if not meets(value, optimum) or (proved and not meets(optimum, value)):
                found.append(
                    f"{graphs[i].section.name}: {one.decoder.name} {'proved' if proved else 'found'} {value!r}, "
                    f"another decoder proved {optimum!r}"
                )
    return found
