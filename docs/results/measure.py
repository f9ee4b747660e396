"""Regenerate the tables of the results pages: run what ``measurements.toml`` lists, then write the pages.

Run by ``make results``. Each measurement is one command; its tables are kept in ``tables/NAME.json`` and copied
into the pages between ``<!-- tables: NAME -->`` and ``<!-- end -->``. Numbers in sentences come from there, too:
``<!-- value: NAME ~ TABLE ~ ROW ~ COLUMN -->12<!-- /value -->`` holds the first number of a cell. TABLE is the
beginning of a title, ROW is cells of the row joined by `` & ``, and an optional fifth part is the number of
significant digits. The page's chart and its list of contents stand between ``<!-- chart: NAME -->`` and
``<!-- end -->``, see ``charts.py``. None of these is edited by hand: a test compares.

    python docs/results/measure.py                 all of them: hours
    python docs/results/measure.py --only linking  one of them
    python docs/results/measure.py --missing       those that have no tables yet
    python docs/results/measure.py --write         none: write the pages from the kept tables
    python docs/results/measure.py --check         none: exit with 1 if a page differs from the kept tables
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import os
import platform
import re
import shlex
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gapless_kernels
from benchmarks import __main__ as benchmarks
from gapless.arrays.serial import write_aside
from gapless.cli.console import Console, cell, plain_data
from gapless.cli.main import build_parser
from gapless.plugins import load_plugins

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import charts  # noqa: E402  beside this script

ROOT = HERE.parents[1]
TABLES = HERE / "tables"
WORK = ROOT / "build" / "results"
"""Working folder of the commands; trained models and logs are kept here for the next time."""
BENCHMARKS = ("python", "-m", "benchmarks")
GIT = ("git", "-C", str(ROOT))
CODE = ("pyproject.toml", "framework", "plugins", "cython_ext", "tasks")

PAGES = (HERE, HERE.parent / "explanation")
VALUE = re.compile(r"(<!-- value: ([^>]*?) -->)(.*?)(<!-- /value -->)", re.DOTALL)
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
CHART = re.compile(r"(<!-- chart: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
HEADING = re.compile(r"^(##+) (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
FOLDED = 20
"""Tables with more rows than this are folded."""
MARKED = re.compile(r"(<!-- tables: ([\w-]+)(?: \| ([^\n]*?))? -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def measurements() -> Mapping[str, Mapping[str, Any]]:
    """Read the commands by name, in the order of the file."""
    return tomllib.loads((HERE / "measurements.toml").read_text("utf-8"))


def measure(name: str, command: str) -> None:
    """Measure one command in a separate process and keep its tables."""
    WORK.mkdir(parents=True, exist_ok=True)
    print(f"{name}: {command}", flush=True)
    child = [sys.executable, str(Path(__file__).resolve()), "--child", name]
    with (WORK / f"{name}.log").open("w", encoding="utf-8") as log:
        code = subprocess.run(child, cwd=WORK, stdout=log, stderr=log, check=False).returncode  # noqa: S603  our own file
    if code:
        sys.exit(f"{name}: ended with {code}; see {WORK / name}.log")


def measured_here(name: str, command: str, left_out: Sequence[str]) -> int:
    """Measure one command in this process; its messages go to standard output, its tables to their file.

    Tables whose title begins with one of `left_out` are not kept: they quote corpora.
    """
    words = [os.path.expandvars(word) for word in shlex.split(command)]
    if unset := [word for word in words if "$" in word]:
        sys.exit(f"set what {', '.join(unset)} names")
    console = Console()
    parsed = parsed_command(words)
    began = time.time()
    code: int = parsed.run(parsed, console)
    document = {
        "command": command,
        "date": time.strftime("%Y-%m-%d", time.gmtime(began)),
        "seconds": round(time.time() - began),
        "exit_code": code,
        "version": importlib.metadata.version("gapless"),
        "commit": commit(),
        "instruction_set": gapless_kernels.INSTRUCTION_SET,
        "machine": f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "tables": [
            {
                "title": table.title,
                "columns": list(table.columns),
                "rows": [[cell(value) for value in row] for row in plain_data(table.rows)],
            }
            for table in console.tables
            if not table.title.startswith(tuple(left_out))
        ],
    }
    TABLES.mkdir(exist_ok=True)
    write_aside(TABLES / f"{name}.json", json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return 0


def parsed_command(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command of ``measurements.toml``: of gapless, or of its benchmarks."""
    if tuple(words[:3]) == BENCHMARKS:
        return benchmarks.build_parser().parse_args(words[3:])
    return build_parser(load_plugins()).parse_args(words[1:])


