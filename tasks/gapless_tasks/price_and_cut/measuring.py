"""Systems of the tables, and one of them on the sentences of a test part: speed, parts, objectives, accuracy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.cli import Console
from gapless.runs import AnswerLog
from gapless_dependency import ParsingProblem
from gapless_models.parsing import Attachment, Sentence
from gapless_models.price_and_cut import GrandparentModel
from gapless_tasks.parsing.decoding import Parsed, group_index, known, parse_all
from gapless_tasks.parsing.length_figures import Point
from gapless_tasks.parsing.outcome import accuracy
from gapless_tasks.price_and_cut import paper


@attrs.frozen
class System:
    """A column of the paper's tables, or one of ours.

    Parameters
    ----------
    method : str
        As `gapless.solve` takes it.
    options : tuple of (str, value)
    relaxation : bool
        Whether it solves a linear program and says its objective; else it searches for the best tree.
    paper : str or None
        The paper's column.
    """

    name: str
    method: str
    options: tuple[tuple[str, Any], ...] = ()
    relaxation: bool = True
    paper: str | None = None

    @property
    def method_options(self) -> Mapping[str, Any]:
        """The options as `gapless.solve` takes them."""
        return dict(self.options)


@attrs.frozen
class Systems:
    """Systems of the tables, and the one that parses the whole test part.

    Parameters
    ----------
    exact : System
        Parses the whole test part.
    table_1, table_2 : tuple of System
        The first of each is what speeds are relative to.
    at_most : tuple of (System, System)
        The objective of the first is at most that of the second, on every sentence.
    """

    exact: System
    table_1: tuple[System, ...]
    table_2: tuple[System, ...]
    at_most: tuple[tuple[System, System], ...] = ()


def _full(name: str, rows: str, *, tree: str = "flow", column: str | None = None) -> System:
    return System(name, "lp-full", (("rows", rows), ("tree", tree)), paper=column)


EXACT = System("lagrangian-cut", "lagrangian-cut", relaxation=False)
_BRUTE_FORCE = _full("brute force", "all", column=paper.BRUTE_FORCE)
_PAPER = System("parse, price and cut", "price-and-cut", (("variant", "paper"),), paper=paper.PRICE_AND_CUT)
_OURS = System("price-and-cut, ours", "price-and-cut", (("fix", False),))
_ARC_ROWS = _full("GPArc + ArcGP", "arcgp-gparc", column=paper.ARC_ROWS)
_HEAD_ROWS = _full("OneGP + NoGP", "onegp-nogp", column=paper.HEAD_ROWS)
_ALL_ROWS = _full("all", "all", column=paper.ALL_ROWS)
_LEAN = _full("lean, cut-sets", "lean", tree="cut-sets")

SHIPPED = Systems(
    EXACT,
    (_BRUTE_FORCE, _PAPER, _OURS, EXACT),
    (_ARC_ROWS, _HEAD_ROWS, _ALL_ROWS, _LEAN),
    (
        *((_PAPER, _BRUTE_FORCE), (_BRUTE_FORCE, _PAPER), (EXACT, _LEAN), (_OURS, _LEAN), (_LEAN, _OURS)),
        *((_LEAN, _BRUTE_FORCE), (_ALL_ROWS, _ARC_ROWS), (_ALL_ROWS, _HEAD_ROWS)),
    ),
)
"""Cut-sets are tighter than the flow, all rows together than some; ours solves the lean program with cut-sets."""


AT_ONCE = 20
"""Sentences of one call, at most: their grandparent parts are in memory together."""
_TOLERANCE = 1e-6
_FINISHED = frozenset({gl.Stop.PROVED, gl.Stop.RELAXED})
"""The stop of a solver that has reached its goal."""


class Problems(Sequence[ParsingProblem]):
    """Problems of sentences, built anew at each access, so that nothing of them is scored yet."""

    def __init__(self, model: GrandparentModel, sentences: Sequence[Sentence]) -> None:
        self.model, self.sentences = model, sentences

    def __len__(self) -> int:
        return len(self.sentences)

    @overload
    def __getitem__(self, i: int) -> ParsingProblem: ...
    @overload
    def __getitem__(self, i: slice) -> Problems: ...
    def __getitem__(self, i: int | slice) -> ParsingProblem | Problems:
        """Return the problem of a sentence."""
        if isinstance(i, slice):
            return Problems(self.model, self.sentences[i])
        return self.model.problem(self.sentences[i])

    def __iter__(self) -> Iterator[ParsingProblem]:
        return map(self.model.problem, self.sentences)


@attrs.frozen(eq=False)
class Measured:
    """The answers of one system.

    Parameters
    ----------
    accuracy : Attachment
        Of the sentences that have a gold tree.
    scored, added, total : float64 (sentences,)
        Grandparent parts; NaN where a sentence was not reached.
    objective : float64 (sentences,)
        Of the linear program, or the value of the best tree; NaN where the solver did not finish.
    integral : bool (sentences,)
        Whether the solution of the linear program is a tree.
    """

    system: System
    parsed: Parsed
    accuracy: Attachment
    scored: FloatArray
    added: FloatArray
    total: FloatArray
    objective: FloatArray
    integral: BoolArray

    @property
    def sentences(self) -> int:
        """Number of sentences asked for; `parsed` says how many were reached."""
        return len(self.total)

    @property
    def sentences_per_second(self) -> float:
        """Sentences a second of CPU time, by the clock with ``--jobs``; includes scoring parts, but not arcs."""
        return self.parsed.reached / max(self.parsed.seconds, 1e-9)

    @property
    def finished(self) -> BoolArray:
        """The sentences with an objective, bool (sentences,)."""
        return ~np.isnan(self.objective)

    def share(self, parts: FloatArray) -> float | None:
        """Compute `scored` or `added` relative to all parts of the sentences that were reached."""
        total = float(np.nansum(self.total))
        return float(np.nansum(parts)) / total if total else None

    def points(self, parts: FloatArray) -> dict[int, Point]:
        """Compute the share in percent by length of sentences."""
        groups = group_index(self.parsed.lengths)
        by_length = {}
        for longest in np.unique(groups[~np.isnan(self.total)]).tolist():
            members = groups == longest
            total = float(np.nansum(self.total[members]))
            value = 100 * float(np.nansum(parts[members])) / total if total else None
            by_length[longest] = Point(value, int(np.count_nonzero(members)))
        return by_length

    def document(self) -> dict[str, Any]:
        """Return the answers as JSON data."""
        count = max(self.parsed.reached, 1)
        return {
            **self.parsed.document(),
            "system": self.system.name,
            "method": self.system.method,
            "options": dict(self.system.options),
            "sentences_per_second": self.sentences_per_second,
            "scopes_scored": self.share(self.scored),
            "scopes_added": self.share(self.added),
            "objective": float(self.objective[self.finished].mean()) if self.finished.any() else None,
            "integral": float(self.integral.sum()) / count if self.system.relaxation else None,
            "uas": known(self.accuracy.uas),
            "uas_without_punctuation": known(self.accuracy.uas_without_punctuation),
            "unfinished": self.parsed.reached - int(self.finished.sum()),
            "refuted": self.parsed.refuted,
        }


def measure(
    system: System,
    model: GrandparentModel,
    sentences: Sequence[Sentence],
    console: Console,
    *,
    title: str,
    limits: gl.Limits,
    verify: bool = False,
    jobs: int = 1,
    log: AnswerLog | None = None,
) -> Measured:
    """Decode every sentence from parts without scores.

    Parameters
    ----------
    title : str
        Of the progress.
    limits : Limits
        For each sentence.
    verify : bool
        Check every certificate.
    jobs : int
        Processes.
    log : AnswerLog, optional
        Gets the answers; those that it has are not decoded again.
    """
    parsed = parse_all(
        Problems(model, sentences),
        system.method,
        console,
        title=title,
        options=system.method_options,
        limits=limits,
        jobs=jobs,
        verify=verify,
        keep=True,
        sentences=sentences,
        chunk_size=AT_ONCE,
        log=log,
    )
    scored, added, total, objective = np.full((4, len(sentences)), np.nan)
    integral = np.zeros(len(sentences), bool)
    for i, result in parsed.results.items():
        stats = result.stats
        scored[i], added[i], total[i] = stats.scopes_scored, stats.scopes_added, stats.scopes_total
        if result.stop not in _FINISHED:
            continue
        if system.relaxation:
            objective[i] = stats.extra.get("objective", math.nan)
            integral[i] = bool(stats.extra.get("integral", False))
        else:
            objective[i] = result.value
    return Measured(system, parsed, accuracy(sentences, parsed), scored, added, total, objective, integral)


def disagreements(measured: Mapping[System, Measured], at_most: Sequence[tuple[System, System]]) -> list[str]:
    """Return sentences about objectives that cannot both be right.

    Parameters
    ----------
    measured : mapping of System to Measured
        About the same sentences.
    at_most : sequence of (System, System)
        See `Systems`.
    """
    messages = []
    for lower, upper in at_most:
        if lower not in measured or upper not in measured:
            continue
        smaller, other = measured[lower].objective, measured[upper].objective
        above = smaller - other - _TOLERANCE * np.maximum(1.0, np.abs(other))
        if np.nanmax(above, initial=0.0) > 0.0:
            i = int(np.nanargmax(above))
            messages.append(
                f"test sentence {i + 1} of those in the tables: {lower.name} has the objective {smaller[i]}, "
                f"{upper.name} only {other[i]}"
            )
    return messages
