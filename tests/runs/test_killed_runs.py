"""Tasks that are killed in the middle: what was finished stays and is not done again; tables are the same."""

import json
import signal
import subprocess
import sys
import warnings

import attrs
import patience
import pytest
from drawn import long, mostly_long

from gapless.cli import exit_codes, main
from gapless.runs import AnswerLog, Manifest, State, read_log

TASKS = {
    "pos-tagging": ["--epochs", "1", "--shuffles", "1", "--sentences", "12", "--method", "dominance"],
    "dependency-parsing": ["--epochs", "1", "--sentences", "12", "--verify"],
    "price-and-cut": ["--epochs", "1", "--treebank", "embedded", "--sentences", "6", "--longest", "7", "--verify"],
    "title-generation": ["--limit", "5", "--method", "exact", "--method", "beam", "--no-figure"],
    "entity-linking": ["--limit", "5", "--connection", "minimal", "--no-prior"],
}
NEEDS = {
    "dependency-parsing": ("conllu",),
    "price-and-cut": ("conllu",),
    "title-generation": ("nltk", "sklearn", "rouge_score"),
}
TIMES = ("second", "speed", "distances", "proof", "together", "mean", "median", "total", "p90", "p99", "worst")
KEPT = 3

PAUSING = f"""
import signal, sys
from gapless.cli import main
from gapless.runs import AnswerLog
append = AnswerLog.append
kept = 0
def pausing(log, answer):
    global kept
    size = append(log, answer)
    kept += 1
    if kept == {KEPT}:  # until the signal comes, whenever that is
        signal.pause()
    return size
AnswerLog.append = pausing
sys.exit(main(sys.argv[1:]))
"""


def arguments(task, folder, *more):
    for name in NEEDS.get(task, ()):
        pytest.importorskip(name)
    models = ["--models", str(folder.parent / "models")] if task == "price-and-cut" else []  # trained once
    return ["run", task, *TASKS[task], *models, "--out", str(folder), *more]


def logs(folder):
    return {file: file.read_bytes() for file in sorted(folder.rglob("*.jsonl*"))}


