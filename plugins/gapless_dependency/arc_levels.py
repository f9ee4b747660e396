"""Levels of the arcs of a rendered tree: above the arcs that they span, apart from those that they would touch."""

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


def arcs_with_levels(heads: Sequence[int]) -> list[Arc]:
    """Arcs between words, short ones first, without the root's; ``heads[i]`` is the head of word ``i + 1``.

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
