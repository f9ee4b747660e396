"""Draw the figures of the explanation pages: ``python docs/figures/draw.py``.

Each figure is a white card, so that it can be read on light and on dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import log10
from pathlib import Path
from xml.sax.saxutils import escape

from gapless_dependency.arc_diagram import arcs_with_levels

INK, QUIET, BLUE, PALE, RED, GREEN, SAND = "#222", "#666", "#1f4e9c", "#dbe7f6", "#c0392b", "#2e7d32", "#f3d9b1"
Point = tuple[float, float]


def text(x: float, y: float, words: str, *, fill: str = INK, anchor: str = "start", bold: bool = False) -> str:
    """Draw one line of text, its baseline at y."""
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'


def lines(x: float, y: float, rows: Iterable[str], *, fill: str = INK, anchor: str = "start") -> str:
    """Draw several lines of text, 18 apart."""
    return "".join(text(x, y + 18 * i, row, fill=fill, anchor=anchor) for i, row in enumerate(rows))


def box(x: float, y: float, width: float, height: float, *, fill: str = PALE, stroke: str = BLUE) -> str:
    """Draw a rectangle with round corners."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" fill="{fill}" stroke="{stroke}"/>'
    )


def line(a: Point, b: Point, *, stroke: str = INK, width: float = 1.5, dashed: bool = False) -> str:
    """Draw a straight line."""
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    ends = f'x1="{a[0]:g}" y1="{a[1]:g}" x2="{b[0]:g}" y2="{b[1]:g}"'
    return f'<line {ends} stroke="{stroke}" stroke-width="{width:g}"{dash}/>'


def arrow(a: Point, b: Point, *, stroke: str = INK) -> str:
    """Draw a horizontal or vertical line with a head at its end."""
    (x, y), dx, dy = b, (b[0] > a[0]) - (b[0] < a[0]), (b[1] > a[1]) - (b[1] < a[1])
    left, right = (x - 9 * dx - 5 * dy, y - 9 * dy - 5 * dx), (x - 9 * dx + 5 * dy, y - 9 * dy + 5 * dx)
    return line(a, b, stroke=stroke) + polygon([b, left, right], fill=stroke, stroke=stroke)


def polygon(points: Sequence[Point], *, fill: str, stroke: str) -> str:
    """Draw a closed shape."""
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polygon points="{path}" fill="{fill}" stroke="{stroke}" stroke-width="1.5"/>'


def dot(x: float, y: float, *, fill: str = BLUE, radius: float = 4) -> str:
    """Draw a filled circle."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"/>'


def card(width: int, height: int, title: str, error: str, *parts: str) -> str:
    """Put elements together to the whole picture."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="14" role="img" aria-labelledby="t d">\n<title id="t">{escape(title)}</title>'
        f'<desc id="d">{escape(error)}</desc>\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


STRUCTURES: list[Point] = [
    (60, 230), (95, 185), (130, 240), (150, 160), (105, 135), (175, 200), (70, 150), (190, 245), (140, 205),
]  # fmt: skip


def panel(x: float, title: str, regions: Sequence[Sequence[Point]], top: float, notes: Sequence[str]) -> str:
    """Draw the structures as dots, relaxed regions around them, and the bound above."""
    shapes = "".join(polygon([(x + a, b) for a, b in shape], fill=PALE, stroke=BLUE) for shape in regions)
    dots = "".join(dot(x + a, b) for a, b in STRUCTURES)
    best = min(STRUCTURES, key=lambda p: p[1])
    meets = top == best[1]
    return "".join(
        [
            text(x + 20, 32, title, bold=True),
            shapes,
            dots,
            dot(x + best[0], best[1], fill=GREEN, radius=7),
            line((x + 20, top), (x + 235, top), stroke=RED, width=2),
            text(x + 235, top - 6, "bound" if not meets else "bound = value", fill=RED, anchor="end"),
            "" if meets else line((x + 20, best[1]), (x + 235, best[1]), stroke=GREEN, dashed=True),
            lines(x + 20, 292, notes, fill=QUIET),
        ]
    )


def relaxations() -> str:
    """Draw three steps in which a bound comes down to the best structure."""
    loose = [(35, 255), (60, 100), (130, 62), (215, 150), (215, 260)]
    tight = [(48, 248), (58, 140), (105, 100), (160, 140), (206, 256)]
    left = [(48, 248), (60, 142), (105, 135), (114, 248)]
    right = [(118, 254), (138, 152), (160, 150), (206, 256)]
    return card(
        780,
        330,
        "How a bound comes down",
        "Structures are dots, a relaxation is a region around them, its top is the bound. Left: far above the best "
        "structure. Middle: tightened, nearer. Right: two halves, and the higher top is the best structure.",
        panel(0, "1. Relax", [loose], 62, ["easy to optimise; contains", "every structure, and more"]),
        panel(260, "2. Tighten", [tight], 100, ["missing parts, violated rules,", "multipliers; a gap may stay"]),
        panel(520, "3. Branch", [left, right], 135, ["no structure lies between;", "each half is bounded alone"]),
        text(30, 60, "score", fill=QUIET),
        line((22, 66), (22, 250), stroke=QUIET),
    )


