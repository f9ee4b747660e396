"""The compiled hashing of parsing features equals its NumPy twin, place by place and sum by sum."""

from typing import Any

import numpy as np
import pytest
from drawn import generators
from hypothesis import given
from hypothesis import strategies as st

import gapless_kernels
from gapless_kernels.features import _parse_features_twin

IMPLEMENTATIONS = [pytest.param(_parse_features_twin, id="numpy")]
if gapless_kernels.COMPILED:
    from gapless_kernels.features import _parse_features

    IMPLEMENTATIONS.append(pytest.param(_parse_features, id="compiled"))

both = pytest.mark.parametrize("kernels", IMPLEMENTATIONS)
needs_compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")


@st.composite
def cases(draw: st.DrawFn) -> Any:
    """Atoms, parts, values, templates and a table, all arguments that the checks let through."""
    rng = draw(generators())
    n, width, columns = draw(st.integers(0, 9)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    count, templates = draw(st.integers(1, 8)), draw(st.integers(0, 5))
    atoms = rng.integers(0, 2**32, (n + 7, columns), np.uint32)
    atoms[:, 0] = np.cumsum(rng.integers(0, 2, n + 7))
    parts = rng.integers(0, n + 1, (draw(st.integers(0, 6)), width))
    values = np.empty((count, 4), np.int32)
    for row in values:
        kind = int(rng.integers(4))
        second = rng.integers(-3, 4) if kind == 0 else rng.integers(width)
        row[:] = kind, rng.integers(width), second, 0 if kind == 3 else rng.integers(columns)
    rows = np.full((templates, 8), -1, np.int32)
    for row in rows:
        row[0], row[1], row[4] = rng.integers(1000), rng.integers(-1, count), rng.integers(columns)
        if rng.random() < 0.3:
            row[2:4] = rng.integers(width, size=2)
        terms = int(rng.integers(4))
        row[5 : 5 + terms] = rng.integers(count, size=terms)
    table = rng.normal(size=1 << draw(st.sampled_from([4, 5, 12]))).astype(draw(st.sampled_from(["f4", "f8"])))
    return atoms, parts, values, rows, table


def scores(kernels: Any, atoms: Any, parts: Any, values: Any, templates: Any, table: Any) -> Any:
    found = np.full(len(parts), 99.0)
    kernels.score_parts(atoms, parts, values, templates, table, found)
    return found


def bits(table: Any) -> int:
    return int(table.size).bit_length() - 1


@needs_compiled
@given(case=cases())
def test_twins_agree(case: Any) -> None:
    np.testing.assert_array_equal(scores(_parse_features, *case), scores(_parse_features_twin, *case))
    *arguments, table = case
    ours, theirs = (k.part_features(*arguments, bits(table)) for k in (_parse_features, _parse_features_twin))
    np.testing.assert_array_equal(ours, theirs)
    ours, theirs = (k.feature_counts(case[1], case[3]) for k in (_parse_features, _parse_features_twin))
    np.testing.assert_array_equal(ours, theirs)


@both
@given(case=cases())
def test_scores_are_the_sums_of_the_listed_weights(kernels: Any, case: Any) -> None:
    *arguments, table = case
    places = kernels.part_features(*arguments, bits(table))
    assert ((places >= 0) & (places < table.size)).all()
    ends = np.cumsum(kernels.feature_counts(arguments[1], arguments[3]))
    assert places.size == (ends[-1] if ends.size else 0)
    found = scores(kernels, *case)
    for score, own in zip(found, np.split(places, ends[:-1]), strict=False):
        assert score == pytest.approx(table[own].astype(float).sum(), abs=1e-9)


@both
def test_places_never_change(kernels: Any) -> None:
    """Stored models depend on them."""
    atoms = np.arange(18, dtype=np.uint32).reshape(9, 2)
    values = np.array([[0, 0, 0, 1], [0, 1, -1, 0], [1, 0, 0, 0], [2, 0, 1, 0], [3, 0, 1, 0]], np.int32)
    templates = np.array([[7, 3, -1, -1, 0, 0, 1, 2, 4], [8, -1, 0, 1, 1, 2, -1, -1, -1]], np.int32)
    places = kernels.part_features(atoms, np.array([[0, 2], [2, 1]]), values, templates, 12)
    assert places.tolist() == [712, 715, 1155, 101, 103]


@both
def test_nan_weights_give_nan(kernels: Any) -> None:
    rows = np.array([[1, -1, -1, -1, 0, 0]], np.int32)
    values = np.array([[1, 0, 0, 0]], np.int32)
    atoms, parts = np.zeros((8, 1), np.uint32), np.array([[1, 0]])
    assert np.isnan(scores(kernels, atoms, parts, values, rows, np.full(16, np.nan))).all()


ATOMS = np.zeros((9, 2), np.uint32)
PARTS = np.array([[0, 2]])
VALUES = np.array([[0, 0, 0, 0]], np.int32)
ROWS = np.array([[0, -1, -1, -1, 0, 0]], np.int32)
TABLE = np.zeros(16)


def changed(array: Any, column: int, value: int) -> Any:
    copy = array.copy()
    copy[0, column] = value
    return copy


WRONG = [
    ((ATOMS, PARTS + 1, VALUES, ROWS, TABLE), ValueError, "positions must be between 0 and 2, got 1 to 3"),
    ((ATOMS, PARTS - 1, VALUES, ROWS, TABLE), ValueError, "positions"),
    ((ATOMS, PARTS.astype(np.int32), VALUES, ROWS, TABLE), TypeError, "parts must be int64"),
    ((ATOMS.astype(np.int64), PARTS, VALUES, ROWS, TABLE), TypeError, "atoms must be uint32"),
    ((ATOMS[:6], PARTS, VALUES, ROWS, TABLE), ValueError, "atoms must have shape"),
    ((ATOMS, PARTS[0], VALUES, ROWS, TABLE), ValueError, "parts must have shape"),
    ((ATOMS, PARTS, VALUES[0], ROWS, TABLE), ValueError, "values must have shape"),
    ((ATOMS, PARTS, changed(VALUES, 0, 4), ROWS, TABLE), ValueError, "values: row 0"),
    ((ATOMS, PARTS, changed(VALUES, 1, 2), ROWS, TABLE), ValueError, "values: row 0"),
    ((ATOMS, PARTS, changed(VALUES, 2, 4), ROWS, TABLE), ValueError, "values: row 0"),
    ((ATOMS, PARTS, changed(VALUES, 3, 2), ROWS, TABLE), ValueError, "values: row 0"),
    ((ATOMS, PARTS, VALUES, changed(ROWS, 5, 1), TABLE), ValueError, r"values must be in -1\.\.0"),
    ((ATOMS, PARTS, VALUES, changed(ROWS, 1, 1), TABLE), ValueError, r"values must be in -1\.\.0"),
    ((ATOMS, PARTS, VALUES, changed(ROWS, 2, 0), TABLE), ValueError, "row 0 looks between"),
    ((ATOMS, PARTS, VALUES, changed(ROWS, 0, -1), TABLE), ValueError, "seeds"),
    ((ATOMS, PARTS, VALUES, ROWS[:, :4], TABLE), ValueError, "templates must have shape"),
    ((ATOMS, PARTS, VALUES, ROWS, np.zeros(17)), ValueError, r"2\^bits"),
    ((ATOMS, PARTS, VALUES, ROWS, np.zeros(32)[::2]), ValueError, "contiguous"),
    ((ATOMS, PARTS, VALUES, ROWS, np.zeros(16, np.int64)), TypeError, "float32 or float64"),
    ((ATOMS, [[0, 1]], VALUES, ROWS, TABLE), TypeError, "parts must be a NumPy array"),
]


@both
@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
def test_wrong_arguments_are_named(kernels: Any, arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kernels.score_parts(*arguments, np.zeros(1))


@both
def test_wrong_outputs_and_sizes_are_named(kernels: Any) -> None:
    with pytest.raises(ValueError, match="scores must have shape"):
        kernels.score_parts(ATOMS, PARTS, VALUES, ROWS, TABLE, np.zeros(2))
    with pytest.raises(ValueError, match="bits must be between 4 and 31"):
        kernels.part_features(ATOMS, PARTS, VALUES, ROWS, 32)
