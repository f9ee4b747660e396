"""Beam search, Viterbi with pruning and the k best paths: compiled kernels, their twins and Viterbi agree."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from chain_batches import Batch, improper
from drawn import examples, generators, numbers
from hypothesis import given
from kernel_versions import Array, needs_compiled, random_scores, versions, zeros

import gapless_kernels
from gapless_kernels import DECIDED, DOUBTFUL, INFEASIBLE, INVALID, viterbi
from gapless_kernels.chains._viterbi_twin import forward_messages

MODULES = [versions(f"sparse_chains.{name}") for name in ("_beam", "_viterbi_pruned", "_k_best")]
TWINS = dict(zip(("numpy", "compiled"), zip(*MODULES, strict=True), strict=True))
each_version = pytest.mark.parametrize("name", [*TWINS][: 1 + gapless_kernels.COMPILED])
SIZES = [1, 2, 3, 15, 16, 17, 31, 33, 45, 48]


def bounds(batch):
    return {"lower": batch.transition.min(axis=1), "upper": batch.transition.max(axis=1)}


def dominance_table(batch):
    """By definition: the largest ``transition[x, r] - transition[y, r]`` over the successors r of x."""
    table = np.full(batch.transition.shape, -np.inf)
    for y, x in np.ndindex(table.shape):
        allowed = batch.transition[x] > -np.inf
        if allowed.any():
            table[y, x] = (batch.transition[x, allowed] - batch.transition[y, allowed]).max()
    return table


def batches(seed, count, sizes, dtype=None):
    """Integers with many ties or floats, sharp or flat; forbidden entries everywhere, and whole chains."""
    rng = numbers(seed)
    for _ in range(count):
        k = int(rng.choice(sizes))
        lengths = rng.integers(1, 7, rng.integers(1, 10))
        integers, sharp, forbidden = rng.random() < 0.5, rng.choice([0, 1, 4]), rng.choice([0, 0, 0.2, 0.6])

        def draw(*shape: int, integers: bool = integers, forbidden: float = forbidden) -> Array:
            return random_scores(rng, shape, integers, forbidden)

        unary = draw(lengths.sum(), k)
        unary[unary > -np.inf] *= sharp
        yield Batch(
            unary.astype(dtype or rng.choice([np.float32, np.float64])),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            draw(k, k),
            draw(k) if rng.random() < 0.5 else None,
            draw(k) if rng.random() < 0.5 else None,
        )


def beam(kernels, batch, width):
    out = np.full(len(batch.unary), 99), np.full(len(batch), 99.0), np.full(len(batch), 99, np.uint8)
    kernels[0].beam_batch(*batch.model, width, *out)
    return out


def pruned(kernels, batch):
    out = (
        np.full(len(batch.unary), 99),
        np.full(len(batch), 99.0),
        np.full(len(batch), 99, np.uint8),
        np.full(len(batch), -9),
        np.full(batch.unary.shape, 99.0) if batch.unary.dtype == np.float64 else None,
    )
    kernels[1].viterbi_pruned_batch(*batch.model, *bounds(batch).values(), *out)
    return out


def k_best(kernels, batch, k, **options):
    out = (
        np.full((k, len(batch.unary)), 99),
        np.full((len(batch), k), 99.0),
        np.full(len(batch), -9),
        np.full(len(batch), 99, np.uint8),
    )
    kernels[2].k_best_batch(*batch.model, *out, **options)
    return out


@each_version
@given(rng=generators())
def test_beam_as_wide_as_the_labels_is_viterbi(rng, name):
    batch = next(batches(rng, 1, SIZES, np.float64))
    labels, values, status = beam(TWINS[name], batch, 64)
    best = batch.best()
    assert values.tolist() == best.tolist() == batch.values(labels).tolist()
    assert status.tolist() == np.where(best > -np.inf, DECIDED, INFEASIBLE).tolist()
    assert (labels[np.repeat(best, np.diff(batch.offsets)) == -np.inf] == -1).all()


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@examples(30)
@given(rng=generators())
def test_beam_twins_agree(rng):
    number = int(rng.integers(300))
    batch = next(batches(rng, 1, SIZES))
    width = (1, 2, 3, 7, 16, 17, 40)[number % 7]
    for ours, theirs in zip(beam(TWINS["compiled"], batch, width), beam(TWINS["numpy"], batch, width), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@each_version
def test_viterbi_pruned_changes_no_value_and_no_message(name):
    doubtful = 0
    for batch in batches(3, 200, SIZES):
        labels, values, status, survivors, messages = pruned(TWINS[name], batch)
        for s, best in enumerate(batch.best()):
            span = batch.rows(s)
            doubtful += status[s] == DOUBTFUL
            assert status[s] in (DECIDED, DOUBTFUL) if best > -np.inf else status[s] == INFEASIBLE
            if status[s] == DECIDED:
                assert values[s] == best == batch.value(s, labels[span])
                assert span.stop - span.start <= survivors[s] <= batch.unary[span].size
            if messages is not None:
                assert status[s] != DOUBTFUL
                expected = np.empty_like(messages[span])
                forward_messages(batch.local(s), batch.transition, expected)
                np.testing.assert_array_equal(messages[span], expected)
    assert (doubtful > 0) == (name == "compiled")


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
def test_viterbi_pruned_in_float32_decides_longer_chains():
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


@each_version
@pytest.mark.parametrize("pruning", ["nothing", "bounds", "table"])
@given(rng=generators())
def test_k_best_are_enumeration(rng, name, pruning):
    number = int(rng.integers(90))
    batch = next(batches(rng, 1, [1, 2, 3]))
    k = (1, 2, 3, 5, 10)[number % 5]
    options = {"nothing": {}, "bounds": bounds(batch), "table": {"table": dominance_table(batch)}}[pruning]
    labels, values, counts, status = k_best(TWINS[name], batch, k, **options)
    for s in range(len(batch)):
        span = batch.rows(s)
        expected = [value for value in batch.enumerated(s) if value > -np.inf][:k]
        assert values[s, : counts[s]].tolist() == expected
        assert (values[s, counts[s] :] == -np.inf).all()
        assert (labels[counts[s] :, span] == -1).all()
        assert status[s] == (DECIDED if expected else INFEASIBLE)
        listed = [tuple(path) for path in labels[: counts[s], span].tolist()]
        assert len(set(listed)) == len(listed)
        assert [batch.value(s, path) for path in listed] == expected


@pytest.mark.usefixtures("instruction_set")
@needs_compiled
@given(rng=generators())
def test_k_best_twins_agree(rng):
    number = int(rng.integers(60))
    batch = next(batches(rng, 1, [4, 15, 16, 17, 33]))
    k = (2, 3, 10)[number % 3]
    thresholds = rng.normal(size=len(batch)) * 4 if number % 2 else None
    expected = k_best(TWINS["numpy"], batch, k, thresholds=thresholds)
    for options in ({}, bounds(batch), {"table": dominance_table(batch)}):
        out = k_best(TWINS["compiled"], batch, k, thresholds=thresholds, **options)
        for ours, theirs in zip(out[1:], expected[1:], strict=True):
            np.testing.assert_array_equal(ours, theirs)


@each_version
def test_k_best_takes_varying_transitions(name):
    rng = np.random.default_rng(4)
    for n, k in itertools.product((1, 2, 4), (1, 3, 17)):
        unary, transition = rng.normal(size=(n, k)), rng.normal(size=(n - 1, k, k))
        out = np.empty((5, n), np.int64), np.empty((1, 5)), np.empty(1, np.int64), np.empty(1, np.uint8)
        TWINS[name][2].k_best_batch(unary, np.array([0, n]), transition, None, None, *out)
        assert out[1][0, 0] == viterbi(unary, transition, np.empty(n, np.int64))
        assert out[2][0] == min(5, k**n)


@each_version
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_chains_mark_improper_scores(name, dtype):
    for fill in (0.0, -np.inf):
        plain = Batch(np.full((6, 18), fill, dtype), np.array([0, 6]), zeros(18, 18))
        for _, unary in improper(plain, [(5, 17)] if fill else [(0, 17), (3, 17)]):
            batch = replace(plain, unary=unary)
            for values, status in (
                beam(TWINS[name], batch, 3)[1:3],
                pruned(TWINS[name], batch)[1:3],
                k_best(TWINS[name], batch, 2)[1::2],
            ):
                assert np.isnan(values).all()
                assert status.tolist() == [INVALID]


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


@each_version
@pytest.mark.parametrize(("function", "arguments", "error", "message"), WRONG)
def test_sparse_chains_name_wrong_arguments(name, function, arguments, error, message):
    (module,) = (module for module in TWINS[name] if hasattr(module, function))
    with pytest.raises(error, match=message):
        getattr(module, function)(*arguments)


@each_version
@pytest.mark.parametrize(
    "options",
    [{"lower": zeros(2)}, {"lower": zeros(2), "upper": zeros(2), "table": zeros(2, 2)}, {"table": zeros(3, 3)}],
)
def test_k_best_refuses_wrong_prunings(name, options):
    with pytest.raises(ValueError, match=r"lower|table"):
        TWINS[name][2].k_best_batch(*MODEL, *LISTS, **options)


@each_version
def test_beam_writes_to_strided_outputs(name):
    labels, values = np.zeros((3, 2), np.int64)[:, 0], np.zeros(2)[::2]
    final = np.array([0.0, 1.0])
    TWINS[name][0].beam_batch(zeros(3, 2), MODEL[1], np.eye(2), None, final, 2, labels, values, OUT[2])
    assert values == [3.0]
    assert labels.tolist() == [1, 1, 1]
