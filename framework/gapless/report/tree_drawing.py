"""A search tree drawn as SVG, with a description of every node."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gapless.report.search_tree import Node
from gapless.svg import tree_places

SHOWN = 1500
"""Limit on the nodes; of a larger tree the first levels are drawn."""
_ACROSS, _DOWN, _MARGIN, _RADIUS = 22.0, 54.0, 18.0, 7.0


def draw_tree(nodes: Sequence[Node]) -> str:
    """One SVG element; the page colours it and shows the description of a node on hover, focus and touch."""
    shown = nodes[:SHOWN]
    middles, depths = tree_places([node.parent for node in shown], [_ACROSS] * len(shown))
    width = max(middles) + _ACROSS / 2 + 2 * _MARGIN
    height = max(depths) * _DOWN + 2 * _MARGIN + 2 * _RADIUS
    places = [
        (middle + _MARGIN, depth * _DOWN + _MARGIN + _RADIUS) for middle, depth in zip(middles, depths, strict=True)
    ]
    lines, circles = [], []
    for node, (x, y) in zip(shown, places, strict=True):
        if node.parent >= 0:
            a, b = places[node.parent]
            lines.append(f"M{a:.0f} {b:.0f}C{a:.0f} {b + 26:.0f} {x:.0f} {y - 26:.0f} {x:.0f} {y:.0f}")
        words = escape(f"node {node.number}: {node.words()}")
        circles.append(
            f'<circle class="{node.outcome}" cx="{x:.0f}" cy="{y:.0f}" r="{_RADIUS:.0f}" data-tip="{words}" '
            f'tabindex="0" role="img" aria-label="{words}"/>'
        )
    return (
        f'<svg class="tree" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="group" aria-label="search tree of {len(nodes)} nodes">'
        f'<path class="edge" d="{"".join(lines)}"/>{"".join(circles)}</svg>'
    )
