"""What is measured on one set of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless_dependency import ParsingProblem
from gapless_tasks.chain_benchmark.stopwatch import Spread
from gapless_tasks.dependency_parsing.decoding import Parsed, parse_all
from gapless_tasks.dependency_parsing.parser import Parser
from gapless_tasks.parsing import Sentence

METHOD = "split-bound"
LIMIT = 10.0
"""Seconds for a sentence."""


@attrs.frozen
class Decoded:
    """Sentences decoded a few times.

    Parameters
    ----------
    words_per_second : Spread
        CPU time, over the rounds.
    oracle_calls, closed_at_root, proved : float or None
        Means over the sentences: calls, and shares in [0, 1].
    values : float64 (sentences,)
    hardest : float
        Milliseconds a sentence, in the slowest group of lengths.
    """

    words_per_second: Spread
    oracle_calls: float | None
    closed_at_root: float | None
    proved: float
    values: np.ndarray[Any, np.dtype[np.float64]]
    hardest: float


def scored(parser: Parser, sentences: Sequence[Sentence], heads_kept: int | None) -> list[ParsingProblem]:
    """Problems with every score looked up: what is timed is the search."""
    return [prepared(parser.problem(sentence, heads_kept=heads_kept)) for sentence in sentences]


def prepared(problem: ParsingProblem) -> ParsingProblem:
    """The problem with every score looked up."""
    for factor in problem.conjunctions:
        factor.scores(np.arange(len(factor.scopes)))
    return problem


def decode(
    problems: Sequence[ParsingProblem],
    console: Console,
    title: str,
    *,
    rounds: int = 1,
    options: Mapping[str, Any] | None = None,
) -> Decoded:
    """Decode, with `LIMIT` for each sentence.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C: half a measurement is none.
    """
    rates: list[float] = []
    for _ in range(rounds):
        parsed = parse_all(problems, METHOD, console, title=title, options=options, limits=gl.Limits(time=LIMIT))
        if parsed.interrupted:
            raise KeyboardInterrupt
        rates.append(parsed.words_per_second)
    return Decoded(
        Spread.of(rates),
        parsed.mean("dp_calls"),
        _closed(parsed),
        float(parsed.proved.mean()) if len(parsed.proved) else 1.0,
        parsed.values,
        max((1000 * group.seconds / group.sentences for group in parsed.groups), default=0.0),
    )


def _closed(parsed: Parsed) -> float | None:
    told = parsed.mean("root_closed")
    if told is not None:
        return told
    nodes = parsed.arrays.get("nodes")
    return None if nodes is None else float(np.mean(parsed.proved & (nodes <= 1)))
