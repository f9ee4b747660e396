"""Contents of a run's folder except its answers: manifest, tables, documents and figures."""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gapless.errors import InvalidProblem
from gapless.runs import TABLES, Manifest

_FIGURES, _FIGURE_BYTES = 24, 4_000_000
_DOCUMENT_LETTERS = 60_000
"""Limit on the displayed characters of a JSON document."""


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
    """Return facts about the run of a folder: task, arguments, version, start, seconds.

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
    """Return the tables that the task printed.

    Raises `InvalidProblem`: a table has no title, columns or rows.
    """
    tables: Sequence[Mapping[str, Any]] = _stored(folder).get("tables", [])
    if not all(map(_is_table, tables)):
        raise InvalidProblem(f"{folder}/{TABLES}: a table has no title, columns or rows")
    return tables


def _is_table(table: Any) -> bool:
    if not isinstance(table, dict) or "title" not in table:
        return False
    has_lists = all(isinstance(table.get(name), list) for name in ("columns", "rows"))
    return has_lists and all(isinstance(row, list) for row in table["rows"])


def documents(folder: Path | None) -> list[tuple[str, str]]:
    """Return names and contents of the other JSON documents, with rounded numbers."""
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
    """Round the fractions in JSON data."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [_short(one) for one in value]
    return {key: _short(one) for key, one in value.items()} if isinstance(value, dict) else value


def figures(folder: Path | None) -> tuple[list[tuple[str, str]], int]:
    """Return the SVG files of the folder as images, whose content can neither run nor load anything."""
    files = [] if folder is None else sorted(folder.glob("*.svg"))
    found: list[tuple[str, str]] = []
    size = 0
    for file in files:
        content = file.read_bytes()
        size += len(content)
        if len(found) < _FIGURES and size <= _FIGURE_BYTES:
            found.append((file.stem, f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"))
    return found, len(files) - len(found)
