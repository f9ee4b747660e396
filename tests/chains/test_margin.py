"""Two best labellings and the 0/1-loss margin oracle against enumeration."""

import numpy as np
import pytest
from all_labellings import all_labellings, best_values
from drawn import examples, generators, seeing
from hypothesis import given

from gapless import InvalidProblem, UnknownName
from gapless_chains import ChainModel, ChainProblem, margin_violation, path_values, two_best
from gapless_chains import margin as margin_module
from gapless_chains.k_best import k_best_of_batch
from gapless_chains.margin import methods

all_methods = pytest.mark.parametrize("method", list(methods))


def others(problem, gold):
    return [problem.value(path) for path in all_labellings(problem) if not np.array_equal(path, gold)]


@all_methods
@seeing("violated", "kept")
@examples(60)
@given(rng=generators())
def test_oracle_is_enumeration(seen, rng, drawn_chain, method):
    problem, _ = drawn_chain(rng)
    best = two_best(problem, method)
    gold = rng.integers(0, problem.label_count, problem.positions)
    if best.counts[0] and rng.random() < 0.5:
        gold = best.of(0)[0]
    margin = float(rng.choice([0.0, 0.5, 1.0, 4.0]))
    least = problem.value(gold) - margin
    expected = max(others(problem, gold), default=-np.inf)
    found = margin_violation(problem, gold, margin, method=method)
    seen["kept" if found is None else "violated"] += 1
    # Sums of floats in another order differ in their last digits; those of small integers do not.
    finite = problem.unary[problem.unary > -np.inf]
    rounding = 0.0 if (finite == np.round(finite)).all() else 1e-9
    if expected > -np.inf and expected >= least + rounding:
        assert not np.array_equal(found, gold)
        assert problem.value(found) == pytest.approx(expected)
    elif expected < least - rounding or expected == -np.inf:
        assert found is None


@all_methods
@examples(60)
@given(rng=generators())
def test_two_best_are_enumeration(rng, drawn_chain, method):
    problem, _ = drawn_chain(rng)
    expected = best_values(problem, 2)
    found = two_best(problem, method)
    assert found.values[0, : found.counts[0]].tolist() == pytest.approx(expected)
    assert len(found.of(0)) == len(expected)


@all_methods
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_batches_are_single_chains(method, dtype):
    rng = np.random.default_rng(12)
    for labels in (1, 4, 17):
        lengths = rng.integers(1, 6, 30)
        tokens = lengths.sum()
        transition = np.where(rng.random((labels, labels)) < 0.1, -np.inf, rng.integers(-2, 3, (labels, labels)))
        model = ChainModel(transition, initial=rng.integers(-2, 3, labels))
        batch = model.batch(rng.integers(-2, 3, (tokens, labels)).astype(dtype), lengths)
        gold = np.where(rng.random(tokens) < 0.7, batch.unary.argmax(axis=1), rng.integers(0, labels, tokens))
        margins = rng.choice([0.0, 1.0, 3.0], 30)
        found = margin_violation(batch, gold, margins, method=method)
        for s, problem in enumerate(batch):
            here = gold[batch.offsets[s] : batch.offsets[s + 1]]
            alone = margin_violation(problem, here, float(margins[s]))
            assert (alone is None) == (found[s] is None) == (not found.found[s])
            assert found.gold_values[s] == problem.value(here)
            if alone is not None:
                assert problem.value(alone) == problem.value(found[s]) == found.values[s]
                assert not np.array_equal(found[s], here)


def test_ties_are_violations():
    problem = ChainProblem(np.zeros((2, 2)), np.zeros((2, 2)))
    gold = np.array([0, 1])
    for method in methods:
        found = margin_violation(problem, gold, 0.0, method=method)
        assert found is not None
        assert not np.array_equal(found, gold)


