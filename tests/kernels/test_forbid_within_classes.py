"""Edges within a class: forbidden in place, alike in compiled code and in NumPy, and nothing outside the array."""

import numpy as np
import pytest

import gapless_kernels
from gapless_kernels.paths import _path_search_twin as twin


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_agrees_with_its_twin(n):
    rng = np.random.default_rng(n)
    for most in (1, 3, n):
        scores, classes = rng.normal(size=(n, n)), rng.integers(0, min(most, n), n)
        ours, theirs = scores.copy(), scores.copy()
        gapless_kernels.forbid_within_classes(ours, classes)
        twin.forbid_within_classes(theirs, classes)
        np.testing.assert_array_equal(ours, theirs)
        assert np.isneginf(np.diag(ours)).all()


@pytest.mark.parametrize(
    ("shape", "classes"), [((2, 2), [0, 2]), ((2, 2), [-1, 0]), ((2, 3), [0, 1]), ((2, 2), [0]), ((0, 0), [0])]
)
def test_refuses_what_would_be_written_elsewhere(shape, classes):
    for kernel in (gapless_kernels.forbid_within_classes, twin.forbid_within_classes):
        scores = np.zeros(shape)
        with pytest.raises(ValueError, match="below"):
            kernel(scores, np.array(classes))
        assert not scores.any()
