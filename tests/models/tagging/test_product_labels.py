"""Products of label sets: numbers, names, sums."""

from itertools import product

import numpy as np
import pytest

from gapless_models.tagging.product_labels import ProductLabels

PARTS = (("A", "B", "C"), ("x", "y"), ("0", "1", "2"))


def test_the_last_part_changes_fastest():
    labels = ProductLabels(PARTS[:2])
    assert labels.names == ("A|x", "A|y", "B|x", "B|y", "C|x", "C|y")
    assert len(labels) == 6


def test_split_gives_the_numbers_of_the_parts():
    labels = ProductLabels(PARTS)
    split = labels.split(np.arange(len(labels)))
    for number, name in enumerate(labels.names):
        assert name == "|".join(part[int(numbers[number])] for part, numbers in zip(PARTS, split, strict=True))
    assert all(numbers.dtype == np.int64 for numbers in split)


@pytest.mark.parametrize("count", [2, 3])
def test_sums_are_those_of_every_combination(count):
    rng = np.random.default_rng(count)
    labels = ProductLabels(PARTS[:count])
    rows = [rng.integers(-9, 9, (4, size)).astype(np.float32) for size in labels.sizes]
    pairs = [rng.integers(-9, 9, (size, size)).astype(np.float64) for size in labels.sizes]
    combinations = list(product(*map(range, labels.sizes)))
    expected = [[sum(row[i, x] for row, x in zip(rows, c, strict=True)) for c in combinations] for i in range(4)]
    np.testing.assert_array_equal(labels.sum(rows), expected)
    assert labels.sum(rows).dtype == np.float64
    expected = [
        [sum(pair[x, y] for pair, x, y in zip(pairs, a, b, strict=True)) for b in combinations]
        for a in combinations
    ]
    np.testing.assert_array_equal(labels.sum_pairs(pairs), expected)


def test_seen_parts_are_multiplied_out():
    labels = ProductLabels.seen(["N|O", "V|O", "N|B-X"])
    assert labels.parts == (("N", "V"), ("B-X", "O"))
    assert "V|B-X" in labels.names


@pytest.mark.parametrize("parts", [[], [["A"]], [["A"], []], [["A", "A"], ["x"]], [["A|B"], ["x"]]])
def test_impossible_parts(parts):
    with pytest.raises(ValueError, match="labels"):
        ProductLabels(parts)


@pytest.mark.parametrize("labels", [[], ["A", "A|B"]])
def test_labels_without_one_number_of_parts(labels):
    with pytest.raises(ValueError, match="one number of parts"):
        ProductLabels.seen(labels)
