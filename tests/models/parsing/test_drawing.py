"""Trees drawn in the terminal and as SVG."""

import io
import random
import xml.etree.ElementTree as ET

from gapless.cli import Console
from gapless_dependency.arc_diagram import arcs_with_levels, draw_svg
from gapless_models.parsing.terminal_drawing import TerminalLine, draw, show

SVG = "{http://www.w3.org/2000/svg}"
WORDS = ("A", "man", "arrived", "who", "sang", ".")
HEADS = (2, 3, 0, 5, 2, 3)
"""Crosses: man -> sang and arrived -> the full stop."""


def text(lines):
    return "\n".join(line.text for line in lines)


def test_a_projective_tree():
    assert text(draw(("The", "cat", "sleeps"), (2, 3, 0), rows=[("D", "N", "V")])).split("\n") == [
        " ╭──╮╭──╮│",
        " ▼   ▼   ▼",
        "The cat sleeps",
        "D   N   V",
    ]


def test_crossing_arcs_and_a_wrong_one():
    assert text(draw(WORDS, HEADS, gold=(2, 3, 0, 5, 3, 3))).split("\n") == [
        "         │╭───────────────╮",
        "      ╭──┼┼──────────╮    │",
        " ╭──╮╭┼─╮││      ╭──╮│    │",
        " ▼   ▼   ▼       ▼   ✗    ▼",
        "A   man arrived who sang .",
    ]


def random_tree(rng, n):
    """Heads of a random tree: each word below an earlier one of a random order."""
    order = list(range(1, n + 1))
    rng.shuffle(order)
    heads = [0] * n
    for place, modifier in enumerate(order):
        heads[modifier - 1] = rng.choice(order[:place]) if place else 0
    return heads


def test_levels_keep_arcs_apart():
    rng = random.Random(1)
    for _ in range(200):
        arcs = arcs_with_levels(random_tree(rng, rng.randrange(1, 15)))
        for one in arcs:
            for other in arcs:
                if one is other:
                    continue
                if one.left <= other.left and other.right <= one.right:
                    assert one.level > other.level
                if one.left < other.right and other.left < one.right:
                    assert one.level != other.level
            crossing = any(
                a.left < b.left < a.right < b.right for other in arcs for a, b in ((one, other), (other, one))
            )
            assert one.crosses == crossing


def test_any_tree_can_be_drawn_in_any_width():
    rng = random.Random(2)
    for _ in range(100):
        n = rng.randrange(1, 30)
        words = ["w" * rng.randrange(1, 9) for _ in range(n)]
        heads = random_tree(rng, n)
        lines = draw(words, heads, gold=random_tree(rng, n), width=40)
        assert max(len(line.text) for line in lines) <= 40
        whole = text(lines)
        assert whole.count("▼") + whole.count("✗") == n
        svg = ET.fromstring(draw_svg(words, heads, gold=random_tree(rng, n)))
        assert [t.text for t in svg.iter(f"{SVG}text")].count("w" * 3) == words.count("w" * 3)


def test_pieces_hold_the_words_in_order():
    rng = random.Random(3)
    words = [f"word{i}" for i in range(25)]
    lines = draw(words, random_tree(rng, 25), width=50)
    assert " ".join(line.text for line in lines if line.text.startswith("word")).split() == words
    assert len(draw(words, random_tree(rng, 25), width=10_000)) < len(lines)


def test_wide_letters_keep_columns_aligned():
    lines = draw(("施力", "b"), (2, 0))
    assert lines[-2].text == " ▼    ▼"
    assert lines[-1].text == "施力 b"


def test_wrong_arcs_are_marked_in_the_text_and_red_on_a_terminal():
    lines = draw(WORDS, HEADS, gold=(2, 3, 0, 5, 3, 3))
    assert text(lines).count("✗") == 1
    (ends,) = [line for line in lines if "✗" in line.text]
    assert ends.wrong == {ends.text.index("✗")}
    plain = io.StringIO()
    show(lines, Console(out=plain))
    assert plain.getvalue() == text(lines) + "\n"

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    coloured = Terminal()
    show([TerminalLine("ab", frozenset({1}))], Console(out=coloured))
    assert "a" in coloured.getvalue()
    assert "b" in coloured.getvalue()


def test_svg_shows_crossings_mistakes_and_gold():
    drawn = draw_svg(WORDS, HEADS, labels=["<det>"] * 6, tags=["T"] * 6, gold=(2, 3, 0, 5, 3, 3))
    root = ET.fromstring(drawn)
    strokes = [path.get("stroke") for path in root.iter(f"{SVG}path") if path.get("stroke") not in (None, "white")]
    assert strokes.count("#b3261e") == 1  # man -> sang, which is wrong
    assert strokes.count("#1f5fa8") == 1  # arrived -> the full stop, which crosses it
    assert strokes.count("#2e7d32") == 1  # arrived -> sang, the gold arc
    assert [path.get("stroke-dasharray") is not None for path in root.iter(f"{SVG}path")].count(True) == 1
    written = [text.text for text in root.iter(f"{SVG}text")]
    assert [word for word in written if word in WORDS] == list(WORDS)
    assert written.count("<det>") == 5
    assert "href" not in drawn.replace("http://www.w3.org/2000/svg", "")


def test_points_lie_inside_the_picture():
    root = ET.fromstring(draw_svg(WORDS, HEADS, gold=(0, 3, 0, 5, 3, 3)))
    width, height = float(root.get("width")), float(root.get("height"))
    for label in root.iter(f"{SVG}text"):
        assert 0 < float(label.get("x")) < width
        assert 0 < float(label.get("y")) < height