def commit() -> str:
    """Return the measured commit as git names it, with a plus if the code has changed since."""
    named = subprocess.run([*GIT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)  # noqa: S603
    changed = subprocess.run([*GIT, "diff", "--quiet", "HEAD", "--", *CODE], check=False).returncode  # noqa: S603
    return named.stdout.strip() + ("+" if changed else "")


def processor() -> str:
    """Return the processor's name, if the system provides it."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.machine()
    names = re.findall(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return names[0] if names else platform.machine()


def drawn(document: Mapping[str, Any], chosen: str | None) -> str:
    """Write the tables of one measurement as Markdown; optionally only those whose title begins with `chosen`."""
    tables = [table for table in document["tables"] if chosen is None or table["title"].startswith(chosen)]
    if not tables:
        sys.exit(f"{document['command']}: no table begins with {chosen!r}")
    kernels = f", {document['instruction_set']}" if "instruction_set" in document else ""
    when = f"{document['date']}, {clock(document['seconds'])}, {document['commit']}{kernels}"
    said = f"*`{document['command']}`: {when}.*"
    return "\n".join([*map(_table, tables), said, ""])


def _table(table: Mapping[str, Any]) -> str:
    title, rows = _escaped(table["title"]), table["rows"]
    body = [_row(table["columns"]), _row(["---"] * len(table["columns"])), *map(_row, rows), ""]
    if len(rows) <= FOLDED:
        return "\n".join([f"**{title}**", "", *body])
    summary = f'<details class="long-table"><summary>{title} ({len(rows)} rows)</summary>'
    return "\n".join([summary, "", *body, "</details>", ""])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def clock(seconds: float) -> str:
    """Format seconds for people."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def written(page: str) -> str:
    """Write a page with the stored tables between its marks."""

    def fill(found: re.Match[str]) -> str:
        kept = TABLES / f"{found[2]}.json"
        if not kept.exists():
            return found[0]
        return f"{found[1]}\n{drawn(json.loads(kept.read_text('utf-8')), found[3])}\n{found[5]}"

    return CHART.sub(lambda found: _illustrated(found, page), VALUE.sub(quote, MARKED.sub(fill, page)))


def _illustrated(found: re.Match[str], page: str) -> str:
    """A page's chart, and after it the page's headings as links."""
    chart = charts.CHARTS[found[2]]
    alternative = f"{chart.title} ({chart.unit}). {chart.description}"
    links = [
        f"{'  ' * (len(level) - 2)}- [{title}](#{_anchor(title)})"
        for level, title in HEADING.findall(FENCED.sub("", page))
        if len(level) <= 3
    ]
    parts = [f"![{alternative}](charts/{found[2]}.svg)", "", *([*links, ""] if len(links) > 1 else [])]
    return "\n".join([found[1], *parts, found[4]])


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def quote(found: re.Match[str]) -> str:
    """Replace a quoted number by that of the stored tables."""
    parts = [part.strip() for part in found[2].split(" ~ ")]
    if len(parts) not in (4, 5):
        sys.exit(f"value: {found[2]}: expected NAME ~ TABLE ~ ROW ~ COLUMN, and perhaps digits")
    name, table, row, column, *digits = parts
    return f"{found[1]}{value(name, table, row, column, int(digits[0]) if digits else None)}{found[4]}"


def value(name: str, table: str, row: str, column: str, digits: int | None = None) -> str:
    """Return the first number of a cell of the stored tables, as it is or with so many significant digits."""
    place = f"value: {name} ~ {table} ~ {row} ~ {column}"
    kept = TABLES / f"{name}.json"
    if not kept.exists():
        sys.exit(f"{place}: there are no tables of {name}")
    tables = json.loads(kept.read_text("utf-8"))["tables"]
    wanted = row.split(" & ")
    cells = [
        line[one["columns"].index(column)]
        for one in tables
        if one["title"].startswith(table) and column in one["columns"]
        for line in one["rows"]
        if set(wanted) <= set(line)
    ]
    if len(cells) != 1:
        sys.exit(f"{place}: {len(cells)} cells, expected one")
    number = NUMBER.search(cells[0])
    if number is None:
        sys.exit(f"{place}: no number in {cells[0]!r}")
    return number[0] if digits is None else rounded(float(number[0].replace(",", "")), digits)


def rounded(number: float, digits: int) -> str:
    """Round to so many significant digits, with commas for thousands."""
    if number == 0:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(number)))
    return f"{round(number, places):,.{max(places, 0)}f}"


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(description="Regenerate the tables of the results pages.")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure these")
    parser.add_argument("--missing", action="store_true", help="measure what has no tables yet")
    parser.add_argument("--write", action="store_true", help="measure nothing, write the pages")
    parser.add_argument("--check", action="store_true", help="measure nothing, compare the pages")
    parser.add_argument("--child", metavar="NAME", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    commands = measurements()
    if asked.child:
        chosen = commands[asked.child]
        return measured_here(asked.child, chosen["command"], chosen.get("left_out", ()))
    names = [] if asked.write or asked.check else asked.only or list(commands)
    if unknown := [name for name in names if name not in commands]:
        sys.exit(f"{', '.join(unknown)}: not in measurements.toml; there are {', '.join(commands)}")
    for name in names:
        if not (asked.missing and (TABLES / f"{name}.json").exists()):
            measure(name, commands[name]["command"])
    different = failed = False
    for page in sorted(page for folder in PAGES for page in folder.glob("*.md")):
        before = page.read_text("utf-8")
        try:
            after = written(before)
        except SystemExit as missing:  # the other pages can be written
            different = failed = True
            print(f"{page.name}: {missing}")
            continue
        if after != before:
            different = True
            print(f"{page.name}: {'differs from the kept tables' if asked.check else 'written'}")
            if not asked.check:
                write_aside(page, after)
    for name, chart in charts.CHARTS.items():
        place, drawing = charts.FOLDER / f"{name}.svg", charts.drawn(chart)
        if not place.exists() or place.read_text("utf-8") != drawing:
            different = True
            print(f"{place.name}: {'differs from the kept tables' if asked.check else 'drawn'}")
            if not asked.check:
                charts.FOLDER.mkdir(exist_ok=True)
                write_aside(place, drawing)
    return 1 if failed or (asked.check and different) else 0


if __name__ == "__main__":
    sys.exit(main())
