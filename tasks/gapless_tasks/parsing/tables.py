"""Tables 2 and 3 and figures 4 and 5 of the paper beside ours, and the test whether the factors help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from gapless.cli import Console
from gapless.runs import RunFolder
from gapless_models.parsing.evaluation import bootstrap_p_value
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.treebank import Treebank
from gapless_tasks.parsing import options, paper
from gapless_tasks.parsing.decoding import LengthGroup, Parsed
from gapless_tasks.parsing.length_figures import Figure, Point
from gapless_tasks.parsing.outcome import Outcome, decode
from gapless_tasks.parsing.parser import ParserSource, Request
from gapless_tasks.stored_answers import file_name

PLOTLY_MISSING = "drawing figures 4 and 5 needs plotly: pip install 'gapless[report]'"

Curves = Mapping[str, Sequence[LengthGroup]]
"""The groups of each setting, by its name."""


def figures(curves: Curves) -> list[Figure]:
    """Build both figures."""
    return [
        _figure("figure4", "Figure 4: milliseconds a sentence, against its length", "milliseconds", curves, _time),
        _figure("figure5", "Figure 5: oracle calls a sentence, against its length", "oracle calls", curves, _calls),
    ]


def _figure(
    key: str, title: str, axis: str, curves: Curves, measure: Callable[[LengthGroup], float | None]
) -> Figure:
    points = {
        name: {group.longest: Point(measure(group), group.sentences) for group in groups}
        for name, groups in curves.items()
    }
    return Figure(key, title, axis, points)


def _time(group: LengthGroup) -> float | None:
    """Compute the mean milliseconds of a sentence; None for an empty group."""
    return 1000 * group.seconds / group.sentences if group.sentences else None


def _calls(group: LengthGroup) -> float | None:
    """Compute the mean oracle calls of a sentence; None where the method does not count them."""
    return None if group.calls is None or not group.sentences else group.calls / group.sentences


SPEEDS = ("words/s, from arrays", "words/s, search alone")
MEANINGS = (
    "from arrays: scores are there, problem, search and certificate are timed, on up to 100 sentences of the part; "
    "search alone: on problems that are laid out, without certificates; oracle calls: how often the dynamic "
    "program or the spanning tree search ran for a sentence; closed at root: proved without branching; proved: the "
    "search says so, and --verify checks its certificates"
)


def models(known: Sequence[str], projective: bool) -> list[tuple[paper.Row, tuple[str, ...]]]:
    """Return the rows of table 2 that can be trained, and the factors of each."""
    rows = []
    for row in paper.MODELS:
        families = tuple(name for name in row.families if name in known)
        if (families or not row.families) and (projective or not row.projective):
            rows.append((row, families))
    return rows


@attrs.define
class Tables:
    """Training and decoding for the tables, and their printing.

    Attributes
    ----------
    curves : dict of str to list of LengthGroup
        For the figures, from table 3.
    interrupted : bool
        Whether Ctrl-C ended the tables early; rows that were finished are printed.
    """

    source: ParserSource
    treebank: Treebank
    arguments: argparse.Namespace
    console: Console
    out: RunFolder | None
    curves: dict[str, list[LengthGroup]] = attrs.field(factory=dict, init=False)
    interrupted: bool = attrs.field(default=False, init=False)
    _full: ParserModel | None = attrs.field(default=None, init=False)

    @property
    def language(self) -> str | None:
        """The column of the paper's tables for the treebank."""
        return paper.language(self.treebank.name)

    def show(self) -> dict[str, Any]:
        """Print both tables; return them as JSON data."""
        document: dict[str, Any] = {"table2": [], "table3": [], "significance": []}
        try:
            dev = self._models(document["table2"])
            self._significance(dev, document["significance"])
            if self._full is not None:
                self._prunings(self._full, document["table3"])
        except KeyboardInterrupt:
            self.interrupted = True
        if self.interrupted:
            self.console.error("interrupted: the tables show the finished part")
        return document

    def _models(self, found: list[dict[str, Any]]) -> dict[str, Outcome]:
        """Print table 2; return the answers of each model on the development part."""
        dev: dict[str, Outcome] = {}
        if not self.arguments.projective:
            for row in paper.MODELS:
                if row.projective:
                    self.console.info(f"{row.name} is left out: its dynamic program is over projective trees")
        names = options.rows(self.arguments.rows)
        excluded = ", ".join(row.name for row in paper.MODELS if row.name not in names)
        if excluded:
            self.console.info(f"left out of table 2 by --rows: {excluded}")
        for row, families in models(self.source.families, self.arguments.projective):
            if row.name not in names:
                continue
            try:
                request = Request.of(self.arguments, families)
                parser = self.source.parser(self.treebank, request, self._file(row), self.arguments, self.console)
                for part, sentences in (("dev", self.treebank.dev), ("test", self.treebank.test)):
                    outcome, _ = decode(
                        parser,
                        sentences,
                        self.arguments,
                        self.console,
                        out=self.out,
                        log=f"tables/{file_name(row.name)}.{part}.jsonl",
                        title=f"{row.name}, {part}",
                        max_heads=self.arguments.max_heads,
                    )
                    if outcome.parsed.interrupted:
                        raise KeyboardInterrupt
                    if part == "dev":
                        dev[row.name] = outcome
            except KeyboardInterrupt:
                self.interrupted = True
                break
            entry = {
                "model": row.name,
                "dev_uas": dev[row.name].document()["uas"],
                **outcome.document(),
                "paper": getattr(row, self.language) if self.language else None,
            }
            found.append(entry)
            if row.name == paper.FULL:
                self._full = parser
        self.console.table(
            f"Table 2: UAS without punctuation, from {len(self.treebank.train):,} training sentences (the paper's: "
            f"40,000 of English, 16,000 of Chinese){excluded and f'; without {excluded}'}",
            ("model", "dev %", "test %", "(paper)", "proved %", *SPEEDS, "oracle calls"),
            [(entry["model"], _percent(entry["dev_uas"]), *_measured(entry, entry["paper"])) for entry in found],
        )
        self.console.info(
            "the rows with a + add their factors to the first-order model, the paper's to its second-order one: "
            "the numbers beside each other are of different models"
        )
        self.console.info()
        return dev

    def _significance(self, dev: dict[str, Outcome], found: list[dict[str, Any]]) -> None:
        """Compare the full model with the baselines on the development part."""
        full = dev.get(paper.FULL)
        if full is None or not self.treebank.dev:
            return
        for row in paper.MODELS:
            if row.baseline and row.name in dev:
                than = dev[row.name]
                lead = full.accuracy.uas_without_punctuation - than.accuracy.uas_without_punctuation
                heads = [
                    [outcome.parsed.heads.get(i) for i in range(len(self.treebank.dev))] for outcome in (full, than)
                ]
                p = bootstrap_p_value(self.treebank.dev, *heads, punctuation=False)
                found.append({"than": row.name, "lead": lead, "p": p})
                self.console.info(
                    f"dev: {paper.FULL} is {100 * lead:+.2f} UAS points (without punctuation) from {row.name}, "
                    f"p = {p:.2g} (paired bootstrap over sentences)"
                )
        self.console.info()

    def _prunings(self, parser: ParserModel, found: list[dict[str, Any]]) -> None:
        """Print table 3, with the full model."""
        for row in paper.PRUNINGS:
            outcome, _ = decode(
                parser,
                self.treebank.test,
                self.arguments,
                self.console,
                out=self.out,
                log=f"tables/{file_name(row.name)}.jsonl",
                title=row.name,
                max_heads=row.max_heads,
            )
            if outcome.parsed.interrupted:
                self.interrupted = True
                break
            self.curves[row.name] = list(outcome.parsed.groups)
            names = [] if self.language is None else [self.language, f"{self.language}_speed"]
            printed = [getattr(row, name) for name in names] or [None, None]
            found.append({"pruning": row.name, **outcome.document(), "paper": printed})
        self.console.table(
            "Table 3: UAS without punctuation and speed by candidate heads of a word",
            ("pruning", "UAS %", "(paper)", "proved %", *SPEEDS, "(paper)", "oracle calls"),
            [
                (entry["pruning"], *_measured(entry, entry["paper"][0], _number(entry["paper"][1], ".0f")))
                for entry in found
            ],
        )
        if self.language is not None:
            self.console.info(f"the paper needs {paper.CALLS[self.language]} oracle calls without pruning")
        self.console.info()

    def _file(self, row: paper.Row) -> Path | None:
        """Return the file of a model of table 2, beside the one of ``--model``."""
        if not self.arguments.model:
            return None
        stored = Path(self.arguments.model)
        return stored.with_name(f"{stored.stem}.{file_name(row.name)}{stored.suffix}")


