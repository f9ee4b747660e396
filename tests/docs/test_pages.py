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
USED = re.compile(r"(?<!_\.)\b(?:gl|gapless)\.(\w+)")  # ``doc._.gapless`` is spaCy's
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def name(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [p for p in PAGES if BLOCK.search(p.read_text("utf-8"))], ids=name)
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


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    missing = [link for link in LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_nothing_waits_to_be_filled_in(page):
    assert not re.findall(r"^\s*[A-Z]{4,}\s*$|\b(?:TODO|FIXME|TBD|XXX)\b", page.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_line_of_a_sentence_begins_with_a_comment(page):
    """Markdown takes such a line for HTML: its code and its links would be shown as they are written."""
    assert not re.findall(r"^ *<!-- value.*", page.read_text("utf-8"), re.MULTILINE)


def test_every_hook_is_documented_with_its_signature():
    page = (ROOT / "docs/reference/hooks.md").read_text("utf-8")
    hooks = [f for n, f in vars(hookspecs).items() if n.startswith("gapless_")]
    assert hooks
    for hook in hooks:
        signature = ", ".join(inspect.signature(hook).parameters)
        assert f"## {hook.__name__}({signature})" in page


CODE = re.compile(r"^ *```\w+\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES[1:], ids=name)
def test_code_fits_88_columns(page):
    """So that no block scrolls sideways on the site."""
    wide = [
        line for block in CODE.findall(page.read_text("utf-8")) for line in block.splitlines() if len(line) > 88
    ]
    assert not wide
