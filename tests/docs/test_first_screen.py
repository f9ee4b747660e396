"""The picture of the landing page shows what its blocks find."""

from pathlib import Path

import page_blocks
import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "index.md").read_text("utf-8")


@pytest.mark.long
def test_the_picture_shows_what_the_blocks_find(draw):
    names = {}
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