def kill(folder, asked, number, kept=KEPT):
    """Start a run, and end it when it has kept so many answers."""
    with subprocess.Popen([sys.executable, "-c", PAUSING, *asked], stdout=subprocess.DEVNULL) as run:
        patience.until(
            lambda: run.poll() is not None or sum(len(list(read_log(file))) for file in logs(folder)) >= kept,
            run.pid,
        )
        run.send_signal(number)
        return patience.ended(run)


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not any(time in k for time in TIMES)}
    return [without_times(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("task", mostly_long(TASKS, quick=[0]))
def test_a_killed_run_goes_on_where_it_was(tmp_path, capsys, task):
    folder, other = tmp_path / "killed", tmp_path / "whole"
    folder.mkdir()
    asked = arguments(task, folder, "--json")
    assert kill(folder, asked, signal.SIGKILL) == -signal.SIGKILL
    assert Manifest.load(folder).state is State.RUNNING
    assert main(["verify", str(folder)]) == exit_codes.PROVED
    log = next(iter(logs(folder)))
    whole = log.read_bytes()
    log.write_bytes(whole + whole[: len(whole) // 7])  # as if the kill had come while an answer was written
    assert main(["verify", str(folder)]) == exit_codes.PROVED
    capsys.readouterr()
    assert main(asked) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    assert log.read_bytes().startswith(whole)
    assert Manifest.load(folder).state is State.FINISHED
    assert main(arguments(task, other, "--json")) == exit_codes.PROVED
    assert without_times(found) == without_times(json.loads(capsys.readouterr().out))
    assert [file.relative_to(folder) for file in logs(folder)] == [file.relative_to(other) for file in logs(other)]
    for file in logs(folder):
        assert list(AnswerLog(file)) == list(AnswerLog(other / file.relative_to(folder)))
    del found["instruction_set"]  # of the machine, not of the run
    assert json.loads((folder / "summary.json").read_text()) == found
    assert found["interrupted"] is False


def test_a_finished_run_decodes_nothing_again(tmp_path, capsys):
    asked = arguments("dependency-parsing", tmp_path)
    assert main(asked) == exit_codes.PROVED
    kept = logs(tmp_path)
    shown = capsys.readouterr().out
    assert main(asked) == exit_codes.PROVED
    again = capsys.readouterr().out
    assert "parsing: 12 of 12 sentences were finished before" in again
    # Times, too, are those of the decoding: they were kept.
    assert [line for line in shown.splitlines() if "UAS" in line or line[:1].isdigit()] == [
        line for line in again.splitlines() if "UAS" in line or line[:1].isdigit()
    ]
    assert logs(tmp_path) == kept


@pytest.mark.parametrize("task", ["pos-tagging", long("dependency-parsing"), long("entity-linking")])
def test_ctrl_c_is_written_down(tmp_path, monkeypatch, capsys, task):
    append, calls = AnswerLog.append, []

    def pressed(log, answer):
        calls.append(answer)
        if len(calls) > KEPT:
            raise KeyboardInterrupt
        return append(log, answer)

    monkeypatch.setattr(AnswerLog, "append", pressed)
    asked = arguments(task, tmp_path)
    assert main(asked) == exit_codes.INTERRUPTED
    assert json.loads((tmp_path / "summary.json").read_text())["interrupted"] is True
    assert (tmp_path / "tables.json").exists()
    assert Manifest.load(tmp_path).state is State.INTERRUPTED
    monkeypatch.setattr(AnswerLog, "append", append)
    capsys.readouterr()
    assert main(asked) == exit_codes.PROVED
    assert f"{KEPT} of " in capsys.readouterr().out
    assert json.loads((tmp_path / "summary.json").read_text())["interrupted"] is False


@pytest.mark.long
@pytest.mark.parametrize("task", ["pos-tagging", "dependency-parsing", "price-and-cut"])
def test_ctrl_c_while_training_is_written_down(tmp_path, monkeypatch, capsys, task):
    def pressed(*_, **__):
        raise KeyboardInterrupt

    asked = arguments(task, tmp_path)
    for place in ("tagging.job.train_tagger", "parsing.parser.ParserSource.trained"):
        monkeypatch.setattr(f"gapless_tasks.{place}", pressed)
    monkeypatch.setattr("gapless_tasks.price_and_cut.job.Models.model", pressed)
    assert main(asked) == exit_codes.INTERRUPTED
    assert json.loads((tmp_path / "summary.json").read_text())["interrupted"] is True
    assert Manifest.load(tmp_path).state is State.INTERRUPTED
    monkeypatch.undo()
    assert main(asked) == exit_codes.PROVED
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["interrupted"] is False
    monkeypatch.setattr("gapless_tasks.tagging.job.train_tagger", pressed)
    if task == "pos-tagging":  # the summary of an earlier end says that this start has none
        assert main(asked) == exit_codes.INTERRUPTED
        assert json.loads((tmp_path / "summary.json").read_text()) == {**summary, "interrupted": True}


def test_ctrl_c_after_the_decoding_is_written_down(tmp_path, monkeypatch, capsys):
    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gapless_tasks.tagging.job.show_tables", pressed)
    assert main([*arguments("pos-tagging", tmp_path), "--tables"]) == exit_codes.INTERRUPTED
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["interrupted"] is True
    assert summary["methods"][0]["verified"] == 1.0
    assert "interrupted: the tables show the finished part" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--explain", "999"], ["--treebank", "nowhere"], ["--method", "nothing"]])
def test_a_refused_command_leaves_no_folder(tmp_path, capsys, wrong):
    asked = ["run", "dependency-parsing", "--sentences", "6", "--epochs", "1", *wrong]
    assert main([*asked, "--out", str(tmp_path / "runs" / "new")]) == exit_codes.USAGE
    assert list(tmp_path.iterdir()) == []
    mine = tmp_path / "mine"
    mine.mkdir()
    assert main([*asked, "--out", str(mine)]) == exit_codes.USAGE
    assert list(mine.iterdir()) == []


def test_a_refused_corpus_of_problems_leaves_no_folder(tmp_path, capsys):
    (tmp_path / "some.jsonl").write_text('{"a": 1}\n')
    out = tmp_path / "runs" / "new"
    assert main(["solve", str(tmp_path / "some.jsonl"), "--out", str(out)]) == exit_codes.USAGE
    assert [path.name for path in tmp_path.iterdir()] == ["some.jsonl"]


def test_another_version_is_told_on_the_command_line(tmp_path, capsys):
    asked = arguments("pos-tagging", tmp_path)
    assert main(asked) == exit_codes.PROVED
    attrs.evolve(Manifest.load(tmp_path), version="0.0.9").save(tmp_path)
    capsys.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as on the command line
        assert main(asked) == exit_codes.PROVED
    assert "gapless: " in (told := capsys.readouterr().err)
    assert "last worked on by gapless 0.0.9, now by" in told


def test_other_settings_and_other_data_are_refused(tmp_path, capsys):
    assert main(arguments("entity-linking", tmp_path)) == exit_codes.PROVED
    assert main(arguments("entity-linking", tmp_path, "--seed", "1")) == exit_codes.USAGE
    assert "this folder holds a run with seed 0, not 1; repeat" in capsys.readouterr().err
    assert main(arguments("entity-linking", tmp_path, "--seed", "1", "--overwrite")) == exit_codes.PROVED
    assert main(["run", "pos-tagging", "--out", str(tmp_path)]) == exit_codes.USAGE
    assert "a run of entity-linking, not of pos-tagging" in capsys.readouterr().err


def test_several_processes_find_the_same(tmp_path, capsys):
    pytest.importorskip("joblib", reason="--jobs needs joblib: pip install 'gapless[distributed]'")
    found = []
    for jobs in ("1", "2"):
        assert main(arguments("entity-linking", tmp_path / jobs, "--json", "--jobs", jobs)) == exit_codes.PROVED
        found.append(without_times(json.loads(capsys.readouterr().out)))
    assert found[0] == found[1]
    assert main(["verify", str(tmp_path / "2")]) == exit_codes.PROVED
