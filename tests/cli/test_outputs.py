"""Output files of commands: an input or a file of another program is replaced only with ``--overwrite``."""

import argparse
import os
import shutil

import pytest

import gapless as gl
from gapless.cli import exit_codes, main
from gapless.cli.main import build_parser
from gapless.plugins import load_plugins
from gapless_chains import ChainProblem

PROBLEM = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
OUTPUTS = {"out", "report", "certificates", "figure", "plot", "to"}
"""Destinations of options that name what a command writes."""


@pytest.fixture
def problem(tmp_path):
    path = tmp_path / "problem.json"
    path.write_text(gl.dumps(PROBLEM), "utf-8")
    return path


@pytest.fixture
def problems(tmp_path):
    path = tmp_path / "problems.jsonl"
    path.write_text(gl.dumps(PROBLEM) + "\n", "utf-8")
    return path


def refused(capsys, words, *arguments):
    assert main([*map(str, arguments)]) == exit_codes.USAGE
    assert words in capsys.readouterr().err


def parsers(parser):
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parsers(command)


def test_every_command_with_an_output_offers_overwrite():
    parser = build_parser(load_plugins())
    parser.fill_all()
    writing = [one for one in parsers(parser) if OUTPUTS & {action.dest for action in one._actions}]
    assert len(writing) > 12
    assert [one.prog for one in writing if "--overwrite" not in one._option_string_actions] == []


@pytest.mark.parametrize("link", [None, "symbolic", "hard", "standard input"])
def test_solve_refuses_to_replace_its_input(link, problem, tmp_path, capsys, monkeypatch):
    record, out = tmp_path / "record.json", tmp_path / "out.json"
    assert main(["solve", str(problem), "--out", str(record)]) == exit_codes.PROVED
    before, source = record.read_bytes(), str(record)
    if link == "symbolic":
        out.symlink_to(record)
    elif link == "hard":
        os.link(record, out)
    else:
        out = record
    with record.open(encoding="utf-8") as stream:
        if link == "standard input":
            monkeypatch.setattr("sys.stdin", stream)
            source = "-"
        refused(capsys, "this command reads that file", "solve", source, "--out", out)
    assert record.read_bytes() == before
    assert main(["solve", str(record), "--out", str(record), "--overwrite"]) == exit_codes.PROVED


def test_a_command_replaces_its_own_earlier_output(problem, problems, tmp_path):
    record, page = tmp_path / "record.json", tmp_path / "page.html"
    commands = [
        ["solve", problem, "--out", record],
        ["solve", problems, "--out", tmp_path / "records.jsonl"],
        ["report", record, "--out", page],
        *(["export", problem, "--out", tmp_path / f"model.{suffix}"] for suffix in ("cip", "lp", "mps")),
    ]
    for command in [*commands, *commands]:
        assert main([*map(str, command)]) == exit_codes.PROVED, command


@pytest.mark.parametrize("name", ["notes.json", "notes.jsonl", "notes.html", "notes.lp"])
def test_a_file_of_another_program_is_not_replaced(name, problem, problems, tmp_path, capsys):
    target = tmp_path / name
    command = {
        "notes.json": ["solve", problem],
        "notes.jsonl": ["solve", problems],
        "notes.html": ["report", tmp_path / "record.json"],
        "notes.lp": ["export", problem],
    }[name]
    assert main(["solve", str(problem), "--out", str(tmp_path / "record.json")]) == exit_codes.PROVED
    target.write_text("mine", "utf-8")
    refused(capsys, "this command did not write it; give another name, or --overwrite", *command, "--out", target)
    assert target.read_text() == "mine"
    assert main([*map(str, command), "--out", str(target), "--overwrite"]) == exit_codes.PROVED
    assert target.read_text() != "mine"
    target.write_text("")  # as mktemp makes it
    assert main([*map(str, command), "--out", str(target)]) == exit_codes.PROVED


def test_the_page_of_a_run_replaces_no_other_file(tmp_path, capsys):
    notes = tmp_path / "notes.html"
    notes.write_text("mine", "utf-8")
    refused(capsys, "did not write it", "run", "entity-linking", "--report", notes)
    assert notes.read_text() == "mine"


def test_a_page_does_not_replace_what_it_shows(problems, tmp_path, capsys):
    run = tmp_path / "run"
    assert main(["solve", str(problems), "--out", str(run)]) == exit_codes.PROVED
    before = (run / "answers.jsonl").read_bytes()
    refused(capsys, "did not write it", "report", run, "--out", run / "answers.jsonl")
    refused(capsys, "reads that file", "report", run / "answers.jsonl", "--out", run / "answers.jsonl")
    assert (run / "answers.jsonl").read_bytes() == before


def test_folders_and_devices_are_no_output_files(problem, tmp_path, capsys):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for overwrite in ([], ["--overwrite"]):
        refused(capsys, "is a folder", "solve", problem, "--out", tmp_path, *overwrite)
        refused(capsys, "is no regular file", "solve", problem, "--out", pipe, *overwrite)
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json", "answers.jsonl"])
def test_a_run_leaves_the_folder_of_other_files_alone(name, problems, tmp_path, capsys):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / name).write_text("{}", "utf-8")
    for command in (["solve", problems, "--overwrite"], ["run", "entity-linking"]):
        refused(capsys, f"such as {name}; give a new or an empty folder", *command, "--out", folder)
        assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_text() == "{}"


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_a_run_does_not_write_into_the_folder_of_its_input(overwrite, problems, tmp_path, capsys):
    run, link = tmp_path / "run", tmp_path / "link"
    assert main(["solve", str(problems), "--out", str(run)]) == exit_codes.PROVED
    link.symlink_to(run)
    before = (run / "answers.jsonl").read_bytes()
    for out in (run, link):
        source = run / "answers.jsonl"
        refused(capsys, "the folder that the run writes to", "solve", source, "--out", out, *overwrite)
    assert (run / "answers.jsonl").read_bytes() == before


def test_a_run_goes_on_in_its_own_folder(problems, tmp_path):
    run = tmp_path / "run"
    for _ in range(2):
        assert main(["solve", str(problems), "--out", str(run)]) == exit_codes.PROVED
    moved = tmp_path / "moved"
    shutil.move(run, moved)
    assert main(["solve", str(problems), "--out", str(moved), "--overwrite"]) == exit_codes.PROVED
