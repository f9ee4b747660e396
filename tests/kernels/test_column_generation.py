"""Column generation for batches: its values are those of float64 Viterbi and of enumeration, its bounds hold."""

import itertools
import os
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from drawn import examples, generators, numbers, seeing
from hypothesis import given

import gapless_kernels
from gapless_kernels import DECIDED, INFEASIBLE, INVALID, score_spread, transition_tables, viterbi
from gapless_kernels.column_generation import _column_generation_twin

Array = npt.NDArray[Any]
INF = float("inf")

IMPLEMENTATIONS = [pytest.param(_column_generation_twin, id="numpy")]
if gapless_kernels.COMPILED:
    from gapless_kernels.column_generation import _column_generation

    IMPLEMENTATIONS.append(pytest.param(_column_generation, id="compiled"))
both = pytest.mark.parametrize("kernels", IMPLEMENTATIONS)


class Batch:
    """Random sentences of one model."""

    def __init__(
        self,
        seed: Any,
        labels: int,
        *,
        sentences: int = 40,
        longest: int = 6,
        kind: str = "ties",
        forbidden: float = 0.0,
        ends: bool = True,
        dtype: Any = np.float32,
    ) -> None:
        rng = numbers(seed)
        lengths = rng.integers(1, longest + 1, sentences)
        self.offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        rows = int(self.offsets[-1])
        self.unary = draw(rng, kind, (rows, labels), forbidden / 2).astype(dtype)
        self.transition = draw(rng, kind, (labels, labels), forbidden)
        self.initial = draw(rng, kind, (labels,), forbidden / 2) if ends else None
        self.final = draw(rng, kind, (labels,), forbidden / 2) if ends else None

    @property
    def folded(self) -> Array:
        local = self.unary.astype(np.float64)
        local[self.offsets[:-1]] += 0.0 if self.initial is None else self.initial
        local[self.offsets[1:] - 1] += 0.0 if self.final is None else self.final
        return local

    def sentences(self) -> Any:
        local = self.folded
        return (local[begin:end] for begin, end in itertools.pairwise(self.offsets))

    def best(self) -> Array:
        """Values of float64 Viterbi, which the tests of that kernel compare with enumeration."""
        return np.array(
            [viterbi(rows, self.transition, np.empty(len(rows), np.int64)) for rows in self.sentences()]
        )

    def scores(self, labels: Array) -> Array:
        """Sums from the left, in float64."""
        return np.array(
            [
                path_score(rows, self.transition, labels[begin:end])
                for rows, (begin, end) in zip(self.sentences(), itertools.pairwise(self.offsets), strict=True)
            ]
        )


def draw(rng: Any, kind: str, shape: tuple[int, ...], forbidden: float) -> Array:
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


def path_score(rows: Array, transition: Array, path: Array) -> float:
    if (path < 0).any():
        return -INF
    total = float(rows[0, path[0]])
    for i in range(1, len(path)):
        total = float(rows[i, path[i]]) + (total + float(transition[path[i - 1], path[i]]))
    return total


class Decoded:
    def __init__(self, kernels: Any, batch: Batch, *, centred: bool = True, spread: float = 0.0, **options: Any):
        count, rows = len(batch.offsets) - 1, len(batch.unary)
        self.labels = options.pop("labels", np.full(rows, 99, np.int64))
        self.values, self.bounds, self.second_values = np.full((3, count), 99.0)
        self.status = np.full(count, 99, np.uint8)
        self.rounds, self.sizes, self.candidates = np.full((3, count), 99, np.int64)
        self.second_labels = np.full(rows, 99, np.int64)
        if options.get("margin", -1) >= 0:
            options |= {"second_values": self.second_values, "second_labels": self.second_labels}
        kernels.column_generation_batch(
            batch.unary,
            batch.offsets,
            transition_tables(batch.transition, batch.unary.dtype, centred=centred, spread=spread),
            self.labels,
            self.values,
            self.bounds,
            self.status,
            self.rounds,
            self.sizes,
            self.candidates,
            initial=batch.initial,
            final=batch.final,
            **options,
        )


def assert_exact(batch: Batch, found: Decoded) -> None:
    best = batch.best()
    np.testing.assert_allclose(found.values, best, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found.bounds, found.values)
    np.testing.assert_array_equal(batch.scores(found.labels), found.values)
    np.testing.assert_array_equal(found.status, np.where(best == -np.inf, INFEASIBLE, DECIDED))


SIZES = (1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 45, 48)
KINDS = ("ties", "floats", "equal", "peaked")