def speeds(known: Mapping[str, Any]) -> tuple[str, str]:
    """Format words a second: from arrays (empty with several processes), and of the search alone."""
    return _number(known["certified_words_per_second"], ",.0f"), _number(known["words_per_second"], ",.0f")


def show_exact_parsing(
    title: str,
    shares: Mapping[str, float | None],
    entry: Mapping[str, Any],
    headings: Sequence[str],
    console: Console,
) -> None:
    """Print the line of an exactly parsed test part: shares by heading, both speeds, and the work of the search."""
    calls, closed = entry["oracle_calls"], entry["closed_at_root"]
    row = [
        *("" if share is None else round(100 * share, 2) for share in shares.values()),
        *speeds(entry),
        "" if calls is None else round(calls, 1),
        "" if closed is None else round(100 * closed, 1),
    ]
    console.table(title, [*shares, *headings, "oracle calls", "closed at root %"], [row])


def show_verified(parsed: Parsed, console: Console) -> None:
    """Print how many certificates were verified, if any were to be."""
    if parsed.verified is not None:
        console.info(f"certificates verified: {int(parsed.verified.sum())} of {parsed.reached}")


def _measured(entry: Mapping[str, Any], beside: float | None, *speed: str) -> tuple[str, ...]:
    """Format accuracy and the paper's, proofs, speeds with the paper's if it has one, oracle calls."""
    accuracy = _percent(entry["uas"]), _number(beside, ".2f"), f"{100 * entry['proved']:.1f}"
    return (*accuracy, *speeds(entry), *speed, _number(entry["oracle_calls"], ".1f"))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2f}"


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
