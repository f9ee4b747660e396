"""Viterbi and dominance on batches: enumeration, float64 Viterbi, twins, and every instruction set."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from drawn import generators, numbers
from hypothesis import given
from hypothesis import strategies as st

import gapless_kernels
from gapless_kernels import DECIDED, DOUBTFUL, INFEASIBLE, INVALID
from gapless_kernels.chains import _dominance_twin, _viterbi_twin

Array = npt.NDArray[Any]
SIZES = (1, 2, 15, 16, 17, 31, 32, 33, 45, 48, 49, 64, 65, 130)
METHODS = ("viterbi_batch", "dominance_batch")
VERSIONS = ["numpy"]
if gapless_kernels.COMPILED:
    from gapless_kernels.chains import _dominance
    from gapless_kernels.lanes import _sets

    VERSIONS += _sets.instruction_sets()

each_method = pytest.mark.parametrize("method", METHODS)
needs_compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")


@pytest.fixture(scope="module", params=VERSIONS)
def kernels(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The NumPy twins, then the compiled kernels with each instruction set of this processor."""
    if request.param == "numpy":
        yield _Twins
        return
    before = _sets.choose_instruction_set(request.param)
    yield _dominance
    _sets.choose_instruction_set(before)


class _Twins:
    viterbi_batch = staticmethod(_viterbi_twin.viterbi_batch)
    dominance_batch = staticmethod(_dominance_twin.dominance_batch)
    dominance_tables = staticmethod(_dominance_twin.dominance_tables)
    dominance = staticmethod(_dominance_twin.dominance)


@dataclass(frozen=True)
class Batch:
    unary: Array
    offsets: Array
    transition: Array
    initial: Array | None = None
    final: Array | None = None

    @property
    def labels(self) -> int:
        return len(self.transition)

    def local(self, s: int) -> Array:
        """Scores of sentence s in float64, those of its ends included."""
        rows = self.unary[self.offsets[s] : self.offsets[s + 1]].astype(np.float64)
        if self.initial is not None:
            rows[0] += self.initial
        if self.final is not None:
            rows[-1] += self.final
        return rows

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True)
class Decoded:
    labels: Array
    values: Array
    status: Array
    survivors: Array


def decode(kernels: Any, method: str, batch: Batch) -> Decoded:
    n, s = len(batch.unary), len(batch)
    found = Decoded(np.full(n, 99), np.full(s, 99.0), np.full(s, 99, np.uint8), np.full(s, 99))
    shared: tuple[Any, ...] = (batch.unary, batch.offsets)
    outputs = (found.labels, found.values, found.status)
    if method == "viterbi_batch":
        kernels.viterbi_batch(*shared, batch.transition, batch.initial, batch.final, *outputs)
    else:
        tables = kernels.dominance_tables(batch.transition, batch.unary.dtype)
        kernels.dominance_batch(*shared, tables, batch.initial, batch.final, *outputs, found.survivors)
    return found


def score(local: Array, transition: Array, path: Any) -> float:
    return sum(local[i, y] for i, y in enumerate(path)) + sum(transition[x, y] for x, y in itertools.pairwise(path))


def optimum(batch: Batch, s: int) -> float:
    """By Viterbi in float64, no code of the kernels."""
    local = batch.local(s)
    message = local[0]
    for row in local[1:]:
        message = row + (message[:, None] + batch.transition).max(axis=0)
    return float(message.max())


def random_scores(rng: np.random.Generator, shape: Any, integers: bool, forbidden: float) -> Array:
    values = rng.integers(-3, 4, shape).astype(float) if integers else rng.normal(size=shape)
    values[rng.random(shape) < forbidden] = -np.inf
    return values


def random_batch(seed: int, sizes: tuple[int, ...] = SIZES, most: int = 8, dtype: Any = None) -> Batch:
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