@pytest.mark.long
@pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1: NumPy would take an hour")
def test_a_hundred_thousand_chains_have_the_values_of_viterbi() -> None:
    chains = infeasible = settled = 0
    cases = itertools.product(SIZES, KINDS, (0.0, 0.2, 0.5), (np.float32, np.float64), (0.25, INF))
    for seed, (labels, kind, forbidden, dtype, effort) in enumerate(cases):
        batch = Batch(
            seed, labels, sentences=180, longest=9, kind=kind, forbidden=forbidden, ends=seed % 3 > 0, dtype=dtype
        )
        found = Decoded(
            _column_generation, batch, start=seed % 2, centred=seed % 5 > 0, effort=effort, spread=float(seed % 4)
        )
        assert_exact(batch, found)
        chains += 180
        infeasible += int((found.status == INFEASIBLE).sum())
        settled += int((found.sizes < np.diff(batch.offsets) * labels).sum())
    assert chains > 100_000
    assert infeasible > 2000
    # Elsewhere dense Viterbi took over, as these scores are flat, or the domains grew to hold all labels.
    assert settled > chains / 4


@pytest.mark.usefixtures("instruction_set")
@both
@examples(60)
@given(rng=generators())
def test_values_are_those_of_viterbi(rng: Any, kernels: Any) -> None:
    batch = Batch(
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
        Decoded(kernels, batch, start=start, centred=centred, effort=effort, spread=float(rng.integers(4))),
    )


@both
@given(rng=generators())
def test_values_are_those_of_enumeration(rng: Any, kernels: Any) -> None:
    batch = Batch(rng, 3, sentences=int(rng.integers(1, 8)), longest=4, forbidden=0.2 * int(rng.integers(3)))
    found = Decoded(kernels, batch, effort=INF)
    for value, rows in zip(found.values, batch.sentences(), strict=True):
        paths = itertools.product(range(3), repeat=len(rows))
        assert value == max(path_score(rows, batch.transition, np.array(path)) for path in paths)


@both
@pytest.mark.parametrize("labels", [45, 350])
def test_sharp_scores_leave_domains_of_few_labels(kernels: Any, labels: int) -> None:
    batch = Batch(3, labels, sentences=8, longest=12, kind="floats")
    batch.unary *= 20
    found = Decoded(kernels, batch)
    assert_exact(batch, found)
    assert found.sizes.sum() < 2 * len(batch.unary)
    assert found.rounds.max() < 6


@both
@given(rng=generators())
def test_float32_ends_in_a_float64_proof(rng: Any, kernels: Any) -> None:
    """Paths that float32 sums cannot tell apart: large scores that differ in their last bits."""
    batch = Batch(rng, 7, sentences=20, longest=20)
    batch.unary[:] = 1000 + rng.integers(-3, 4, batch.unary.shape) * 2.0**-13
    batch.transition[:] = rng.integers(-3, 4, (7, 7)) * 2.0**-14
    found = Decoded(kernels, batch, effort=INF)
    np.testing.assert_array_equal(found.values, batch.best())
    assert_exact(batch, found)


@both
@pytest.mark.parametrize("mask", [-1e4, -1e9, -1e30])
@examples(6)
@given(rng=generators())
def test_finite_masks_are_scores_like_others(rng: Any, kernels: Any, mask: float) -> None:
    seed = int(rng.integers(12))
    batch = Batch(rng, 9, kind="floats", dtype=(np.float32, np.float64)[seed % 2])
    batch.transition[rng.random((9, 9)) < 0.5] = mask
    batch.unary[:, 1:][rng.random((len(batch.unary), 8)) < 0.3] = mask
    assert_exact(batch, Decoded(kernels, batch, spread=4.0))


@both
def test_begin_inside_outside_labels(kernels: Any) -> None:
    """Most pairs are forbidden, and the search works on scores where they are merely low."""
    rng = np.random.default_rng(4)
    batch = Batch(4, 13, sentences=60, longest=14, kind="floats")
    inside = np.arange(2, 13, 2)
    batch.transition[:, inside] = -np.inf
    batch.transition[inside - 1, inside] = batch.transition[inside, inside] = rng.normal(size=6)
    batch.initial = np.where(np.isin(np.arange(13), inside), -np.inf, 0.0)
    batch.unary *= 3
    found = Decoded(kernels, batch, spread=score_spread(batch.unary), effort=INF)
    assert_exact(batch, found)
    assert (found.sizes < np.diff(batch.offsets) * 13).mean() > 0.5


