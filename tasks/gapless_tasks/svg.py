"""What every drawing of a task shares: one SVG element, complete in itself, and text in it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

INK, GREY = "#333333", "#777777"
RED, BLUE, GREEN = "#b3261e", "#1f5fa8", "#2e7d32"


def svg(width: float, height: float, title: str, drawn: Iterable[str]) -> str:
    """One SVG element on white ground.

    Parameters
    ----------
    width, height : float
    title : str
        For people who hear the picture instead of seeing it.
    drawn : iterable of str
        Elements, in the order in which they are painted.
    """
    return "\n".join(
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


def text(
    x: float, y: float, words: str, colour: str, size: int, *, halo: bool = False, anchor: str = "middle"
) -> str:
    """Words at a place, on a white border with `halo`; `anchor` is ``start``, ``middle`` or ``end``."""
    border = ' stroke="white" stroke-width="3" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{border}>'
        f"{escape(words)}</text>"
    )
