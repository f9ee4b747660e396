"""Padded sentences (S, T, K): by mask, by lengths, their answers padded again, and every mask that is wrong."""

import pickle

import numpy as np
import pytest

import gapless as gl
from gapless_chains import ChainBatch, ChainModel, ChainProblem
from gapless_dependency import ParsingProblem

LENGTHS = [3, 5, 1]
MASK = np.arange(6) < np.array(LENGTHS)[:, None]
UNARY = np.random.default_rng(0).normal(size=(3, 6, 4))
MODEL = ChainModel(np.random.default_rng(1).normal(size=(4, 4)))


def torch_tensors():
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'gapless[torch]'")
    return torch.tensor(UNARY), torch.tensor(MASK)


GIVEN = {
    "mask": lambda: MODEL.batch(UNARY, mask=MASK),
    "0 and 1": lambda: MODEL.batch(UNARY, mask=MASK.astype(np.int64)),
    "0.0 and 1.0": lambda: MODEL.batch(UNARY, mask=MASK.astype(np.float32)),
    "lists": lambda: MODEL.batch(UNARY.tolist(), mask=MASK.tolist()),
    "lengths": lambda: MODEL.batch(UNARY, LENGTHS),
    "lengths by name": lambda: MODEL.batch(UNARY, lengths=np.array(LENGTHS, np.int32)),
    "torch mask": lambda: MODEL.batch(torch_tensors()[0], mask=torch_tensors()[1]),
    "torch 0 and 1": lambda: MODEL.batch(torch_tensors()[0], mask=torch_tensors()[1].long()),
    "torch bytes": lambda: MODEL.batch(torch_tensors()[0], mask=torch_tensors()[1].byte()),
    "torch lengths": lambda: MODEL.batch(torch_tensors()[0], lengths=torch_tensors()[1].sum(1)),
}


@pytest.mark.parametrize("name", GIVEN)
def test_padded_sentences_are_the_chains_of_their_tokens(name):
    batch = GIVEN[name]()
    assert batch.unary.tolist() == UNARY[MASK].tolist()
    assert np.diff(batch.offsets).tolist() == LENGTHS
    assert batch.padded_length == 6


def test_padding_may_hold_anything_and_types_stay():
    unary = UNARY.astype(np.float32)
    unary[~MASK] = np.nan
    batch = MODEL.batch(unary, mask=MASK)
    assert batch.unary.dtype == np.float32
    assert not np.shares_memory(batch.unary, unary)
    assert gl.solve_many(batch).proved_share == 1.0


@pytest.mark.parametrize("method", ["viterbi", "dominance", "viterbi-pruned", "column-generation", "beam"])
@pytest.mark.parametrize("how", [{}, {"limits": gl.Limits(time=1000.0)}])
def test_answers_are_padded_as_the_scores_were(method, how):
    expected = np.full((3, 6), -1)
    for i, n in enumerate(LENGTHS):
        expected[i, :n] = gl.solve(MODEL.problem(UNARY[i, :n]), method).best
    found = gl.solve_many(MODEL.batch(UNARY, mask=MASK), method, **how)
    assert found.padded().tolist() == expected.tolist()
    assert found.padded(fill=-100).tolist() == np.where(MASK, expected, -100).tolist()
    assert found.padded(width=9).shape == (3, 9)
    assert found.padded(fill=np.nan).dtype == np.float64


def test_without_padded_scores_rows_are_as_long_as_the_longest():
    found = gl.solve_many(MODEL.batch(UNARY[MASK], LENGTHS))
    assert found.padded().shape == (3, 5)
    assert gl.solve_many(MODEL.batch(np.zeros((0, 4)), [])).padded().shape == (0, 0)
    assert gl.solve_many(MODEL.batch(UNARY[:0], mask=MASK[:0])).padded().shape == (0, 6)


def test_problems_without_a_solution_are_padding():
    unary = UNARY.copy()
    unary[1, 2] = -np.inf
    found = gl.solve_many(MODEL.batch(unary, mask=MASK))
    assert (found.padded(fill=7)[1] == 7).all()
    assert found.padded(fill=7)[0, :3].tolist() == found.structure(0).tolist()


def test_parts_of_a_batch_are_padded_alike():
    batch = MODEL.batch(UNARY, mask=MASK)
    whole = gl.solve_many(batch).padded()
    for part, rows in ((batch[1:], whole[1:]), (batch[::2], whole[::2]), (batch[2:1], whole[2:1])):
        assert gl.solve_many(part).padded().tolist() == rows.tolist()
    assert gl.solve_many(pickle.loads(pickle.dumps(batch))).padded().tolist() == whole.tolist()
    pytest.importorskip("joblib", reason="jobs=2 needs joblib")
    assert gl.solve_many(batch, jobs=2).padded().tolist() == whole.tolist()


