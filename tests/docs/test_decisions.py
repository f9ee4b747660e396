"""Records of decisions are numbered from 1 without a hole, and headed by their number."""

import re
from pathlib import Path

DECISIONS = Path(__file__).parents[2] / "docs/decisions"
PAGES = sorted(path for path in DECISIONS.glob("*.md") if path.name != "index.md")


def test_numbers_have_no_hole_and_no_double() -> None:
    assert PAGES
    assert [path.name[:4] for path in PAGES] == [f"{number:03}-" for number in range(1, len(PAGES) + 1)]


def test_a_page_is_headed_by_its_number() -> None:
    heads = {path.name: path.read_text("utf-8").split("\n")[0] for path in PAGES}
    assert [name for name, head in heads.items() if not re.match(rf"# {name[:3]}[.:] \S", head)] == []
