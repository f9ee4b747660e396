"""``python -m benchmarks`` lists the benchmarks, runs one, and names a missing package."""

import json
import runpy
import sys

import pytest

from benchmarks.__main__ import build_parser, main
from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import line
from benchmarks.frame.peers import Peer
from benchmarks.table import SUMMARIES
from gapless import MissingDependency
from gapless.cli import Console, exit_codes


def test_without_a_name_they_are_listed(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["benchmarks"])
    monkeypatch.delitem(sys.modules, "benchmarks.__main__")
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("benchmarks", run_name="__main__")
    assert ended.value.code == exit_codes.PROVED
    said = " ".join(capsys.readouterr().out.split())  # long summaries fold
    assert all(f"{name} {summary}" in said for name, summary in SUMMARIES.items())


def test_the_list_is_json_for_programs(capsys):
    assert main(["--json"]) == exit_codes.PROVED
    assert json.loads(capsys.readouterr().out) == {"benchmarks": SUMMARIES}


def test_every_benchmark_has_its_options(capsys):
    for name in SUMMARIES:
        with pytest.raises(SystemExit):
            build_parser().parse_args([name, "--help"])
        assert "--json" in capsys.readouterr().out


def test_a_misspelt_name_is_answered_with_the_nearest(capsys):
    with pytest.raises(SystemExit):
        main(["chain"])
    assert "did you mean 'chains'" in capsys.readouterr().err


def test_a_peer_that_is_not_installed_says_how_to_get_it():
    peer = Peer("Nothing", "no_such_module", "pip install nothing")
    assert not peer.installed
    with pytest.raises(MissingDependency, match="not compared with Nothing: pip install nothing"):
        peer.load()
    assert Peer("JSON", "json").load() is json


def test_numbers_without_marks_have_no_verdict(capsys):
    found = [line("speed", "drawn", [1.0, 2.0, 3.0], "x", (3, 4), more=True)]
    assert Bench(console=Console(as_json=True), judged=False, more={"sets": []}).report(found) == exit_codes.PROVED
    document = json.loads(capsys.readouterr().out)
    assert document["lines"][0]["verdict"] == ""
    assert document["lines"][0]["value"] == {"median": 2.0, "least": 1.0, "most": 3.0}
    assert document["sets"] == []


def test_an_error_ends_its_group_only(capsys):
    bench = Bench(console=Console(as_json=True))

    def found():
        with bench.group("first"):
            yield line("speed", "drawn", 1.0, "x")
            raise IndexError("7")
        yield line("size", "drawn", 2.0, "x")

    assert bench.report(found()) == exit_codes.FAILED
    document = json.loads(capsys.readouterr().out)
    assert [one["what"] for one in document["lines"]] == ["speed", "size"]
    assert document["disagreements"] == ["first: IndexError: 7"]


def test_ctrl_c_leaves_what_was_measured(capsys):
    def found():
        yield line("speed", "drawn", 1.0, "x")
        raise KeyboardInterrupt

    assert Bench(console=Console(as_json=True)).report(found()) == exit_codes.INTERRUPTED
    assert len(json.loads(capsys.readouterr().out)["lines"]) == 1
