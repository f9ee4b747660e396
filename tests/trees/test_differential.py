"""Every exact method against enumeration, chains and an independent solver. Scores are compared, not labellings."""

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless
from gapless import Status
from gapless.arrays.tolerance import meets
from gapless_chains import ChainProblem, TreeProblem
from gapless_chains.trees import decoding

METHODS = ["viterbi", "dominance", "column-generation"]
BATCHED = ["viterbi", "dominance"]


def test_batches_agree_with_enumeration(tree_batches):
    """20,000 trees, one call a batch; both kernels write the same labels, whatever was pruned."""
    instances = infeasible = 0
    for batch in tree_batches(seed=11, each=130):
        problems = batch.problems()
        viterbi, dominance = (gapless.solve_many(problems, method) for method in BATCHED)
        none = batch.best == -np.inf
        np.testing.assert_array_equal(viterbi.arrays["labels"], dominance.arrays["labels"])
        for many in (viterbi, dominance):
            np.testing.assert_array_equal(np.isnan(many.values), none)
            np.testing.assert_array_equal(many.bounds == -np.inf, none)
            np.testing.assert_allclose(many.values[~none], batch.best[~none], rtol=1e-12, atol=1e-9)
            assert [s is Status.INFEASIBLE for s in many.statuses] == none.tolist()
        instances += len(problems)
        infeasible += int(none.sum())
    assert instances > 20_000
    assert infeasible > 500


@pytest.mark.parametrize(
    ("method", "each"),
    [
        ("dominance", 5),
        ("column-generation", 10),
        pytest.param("dominance", 30, marks=pytest.mark.long),
        pytest.param("column-generation", 160, marks=pytest.mark.long),
    ],
)
def test_forests_agree_with_enumeration_and_prove_it(tree_batches, method, each):
    """Trees side by side: one proof for all, and each tree's share is its own optimum."""
    instances = 0
    for batch in tree_batches(seed=12, each=each):
        forest, chosen = batch.forest()
        if forest is None:
            continue
        result = gapless.solve(forest, method)
        assert result.status is Status.OPTIMAL
        values = batch.values(chosen, result.best.reshape(chosen.size, -1))
        np.testing.assert_allclose(values, batch.best[chosen], rtol=1e-12, atol=1e-9)
        verdict = result.verify(forest)
        assert verdict, verdict
        assert meets(verdict.bound, float(batch.best[chosen].sum()))
        instances += chosen.size
    assert instances > 120 * each


@pytest.mark.parametrize("method", METHODS)
@given(rng=generators())
def test_scores_of_their_own_on_every_edge(rng, random_tree, method):
    seed = int(rng.integers(150))
    n, k = 1 + seed % 5, 1 + seed % 3
    problem = random_tree(rng, n, k, varying=True, forbidden=0.3 * (seed % 2), integers=seed % 4 < 2)
    best = max(problem.value(np.array(labels)) for labels in np.ndindex(*(k,) * n))
    result = gapless.solve(problem, method)
    assert result.verify(problem)
    assert (result.value if result.solutions else -np.inf) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@given(rng=generators())
def test_a_path_is_a_chain(rng, random_tree, method):
    seed = int(rng.integers(60))
    n, k = 1 + seed % 12, 1 + seed % 9
    options = {"forbidden": 0.3 * (seed % 3 == 0), "varying": seed % 2 > 0, "integers": seed % 5 < 2}
    tree = random_tree(rng, n, k, parents=np.arange(-1, n - 1), **options)
    chain = ChainProblem(tree.unary, tree.transition if tree.transition.ndim == 2 else tree.transition[1:])
    expected, result = gapless.solve(chain, "viterbi"), gapless.solve(tree, method)
    assert result.status is expected.status
    if expected.solutions:
        assert result.value == pytest.approx(expected.value, rel=1e-14)
        assert tree.value(result.best) == chain.value(result.best)


