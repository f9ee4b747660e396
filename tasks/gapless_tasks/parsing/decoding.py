"""Parse the sentences of a part with a method, timed by length, and verify the proofs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import IntArray
from gapless.cli import Console
from gapless.runs import AnswerLog, without_evidence
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_models.parsing import Sentence
from gapless_tasks.parsing.parsed import Parsed, ParsedSentence, group_index
from gapless_tasks.stored_answers import read_stored, stored_places

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