@both
@pytest.mark.parametrize("effort", [0.0, 0.05])
def test_dense_viterbi_takes_over_where_scores_are_flat(kernels: Any, effort: float) -> None:
    for margin in (-1.0, 1.0):
        batch = Batch(1, 20, kind="floats")
        batch.unary *= 0.01
        assert_exact(batch, Decoded(kernels, batch, effort=effort, margin=margin))


@both
def test_nan_and_infinity_spoil_their_own_sentence_only(kernels: Any) -> None:
    for bad in (np.nan, INF):
        for column in (0, 15, 16, 18):
            batch = Batch(9, 19, sentences=10, kind="floats")
            clean = Decoded(kernels, batch, margin=0.5)
            batch.unary[batch.offsets[4], column] = bad
            found = Decoded(kernels, batch, margin=0.5)
            assert found.status[4] == INVALID
            assert np.isnan(found.values[4])
            assert np.isnan(found.bounds[4])
            others = np.arange(10) != 4
            np.testing.assert_array_equal(found.values[others], clean.values[others])
            assert (found.labels[batch.offsets[4] : batch.offsets[5]] == -1).all()
            assert (found.second_labels[batch.offsets[4] : batch.offsets[5]] == -1).all()


# --- bounds


@both
@pytest.mark.parametrize("gap", [1e-3, 0.05, 0.5, INF])
@seeing("early")
@given(rng=generators())
def test_a_gap_is_enough_and_its_bound_holds(seen: Any, rng: Any, kernels: Any, gap: float) -> None:
    batch = Batch(
        rng,
        12,
        sentences=int(rng.integers(1, 21)),
        kind="floats",
        longest=12,
        forbidden=0.15 * int(rng.integers(2)),
        dtype=np.float64,
    )
    exact, found = Decoded(kernels, batch, effort=INF), Decoded(kernels, batch, effort=INF, gap=gap)
    feasible = exact.status == DECIDED
    slack = 1e-9 * np.maximum(1, np.abs(exact.values[feasible]))
    assert (found.bounds[feasible] >= exact.values[feasible] - slack).all()
    assert (found.values[feasible] <= exact.values[feasible] + slack).all()
    np.testing.assert_array_equal(batch.scores(found.labels), found.values)
    left = found.bounds[feasible] - found.values[feasible]
    assert (left <= gap * np.maximum(1, np.abs(found.values[feasible]))).all()
    assert (found.rounds <= exact.rounds).all()
    seen["early"] += int((left > 0).sum())


@seeing("tight")
@both
@given(rng=generators())
def test_path_bounds_hold_whatever_the_path(seen: Any, rng: Any, kernels: Any) -> None:
    seed = int(rng.integers(25))
    kind, dtype = KINDS[seed % 4], (np.float32, np.float64)[seed % 2]
    batch = Batch(rng, 11, kind=kind, forbidden=0.2 * (seed % 3), dtype=dtype)
    best = batch.best()
    tables = transition_tables(batch.transition, dtype, centred=bool(seed % 5))
    exact = Decoded(kernels, batch).labels
    for path in (rng.integers(0, 11, len(batch.unary)), exact, np.full(len(batch.unary), 99)):
        bounds, given = np.full(len(best), 99.0), path.copy()
        ends = {"initial": batch.initial, "final": batch.final}
        kernels.path_bounds_batch(batch.unary, batch.offsets, tables, path, bounds, **ends)
        assert (bounds >= best - 1e-9 * np.maximum(1, np.abs(best))).all()
        np.testing.assert_array_equal(path, given)
        if path is exact:
            seen["tight"] += int((bounds == best).sum())


# --- the best path but one


@pytest.mark.usefixtures("instruction_set")
@both
@pytest.mark.parametrize("margin", [0.0, 0.5, 2.0, 1e9])
@pytest.mark.parametrize("kind", ["ties", "floats"])
@seeing("within", "none")
@given(rng=generators())
def test_the_best_but_one_within_a_margin_is_that_of_enumeration(
    seen: Any, rng: Any, kernels: Any, margin: float, kind: str
) -> None:
    labels, start = int(rng.integers(1, 5)), int(rng.integers(2))
    batch = Batch(
        rng, labels, sentences=int(rng.integers(1, 9)), longest=4, kind=kind, forbidden=0.2 * int(rng.integers(3))
    )
    found = Decoded(kernels, batch, margin=margin, effort=INF if start else 0.25, start=start)
    assert_exact(batch, found)
    np.testing.assert_array_equal(batch.scores(found.second_labels), found.second_values)
    for s, rows in enumerate(batch.sentences()):
        paths = itertools.product(range(labels), repeat=len(rows))
        scores = sorted((path_score(rows, batch.transition, np.array(p)) for p in paths), reverse=True)
        second = scores[1] if len(scores) > 1 else -INF
        if second >= scores[0] - margin > -INF:
            assert found.second_values[s] == pytest.approx(second, abs=1e-12)
            here = slice(batch.offsets[s], batch.offsets[s + 1])
            assert second == -INF or (found.second_labels[here] != found.labels[here]).any()
            seen["within"] += 1
        else:
            assert found.second_values[s] == -INF
            seen["none"] += 1


