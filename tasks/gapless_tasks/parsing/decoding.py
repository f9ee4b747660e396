"""Parse the sentences of a part with a method, verify the proofs, and count answers and costs by length."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.cli import Console
from gapless.runs import AnswerLog, LoggedAnswer, without_evidence
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_models.parsing import Sentence
from gapless_tasks.stored_answers import read_stored, stored_places

GROUP = 5
"""Words of length that share a timing."""


def known(share: float) -> float | None:
    """Return the share, or None for NaN, which JSON lacks."""
    return None if np.isnan(share) else share


def group_index(lengths: IntArray) -> IntArray:
    """Compute the longest length of the group that each length belongs to."""
    return -(-lengths // GROUP) * GROUP


@attrs.frozen
class LengthGroup:
    """Sentences of about one length.

    Parameters
    ----------
    longest : int
        They have more than ``longest - GROUP`` and up to `longest` words.
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


class Parsed:
    """Trees of a part, counted one by one.

    Parameters
    ----------
    lengths : sequence of int
        Words of each sentence.
    verify : bool
        Whether the certificates are checked.
    keep : bool
        Whether every result is kept, without its certificate, which can be large.

    Attributes
    ----------
    heads : dict of int to int64 (n,)
        The tree of each sentence that was reached and has one.
    values, bounds : float64 (sentences,)
        NaN where there is none.
    proved : bool (sentences,)
        Whether the tree is proved to be the best one.
    verified : bool (sentences,) or None
        Whether it is proved and a check without the solver agreed; None if none was asked for.
    refuted : int
        The number of refused certificates, those of bounds alone included.
    results : dict of int to Result
        With `keep`.
    arrays : dict of str to float64 (sentences,)
        Counts of the method for each sentence: ``dp_calls``, ``nodes``, ``root_closed``, ``fixed``.
    interrupted : bool
        Whether Ctrl-C came before the end.
    """

    def __init__(self, lengths: Sequence[int], *, verify: bool = False, keep: bool = False) -> None:
        count = len(lengths)
        self.lengths, self.keep, self.interrupted = np.array(lengths, np.int64), keep, False
        self.values, self.bounds, self._seconds = np.full((3, count), np.nan)
        self._reached, self.proved, verified = np.zeros((3, count), bool)
        self.verified: BoolArray | None = verified if verify else None
        self.refuted = 0
        self.heads: dict[int, IntArray] = {}
        self.results: dict[int, gl.Result[DependencyTree]] = {}
        self.arrays: dict[str, FloatArray] = {}

    def add(self, answer: ParsedSentence, i: int) -> None:
        """Count sentence i."""
        self._reached[i] = True
        self.values[i], self.bounds[i], self.proved[i] = answer.value, answer.bound, answer.proved
        self._seconds[i] = answer.measured["seconds"]
        for name, counted in answer.measured.items():
            if name not in ("seconds", "verified"):
                self.arrays.setdefault(name, np.full(len(self.lengths), np.nan))[i] = counted
        if answer.heads is not None:
            self.heads[i] = answer.heads
        if answer.result is None:
            return
        if self.keep:
            self.results[i] = without_evidence(answer.result)
        if self.verified is not None:
            holds = bool(answer.measured["verified"])
            self.verified[i] = holds and answer.result.proved
            self.refuted += not holds

    @property
    def reached(self) -> int:
        """Number of decoded sentences, failures included."""
        return int(self._reached.sum())

    @property
    def groups(self) -> list[LengthGroup]:
        """Sentences that were reached, by their length, ascending."""
        groups = group_index(self.lengths)
        calls = self.arrays.get("dp_calls", np.full(len(self.lengths), np.nan))
        length_groups = []
        for longest in np.unique(groups[self._reached]).tolist():
            members = self._reached & (groups == longest)
            called = float(calls[members].sum())
            length_groups.append(
                LengthGroup(
                    longest,
                    int(members.sum()),
                    int(self.lengths[members].sum()),
                    float(self._seconds[members].sum()),
                    None if np.isnan(called) else called,
                )
            )
        return length_groups

    @property
    def seconds(self) -> float:
        """CPU seconds of all sentences; by the clock with several processes."""
        return float(np.nansum(self._seconds))

    @property
    def words_per_second(self) -> float:
        """Words a second of the sentences that were reached."""
        return int(self.lengths[self._reached].sum()) / max(self.seconds, 1e-9)

    def document(self) -> dict[str, Any]:
        """Return what both jobs report of an answer set, as JSON data."""
        count = max(1, self.reached)
        return {
            "sentences": self.reached,
            "words_per_second": self.words_per_second,
            "proved": float(self.proved.sum()) / count,
            "verified": None if self.verified is None else float(self.verified.sum()) / count,
            "oracle_calls": self.mean("dp_calls"),
            "closed_at_root": self.mean("root_closed"),
        }

    def mean(self, name: str) -> float | None:
        """Compute the mean of an array over the sentences that it knows; None if the method does not count it."""
        known = self.arrays.get(name)
        if known is None or np.isnan(known).all():
            return None
        return float(np.nanmean(known))


