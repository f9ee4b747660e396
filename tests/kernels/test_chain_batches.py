"""Viterbi and dominance on batches: enumeration, float64 Viterbi, twins, and every instruction set."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from chain_batches import Batch, improper
from drawn import generators, numbers
from hypothesis import given
from hypothesis import strategies as st
from kernel_versions import every_set, needs_compiled, random_scores, strided, versions

from gapless_kernels import DECIDED, DOUBTFUL, INFEASIBLE, INVALID

_dominance_twin, _dominance = versions("chains._dominance")
_viterbi_twin, _ = versions("chains._viterbi")
TWINS = SimpleNamespace(**{**vars(_viterbi_twin), **vars(_dominance_twin)})
SIZES = (1, 2, 15, 16, 17, 31, 32, 33, 45, 48, 49, 64, 65, 130)
METHODS = ("viterbi_batch", "dominance_batch")
each_method = pytest.mark.parametrize("method", METHODS)
each_type = pytest.mark.parametrize("dtype", [np.float32, np.float64])
seeds = given(seed=st.integers(0, 2**32 - 1))


kernels = every_set(TWINS, _dominance)


def decode(kernels, method, batch):
    n, s = len(batch.unary), len(batch)
    found = SimpleNamespace(
        labels=np.full(n, 99), values=np.full(s, 99.0), status=np.full(s, 99, np.uint8), survivors=np.full(s, 99)
    )
    outputs = list(vars(found).values())
    scores = batch.transition
    if method == "viterbi_batch":
        outputs.pop()
    else:
        scores = kernels.dominance_tables(batch.transition, batch.unary.dtype)
    getattr(kernels, method)(batch.unary, batch.offsets, scores, batch.initial, batch.final, *outputs)
    return found


def random_batch(seed, sizes=SIZES, most=8, dtype=None):
    """Ties, floats, -inf everywhere, flat and peaked label scores, sentences of one label and of one position."""
    rng = numbers(seed)
    k, sentences = int(rng.choice(sizes)), int(rng.integers(1, 13))
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, most, sentences))]).astype(np.int64)
    integers, forbidden = bool(rng.integers(2)), float(rng.choice([0, 0, 0.1, 0.5, 0.9]))
    unary = random_scores(rng, (offsets[-1], k), integers, forbidden) * rng.choice([1, 4, 30])
    transition = random_scores(rng, (k, k), integers, float(rng.choice([0, 0, 0.1, 0.5, 0.9])))
    initial = random_scores(rng, k, integers, 0.2) if rng.random() < 0.5 else None
    final = random_scores(rng, k, integers, 0.2) if rng.random() < 0.5 else None
    kind = dtype or rng.choice([np.float32, np.float64])
    return Batch(unary.astype(kind), offsets, transition, initial, final)


def check(batch, found, best=None):
    """Compare values with those of the paths, and with the optimum wherever that is claimed."""
    for s, value in enumerate(batch.best() if best is None else best):
        path = found.labels[batch.rows(s)]
        if value == -np.inf:
            assert found.status[s] == INFEASIBLE
            assert found.values[s] == -np.inf
            assert (path == -1).all()
            continue
        assert found.status[s] in ((DECIDED, DOUBTFUL) if batch.unary.dtype == np.float32 else (DECIDED,))
        assert found.values[s] == pytest.approx(batch.value(s, path), rel=1e-12, abs=1e-12)
        if found.status[s] == DECIDED:
            assert found.values[s] == pytest.approx(value, rel=1e-9, abs=1e-9)


@each_method
@given(rng=generators())
def test_chain_batches_are_enumeration(rng, kernels, method):
    batch = random_batch(rng, sizes=(1, 2, 3), most=5)
    check(batch, decode(kernels, method, batch), [batch.enumerated(s)[0] for s in range(len(batch))])


@each_method
@seeds
def test_chain_batches_are_optimal(kernels, method, seed):
    batch = random_batch(seed)
    check(batch, decode(kernels, method, batch))


@needs_compiled
@seeds
def test_viterbi_twins_agree_bit_by_bit(seed):
    batch = random_batch(seed)
    ours, theirs = (decode(module, "viterbi_batch", batch) for module in (_dominance, TWINS))
    for name, array in vars(ours).items():
        assert (array == vars(theirs)[name]).all(), name


@needs_compiled
@seeds
def test_dominance_tables_of_twins_agree_bit_by_bit(seed):
    batch = random_batch(seed)
    ours, theirs = (m.dominance_tables(batch.transition, batch.unary.dtype) for m in (_dominance, TWINS))
    for name in ("gauge", "moves", "arrivals", "excess", "group_excess"):
        assert (getattr(ours, name) == getattr(theirs, name)).all()
    assert (ours.largest, ours.finite) == (theirs.largest, theirs.finite)


@seeds
def test_dominance_tables_are_never_rounded_down(kernels, seed):
    batch = random_batch(seed, sizes=(1, 3, 17, 33))
    tables = kernels.dominance_tables(batch.transition, batch.unary.dtype)
    k, transition = len(batch.transition), batch.transition
    excess = tables.excess[:, :k].astype(np.longdouble) - tables.gauge[:, None] + tables.gauge
    for y, x in np.ndindex(k, k):
        successors = np.flatnonzero(transition[x] > -np.inf)
        gains = transition[x, successors].astype(np.longdouble) - transition[y, successors]
        gain = gains.max(initial=-np.inf)
        assert gain <= excess[y, x] <= gain + (1e-5 if np.isfinite(gain) else 0.0)


def test_dominance_tables_report_size_and_labels(kernels):
    transition = np.zeros((45, 45))
    for dtype in (np.float32, np.float64):
        tables = kernels.dominance_tables(transition, dtype)
        assert tables.transition is transition
        assert tables.labels == 45
        assert tables.nbytes == 45 * 8 + (3 * 45 * 48 + 45 * 16) * np.dtype(dtype).itemsize
        assert not tables.moves.flags.writeable


@each_type
def test_dominance_keeps_one_label_of_peaked_scores(kernels, dtype):
    rng = np.random.default_rng(3)
    unary, gold = rng.normal(size=(300, 45)), rng.integers(0, 45, 300)
    unary[np.arange(300), gold] += 60
    batch = Batch(unary.astype(dtype), np.arange(0, 301, 20), rng.normal(size=(45, 45)))
    found = decode(kernels, "dominance_batch", batch)
    assert (found.status == DECIDED).all()
    assert (found.labels == gold).all()
    assert (found.survivors == 20).all()


@pytest.mark.parametrize("k", [5, 45, 200])
def test_dominance_decodes_flat_scores_densely(kernels, k):
    """All labels survive everywhere, in sentences enough to be left to Viterbi one after another."""
    batch = Batch(np.zeros((900, k)), np.arange(0, 901, 9), np.random.default_rng(4).normal(size=(k, k)))
    check(batch, decode(kernels, "dominance_batch", batch))


@each_method
def test_chain_batches_keep_the_digits_of_long_sentences(kernels, method):
    rng = np.random.default_rng(5)
    batch = Batch(
        rng.normal(size=(3000, 20)).astype(np.float32) * 5, np.array([0, 1000, 3000]), rng.normal(size=(20, 20))
    )
    found = decode(kernels, method, batch)
    check(batch, found)
    exact = decode(kernels, method, replace(batch, unary=batch.unary.astype(np.float64)))
    assert found.values == pytest.approx(exact.values, rel=1e-6)


@each_method
def test_chain_batches_doubt_ties_in_float32_only(kernels, method):
    """A tie that float64 breaks by the last digit is left open in float32."""
    unary = np.array([[1.0, 1.0], [0.0, 0.0]])
    transition = np.array([[1e-12, 0.0], [0.0, 0.0]])
    for dtype, status in ((np.float32, DOUBTFUL), (np.float64, DECIDED)):
        found = decode(kernels, method, Batch(unary.astype(dtype), np.array([0, 2]), transition))
        assert found.status.tolist() == [status]
    assert found.labels.tolist() == [0, 0]


@each_method
def test_chain_batches_doubt_scores_beyond_float32(kernels, method):
    transition = np.full((2, 2), -1e300)
    found = decode(kernels, method, Batch(np.zeros((3, 2), np.float32), np.array([0, 1, 3]), transition))
    assert found.status.tolist() == [DOUBTFUL, DOUBTFUL]


@each_method
@pytest.mark.parametrize("mask", [-1e9, -1e30, float(np.finfo(np.float32).min)])
def test_chain_batches_take_large_negative_scores_as_masks(kernels, method, mask):
    rng = np.random.default_rng(6)
    unary = rng.normal(size=(40, 20)).astype(np.float32)
    unary[rng.random(unary.shape) < 0.5] = mask
    forbidden = np.where(rng.random((20, 20)) < 0.3, -np.inf, rng.normal(size=(20, 20)))
    for transition in (rng.normal(size=(20, 20)), forbidden):
        batch = Batch(unary, np.arange(0, 41, 4), transition)
        check(batch, decode(kernels, method, batch))


@each_method
@pytest.mark.parametrize("mask", [-1e9, -1e16, -1e30])
@pytest.mark.parametrize("share", [0.3, 0.95])
def test_chain_batches_keep_the_digits_of_scores_beside_masks(kernels, method, mask, share):
    """A gauge as large as a mask took them all: paths were far from the best and called decided."""
    rng = np.random.default_rng(9)
    for k in (2, 12, 33):
        transition = np.where(rng.random((k, k)) < share, mask, rng.normal(size=(k, k)))
        transition[0], transition[-1] = 0.0, mask
        batch = Batch(rng.normal(size=(60, k)), np.array([0, 1, 20, 40, 60]), transition)
        found = decode(kernels, method, batch)
        assert found.values == pytest.approx(batch.best(), rel=1e-12)


@pytest.mark.parametrize("k", [3, 40])
def test_dominance_leaves_sums_beyond_float64_to_viterbi(kernels, k):
    rng = np.random.default_rng(7)
    batch = Batch(rng.normal(size=(12, k)) * 1e304, np.array([0, 1, 12]), rng.normal(size=(k, k)) * 1e302)
    assert (
        decode(kernels, "dominance_batch", batch).values == decode(kernels, "viterbi_batch", batch).values
    ).all()


@each_method
@each_type
@pytest.mark.parametrize("k", [1, 16, 45, 90])
def test_chain_batches_mark_improper_scores(kernels, method, dtype, k):
    clean = Batch(
        np.random.default_rng(8).normal(size=(30, k)).astype(dtype), np.arange(0, 31, 3), np.zeros((k, k))
    )
    for s, unary in improper(clean, [(row, 7 * row % k) for row in (0, 13, 29)]):
        found = decode(kernels, method, replace(clean, unary=unary))
        assert found.status[s] == INVALID
        assert found.values[s] == -np.inf
        assert (found.labels[clean.rows(s)] == -1).all()
        assert (np.delete(found.status, s) != INVALID).all()
    nothing = Batch(np.full((9, k), np.nan, dtype), np.array([0, 1, 9]), np.zeros((k, k)))
    assert (decode(kernels, method, nothing).status == INVALID).all()


@each_method
def test_chain_batches_take_strided_arrays(kernels, method):
    batch = random_batch(11, sizes=(19,))
    apart = Batch(*(None if array is None else strided(array) for array in batch.model))
    found = decode(kernels, method, batch)
    outputs = [np.repeat(np.full_like(array, 99), 2)[::2] for array in (found.labels, found.values, found.status)]
    scores = apart.transition
    if method == "dominance_batch":
        scores = kernels.dominance_tables(apart.transition, apart.unary.dtype)
    getattr(kernels, method)(apart.unary, apart.offsets, scores, apart.initial, apart.final, *outputs)
    for ours, theirs in zip(outputs, (found.labels, found.values, found.status), strict=True):
        assert (ours == theirs).all()
        assert (ours.base.reshape(-1)[1::2] == 99).all()


def test_dominance_batch_needs_no_survivors(kernels):
    tables = kernels.dominance_tables(np.zeros((2, 2)), np.float64)
    outputs = (np.empty(3, np.int64), np.empty(1), np.empty(1, np.uint8))
    kernels.dominance_batch(np.eye(3, 2), np.array([0, 3]), tables, None, None, *outputs)
    assert outputs[1].tolist() == [2.0]


# --- one sentence -----------------------------------------------------------------------------------------------


@seeds
def test_dominance_returns_valid_survivors_and_dominators(kernels, seed):
    """Dropped labels are dominated, and messages of the survivors alone reach the optimum."""
    batch = random_batch(seed, sizes=(1, 2, 3, 16, 17, 45, 70), dtype=np.float64)
    tables = kernels.dominance_tables(batch.transition, np.float64)
    for s, best in enumerate(batch.best()):
        t, local = batch.transition, batch.local(s)
        n = len(local)
        labels, kept, dominators = (
            np.empty(n, np.int64),
            np.empty((n, len(batch.transition)), bool),
            np.empty(n, np.int64),
        )
        unary = batch.unary[batch.rows(s)]
        value = kernels.dominance(unary, tables, batch.initial, batch.final, labels, kept, dominators)
        assert value == pytest.approx(best, rel=1e-12, abs=1e-12)
        assert ((dominators >= 0) & (dominators < len(batch.transition))).all()
        if value == -np.inf:
            assert (labels == -1).all()
            continue
        assert kept[np.arange(n), labels].all()
        assert kept[np.arange(n), dominators].all()
        assert kept[-1].sum() == 1
        message = local[0]
        for i in range(n - 1):
            y = dominators[i]
            for x in np.flatnonzero(~kept[i] & (message > -np.inf)):
                gains = [t[x, r] - t[y, r] for r in range(len(batch.transition)) if t[x, r] > -np.inf]
                assert message[x] + max(gains, default=-np.inf) <= message[y] + 1e-9
            alive = np.flatnonzero(kept[i])
            message = local[i + 1] + (message[alive, None] + t[alive]).max(axis=0)
        assert message.max() == pytest.approx(value, rel=1e-12, abs=1e-12)


def test_dominance_refuses_improper_scores(kernels):
    tables = kernels.dominance_tables(np.zeros((2, 2)), np.float64)
    outputs = (np.empty(2, np.int64), np.empty((2, 2), bool), np.empty(2, np.int64))
    with pytest.raises(ValueError, match="NaN"):
        kernels.dominance(np.array([[0.0, np.nan], [0, 0]]), tables, None, None, *outputs)


# --- wrong arguments --------------------------------------------------------------------------------------------

OUTPUTS = {"labels": np.zeros(3, np.int64), "values": np.zeros(1), "status": np.zeros(1, np.uint8)}
GOOD = {"unary": np.zeros((3, 2)), "offsets": np.array([0, 3]), "initial": None, "final": None, **OUTPUTS}
WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"unary": [[0.0, 0.0]]}, TypeError, "unary must be a NumPy array"),
    ({"unary": np.zeros((3, 2), np.int64)}, TypeError, "unary must be float32 or float64"),
    ({"unary": np.zeros((3, 3))}, ValueError, r"unary must have shape \(N, 2\)"),
    ({"unary": np.zeros((0, 2))}, ValueError, "N >= 1"),
    ({"unary": np.zeros(3)}, ValueError, r"unary must have shape \(N, 2\)"),
    ({"offsets": np.array([0, 4])}, ValueError, "to 3"),
    ({"offsets": np.array([1, 3])}, ValueError, "from 0"),
    ({"offsets": np.array([0])}, ValueError, r"\(S\+1,\)"),
    ({"offsets": np.array([0, 2, 2, 3])}, ValueError, "sentence 1"),
    ({"offsets": np.array([0, 2**62, -(2**62) - 9, 3])}, ValueError, "sentence 1"),
    ({"offsets": np.zeros(2)}, TypeError, "offsets must be int64"),
    ({"offsets": [0, 3]}, TypeError, "offsets must be a NumPy array"),
    ({"initial": [0.0, 0.0]}, TypeError, "initial must be a NumPy array or None"),
    ({"initial": np.zeros(2, np.float32)}, TypeError, "initial must be float64"),
    ({"final": np.zeros(3)}, ValueError, r"final must have shape \(2,\)"),
    ({"labels": np.zeros(2, np.int64)}, ValueError, "labels"),
    ({"labels": np.zeros(3)}, TypeError, "labels must be int64"),
    ({"values": np.zeros(2)}, ValueError, "values"),
    ({"values": np.zeros(1, np.float32)}, TypeError, "values must be float64"),
    ({"status": np.zeros(1, np.int64)}, TypeError, "status must be uint8"),
]


@each_method
@pytest.mark.parametrize(("change", "error", "message"), WRONG)
def test_chain_batches_name_wrong_arguments(kernels, method, change, error, message):
    arguments = {**GOOD, **change}
    if method == "viterbi_batch":
        arguments["transition"] = np.zeros((2, 2))
    else:
        arguments["tables"] = kernels.dominance_tables(np.zeros((2, 2)), np.float64)
    with pytest.raises(error, match=message):
        getattr(kernels, method)(**arguments)


def test_dominance_refuses_tables_of_another_type(kernels):
    single = kernels.dominance_tables(np.zeros((2, 2)), np.float32)
    with pytest.raises(TypeError, match="unary must have the type of the tables"):
        kernels.dominance_batch(**GOOD, tables=single)
    kept = np.zeros((3, 2), bool)
    with pytest.raises(TypeError, match="tables must be float64"):
        kernels.dominance(GOOD["unary"], single, None, None, np.zeros(3, np.int64), kept, np.zeros(3, np.int64))


@pytest.mark.parametrize(
    ("transition", "dtype", "error", "message"),
    [
        (np.zeros((2, 2)), np.int64, TypeError, "dtype"),
        (np.zeros((2, 2), np.float32), np.float32, TypeError, "transition must be float64"),
        (np.zeros((2, 3)), np.float64, ValueError, "transition must have shape"),
        (np.zeros((0, 0)), np.float64, ValueError, "K >= 1"),
        (np.array([[0.0, np.nan], [0, 0]]), np.float64, ValueError, r"transition\[0, 1\] is nan"),
        (np.array([[0.0, 0.0], [np.inf, 0]]), np.float64, ValueError, r"transition\[1, 0\] is inf"),
    ],
)
def test_dominance_tables_name_wrong_arguments(kernels, transition, dtype, error, message):
    with pytest.raises(error, match=message):
        kernels.dominance_tables(transition, dtype)