def test_other_arrays_are_padded_too():
    found = gl.solve_many(MODEL.batch(UNARY, mask=MASK), k=3)
    lists = found.padded("k_best_labels")
    assert lists.shape == (3, 6, 3)
    assert lists[:, :, 0].tolist() == found.padded().tolist()
    with pytest.raises(
        gl.UnknownName, match=r"no array 'k_best_label'.* \(did you mean 'k_best_labels'\?\); these have"
    ):
        found.padded("k_best_label")
    parses = gl.solve_many([ParsingProblem(np.zeros((n + 1, n + 1))) for n in (2, 3)])
    heads = parses.padded(fill=0)
    assert heads[0, :2].tolist() == parses.structure(0).heads.tolist()
    assert heads.shape == (2, 3)


def test_rows_that_are_too_short_are_refused():
    with pytest.raises(gl.UnknownOption, match="width is 4, problem 1 has 5 places"):
        gl.solve_many(MODEL.batch(UNARY, mask=MASK)).padded(width=4)


def test_structures_that_are_no_arrays_are_refused():
    found = gl.BatchResult.from_results([gl.solve(ParsingProblem(np.zeros((3, 3))))], 1)
    with pytest.raises(gl.InvalidProblem, match="the structure of problem 0 is a DependencyTree, not an array"):
        found.padded()


def changed(at, value, mask=MASK):
    wrong = np.array(mask, dtype=np.result_type(mask, type(value)))
    wrong[at] = value
    return wrong


WRONG = {
    "neither": ({}, r"unary has shape \(3, 6, 4\): padded sentences need mask, of shape \(3, 6\), or lengths"),
    "both": ({"mask": MASK, "lengths": LENGTHS}, "and not both"),
    "a hole": (
        {"mask": changed((1, 2), False)},
        r"sentence 1 is padded between tokens: mask\[1, 2\] is 0, .*model\.batch\(unary\[mask\], mask\.sum\(1\)\)",
    ),
    "on the left": ({"mask": MASK[:, ::-1]}, r"sentence 0 is padded on the left: mask\[0, 0\] is 0"),
    "empty": ({"mask": changed(2, False)}, "sentence 2 has no token; leave empty sentences out"),
    "a number": ({"mask": changed((0, 1), 2)}, r"mask\[0, 1\] is 2, expected 1 for a token and 0 for padding"),
    "additive": ({"mask": np.where(MASK, 0.0, -np.inf)}, r"mask\[0, 3\] is -inf, expected 1 for a token"),
    "transposed": ({"mask": MASK.T}, r"mask has shape \(6, 3\), .* \(3, 6\); it is transposed: give mask\.T"),
    "text": ({"mask": MASK.astype(str)}, "mask has dtype <U5, expected booleans, or the numbers 0 and 1"),
    "too long": ({"lengths": [3, 7, 1]}, "sentence 1 has length 7, but unary has 6 places for it"),
    "negative": ({"lengths": [3, -1, 1]}, "sentence 1 has length -1"),
    "zero": ({"lengths": [3, 0, 1]}, "sentence 1 has no token"),
    "too few lengths": ({"lengths": [3, 5]}, "lengths must be 3 integers, one a sentence"),
    "fractions": ({"lengths": [3.0, 5.0, 1.0]}, "lengths must be 3 integers, one a sentence, got float64"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name):
    given, words = WRONG[name]
    with pytest.raises(gl.InvalidProblem, match=words):
        MODEL.batch(UNARY, **given)


def test_other_doors_say_where_padded_sentences_go():
    for door in (
        lambda: ChainBatch(UNARY, LENGTHS, MODEL),
        lambda: MODEL.problem(UNARY),
        lambda: ChainProblem(UNARY, np.zeros((4, 4))),
    ):
        with pytest.raises(gl.InvalidProblem, match=r"padded sentences are for .*\.batch\(unary, mask="):
            door()
    with pytest.raises(gl.InvalidProblem, match=r"unary has shape \(3, 6, 5\), expected \(S, T, 4\)"):
        MODEL.batch(np.zeros((3, 6, 5)), mask=MASK)
    with pytest.raises(gl.InvalidProblem, match=r"mask is for padded sentences .*give lengths"):
        MODEL.batch(UNARY[MASK], mask=MASK)
    with pytest.raises(gl.InvalidProblem, match="lengths is missing"):
        MODEL.batch(UNARY[MASK])
