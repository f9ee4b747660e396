"""Letters of all drawings and of the report's style can be read: contrast as WCAG 2 asks for it, light and dark."""

import re
from importlib import resources

import numpy as np
import pytest
from contrast import LEAST, contrast, faint, inverted, rgb

import gapless as gl
from gapless.plugins.manager import load_plugins
from gapless_chains import ChainProblem
from gapless_dependency.arc_diagram import draw_svg

DRAWS = 2


def test_contrast_of_known_pairs():
    assert contrast(rgb("#ffffff"), rgb("#000000")) == pytest.approx(21.0)
    assert contrast(rgb("#777777"), rgb("white")) == pytest.approx(4.48, abs=0.005)
    assert inverted(rgb("white"), 0.9) == pytest.approx([0.1] * 3)
    assert list(faint('<svg><text x="1" y="9" fill="#777777">a</text></svg>'))
    assert not list(faint('<svg><text x="1" y="9" fill="#333333">a</text></svg>'))
    assert list(
        faint('<svg><rect width="9" height="9" fill="#333333"/><text x="1" y="9" fill="#333333">a</text></svg>')
    )


def test_drawings_of_all_plugins_can_be_read():
    hook = load_plugins().hook
    drawn = set()
    found = set()
    for specimens in (one for several in hook.gapless_selftest_instances() for one in several):
        rng = np.random.default_rng(0)
        for problem in (specimens.draw(rng) for _ in range(DRAWS)):
            result = gl.solve(problem)
            for one in result.solutions:
                svg = hook.gapless_draw(problem=problem, structure=one.structure, words=(), against=None)
                if svg is not None:
                    drawn.add(type(problem).__name__)
                    found.update(f"{type(problem).__name__}: {one}" for one in faint(svg))
    assert found == set()
    assert drawn >= {"ChainProblem", "TreeProblem", "ParsingProblem", "OrderingProblem", "LinkingProblem"}


def test_drawings_of_records_can_be_read(records):
    """With words, losses and fixed places, which instances of the self-test lack."""
    hook = load_plugins().hook
    for record in records.values():
        solutions = record.result.solutions
        svg = hook.gapless_draw(
            problem=record.problem,
            structure=solutions[0].structure,
            words=record.words,
            against=solutions[-1].structure,
        )
        assert not list(faint(svg or "<svg/>"))


def test_tags_and_factors_can_be_read():
    words, heads = ["a", "b", "c"], [2, 0, 2]
    assert not list(faint(draw_svg(words, heads, tags=["DET", "X", "Y"], labels=["d", "r", "o"], gold=[3, 0, 2])))
    problem = ChainProblem(np.zeros((3, 2)), np.zeros((2, 2)), labels=["O", "B-X"])
    found = np.array([0, 1, 0])
    tagged = load_plugins().hook.gapless_draw(problem=problem, structure=found, words=words, against=None)
    assert "O" in tagged
    assert not list(faint(tagged))


STYLE = resources.files("gapless.report").joinpath("data", "page.css").read_text("utf-8")
PAIRS = [
    *(("ink", ground) for ground in ("ground", "card", "good-ground", "fair-ground", "bad-ground")),
    *(("soft", ground) for ground in ("ground", "card")),
    *((name, ground) for name in ("good", "fair", "bad") for ground in ("ground", "card", f"{name}-ground")),
    *((name, "ground") for name in ("accent", "count0", "count1", "count2")),
    ("accent", "card"),
]


@pytest.mark.parametrize("scheme", [0, 1])
def test_colours_of_the_page_can_be_read(scheme):
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", STYLE.split("prefers-color-scheme")[scheme]))
    low = {pair: contrast(*(rgb(colours[name]) for name in pair)) for pair in PAIRS}
    assert {pair: ratio for pair, ratio in low.items() if ratio < LEAST} == {}
