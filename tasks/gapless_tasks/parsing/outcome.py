"""Answers of one parser on one part of a treebank, with accuracy, proofs and speed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless.runs import Fingerprint, RunFolder
from gapless_dependency import ParsingProblem
from gapless_models.parsing import Attachment, Sentence, attachment
from gapless_models.parsing.parser_model import ParserModel
from gapless_tasks.parsing import options
from gapless_tasks.parsing.answers import ANSWERS
from gapless_tasks.parsing.decoding import parse_all
from gapless_tasks.parsing.from_arrays import certified_rate
from gapless_tasks.parsing.parsed import Parsed, known


@attrs.frozen
class Outcome:
    """The answers of one parser on one part of a treebank.

    Parameters
    ----------
    accuracy : Attachment
        Of the sentences that have a gold tree.
    scoring_seconds : float
        CPU time of looking up the features' weights.
    certified_words_per_second : float or None
        CPU time from arrays of scores to results with their certificates; None with several processes.
    """

    accuracy: Attachment
    parsed: Parsed
    scoring_seconds: float
    certified_words_per_second: float | None

    def document(self) -> dict[str, Any]:
        """Return the outcome as JSON data."""
        return {
            **self.parsed.document(),
            "scored": len(self.accuracy.words),
            "uas": known(self.accuracy.uas_without_punctuation),
            "uas_with_punctuation": known(self.accuracy.uas),
            "whole_trees": known(self.accuracy.whole_trees),
            "certified_words_per_second": self.certified_words_per_second,
            "scoring_seconds": self.scoring_seconds,
            "decoding_seconds": self.parsed.seconds,
            "nodes": self.parsed.mean("nodes"),
            "interrupted": self.parsed.interrupted,
        }


def decode(
    parser: ParserModel,
    sentences: Sequence[Sentence],
    arguments: argparse.Namespace,
    console: Console,
    *,
    out: RunFolder | None = None,
    log: str = ANSWERS,
    verify: bool = False,
    title: str = "parsing",
    max_heads: int | None,
) -> tuple[Outcome, list[ParsingProblem]]:
    """Score and parse sentences, and keep the answers in a log of the run's folder."""
    method = options.method_of(arguments)
    start = time.process_time()
    problems = []
    with console.progress("scoring", len(sentences)) as advance:
        for sentence in sentences:
            problem = parser.problem(sentence, max_heads=max_heads)
            for scored in problem.conjunctions:
                scored.scores(np.arange(len(scored.scopes)))  # now: decoding is timed apart from scoring
            problems.append(problem)
            advance(1)
    seconds = time.process_time() - start
    if out is not None:
        out.about(f"scores for {log}", fingerprint(problems, title))
    parsed = parse_all(
        problems,
        method,
        console,
        title=title,
        options=options.method_options(arguments),
        limits=gl.Limits(time=arguments.limit_seconds),
        jobs=arguments.jobs,
        verify=verify,
        log=None if out is None else out.log(log, records=log == ANSWERS),
        sentences=sentences,
    )
    certified = None
    if arguments.jobs == 1 and not parsed.interrupted:
        certified = certified_rate(
            [problem for i, problem in enumerate(problems) if i in parsed.heads],
            method,
            console,
            title,
            options=options.method_options(arguments),
            limits=gl.Limits(time=arguments.limit_seconds),
            out=out,
            key=log,
        )
    return Outcome(accuracy(sentences, parsed), parsed, seconds, certified), problems


def accuracy(sentences: Sequence[Sentence], parsed: Parsed) -> Attachment:
    """Compare trees with the gold ones; after Ctrl-C, those of the sentences that have a tree."""
    decoded = parsed.heads if parsed.interrupted else range(len(sentences))
    gold = [i for i, sentence in enumerate(sentences) if sentence.heads and i in decoded]
    return attachment([sentences[i] for i in gold], [parsed.heads.get(i) for i in gold])


def fingerprint(problems: Sequence[ParsingProblem], name: str) -> Fingerprint:
    """Compute a digest of sentences and parser: a run continues only with the same ones."""
    everything = [
        (problem.scores, [scored.scores(np.arange(len(scored.scopes))) for scored in problem.conjunctions])
        for problem in problems
    ]
    return Fingerprint.of(name, everything)
