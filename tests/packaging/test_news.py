"""Each change leaves a fragment that the changelog can be built from."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

FRAGMENT = re.compile(r"(\d+|\+[\w-]+)\.(added|changed|fixed|removed)\.md")


def test_every_fragment_has_a_known_kind_and_says_something(repository: Path) -> None:
    for file in (repository / "news").iterdir():
        if file.name != "README.md":
            assert FRAGMENT.fullmatch(file.name), file.name
            assert file.read_text(encoding="utf-8").strip(), file.name


def test_the_changelog_can_be_built(repository: Path) -> None:
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "0"]
    answer = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    for file in (repository / "news").glob("*.md"):
        if file.name != "README.md":
            assert file.read_text(encoding="utf-8").split("\n")[0].strip() in answer.stdout


@pytest.mark.parametrize("name", ["notes.md", "+x.feature.md", "x.added.md", "12.fixed.rst"])
def test_a_wrong_name_is_caught(name: str) -> None:
    assert not FRAGMENT.fullmatch(name)
