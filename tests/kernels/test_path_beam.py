"""Beam search over paths: the twins agree to the last bit on every instruction set, and refuse what is no graph."""

from typing import Any

import numpy as np
import pytest
from drawn import examples, generators, numbers, seeing
from hypothesis import given
from kernel_versions import every_set, versions

import gapless_kernels

_path_beam_twin, _path_beam = versions("paths._path_beam")
kernel = every_set(_path_beam_twin.path_beam_search, _path_beam.path_beam_search)


def graphs(seed, count):
    """Ties or floats, forbidden edges, few classes or many; all lengths up to one more than the classes."""
    rng = numbers(seed)
    for _ in range(count):
        n = int(rng.integers(15, 40) if rng.random() < 0.2 else rng.integers(1, 12))
        classes = int(rng.integers(1, n + 1))
        tied, forbidden = rng.random() < 0.5, rng.choice([0.0, 0.3, 0.7])

        def draw(*shape: int, tied: bool = tied, forbidden: float = forbidden) -> Any:
            scores = rng.integers(-3, 3, shape).astype(float) if tied else rng.normal(size=shape)
            return np.where(rng.random(shape) < forbidden, -np.inf, scores)

        length = int(rng.integers(1, min(classes, 5) + 2))
        yield draw(n), draw(n, n), draw(n), rng.permutation(np.arange(n) % classes), length


@seeing("found")
@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@examples(40)
@given(rng=generators())
def test_twins_agree(seen, rng, kernel):
    number = int(rng.integers(400))
    graph = next(graphs(rng, 1))
    width = (1, 2, 3, 7, 40, 100, 1345)[number % 7]
    value, path = kernel(*graph, width)
    expected, right = _path_beam_twin.path_beam_search(*graph, width)
    assert value == expected
    np.testing.assert_array_equal(path, right)
    seen["found"] += value > -np.inf


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@pytest.mark.parametrize("tied", [False, True])
def test_wide_beams(kernel, tied):
    """Beams that begin with a sample, which guesses too much where few prefixes can go on."""
    rng = np.random.default_rng(4)
    for forbidden in (0.0, 0.5, 0.97):
        edges = rng.integers(-3, 3, (40, 40)).astype(float) if tied else rng.normal(size=(40, 40))
        edges[rng.random((40, 40)) < forbidden] = -np.inf
        graph = np.zeros(40), edges, np.zeros(40), np.arange(40) % 31, 4
        value, path = kernel(*graph, 400)
        expected, right = _path_beam_twin.path_beam_search(*graph, 400)
        assert value == expected
        np.testing.assert_array_equal(path, right)


def test_scores_far_apart(kernel):
    """Scores whose difference overflows, and equal ones, are on one level."""
    start = np.array([1.5e308, -1.5e308, 0.0])
    graph = start, np.where(np.eye(3) > 0, -np.inf, 1.0), np.zeros(3), np.arange(3), 3
    value, path = kernel(*graph, 2)
    assert value == 1.5e308
    assert path.tolist() == [0, 1, 2]


def test_same_classes_are_recombined(kernel):
    """Of 0, 1, 2 and 1, 0, 2 only the better goes on, which leaves room for 3, 0, 2: the best in the end."""
    edges = np.full((5, 5), -np.inf)
    edges[[0, 1, 0, 1, 3], [1, 0, 2, 2, 0]] = 5.0, 5.0, 1.0, 2.0, 3.0
    edges[2, 4], edges[2, 1] = -9.0, 0.0
    start = np.where(np.arange(5) == 2, -np.inf, 0.0)
    end = np.where(np.isin(np.arange(5), [1, 4]), 0.0, -np.inf)
    value, path = kernel(start, edges, end, np.arange(5), 4, 3)
    assert value == 4.0
    assert path.tolist() == [3, 0, 2, 1]


def test_beam_that_runs_dry(kernel):
    edges = np.array([[-np.inf, 0.0], [-np.inf, -np.inf]])
    value, path = kernel(np.array([0.0, 1.0]), edges, np.zeros(2), np.arange(2), 2, 1)
    assert value == -np.inf
    assert path.tolist() == [-1, -1]


def good():
    return {
        "start": np.zeros(2),
        "ordering": np.zeros((2, 2)),
        "end": np.zeros(2),
        "classes": np.arange(2),
        "length": 1,
        "width": 1,
    }


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"start": [0.0, 0.0]}, TypeError, "start must be a NumPy array"),
        ({"end": np.zeros(2, np.float32)}, TypeError, "end must be float64"),
        ({"start": np.zeros(0)}, ValueError, "start must have shape"),
        ({"ordering": np.zeros((2, 3))}, ValueError, r"ordering must have shape \(2, 2\)"),
        ({"classes": np.zeros(2)}, TypeError, "classes must be int64"),
        ({"classes": np.array([0, 2])}, ValueError, "classes must be numbered from 0 to at most 1"),
        ({"classes": np.array([-1, 0])}, ValueError, "classes must be numbered"),
        ({"length": 0}, ValueError, "length must be at least 1"),
        ({"width": 0}, ValueError, "width must be at least 1"),
        ({"width": 1.5}, TypeError, "width must be an integer"),
    ],
)
def test_what_is_no_graph_is_refused(kernel, change, error, message):
    assert kernel(**good())[0] == 0.0
    with pytest.raises(error, match=message):
        kernel(**{**good(), **change})


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
def test_beam_that_is_too_large():
    with pytest.raises(MemoryError, match="too large"):
        _path_beam.path_beam_search(**{**good(), "width": 2**40})
