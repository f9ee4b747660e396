"""Answers of one parser on one part of a treebank, with accuracy, proofs and speed, and as files."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.serial import write_aside
from gapless.cli import Console
from gapless.runs import Fingerprint, RunFolder
from gapless_dependency import ParsingProblem
from gapless_dependency.arc_diagram import draw_svg
from gapless_models.parsing import Attachment, Sentence, attachment
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.treebank import Treebank
from gapless_tasks.parsing import options
from gapless_tasks.parsing.decoding import Parsed, known, parse_all
from gapless_tasks.parsing.sentence_arrays import certified_rate

ANSWERS = "answers.jsonl"
"""The log of records, which decoding writes as answers become known."""


def keep_trees(out: Path, treebank: Treebank, parsed: Parsed) -> None:
    """Write the treebank with the heads found, and draw every tree."""
    known = (parsed.heads.get(i) for i in range(len(treebank.entries)))
    lines = (
        entry.with_heads(None if heads is None else heads.tolist())
        for entry, heads in zip(treebank.entries, known, strict=True)
    )
    write_aside(out / "predicted.conllu", "".join(lines))
    trees = out / "trees"
    trees.mkdir(exist_ok=True)
    for leftover in trees.glob("*.svg"):  # of an earlier run, about other sentences
        if leftover.stem.isdigit() and int(leftover.stem) - 1 not in parsed.heads:
            leftover.unlink()
    for i, heads in sorted(parsed.heads.items()):
        sentence = treebank.test[i]
        predicted = heads.tolist()
        labels = sentence.relations(predicted)
        svg = draw_svg(sentence.words, predicted, labels=labels, tags=sentence.tags, gold=sentence.heads or None)
        write_aside(trees / f"{i + 1}.svg", svg)


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
