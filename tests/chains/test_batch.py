"""Many chains as one array: the same problems, views instead of copies, and errors that name the place."""

import pickle
import tracemalloc
from copy import deepcopy

import numpy as np
import pytest

import gapless as gl
import gapless_kernels
from gapless_chains import ChainBatch, ChainModel, ChainProblem
from gapless_chains.batch import shared_batches

LENGTHS = (3, 1, 4, 2)


@pytest.fixture
def model():
    rng = np.random.default_rng(1)
    return ChainModel(
        rng.normal(size=(5, 5)), initial=rng.normal(size=5), final=rng.normal(size=5), labels=list("abcde")
    )


@pytest.fixture
def unary():
    return np.random.default_rng(2).normal(size=(sum(LENGTHS), 5)).astype(np.float32)


def test_rows_are_not_copied(model, unary):
    batch = model.batch(unary, LENGTHS)
    assert np.shares_memory(batch.unary, unary)
    assert np.shares_memory(batch[1:3].unary, unary)
    assert all(np.shares_memory(chunk.unary, unary) for _, chunk in batch.chunks())


def test_it_is_a_sequence_of_its_chains(model, unary):
    batch = model.batch(unary, LENGTHS)
    assert [problem.positions for problem in batch] == list(LENGTHS)
    assert batch[-1].unary.tolist() == unary[-2:].astype(float).tolist()
    assert batch[2].labels == tuple("abcde")
    assert batch[2].transition is model.transition
    assert [len(part) for part in (batch[1:3], batch[::2], batch[3:1])] == [2, 2, 0]
    assert batch[::2][1].unary.tolist() == batch[2].unary.tolist()
    with pytest.raises(IndexError, match="no sentence 4"):
        batch[4]


def test_scores_of_a_model_cannot_be_made_writable(model, unary):
    batch = model.batch(unary, LENGTHS)
    for held in (batch, pickle.loads(pickle.dumps(batch)), deepcopy(batch)):
        assert held.model.labels == model.labels
        assert held[2].transition is held.model.transition
        with pytest.raises(ValueError, match="WRITEABLE"):
            held.model.transition.flags.writeable = True


def test_chunks_cover_the_batch_in_order(monkeypatch, model, unary):
    monkeypatch.setattr("gapless_chains.batch.CHUNK", 4)
    batch = model.batch(unary, LENGTHS)
    chunks = list(batch.chunks())
    assert [(start, len(chunk)) for start, chunk in chunks] == [(0, 2), (2, 1), (3, 1)]
    assert np.concatenate([chunk.unary for _, chunk in chunks]).tolist() == unary.tolist()


@pytest.mark.parametrize(
    ("rows", "lengths", "message"),
    [
        (np.zeros((3, 4)), [3], r"unary has shape \(3, 4\)"),
        (np.zeros((3, 5)), [2], "lengths add up to 2 tokens, but unary has 3 rows"),
        (np.zeros((3, 5)), [3, 0], "sentence 1 has length 0"),
        (np.zeros((3, 5)), [1.5, 1.5], "lengths must be integers"),
        (np.full((3, 5), "x"), [3], "scores are real numbers"),
        (np.ma.array(np.zeros((3, 5))), [3], "unary is a masked array; fill with -inf"),
    ],
)
def test_bad_input(model, rows, lengths, message):
    with pytest.raises(gl.InvalidProblem, match=message):
        ChainBatch(rows, lengths, model)


def test_masked_sentences_are_refused(model):
    with pytest.raises(gl.InvalidProblem, match="masked"):
        model.batch_of([np.zeros((1, 5)), np.ma.array(np.zeros((2, 5)))])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"transition": np.zeros((2, 5, 5))}, "share one matrix"),
        ({"transition": np.zeros((0, 0))}, r"expected \(K, K\)"),
        ({"transition": np.zeros((5, 5)), "initial": np.zeros(4)}, r"initial has shape \(4,\)"),
        ({"transition": np.zeros((5, 5)), "labels": ["a"]}, "labels holds 1 entries"),
        ({"transition": np.full((5, 5), np.nan)}, r"transition\[0, 0\] is NaN"),
    ],
)
def test_bad_model(arguments, message):
    with pytest.raises(gl.InvalidProblem, match=message):
        ChainModel(**arguments)