@pytest.mark.parametrize("sharpness", [0.0, 0.5, 3.0, 10.0])
@pytest.mark.parametrize("forbidden", [0.0, 0.3, 0.7])
@examples(5)
@given(rng=generators())
def test_all_methods_agree_on_larger_trees(rng, random_tree, sharpness, forbidden):
    n, k = int(rng.integers(1, 30)), int(rng.integers(1, 40))
    problem = random_tree(rng, n, k, forbidden=forbidden, sharpness=sharpness)
    results = [gapless.solve(problem, method) for method in METHODS]
    assert len({result.status for result in results}) == 1
    assert all(result.verify(problem) for result in results)
    if results[0].solutions:
        assert [r.value for r in results] == pytest.approx([results[0].value] * 3, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("mask", [-1e4, -1e9, -1e12])
@pytest.mark.parametrize("method", METHODS)
@given(rng=generators())
def test_finite_masks_neither_hide_scores_nor_spoil_the_proof(rng, random_tree, method, mask):
    """Many models forbid by a large negative number; the proof must stay sharp beside it."""
    seed = int(rng.integers(25))
    plain = random_tree(rng, 1 + seed % 20, 2 + seed % 10, forbidden=0.3 * (seed % 3))
    unary, transition = plain.unary.copy(), plain.transition.copy()
    unary[:, 1:][rng.random(unary[:, 1:].shape) < 0.4] = mask
    transition[1:, 1:][rng.random(transition[1:, 1:].shape) < 0.4] = mask
    problem = TreeProblem(unary, transition, plain.parents)
    result = gapless.solve(problem, method)
    assert result.proved
    assert result.verify(problem)
    if result.solutions:
        assert result.value == pytest.approx(gapless.solve(problem, "viterbi").value, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_deep_and_wide_trees(method):
    rng = np.random.default_rng(1)
    n, k = 2000, 4
    transition = rng.normal(size=(k, k))
    for parents in (np.arange(-1, n - 1), np.where(np.arange(n) > 0, 0, -1), np.full(n, -1)):
        problem = TreeProblem(3 * rng.normal(size=(n, k)), transition, parents)
        result = gapless.solve(problem, method)
        assert result.status is Status.OPTIMAL
        assert result.verify(problem)
        assert result.value == pytest.approx(gapless.solve(problem, "viterbi").value, rel=1e-12)


def test_a_batch_is_many_single_solves(random_tree):
    """Trees of several models and sizes in one list, among them one without an allowed labelling."""
    shared = random_tree(0, 3, 4).transition
    problems = [TreeProblem(p.unary, shared, p.parents) for p in (random_tree(s, 1 + s % 6, 4) for s in range(20))]
    problems += [random_tree(s, 4, 3, varying=s % 2 > 0) for s in range(6)]
    problems.insert(7, TreeProblem(np.full((2, 4), -np.inf), shared, [-1, 0]))
    for method in BATCHED:
        many = gapless.solve_many(problems, method)
        for number, problem in enumerate(problems):
            single, result = gapless.solve(problem, method), many[number]
            assert result.status is single.status is many.statuses[number]
            assert result.bound == single.bound == many.bounds[number]
            assert result.verify(problem)
            if single.solutions:
                assert many.values[number] == single.value
                np.testing.assert_array_equal(many.structure(number), single.best)
            else:
                with pytest.raises(gapless.NoSolution):
                    many.structure(number)
    assert len(gapless.solve_many([])) == 0


def test_ctrl_c_keeps_what_is_finished(random_tree, monkeypatch):
    calls = []
    decode = decoding.decode_by_dominance

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return decode(*arguments)

    monkeypatch.setattr(decoding, "decode_by_dominance", interrupted)
    many = gapless.solve_many([random_tree(0), random_tree(1)])
    assert many.statuses == [Status.OPTIMAL, None]
    assert many[0].proved
    assert many[1].stop is gapless.Stop.INTERRUPTED
