"""Helps and tables fit the terminal: 80 columns have no longer line, and fewer lose nothing."""

import argparse

import pytest

from gapless.cli import Console, exit_codes, main
from gapless.cli.console import cell
from gapless.cli.main import build_parser
from gapless.cli.text_table import folded, table_lines
from gapless.plugins.manager import load_plugins

LONG = "gapless_dependency.factors.arc_family:GreatGrandchild"


def helps(parser, name="gapless"):
    yield name, parser.format_help()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, command in action.choices.items():
                yield from helps(command, f"{name} {word}")


@pytest.mark.parametrize("columns", [80, 60])
def test_every_help_fits(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = dict(helps(build_parser(load_plugins())))
    assert len(shown) > 20
    assert "gapless data list" in shown
    for name, text in shown.items():
        for line in text.splitlines():
            assert len(line) <= 80, (name, line)  # at 60, the longest options in a usage stand out


@pytest.mark.parametrize(
    "command", [["methods"], ["plugins"], ["data", "list"], ["data", "list", "ud-english-ewt"]]
)
@pytest.mark.parametrize("columns", [80, 60])
def test_every_listing_fits(command, columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(command) == exit_codes.PROVED
    lines = capsys.readouterr().out.splitlines()
    if command[:1] == ["data"]:  # sentences, and an address, which stays whole
        lines = [line for line in lines if not line.startswith((" ", "NC:", "ud-english-ewt:"))]
    assert len(lines) > 2
    for line in lines:
        assert len(line) <= columns, line


@pytest.mark.long
@pytest.mark.parametrize("task", ["pos-tagging", "dependency-parsing", "entity-linking", "title-generation"])
def test_the_tables_of_a_task_fit(task, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["run", task, "-q"]) == exit_codes.PROVED
    assert 80 >= max(map(len, capsys.readouterr().out.splitlines())) > 3


@pytest.mark.parametrize("columns", [80, 60, 40, 20])
def test_nothing_is_lost(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [(f"name {i}", LONG, i, "prose " * 12, "") for i in range(3)]
    Console().table("A title of some length " * 5, ("name", "class", "number", "a long head", "error"), rows)
    shown = capsys.readouterr().out
    assert shown.count("prose") == 36
    assert "".join(shown.split()).count("title") == 5
    assert all(f"name {i}" in shown for i in range(3))
    if columns >= 40:
        assert max(map(len, shown.splitlines())) <= columns


def test_text_is_folded_between_words_and_names_after_their_dots():
    assert folded("a few words", 80) == ["a few words"]
    assert folded("a few words", 5) == ["a few", "words"]
    assert folded(LONG, 30) == ["gapless_dependency.factors.", "arc_family:GreatGrandchild"]
    assert folded("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert folded("", 5) == [""]


def test_numbers_stand_on_the_right_and_empty_tables_are_heads():
    lines = list(table_lines(("name", "n"), [("one", "1"), ("two", "20")], [False, True], 80))
    assert lines == ["name   n", "----  --", "one    1", "two   20"]
    assert list(table_lines(("name",), [], [False], 80)) == ["name", "----"]


def test_numbers_of_tables_have_commas_and_four_digits():
    cells = [cell(value) for value in (1614877, 1157.4, 999.97, 615627.3, -0.0123456, 7, True, "1157", 1e6)]
    assert cells == ["1,614,877", "1,157", "1,000", "615,627", "-0.01235", "7", "True", "1157", "1,000,000"]
