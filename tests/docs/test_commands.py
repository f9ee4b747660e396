"""Every `gapless` and `python -m benchmarks` command line of the pages parses, and all of them are on a page."""

import argparse
import re
import shlex
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks.table import SUMMARIES
from gapless.cli.main import build_parser
from gapless.plugins.manager import load_plugins

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ENDS = ("|", "&&", ";", "<", ">", "2>")


GAPLESS, BENCHMARKS = ["gapless"], ["python", "-m", "benchmarks"]


def command_lines(text, command=GAPLESS):
    """The arguments of each call of a command in the shell blocks of a page."""
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            while words and ("=" in words[0] or words[0] in ("time", "$")):
                words.pop(0)
            if words[: len(command)] == command:
                end = next((i for i, word in enumerate(words) if word in ENDS), len(words))
                yield words[len(command) : end]


@pytest.fixture(scope="module")
def parser():
    whole = build_parser(load_plugins())
    whole.fill_all()
    return whole


def subcommands(parser):
    return next(a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction))


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_command_lines_parse(page, parser, capsys):
    for command, its_parser in ((GAPLESS, parser), (BENCHMARKS, benchmarks.build_parser())):
        for arguments in command_lines(page.read_text("utf-8"), command):
            if set(arguments) & {"--help", "--version", "..."}:
                continue
            try:
                its_parser.parse_args(arguments)
            except SystemExit:
                pytest.fail(f"{shlex.join([*command, *arguments])}: {capsys.readouterr().err.strip()}")


def test_a_wrong_option_is_noticed(parser):
    page = "```sh\nTHREADS=1 gapless verify runs --whatever | head  # no such option\n```\n"
    (arguments,) = command_lines(page)
    assert arguments == ["verify", "runs", "--whatever"]
    with pytest.raises(SystemExit):
        parser.parse_args(arguments)


def test_every_command_and_task_is_on_a_page(parser):
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    commands = subcommands(parser)
    names = [*commands, *(f"run {task}" for task in subcommands(commands["run"]))]
    wanted = [*(f"gapless {name}" for name in names), *(f"python -m benchmarks {name}" for name in SUMMARIES)]
    missing = [name for name in wanted if not re.search(rf"\b{name}(?![\w-])", text)]
    assert not missing


def test_every_command_is_in_the_reference(parser):
    text = (ROOT / "docs/reference/cli.md").read_text("utf-8")
    missing = [name for name in subcommands(parser) if f"`gapless {name}" not in text]
    assert not missing
