"""Segments as a chain: against enumeration of all segmentations."""

import itertools
import math

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless
from gapless import InvalidProblem
from gapless_chains import Segments


def segmentations(n, longest, labels):
    """Every way to cut n positions, with a label for each segment."""
    for cuts in itertools.product([False, True], repeat=n - 1):
        bounds = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), n]
        spans = list(itertools.pairwise(bounds))
        if max(b - a for a, b in spans) <= longest:
            for chosen in itertools.product(range(labels), repeat=len(spans)):
                yield [(a, b, y) for (a, b), y in zip(spans, chosen, strict=True)]


def worth(found, scores, transition):
    total = sum(scores[a, b - a - 1, y] for a, b, y in found)
    return total + sum(transition[one[2], other[2]] for one, other in itertools.pairwise(found))


@examples(30)
@given(rng=generators())
def test_the_best_segmentation(rng):
    n, longest, labels = int(rng.integers(1, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    scores = np.where(rng.random((n, longest, labels)) < 0.2, -np.inf, rng.integers(-3, 4, (n, longest, labels)))
    transition = np.where(rng.random((labels, labels)) < 0.2, -np.inf, rng.normal(size=(labels, labels)))
    segments = Segments(labels, longest)
    problem = segments.problem(scores, transition)
    result = gapless.solve(problem)
    best = max(worth(found, scores, transition) for found in segmentations(n, longest, labels))
    if best == -math.inf:
        assert result.status is gapless.Status.INFEASIBLE
        return
    assert result.value == pytest.approx(best)
    found = segments.read(result.best)
    assert worth(found, scores, transition) == pytest.approx(best)
    assert [found[0][0], found[-1][1]] == [0, n]
    on = problem.encode(result.best)
    for begin, end, label in found:
        assert begin * problem.label_count + segments.first(label, end - begin) in on


def test_names_tell_label_and_place():
    problem = Segments(2, 2).problem(np.zeros((3, 2, 2)), np.zeros((2, 2)), names=["O", "PER"])
    assert problem.decisions.name(3) == "token 0 has label begin PER, 1 to go"


def test_wrong_shapes_are_reported():
    with pytest.raises(InvalidProblem, match=r"expected \(n, 3, 2\) and \(2, 2\)"):
        Segments(2, 3).problem(np.zeros((4, 2, 3)), np.zeros((2, 2)))
    with pytest.raises(InvalidProblem, match="lengths from 1 to 3"):
        Segments(2, 3).first(0, 4)
    with pytest.raises(ValueError, match="longest"):
        Segments(2, 0)
