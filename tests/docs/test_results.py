"""The tables of the results pages are those that were measured."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[2] / "docs/results"
QUOTING = ("proof-or-beam.md", "comparison.md")
_SAID_TO_BE_OLD = ("4.6 to 5.6 times as long", "48 sentences/s")
"""Measured once, and the pages say so: AD3 and torch-struct."""


@pytest.fixture
def measure(tmp_path, monkeypatch):
    """The script with kept tables of its own."""
    specification = importlib.util.spec_from_file_location("measure", RESULTS / "measure.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    monkeypatch.setattr(module, "TABLES", tmp_path)
    rows = [
        ["beam 1", "drawn", "1,234.5 (1,000-2,000) ns"],
        ["beam 1", "trained", "0.0417 x"],
        ["exact", "trained", ""],
    ]
    table = {"title": "Table 1: times", "columns": ["decoder", "scores", "value"], "rows": rows}
    about = {"command": "toy", "date": "today", "seconds": 1, "commit": "abc", "instruction_set": "avx2"}
    (tmp_path / "toy.json").write_text(json.dumps({**about, "tables": [table]}), "utf-8")
    return module


def test_no_measured_table_was_edited_by_hand():
    script = [sys.executable, str(RESULTS / "measure.py"), "--check"]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_measurement_has_its_tables_and_its_place():
    listed = tomllib.loads((RESULTS / "measurements.toml").read_text("utf-8"))
    pages = "".join(page.read_text("utf-8") for page in RESULTS.glob("*.md"))
    for name, measurement in listed.items():
        kept = json.loads((RESULTS / "tables" / f"{name}.json").read_text("utf-8"))
        assert kept["command"] == measurement["command"]
        assert kept["tables"], name
        assert f"<!-- tables: {name}" in pages
    assert {file.stem for file in (RESULTS / "tables").iterdir()} == set(listed)


def quoted(place, number):
    return f"takes <!-- value: {place} -->{number}<!-- /value --> ns"


def test_quoted_numbers_are_those_of_the_tables(measure):
    for place, number in (
        ("toy ~ Table 1 ~ beam 1 & drawn ~ value", "1,234.5"),
        ("toy ~ Table 1 ~ beam 1 & drawn ~ value ~ 3", "1,230"),
        ("toy ~ Table ~ trained & beam 1 ~ value ~ 2", "0.042"),
    ):
        assert measure.written(quoted(place, "99")) == quoted(place, number)
        assert measure.written(quoted(place, number)) == quoted(place, number)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("toy ~ Table 1 ~ beam 1 ~ value", "2 cells, expected one"),
        ("toy ~ Table 2 ~ beam 1 & drawn ~ value", "0 cells, expected one"),
        ("toy ~ Table 1 ~ exact ~ value", "no number in ''"),
        ("toys ~ Table 1 ~ exact ~ value", "there are no tables of toys"),
        ("toy ~ exact", "expected NAME ~ TABLE ~ ROW ~ COLUMN"),
    ],
)
def test_a_quotation_of_what_no_table_holds_is_refused(measure, place, said):
    with pytest.raises(SystemExit, match=said):
        measure.written(quoted(place, "99"))


def test_a_table_says_which_instruction_set_it_was_measured_on(measure):
    assert measure.written("<!-- tables: toy -->\n<!-- end -->").count("abc, avx2.*") == 1


@pytest.mark.parametrize("page", QUOTING)
def test_pages_that_compare_quote_the_tables(page):
    """No speed that somebody typed: numbers before times, ns, ms and sentences/s are taken from a table."""
    text = (RESULTS.parent / "explanation" / page).read_text("utf-8")
    assert text.count("<!-- value: ") >= 20
    typed = re.sub(r"<!-- value: .*?<!-- /value -->|```.*?```", "", text, flags=re.DOTALL)
    for said in _SAID_TO_BE_OLD:
        typed = typed.replace(said, "")
    assert re.findall(r"\d[\d.,]*(?: to \d[\d.,]*)? (?:times|ns|ms|sentences/s)", typed) == []


def test_long_tables_are_folded():
    """Tables of more than 20 rows open with a click; no row stands outside."""
    for page in RESULTS.glob("*.md"):
        open_ones = re.sub(r"<details.*?</details>", "", page.read_text("utf-8"), flags=re.DOTALL)
        measured = "".join(re.findall(r"<!-- tables: .*?<!-- end -->", open_ones, re.DOTALL))
        longest = max(
            (block.count("\n") for block in re.findall(r"(?:^\|.*\n)+", measured, re.MULTILINE)), default=0
        )
        assert longest <= 22, page.name