def check(batch: Batch, found: Decoded, best: Any = optimum) -> None:
    """The value is the path's, and the optimum wherever that is claimed."""
    for s in range(len(batch)):
        value, path = best(batch, s), found.labels[batch.offsets[s] : batch.offsets[s + 1]]
        if value == -np.inf:
            assert found.status[s] == INFEASIBLE
            assert found.values[s] == -np.inf
            assert (path == -1).all()
            continue
        assert found.status[s] in ((DECIDED, DOUBTFUL) if batch.unary.dtype == np.float32 else (DECIDED,))
        assert found.values[s] == pytest.approx(score(batch.local(s), batch.transition, path), rel=1e-12, abs=1e-12)
        if found.status[s] == DECIDED:
            assert found.values[s] == pytest.approx(value, rel=1e-9, abs=1e-9)


@each_method
@given(rng=generators())
def test_batches_are_enumeration(rng: Any, kernels: Any, method: str) -> None:
    def best(batch: Batch, s: int) -> float:
        local = batch.local(s)
        paths = itertools.product(range(batch.labels), repeat=len(local))
        return max(score(local, batch.transition, path) for path in paths)

    batch = random_batch(rng, sizes=(1, 2, 3), most=5)
    check(batch, decode(kernels, method, batch), best)


@each_method
@given(seed=st.integers(0, 2**32 - 1))
def test_batches_are_optimal(kernels: Any, method: str, seed: int) -> None:
    batch = random_batch(seed)
    check(batch, decode(kernels, method, batch))


@needs_compiled
@given(seed=st.integers(0, 2**32 - 1))
def test_viterbi_twins_agree_bit_by_bit(seed: int) -> None:
    batch = random_batch(seed)
    ours, theirs = (decode(module, "viterbi_batch", batch) for module in (_dominance, _Twins))
    assert (ours.labels == theirs.labels).all()
    assert (ours.values == theirs.values).all()
    assert (ours.status == theirs.status).all()


@needs_compiled
@given(seed=st.integers(0, 2**32 - 1))
def test_tables_of_twins_agree_bit_by_bit(seed: int) -> None:
    batch = random_batch(seed)
    ours, theirs = (m.dominance_tables(batch.transition, batch.unary.dtype) for m in (_dominance, _Twins))
    for name in ("gauge", "moves", "arrivals", "excess", "group_excess"):
        assert (getattr(ours, name) == getattr(theirs, name)).all()
    assert (ours.largest, ours.finite) == (theirs.largest, theirs.finite)


@given(seed=st.integers(0, 2**32 - 1))
def test_tables_are_never_rounded_down(kernels: Any, seed: int) -> None:
    batch = random_batch(seed, sizes=(1, 3, 17, 33))
    tables = kernels.dominance_tables(batch.transition, batch.unary.dtype)
    k, transition = batch.labels, batch.transition
    excess = tables.excess[:, :k].astype(np.longdouble) - tables.gauge[:, None] + tables.gauge
    for y in range(k):
        for x in range(k):
            successors = np.flatnonzero(transition[x] > -np.inf)
            gains = transition[x, successors].astype(np.longdouble) - transition[y, successors]
            assert excess[y, x] >= gains.max(initial=-np.inf)
            if np.isfinite(gains.max(initial=-np.inf)):
                assert excess[y, x] <= gains.max() + 1e-5
            else:
                assert excess[y, x] == gains.max(initial=-np.inf)


def test_tables_say_what_they_hold(kernels: Any) -> None:
    transition = np.zeros((45, 45))
    for dtype in (np.float32, np.float64):
        tables = kernels.dominance_tables(transition, dtype)
        assert tables.transition is transition
        assert tables.labels == 45
        assert tables.nbytes == 45 * 8 + (3 * 45 * 48 + 45 * 16) * np.dtype(dtype).itemsize
        assert not tables.moves.flags.writeable


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_peaked_scores_leave_few_survivors(kernels: Any, dtype: Any) -> None:
    rng = np.random.default_rng(3)
    unary, gold = rng.normal(size=(300, 45)), rng.integers(0, 45, 300)
    unary[np.arange(300), gold] += 60
    batch = Batch(unary.astype(dtype), np.arange(0, 301, 20), rng.normal(size=(45, 45)))
    found = decode(kernels, "dominance_batch", batch)
    assert (found.status == DECIDED).all()
    assert (found.labels == gold).all()
    assert (found.survivors == 20).all()


