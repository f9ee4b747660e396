"""Decoding a text by one method, and verifying every answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.core.serial import write_aside
from gapless_chains import ChainBatch
from gapless_tasks.tagging import TaggedSentence
from gapless_tasks.tagging_job.evaluation import accuracy
from gapless_tasks.tagging_job.measuring import cpu_seconds

Scorer = Callable[[Sequence[Sequence[str]], Sequence[Sequence[str]]], Mapping[str, float]]
"""``score(gold labels, found labels)`` gives named scores beyond the share of words that are right."""


SHORT_SECONDS = 1.0
PASSES = 3
"""A shorter pass is timed again so often, warm: the first one fills tables that all later texts share."""
LARGE = 200_000_000
"""Bytes of answers beyond which ``--out`` warns."""


@attrs.frozen
class Outcome:
    """One row of the table: what one method did on the test part.

    Parameters
    ----------
    method : str
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
    scores : mapping of str to float
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
    out: Path | None,
) -> Outcome:
    """Decode every sentence, then verify every answer.

    Parameters
    ----------
    method : str
    batch : ChainBatch
        What is asked about `sentences`.
    sentences : sequence of TaggedSentence
        With their gold labels.
    score : callable
        See `Scorer`.
    console : Console
        Complains about each answer that fails.
    jobs : int
        Processes.
    out : Path or None
        A folder, which gets ``METHOD.jsonl``: every answer with its certificate.
    """
    start, cpu_start = time.perf_counter(), time.process_time()
    found = gl.solve_many(batch, method, jobs=jobs)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    for number, error in found.errors.items():
        console.complain(f"{method}: sentence {number}: {error}")
    held = {i: found[i] for i, status in enumerate(found.statuses) if status is not None}
    results = {i: result for i, result in held.items() if result.stop is not gl.Stop.INTERRUPTED}
    if jobs > 1:
        cpu = seconds  # the CPU clock of this process does not see the others
    elif cpu < SHORT_SECONDS and len(results) == len(batch):
        cpu = cpu_seconds({method: partial(gl.solve_many, batch, method)}, PASSES)[method]
    verified = 0
    lines: list[str] = []
    with console.progress(f"verifying {method}", len(results)) as advance:
        for number, result in results.items():
            problem = batch[number]
            verdict = result.verify(problem)
            verified += result.proved and bool(verdict)
            if not verdict:
                console.complain(f"{method}: sentence {number}: {verdict.place}: {verdict.reason}")
            if out is not None:
                lines.append(gl.dumps(gl.Record(problem, result, f"sentence {number}")) + "\n")
                expected = len(lines[0]) * len(results)
                if len(lines) == 1 and expected > LARGE:
                    console.complain(
                        f"{method}: --out writes about {expected / 1e6:,.0f} MB: each of {len(results)} records "
                        "holds the whole model's transitions; --sentences N keeps fewer"
                    )
            advance(1)
    if out is not None:
        write_aside(out / f"{method}.jsonl", "".join(lines))
    names = batch.model.labels or ()
    answered = [i for i, result in results.items() if result.solutions]
    gold = [sentences[i].labels for i in answered]
    labels = [[names[label] for label in results[i].best] for i in answered]
    words = sum(len(sentences[i]) for i in results)
    stats = [result.stats for result in results.values()]
    looked_at = [
        result.stats.columns or len(sentences[i]) * batch.model.label_count for i, result in results.items()
    ]
    return Outcome(
        method,
        decoded=len(results) + len(found.errors.keys() - results.keys()),
        accuracy=accuracy(gold, labels) * sum(map(len, gold)) / max(1, words),
        sentences_per_second=len(results) / cpu,
        proved=found.proved,
        verified=verified / max(1, len(batch)),
        mean_domain=sum(looked_at) / max(1, words),
        iterations=float(np.mean([s.iterations for s in stats])) if stats else 0.0,
        seconds=seconds,
        scores=score(gold, labels) if gold else {},
    )
