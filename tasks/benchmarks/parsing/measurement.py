"""Measurements on one set of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.marks import Spread
from gapless.cli import Console
from gapless_dependency import ParsingProblem
from gapless_models.parsing import Sentence
from gapless_models.parsing.parser_model import ParserModel
from gapless_tasks.parsing.decoding import Parsed, parse_all
from gapless_tasks.parsing.sentence_arrays import SHORTEST, SentenceArrays, certified_seconds

METHOD = "split-bound"
LIMIT = 10.0
"""Seconds for a sentence."""


@attrs.frozen
class Decoded:
    """Sentences decoded a few times.

    Parameters
    ----------
    words_per_second : Spread
        CPU time of the search alone, over the rounds; see `decode` for sentences that were not proved.
    from_arrays : Spread
        The same from arrays of scores to results with their certificates, one sentence after another.
    oracle_calls, closed_at_root, proved : float or None
        Means over the sentences: calls, and shares in [0, 1].
    values : float64 (sentences,)
    """

    words_per_second: Spread
    from_arrays: Spread
    oracle_calls: float | None
    closed_at_root: float | None
    proved: float
    values: np.ndarray[Any, np.dtype[np.float64]]


def scored(parser: ParserModel, sentences: Sequence[Sentence], max_heads: int | None) -> list[ParsingProblem]:
    """Make problems with every score looked up: what is timed is the search."""
    return [prepared(parser.problem(sentence, max_heads=max_heads)) for sentence in sentences]


def prepared(problem: ParsingProblem) -> ParsingProblem:
    """Look up every score of a problem, and return it."""
    for factor in problem.conjunctions:
        factor.scores(np.arange(len(factor.scopes)))
    return problem


def decode(
    problems: Sequence[ParsingProblem],
    console: Console,
    title: str,
    *,
    method: str = METHOD,
    rounds: int = 1,
    options: Mapping[str, Any] | None = None,
) -> Decoded:
    """Decode every sentence within `LIMIT`, then those that were proved once more without a limit, for speed.

    Without limits a batch makes results on request only. A sentence that was not proved costs `LIMIT` in
    every round: else a hard one would hold up the whole measurement.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C: half a measurement is none.
    """

    def run(chosen: Sequence[ParsingProblem], limits: gl.Limits) -> Parsed:
        found = parse_all(chosen, method, console, title=title, options=options, limits=limits)
        if found.interrupted:
            raise KeyboardInterrupt
        return found

    parsed = run(problems, gl.Limits(time=LIMIT))
    easy = [problem for problem, sure in zip(problems, parsed.proved, strict=True) if sure]
    lost = LIMIT * (len(problems) - len(easy))
    words = sum(problem.length for problem in problems)
    arrays = [SentenceArrays.of(problem) for problem in easy]
    alone, whole = [], []
    for _ in range(rounds):
        # Under a limit on CPU time, such as a batch system's, Linux counts it in ticks: little work takes none.
        alone.append(words / max(run(easy, gl.Limits()).seconds + lost, SHORTEST))
        whole.append(words / max(certified_seconds(arrays, method, console, title, options) + lost, SHORTEST))
    return Decoded(
        Spread.of(alone),
        Spread.of(whole),
        parsed.mean("dp_calls"),
        _closed(parsed),
        float(parsed.proved.mean()) if len(parsed.proved) else 1.0,
        parsed.values,
    )


def _closed(parsed: Parsed) -> float | None:
    share = parsed.mean("root_closed")
    if share is not None:
        return share
    nodes = parsed.arrays.get("nodes")
    return None if nodes is None else float(np.mean(parsed.proved & (nodes <= 1)))
