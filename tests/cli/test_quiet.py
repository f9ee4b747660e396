"""``--quiet``: the result and errors, no remark and no progress; and the command without a command."""

import argparse
import json

import numpy as np
import pytest

import gapless as gl
from gapless.cli import Console, exit_codes, main
from gapless.cli.main import build_parser
from gapless.plugins.manager import load_plugins
from gapless_chains import ChainProblem


@pytest.fixture
def stored(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "problem.json"
    path.write_text(gl.dumps(ChainProblem(rng.integers(-5, 6, (4, 3)), rng.integers(-5, 6, (3, 3)))))
    return path


def commands(parser, name="gapless"):
    """Every command that runs, with its parser."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield name, parser
    for action in below:
        for word, command in action.choices.items():
            yield from commands(command, f"{name} {word}")


def test_every_command_takes_json_and_quiet_and_every_task_verbose():
    parser = build_parser(load_plugins())
    parser.fill_all()
    found = dict(commands(parser))
    assert {"gapless solve", "gapless data list", "gapless run pos-tagging", "gapless selftest"} <= set(found)
    for name, command in found.items():
        assert {"--json", "-q", "--quiet"} <= set(command._option_string_actions), name
        assert not name.startswith("gapless run ") or "--verbose" in command._option_string_actions, name


def test_the_bare_command_prints_its_help(capsys):
    assert main([]) == exit_codes.PROVED
    printed = capsys.readouterr()
    assert "Re-check stored results" in printed.out
    assert printed.err == ""


def test_solve_prints_the_answer_alone(stored, tmp_path, capsys):
    assert main(["solve", str(stored), "-q"]) == exit_codes.PROVED
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("1. value ")
    assert main(["solve", str(stored), "--quiet", "--out", str(tmp_path / "record.json")]) == exit_codes.PROVED
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "record.json"), "-q"]) == exit_codes.PROVED
    printed = capsys.readouterr()
    assert printed.out + printed.err == ""


def test_many_problems_give_a_line_each(stored, tmp_path, capsys):
    (tmp_path / "many.jsonl").write_text((stored.read_text() + "\n") * 3)
    assert main(["solve", str(tmp_path / "many.jsonl"), "-q"]) == exit_codes.PROVED
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_errors_and_failures_are_still_said(stored, tmp_path, capsys):
    assert main(["solve", str(stored), "-q", "--method", "viterby"]) == exit_codes.USAGE
    assert "did you mean 'viterbi'" in capsys.readouterr().err
    main(["solve", str(stored), "--out", str(tmp_path / "record.json")])
    changed = json.loads((tmp_path / "record.json").read_text())
    changed["result"]["bound"] = -1e6
    (tmp_path / "record.json").write_text(json.dumps(changed))
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "record.json"), "-q"]) == exit_codes.FAILED
    assert "FAILED" in capsys.readouterr().out


def test_a_task_prints_its_tables_alone(capsys):
    assert main(["run", "pos-tagging", "-q", "--epochs", "1"]) == exit_codes.PROVED
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.startswith("Exact decoding")
    assert "kernels:" not in printed.out


def test_quiet_leaves_remarks_out_and_json_whole(capsys):
    console = Console(quiet=True, verbose=True)
    console.info("said")
    console.detail("in detail")
    console.notice("remarked")
    console.result("the result")
    console.error("wrong")
    console.table("A table", ("name",), [("one",)])
    assert not console.draws_progress
    printed = capsys.readouterr()
    assert printed.out == "the result\nA table\nname\n----\none\n"
    assert printed.err == "wrong\n"
    main(["methods", "-q", "--json"])
    assert "methods" in json.loads(capsys.readouterr().out)


def test_benchmarks_are_listed_below_the_jobs(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["run", "--help"])
    assert ended.value.code == exit_codes.PROVED
    jobs, benchmarks = capsys.readouterr().out.split("\nbenchmarks:\n")
    assert "title-generation" in jobs
    assert "-benchmark" not in jobs
    assert "cutting-stock-benchmark" in benchmarks
    assert "pos-tagging" not in benchmarks
    names = {task.name for task in load_plugins().registry.tasks.values() if task.benchmark}
    assert all(name in benchmarks for name in names)
    assert names == {name for name in load_plugins().registry.tasks if name.endswith("-benchmark")}
