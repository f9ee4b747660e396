"""Trees rendered as SVG: arcs above the words, wrong arcs red with the gold ones dashed, crossings visible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from gapless.svg import BLUE, GREEN, GREY, INK, RED, svg, text


@attrs.frozen
class Arc:
    """An arc between two words, both counted from 1.

    `level`: height above the words, at least 1. `crosses`: whether it crosses another arc.
    """

    head: int
    modifier: int
    level: int
    crosses: bool

    @property
    def left(self) -> int:
        """The first of its two words."""
        return min(self.head, self.modifier)

    @property
    def right(self) -> int:
        """The second of its two words."""
        return max(self.head, self.modifier)


def arcs_with_levels(heads: Sequence[int]) -> list[Arc]:
    """List arcs between words, short ones first, without the root's; ``heads[i]`` is the head of word ``i + 1``.

    Two arcs on one level share no stretch of the sentence; an arc that spans another has a higher level.
    """
    # Short arcs first, so that an arc is placed after all arcs that it spans.
    spans = sorted(
        ((min(h, m), max(h, m), h, m) for m, h in enumerate(heads, start=1) if h),
        key=lambda span: (span[1] - span[0], span[0]),
    )
    arcs: list[Arc] = []
    for left, right, head, modifier in spans:
        below = [arc.level for arc in arcs if left <= arc.left and arc.right <= right]
        overlapping = {arc.level for arc in arcs if arc.left < right and left < arc.right}
        level = 1 + max(below, default=0)
        while level in overlapping:
            level += 1
        crosses = any(_cross((left, right), other[:2]) for other in spans)
        arcs.append(Arc(head, modifier, level, crosses))
    return arcs


def _cross(left: tuple[int, int], right: tuple[int, int]) -> bool:
    return left[0] < right[0] < left[1] < right[1] or right[0] < left[0] < right[1] < left[1]


_INK, _CROSSING, _WRONG, _GOLD = INK, BLUE, RED, GREEN
_LETTER, _SPACE, _NARROWEST = 8.2, 18.0, 40.0
_STEP, _TOP, _MARGIN = 26.0, 40.0, 16.0
_PORT = 7.0
"""Distance of the start of an arc from the middle of its head."""


def draw_svg(
    words: Sequence[str],
    heads: Sequence[int],
    *,
    labels: Sequence[str] = (),
    tags: Sequence[str] = (),
    gold: Sequence[int] | None = None,
    title: str = "",
) -> str:
    """Draw a tree as one SVG element, complete in itself.

    Each arc lies on a white border, so that where two cross one visibly passes over the other. Crossing arcs are
    blue, arcs that `gold` does not have are red, and dashed green ones below the words are what `gold` has instead.

    Parameters
    ----------
    heads : sequence of n int
        The head of each word, 0 for the root.
    labels : sequence of n str, optional
        Relations, written on the arcs.
    tags : sequence of n str, optional
        Written below the words.
    title : str
        For screen readers.
    """
    middles, width = _columns(words, labels, tags)
    arcs = arcs_with_levels(heads)
    tallest = max((arc.level for arc in arcs), default=0) + 1
    base = _TOP + tallest * _STEP
    missed = {} if gold is None else {m: g for m, (h, g) in enumerate(zip(heads, gold, strict=True), 1) if h != g}
    hung = [arc for arc in arcs_with_levels(gold or ()) if arc.modifier in missed]
    deepest = max((arc.level for arc in hung), default=0) + (1 if missed else 0)
    ground = base + (46 if tags else 28)
    height = ground + deepest * _STEP + _MARGIN
    drawn: list[str] = []
    for arc in sorted(arcs, key=lambda arc: -arc.level):
        colour = _WRONG if arc.modifier in missed else _CROSSING if arc.crosses else _INK
        label = labels[arc.modifier - 1] if labels else ""
        drawn += _arc(arc, middles, base, -1.0, colour, label)
    for modifier, head in enumerate(heads, start=1):
        if head == 0:
            colour = _WRONG if modifier in missed else _INK
            drawn += _root(middles[modifier - 1], _TOP - 14, base, colour, "root", drawn_up=True)
    for arc in hung:
        drawn += _arc(arc, middles, ground, 1.0, _GOLD, "")
    for modifier, head in missed.items():
        if head == 0:
            drawn += _root(middles[modifier - 1], ground + deepest * _STEP, ground, _GOLD, "root", drawn_up=False)
    for index, word in enumerate(words):
        drawn.append(text(middles[index], base + 20, word, _INK, 15))
        if tags:
            drawn.append(text(middles[index], base + 37, tags[index], GREY, 12))
    return svg(width, height, title or " ".join(words), drawn)


def _columns(words: Sequence[str], labels: Sequence[str], tags: Sequence[str]) -> tuple[list[float], float]:
    """Return the middle of each word, and the width of the picture."""
    middles, right = [], _MARGIN
    for index, word in enumerate(words):
        # Tags and labels are set in 12 points, words in 15: a letter of them is 0.8 times as wide.
        letters = max(len(word), 0.8 * len(tags[index]) if tags else 0, 0.8 * len(labels[index]) if labels else 0)
        width = max(_NARROWEST, letters * _LETTER + _SPACE)
        middles.append(right + width / 2)
        right += width
    return middles, right + _MARGIN


def _arc(arc: Arc, middles: Sequence[float], base: float, side: float, colour: str, label: str) -> Iterator[str]:
    """Render one arc; `side` is -1 above the words and 1 below them."""
    # Arcs leave a head beside its middle, where the arrow into it ends.
    port = _PORT if arc.modifier > arc.head else -_PORT
    start, end = middles[arc.head - 1] + port, middles[arc.modifier - 1]
    edge = base + side * arc.level * _STEP
    # A short arc gets smaller corners, so that its two bends do not overlap.
    bend = min(14.0, abs(end - start) / 2) * (1 if end > start else -1)
    path = (
        f"M{start:.1f} {base:.1f}V{edge - side * 12:.1f}Q{start:.1f} {edge:.1f} {start + bend:.1f} {edge:.1f}"
        f"H{end - bend:.1f}Q{end:.1f} {edge:.1f} {end:.1f} {edge - side * 12:.1f}V{base + side * 6:.1f}"
    )
    dashes = "" if side < 0 else ' stroke-dasharray="5 3"'
    # A wider white line below the coloured one makes crossings readable.
    yield f'<path d="{path}" fill="none" stroke="white" stroke-width="5"/>'
    yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>'
    yield _arrow(end, base, side, colour)
    if label:
        yield text((start + end) / 2, edge - 4, label, colour, 12, halo=True)


def _root(middle: float, far: float, base: float, colour: str, label: str, *, drawn_up: bool) -> Iterator[str]:
    side = -1.0 if drawn_up else 1.0
    yield f'<path d="M{middle:.1f} {far:.1f}V{base + side * 6:.1f}" stroke="white" stroke-width="5"/>'
    dashes = "" if drawn_up else ' stroke-dasharray="5 3"'
    yield f'<path d="M{middle:.1f} {far:.1f}V{base + side * 6:.1f}" stroke="{colour}" stroke-width="1.5"{dashes}/>'
    yield _arrow(middle, base, side, colour)
    yield text(middle, far - 4 if drawn_up else far + 12, label, colour, 12)


def _arrow(x: float, base: float, side: float, colour: str) -> str:
    y = base + side * 8
    return f'<path d="M{x - 4:.1f} {y:.1f}H{x + 4:.1f}L{x:.1f} {base:.1f}Z" fill="{colour}"/>'
