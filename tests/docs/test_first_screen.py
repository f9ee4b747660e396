"""The first screen of the landing page: a picture of what its blocks find, one line to install, two links."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import page_blocks
import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "index.md").read_text("utf-8")


def test_the_first_screen_comes_before_all_code() -> None:
    first = PAGE[: PAGE.index("```python")]
    picture, install = first.index("](figures/sentence.svg)"), first.index("pip install")
    tour, browser = first.index("](tour.md)"), first.index("](browser.md)")
    assert picture < install < tour < browser
    shell = re.search(r"```sh\n(.*?)```", first, re.DOTALL)
    assert shell
    assert shell[1].count("\n") == 1


def test_the_picture_shows_words_of_the_page(draw: ModuleType) -> None:
    assert f'"{" ".join(draw.WORDS)}".split()' in PAGE


@pytest.mark.long
def test_the_picture_shows_what_the_blocks_find(draw: ModuleType) -> None:
    names: dict[str, Any] = {}
    for _, code in page_blocks.blocks(PAGE):
        exec(code, names)
        if "led_astray" in names:
            break
    differing = [
        place
        for place, pair in enumerate(zip(names["tags"], names["beam_tags"], strict=True))
        if len(set(pair)) > 1
    ]
    assert differing == [draw.MISTAKEN]
    assert (names["tags"][draw.MISTAKEN], names["beam_tags"][draw.MISTAKEN]) == (draw.TAG, draw.BEAM_TAG)
    assert [list(map(int, names[heads])) for heads in ("heads", "led_astray")] == [draw.HEADS, draw.BEAM_HEADS]
    exact, beam = names["exact"], names["beam"]
    assert (round(exact.value, 2), round(exact.bound, 2), round(beam.value, 2)) == (
        draw.BOUND,
        draw.BOUND,
        draw.BEAM_VALUE,
    )