def certificates() -> str:
    """Draw the output of the search, and the input of the verifier."""
    return card(
        780,
        270,
        "What a certificate is for",
        "The search, with kernels and solvers, hands over a structure, its value, a bound and a certificate. The "
        "checker takes them and the problem's scores, and nothing else.",
        box(16, 30, 200, 130, fill="#f4f4f4", stroke=QUIET),
        text(115, 56, "the search", anchor="middle", bold=True),
        lines(115, 82, ["compiled kernels", "linear programs, SCIP", "heuristics, branching"], anchor="middle"),
        text(115, 148, "may be of any kind", fill=QUIET, anchor="middle"),
        arrow((216, 95), (285, 95)),
        box(290, 30, 200, 130),
        text(390, 56, "a result, as JSON", anchor="middle", bold=True),
        lines(390, 82, ["structure and value", "bound", "certificate: a few numbers"], anchor="middle"),
        arrow((490, 95), (565, 95)),
        box(570, 30, 190, 130, fill="#e8f3e9", stroke=GREEN),
        text(665, 56, "verify", anchor="middle", bold=True),
        lines(665, 82, ["is the structure allowed?", "what is it worth?", "what bound follows?"], anchor="middle"),
        text(665, 148, "plain NumPy, no solver", fill=QUIET, anchor="middle"),
        box(290, 195, 200, 50, fill=SAND, stroke="#b98a3a"),
        text(390, 225, "the scores of the problem", anchor="middle"),
        line((490, 220), (665, 220)),
        arrow((665, 220), (665, 162)),
        line((290, 220), (115, 220)),
        arrow((115, 220), (115, 162)),
    )


def pricing() -> str:
    """Draw two parts that each fit under an arc's allowance, and do not fit together."""

    def bar(x: float, base: float, amount: float, fill: str, label: str) -> str:
        height = 40 * amount
        return box(x, base - height, 70, height, fill=fill) + text(
            x + 35, base - height / 2 + 5, label, anchor="middle"
        )

    base = 250.0
    return card(
        780,
        320,
        "One by one, and together",
        "An arc that scores minus 3 can pay up to 3. Two parts are worth 2 each. Each alone stays below 3; the two "
        "together, 4, do not.",
        text(30, 34, "One by one: wrong", bold=True),
        bar(50, base, 2, PALE, "part 1: 2"),
        bar(180, base, 2, PALE, "part 2: 2"),
        line((30, base), (350, base)),
        line((30, base - 120), (350, base - 120), stroke=RED, width=2),
        text(352, base - 126, "the arc can pay 3", fill=RED, anchor="end"),
        lines(
            30,
            278,
            ["2 < 3 and 2 < 3: nothing seems to be missing,", "so leaving the arc out, worth 0, is called optimal"],
        ),
        text(430, 34, "Jointly: right", bold=True),
        line((430, base), (750, base)),
        line((430, base - 120), (750, base - 120), stroke=RED, width=2),
        bar(500, base, 2, PALE, "part 1: 2"),
        bar(500, base - 80, 2, SAND, "part 2: 2"),
        text(752, base - 126, "the arc can pay 3", fill=RED, anchor="end"),
        text(585, base - 145, "1 too much: the slack", fill="#8a5a00"),
        lines(430, 278, ["2 + 2 > 3: both parts are brought in;", "the arc with both is worth -3 + 2 + 2 = 1"]),
    )


BEAMS: list[tuple[str, str, list[tuple[int, float]], Point]] = [
    ("tags", BLUE, [(1, 87.9), (2, 98.1), (3, 99.8), (4, 99.8)], (-20, -10)),
    ("tags and entities", "#7b4ab8", [(1, 77.3), (5, 98.2), (7, 99.1), (10, 99.4)], (14, 30)),
    ("titles, 3 words", GREEN, [(1, 29.5), (80, 96.8), (1345, 100.0)], (-70, 96)),
    ("13 of 600 words", "#8a5a00", [(80, 42.0)], (12, 5)),
    ("13 of 600 sentences", RED, [(80, 1.0)], (12, -6)),
]
"""Width and percent optimal, as measured in docs/results.md; offset of the label from the second-last point."""


def beams() -> str:
    """Draw the success rate of a beam by width."""

    def place(width: float, percent: float) -> Point:
        return 70 + 200 * log10(width), 280 - 2.3 * percent

    parts = [line((70, 280), (740, 280)), line((70, 280), (70, 40))]
    for percent in (0, 25, 50, 75, 100):
        _, y = place(1, percent)
        parts += [line((64, y), (740, y), stroke="#ddd", width=1), text(58, y + 5, f"{percent}", anchor="end")]
    for width in (1, 10, 100, 1000):
        x, _ = place(width, 0)
        parts.append(text(x, 300, f"{width:,}", anchor="middle"))
    for label, colour, points, (dx, dy) in BEAMS:
        places = [place(*p) for p in points]
        parts += [line(a, b, stroke=colour, width=2) for a, b in pairwise(places)]
        parts += [dot(x, y, fill=colour) for x, y in places]
        x, y = places[-2] if len(places) > 1 else places[0]
        parts.append(text(x + dx, y + dy, label, fill=colour))
    return card(
        780,
        340,
        "How often a beam finds the best structure",
        "Percent of instances against beam width. Taggers need a few; short titles need hundreds; hard selections "
        "are missed mostly at width 80.",
        text(70, 26, "optimal, %"),
        text(405, 326, "beam width", anchor="middle"),
        *parts,
    )


