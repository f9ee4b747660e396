"""Columns of a table that stand beside each other."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gapless.cli.column_groups import GAP, Column, column_groups

HEADS = ("corpus", "way", "documents that were read", "seconds", "prose")
CELLS = [
    ("embedded documents", "maximal", "20", "0.17 / 0.20 / 0.38", "words and words " * 5),
    ("embedded documents", "minimal", "20", "0.16 / 0.29 / 0.44", "more words " * 3),
]


def test_a_table_that_fits_stands_as_it_is() -> None:
    (group,) = column_groups(HEADS, CELLS, 200)
    assert [column.number for column in group] == [0, 1, 2, 3, 4]
    assert group[2] == Column(2, len(HEADS[2]))


@pytest.mark.parametrize("width", range(24, 160, 4))
def test_every_column_is_there_and_rows_are_told_apart(width: int) -> None:
    groups = column_groups(HEADS, CELLS, width)
    names = 2 if width >= 49 else 1  # 27 letters and 2 gaps of 2 take 0.6 of 48.3
    seen = [column.number for group in groups for column in group[names:]]
    assert seen == list(range(names, 5))
    for group in groups:
        assert [column.number for column in group[:names]] == list(range(names))
        letters = sum(column.width + GAP for column in group) - GAP
        assert letters <= width or len(group) == names + 1
        for column in group:
            cells = [row[column.number] for row in CELLS]
            if column.number < 4:  # names and numbers are whole
                assert column.width >= max(map(len, cells))
            assert column.width >= max(
                len(word) for text in (*cells, HEADS[column.number]) for word in text.split()
            )


def test_groups_are_no_more_than_needed() -> None:
    for width in (60, 80, 100, 120):
        groups = column_groups(HEADS, CELLS, width)
        for before, after in pairwise(groups):
            assert sum(column.width + GAP for column in before) + after[2].width > width


def test_no_rows_and_no_heads() -> None:
    assert column_groups(("a", ""), [], 1) == [[Column(0, 1), Column(1, 0)]]
    assert column_groups(("a b", "c d"), [], 2) == [[Column(0, 1), Column(1, 1)]]
