"""Findings of the fuzzer; ten thousand changed documents are a long test, ``make fuzz`` changes a million."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gapless as gl
from gapless.cli import main
from gapless_chains import ChainProblem
from gapless_linking import Graph
from gapless_models.linking.corpora import load_demo
from gapless_models.linking.readers import LinkingFileError, read_documents
from gapless_models.titles.section_reader import SectionFileError, read_sections

FUZZ = Path(__file__).with_name("fuzz.py")
CASES = int(os.environ.get("GAPLESS_FUZZ_CASES", "10000"))
SEED = 20_260_000
DIGITS = "9" * 5000


def fuzz(*arguments, seconds=10, idle=120):
    command = [sys.executable, str(FUZZ), *map(str, arguments)]
    environment = {**os.environ, "GAPLESS_FUZZ_PATIENCE": str(seconds), "GAPLESS_FUZZ_IDLE": str(idle)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_a_few_changed_values_break_nothing(tmp_path):
    ended = fuzz("--cases", 60, "--target", "values", "--seed", SEED, "--keep", tmp_path / "found")
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    assert "0 findings" in ended.stdout


@pytest.mark.long
@pytest.mark.parametrize("group", ["0/2", "1/2"])  # for tests on two cores
def test_nothing_that_is_read_breaks_its_reader(tmp_path, group):
    ended = fuzz("--cases", CASES, "--seed", SEED, "--group", group, "--keep", tmp_path / "found", "--seeds")
    kept = "\n".join(log.read_text() for log in tmp_path.glob("found/*.log"))
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}\n{kept}"
    assert "0 findings" in ended.stdout


@pytest.mark.parametrize(
    ("planted", "cases", "words"),
    [
        ("crash", 5, "ended with -6"),
        pytest.param("hang", 2, "Hang: one document took more than", marks=pytest.mark.long),
        pytest.param("wait", 1, "ended with a hang: it did nothing for", marks=pytest.mark.long),
        pytest.param("memory", 5, "MemoryError", marks=pytest.mark.long),
        pytest.param("forged", 300, "the bound", marks=pytest.mark.long),
    ],
)
def test_what_is_planted_is_found_and_kept(tmp_path, planted, cases, words):
    idle = 3 if planted == "wait" else 120
    ended = fuzz("--cases", cases, "--target", f"planted-{planted}", "--keep", tmp_path, seconds=1, idle=idle)
    assert ended.returncode == 1, ended.stdout
    (log,) = tmp_path.glob("*.log")
    assert words in log.read_text()
    assert len(list(tmp_path.iterdir())) >= 2, "the document is kept beside the log"


@pytest.mark.parametrize(
    "text",
    [
        DIGITS,
        '{"type": "array", "dtype": "float16", "shape": [1], "values": [1e30]}',
        '{"type": "array", "dtype": "float64", "shape": [1000000000000], "values": []}',
        "[" * 100_000,
    ],
)
def test_documents_are_refused(text):
    with pytest.raises(gl.InvalidProblem):
        gl.loads(text)


def test_a_record_with_a_name_that_is_no_text_is_refused():
    problem = gl.loads(gl.dumps(load_demo().documents[0].problem(load_demo().knowledge.graph)))
    result = gl.solve(problem)
    for more in ({"name": 7}, {"words": [1, 2]}):
        with pytest.raises(gl.InvalidProblem, match="are text"):
            gl.Record(problem, result, **more)


@pytest.mark.parametrize("vertex", [10**30, -(10**30), 2**63])
def test_vertices_that_no_array_holds_are_refused(tmp_path, vertex):
    path = tmp_path / "documents.jsonl"
    path.write_text(json.dumps({"id": "a", "sets": [[vertex]], "gold": [[vertex]], "mentions": ["x"]}))
    with pytest.raises(LinkingFileError, match="line 1"):
        read_documents(path, load_demo().knowledge.graph)


def test_numbers_with_too_many_digits_are_refused(tmp_path):
    path = tmp_path / "lines.jsonl.gz"
    path.write_bytes(gzip.compress(f"[{DIGITS}]".encode()))
    with pytest.raises(LinkingFileError, match="line 1"):
        read_documents(path, load_demo().knowledge.graph)
    with pytest.raises(SectionFileError, match="line 1"):
        read_sections(path)


@pytest.mark.parametrize("header", ['{"bytes": 1e999, "fields": {}}', "[" * 3000])
def test_headers_of_graphs_are_refused(tmp_path, header):
    path = tmp_path / "damaged.graph"
    path.write_bytes(b"gapless graph 1\n" + header.encode().ljust(4080))
    with pytest.raises(gl.InvalidProblem, match="damaged"):
        Graph.load(path)


@pytest.mark.parametrize(
    "more", [["--seed=-1"], ["--seed=" + "9" * 30], ["--gap=nan"], ["--option=gap=nan"], ["--option=first={}"]]
)
def test_options_that_cannot_be_are_refused(tmp_path, capsys, more):
    path = tmp_path / "problem.json"
    path.write_text(gl.dumps(ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])))
    assert main(["solve", str(path), "--method", "column-generation", *more]) == 2
    assert capsys.readouterr().err.startswith("gapless: ")
