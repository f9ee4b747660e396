"""Beam search, Viterbi with pruning and the k best paths: compiled kernels, their twins and Viterbi agree."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from drawn import examples, generators, numbers
from hypothesis import given

import gapless_kernels
from gapless_kernels import DECIDED, DOUBTFUL, INFEASIBLE, INVALID
from gapless_kernels.chains._path_value import path_value
from gapless_kernels.chains._viterbi_twin import forward_messages, viterbi
from gapless_kernels.sparse_chains import _beam_twin, _k_best_twin, _viterbi_pruned_twin

Array = npt.NDArray[Any]
TWINS = {"numpy": (_beam_twin, _viterbi_pruned_twin, _k_best_twin)}
if gapless_kernels.COMPILED:
    from gapless_kernels.sparse_chains import _beam, _k_best, _viterbi_pruned

    TWINS["compiled"] = (_beam, _viterbi_pruned, _k_best)

both = pytest.mark.parametrize("name", list(TWINS))
needs_compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")
SIZES = [1, 2, 3, 15, 16, 17, 31, 33, 45, 48]


@dataclass(frozen=True)
class Batch:
    unary: Array
    offsets: Array
    transition: Array
    initial: Array | None
    final: Array | None

    @property
    def model(self) -> tuple[Any, ...]:
        return self.unary, self.offsets, self.transition, self.initial, self.final

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def local(self, s: int) -> Array:
        local = self.unary[self.offsets[s] : self.offsets[s + 1]].astype(np.float64)
        local[0] += 0.0 if self.initial is None else self.initial
        local[-1] += 0.0 if self.final is None else self.final
        return local

    def value(self, s: int, labels: Array) -> float:
        here = self.unary[self.offsets[s] : self.offsets[s + 1]]
        return path_value(here, self.transition, self.initial, self.final, labels)

    @property
    def bounds(self) -> dict[str, Array]:
        return {"lower": self.transition.min(axis=1), "upper": self.transition.max(axis=1)}

    @property
    def table(self) -> Array:
        """By definition: the largest ``transition[x, r] - transition[y, r]`` over the successors r of x."""
        k = len(self.transition)
        table = np.full((k, k), -np.inf)
        for y, x in np.ndindex(k, k):
            allowed = self.transition[x] > -np.inf
            if allowed.any():
                table[y, x] = (self.transition[x, allowed] - self.transition[y, allowed]).max()
        return table


def batches(seed: int, count: int, sizes: list[int], dtype: Any = None) -> Any:
    """Integers with many ties or floats, sharp or flat; forbidden entries everywhere, and whole chains."""
    rng = numbers(seed)
    for _ in range(count):
        k = int(rng.choice(sizes))
        lengths = rng.integers(1, 7, rng.integers(1, 10))
        integers, sharp, forbidden = rng.random() < 0.5, rng.choice([0, 1, 4]), rng.choice([0, 0, 0.2, 0.6])

        def draw(*shape: int, integers: bool = integers, forbidden: float = forbidden) -> Array:
            scores = rng.integers(-2, 3, shape).astype(float) if integers else rng.normal(size=shape)
            scores[rng.random(shape) < forbidden] = -np.inf
            return scores

        unary = draw(lengths.sum(), k)
        unary[unary > -np.inf] *= sharp
        yield Batch(
            unary.astype(dtype or rng.choice([np.float32, np.float64])),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            draw(k, k),
            draw(k) if rng.random() < 0.5 else None,
            draw(k) if rng.random() < 0.5 else None,
        )


def beam(kernels: Any, batch: Batch, width: int) -> tuple[Array, Array, Array]:
    out = np.full(len(batch.unary), 99), np.full(len(batch), 99.0), np.full(len(batch), 99, np.uint8)
    kernels[0].beam_batch(*batch.model, width, *out)
    return out


def pruned(kernels: Any, batch: Batch) -> tuple[Array, ...]:
    out: tuple[Any, ...] = (
        np.full(len(batch.unary), 99),
        np.full(len(batch), 99.0),
        np.full(len(batch), 99, np.uint8),
        np.full(len(batch), -9),
        np.full(batch.unary.shape, 99.0) if batch.unary.dtype == np.float64 else None,
    )
    kernels[1].viterbi_pruned_batch(*batch.model, *batch.bounds.values(), *out)
    return out


def k_best(kernels: Any, batch: Batch, k: int, **options: Any) -> tuple[Array, ...]:
    out = (
        np.full((k, len(batch.unary)), 99),
        np.full((len(batch), k), 99.0),
        np.full(len(batch), -9),
        np.full(len(batch), 99, np.uint8),
    )
    kernels[2].k_best_batch(*batch.model, *out, **options)
    return out


@both
@given(rng=generators())
def test_a_beam_as_wide_as_the_labels_is_viterbi(rng: Any, name: str) -> None:
    batch = next(batches(rng, 1, SIZES, np.float64))
    labels, values, status = beam(TWINS[name], batch, 64)
    for s in range(len(batch)):
        here = slice(batch.offsets[s], batch.offsets[s + 1])
        best = viterbi(batch.local(s), batch.transition, np.empty(here.stop - here.start, np.int64))
        assert values[s] == best
        assert status[s] == (DECIDED if best > -np.inf else INFEASIBLE)
        if best > -np.inf:
            assert batch.value(s, labels[here]) == best
        else:
            assert (labels[here] == -1).all()


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@examples(30)
@given(rng=generators())
def test_beam_twins_agree(rng: Any) -> None:
    number = int(rng.integers(300))
    batch = next(batches(rng, 1, SIZES))
    width = (1, 2, 3, 7, 16, 17, 40)[number % 7]
    for ours, theirs in zip(beam(TWINS["compiled"], batch, width), beam(TWINS["numpy"], batch, width), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@both
def test_pruning_changes_no_value_and_no_message(name: str) -> None:
    doubtful = 0
    for batch in batches(3, 200, SIZES):
        labels, values, status, survivors, messages = pruned(TWINS[name], batch)
        for s in range(len(batch)):
            here = slice(batch.offsets[s], batch.offsets[s + 1])
            best = viterbi(batch.local(s), batch.transition, np.empty(here.stop - here.start, np.int64))
            doubtful += status[s] == DOUBTFUL
            assert status[s] in (DECIDED, DOUBTFUL) if best > -np.inf else status[s] == INFEASIBLE
            if status[s] == DECIDED:
                assert values[s] == best == batch.value(s, labels[here])
                assert here.stop - here.start <= survivors[s] <= batch.unary[here].size
            if messages is not None:
                assert status[s] != DOUBTFUL
                expected = np.empty_like(messages[here])
                forward_messages(batch.local(s), batch.transition, expected)
                np.testing.assert_array_equal(messages[here], expected)
    assert (doubtful > 0) == (name == "compiled")


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
def test_pruning_on_longer_chains_in_float32() -> None:
    """An answer decided in float32 is the optimum in float64; an undecided one is rare on scores without ties."""
    rng = np.random.default_rng(5)
    doubtful = 0
    for k, sharp in itertools.product((5, 45, 100), (0.1, 1.0, 10.0)):
        offsets = np.arange(0, 1001, 50)
        unary = (sharp * rng.normal(size=(1000, k)) ** 3).astype(np.float32)
        batch = Batch(unary, offsets, rng.normal(size=(k, k)), rng.normal(size=k), rng.normal(size=k))
        _, values, status, survivors, _ = pruned(TWINS["compiled"], batch)
        wide = Batch(unary.astype(np.float64), *batch.model[1:])
        _, exact, _, _, _ = pruned(TWINS["compiled"], wide)
        decided = status == DECIDED
        np.testing.assert_allclose(values[decided], exact[decided], rtol=1e-12)
        doubtful += int((~decided).sum())
        if sharp == 10.0:
            assert survivors.sum() < 0.7 * unary.size
    assert doubtful <= 3


@both
@pytest.mark.parametrize("pruning", ["nothing", "bounds", "table"])
@given(rng=generators())
def test_k_best_are_enumeration(rng: Any, name: str, pruning: str) -> None:
    number = int(rng.integers(90))
    batch = next(batches(rng, 1, [1, 2, 3]))
    k = (1, 2, 3, 5, 10)[number % 5]
    options = {"nothing": {}, "bounds": batch.bounds, "table": {"table": batch.table}}[pruning]
    labels, values, counts, status = k_best(TWINS[name], batch, k, **options)
    for s in range(len(batch)):
        here = slice(batch.offsets[s], batch.offsets[s + 1])
        paths = itertools.product(range(len(batch.transition)), repeat=here.stop - here.start)
        everything = sorted((batch.value(s, np.array(path)) for path in paths), reverse=True)
        expected = [value for value in everything if value > -np.inf][:k]
        assert values[s, : counts[s]].tolist() == expected
        assert (values[s, counts[s] :] == -np.inf).all()
        assert (labels[counts[s] :, here] == -1).all()
        assert status[s] == (DECIDED if expected else INFEASIBLE)
        found = [tuple(path) for path in labels[: counts[s], here].tolist()]
        assert len(set(found)) == len(found)
        assert [batch.value(s, np.array(path)) for path in found] == expected


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@given(rng=generators())
def test_k_best_twins_agree(rng: Any) -> None:
    number = int(rng.integers(60))
    batch = next(batches(rng, 1, [4, 15, 16, 17, 33]))
    k = (2, 3, 10)[number % 3]
    thresholds = rng.normal(size=len(batch)) * 4 if number % 2 else None
    expected = k_best(TWINS["numpy"], batch, k, thresholds=thresholds)
    for options in ({}, batch.bounds, {"table": batch.table}):
        found = k_best(TWINS["compiled"], batch, k, thresholds=thresholds, **options)
        for ours, theirs in zip(found[1:], expected[1:], strict=True):
            np.testing.assert_array_equal(ours, theirs)


@both
def test_k_best_with_varying_transitions(name: str) -> None:
    rng = np.random.default_rng(4)
    for n, k in itertools.product((1, 2, 4), (1, 3, 17)):
        unary, transition = rng.normal(size=(n, k)), rng.normal(size=(n - 1, k, k))
        out = np.empty((5, n), np.int64), np.empty((1, 5)), np.empty(1, np.int64), np.empty(1, np.uint8)
        TWINS[name][2].k_best_batch(unary, np.array([0, n]), transition, None, None, *out)
        assert out[1][0, 0] == viterbi(unary, transition, np.empty(n, np.int64))
        assert out[2][0] == min(5, k**n)


@both
def test_invalid_scores_are_named(name: str) -> None:
    for bad, place in itertools.product((np.nan, np.inf), (0, 3, 5)):
        for dtype in (np.float32, np.float64):
            unary = np.full((6, 18), -np.inf if place == 5 else 0.0, dtype)
            unary[place, 17] = bad
            batch = Batch(unary, np.array([0, 6]), np.zeros((18, 18)), None, None)
            for out in (
                beam(TWINS[name], batch, 3)[1:3],
                pruned(TWINS[name], batch)[1:3],
                (k_best(TWINS[name], batch, 2)[1], k_best(TWINS[name], batch, 2)[3]),
            ):
                assert np.isnan(out[0]).all()
                assert out[1].tolist() == [INVALID]


def zeros(*shape: int, dtype: Any = np.float64) -> Array:
    return np.zeros(shape, dtype)


MODEL = (zeros(3, 2), np.array([0, 3]), zeros(2, 2), None, None)
OUT = (zeros(3, dtype=np.int64), zeros(1), zeros(1, dtype=np.uint8))
LISTS = (zeros(2, 3, dtype=np.int64), zeros(1, 2), zeros(1, dtype=np.int64), zeros(1, dtype=np.uint8))
WRONG = [
    ("beam_batch", (*MODEL, 0, *OUT), ValueError, "width"),
    ("beam_batch", (zeros(3, 2), MODEL[1], zeros(3, 2), None, None, 1, *OUT), ValueError, "transition"),
    ("beam_batch", (*MODEL[:3], zeros(3), None, 1, *OUT), ValueError, "initial"),
    ("beam_batch", (*MODEL[:3], None, zeros(2, dtype=np.float32), 1, *OUT), TypeError, "final"),
    ("beam_batch", (*MODEL, 1, OUT[0], zeros(2), OUT[2]), ValueError, "values"),
    ("beam_batch", (*MODEL, 1, OUT[0], OUT[1], zeros(1)), TypeError, "status"),
    ("viterbi_pruned_batch", (*MODEL, zeros(2), zeros(3), *OUT), ValueError, "upper"),
    ("viterbi_pruned_batch", (*MODEL, zeros(2), zeros(2), *OUT, zeros(1)), TypeError, "survivors"),
    ("viterbi_pruned_batch", (*MODEL, zeros(2), zeros(2), *OUT, None, zeros(3, 3)), ValueError, "messages"),
    (
        "viterbi_pruned_batch",
        (zeros(3, 2, dtype=np.float32), *MODEL[1:], zeros(2), zeros(2), *OUT, None, zeros(3, 2)),
        TypeError,
        "messages",
    ),
    ("k_best_batch", (*MODEL, zeros(0, 3, dtype=np.int64), *LISTS[1:]), ValueError, "labels"),
    ("k_best_batch", (*MODEL, LISTS[0], zeros(1, 3), *LISTS[2:]), ValueError, "values"),
    ("k_best_batch", (zeros(3, 2), np.array([0, 1, 3]), zeros(2, 2, 2), None, None, *LISTS), ValueError, "vary"),
]


@both
@pytest.mark.parametrize(("function", "arguments", "error", "message"), WRONG)
def test_wrong_arguments_are_refused(
    name: str, function: str, arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    (module,) = (module for module in TWINS[name] if hasattr(module, function))
    with pytest.raises(error, match=message):
        getattr(module, function)(*arguments)


@both
@pytest.mark.parametrize(
    "options",
    [{"lower": zeros(2)}, {"lower": zeros(2), "upper": zeros(2), "table": zeros(2, 2)}, {"table": zeros(3, 3)}],
)
def test_wrong_prunings_are_refused(name: str, options: dict[str, Array]) -> None:
    with pytest.raises(ValueError, match=r"lower|table"):
        TWINS[name][2].k_best_batch(*MODEL, *LISTS, **options)


@both
def test_outputs_need_not_be_contiguous(name: str) -> None:
    labels, values = np.zeros((3, 2), np.int64)[:, 0], np.zeros(2)[::2]
    final = np.array([0.0, 1.0])
    TWINS[name][0].beam_batch(zeros(3, 2), MODEL[1], np.eye(2), None, final, 2, labels, values, OUT[2])
    assert values == [3.0]
    assert labels.tolist() == [1, 1, 1]
