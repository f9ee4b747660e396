"""Colour coding: the twins agree to the last bit on every instruction set, and with all colourful paths."""

from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from drawn import examples, generators, numbers, seeing
from hypothesis import given
from kernel_versions import every_set, versions

import gapless_kernels

_color_coding_twin, _color_coding = versions("paths._color_coding")
kernels = every_set(_color_coding_twin, _color_coding)


def instances(seed, count, most):
    """Graph, length, three colourings and the number of colours: ties or floats, forbidden edges, large classes."""
    rng = numbers(seed)
    for _ in range(count):
        n = int(rng.integers(1, most))
        classes = int(rng.integers(1, n + 1))
        tied, forbidden = rng.random() < 0.5, rng.choice([0.0, 0.3, 0.7])

        def draw(*shape: int, tied: bool = tied, forbidden: float = forbidden) -> Any:
            scores = rng.integers(-3, 3, shape).astype(float) if tied else rng.normal(size=shape)
            return np.where(rng.random(shape) < forbidden, -np.inf, scores)

        length = int(rng.integers(1, 6 if n < 12 else 4))
        colors = int(rng.integers(length, 9))
        colorings = rng.integers(0, colors, (3, classes)).astype(np.uint8)
        groups = rng.permutation(np.arange(n) % classes)
        yield draw(n), draw(n, n), draw(n), groups, length, colorings, colors


def completion(graph, charges):
    """By definition: the best walks on from each vertex at each place, less the charges of what follows."""
    _, ordering, end, classes, length, *_ = graph
    follows = np.empty((length, end.size))
    follows[-1] = end
    for place in range(length - 2, -1, -1):
        follows[place] = (ordering + (follows[place + 1] - charges[classes])).max(axis=1)
    return follows


def best_colorful(start, ordering, end, colors, length):
    best = -np.inf
    for path in permutations(range(start.size), length):
        if len({colors[v] for v in path}) == length:
            steps = sum(ordering[u, v] for u, v in pairwise(path))
            best = max(best, start[path[0]] + steps + end[path[-1]])
    return float(best)


@seeing("found")
@given(rng=generators())
def test_recursion_finds_the_best_colorful_path(seen, rng, kernels):
    instance = next(instances(rng, 1, 7))
    start, ordering, end, classes, length, colorings, colors = instance
    for coloring in colorings:
        values, paths = kernels.color_coding_search(*instance[:5], coloring[None], colors)
        of_vertex = coloring[classes]
        assert values[0] == pytest.approx(best_colorful(start, ordering, end, of_vertex, length), abs=1e-12)
        if values[0] > -np.inf:
            path = paths[0]
            assert np.unique(of_vertex[path]).size == length
            value = start[path[0]] + ordering[path[:-1], path[1:]].sum() + end[path[-1]]
            assert value == pytest.approx(values[0], abs=1e-12)
            seen["found"] += 1


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
@seeing("found")
@examples(40)
@given(rng=generators())
def test_twins_agree(seen, rng, kernels):
    """Also on tens of vertices of one colour, and with an incumbent; pruning changes no value and no path."""
    instance = next(instances(rng, 1, 60 if rng.random() < 0.2 else 11))
    incumbent = float(rng.integers(-3, 4)) if rng.random() < 0.4 else -np.inf
    expected = _color_coding_twin.color_coding_search(*instance, incumbent)
    charges = rng.random(instance[5].shape[1]) * rng.integers(2)
    bounds = charges, completion(instance, charges), 1e-9
    pruned = kernels.color_coding_pruned(*instance, incumbent, *bounds, 10**6)
    assert pruned[2] == len(instance[5])
    for values, paths in (kernels.color_coding_search(*instance, incumbent), pruned[:2]):
        np.testing.assert_array_equal(values, expected[0])
        np.testing.assert_array_equal(paths, expected[1])
    seen["found"] += np.isfinite(expected[0]).sum()
    few = _color_coding_twin.color_coding_pruned(*instance, incumbent, *bounds, 9)
    for part, right in zip(kernels.color_coding_pruned(*instance, incumbent, *bounds, 9), few, strict=True):
        np.testing.assert_array_equal(part, right)