@pytest.mark.parametrize("k", [5, 45, 200])
def test_flat_scores_are_decoded_densely(kernels: Any, k: int) -> None:
    """All labels survive everywhere, in sentences enough to be left to Viterbi one after another."""
    batch = Batch(np.zeros((900, k)), np.arange(0, 901, 9), np.random.default_rng(4).normal(size=(k, k)))
    check(batch, decode(kernels, "dominance_batch", batch))


@each_method
def test_long_sentences_keep_their_digits(kernels: Any, method: str) -> None:
    rng = np.random.default_rng(5)
    batch = Batch(
        rng.normal(size=(3000, 20)).astype(np.float32) * 5, np.array([0, 1000, 3000]), rng.normal(size=(20, 20))
    )
    found = decode(kernels, method, batch)
    check(batch, found)
    exact = decode(kernels, method, replace(batch, unary=batch.unary.astype(np.float64)))
    assert found.values == pytest.approx(exact.values, rel=1e-6)


@each_method
def test_ties_are_doubtful_in_float32_only(kernels: Any, method: str) -> None:
    """A tie that float64 breaks by the last digit is left open in float32."""
    unary = np.array([[1.0, 1.0], [0.0, 0.0]])
    transition = np.array([[1e-12, 0.0], [0.0, 0.0]])
    for dtype, status in ((np.float32, DOUBTFUL), (np.float64, DECIDED)):
        found = decode(kernels, method, Batch(unary.astype(dtype), np.array([0, 2]), transition))
        assert found.status.tolist() == [status]
    assert found.labels.tolist() == [0, 0]


@each_method
def test_scores_that_float32_cannot_hold_are_doubtful(kernels: Any, method: str) -> None:
    transition = np.full((2, 2), -1e300)
    found = decode(kernels, method, Batch(np.zeros((3, 2), np.float32), np.array([0, 1, 3]), transition))
    assert found.status.tolist() == [DOUBTFUL, DOUBTFUL]


@each_method
@pytest.mark.parametrize("mask", [-1e9, -1e30, float(np.finfo(np.float32).min)])
def test_large_negative_scores_mask_labels(kernels: Any, method: str, mask: float) -> None:
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
def test_masked_transitions_take_no_digits_of_other_scores(
    kernels: Any, method: str, mask: float, share: float
) -> None:
    """A gauge as large as a mask took them all: paths were far from the best and called decided."""
    rng = np.random.default_rng(9)
    for k in (2, 12, 33):
        transition = np.where(rng.random((k, k)) < share, mask, rng.normal(size=(k, k)))
        transition[0], transition[-1] = 0.0, mask
        batch = Batch(rng.normal(size=(60, k)), np.array([0, 1, 20, 40, 60]), transition)
        found = decode(kernels, method, batch)
        for s, (start, end) in enumerate(itertools.pairwise(batch.offsets)):
            best = batch.unary[start]
            for row in batch.unary[start + 1 : end]:
                best = (best[:, None] + transition).max(axis=0) + row
            assert found.values[s] == pytest.approx(best.max(), rel=1e-12)


@pytest.mark.parametrize("k", [3, 40])
def test_sums_beyond_float64_are_viterbi(kernels: Any, k: int) -> None:
    rng = np.random.default_rng(7)
    batch = Batch(rng.normal(size=(12, k)) * 1e304, np.array([0, 1, 12]), rng.normal(size=(k, k)) * 1e302)
    assert (
        decode(kernels, "dominance_batch", batch).values == decode(kernels, "viterbi_batch", batch).values
    ).all()


