"""Arguments of the linking search that would make it read beyond their ends are refused."""

import numpy as np
import pytest

from gapless_kernels import linking_search
from gapless_kernels.linking import _linking_search_twin


@pytest.mark.parametrize("search", [linking_search, _linking_search_twin.linking_search])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"allowed": np.ones(1)}, "3 truth values"),
        ({"allowed": np.array([2, 7, 1])}, "3 truth values"),
        ({"allowed": np.array([0, 0, 1])}, "no member that is allowed"),
        ({"start": np.array([[0]])}, "choices of 2 members"),
        ({"start": np.array([[5_000_000, 2]])}, "start names members of other sets"),
        ({"start": np.array([[2, 0]])}, "start names members of other sets"),
        ({"start": np.array([[0, 2]]), "allowed": np.array([0, 1, 1])}, "not allowed"),
    ],
)
def test_wrong_choices_are_refused(search, given, message):
    distances = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]], np.uint8)
    first, slots = np.array([0, 2, 3]), np.array([0, 1, 2])
    with pytest.raises(ValueError, match=message):
        search(first, slots, distances, np.zeros(3), granularity=2.0, **given)
