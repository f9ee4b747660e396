"""Shared parts of drawings: one self-contained SVG element, its text, and places for the nodes of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

INK, GREY = "#333333", "#666666"
RED, BLUE, GREEN = "#b3261e", "#1f5fa8", "#2e7d32"


def svg(width: float, height: float, title: str, drawn: Iterable[str]) -> str:
    """One SVG element on white ground.

    `title`: for people who hear the picture instead of seeing it. `drawn`: elements, in the order in which they are
    painted.
    """
    drawing = "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" font-family="sans-serif" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
            *drawn,
            "</svg>",
            "",
        ]
    )
    return drawing.encode("utf-8", "backslashreplace").decode()  # words from JSON may hold half a character


def text(
    x: float, y: float, words: str, colour: str, size: int, *, halo: bool = False, anchor: str = "middle"
) -> str:
    """Words at a place, on a white border with `halo`; `anchor` is ``start``, ``middle`` or ``end``."""
    border = ' stroke="white" stroke-width="3" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{border}>'
        f"{escape(words)}</text>"
    )


def cut(words: str, letters: int) -> str:
    """The words, or their beginning and an ellipsis: at most so many letters."""
    return words if len(words) <= letters else f"{words[: letters - 1]}…"


def tree_places(parents: Sequence[int], widths: Sequence[float]) -> tuple[list[float], list[int]]:
    """Places of the nodes of a tree or forest: leaves side by side, parents above the middle of their children.

    `parents`: -1 for a root. Parents come before children. `widths`: room of each node. A node wider
    than all that hangs below it moves its subtree apart.

    Returns
    -------
    list of float
        The middle of each node, from 0.
    list of int
        Its depth; 0 for a root.
    """
    count = len(parents)
    children: list[list[int]] = [[] for _ in range(count)]
    depths = [0] * count
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
            depths[node] = depths[parent] + 1
    room = list(map(float, widths))
    for node in reversed(range(count)):
        room[node] = max(room[node], sum(room[child] for child in children[node]))
    left, used = [0.0] * count, 0.0
    for node, parent in enumerate(parents):
        if parent < 0:
            left[node], used = used, used + room[node]
        at = left[node] + (room[node] - sum(room[child] for child in children[node])) / 2
        for child in children[node]:
            left[child], at = at, at + room[child]
    middles = [left[node] + room[node] / 2 for node in range(count)]
    for node in reversed(range(count)):
        if children[node]:
            middles[node] = (middles[children[node][0]] + middles[children[node][-1]]) / 2
    return middles, depths
