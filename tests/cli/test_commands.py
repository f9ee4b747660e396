"""The `gapless` command: what it prints, what it writes, how it ends."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gapless as gl
from gapless.cli import Console, exit_codes, main
from gapless_chains import ChainProblem
from gapless_kernels import INSTRUCTION_SET


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    return ChainProblem(rng.integers(-5, 6, (4, 3)), rng.integers(-5, 6, (3, 3)))


@pytest.fixture
def stored(problem, tmp_path):
    path = tmp_path / "problem.json"
    path.write_text(gl.dumps(problem), "utf-8")
    return path


def record(stored, tmp_path):
    path = tmp_path / "record.json"
    assert main(["solve", str(stored), "--out", str(path)]) == exit_codes.PROVED
    return path


def test_plugins_lists_what_is_shipped(capsys):
    assert main(["plugins", "--json"]) == exit_codes.PROVED
    listed = json.loads(capsys.readouterr().out)["plugins"]
    assert {"chains", "tasks"} <= {p["name"] for p in listed}
    assert all(p["error"] == "" for p in listed)


def test_methods_tells_options_and_the_default(capsys):
    assert main(["methods", "--json"]) == exit_codes.PROVED
    document = json.loads(capsys.readouterr().out)
    chain = [m for m in document["methods"] if m["problem"] == "chain"]
    assert [m["method"] for m in chain if m["default"]] == ["dominance"]
    assert [m["method"] for m in chain if m["default_with_factors"]] == ["split-bound"]
    assert all(m["factors"] for m in chain if m["default_with_factors"])
    assert {"viterbi", "column-generation"} <= {m["method"] for m in chain}
    assert "pos-tagging" in document["tasks"]
    assert document["maximisers"]["viterbi"] == "gapless_chains.label_maximiser:ViterbiMaximiser"
    assert document["factors"]["valency"] == "gapless_dependency.factors.valency:Valency"
    assert main(["methods"]) == exit_codes.PROVED
    shown = capsys.readouterr().out
    assert "column-generation" in shown
    assert "split-bound (default with factors)" in shown
    assert "dominance (default)" in shown
    assert "ViterbiMaximiser" in shown


@pytest.mark.parametrize("spelling", ["False", "false"])
def test_solve_reads_an_option_as_methods_prints_it(spelling, stored, capsys):
    main(["solve", str(stored), "--json", "--method", "beam", "--option", f"bound={spelling}"])
    assert json.loads(capsys.readouterr().out)["bound"] == "inf"


def test_solve_prints_value_and_bound(problem, stored, capsys):
    assert main(["solve", str(stored), "--json", "--method", "column-generation"]) == exit_codes.PROVED
    document = json.loads(capsys.readouterr().out)
    best = gl.solve(problem).value
    assert document["status"] == "optimal"
    assert document["solutions"][0]["value"] == best
    assert document["bound"] == pytest.approx(best)


def test_solve_begins_with_a_stored_structure_and_stops_at_a_target(problem, stored, tmp_path, capsys):
    start = tmp_path / "start.json"
    start.write_text(gl.dumps(gl.solve(problem).best), "utf-8")
    arguments = ["solve", str(stored), "--method", "column-generation", "--start", str(start), "--json"]
    assert main(arguments) == exit_codes.PROVED
    assert json.loads(capsys.readouterr().out)["solutions"][0]["value"] == gl.solve(problem).value
    code = main([*arguments, "--target", "-1000", "--seed", "3"])
    assert json.loads(capsys.readouterr().out)["stop"] == (
        "target" if code == exit_codes.STOPPED_EARLY else "proved"
    )
    assert main([*arguments, "--iterations", "-1"]) == exit_codes.USAGE
    assert "iterations is -1" in capsys.readouterr().err


def test_solve_says_infeasible(tmp_path, capsys):
    path = tmp_path / "problem.json"
    path.write_text(gl.dumps(ChainProblem([[-np.inf, -np.inf]], np.zeros((2, 2)))), "utf-8")
    assert main(["solve", str(path)]) == exit_codes.INFEASIBLE
    assert "token 0 has no allowed label" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--method", "viterby"], "did you mean 'viterbi'"),
        (["--option", "strat=1"], "has no option 'strat'"),
        (["--option", "novalue"], "expected NAME=VALUE"),
        (["--method", "beam", "-k", "3"], "finds one best structure only"),
    ],
)
def test_solve_refuses_what_a_method_does_not_have(stored, capsys, arguments, complaint):
    assert main(["solve", str(stored), *arguments]) == exit_codes.USAGE
    assert complaint in capsys.readouterr().err


def test_verify_holds_for_what_solve_stored(stored, tmp_path, capsys):
    path = record(stored, tmp_path)
    capsys.readouterr()
    assert main(["verify", str(path), "--json"]) == exit_codes.PROVED
    assert json.loads(capsys.readouterr().out) == {"checked": 1, "verified": 1, "failures": []}


def test_verify_takes_several_files(stored, tmp_path, capsys):
    first = record(stored, tmp_path)
    second = tmp_path / "second.json"
    data = json.loads(first.read_text("utf-8"))
    data["result"]["solutions"]["items"][0]["value"] += 1.0
    data["result"]["bound"] += 1.0
    second.write_text(json.dumps(data), "utf-8")
    capsys.readouterr()
    assert main(["verify", str(first), str(first)]) == exit_codes.PROVED
    assert "2 of 2 verified in 2 files" in capsys.readouterr().out
    assert main(["verify", str(first), str(second), "--json"]) == exit_codes.FAILED
    document = json.loads(capsys.readouterr().out)
    assert (document["checked"], document["verified"]) == (2, 1)
    assert document["failures"][0]["file"] == str(second)


def test_verify_takes_a_bare_result_with_its_problem(problem, stored, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(gl.solve(problem).to_json(), "utf-8")
    assert main(["verify", str(path), "--problem", str(stored)]) == exit_codes.PROVED
    assert main(["verify", str(path)]) == exit_codes.USAGE


def change_label(result):
    labels = result["solutions"]["items"][0]["structure"]["values"]
    labels[2] = (labels[2] + 1) % 3


def weaken_evidence(result):
    result["certificate"]["potentials"]["values"][5] += 100.0


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (change_label, "FAILED record 1: solutions[0]: the stated value"),
        (weaken_evidence, "certificate: the evidence proves"),
    ],
)
def test_verify_says_what_was_tampered_with(stored, tmp_path, capsys, edit, complaint):
    path = tmp_path / "record.json"
    assert main(["solve", str(stored), "--method", "column-generation", "--out", str(path)]) == exit_codes.PROVED
    data = json.loads(path.read_text("utf-8"))
    edit(data["result"])
    path.write_text(json.dumps(data), "utf-8")
    capsys.readouterr()
    assert main(["verify", str(path)]) == exit_codes.FAILED
    out = capsys.readouterr().out
    assert complaint in out
    assert "0 of 1 verified" in out


def test_verify_names_the_line_of_a_broken_record(stored, tmp_path, capsys):
    good = record(stored, tmp_path).read_text("utf-8")
    path = tmp_path / "many.jsonl"
    path.write_text(good + good[: len(good) // 2] + "\n", "utf-8")
    assert main(["verify", str(path)]) == exit_codes.USAGE
    assert f"{path}, line 2: not valid JSON" in capsys.readouterr().err


def test_verify_reads_gzip_and_names_a_truncated_one(stored, tmp_path, capsys):
    packed = gzip.compress(record(stored, tmp_path).read_bytes())
    path = tmp_path / "many.jsonl.gz"
    path.write_bytes(packed)
    assert main(["verify", str(path)]) == exit_codes.PROVED
    path.write_bytes(packed[:-20])
    assert main(["verify", str(path)]) == exit_codes.USAGE
    assert f"{path}: cannot be read" in capsys.readouterr().err


def test_verify_of_nothing_is_no_success(tmp_path, capsys):
    path = tmp_path / "empty.jsonl"
    path.write_text("", "utf-8")
    assert main(["verify", str(path)]) == exit_codes.FAILED
    assert f"FAILED {path}: holds no record" in capsys.readouterr().out


def test_verify_goes_on_after_a_record_that_contradicts_itself(stored, tmp_path, capsys):
    good = record(stored, tmp_path).read_text("utf-8")
    data = json.loads(good)
    data["result"]["bound"] -= 5.0
    path = tmp_path / "many.jsonl"
    path.write_text(good + json.dumps(data) + "\n" + good, "utf-8")
    capsys.readouterr()
    assert main(["verify", str(path)]) == exit_codes.FAILED
    out = capsys.readouterr().out
    assert f"FAILED record 2: {path}, line 2: $.result: a result contradicts itself" in out
    assert "2 of 3 verified" in out


def test_verify_takes_a_folder(stored, tmp_path, capsys):
    good = record(stored, tmp_path).read_text("utf-8")
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "summary.json").write_text("{}", "utf-8")
    assert main(["verify", str(folder)]) == exit_codes.USAGE
    assert "holds no .jsonl" in capsys.readouterr().err
    (folder / "a.jsonl").write_text(good * 2, "utf-8")
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(good.encode()))
    assert main(["verify", str(folder)]) == exit_codes.PROVED
    assert "3 of 3 verified in 2 files" in capsys.readouterr().out
    (folder / "c.jsonl").write_text("", "utf-8")
    assert main(["verify", str(folder), "--json"]) == exit_codes.FAILED
    document = json.loads(capsys.readouterr().out)
    assert (document["checked"], document["verified"]) == (3, 3)
    assert document["failures"][0]["file"] == str(folder / "c.jsonl")


@pytest.mark.parametrize("suffix", ["cip", "lp", "mps"])
def test_export_writes_a_model(stored, tmp_path, suffix):
    path = tmp_path / f"model.{suffix}"
    assert main(["export", str(stored), "--out", str(path)]) == exit_codes.PROVED
    assert path.stat().st_size > 100
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"model.{suffix}", "problem.json"]


def test_export_refuses_another_suffix(stored, tmp_path, capsys):
    assert main(["export", str(stored), "--out", str(tmp_path / "model.txt")]) == exit_codes.USAGE
    assert ".cip, .lp, .mps" in capsys.readouterr().err


def test_a_missing_file_is_named(tmp_path, capsys):
    assert main(["solve", str(tmp_path / "nowhere.json")]) == exit_codes.USAGE
    assert "nowhere.json: no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong", [("time", "--time", "-1"), ("nodes", "--nodes", "-1"), ("relative_gap", "--gap", "nan")]
)
def test_a_wrong_limit_is_bad_input_and_no_failed_check(stored, wrong, capsys):
    name, *wrong = wrong
    assert main(["solve", str(stored), *wrong]) == exit_codes.USAGE
    assert f"gapless: Limits: {name} is" in capsys.readouterr().err


def test_solve_with_json_gives_the_whole_structure(tmp_path, capsys):
    path = tmp_path / "long.json"
    path.write_text(gl.dumps(ChainProblem(np.zeros((1500, 2)), np.eye(2))), "utf-8")  # numpy prints 1000 at most
    assert main(["solve", str(path), "--json"]) == exit_codes.PROVED
    (solution,) = json.loads(capsys.readouterr().out)["solutions"]
    assert solution["structure"] == [0] * 1500


def test_a_missing_folder_is_named_before_the_work(stored, tmp_path, capsys):
    for command in (
        ["solve", str(stored), "--out"],
        ["export", str(stored), "--out"],
        ["run", "pos-tagging", "--model"],
    ):
        suffix = "lp" if command[0] == "export" else "json"
        assert main([*command, str(tmp_path / "nowhere" / f"file.{suffix}")]) == exit_codes.USAGE
        printed = capsys.readouterr()
        assert f"there is no folder {tmp_path / 'nowhere'}" in printed.err
        assert printed.out == ""


def test_run_looks_at_its_arguments_before_it_trains(stored, tmp_path, capsys):
    for wrong, message in (
        (["--method", "viterbo"], "did you mean 'viterbi'"),
        (["--out", str(stored)], "cannot be used as a folder"),
        (["--model", str(stored)], "damaged, or not a file of"),
    ):
        assert main(["run", "pos-tagging", "--verbose", *wrong]) == exit_codes.USAGE
        printed = capsys.readouterr()
        assert message in printed.err
        assert "epoch" not in printed.out


def test_a_table_keeps_its_names_on_a_narrow_terminal(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    drawn = Terminal()
    rows = [("cutting-stock", "branch-and-price (default)", "prose " * 12)]
    Console(out=drawn).table("Methods", ("problem", "method", "summary"), rows)
    assert "cutting-stock" in drawn.getvalue()
    assert "branch-and-price (default)" in drawn.getvalue()
    assert drawn.getvalue().count("prose") == 12


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == exit_codes.PROVED
    assert capsys.readouterr().out.startswith("gapless ")


def test_run_prints_the_table_and_keeps_answers(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["run", "pos-tagging", "--epochs", "2", "--out", str(tmp_path)]) == exit_codes.PROVED
    printed = capsys.readouterr()
    assert "all certificates verified" in printed.out
    for sign in ("\r", "\x1b", "epoch "):  # no progress bar when piped, whatever FORCE_COLOR says
        assert sign not in printed.out + printed.err
    methods = ("viterbi", "column-generation", "dominance")
    kept = {*(f"{method}.jsonl" for method in methods), "manifest.json", "summary.json", "tables.json"}
    assert {p.name for p in tmp_path.iterdir()} == kept
    shown = json.loads((tmp_path / "tables.json").read_text())
    assert shown["task"] == "pos-tagging"
    assert shown["tables"][0]["title"].startswith("Exact decoding")
    assert shown["instruction_set"] == INSTRUCTION_SET
    assert f"kernels: {INSTRUCTION_SET}" in printed.out
    assert {row[0] for row in shown["tables"][0]["rows"]} == set(methods)
    assert main(["verify", str(tmp_path / "column-generation.jsonl")]) == exit_codes.PROVED


@pytest.mark.long
@pytest.mark.skipif(INSTRUCTION_SET == "numpy", reason="the twins of the kernels use no instruction set")
def test_run_says_which_instruction_set_was_asked_for():
    asked = [sys.executable, "-m", "gapless", "run", "pos-tagging", "--epochs", "1", "--json"]
    done = subprocess.run(
        asked, capture_output=True, text=True, check=True, env={**os.environ, "GAPLESS_SIMD": "plain"}
    )
    assert json.loads(done.stdout)["instruction_set"] == "plain"


def test_run_names_the_missing_corpus_file(tmp_path, capsys):
    assert main(["run", "pos-tagging", "--data", str(tmp_path)]) == exit_codes.USAGE
    assert "train.tsv.gz" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.corpus
def test_wsj_is_decoded_exactly_and_accurately(capsys):
    folder = os.environ.get("GAPLESS_DATA")
    if not folder:
        pytest.skip("GAPLESS_DATA is not set: it names the folder that holds tagging/wsj_pos")
    assert main(["run", "pos-tagging", "--data", folder, "--json"]) == exit_codes.PROVED
    document = json.loads(capsys.readouterr().out)
    assert document["sentences"] == 423
    for method in document["methods"]:
        assert method["verified"] == method["proved"] == 1.0
        assert method["accuracy"] >= 0.963


def test_ctrl_c_ends_with_130():
    code = """