def test_bad_scores_are_named_with_their_sentence(model, unary):
    unary[4, 2] = np.nan
    with pytest.raises(gl.InvalidProblem, match=r"sentence 2: unary\[0, 2\] is NaN"):
        model.batch(unary, LENGTHS)[2]


def test_lists_are_grouped_by_what_they_share(model, unary):
    other = ChainModel(model.transition)
    varying = ChainProblem(np.zeros((3, 5)), np.zeros((2, 5, 5)))
    problems = [model.problem(unary[:3]), other.problem(unary[:2]), varying, model.problem(unary[3:4])]
    batches, left = shared_batches(problems)
    assert left == [2]
    assert sorted(numbers.tolist() for numbers, _ in batches) == [[0, 3], [1]]
    for numbers, batch in batches:
        for number, problem in zip(numbers, batch, strict=True):
            assert problem.local.tolist() == problems[number].local.tolist()


def test_an_empty_batch_decodes_to_nothing(model):
    assert len(gl.solve_many(model.batch(np.zeros((0, 5)), []))) == 0


def test_answers_cannot_be_written_through_a_structure():
    batch = ChainModel(np.zeros((3, 3))).batch(np.arange(12.0).reshape(4, 3), [1, 3])
    for method in ("viterbi", "dominance", "column-generation", "beam"):
        found = gl.solve_many(batch, method)
        with pytest.raises(ValueError, match="read-only"):
            found.structure(1)[0] = 1
        assert found[1].best.tolist() == [2, 2, 2]


def test_a_batch_wants_a_model(model, unary):
    for wrong in (LENGTHS, model.transition, None):
        with pytest.raises(
            gl.InvalidProblem, match=r"expected a ChainModel; the order is ChainBatch\(unary, lengths"
        ):
            ChainBatch(unary, model, wrong)


@pytest.mark.parametrize("method", ["viterbi", "viterbi-pruned", "dominance", "column-generation", "beam"])
@pytest.mark.parametrize("change", [-5.0, -np.inf, np.nan])
def test_rows_that_changed_after_decoding_are_named(model, unary, method, change):
    found = gl.solve_many(model.batch(unary, LENGTHS), method)
    unary[4, found.structure(2)[0]] += change
    with pytest.raises(gl.InvalidResult, match="the rows of the batch have changed since they were decoded"):
        found[2]
    assert found[1].status is gl.Status.OPTIMAL


@pytest.mark.parametrize("method", ["dominance", "viterbi"])
def test_one_call_makes_no_problem_and_takes_memory_for_its_answers_only(monkeypatch, method):
    rng = np.random.default_rng(5)
    lengths = [25] * 400
    batch = ChainModel(rng.normal(size=(20, 20))).batch(8 * rng.normal(size=(10_000, 20)), lengths)
    values = gl.solve_many(batch, method).values
    made = []
    monkeypatch.setattr(ChainBatch, "__getitem__", lambda self, at: made.append(at))
    tracemalloc.start()
    try:
        found = gl.solve_many(batch, method)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert made == []
    assert (found.values == values).all()
    assert set(found.statuses) == {gl.Status.OPTIMAL}
    if gapless_kernels.COMPILED:  # the twins have memory of their own
        assert most < 1.5 * found.arrays["labels"].nbytes


def test_what_ctrl_c_leaves_out_has_no_labels(monkeypatch, model, unary):
    monkeypatch.setattr("gapless_chains.batch.CHUNK", 4)
    batch = model.batch(unary, LENGTHS)
    whole = gl.solve_many(batch, "viterbi")
    chunks = ChainBatch.chunks

    def one_only(self):
        yield next(chunks(self))
        raise KeyboardInterrupt

    monkeypatch.setattr(ChainBatch, "chunks", one_only)
    found = gl.solve_many(batch, "viterbi")
    assert found.statuses[:2] == whole.statuses[:2]
    assert found.statuses[2:] == [None, None]
    assert found.arrays["labels"].tolist() == [*whole.arrays["labels"][:4].tolist(), *[-1] * 6]
