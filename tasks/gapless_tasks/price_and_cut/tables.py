"""Tables 1 and 2 of the paper beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gapless.cli import Console
from gapless_tasks.parsing.length_figures import Figure
from gapless_tasks.price_and_cut import paper
from gapless_tasks.price_and_cut.measuring import Measured, System
from gapless_tasks.price_and_cut.paper import UNKNOWN, Numbers

Rows = Sequence[tuple[str, Sequence[Measured]]]
"""The name of a treebank, and the answers of its systems."""

_SPEED = "sent./s"
SPEEDS = ("words/s, all parts given, with certificates", "words/s, parts as needed, without")
MEANINGS = (
    "in parentheses the paper's; sent./s: CPU time of one core (with --jobs by the clock), in which grandparent "
    "parts are scored; proved: the tree is the best one, which a relaxation proves only where its bound meets one "
    "(--verify checks the certificates)"
)


def table_1(rows: Rows, console: Console) -> list[dict[str, Any]]:
    """Print table 1; return it as JSON data."""
    columns = (
        *("treebank", "system", _SPEED, "speed % of BF", "parts scored %", "parts added %", "objective % of BF"),
        *("integral %", "UAS %", "without punct. %", "proved %"),
    )
    entries = _entries(rows, paper.TABLE_1)
    cells = []
    for treebank, measured, entry, printed in entries:
        name, rate, speed, *accuracy = _cells(measured, entry, printed)
        parts = (
            _percent(entry["scopes_scored"], printed.scored),
            _percent(entry["scopes_added"], printed.added),
            _percent(entry["objective_relative"], 1.0 if printed.speed else None, 4),
        )
        cells.append((treebank, name, rate, speed, *parts, *accuracy, _percent(entry["proved"], None, 1)))
    console.table("Table 1: brute force (BF) against parse, price and cut", columns, cells)
    console.info(MEANINGS)
    console.info()
    return [entry for _, _, entry, _ in entries]


def table_2(rows: Rows, console: Console) -> list[dict[str, Any]]:
    """Print table 2; return it as JSON data."""
    entries = _entries(rows, paper.TABLE_2)
    cells = [(treebank, *_cells(measured, entry, printed)) for treebank, measured, entry, printed in entries]
    columns = ("treebank", "rows", _SPEED, "speed %", "integral %", "UAS %", "without punct. %")
    console.table("Table 2: outer bounds of the grandparent polytope", columns, cells)
    if any(paper.language(treebank) == "hungarian" for treebank, _ in rows):
        console.info(
            "the paper's part b is Hungarian by its text, Danish by its caption; it is printed as Hungarian"
        )
    console.info()
    return [entry for _, _, entry, _ in entries]


def _cells(measured: Measured, entry: Mapping[str, Any], printed: Numbers) -> list[str]:
    """Format the columns of both tables: system, speeds, integral answers, accuracy."""
    return [
        measured.system.name,
        _rate(measured.sentences_per_second),
        _percent(entry["speed"], printed.speed),
        _percent(entry["integral"], printed.integral, 1),
        _percent(entry["uas"], printed.uas, 1),
        _percent(entry["uas_without_punctuation"], None, 1),
    ]


def _entries(
    rows: Rows, printed: Mapping[str, Mapping[str, Numbers]]
) -> list[tuple[str, Measured, dict[str, Any], Numbers]]:
    """Pair each system with its JSON data and the paper's numbers."""
    entries = []
    for treebank, systems in rows:
        columns = printed.get(paper.language(treebank) or "", {})
        for measured in systems:
            entry = {"treebank": treebank, **measured.document(), **_relative(measured, systems[0])}
            entries.append((treebank, measured, entry, columns.get(measured.system.paper or "", UNKNOWN)))
    return entries


def _relative(one: Measured, first: Measured) -> dict[str, float | None]:
    """Compare speed and objective with the first system's, the objective on sentences that both finished."""
    both = one.finished & first.finished
    total = float(first.objective[both].sum())
    return {
        "speed": one.sentences_per_second / first.sentences_per_second if first.parsed.reached else None,
        "objective_relative": float(one.objective[both].sum()) / total if total else None,
    }


def figures(treebank: str, measured: Mapping[System, Measured], systems: Sequence[System]) -> list[Figure]:
    """Build figures of the share of parts that the systems score and add, against the length of sentences.

    The first system, brute force, scores and adds all of them.
    """
    lazy = [measured[system] for system in systems[1:] if system in measured]
    return [
        Figure(
            f"{kind}_{treebank}",
            f"{treebank}: parts {kind}, % of all, against the length of sentences",
            "% of the parts",
            {one.system.name: one.points(getattr(one, kind)) for one in lazy},
        )
        for kind in ("scored", "added")
    ]


def _rate(value: float) -> str:
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def _percent(share: float | None, beside: float | None, digits: int = 0) -> str:
    """Format a share in percent, with the paper's."""
    ours = "" if share is None else f"{100 * share:,.{digits}f}"
    return ours if beside is None else f"{ours} ({100 * beside:,.0f})"
