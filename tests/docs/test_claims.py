"""Sentences of the docs that a program can check: where to begin, which kernel has a twin, what is set once."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from gapless.selftest import twins

ROOT = Path(__file__).parents[2]
BEGINNINGS = ("README.md", "docs/index.md", "docs/howto/install.md", "docs/tour.md")
FROM_CLONE = re.compile(r"pip install (?:-e )?(?:\.|'\.\[)")
FROM_INDEX = re.compile(r"pip install '?gapless")


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_beginning_installs_from_a_clone(name: str) -> None:
    text = read(name)
    clone, index = FROM_CLONE.search(text), FROM_INDEX.search(text)
    assert clone is not None
    assert index is None or clone.start() < index.start(), "there is no release to install yet: a clone comes first"


PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "docs").rglob("*.md")
    if "decisions" not in path.parts and path.name != "changelog.md"
)


@pytest.mark.parametrize("name", [name for name in PAGES if "pip install" in read(name)])
def test_no_page_installs_from_an_index_that_has_no_release(name: str) -> None:
    text = read(name)
    clone, index = FROM_CLONE.search(text), FROM_INDEX.search(text)
    assert index is None or (clone is not None and clone.start() < index.start())


def test_the_comparison_says_that_there_is_no_release() -> None:
    (ours,) = [
        line for line in read("docs/explanation/comparison.md").splitlines() if line.startswith("| **gapless**")
    ]
    assert "clone" in ours.split("|")[-2]


@pytest.mark.parametrize("name", BEGINNINGS[:3])
def test_a_beginning_says_what_a_release_will_change(name: str) -> None:
    assert "no release on PyPI yet" in read(name)


def test_contributing_names_every_kernel_without_a_twin() -> None:
    kernels = ROOT / "cython_ext"
    # lanes/ holds no kernel: it chooses between instruction sets of the others. Nor are public modules kernels:
    # they declare roles to fill in.
    compiled = {file for file in kernels.rglob("_*.pyx") if file.parent.name != "lanes"}
    alone = {f"{p.parent.name}/{p.stem}" for p in compiled if not p.with_name(f"{p.stem}_twin.py").exists()}
    rule = re.search(r"\*\*A kernel has a twin\.\*\*.*?\n\n", read("CONTRIBUTING.md"), re.DOTALL)
    assert compiled
    assert rule is not None
    place = re.search(r"exceptions stand in `TWINLESS` of\s+`([\w/.]+)`", rule[0])
    assert place is not None
    excepted = re.search(r"^TWINLESS = \{\n(.*?)^\}", read(place[1]), re.DOTALL | re.MULTILINE)
    assert excepted is not None
    assert alone == set(re.findall(r'^    "([\w/]+)":', excepted[1], re.MULTILINE)) - {"lanes/_sets"}


def test_trust_names_the_kernels_that_the_selftest_compares() -> None:
    page = read("docs/explanation/trust.md")
    assert [name for name in twins._KERNELS if name.replace("edge lists", "reader of edge lists") not in page] == []


def test_nothing_is_set_twice_in_the_configuration_of_the_site() -> None:
    tree = ast.parse(read("docs/conf.py"))
    names = Counter(
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    )
    assert [name for name, times in names.items() if times > 1] == []
