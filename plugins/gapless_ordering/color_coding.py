"""The method ``color-coding``: the paper's randomised decoder, with bounds (Deshpande et al. 2007, section 3)."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import Certificate, Result, SolveError, Stop, UnknownOption
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import meets
from gapless.plugins.registry import check_count
from gapless.roles import OracleError, ProbabilisticCertificate, SolveRequest, Stats
from gapless.tree_search.role_calls import call_role
from gapless_kernels import PathSearchResult, path_search
from gapless_ordering import beam
from gapless_ordering.certificate import WalkCertificate
from gapless_ordering.colorful import (
    BLOCK,
    MOST_COLORS,
    ColorfulPaths,
    Colorings,
    Found,
    choose_colors,
    success_probability,
    trials_for,
)
from gapless_ordering.problem import OrderingProblem

_BEAM_WIDTH = 80
_ROUNDS = 2
"""Rounds of improving the bounds before the first colouring."""


def run(
    problem: OrderingProblem,
    request: SolveRequest,
    *,
    failure: float = 1e-3,
    trials: int | None = None,
    colors: int | None = None,
    bounds: bool = True,
    jobs: int = 1,
) -> Result[IntArray]:
    """Find the best path by colour coding; it is missed with a probability of at most `failure`.

    Classes get random colours, and a dynamic program finds the best path without repeated colours. The best path is
    among these with the probability ``p = r! / ((r - k)! r^k)``; of ``ln(failure) / ln(1 - p)`` colourings all miss
    it with a probability of at most `failure`. The result is then LIKELY_OPTIMAL, and its certificate counts the
    colourings. It is OPTIMAL where a bound meets it, or where there are so few classes that each has a colour of
    its own; FEASIBLE where a limit or Ctrl-C came first, with the probability that was reached as its explanation.

    A seed fixes the answer, whatever the number of `jobs`. ``stats.extra`` holds ``colorings`` (finished),
    ``colors`` (r), ``success`` (p) and ``found_at``: the number of the colouring that found the answer, from 1 on;
    0 if it was known before the first.

    Raises `UnknownOption`: an option is out of range, or the dynamic program's table would be too large.
    `OracleError`: an observer raised; ``error.result`` holds the best answer so far. `SolveError`: no memory.

    Parameters
    ----------
    failure : float
        Above 0, below 1.
    trials : int, optional
        Number of colourings, in place of the number that `failure` needs.
    colors : int, optional
        r, from the length to 32; by default the number from k to 2 k that minimises ``2^r / p``.
    bounds : bool
        Whether to begin with a beam, and to drop states of the dynamic program whose bound does not beat the best
        path so far. Without bounds this is the paper's algorithm.
    jobs : int
        Threads; -1 for one on each core.
    """
    _check(problem, failure, trials, colors, jobs)
    # No colouring can succeed, and `infeasibility` names the lack of classes.
    if problem.class_count < problem.length:
        return _ColorCodingSolve(problem, request).result(Stop.PROVED)
    search = _ColorCodingSolve(problem, request)
    try:
        if bounds:
            search.bound_paths()
        stop = Stop.PROVED if search.decided else search.go(failure, trials, colors, jobs)
    except KeyboardInterrupt:
        request.budget.interrupt()
        stop = Stop.INTERRUPTED
    except MemoryError as error:
        raise SolveError(f"{error}; give fewer colors") from error
    except OracleError as error:
        error.result = search.result(Stop.ERROR)
        raise
    return search.result(stop)


def _check(problem: OrderingProblem, failure: float, trials: int | None, colors: int | None, jobs: int) -> None:
    if isinstance(failure, bool) or not isinstance(failure, float | int) or not 0 < failure < 1:
        raise UnknownOption(f"failure is {failure!r}, it must be a probability above 0 and below 1")
    for name, value in (("trials", trials), ("colors", colors), ("jobs", None if jobs == -1 else jobs)):
        if value is not None:
            check_count(name, value)
    if colors is not None and not problem.length <= colors <= MOST_COLORS:
        raise UnknownOption(
            f"colors is {colors}, it must be from the length of the path, {problem.length}, to {MOST_COLORS}"
        )


def _finished(requested: int, future: Future[Found]) -> tuple[int, Found]:
    return requested, future.result()


class _ColorCodingSolve:
    """One solve: the incumbent, and the colourings that may find a better path."""

    def __init__(self, problem: OrderingProblem, request: SolveRequest) -> None:
        self.problem, self.solve, self.budget = problem, request, request.budget
        self.graph = ColorfulPaths.of(problem)
        self.path: IntArray = np.empty(0, np.int64)
        self.value, self.bound, self.decided = -math.inf, math.inf, False
        self.colors, self.success, self.done, self.found_at = 0, 1.0, 0, 0
        self.evidence = WalkCertificate(-math.inf, math.inf, [0, 0], [], [])
        self.wanted, self.abandoned = 0, False

    def bound_paths(self) -> None:
        """Find an incumbent, a bound, and the part of the graph that can still beat the incumbent."""
        value, path = beam.search(self.problem, _BEAM_WIDTH)
        problem, budget = self.problem, self.budget
        if value > -math.inf:
            self.value, self.path = value, path
        outcome: PathSearchResult = path_search(
            problem.start,
            problem.ordering,
            problem.end,
            problem.classes,
            problem.length,
            begin=path[None] if value > -math.inf else None,
            pulse=lambda *_: budget.stop_reason() is not None,
            rounds=_ROUNDS,
        )
        if outcome.values.size and outcome.values[0] > self.value:
            self.value, self.path = float(outcome.values[0]), outcome.paths[0]
        if outcome.interrupted:
            budget.interrupt()
        self.bound, self.decided = outcome.bound, outcome.proved
        self.evidence = WalkCertificate.of(outcome)
        if outcome.open is not None:
            self.graph = ColorfulPaths.of(problem, outcome.open)
            self.decided = self.graph.class_count < problem.length  # too few for a better path

    def go(self, failure: float, trials: int | None, colors: int | None, jobs: int) -> Stop:
        """Search one colouring after the other; return the reason to stop."""
        spent = self.budget.stop_reason()
        if spent is not None:
            return spent
        length, classes = self.problem.length, self.graph.class_count
        # With a colour for each class, a single colouring finds the best path: p = 1 (section 3).
        self.colors = min(colors or choose_colors(length, classes), classes)
        self.graph.check(self.colors)
        if self.colors < classes:
            self.success = success_probability(self.colors, length)
            trials = trials or trials_for(failure, self.success)
        else:
            trials = 1
        self.wanted = trials
        for requested, (values, paths) in self._searched(trials, os.cpu_count() or 1 if jobs == -1 else jobs):
            self._take(values, paths)
            stop = self.budget.stop_reason() or Stop.NODES if len(values) < requested else self._reached()
            if stop is not None:
                return stop
        if self.done == trials:
            return Stop.PROVED if self.success == 1.0 else Stop.ITERATIONS
        return self.budget.stop_reason() or Stop.ITERATIONS

    def _chunks(self, trials: int) -> Iterator[NDArray[np.uint8]]:
        """Yield colourings in order, a few at a time, until the budget is spent."""
        colorings = Colorings(self.graph.class_count, self.colors, self.solve.seed)
        size = min(BLOCK, self.graph.chunk_size(self.colors))
        limit = self.budget.limits.iterations
        if limit is not None:
            trials = min(trials, max(0, limit - self.budget.iterations))
        for first in range(0, trials, size):
            # Each block has a stream of its own, so the colourings depend on the seed but not on chunks or
            # jobs.
            if first % BLOCK == 0:
                block = colorings.block(first // BLOCK)
            if self.budget.stop_reason() is not None:
                return
            yield block[first % BLOCK : first % BLOCK + min(size, trials - first)]

    def _searched(self, trials: int, jobs: int) -> Iterator[tuple[int, Found]]:
        """Yield the best paths under all colourings, a few at a time and in order, also with several threads.

        A thread knows an incumbent that may be old by the time it ends. It then reports more than the best, never
        another path.
        """
        if jobs == 1:
            for chunk in self._chunks(trials):
                yield len(chunk), self.graph.best(chunk, self.colors, self.value, self._over)
            return
        running: deque[tuple[int, Future[Found]]] = deque()
        with ThreadPoolExecutor(jobs) as pool:
            try:
                for chunk in self._chunks(trials):
                    work = pool.submit(self.graph.best, chunk, self.colors, self.value, self._over)
                    running.append((len(chunk), work))
                    if len(running) == jobs:
                        yield _finished(*running.popleft())
                while running:
                    yield _finished(*running.popleft())
            finally:
                self.abandoned = True
                # Colourings in progress end at their next pulse, which reads `abandoned`.
                pool.shutdown(wait=False, cancel_futures=True)

    def _over(self) -> bool:
        """Return whether to stop inside a colouring; called by all threads."""
        return self.abandoned or self.budget.stop_reason() is not None

    def _take(self, values: FloatArray, paths: IntArray) -> None:
        for t in np.flatnonzero(values > self.value).tolist():
            # Checked again: an earlier colouring of this chunk may have improved the incumbent.
            if values[t] > self.value:
                self.value, self.path, self.found_at = float(values[t]), paths[t], self.done + t + 1
                self._emit("incumbent", coloring=self.found_at)
        self.done += len(values)
        self.budget.iterations += len(values)
        self._emit("round", colorings=self.done)

    def _emit(self, kind: str, **details: int) -> None:
        call_role(self.budget, self.budget.emit, kind, self.bound, self.value, **details)

    def _reached(self) -> Stop | None:
        """Return the reason to stop that incumbent and bound give, if any."""
        limits = self.budget.limits
        if meets(self.bound, self.value):
            return Stop.PROVED
        if limits.target is not None and self.value >= limits.target:
            return Stop.TARGET
        if limits.relative_gap > 0 and meets(self.bound, self.value, limits.relative_gap):
            return Stop.GAP
        return None

    def result(self, stop: Stop) -> Result[IntArray]:
        """Make the result, with the probability that the best path is among those found."""
        has_solution = self.value > -math.inf
        explanation: Sequence[str] = () if has_solution else self.problem.infeasibility()
        if explanation:
            stop = Stop.PROVED
        if stop is Stop.PROVED:
            self.bound = self.value
        if not has_solution and not explanation:
            explanation = [self._nothing_found(stop is Stop.PROVED)]
        if stop is Stop.NODES:
            explanation = [*explanation, "one colouring has more states than fit: stopped before it"]
        certificate: Certificate = self.evidence
        if stop is Stop.PROVED:
            certificate = attrs.evolve(
                self.evidence, level=self.value, claim=self.value, exhaustive=self.evidence.memory is None
            )
        elif 0 < self.wanted <= self.done:
            bound_evidence = self.evidence if self.bound < math.inf else None
            certificate = ProbabilisticCertificate(self.done, self.colors, self.problem.length, bound_evidence)
        elif has_solution and self.done and stop not in (Stop.TARGET, Stop.GAP):
            # Those two look at values: then the colourings that were made say less.
            missed = ProbabilisticCertificate(self.done, self.colors, self.problem.length).failure_probability
            explanation = [
                *explanation,
                f"stopped after {self.done} of {self.wanted} colourings: so many miss the best path with a "
                f"probability of at most {missed:.2g}",
            ]
        if stop is not Stop.ERROR:
            self.budget.emit("stop", self.bound, self.value)
        return Result.of(
            self.problem,
            [self.path] if has_solution else [],
            self.bound,
            stop,
            certificate=certificate,
            method=self.solve.method,
            stats=Stats(
                seconds=self.budget.elapsed,
                iterations=self.done,
                extra={
                    "colorings": self.done,
                    "colors": self.colors,
                    "success": self.success,
                    "found_at": self.found_at,
                },
            ),
            trace=self.budget.events,
            explanation=explanation,
        )

    def _nothing_found(self, proved: bool) -> str:
        if proved and not self.done:
            return f"no walk of {self.problem.length} vertices visits each class at most once"
        return f"no colourful path in {self.done} colouring{'s' if self.done != 1 else ''}" + (
            ": each class had a colour of its own" if proved else ""
        )