import signal, sys
from gapless.cli import main
def slow():
    print("ready", flush=True)
    signal.pause()
sys.modules["gapless.cli.main"].load_plugins = slow
raise SystemExit(main([]))
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == exit_codes.INTERRUPTED
    assert b"interrupted" in err
    assert b"Traceback" not in err


def test_run_interrupted_while_decoding_tells_what_is_finished(monkeypatch, capsys):
    inner, calls = gl.solve_many, []

    def interrupted(problems, method, **options):
        calls.append(method)
        finished = inner(problems[:5], method)
        return gl.BatchResult.from_results(list(finished), total=len(problems))

    monkeypatch.setattr(gl, "solve_many", interrupted)
    assert main(["run", "pos-tagging", "--epochs", "1"]) == exit_codes.INTERRUPTED
    printed = capsys.readouterr()
    assert calls == ["viterbi"]
    assert "interrupted: 5 of 45 sentences decoded" in printed.err
    assert "all certificates verified" not in printed.out


def test_a_closed_pipe_is_no_error():
    script = f"{sys.executable} -m gapless methods | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stderr == b""


def test_exit_codes_are_documented():
    page = (Path(__file__).parents[2] / "docs/reference/cli.md").read_text("utf-8")
    codes = [v for k, v in vars(exit_codes).items() if k.isupper()]
    assert codes
    assert all(f"| {code} |" in page for code in codes)


def test_run_warns_before_it_writes_much(monkeypatch, tmp_path, capsys):
    arguments = "run pos-tagging --epochs 1 --shuffles 1 --sentences 3 --method viterbi".split()  # noqa: SIM905
    assert main([*arguments, "--out", str(tmp_path)]) == exit_codes.PROVED
    assert "--out writes" not in capsys.readouterr().err
    monkeypatch.setattr("gapless_tasks.tagging.decoding.LARGE", 1000)
    assert main([*arguments, "--out", str(tmp_path), "--overwrite"]) == exit_codes.PROVED
    assert capsys.readouterr().err.count("--out writes about") == 1


def test_run_names_the_folder_above_when_data_goes_too_deep(tmp_path, capsys):
    deep = tmp_path / "tagging"
    (deep / "wsj_pos").mkdir(parents=True)
    assert main(["run", "pos-tagging", "--data", str(deep)]) == exit_codes.USAGE
    assert f"did you mean --data {tmp_path}?" in capsys.readouterr().err
