"""Contrast of the letters of an SVG drawing with what they stand on, as WCAG 2 defines it."""

from __future__ import annotations

import colorsys
import re
import xml.etree.ElementTree as ET

import numpy as np
from numpy.typing import NDArray

LEAST = 4.5
"""WCAG 2.2, criterion 1.4.3, level AA."""
INVERSIONS = (0.92, 0.9)
"""By so much dark pages, of reports and of the site, invert drawings, before they turn the hues back."""
HSL = re.compile(r"hsl\((\d+), (\d+)%, (\d+)%\)")
NAMED = {"white": "#ffffff", "black": "#000000"}

Colour = NDArray[np.float64]


def rgb(colour):
    """Read a colour as three numbers in [0, 1]."""
    if found := HSL.fullmatch(colour):
        hue, saturation, lightness = (float(part) for part in found.groups())
        return np.array(colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100))
    digits = NAMED.get(colour, colour).removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    return np.array([int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)])


def inverted(colour, share):
    """Apply ``invert(share) hue-rotate(180deg)``, see Filter Effects Module Level 1, section 8."""
    luminance = np.array([0.213, 0.715, 0.072])
    colour = colour * (1 - share) + (1 - colour) * share
    return np.clip(2 * luminance @ colour - colour, 0.0, 1.0)


def contrast(letters, ground):
    """Contrast ratio of two colours, from 1 to 21."""

    def luminance(colour: Colour) -> float:
        linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    dark, light = sorted((luminance(letters), luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def faint(svg, inversions=INVERSIONS):
    """Name the letters of a drawing, as it is and inverted, whose contrast is below `LEAST`."""
    grounds = []
    for element in ET.fromstring(svg).iter():
        kind, get = element.tag.rpartition("}")[2], element.get
        fill = get("fill", "none" if kind == "path" else "#000000")
        if kind == "rect" and fill != "none":
            x, y = float(get("x", "0")), float(get("y", "0"))
            grounds.append((x, y, x + float(get("width", "0")), y + float(get("height", "0")), rgb(fill)))
        elif kind == "circle" and fill != "none":
            x, y, radius = (float(get(name, "0")) for name in ("cx", "cy", "r"))
            grounds.append((x - radius, y - radius, x + radius, y + radius, rgb(fill)))
        elif kind == "text":
            ground = (
                rgb("white")
                if get("stroke") == "white"
                else _below(float(get("x", "0")), float(get("y", "0")), grounds)
            )
            pairs = [(rgb(fill), ground), *((inverted(rgb(fill), s), inverted(ground, s)) for s in inversions)]
            if (least := min(contrast(*pair) for pair in pairs)) < LEAST:
                yield f"{''.join(element.itertext())}: {fill} has a contrast of {least:.2f}"


def _below(x, y, grounds):
    """The colour below letters whose baseline is at `y`."""
    found = [
        colour for left, top, right, bottom, colour in grounds if left <= x <= right and top <= y - 4 <= bottom
    ]
    return found[-1] if found else rgb("white")
