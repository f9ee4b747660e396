"""The compiled hashing of parsing features equals its NumPy twin, place by place and sum by sum."""

import numpy as np
import pytest
from drawn import generators
from hypothesis import given
from hypothesis import strategies as st
from kernel_versions import both, changed, needs_compiled, versions

import gapless_kernels

_parse_features_twin, _parse_features = versions("features._parse_features")
each_version = both("features._parse_features")


@st.composite
def cases(draw):
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


def scores(kernels, atoms, parts, values, templates, table):
    found = np.full(len(parts), 99.0)
    kernels.score_parts(atoms, parts, values, templates, table, found)
    return found


def bits(table):
    return int(table.size).bit_length() - 1


@needs_compiled
@given(case=cases())
def test_parse_features_twins_agree(case):
    *arguments, table = case
    found = [
        (
            scores(kernels, *case),
            kernels.part_features(*arguments, bits(table)),
        )
        for kernels in (_parse_features, _parse_features_twin)
    ]
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@each_version
@given(case=cases())
def test_score_parts_sums_the_listed_weights(kernels, case):
    *arguments, table = case
    places = kernels.part_features(*arguments, bits(table))
    assert ((places >= 0) & (places < table.size)).all()
    ends = np.cumsum(gapless_kernels.feature_counts(arguments[1], arguments[3]))
    assert places.size == (ends[-1] if ends.size else 0)
    found = scores(kernels, *case)
    for score, own in zip(found, np.split(places, ends[:-1]), strict=False):
        assert score == pytest.approx(table[own].astype(float).sum(), abs=1e-9)


@each_version
def test_part_features_never_change(kernels):
    """Stored models depend on them."""
    atoms = np.arange(18, dtype=np.uint32).reshape(9, 2)
    values = np.array([[0, 0, 0, 1], [0, 1, -1, 0], [1, 0, 0, 0], [2, 0, 1, 0], [3, 0, 1, 0]], np.int32)
    templates = np.array([[7, 3, -1, -1, 0, 0, 1, 2, 4], [8, -1, 0, 1, 1, 2, -1, -1, -1]], np.int32)
    places = kernels.part_features(atoms, np.array([[0, 2], [2, 1]]), values, templates, 12)
    assert places.tolist() == [712, 715, 1155, 101, 103]


@each_version
def test_score_parts_passes_nan_on(kernels):
    rows = np.array([[1, -1, -1, -1, 0, 0]], np.int32)
    values = np.array([[1, 0, 0, 0]], np.int32)
    atoms, parts = np.zeros((8, 1), np.uint32), np.array([[1, 0]])
    assert np.isnan(scores(kernels, atoms, parts, values, rows, np.full(16, np.nan))).all()


ATOMS = np.zeros((9, 2), np.uint32)
PARTS = np.array([[0, 2]])
VALUES = np.array([[0, 0, 0, 0]], np.int32)
ROWS = np.array([[0, -1, -1, -1, 0, 0]], np.int32)
TABLE = np.zeros(16)


GOOD = {"atoms": ATOMS, "parts": PARTS, "values": VALUES, "templates": ROWS, "table": TABLE}
WRONG = [
    ({"parts": PARTS + 1}, ValueError, "positions must be between 0 and 2, got 1 to 3"),
    ({"parts": PARTS - 1}, ValueError, "positions"),
    ({"parts": PARTS.astype(np.int32)}, TypeError, "parts must be int64"),
    ({"atoms": ATOMS.astype(np.int64)}, TypeError, "atoms must be uint32"),
    ({"atoms": ATOMS[:6]}, ValueError, "atoms must have shape"),
    ({"parts": PARTS[0]}, ValueError, "parts must have shape"),
    ({"values": VALUES[0]}, ValueError, "values must have shape"),
    ({"values": changed(VALUES, (0, 0), 4)}, ValueError, "values: row 0"),
    ({"values": changed(VALUES, (0, 1), 2)}, ValueError, "values: row 0"),
    ({"values": changed(VALUES, (0, 2), 4)}, ValueError, "values: row 0"),
    ({"values": changed(VALUES, (0, 3), 2)}, ValueError, "values: row 0"),
    ({"templates": changed(ROWS, (0, 5), 1)}, ValueError, r"values must be in -1\.\.0"),
    ({"templates": changed(ROWS, (0, 1), 1)}, ValueError, r"values must be in -1\.\.0"),
    ({"templates": changed(ROWS, (0, 2), 0)}, ValueError, "row 0 looks between"),
    ({"templates": changed(ROWS, (0, 0), -1)}, ValueError, "seeds"),
    ({"templates": ROWS[:, :4]}, ValueError, "templates must have shape"),
    ({"table": np.zeros(17)}, ValueError, r"2\^bits"),
    ({"table": np.zeros(32)[::2]}, ValueError, "contiguous"),
    ({"table": np.zeros(16, np.int64)}, TypeError, "float32 or float64"),
    ({"parts": [[0, 1]]}, TypeError, "parts must be a NumPy array"),
    ({"scores": np.zeros(2)}, ValueError, "scores must have shape"),
]


@each_version
@pytest.mark.parametrize(("change", "error", "message"), WRONG)
def test_score_parts_names_wrong_arguments(kernels, change, error, message):
    with pytest.raises(error, match=message):
        kernels.score_parts(*(GOOD | {"scores": np.zeros(1)} | change).values())


@each_version
def test_part_features_names_wrong_bits(kernels):
    with pytest.raises(ValueError, match="bits must be between 4 and 31"):
        kernels.part_features(ATOMS, PARTS, VALUES, ROWS, 32)