@each_method
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 16, 45, 90])
def test_improper_scores_are_found(kernels: Any, method: str, dtype: Any, k: int) -> None:
    clean = np.random.default_rng(8).normal(size=(30, k)).astype(dtype)
    offsets = np.arange(0, 31, 3)
    for improper in (np.nan, np.inf):
        for at in (0, 13, 29):
            unary = clean.copy()
            unary[at, (7 * at) % k] = improper
            found = decode(kernels, method, Batch(unary, offsets, np.zeros((k, k))))
            assert found.status[at // 3] == INVALID
            assert found.values[at // 3] == -np.inf
            assert (found.labels[at // 3 * 3 :][:3] == -1).all()
            assert (np.delete(found.status, at // 3) != INVALID).all()


@each_method
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nan_everywhere_leads_nowhere(kernels: Any, method: str, dtype: Any) -> None:
    for k in (1, 16, 45, 90):
        found = decode(
            kernels, method, Batch(np.full((9, k), np.nan, dtype), np.array([0, 1, 9]), np.zeros((k, k)))
        )
        assert (found.status == INVALID).all()


@each_method
def test_arrays_may_be_strided(kernels: Any, method: str) -> None:
    batch = random_batch(11, sizes=(19,))
    apart = Batch(*(None if a is None else np.repeat(a, 2, axis=-1)[..., ::2] for a in vars(batch).values()))
    outputs = [np.full(2 * size, 99, kind)[::2] for size, kind in (
        (len(batch.unary), np.int64), (len(batch), np.float64), (len(batch), np.uint8),
    )]  # fmt: skip
    if method == "viterbi_batch":
        given_scores = apart.transition
    else:
        given_scores = kernels.dominance_tables(apart.transition, apart.unary.dtype)
    getattr(kernels, method)(apart.unary, apart.offsets, given_scores, apart.initial, apart.final, *outputs)
    found = decode(kernels, method, batch)
    for ours, theirs in zip(outputs, (found.labels, found.values, found.status), strict=True):
        assert (ours == theirs).all()
        assert (ours.base.reshape(-1)[1::2] == 99).all()


def test_survivors_are_optional(kernels: Any) -> None:
    tables = kernels.dominance_tables(np.zeros((2, 2)), np.float64)
    outputs = (np.empty(3, np.int64), np.empty(1), np.empty(1, np.uint8))
    kernels.dominance_batch(np.eye(3, 2), np.array([0, 3]), tables, None, None, *outputs)
    assert outputs[1].tolist() == [2.0]


# --- one sentence -----------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1))
def test_one_sentence_tells_who_survived(kernels: Any, seed: int) -> None:
    """Dropped labels are dominated, and messages of the survivors alone reach the optimum."""
    batch = random_batch(seed, sizes=(1, 2, 3, 16, 17, 45, 70), dtype=np.float64)
    tables = kernels.dominance_tables(batch.transition, np.float64)
    for s, (begin, end) in enumerate(itertools.pairwise(batch.offsets)):
        n, t, local = end - begin, batch.transition, batch.local(s)
        labels, kept, dominators = np.empty(n, np.int64), np.empty((n, batch.labels), bool), np.empty(n, np.int64)
        value = kernels.dominance(
            batch.unary[begin:end], tables, batch.initial, batch.final, labels, kept, dominators
        )
        assert value == pytest.approx(optimum(batch, s), rel=1e-12, abs=1e-12)
        assert ((dominators >= 0) & (dominators < batch.labels)).all()
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
                gains = [t[x, r] - t[y, r] for r in range(batch.labels) if t[x, r] > -np.inf]
                assert message[x] + max(gains, default=-np.inf) <= message[y] + 1e-9
            alive = np.flatnonzero(kept[i])
            message = local[i + 1] + (message[alive, None] + t[alive]).max(axis=0)
        assert message.max() == pytest.approx(value, rel=1e-12, abs=1e-12)


def test_one_sentence_must_be_proper(kernels: Any) -> None:
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
def test_wrong_arguments_are_named(
    kernels: Any, method: str, change: dict[str, Any], error: type[Exception], message: str
) -> None:
    arguments = {**GOOD, **change}
    if method == "viterbi_batch":
        arguments["transition"] = np.zeros((2, 2))
    else:
        arguments["tables"] = kernels.dominance_tables(np.zeros((2, 2)), np.float64)
    with pytest.raises(error, match=message):
        getattr(kernels, method)(**arguments)


def test_tables_and_scores_are_of_one_type(kernels: Any) -> None:
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
def test_tables_refuse(kernels: Any, transition: Array, dtype: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kernels.dominance_tables(transition, dtype)


def test_package_exports_the_chosen_twins() -> None:
    for name in ("dominance", "dominance_batch", "dominance_tables", "viterbi_batch"):
        chosen = _dominance if gapless_kernels.COMPILED else _Twins
        assert getattr(gapless_kernels, name) is getattr(chosen, name)
