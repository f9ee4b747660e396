"""The folder of a run apart from its answers: its manifest, tables, documents and figures."""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gapless.core.errors import InvalidProblem
from gapless.runs import TABLES, Manifest

_FIGURES, _FIGURE_BYTES = 24, 4_000_000
_BARS = set("# ▁▂▃▄▅▆▇█▏▎▍▌▋▊▉░▒▓")
_DOCUMENT_LETTERS = 60_000
"""Limit on the characters of a JSON document that is shown."""


def _load(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, RecursionError, ValueError) as error:
        raise InvalidProblem(f"{file}: cannot be read as JSON ({error})") from error


def _stored(folder: Path | None) -> Mapping[str, Any]:
    file = None if folder is None else folder / TABLES
    document = _load(file) if file is not None and file.is_file() else {}
    if not isinstance(document, dict) or not isinstance(document.get("tables", []), list):
        raise InvalidProblem(f"{file}: expected the tables of a run, as `gapless run --out` writes them")
    return document


def about(folder: Path | None) -> Mapping[str, Any]:
    """Facts about the run of a folder: task, arguments, version, start, seconds.

    Raises `InvalidProblem`: a document cannot be read; the message names the file.
    """
    manifest = None if folder is None else Manifest.load(folder)
    known: dict[str, Any] = {}
    if manifest is not None:
        known = {"task": manifest.task, "state": manifest.state.value, "starts": manifest.starts}
        known |= {"began": manifest.began, "version": manifest.version}
    known |= {key.replace("_", " "): value for key, value in _stored(folder).items() if key != "tables"}
    if isinstance(known.get("arguments"), list):
        known["arguments"] = shlex.join(["gapless", *map(str, known["arguments"])])
    return known


def tables(folder: Path | None) -> Sequence[Mapping[str, Any]]:
    """The tables that the task printed, without columns of block characters, which are for terminals.

    Raises `InvalidProblem`: a table has no title, columns or rows.
    """
    held = _stored(folder).get("tables", [])
    for table in held:
        if not _is_table(table):
            raise InvalidProblem(f"{folder}/{TABLES}: a table has no title, columns or rows")
    return [_without_bars(table) for table in held]


def _without_bars(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """A table as a page shows it: folders of earlier versions have bars in it."""
    count = len(table["columns"])
    kept = [column for column in range(count) if not _is_bar(table["rows"], column)]
    if len(kept) == count:
        return table
    rows = [[row[column] for column in kept if column < len(row)] for row in table["rows"]]
    return {**table, "columns": [table["columns"][column] for column in kept], "rows": rows}


def _is_bar(rows: Sequence[Sequence[Any]], column: int) -> bool:
    cells = [row[column] for row in rows if column < len(row)]
    drawn = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
    return bool(drawn) and len(drawn) == sum(cell != "" for cell in cells) and all(set(c) <= _BARS for c in drawn)


def _is_table(table: Any) -> bool:
    if not isinstance(table, dict) or "title" not in table:
        return False
    listed = [table.get("columns"), table.get("rows")]
    return all(isinstance(one, list) for one in listed) and all(isinstance(row, list) for row in table["rows"])


def documents(folder: Path | None) -> list[tuple[str, str]]:
    """Names and contents of the other JSON documents, numbers with as many digits as people read."""
    if folder is None:
        return []
    found = []
    for file in sorted(folder.glob("*.json")):
        if file.name != TABLES:
            text = json.dumps(_short(_load(file)), indent=2, ensure_ascii=False)
            cut = len(text) > _DOCUMENT_LETTERS
            found.append((file.name, text[:_DOCUMENT_LETTERS] + ("\n… (cut)" if cut else "")))
    return found


def _short(value: Any) -> Any:
    """The same data with shorter fractions."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [_short(one) for one in value]
    return {key: _short(one) for key, one in value.items()} if isinstance(value, dict) else value


def figures(folder: Path | None) -> tuple[list[tuple[str, str]], int]:
    """SVG files of the folder, as images: their content can neither run nor load anything."""
    files = [] if folder is None else sorted(folder.glob("*.svg"))
    found: list[tuple[str, str]] = []
    size = 0
    for file in files:
        content = file.read_bytes()
        size += len(content)
        if len(found) < _FIGURES and size <= _FIGURE_BYTES:
            found.append((file.stem, f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"))
    return found, len(files) - len(found)
