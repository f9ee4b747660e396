"""Shared parts of drawings: a self-contained SVG element, text in it, and positions for the nodes of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

INK, GREY = "#333333", "#666666"
RED, BLUE, GREEN = "#b3261e", "#1f5fa8", "#2e7d32"


def svg(width: float, height: float, title: str, elements: Iterable[str]) -> str:
    """Make one SVG element on a white background.

    `title`: read aloud by screen readers. `elements`: in the order in which they are painted.
    """
    drawing = "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" font-family="sans-serif" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
            *elements,
            "</svg>",
            "",
        ]
    )
    return drawing.encode("utf-8", "backslashreplace").decode()  # JSON can contain half of a surrogate pair


def text(
    x: float, y: float, words: str, colour: str, size: int, *, halo: bool = False, anchor: str = "middle"
) -> str:
    """Make a text element; `halo` adds a white border, `anchor` is ``start``, ``middle`` or ``end``."""
    border = ' stroke="white" stroke-width="3" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{border}>'
        f"{escape(words)}</text>"
    )


def cut(words: str, max_letters: int) -> str:
    """Shorten words to at most `max_letters` characters, the last one an ellipsis if something is cut."""
    return words if len(words) <= max_letters else f"{words[: max_letters - 1]}…"


def tree_places(parents: Sequence[int], widths: Sequence[float]) -> tuple[list[float], list[int]]:
    """Place the nodes of a tree or forest: leaves side by side, parents above the middle of their children.

    `parents`: -1 for a root. Parents come before children. `widths`: width of each node. A node that is wider than
    its subtree adds space on both sides of it.

    Returns
    -------
    list of float
        Horizontal centre of each node, from 0.
    list of int
        Depth of each node; 0 for a root.
    """
    count = len(parents)
    children: list[list[int]] = [[] for _ in range(count)]
    depths = [0] * count
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
            depths[node] = depths[parent] + 1
    # Parents come before children: backward, each subtree is complete; forward, each parent is placed.
    subtree_widths = list(map(float, widths))
    for node in reversed(range(count)):
        subtree_widths[node] = max(subtree_widths[node], sum(subtree_widths[child] for child in children[node]))
    left, total_width = [0.0] * count, 0.0
    for node, parent in enumerate(parents):
        if parent < 0:
            left[node], total_width = total_width, total_width + subtree_widths[node]
        x = left[node] + (subtree_widths[node] - sum(subtree_widths[child] for child in children[node])) / 2
        for child in children[node]:
            left[child], x = x, x + subtree_widths[child]
    centres = [left[node] + subtree_widths[node] / 2 for node in range(count)]
    for node in reversed(range(count)):
        if children[node]:
            centres[node] = (centres[children[node][0]] + centres[children[node][-1]]) / 2
    return centres, depths
