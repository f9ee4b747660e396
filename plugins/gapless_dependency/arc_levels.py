"""Levels of the arcs of a drawn tree: over the arcs inside them, clear of those they would run into."""

from __future__ import annotations

from collections.abc import Sequence

import attrs


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


def levelled(heads: Sequence[int]) -> list[Arc]:
    """Arcs between words, short ones first, without the root's; ``heads[i]`` is the head of word ``i + 1``.

    Two arcs on one level share no stretch of the sentence; one that spans another stands above it.
    """
    spans = sorted(
        ((min(h, m), max(h, m), h, m) for m, h in enumerate(heads, start=1) if h),
        key=lambda span: (span[1] - span[0], span[0]),
    )
    arcs: list[Arc] = []
    for left, right, head, modifier in spans:
        below = [arc.level for arc in arcs if left <= arc.left and arc.right <= right]
        beside = {arc.level for arc in arcs if arc.left < right and left < arc.right}
        level = 1 + max(below, default=0)
        while level in beside:
            level += 1
        crosses = any(_cross((left, right), other[:2]) for other in spans)
        arcs.append(Arc(head, modifier, level, crosses))
    return arcs


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1]