WORDS = ["We", "have", "lived", "in", "this", "house", "for", "almost", "twelve", "years", "."]
HEADS, BEAM_HEADS = [3, 3, 0, 6, 6, 3, 10, 3, 10, 3, 3], [2, 0, 2, 6, 6, 3, 10, 3, 2, 3, 3]
MISTAKEN, TAG, BEAM_TAG = 1, "AUX", "VERB"
"""The word with another tag, from 0, and both of its tags."""
BOUND, BEAM_VALUE = 990.52, 981.86
"""As the blocks of docs/index.md find them; a test compares."""


def sentence() -> str:
    """Draw a sentence's best tree, the effect of a beam's error, and the proof; legible on a phone."""
    width, words = 420, 152.0
    letter = (width - 16) / sum(len(word) + 1.2 for word in WORDS)
    middles, used = [], 8.0
    for word in WORDS:
        wide = (len(word) + 1.2) * letter
        middles.append(used + wide / 2)
        used += wide
    # An arc that both trees have is drawn once.
    changed = [other if other != head else 0 for head, other in zip(HEADS, BEAM_HEADS, strict=True)]
    moved = sum(head != other for head, other in zip(HEADS, BEAM_HEADS, strict=True))
    beam, exact, scale = 100.0, 330.0, 322.0
    error = f"the beam takes “{WORDS[MISTAKEN]}” for a {BEAM_TAG}"
    return card(
        width,
        364,
        "A beam's error, and the proof",
        f"Above the words the tree over the exact tags. Below them, in red: {error}, and {moved} words hang from "
        f"another one. The exact value, {BOUND}, meets its bound; that of the beam is {BEAM_VALUE}.",
        text(14, 24, "the best tags and their tree", fill=BLUE, bold=True),
        *_arcs(HEADS, HEADS.index(0), middles, words - 16, -1, BLUE),
        *(text(at, words, word, anchor="middle") for at, word in zip(middles, WORDS, strict=True)),
        text(middles[MISTAKEN], words + 18, TAG, fill=BLUE, anchor="middle"),
        *_arcs(changed, BEAM_HEADS.index(0), middles, words + 26, 1, RED),
        text(406, 244, f"{error}:", fill=RED, anchor="end", bold=True),
        text(406, 262, f"{moved} words hang from another one", fill=RED, anchor="end"),
        line((14, scale), (406, scale), stroke=QUIET),
        line((exact, scale - 14), (exact, scale + 14), stroke=GREEN, width=2),
        dot(exact, scale, fill=GREEN, radius=6),
        dot(beam, scale, fill=RED, radius=6),
        text(beam, scale - 18, f"beam: {BEAM_VALUE:.2f}", fill=RED, anchor="middle"),
        text(406, scale - 18, f"exact: {BOUND:.2f} = bound", fill=GREEN, anchor="end", bold=True),
        text(406, scale + 30, "proved: nothing scores more", fill=GREEN, anchor="end"),
    )


def _arcs(
    heads: Sequence[int], root: int, middles: Sequence[float], ground: float, side: int, stroke: str
) -> Iterator[str]:
    """Arcs over (side -1) or under the words, the root's apart; 0 for a word without one."""
    arcs = arcs_with_levels(heads)
    dash = ' stroke-dasharray="5 3"' if side > 0 else ""
    for arc in arcs:
        start = middles[arc.head - 1] + (4 if arc.modifier > arc.head else -4)
        edge, end = ground + side * 17 * arc.level, middles[arc.modifier - 1]
        path = f"M{start:.1f} {ground:g}V{edge:g}H{end:.1f}V{ground:g}"
        yield f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="1.5"{dash}/>'
        yield _tip(end, ground, side, stroke)
    far = ground + side * (17 * max(arc.level for arc in arcs) + 8)
    yield line((middles[root], far), (middles[root], ground), stroke=stroke, dashed=side > 0)
    yield _tip(middles[root], ground, side, stroke)


def _tip(x: float, y: float, side: int, fill: str) -> str:
    """The head of an arc's arrow, which comes from above (side -1) or from below."""
    return polygon([(x - 3.5, y + 7 * side), (x + 3.5, y + 7 * side), (x, y)], fill=fill, stroke=fill)


FIGURES = {
    "sentence": sentence,
    "relaxations": relaxations,
    "certificates": certificates,
    "pricing": pricing,
    "beams": beams,
}


def main() -> None:
    """Write all figures next to this file."""
    for name, draw in FIGURES.items():
        Path(__file__).with_name(f"{name}.svg").write_text(draw(), "utf-8")


if __name__ == "__main__":
    main()
