"""The English of docstrings and pages: nouns for things, not clauses ("Number of rows", not "How many rows")."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("framework", "plugins", "tasks", "cython_ext", "docs")
TESTS = ("tests", ".ci")
PAGES = ("docs", "README.md", "CONTRIBUTING.md")
CLAUSE = re.compile(r"(What|Which|How|Who|Whom|Whose|Where|Why)\b(?!.*\?$)")
PHRASES = re.compile(
    r"better than this much|from who has|otherwise it is looked for|so many by name|stopped by proved|by PROVED\b"
    r"|what (is|was) to be reached",
    re.IGNORECASE,
)
STRING = re.compile(r'"""(.*?)"""', re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def openings(docstring: str) -> Iterator[str]:
    """The first line, and the first line of each description that is indented below a name."""
    before = ""
    for number, line in enumerate(docstring.splitlines()):
        indented = len(line) - len(line.lstrip()) > len(before) - len(before.lstrip())
        if number == 0 or (number > 1 and before.strip() and indented):
            yield line.strip()
        before = line


def docstrings(file: Path) -> Iterator[str]:
    """Every string that stands as a statement; in Cython, every string in three quotes."""
    text = file.read_text("utf-8")
    if file.suffix != ".py":
        yield from STRING.findall(text)
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(said))):
                yield said


def files(roots: tuple[str, ...], suffixes: set[str]) -> list[Path]:
    found = [file for root in roots for file in (ROOT / root, *(ROOT / root).rglob("*"))]
    return sorted(file for file in found if file.is_file() and file.suffix in suffixes)


def test_docstrings_begin_with_nouns_and_verbs() -> None:
    sources = files((*CODE, *TESTS), {".py", ".pyi", ".pyx", ".pxd"})
    clauses = [
        f"{file.relative_to(ROOT)}: {line}"
        for file in sources
        for said in docstrings(file)
        for line in openings(said)
        if CLAUSE.match(line)
    ]
    assert sources
    assert not clauses, "\n".join(clauses)


def test_headings_begin_with_nouns_and_verbs() -> None:
    pages = files(PAGES, {".md"})
    headings = [
        f"{file.relative_to(ROOT)}: {line}"
        for file in pages
        for line in re.findall(r"^#+ (.*)", FENCED.sub("", file.read_text("utf-8")), re.MULTILINE)
        if CLAUSE.match(line)
    ]
    assert pages
    assert headings == []


def test_no_phrase_is_said_that_readers_stumble_over() -> None:
    texts = files((*CODE, *PAGES), {".py", ".pyi", ".pyx", ".md", ".json", ".toml", ".html"})
    found = [
        f"{file.relative_to(ROOT)}: {said[0]}"
        for file in texts
        for said in PHRASES.finditer(file.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "docstring",
    [
        "What a solve may spend.",
        "The limits.\n\n    Parameters\n    ----------\n    nodes : int\n        How many nodes.\n    ",
    ],
)
def test_clauses_are_caught(docstring: str) -> None:
    assert any(CLAUSE.match(line) for line in openings(docstring))


def test_nouns_and_questions_are_left_alone() -> None:
    said = "Limits.\n\n    Where values agree, nothing is done.\n\n    nodes : int\n        Number of nodes.\n    "
    assert not any(CLAUSE.match(line) for line in openings(said))
    assert not CLAUSE.match("Which?")


@pytest.mark.parametrize(("module", "name"), [("results/status", "Status"), ("limits", "Stop")])
def test_every_member_has_its_sentence(module: str, name: str) -> None:
    tree = ast.parse((ROOT / f"framework/gapless/core/{module}.py").read_text("utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    members = [number for number, node in enumerate(body) if isinstance(node, ast.Assign)]
    assert members
    for number in members:
        match body[number + 1]:
            case ast.Expr(value=ast.Constant(value=str(said))) if said.endswith("."):
                continue
        pytest.fail(f"{ast.unparse(body[number])}: a sentence should follow")
