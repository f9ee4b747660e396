"""``-`` is standard input in every command that reads a file, and standard output as the file written."""

import io
import json
import subprocess
import sys

import numpy as np
import pytest

import gapless as gl
from gapless.cli import exit_codes, main
from gapless_chains import ChainProblem


def chain(seed=3):
    rng = np.random.default_rng(seed)
    return ChainProblem(rng.integers(-5, 6, (4, 3)), rng.integers(-5, 6, (3, 3)))


@pytest.fixture
def piped(monkeypatch):
    def pipe(text):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))

    return pipe


def record():
    return gl.dumps(gl.Record(chain(), gl.solve(chain()), "one"))


def indented(text):
    return json.dumps(json.loads(text), indent=2)


@pytest.mark.parametrize("form", [str, indented, lambda text: f"\n\n{text}\n\n"])
def test_solve_reads_one_problem_in_any_layout(form, piped, capsys):
    piped(form(gl.dumps(chain())))
    assert main(["solve", "-", "--json"]) == exit_codes.PROVED
    assert json.loads(capsys.readouterr().out)["solutions"][0]["value"] == gl.solve(chain()).value


def test_solve_reads_many_lines_and_writes_records_that_verify_reads(piped, capsys):
    piped("".join(gl.dumps(chain(seed)) + "\n" for seed in range(4)))
    assert main(["solve", "-", "--out", "-"]) == exit_codes.PROVED
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 4  # the records and nothing else
    assert "4 solved, 4 proved" in printed.err
    piped(printed.out)
    assert main(["verify", "-"]) == exit_codes.PROVED
    assert "4 of 4 verified" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["solve"], ["verify"], ["export", "--out", "model.lp"]])
@pytest.mark.parametrize(
    "text", ["[" * 1_000_000, "[" * 1_000_000 + "]" * 1_000_000, '{"a":' * 1_000_000 + "1" + "}" * 1_000_000]
)
def test_documents_nested_a_million_deep_end_in_a_message(command, text, piped, capsys, tmp_path):
    piped(text)
    name, *options = command
    assert main([name, "-", *options]) == exit_codes.USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("gapless: standard input: ")
    assert "nested too deeply" in line
    file = tmp_path / "deep.json"
    file.write_text(text, encoding="utf-8")
    assert main([name, str(file), *options]) == exit_codes.USAGE
    assert "nested too deeply" in capsys.readouterr().err


def test_options_nested_a_million_deep_are_text(piped, capsys):
    piped(gl.dumps(chain()))
    assert main(["solve", "-", "--option", "certificate=" + "[" * 1_000_000]) == exit_codes.USAGE
    assert "certificate" in capsys.readouterr().err


def test_problems_are_solved_as_they_come():
    """The first answer is there before the producer has ended."""
    command = [sys.executable, "-m", "gapless", "solve", "-", "--out", "-", "-q", "--chunk-size", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for seed in range(3):
            process.stdin.write(gl.dumps(chain(seed)) + "\n")
            process.stdin.flush()
        first = process.stdout.readline()
        process.stdin.close()
        rest = process.stdout.read().splitlines()
    assert gl.loads(first).verify()
    assert len(rest) == 2
    assert process.returncode == exit_codes.PROVED


def test_one_record_goes_through_solve_verify_report_and_export(piped, capsys, tmp_path):
    piped(gl.dumps(chain()))
    assert main(["solve", "-", "-o", "-"]) == exit_codes.PROVED
    printed = capsys.readouterr()
    assert "optimal: proved" in printed.err
    piped(printed.out)
    assert main(["verify", "-"]) == exit_codes.PROVED
    assert "claimed: optimal" in capsys.readouterr().out
    piped(printed.out)
    assert main(["export", "-", "--out", "-", "--format", "lp"]) == exit_codes.PROVED
    assert "Maximize" in capsys.readouterr().out
    piped(printed.out)
    assert main(["export", "-", "--out", str(tmp_path / "model.mps")]) == exit_codes.PROVED
    assert (tmp_path / "model.mps").stat().st_size
    pytest.importorskip("jinja2")
    piped(printed.out)
    capsys.readouterr()
    assert main(["report", "-", "-o", "-"]) == exit_codes.PROVED
    assert capsys.readouterr().out.lower().startswith("<!doctype html>")


def test_a_report_on_many_records(piped, tmp_path):
    pytest.importorskip("jinja2")
    piped(f"{record()}\n{record()}\n")
    assert main(["report", "-", "-o", str(tmp_path / "page.html")]) == exit_codes.PROVED
    assert "standard input" in (tmp_path / "page.html").read_text("utf-8")


def test_the_problem_or_the_start_may_come_from_standard_input(piped, tmp_path):
    result = gl.solve(chain())
    (tmp_path / "result.json").write_text(gl.dumps(result))
    piped(gl.dumps(chain()))
    assert main(["verify", str(tmp_path / "result.json"), "--problem", "-"]) == exit_codes.PROVED
    (tmp_path / "problem.json").write_text(gl.dumps(chain()))
    piped(gl.dumps(result.best))
    arguments = ["solve", str(tmp_path / "problem.json"), "--method", "column-generation", "--start", "-"]
    assert main(arguments) == exit_codes.PROVED


@pytest.mark.parametrize(
    ("arguments", "text", "complaint"),
    [
        (["solve", "-"], "", "standard input: is empty"),
        (["solve", "-"], "{", "standard input: "),
        (["solve", "-"], f"{gl.dumps(chain())}\n\nnonsense\n", "standard input, line 3: "),
        (["verify", "-", "-"], "", "standard input can be read once"),
        (["verify", "-", "--problem", "-"], "", "standard input can be read once"),
        (["solve", "-", "--start", "-"], "", "standard input can be read once"),
        (["solve", "-", "--out", "-", "--json"], "", "--out - and --json both write to standard output"),
        (["solve", "-", "--out", "folder"], f"{gl.dumps(chain())}\n" * 2, "not with standard input"),
        (["export", "-", "--out", "-"], "", "--format is for --out -"),
        (["export", "-", "--out", "a.lp", "--format", "lp"], "", "--format is for --out -"),
    ],
)
def test_bad_input_is_named(arguments, text, complaint, piped, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    piped(text)
    assert main(arguments) == exit_codes.USAGE
    assert complaint in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_line_that_was_changed_fails_and_the_others_are_checked(piped, capsys):
    changed = json.loads(record())
    changed["result"]["bound"] = -1e6
    piped(f"{record()}\n{json.dumps(changed)}\n{record()}\n")
    assert main(["verify", "-"]) == exit_codes.FAILED
    assert "2 of 3 verified" in capsys.readouterr().out