@given(rng=generators())
def test_pruning_keeps_what_beats_the_incumbent(rng, kernels):
    """Bounds drop states: with an incumbent just below the best there are fewer, and the best is still found."""
    instance = next(instances(rng, 1, 9))
    best = kernels.color_coding_search(*instance)[0].max()
    if best == -np.inf:
        return
    charges = np.zeros(instance[5].shape[1])
    follows = completion(instance, charges)
    near = kernels.color_coding_pruned(*instance, best - 1e-3, charges, follows, 0.0, 10**6)
    assert near[0].max() == best
    none = kernels.color_coding_pruned(*instance, best, charges, follows, 0.0, 10**6)
    assert none[0].max() == -np.inf


@given(rng=generators())
def test_answers_of_many_colorings_are_those_of_each(rng, kernels):
    instance = next(instances(rng, 1, 9))
    graph, (colorings, colors) = instance[:5], instance[5:]
    values, paths = kernels.color_coding_search(*instance)
    incumbent = -np.inf
    for t, coloring in enumerate(colorings):
        value, path = kernels.color_coding_search(*graph, coloring[None], colors, incumbent)
        np.testing.assert_array_equal(values[t], value[0])
        np.testing.assert_array_equal(paths[t], path[0])
        incumbent = max(incumbent, value[0])


def test_table_is_as_large_as_the_twin_says(kernels):
    for n, length, colors in ((1, 1, 1), (5, 2, 3), (200, 10, 12), (600, 20, 24), (600, 13, 32)):
        expected = _color_coding_twin.color_coding_table_bytes(n, length, colors)
        assert kernels.color_coding_table_bytes(n, length, colors) == expected
    assert _color_coding_twin.color_coding_table_bytes(200, 10, 12) < 8 * 2**11 * (200 + 7 * 12)


def good():
    return {
        "start": np.zeros(2),
        "ordering": np.zeros((2, 2)),
        "end": np.zeros(2),
        "classes": np.arange(2),
        "length": 2,
        "colorings": np.array([[0, 1]], np.uint8),
        "colors": 2,
    }


def bounded():
    more = {"charges": np.zeros(2), "completion": np.zeros((2, 2)), "slack": 0.0, "states": 9}
    return {**good(), "incumbent": -np.inf, **more}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"ordering": np.zeros(2)}, ValueError, "ordering must have shape"),
        ({"length": 0}, ValueError, "length must be at least 1"),
        ({"colors": 1}, ValueError, "colors must be from the length, 2, to 32, got 1"),
        ({"colors": 33}, ValueError, "got 33"),
        ({"colorings": [[0, 1]]}, TypeError, "colorings must be a NumPy array"),
        ({"colorings": np.array([[0, 1]])}, TypeError, "colorings must be uint8"),
        ({"colorings": np.zeros((1, 3), np.uint8)}, ValueError, r"colorings must have shape \(t, 2\)"),
        ({"colorings": np.zeros((0, 2), np.uint8)}, ValueError, r"colorings must have shape \(t, 2\)"),
        ({"colorings": np.array([[0, 2]], np.uint8)}, ValueError, "colorings must be below 2, got 2"),
        ({"charges": np.zeros(3)}, ValueError, r"charges must have shape \(2,\)"),
        ({"charges": [0.0, 0.0]}, TypeError, "charges must be a NumPy array"),
        ({"completion": np.zeros((2, 2), np.float32)}, TypeError, "completion must be float64"),
        ({"states": 0}, ValueError, "states must be at least 1"),
    ],
)
def test_wrong_arguments_are_refused(kernels, change, error, message):
    assert kernels.color_coding_pruned(**bounded())[0][0] == 0.0
    with pytest.raises(error, match=message):
        kernels.color_coding_pruned(**{**bounded(), **change})
    if change.keys() <= good().keys():
        with pytest.raises(error, match=message):
            kernels.color_coding_search(**{**good(), **change})


@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
def test_table_that_is_too_large():
    with pytest.raises(MemoryError, match="no room for a table of"):
        _color_coding.color_coding_search(**{**good(), "colors": 32})
