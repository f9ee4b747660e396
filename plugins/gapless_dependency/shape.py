"""Cycles and crossings of head sequences."""

from __future__ import annotations

from gapless.arrays.sparse import IntArray


def cycle(heads: IntArray) -> list[int]:
    """Return the words of a cycle, closed by its first one; empty if there is none.

    `heads` (int64 (n,)): entry i is the head of word i + 1.
    """
    above = [0, *heads.tolist()]
    # 0: not visited, 1: on the current path, 2: known to reach the root.
    state = [0] * len(above)
    state[0] = 2
    for start in range(1, len(above)):
        trail, word = [], start
        while state[word] == 0:
            state[word] = 1
            trail.append(word)
            word = above[word]
        if state[word] == 1:
            loop = trail[trail.index(word) :]
            return [*loop, word]
        for visited in trail:
            state[visited] = 2
    return []


def crossing(heads: IntArray) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return two arcs (head, modifier) that cross, the root being at position 0; None if the tree is projective."""
    # By left end, longer spans first: a span that begins inside an open one and ends outside of it crosses it.
    spans = sorted((min(h, m), -max(h, m), h, m) for m, h in enumerate(heads.tolist(), start=1))
    open_spans: list[tuple[int, int, int]] = []
    for left, negative_right, head, modifier in spans:
        right = -negative_right
        while open_spans and open_spans[-1][0] <= left:
            open_spans.pop()
        if open_spans and open_spans[-1][0] < right:
            return (open_spans[-1][1], open_spans[-1][2]), (head, modifier)
        open_spans.append((right, head, modifier))
    return None
