"""Arrays that another thread writes to while a kernel runs: it copies those that hold counts or indices."""

from typing import Any

import numpy as np
import pytest

from gapless_kernels import path_search
from gapless_kernels._arguments import owned
from gapless_kernels.paths import _path_search_twin

FAR = 10**9
"""An index far beyond every array."""


def metric_paths(n):
    """A hard path problem: short edges in the plane, so that bounds leave a gap."""
    places = np.random.default_rng(5).random((n, 2))
    lengths = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
    return np.zeros(n), -lengths, np.zeros(n), np.arange(n)


@pytest.mark.parametrize("version", [path_search, _path_search_twin.path_search])
@pytest.mark.parametrize("kind", ["writeable", "view", "owner"])
def test_path_search_reads_copies(version, kind):
    n, length = (400, 12) if version is not _path_search_twin.path_search else (8, 4)
    expected = version(*metric_paths(n), length, rounds=3)
    arrays = metric_paths(n)
    views = arrays if kind == "owner" else [array.view() for array in arrays]
    for view in views:
        view.flags.writeable = (
            kind == "writeable"
        )  # the array itself, or what it is a view of, can be written to again
    calls = []

    def spoil(*_: Any) -> bool:
        calls.append(1)
        for array, value in zip(arrays, [np.nan, 1e9, -np.inf, FAR], strict=True):
            array.flags.writeable = True
            array[...] = value
        return False

    found = version(*views, length, rounds=3, pulse=spoil)
    assert calls
    assert np.array_equal(found.paths, expected.paths)
    assert (found.bound, found.proved) == (expected.bound, expected.proved)


def test_path_search_refuses_scores_that_are_no_numbers():
    start, ordering, end, classes = metric_paths(8)
    ordering[2, 3] = np.nan
    with pytest.raises(ValueError, match=r"ordering\[2, 3\] is nan"):
        path_search(start, ordering, end, classes, 4)


def test_owned_copies_arrays_and_nothing_else():
    array = np.arange(12).reshape(3, 4)[:, ::2]
    copy, nothing, listed = owned(array, None, [1, 2])
    assert copy.tolist() == array.tolist()
    assert copy.flags.c_contiguous
    assert not np.shares_memory(copy, array)
    assert (nothing, listed) == (None, [1, 2])
