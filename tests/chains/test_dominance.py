"""The method `dominance`: batches in both precisions, the table that pays for itself, proofs, bad scores."""

import itertools

import numpy as np
import pytest
from all_labellings import all_labellings
from drawn import examples, generators
from hypothesis import given

import gapless as gl
from gapless_chains import ChainModel, ChainProblem, DominanceCertificate, viterbi
from gapless_chains.pruning import DominanceCache, dominance_cache

EXACT = ("dominance", "viterbi", "viterbi-pruned", "column-generation")


def random_scores(rng, shape, *, forbidden, ties):
    scores = rng.integers(-2, 3, size=shape).astype(float) if ties else rng.normal(size=shape)
    scores[rng.random(shape) < forbidden] = -np.inf
    return scores


def random_model(rng, k, *, ties, forbidden):
    def draw(*shape):
        return random_scores(rng, shape, forbidden=forbidden, ties=ties)

    ends = rng.random() < 0.5
    return ChainModel(draw(k, k), initial=draw(k) if ends else None, final=draw(k) if ends else None)


def random_batch(rng, model, sentences, *, longest, ties, forbidden, dtype):
    lengths = rng.integers(1, longest + 1, sentences)
    unary = random_scores(rng, (lengths.sum(), model.label_count), forbidden=forbidden, ties=ties)
    return model.batch(unary.astype(dtype), lengths)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["dominance", "viterbi-pruned"])
@examples(42)
@given(rng=generators())
def test_many_small_chains(rng, dtype, method):
    """Against Viterbi in float64, which enumeration judges in test_differential.py."""
    k, ties = int(rng.choice([*range(1, 8), 16, 17])), bool(rng.integers(2))
    forbidden = float(rng.choice([0.0, 0.1, 0.4]))
    model = random_model(rng, k, ties=ties, forbidden=forbidden)
    batch = random_batch(
        rng, model, int(rng.integers(1, 80)), longest=6, ties=ties, forbidden=forbidden, dtype=dtype
    )
    dominance_cache(model.transition).build(dtype)
    found = gl.solve_many(batch, method)
    reference = gl.solve_many(list(batch), "viterbi")
    np.testing.assert_allclose(found.values, reference.values, rtol=1e-12, atol=1e-12)
    assert list(found.statuses) == list(reference.statuses)
    assert np.array_equal(found.bounds, np.where(np.isnan(found.values), -np.inf, found.values))
    for i in range(0, len(batch), 25):
        if found.statuses[i] is gl.Status.OPTIMAL:
            assert batch[i].value(found.structure(i)) == pytest.approx(found.values[i], abs=1e-12)


@examples(15)
@given(rng=generators())
def test_certificates_of_a_batch_prove_what_enumeration_finds(rng):
    k, ties = int(rng.integers(1, 4)), bool(rng.integers(2))
    model = random_model(rng, k, ties=ties, forbidden=0.2)
    batch = random_batch(rng, model, 4, longest=4, ties=ties, forbidden=0.2, dtype=np.float64)
    dominance_cache(model.transition).build()
    for problem, result in zip(batch, gl.solve_many(batch, "dominance"), strict=True):
        best = max(map(problem.value, all_labellings(problem)))
        assert (result.value if result.solutions else -np.inf) == pytest.approx(best, abs=1e-12)
        assert result.proved
        assert isinstance(result.certificate, DominanceCertificate)
        verdict = result.verify(problem)
        assert verdict, verdict
        assert verdict.bound == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("k", [15, 16, 17, 45, 100])
def test_every_answer_of_a_float32_batch_is_verified(k):
    rng = np.random.default_rng(k)
    model = ChainModel(rng.normal(size=(k, k)))
    lengths = rng.integers(1, 30, 15)
    for sharpness in (8.0, 1.0, 0.0):
        unary = (sharpness * rng.normal(size=(lengths.sum(), k)) ** 3).astype(np.float32)
        batch = model.batch(unary, lengths)
        for problem, result in zip(batch, gl.solve_many(batch, "dominance"), strict=True):
            assert result.proved
            assert result.verify(problem)


def test_float32_ties_are_settled_in_float64():
    """Two labels differ by less than float32 can add up; the answer is the better one all the same."""
    unary = np.zeros((40, 2), np.float32)
    unary[:, 0] = 1e6
    unary[:, 1] = 1e6 + 0.0625
    model = ChainModel(np.zeros((2, 2)))
    found = gl.solve_many(model.batch(unary, [40]), "dominance")
    assert found.values[0] == 40 * float(unary[0, 1])
    assert found.structure(0).tolist() == [1] * 40


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(("method", "k"), [*itertools.product(EXACT, (1, 2)), ("beam", 1)])
def test_bad_scores_are_named_with_their_sentence(bad, method, k):
    unary = np.zeros((12, 20), np.float32)
    unary[7, 3] = bad
    batch = ChainModel(np.eye(20)).batch(unary, [4, 3, 5])
    with pytest.raises(gl.InvalidProblem, match=r"sentence 2: unary\[0, 3\] is"):
        gl.solve_many(batch, method, k=k)


def test_a_table_is_built_once_it_pays(monkeypatch):
    built = []
    monkeypatch.setattr("gapless_chains.pruning.dominance_tables", lambda *a: built.append(a) or len(built))
    tables = DominanceCache(np.zeros((10, 10)))
    assert tables.worth_it(6) is None
    assert tables.worth_it(3) is None
    assert tables.worth_it(1) == 1
    assert tables.worth_it(1) == 1
    assert tables.worth_it(1, np.float32) == 2
    assert len(built) == 2


def test_tables_live_as_long_as_the_transitions():
    model = ChainModel(np.eye(3))
    tables = dominance_cache(model.transition)
    assert dominance_cache(model.problem(np.zeros((2, 3))).transition) is tables
    assert dominance_cache(ChainModel(np.eye(3)).transition) is not tables


def test_both_ways_give_one_answer():
    """Before the table pays and after; single and in a batch."""
    rng = np.random.default_rng(0)
    model = ChainModel(rng.normal(size=(6, 6)))
    problem = model.problem(rng.normal(size=(4, 6)))
    before = gl.solve(problem)
    gl.solve_many([problem] * 3)
    after = gl.solve(problem)
    assert before.value == after.value
    assert len(after.certificate.labels) < len(before.certificate.labels)
    assert before.verify(problem)
    assert after.verify(problem)


def test_varying_transitions_are_decoded_all_the_same():
    rng = np.random.default_rng(1)
    problems = [ChainProblem(rng.normal(size=(4, 3)), rng.normal(size=(3, 3, 3))) for _ in range(3)]
    problems.append(ChainProblem(rng.normal(size=(4, 3)), rng.normal(size=(3, 3))))
    found = gl.solve_many(problems, "dominance")
    for i, problem in enumerate(problems):
        assert found.values[i] == pytest.approx(gl.solve(problem, "viterbi").value)
        assert found[i].verify(problem)


def test_control_c_keeps_the_chunks_that_are_finished(monkeypatch):
    monkeypatch.setattr("gapless_chains.batch.CHUNK", 4)
    calls = []
    honest = viterbi.viterbi_batch

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return honest(*arguments)

    monkeypatch.setattr(viterbi, "viterbi_batch", interrupted)
    batch = ChainModel(np.eye(3)).batch(np.ones((8, 3)), [2, 2, 2, 2])
    found = gl.solve_many(batch, "viterbi")
    assert list(found.statuses) == [gl.Status.OPTIMAL] * 2 + [None] * 2
    assert found[3].stop is gl.Stop.INTERRUPTED
    assert np.isnan(found.values[2:]).all()