# --- arrays


@both
def test_strided_and_read_only_arrays(kernels: Any) -> None:
    batch = Batch(6, 17, kind="floats", dtype=np.float64)
    plain = Decoded(kernels, batch)
    rows = len(batch.unary)
    batch.unary = np.repeat(np.asfortranarray(batch.unary), 2, axis=1)[:, ::2]
    batch.unary.flags.writeable = False
    room = np.full(2 * rows, 99, np.int64)
    strided = Decoded(kernels, batch, labels=room[::2])
    np.testing.assert_array_equal(room[::2], plain.labels)
    assert (room[1::2] == 99).all()
    np.testing.assert_array_equal(strided.values, plain.values)


def arguments(**changes: Any) -> tuple[list[Any], dict[str, Any]]:
    one, whole = (2,), np.int64
    names: dict[str, Any] = {
        "unary": np.zeros((5, 3)),
        "offsets": np.array([0, 2, 5]),
        "tables": transition_tables(np.zeros((3, 3)), np.float64),
        "labels": np.zeros(5, whole),
        "values": np.zeros(one),
        "bounds": np.zeros(one),
        "status": np.zeros(one, np.uint8),
        "rounds": np.zeros(one, whole),
        "domain_sizes": np.zeros(one, whole),
        "candidates": np.zeros(one, whole),
    }
    positional = [changes.pop(name, default) for name, default in names.items()]
    return positional, changes


@both
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
        ({"start": 3}, ValueError, "start must be 0"),
        ({"gap": -0.1}, ValueError, "gap and effort"),
        ({"gap": np.nan}, ValueError, "gap and effort"),
        ({"effort": -1.0}, ValueError, "gap and effort"),
        ({"margin": 1.0}, TypeError, "second_values must be a NumPy array"),
        ({"margin": 1.0, "second_values": np.zeros(2)}, TypeError, "second_labels must be a NumPy array"),
    ],
)
def test_wrong_arguments_are_named(kernels: Any, changes: Any, error: type[Exception], message: str) -> None:
    positional, named = arguments(**changes)
    with pytest.raises(error, match=message):
        kernels.column_generation_batch(*positional, **named)


@both
def test_read_only_outputs_are_refused(kernels: Any) -> None:
    positional, named = arguments()
    positional[5].flags.writeable = False
    with pytest.raises(ValueError, match="bounds must be writeable"):
        kernels.column_generation_batch(*positional, **named)
    with pytest.raises(ValueError, match="bounds"):
        kernels.path_bounds_batch(*positional[:4], np.zeros(3))


def test_package_exports_the_chosen_twin() -> None:
    chosen = _column_generation if gapless_kernels.COMPILED else _column_generation_twin
    assert (os.environ.get("GAPLESS_PURE") != "1") == gapless_kernels.COMPILED
    for name in ("column_generation_batch", "path_bounds_batch"):
        assert getattr(gapless_kernels, name) is getattr(chosen, name)


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_scores_of_starting_that_cancel_label_scores_keep_their_digits(size: float) -> None:
    """The rounding of moved means and end scores in float32 is added too."""
    rng = np.random.default_rng(12)
    k, sentences = 8, 200
    initial = np.round(rng.normal(size=k) * size, 3)
    transition = rng.normal(size=(k, k)) * 0.001
    unary = rng.normal(size=(2 * sentences, k)) * 0.02
    unary[::2] -= initial
    unary = unary.astype(np.float32)
    offsets = np.arange(0, 2 * sentences + 1, 2)
    values, bounds = np.empty((2, sentences))
    gapless_kernels.column_generation_batch(
        unary,
        offsets,
        transition_tables(transition, np.float32),
        np.empty(2 * sentences, np.int64),
        values,
        bounds,
        np.empty(sentences, np.uint8),
        *np.empty((3, sentences), np.int64),
        initial=initial,
    )
    wide = unary.astype(np.float64)
    best = ((wide[::2] + initial)[:, :, None] + transition + wide[1::2, None]).max(axis=(1, 2))
    assert values == pytest.approx(best, abs=1e-9)
    assert bounds == pytest.approx(best, abs=1e-9)
