"""Parse the sentences of a part with a method, timed by length, and verify what was proved."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.core.sparse import FloatArray, IntArray
from gapless_dependency import DependencyTree, ParsingProblem

GROUP = 5
"""Words of length that share a timing."""
SLICE = 100
"""Sentences decoded in one call: after each of them Ctrl-C loses nothing."""


@attrs.frozen
class LengthGroup:
    """Sentences of about one length.

    Parameters
    ----------
    longest : int
        They have more than ``longest - GROUP`` and up to `longest` words.
    sentences, words : int
    seconds : float
        CPU time of decoding them; by the clock with several processes.
    calls : float or None
        Oracle calls, of all of them; None where the method does not count them.
    """

    longest: int
    sentences: int
    words: int
    seconds: float
    calls: float | None


@attrs.frozen
class Parsed:
    """Trees of a part.

    Parameters
    ----------
    heads : mapping of int to int64 (n,)
        The tree of each sentence that was reached and has one.
    values, bounds : float64 (sentences,)
        NaN where there is none.
    proved : bool (sentences,)
        Whether the tree is proved to be the best one.
    verified : bool (sentences,) or None
        Whether it is proved and a check without the solver agreed; None if none was asked for.
    refuted : int
        How many certificates the check refused, those of bounds alone included.
    groups : sequence of LengthGroup
        Ascending.
    results : mapping of int to Result
        Where they were asked for.
    arrays : mapping of str to float64 (sentences,)
        What the method counts for each sentence: ``dp_calls``, ``nodes``, ``root_closed``, ``fixed``.
    reached : int
        How many sentences were decoded, those that failed included.
    interrupted : bool
    """

    heads: Mapping[int, IntArray]
    values: FloatArray
    bounds: FloatArray
    proved: np.ndarray[Any, np.dtype[np.bool_]]
    verified: np.ndarray[Any, np.dtype[np.bool_]] | None
    refuted: int
    groups: Sequence[LengthGroup]
    results: Mapping[int, gl.Result[DependencyTree]]
    arrays: Mapping[str, FloatArray]
    reached: int
    interrupted: bool

    @property
    def seconds(self) -> float:
        """Of all sentences."""
        return sum(group.seconds for group in self.groups)

    @property
    def words_per_second(self) -> float:
        """Of the sentences that were reached."""
        return sum(group.words for group in self.groups) / max(self.seconds, 1e-9)

    def mean(self, name: str) -> float | None:
        """Mean of an array over the sentences that it knows; None where the method does not count it."""
        known = self.arrays.get(name)
        if known is None or np.isnan(known).all():
            return None
        return float(np.nanmean(known))


def parse_all(
    problems: Sequence[ParsingProblem],
    method: str | None,
    console: Console,
    *,
    title: str = "parsing",
    options: Mapping[str, Any] | None = None,
    limits: gl.Limits | None = None,
    jobs: int = 1,
    verify: bool = False,
    keep: bool = False,
    lengths: Sequence[int] | None = None,
    at_once: int = SLICE,
) -> Parsed:
    """Decode, short sentences first, so that every length has a time of its own and Ctrl-C keeps what is finished.

    Parameters
    ----------
    problems : sequence of ParsingProblem
        With `lengths` each is asked for once, and may be made then.
    method : str or None
        None is the default method of such problems.
    console : Console
        Draws progress; complains about every failure.
    title : str
        Of the progress.
    options : mapping, optional
        Of the method.
    limits : Limits, optional
        For each sentence.
    jobs : int
        Processes.
    verify : bool
        Check the certificate of every answer.
    keep : bool
        Keep every `Result`, with its certificate.
    lengths : sequence of int, optional
        Words of each sentence; by default the problems say.
    at_once : int
        Sentences decoded in one call, at most.
    """
    count = len(problems)
    values, bounds = np.full(count, np.nan), np.full(count, np.nan)
    proved, verified = np.zeros(count, bool), np.zeros(count, bool)
    heads: dict[int, IntArray] = {}
    results: dict[int, gl.Result[DependencyTree]] = {}
    arrays: dict[str, FloatArray] = {}
    groups: dict[int, LengthGroup] = {}
    reached, refuted, interrupted = 0, 0, False
    if lengths is None:
        lengths = [problem.length for problem in problems]
    if jobs != 1:
        _start_processes(jobs)
    with console.progress(title, count) as advance:
        for longest, numbers in _slices(lengths, at_once):
            chosen = [problems[i] for i in numbers]
            start, cpu = time.perf_counter(), time.process_time()
            try:
                batch = gl.solve_many(chosen, method, jobs=jobs, limits=limits or gl.Limits(), **(options or {}))
            except KeyboardInterrupt:
                interrupted = True
                break
            seconds = time.perf_counter() - start if jobs != 1 else time.process_time() - cpu
            for place, error in batch.errors.items():
                console.complain(f"sentence {numbers[place] + 1}: {error}")
            done = [
                (place, i)
                for place, i in enumerate(numbers)
                if batch.statuses[place] is not None or place in batch.errors
            ]
            interrupted = len(done) < len(numbers)
            calls = _spread(batch, numbers, arrays, count)
            for place, i in done:
                status = batch.statuses[place]
                values[i], bounds[i] = batch.values[place], batch.bounds[place]
                proved[i] = status is gl.Status.OPTIMAL
                if np.isfinite(values[i]):
                    heads[i] = batch.structure(place).heads
                if (verify or keep) and status is not None and place not in batch.errors:
                    result = batch[place]
                    interrupted |= result.stop is gl.Stop.INTERRUPTED
                    if keep:
                        results[i] = result
                    if verify:
                        verdict = result.verify(chosen[place])
                        verified[i] = bool(verdict) and result.proved
                        refuted += not verdict
                        if not verdict:
                            console.complain(f"sentence {i + 1}: {verdict.place}: {verdict.reason}")
            words = sum(lengths[i] for _, i in done)
            groups[longest] = _joined(groups.get(longest), LengthGroup(longest, len(done), words, seconds, calls))
            reached += len(done)
            advance(len(done))
            if interrupted:
                break
    return Parsed(
        heads,
        values,
        bounds,
        proved,
        verified if verify else None,
        refuted,
        list(groups.values()),
        results,
        arrays,
        reached,
        interrupted,
    )


def _start_processes(jobs: int) -> None:
    """Let every process import what it needs now: else the shortest sentences would pay for it in their timing."""
    tiny = ParsingProblem(np.zeros((2, 2)))
    if None in gl.solve_many([tiny] * (8 * abs(jobs)), jobs=jobs).statuses:
        raise KeyboardInterrupt


def _slices(lengths: Sequence[int], most: int) -> Iterator[tuple[int, list[int]]]:
    """Numbers of sentences of about one length, at most so many of them, short ones first."""
    by_length: dict[int, list[int]] = {}
    for i, length in enumerate(lengths):
        by_length.setdefault(-(-length // GROUP) * GROUP, []).append(i)
    for longest in sorted(by_length):
        numbers = by_length[longest]
        for start in range(0, len(numbers), most):
            yield longest, numbers[start : start + most]


def _spread(
    batch: gl.BatchResult[DependencyTree], numbers: Sequence[int], arrays: dict[str, FloatArray], count: int
) -> float | None:
    """Enter what the method counted; returns its oracle calls."""
    calls = None
    for name, found in batch.arrays.items():
        if found.shape == (len(numbers),):
            reached = [status is not None for status in batch.statuses]
            arrays.setdefault(name, np.full(count, np.nan))[numbers] = np.where(reached, found, np.nan)
            if name == "dp_calls":
                calls = float(found.sum())
    if calls is None and all(status is not None for status in batch.statuses):
        counted = [float(result.stats.oracle_calls) for result in batch]
        arrays.setdefault("dp_calls", np.full(count, np.nan))[numbers] = counted
        arrays.setdefault("nodes", np.full(count, np.nan))[numbers] = [float(r.stats.nodes) for r in batch]
        closed = [float(r.stats.extra.get("root_closed", np.nan)) for r in batch]
        arrays.setdefault("root_closed", np.full(count, np.nan))[numbers] = closed
        calls = sum(counted)
    return calls


def _joined(one: LengthGroup | None, other: LengthGroup) -> LengthGroup:
    if one is None:
        return other
    calls = None if one.calls is None or other.calls is None else one.calls + other.calls
    return LengthGroup(
        one.longest,
        one.sentences + other.sentences,
        one.words + other.words,
        one.seconds + other.seconds,
        calls,
    )