@pytest.mark.parametrize("few", [0, 4])
@pytest.mark.parametrize("margin", [0.0, 0.3, 2.0, 40.0])
def test_a_growing_reach_answers_like_viterbi(monkeypatch, few, margin):
    monkeypatch.setattr(margin_module, "_FEW", few)
    rng = np.random.default_rng(21)
    lengths = rng.integers(1, 8, 60)
    model = ChainModel(rng.normal(size=(9, 9)))
    batch = model.batch(5 * rng.normal(size=(lengths.sum(), 9)), lengths)
    gold = two_best(batch).labels[0].copy()
    changed = np.repeat(rng.random(60) < 0.3, lengths)
    gold[changed] = rng.integers(0, 9, changed.sum())
    found = margin_violation(batch, gold, margin, method="column-generation")
    wanted = margin_violation(batch, gold, margin, method="viterbi")
    assert found.found.tolist() == wanted.found.tolist()
    np.testing.assert_allclose(found.values, wanted.values)
    np.testing.assert_array_equal(path_values(batch, gold), found.gold_values)


def test_a_single_labelling_has_no_rival():
    problem = ChainProblem(np.zeros((3, 1)), np.zeros((1, 1)))
    for method in methods:
        assert margin_violation(problem, np.zeros(3, np.int64), 100.0, method=method) is None


def test_path_values_are_the_problems_own():
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 9, 50)
    model = ChainModel(rng.normal(size=(5, 5)), initial=rng.normal(size=5), final=rng.normal(size=5))
    batch = model.batch(rng.normal(size=(lengths.sum(), 5)), lengths)
    labels = rng.integers(0, 5, lengths.sum())
    values = path_values(batch, labels)
    for s, problem in enumerate(batch):
        assert values[s] == problem.value(labels[batch.offsets[s] : batch.offsets[s + 1]])


def test_wrong_questions():
    problem = ChainProblem(np.zeros((3, 2)), np.zeros((2, 2)))
    batch = ChainModel.of(problem).batch(problem.unary, [1, 2])
    with pytest.raises(UnknownName, match="did you mean 'viterbi'"):
        two_best(problem, "viterbo")
    with pytest.raises(InvalidProblem, match="margin"):
        margin_violation(problem, np.zeros(3, np.int64), -1.0)
    with pytest.raises(InvalidProblem, match="margin"):
        margin_violation(problem, np.zeros(3, np.int64), np.nan)
    with pytest.raises(InvalidProblem, match="3 integers"):
        margin_violation(batch, np.zeros(2, np.int64), 1.0)
    with pytest.raises(InvalidProblem, match=r"0\.\.1"):
        margin_violation(batch, np.full(3, 2), 1.0)
    invalid = ChainModel.of(problem).batch(np.array([[0.0, 0.0], [0.0, np.nan]]), [1, 1])
    with pytest.raises(InvalidProblem, match="sentence 1"):
        two_best(invalid)


@all_methods
@pytest.mark.parametrize("margin", [np.zeros(3), np.zeros((2, 1)), np.zeros(0), "1", None])
def test_margins_of_another_shape_are_refused(method, margin):
    batch = ChainModel(np.zeros((2, 2))).batch(np.zeros((3, 2)), [2, 1])
    for problem, gold in ((batch, np.zeros(3, int)), (batch[0], np.zeros(2, int))):
        with pytest.raises(InvalidProblem, match="the margin has"):
            margin_violation(problem, gold, margin, method=method)
    with pytest.raises(InvalidProblem, match=r"shape \(2,\), expected a number$"):
        margin_violation(batch[0], np.zeros(2, int), np.zeros(2), method=method)


def test_what_is_no_chain_is_refused():
    for call in (two_best, lambda x: margin_violation(x, np.zeros(2, int), 1.0)):
        with pytest.raises(InvalidProblem, match="ndarray, expected a ChainProblem or a ChainBatch"):
            call(np.zeros((2, 2)))


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "2"])
def test_lists_have_a_length(k):
    with pytest.raises(InvalidProblem, match=r"k is .* expected an integer"):
        k_best_of_batch(ChainModel(np.zeros((2, 2))).batch(np.zeros((3, 2)), [2, 1]), k)
