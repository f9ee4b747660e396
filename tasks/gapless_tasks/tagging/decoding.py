"""Decoding a text by one method, and verifying every answer; fingerprints and gold labels of a text."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless.cli import Console
from gapless.runs import AnswerLog, Fingerprint
from gapless_chains import ChainBatch
from gapless_models.tagging import TaggedSentence
from gapless_models.tagging.tagger import Tagger
from gapless_tasks.stored_answers import read_stored, stored_places
from gapless_tasks.tagging.evaluation import accuracy
from gapless_tasks.tagging.measuring import cpu_seconds

Scorer = Callable[[Sequence[Sequence[str]], Sequence[Sequence[str]]], Mapping[str, float]]
"""``score(gold labels, found labels)`` gives named scores beyond the share of words that are right."""


SHORT_SECONDS = 1.0
PASSES = 3
"""A shorter pass is timed again so often, warm: the first one fills tables that all later texts share."""
FIRST_SLICE = 500
SLICE_SECONDS = 1.0
"""Sentences of the first call, and seconds of the later ones: a killed run loses one call."""
LARGE = 200_000_000
"""Bytes of answers beyond which ``--out`` warns."""


@attrs.frozen
class Outcome:
    """One row of the table: the answers of one method on the test part.

    Parameters
    ----------
    decoded : int
        Sentences that were reached.
    accuracy : float
        Share of their words that got the gold label; `scores` holds what else the job measures.
    sentences_per_second : float
        By CPU time, warm where a pass is shorter than `SHORT_SECONDS`, as in table 1; by the clock with several
        processes.
    proved, verified : float
        Share of all sentences that were proved; whose proof a check without the solver accepted.
    mean_domain, iterations : float
        Labels that the method kept in its search, a word, which are all of them for Viterbi; rounds, a sentence.
    seconds : float
        By the clock, of the first pass.
    """

    method: str
    decoded: int
    accuracy: float
    sentences_per_second: float
    proved: float
    verified: float
    mean_domain: float
    iterations: float
    seconds: float
    scores: Mapping[str, float] = attrs.field(factory=dict)


def decode_with(
    method: str,
    batch: ChainBatch,
    sentences: Sequence[TaggedSentence],
    score: Scorer,
    console: Console,
    jobs: int,
    log: AnswerLog | None,
) -> Outcome:
    """Decode every sentence and verify every answer; Ctrl-C keeps the finished part.

    Parameters
    ----------
    batch : ChainBatch
        The problems of `sentences`.
    sentences : sequence of TaggedSentence
        With their gold labels.
    score : callable
        See `Scorer`.
    console : Console
        Complains about each answer that fails.
    jobs : int
        Processes.
    log : AnswerLog or None
        Gets every answer with its certificate; those that it has are verified, not decoded again.
    """
    names = [f"sentence {i}" for i in range(len(batch))]
    known = stored_places(log, names, "sentences", method, console)
    tally = _TaggingTally(method, batch, sentences, console)
    with console.progress(f"decoding {method}", len(batch)) as advance, contextlib.suppress(KeyboardInterrupt):
        for i, answer in read_stored(log, names, known):
            tally.seconds += answer.measurements["seconds"]
            tally.cpu += answer.measurements["cpu_seconds"]
            tally.add(i, answer.result)
            advance(1)
        todo, step = sorted(set(range(len(batch))).difference(known)), FIRST_SLICE
        while todo:
            count = _together(todo, step)
            start, cpu_start = time.perf_counter(), time.process_time()
            batch_result = gl.solve_many(batch[todo[0] : todo[0] + count], method, jobs=jobs)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
            cpu = seconds if jobs > 1 else cpu  # the CPU clock of this process does not see the others
            tally.seconds, tally.cpu = tally.seconds + seconds, tally.cpu + cpu
            reached = tally.take(todo[0], batch_result)
            if log is not None:
                measured = {"seconds": seconds / count, "cpu_seconds": cpu / count}
                for i in reached:
                    sentence = sentences[i]
                    size = log.keep(names[i], batch[i], reached[i], sentence.words, measured, sentence.labels)
                    if len(log) == 1 and size * len(batch) > LARGE:
                        console.error(
                            f"{method}: --out writes about {size * len(batch) / 1e6:,.0f} MB: each of {len(batch)} "
                            "records holds the whole model's transitions; --sentences N keeps fewer"
                        )
            for i, result in reached.items():
                tally.add(i, result)
                advance(1)
            if tally.interrupted:
                break
            todo = todo[count:]
            step = max(1, min(4 * step, int(count * SLICE_SECONDS / max(seconds, 1e-9))))
    cold = known or jobs > 1 or tally.decoded < len(batch) or tally.cpu >= SHORT_SECONDS
    cpu = tally.cpu if cold else cpu_seconds({method: partial(gl.solve_many, batch, method)}, PASSES)[method]
    return tally.outcome(score, cpu)


def _together(numbers: Sequence[int], most: int) -> int:
    """Measure the run of consecutive numbers at the beginning, up to a limit."""
    count = 1
    while count < min(most, len(numbers)) and numbers[count] == numbers[0] + count:
        count += 1
    return count


class _TaggingTally:
    """Counts of answers, of which only the labels are kept."""

    def __init__(
        self, method: str, batch: ChainBatch, sentences: Sequence[TaggedSentence], console: Console
    ) -> None:
        self.method, self.batch, self.sentences, self.console = method, batch, sentences, console
        self.seconds = self.cpu = 0.0
        self.interrupted = False
        self.failed = self.proved = self.verified = self.words = self.looked_at = self.iterations = (
            self.answered
        ) = 0
        self.labels: dict[int, list[str]] = {}

    @property
    def decoded(self) -> int:
        """Number of sentences that were reached."""
        return self.answered + self.failed

    def take(self, first: int, found: gl.BatchResult[Any]) -> dict[int, gl.Result[Any]]:
        """Return the results of sentences from `first` on that were reached and did not fail; note the others."""
        results = {}
        for index, status in enumerate(found.statuses):
            error = found.errors.get(index)
            if error is not None:
                self.console.error(f"{self.method}: sentence {first + index}: {error}")
                self.failed += 1
            elif status is None or found[index].stop is gl.Stop.INTERRUPTED:
                self.interrupted = True
            else:
                results[first + index] = found[index]
        return results

    def add(self, number: int, result: gl.Result[Any]) -> None:
        """Verify an answer and count it."""
        verdict = result.verify(self.batch[number])
        if not verdict:
            self.console.error(f"{self.method}: sentence {number}: {verdict.location}: {verdict.reason}")
        length = len(self.sentences[number])
        self.answered += 1
        self.proved += result.proved
        self.verified += result.proved and bool(verdict)
        self.words += length
        self.looked_at += result.stats.columns or length * self.batch.model.label_count
        self.iterations += result.stats.iterations
        if result.solutions:
            names = self.batch.model.labels or ()
            self.labels[number] = [names[label] for label in result.best]

    def outcome(self, score: Scorer, cpu: float) -> Outcome:
        """Return the row of the table."""
        count = max(1, len(self.batch))
        gold, labels = [self.sentences[i].labels for i in self.labels], list(self.labels.values())
        return Outcome(
            self.method,
            decoded=self.decoded,
            accuracy=accuracy(gold, labels) * sum(map(len, gold)) / max(1, self.words),
            sentences_per_second=self.answered / max(cpu, 1e-9),
            proved=self.proved / count,
            verified=self.verified / count,
            mean_domain=self.looked_at / max(1, self.words),
            iterations=self.iterations / max(1, self.answered),
            seconds=self.seconds,
            scores=score(gold, labels) if gold else {},
        )


UNSEEN = -1
"""Number of a gold label that the model does not have: never predicted, always an error."""


def fingerprint(batch: ChainBatch, name: str) -> Fingerprint:
    """Compute a digest of sentences and model: a run continues only with the same ones."""
    model = batch.model
    ends = (model.transition, model.initial, model.final, model.labels)
    return Fingerprint.of(name, [ends, *(batch.rows(i) for i in range(len(batch)))])


def gold_numbers(tagger: Tagger, sentences: Sequence[TaggedSentence]) -> list[NDArray[np.int64]]:
    """Number each sentence's gold labels; `UNSEEN` for a label that the tagger does not have."""
    number = {label: i for i, label in enumerate(tagger.labels)}
    return [np.array([number.get(label, UNSEEN) for label in s.labels], np.int64) for s in sentences]
