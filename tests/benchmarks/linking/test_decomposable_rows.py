"""The benchmark's measure of the growth of ``decomposable``; times themselves are not judged here."""

from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks.linking.decomposable_rows import (
    Scaling,
    draw_scaling,
    measure_scaling,
    scaling_lines,
)
from gapless_linking.decomposable_random import large_decomposable


def test_sizes_are_what_was_asked_for():
    for edges in (1000, 5000, 20_000):
        problem = large_decomposable(edges, seed=1)
        assert problem.graph is not None
        assert problem.graph.edge_count == pytest.approx(edges, rel=0.02)
        assert problem.disjoint
    assert problem.k == 7


def test_rows_and_drawing():
    scaling = measure_scaling((500, 2000), rounds=2)
    assert scaling.wrong == []
    assert np.all(scaling.choosing > 0)
    assert np.all(scaling.solving > 0)
    lines = list(scaling_lines(scaling))
    assert len(lines) == 5
    assert len({(line.what, line.scores) for line in lines}) == 5
    assert draw_scaling(scaling).count("<circle") == 4


def test_the_exponent_is_the_slope():
    """Times that grow with the square of the edges have exponent 2, and are drawn inside the frame."""
    edges = np.array([1000, 10_000, 100_000])
    seconds = np.column_stack([(edges / 1e6) ** 2] * 3)
    scaling = Scaling(edges, seconds, seconds * 2, [])
    assert scaling.exponent(seconds) == pytest.approx(2.0)
    drawn = ElementTree.fromstring(draw_scaling(scaling))
    circles = [element for element in drawn if element.tag.endswith("circle")]
    assert len(circles) == 6
    for circle in circles:
        assert 70 <= float(circle.attrib["cx"]) <= 610
        assert 50 <= float(circle.attrib["cy"]) <= 350
