"""Column generation for batches: its values are those of float64 Viterbi and of enumeration, its bounds hold."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from chain_batches import Batch, improper
from drawn import examples, generators, long, numbers, seeing
from hypothesis import given
from kernel_versions import both, needs_compiled, strided, versions

import gapless_kernels
from gapless_kernels import DECIDED, INFEASIBLE, INVALID, score_spread, transition_tables

INF = float("inf")
_, _column_generation = versions("column_generation._column_generation")
each_version = both("column_generation._column_generation")


def random_batch(seed, labels, *, sentences=40, longest=6, kind="ties", forbidden=0.0, ends=True, dtype=np.float32):
    rng = numbers(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, longest + 1, sentences))]).astype(np.int64)
    shapes = [(int(offsets[-1]), labels), (labels, labels), (labels,), (labels,)]
    unary, transition, initial, final = (
        draw(rng, kind, shape, forbidden / (1 if shape == (labels, labels) else 2)) for shape in shapes
    )
    return Batch(unary.astype(dtype), offsets, transition, *((initial, final) if ends else ()))


def draw(rng, kind, shape, forbidden):
    if kind == "ties":
        scores = rng.integers(-2, 3, shape).astype(float)
    elif kind == "equal":
        scores = np.full(shape, rng.normal())
    elif kind == "floats":
        scores = rng.normal(size=shape)
    else:
        scores = rng.normal(size=shape) ** 3 * 10
    # As float32 numbers, so that both types hold the same scores.
    scores = scores.astype(np.float32).astype(np.float64)
    scores[rng.random(shape) < forbidden] = -np.inf
    return scores


def decode(kernels, batch, *, centred=True, spread=0.0, **options):
    count, rows = len(batch), len(batch.unary)
    found = SimpleNamespace(
        labels=options.pop("labels", np.full(rows, 99, np.int64)),
        **{name: np.full(count, 99.0) for name in ("values", "bounds")},
        status=np.full(count, 99, np.uint8),
        **{name: np.full(count, 99, np.int64) for name in ("rounds", "domain_sizes", "candidates")},
    )
    outputs = dict(vars(found))
    found.second_values, found.second_labels = np.full(count, 99.0), np.full(rows, 99, np.int64)
    if options.get("margin", -1) >= 0:
        options |= {"second_values": found.second_values, "second_labels": found.second_labels}
    tables = transition_tables(batch.transition, batch.unary.dtype, centred=centred, spread=spread)
    ends = {"initial": batch.initial, "final": batch.final}
    kernels.column_generation_batch(batch.unary, batch.offsets, tables, **outputs, **ends, **options)
    return found


def assert_exact(batch, found):
    best = batch.best()
    np.testing.assert_allclose(found.values, best, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found.bounds, found.values)
    np.testing.assert_array_equal(batch.values(found.labels), found.values)
    np.testing.assert_array_equal(found.status, np.where(best == -np.inf, INFEASIBLE, DECIDED))


SIZES = (1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 45, 48)
KINDS = ("ties", "floats", "equal", "peaked")


@pytest.mark.long
@needs_compiled
def test_column_generation_equals_viterbi_on_a_hundred_thousand_chains():
    chains = infeasible = settled = 0
    cases = itertools.product(SIZES, KINDS, (0.0, 0.2, 0.5), (np.float32, np.float64), (0.25, INF))
    for seed, (labels, kind, forbidden, dtype, effort) in enumerate(cases):
        batch = random_batch(
            seed, labels, sentences=180, longest=9, kind=kind, forbidden=forbidden, ends=seed % 3 > 0, dtype=dtype
        )
        found = decode(
            _column_generation, batch, start=seed % 2, centred=seed % 5 > 0, effort=effort, spread=float(seed % 4)
        )
        assert_exact(batch, found)
        chains += 180
        infeasible += int((found.status == INFEASIBLE).sum())
        settled += int((found.domain_sizes < np.diff(batch.offsets) * labels).sum())
    assert chains > 100_000
    assert infeasible > 2000
    # Elsewhere dense Viterbi took over, as these scores are flat, or the domains grew to hold all labels.
    assert settled > chains / 4


@pytest.mark.usefixtures("instruction_set")
@each_version
@examples(60)
@given(rng=generators())
def test_column_generation_equals_viterbi(rng, kernels):
    batch = random_batch(
        rng,
        int(rng.choice(SIZES)),
        sentences=int(rng.integers(1, 26)),
        kind=str(rng.choice(KINDS)),
        forbidden=float(rng.choice([0.0, 0.2, 0.5])),
        ends=bool(rng.integers(2)),
        dtype=rng.choice([np.float32, np.float64]),
    )
    start, centred, effort = int(rng.integers(2)), bool(rng.integers(2)), float(rng.choice([0.25, INF]))
    assert_exact(
        batch,
        decode(kernels, batch, start=start, centred=centred, effort=effort, spread=float(rng.integers(4))),
    )


@each_version
@given(rng=generators())
def test_column_generation_equals_enumeration(rng, kernels):
    batch = random_batch(rng, 3, sentences=int(rng.integers(1, 8)), longest=4, forbidden=0.2 * int(rng.integers(3)))
    found = decode(kernels, batch, effort=INF)
    assert found.values.tolist() == [batch.enumerated(s)[0] for s in range(len(batch))]


@each_version
@pytest.mark.parametrize("labels", [45, 350])
def test_column_generation_keeps_few_labels_of_sharp_scores(kernels, labels):
    batch = random_batch(3, labels, sentences=8, longest=12, kind="floats")
    batch.unary *= 20
    found = decode(kernels, batch)
    assert_exact(batch, found)
    assert found.domain_sizes.sum() < 2 * len(batch.unary)
    assert found.rounds.max() < 6


@each_version
@given(rng=generators())
def test_column_generation_of_float32_ends_in_a_float64_proof(rng, kernels):
    """Paths that float32 sums cannot tell apart: large scores that differ in their last bits."""
    batch = random_batch(rng, 7, sentences=20, longest=20)
    batch.unary[:] = 1000 + rng.integers(-3, 4, batch.unary.shape) * 2.0**-13
    batch.transition[:] = rng.integers(-3, 4, (7, 7)) * 2.0**-14
    found = decode(kernels, batch, effort=INF)
    np.testing.assert_array_equal(found.values, batch.best())
    assert_exact(batch, found)


@each_version
@pytest.mark.parametrize("mask", [-1e4, -1e9, -1e30])
@examples(6)
@given(rng=generators())
def test_column_generation_takes_finite_masks_as_scores(rng, kernels, mask):
    seed = int(rng.integers(12))
    batch = random_batch(rng, 9, kind="floats", dtype=(np.float32, np.float64)[seed % 2])
    batch.transition[rng.random((9, 9)) < 0.5] = mask
    batch.unary[:, 1:][rng.random((len(batch.unary), 8)) < 0.3] = mask
    assert_exact(batch, decode(kernels, batch, spread=4.0))


@each_version
def test_column_generation_solves_begin_inside_outside_labels(kernels):
    """Most pairs are forbidden, and the search works on scores where they are merely low."""
    rng = np.random.default_rng(4)
    batch = random_batch(4, 13, sentences=60, longest=14, kind="floats")
    inside = np.arange(2, 13, 2)
    batch.transition[:, inside] = -np.inf
    batch.transition[inside - 1, inside] = batch.transition[inside, inside] = rng.normal(size=6)
    batch.initial = np.where(np.isin(np.arange(13), inside), -np.inf, 0.0)
    batch.unary *= 3
    found = decode(kernels, batch, spread=score_spread(batch.unary), effort=INF)
    assert_exact(batch, found)
    assert (found.domain_sizes < np.diff(batch.offsets) * 13).mean() > 0.5


@each_version
@pytest.mark.parametrize("effort", [0.0, 0.05])
def test_column_generation_leaves_flat_scores_to_dense_viterbi(kernels, effort):
    for margin in (-1.0, 1.0):
        batch = random_batch(1, 20, kind="floats")
        batch.unary *= 0.01
        assert_exact(batch, decode(kernels, batch, effort=effort, margin=margin))


@each_version
def test_column_generation_marks_improper_scores(kernels):
    batch = random_batch(9, 19, sentences=10, kind="floats")
    clean, row = decode(kernels, batch, margin=0.5), int(batch.offsets[4])
    for s, unary in improper(batch, [(row, column) for column in (0, 15, 16, 18)]):
        assert s == 4
        found = decode(kernels, replace(batch, unary=unary), margin=0.5)
        assert found.status[4] == INVALID
        assert np.isnan([found.values[4], found.bounds[4]]).all()
        others = np.arange(10) != 4
        np.testing.assert_array_equal(found.values[others], clean.values[others])
        for labels in (found.labels, found.second_labels):
            assert (labels[batch.rows(4)] == -1).all()


# --- bounds


@each_version
@pytest.mark.parametrize("gap", [long(1e-3), 0.05, long(0.5), INF])
@seeing("early")
@given(rng=generators())
def test_column_generation_stops_at_a_gap_whose_bound_holds(seen, rng, kernels, gap):
    batch = random_batch(
        rng,
        12,
        sentences=int(rng.integers(1, 21)),
        kind="floats",
        longest=12,
        forbidden=0.15 * int(rng.integers(2)),
        dtype=np.float64,
    )
    exact, found = decode(kernels, batch, effort=INF), decode(kernels, batch, effort=INF, gap=gap)
    feasible = exact.status == DECIDED
    slack = 1e-9 * np.maximum(1, np.abs(exact.values[feasible]))
    assert (found.bounds[feasible] >= exact.values[feasible] - slack).all()
    assert (found.values[feasible] <= exact.values[feasible] + slack).all()
    np.testing.assert_array_equal(batch.values(found.labels), found.values)
    left = found.bounds[feasible] - found.values[feasible]
    assert (left <= gap * np.maximum(1, np.abs(found.values[feasible]))).all()
    assert (found.rounds <= exact.rounds).all()
    seen["early"] += int((left > 0).sum())


# --- the best path but one


@pytest.mark.usefixtures("instruction_set")
@each_version
@pytest.mark.parametrize(
    ("kind", "margin"),
    [
        *[("ties", 0.0), ("ties", 1e9), ("floats", 0.5)],
        *[long("ties", 0.5), long("ties", 2.0), long("floats", 0.0), long("floats", 2.0), long("floats", 1e9)],
    ],
)
@seeing("within", "none")
@given(rng=generators())
def test_column_generation_second_best_equals_enumeration(seen, rng, kernels, margin, kind):
    labels, start = int(rng.integers(1, 5)), int(rng.integers(2))
    batch = random_batch(
        rng, labels, sentences=int(rng.integers(1, 9)), longest=4, kind=kind, forbidden=0.2 * int(rng.integers(3))
    )
    found = decode(kernels, batch, margin=margin, effort=INF if start else 0.25, start=start)
    assert_exact(batch, found)
    np.testing.assert_array_equal(batch.values(found.second_labels), found.second_values)
    for s in range(len(batch)):
        scores = batch.enumerated(s)
        second = scores[1] if len(scores) > 1 else -INF
        if second >= scores[0] - margin > -INF:
            assert found.second_values[s] == pytest.approx(second, abs=1e-12)
            assert second == -INF or (found.second_labels != found.labels)[batch.rows(s)].any()
            seen["within"] += 1
        else:
            assert found.second_values[s] == -INF
            seen["none"] += 1


# --- arrays


@each_version
def test_column_generation_takes_strided_and_read_only_arrays(kernels):
    batch = random_batch(6, 17, kind="floats", dtype=np.float64)
    plain, labels = decode(kernels, batch), np.full(2 * len(batch.unary), 99, np.int64)
    apart = decode(kernels, replace(batch, unary=strided(batch.unary)), labels=labels[::2])
    np.testing.assert_array_equal(labels[::2], plain.labels)
    assert (labels[1::2] == 99).all()
    np.testing.assert_array_equal(apart.values, plain.values)


GOOD = {
    "unary": np.zeros((5, 3)),
    "offsets": np.array([0, 2, 5]),
    "tables": transition_tables(np.zeros((3, 3)), np.float64),
    "labels": np.zeros(5, np.int64),
    **{name: np.zeros(2) for name in ("values", "bounds")},
    "status": np.zeros(2, np.uint8),
    **{name: np.zeros(2, np.int64) for name in ("rounds", "domain_sizes", "candidates")},
}
READ_ONLY = np.zeros(2)
READ_ONLY.flags.writeable = False


@each_version
@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"unary": [[0.0]]}, TypeError, "unary must be a NumPy array"),
        ({"unary": np.zeros((5, 3), np.int64)}, TypeError, "unary must be float32 or float64"),
        ({"unary": np.zeros((5, 3), np.float32)}, TypeError, "tables are for float64"),
        ({"unary": np.zeros((5, 4))}, ValueError, r"unary must have shape \(N, 3\)"),
        ({"unary": np.zeros(5)}, ValueError, "unary must have shape"),
        ({"tables": np.zeros((3, 3))}, TypeError, "transition_tables"),
        ({"offsets": np.array([0, 2, 6])}, ValueError, "offsets must run from 0 to 5"),
        ({"labels": np.zeros(4, np.int64)}, ValueError, r"labels must have shape \(5,\)"),
        ({"labels": np.zeros(5, np.int32)}, TypeError, "labels must be int64"),
        ({"values": np.zeros(2, np.float32)}, TypeError, "values must be float64"),
        ({"bounds": np.zeros(3)}, ValueError, "bounds must have shape"),
        ({"status": np.zeros(2)}, TypeError, "status must be uint8"),
        ({"rounds": np.zeros(2)}, TypeError, "rounds must be int64"),
        ({"domain_sizes": np.zeros((2, 1), np.int64)}, ValueError, "domain_sizes must have shape"),
        ({"candidates": [0, 0]}, TypeError, "candidates must be a NumPy array"),
        ({"initial": np.zeros(4)}, ValueError, r"initial must have shape \(3,\)"),
        ({"final": np.zeros((1, 3))}, ValueError, r"final must have shape \(3,\)"),
        ({"bounds": READ_ONLY}, ValueError, "bounds must be writeable"),
        ({"start": 2}, ValueError, "start must be 0"),
        ({"gap": -0.1}, ValueError, "gap and effort"),
        ({"gap": np.nan}, ValueError, "gap and effort"),
        ({"effort": -1.0}, ValueError, "gap and effort"),
        ({"margin": 1.0}, TypeError, "second_values must be a NumPy array"),
        ({"margin": 1.0, "second_values": np.zeros(2)}, TypeError, "second_labels must be a NumPy array"),
    ],
)
def test_column_generation_names_wrong_arguments(kernels, changes, error, message):
    with pytest.raises(error, match=message):
        kernels.column_generation_batch(**GOOD | changes)


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_column_generation_keeps_digits_when_initial_scores_cancel(size):
    """The rounding of moved means and end scores in float32 is added too."""
    rng = np.random.default_rng(12)
    k, sentences = 8, 200
    initial = np.round(rng.normal(size=k) * size, 3)
    transition = rng.normal(size=(k, k)) * 0.001
    unary = rng.normal(size=(2 * sentences, k)) * 0.02
    unary[::2] -= initial
    batch = Batch(unary.astype(np.float32), np.arange(0, 2 * sentences + 1, 2), transition, initial)
    found = decode(gapless_kernels, batch)
    assert found.values == pytest.approx(batch.best(), abs=1e-9)
    assert found.bounds == pytest.approx(batch.best(), abs=1e-9)