@attrs.frozen
class ParsedSentence:
    """The answer for one sentence.

    Parameters
    ----------
    value, bound : float
        NaN where there is none.
    heads : int64 (n,) or None
    result : Result or None
        None where the solve failed, and without a request.
    measured : mapping of str to float
        ``seconds``, ``verified`` where that was asked for, and what the method counts.
    """

    value: float
    bound: float
    proved: bool
    heads: IntArray | None
    result: gl.Result[DependencyTree] | None
    measured: Mapping[str, float]

    @classmethod
    def of_batch(
        cls, batch: gl.BatchResult[DependencyTree], place: int, seconds: float, *, results: bool
    ) -> ParsedSentence | None:
        """Return one of several sentences that were decoded together; None where it was not reached.

        Parameters
        ----------
        seconds : float
            Its share of the time.
        results : bool
            Whether its `Result` is asked for.
        """
        status, failed = batch.statuses[place], place in batch.errors
        if status is None and not failed:
            return None
        counts = {name: array[place] for name, array in batch.arrays.items() if array.shape == (len(batch),)}
        if "dp_calls" not in counts and status is not None:
            stats = batch[place].stats
            counts |= {"dp_calls": stats.oracle_calls, "nodes": stats.nodes}
            counts["root_closed"] = stats.extra.get("root_closed", np.nan)
        value = float(batch.values[place])
        return cls(
            value,
            float(batch.bounds[place]),
            status is gl.Status.OPTIMAL,
            batch.structure(place).heads if np.isfinite(value) else None,
            batch[place] if results and status is not None and not failed else None,
            {"seconds": seconds, **{name: float(counted) for name, counted in counts.items()}},
        )

    @classmethod
    def of_stored(cls, answer: gl.Record | LoggedAnswer) -> ParsedSentence:
        """Return an answer that an earlier start of the run has stored."""
        result = answer.result
        best = result.solutions[0] if result.solutions else None
        return cls(
            best.value if best is not None else np.nan,
            result.bound,
            result.status is gl.Status.OPTIMAL,
            best.structure.heads if best is not None else None,
            result,
            answer.measurements,
        )

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended its search."""
        return self.result is not None and self.result.stop is gl.Stop.INTERRUPTED


SLICE = 100
"""Sentences decoded in one call, at most."""
FIRST_SLICE = 10
SLICE_SECONDS = 1.0
"""With a log: sentences of the first call, and seconds of the later ones; a killed run loses one call."""


def parse_all(
    problems: Sequence[ParsingProblem],
    method: str | None,
    console: Console,
    *,
    title: str = "parsing",
    options: Mapping[str, Any] | None = None,
    limits: gl.Limits = gl.Limits(),  # noqa: B008  frozen
    jobs: int = 1,
    verify: bool = False,
    keep: bool = False,
    sentences: Sequence[Sentence] | None = None,
    chunk_size: int = SLICE,
    log: AnswerLog | None = None,
) -> Parsed:
    """Decode, short sentences first, so that every length has its own timing and Ctrl-C keeps the finished part.

    Parameters
    ----------
    problems : sequence of ParsingProblem
        With `sentences` each is asked for once, and may be made then.
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
        Keep every `Result`, without its certificate.
    sentences : sequence of Sentence, optional
        Lengths are theirs, else those of the problems; the records of the log get their words and gold trees.
    chunk_size : int
        Sentences decoded in one call, at most.
    log : AnswerLog, optional
        Gets every answer as soon as it is known; those that it has are not decoded again.
    """
    lengths = [problem.length for problem in problems] if sentences is None else list(map(len, sentences))
    names = [f"sentence {i + 1}" for i in range(len(problems))]
    known = set(stored_places(log, names, "sentences", title, console))
    part = Parsed(lengths, verify=verify, keep=keep)
    results = log is not None or verify or keep

    def checked(answer: ParsedSentence, i: int, problem: Callable[[], ParsingProblem]) -> ParsedSentence:
        """Add the verdict about its certificate, if certificates are to be checked."""
        if not verify or answer.result is None:
            return answer
        verdict = answer.result.verify(problem())
        if not verdict:
            console.error(f"{names[i]}: {verdict.location}: {verdict.reason}")
        return attrs.evolve(answer, measured={**answer.measured, "verified": float(bool(verdict))})

    step = chunk_size if log is None else min(chunk_size, FIRST_SLICE * jobs)
    if jobs != 1 and len(known) < len(problems):
        _start_processes(jobs)
    with console.progress(title, len(problems)) as advance, contextlib.suppress(KeyboardInterrupt):
        part.interrupted = True  # until all is done
        for numbers in _by_length(part.lengths):
            for i, answer in read_stored(log, names, [i for i in numbers if i in known]):
                known_tree = ParsedSentence.of_stored(answer)
                if isinstance(answer, gl.Record):  # else its evidence was checked, and not kept
                    known_tree = checked(known_tree, i, partial(problems.__getitem__, i))
                part.add(known_tree, i)
                advance(1)
            todo = [i for i in numbers if i not in known]
            while todo:
                now, todo = todo[:step], todo[step:]
                batch_problems = [problems[i] for i in now]
                start, cpu = time.perf_counter(), time.process_time()
                batch = gl.solve_many(batch_problems, method, jobs=jobs, limits=limits, **(options or {}))
                seconds = time.perf_counter() - start if jobs != 1 else time.process_time() - cpu
                stopped = False
                for index, i in enumerate(now):
                    decoded = ParsedSentence.of_batch(batch, index, seconds / len(now), results=results)
                    if index in batch.errors:
                        console.error(f"{names[i]}: {batch.errors[index]}")
                    if decoded is None:
                        stopped = True
                        continue
                    decoded = checked(decoded, i, partial(batch_problems.__getitem__, index))
                    stopped |= decoded.interrupted
                    if log is not None and decoded.result is not None and not decoded.interrupted:
                        stored_result = decoded.result if log.records else without_evidence(decoded.result)
                        texts = ((), None) if sentences is None else (sentences[i].words, _gold_tree(sentences[i]))
                        log.keep(
                            names[i], batch_problems[index], stored_result, texts[0], decoded.measured, texts[1]
                        )
                    part.add(decoded, i)
                    advance(1)
                if stopped:
                    raise KeyboardInterrupt
                if log is not None:
                    share = len(now) * SLICE_SECONDS / max(seconds, 1e-9)
                    step = max(4 * (jobs - 1), 1, min(chunk_size, 4 * step, int(share)))
        part.interrupted = False
    return part


def _start_processes(jobs: int) -> None:
    """Start the processes and their imports now, so that the shortest sentences' timing does not include them."""
    tiny = ParsingProblem(np.zeros((2, 2)))
    if None in gl.solve_many([tiny] * (8 * abs(jobs)), jobs=jobs).statuses:
        raise KeyboardInterrupt


def _by_length(lengths: IntArray) -> Iterator[list[int]]:
    """Yield the numbers of sentences of about one length, short ones first."""
    groups = group_index(lengths)
    yield from (np.flatnonzero(groups == longest).tolist() for longest in np.unique(groups))


def _gold_tree(sentence: Sentence) -> DependencyTree | None:
    """Return the right tree with its relations; None where a treebank has none."""
    return DependencyTree(sentence.heads, sentence.labels or None) if sentence.heads else None
