"""Every Python block of the README and the docs runs; links and figures exist."""

import inspect
import re
from pathlib import Path

import pytest
from page_blocks import BLOCK, missing, run

import gapless
from gapless.plugins import hookspecs

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LONG = {"docs/howto/columns-and-cuts-together.md", "docs/howto/spacy.md"}
"""Pages whose blocks take more than three seconds."""
USED = re.compile(r"(?<!_\.)\b(?:gl|gapless)\.(\w+)")  # ``doc._.gapless`` is spaCy's
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def name(page):
    return page.relative_to(ROOT).as_posix()


BLOCKS = [
    pytest.param(page, marks=[pytest.mark.long] if name(page) in LONG else [], id=name(page))
    for page in PAGES
    if BLOCK.search(page.read_text("utf-8"))
]


@pytest.mark.parametrize("page", BLOCKS)
def test_python_blocks_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text("utf-8")
    if reason := missing(text):
        pytest.skip(reason)
    assert len(run(text, str(page))) == text.count("\n```python\n")


def test_pages_use_public_names_only():
    blocks = [block for page in PAGES for block in BLOCK.findall(page.read_text("utf-8"))]
    used = {name for block in blocks for name in USED.findall(block)}
    modules = {path.stem for path in (ROOT / "framework/gapless").iterdir() if path.is_dir()} | {"roles"}
    assert sorted(used - set(gapless.__all__) - modules) == []


def test_links_lead_somewhere():
    missing = [
        (name(page), link)
        for page in PAGES
        for link in LINK.findall(page.read_text("utf-8"))
        if not (page.parent / link).exists()
    ]
    assert not missing


def test_every_hook_is_documented_with_its_signature():
    page = (ROOT / "docs/reference/hooks.md").read_text("utf-8")
    hooks = [f for n, f in vars(hookspecs).items() if n.startswith("gapless_")]
    assert hooks
    for hook in hooks:
        signature = ", ".join(inspect.signature(hook).parameters)
        assert f"## {hook.__name__}({signature})" in page
