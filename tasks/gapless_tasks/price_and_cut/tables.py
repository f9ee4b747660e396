"""Tables 1 and 2 of the paper beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gapless.cli import Console
from gapless_tasks.parsing.length_figures import Figure
from gapless_tasks.price_and_cut import paper
from gapless_tasks.price_and_cut.measuring import Measured
from gapless_tasks.price_and_cut.paper import UNKNOWN, Numbers
from gapless_tasks.price_and_cut.systems import System

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
    """Print table 1; returns it as JSON data."""
    columns = (
        *("treebank", "system", _SPEED, "speed % of BF", "parts scored %", "parts added %", "objective % of BF"),
        *("integral %", "UAS %", "without punct. %", "proved %"),
    )
    cells, document = [], []
    for treebank, one, entry, beside in _entries(rows, paper.TABLE_1):
        cells.append(
            (
                treebank,
                one.system.name,
                _rate(one.sentences_per_second),
                _percent(entry["speed"], beside.speed),
                _percent(entry["parts_scored"], beside.scored),
                _percent(entry["parts_added"], beside.added),
                _percent(entry["objective_relative"], 1.0 if beside.speed else None, 4),
                _percent(entry["integral"], beside.integral, 1),
                _percent(entry["uas"], beside.uas, 1),
                _percent(entry["uas_without_punctuation"], None, 1),
                _percent(entry["proved"], None, 1),
            )
        )
        document.append(entry)
    console.table("Table 1: brute force (BF) against parse, price and cut", columns, cells)
    console.say(MEANINGS)
    console.say()
    return document


def table_2(rows: Rows, console: Console) -> list[dict[str, Any]]:
    """Print table 2; returns it as JSON data."""
    cells, document = [], []
    for treebank, one, entry, beside in _entries(rows, paper.TABLE_2):
        cells.append(
            (
                treebank,
                one.system.name,
                _rate(one.sentences_per_second),
                _percent(entry["speed"], beside.speed),
                _percent(entry["integral"], beside.integral, 1),
                _percent(entry["uas"], beside.uas, 1),
                _percent(entry["uas_without_punctuation"], None, 1),
            )
        )
        document.append(entry)
    columns = ("treebank", "rows", _SPEED, "speed %", "integral %", "UAS %", "without punct. %")
    console.table("Table 2: outer bounds of the grandparent polytope", columns, cells)
    if any(paper.language(treebank) == "hungarian" for treebank, _ in rows):
        console.say(
            "the paper's part b is Hungarian by its text, Danish by its caption; it is printed as Hungarian"
        )
    console.say()
    return document


def _entries(
    rows: Rows, printed: Mapping[str, Mapping[str, Numbers]]
) -> list[tuple[str, Measured, dict[str, Any], Numbers]]:
    """Each system with its JSON data and the paper's numbers."""
    found = []
    for treebank, systems in rows:
        columns = printed.get(paper.language(treebank) or "", {})
        for one in systems:
            entry = {"treebank": treebank, **one.document(), **_relative(one, systems[0])}
            found.append((treebank, one, entry, columns.get(one.system.paper or "", UNKNOWN)))
    return found


def _relative(one: Measured, first: Measured) -> dict[str, float | None]:
    """Speed and objective relative to the first system, the objective on sentences that both finished."""
    both = one.finished & first.finished
    whole = float(first.objective[both].sum())
    return {
        "speed": one.sentences_per_second / first.sentences_per_second if first.parsed.reached else None,
        "objective_relative": float(one.objective[both].sum()) / whole if whole else None,
    }


def figures(treebank: str, measured: Mapping[System, Measured], systems: Sequence[System]) -> list[Figure]:
    """The share of parts that the systems score and add, against the length of sentences.

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


def speeds(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Words a second: from arrays of all scores to certificates, and of the search, which scores as it goes."""
    known = entry["certified_words_per_second"]
    return "" if known is None else _rate(known), _rate(entry["words_per_second"])


def _rate(value: float) -> str:
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def _percent(share: float | None, beside: float | None, digits: int = 0) -> str:
    """In percent, with the paper's."""
    ours = "" if share is None else f"{100 * share:,.{digits}f}"
    return ours if beside is None else f"{ours} ({100 * beside:,.0f})"
