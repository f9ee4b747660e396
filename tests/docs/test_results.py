"""The tables of the results pages are those that were measured."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

RESULTS = Path(__file__).parents[2] / "docs/results"


def test_nobody_edited_a_measured_table():
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
