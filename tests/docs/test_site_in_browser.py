"""Every page of the built site in a browser: nothing scrolls sideways at a desk or on a phone, light or dark."""

import os
from pathlib import Path

import pytest
from chromium import chromium, use_screen

SITE = Path(os.environ.get("GAPLESS_SITE", Path(__file__).parents[2] / "build/docs"))
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="needs the built site: make docs"),
]
DESK, PHONE = (1280, 900), (390, 900)
OUTSIDE = """
const width = innerWidth, out = [];
if (document.scrollingElement.scrollWidth > width) out.push("the page: " + document.scrollingElement.scrollWidth);
for (const one of document.querySelectorAll("article *")) {
  const box = one.getBoundingClientRect();
  if (!box.width || box.right <= width + 0.5) continue;
  // In a box that scrolls by itself, or in one that stands in the page? Browsers clip pictures, which are no boxes.
  let held = one.tagName === "IMG" ? one.parentElement : one;
  while (held && held.tagName !== "ARTICLE" && getComputedStyle(held).overflowX === "visible")
    held = held.parentElement;
  const inside = held && held.tagName !== "ARTICLE" && held !== one;
  if (!inside && !one.closest("svg")) out.push(one.outerHTML.slice(0, 80));
}
return out.slice(0, 3);
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=str)
def test_no_page_scrolls_sideways(browser, size, scheme):
    use_screen(browser, size, scheme, mobile=size == PHONE)
    pages = sorted(page for page in SITE.rglob("*.html") if "_static" not in page.parts)
    assert pages
    outside = {}
    for page in pages:
        browser.get(page.as_uri())
        browser.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        if found := browser.execute_script(OUTSIDE):
            outside[page.relative_to(SITE).as_posix()] = found
    assert outside == {}


@pytest.mark.parametrize("size", [DESK, PHONE], ids=str)
def test_the_first_screen_has_picture_installation_and_links(browser, size):
    use_screen(browser, size, mobile=size == PHONE)
    browser.get((SITE / "index.html").as_uri())
    bottoms = [
        browser.execute_script("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", name)
        for name in ("img[src$='sentence.svg']", "article .highlight-sh", "article strong > a[href='browser.html']")
    ]
    assert bottoms == sorted(bottoms)
    assert bottoms[-1] < 900
    code = browser.execute_script(
        "return document.querySelector('article .highlight-python').getBoundingClientRect().top"
    )
    assert code > bottoms[-1]


def test_groups_of_the_sidebar_fold_and_the_pages_own_is_open(browser):
    use_screen(browser, DESK)
    opened = "return [...document.querySelectorAll('details.group[open] > summary')].map((one) => one.textContent)"
    for page, groups in (
        ("index.html", []),
        ("howto/decode-a-corpus.html", ["Run at scale"]),
        ("api/solving.html", ["Reference"]),
    ):
        browser.get((SITE / page).as_uri())
        assert browser.execute_script(opened) == groups
    assert len(browser.find_elements("css selector", ".sidebar-tree details.group")) > 5
    assert not browser.find_elements("css selector", ".sidebar-tree p.caption")


def test_the_contents_of_a_page_stand_beside_it_at_a_desk(browser):
    use_screen(browser, DESK)
    browser.get((SITE / "howto/decode-a-corpus.html").as_uri())
    text, contents = (
        browser.execute_script("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", name)
        for name in ("article", ".toc-drawer .toc-tree")
    )
    assert text["right"] <= contents["left"]
    assert contents["right"] <= DESK[0]
    assert text["width"] > 700
