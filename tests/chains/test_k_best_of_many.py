"""The k best labellings of many chains: as enumeration finds them; by kernels, in workers, in a stream."""

import numpy as np
import pytest
from all_labellings import best_values
from drawn import examples, generators, numbers
from hypothesis import given

import gapless as gl
from gapless_chains import ChainModel, ChainProblem, k_best_of_batch
from gapless_chains.pruning import by_bounds, by_dominance, by_nothing

KERNELS = ["viterbi", "viterbi-pruned", "dominance"]
METHODS = [*KERNELS, "column-generation"]


def integer_batch(seed, sentences=30, labels=4, dtype=np.float64, forbidden=0.0):
    """Ties everywhere, and values that every order of adding finds alike."""
    rng = numbers(seed)
    lengths = rng.integers(1, 6, sentences)
    model = ChainModel(rng.integers(-1, 2, (labels, labels)), final=rng.integers(-1, 2, labels))
    unary = rng.integers(-2, 3, (lengths.sum(), labels)).astype(dtype)
    unary[rng.random(unary.shape) < forbidden] = -np.inf
    return model.batch(unary, lengths)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", METHODS)
def test_a_batch_finds_the_enumerated_lists(method, dtype):
    statuses = set()
    for seed, (k, forbidden) in enumerate([(2, 0.4), (7, 0.0), (2000, 0.4)]):
        batch = integer_batch(seed, 12, dtype=dtype, forbidden=forbidden)
        found = gl.solve_many(batch, method, k=k)
        for i, (problem, result) in enumerate(zip(batch, found, strict=True)):
            expected = best_values(problem, k)
            assert [solution.value for solution in result.solutions] == expected
            assert len({tuple(solution.structure) for solution in result.solutions}) == len(expected)
            assert found.statuses[i] is result.status is gl.solve(problem).status
            assert result.verify(problem)
            assert result.method == method
            statuses.add(result.status)
    assert statuses == {gl.Status.OPTIMAL, gl.Status.INFEASIBLE}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("pruning", [by_nothing, by_bounds, by_dominance])
@examples(3)
@given(rng=generators())
def test_every_pruning_keeps_the_enumerated_lists(rng, pruning, dtype):
    batch, k = integer_batch(rng, 12, dtype=dtype, forbidden=float(rng.choice([0.0, 0.3]))), int(rng.integers(1, 6))
    lists = k_best_of_batch(batch, k, pruning)
    for s, problem in enumerate(batch):
        expected = best_values(problem, k)
        assert lists.values[s, : lists.counts[s]].tolist() == expected
        assert [problem.value(labels) for labels in lists.of(s)] == expected


@pytest.mark.parametrize("method", KERNELS)
def test_kernels_keep_the_lists_in_arrays(method):
    batch = integer_batch(3, forbidden=0.3)
    found, expected = gl.solve_many(batch, method, k=5), k_best_of_batch(batch, 5)
    assert found.arrays["k_best_values"].tolist() == expected.values.tolist()
    assert found.arrays["k_best_counts"].tolist() == expected.counts.tolist()
    assert found.arrays["k_best_labels"].shape == (batch.tokens, 5)
    assert found.arrays["labels"].tolist() == found.arrays["k_best_labels"][:, 0].tolist()
    with pytest.raises(ValueError, match="read-only"):
        found.arrays["k_best_labels"][0] = 0
    for i, result in enumerate(found):
        here = slice(batch.offsets[i], batch.offsets[i + 1])
        lists = found.arrays["k_best_labels"][here].T
        assert [s.structure.tolist() for s in result.solutions] == lists[: len(result.solutions)].tolist()
        assert (lists[len(result.solutions) :] == -1).all()


@pytest.mark.parametrize("method", METHODS)
def test_lists_of_chains_of_every_kind(random_chain, method):
    """Shared scores, scores of their own, transitions that vary: each as it is solved alone."""
    problems = [random_chain(seed, n=1 + seed % 6, k=3, varying=seed % 3 == 0) for seed in range(12)]
    model = ChainModel(np.eye(3))
    problems[4], problems[9] = (model.problem(np.arange(3.0 * n).reshape(n, 3) % 5) for n in (4, 2))
    found = gl.solve_many(problems, method, k=4)
    for problem, result in zip(problems, found, strict=True):
        expected = best_values(problem, 4)
        assert [s.value for s in result.solutions] == pytest.approx(expected, rel=1e-12)
        assert result.verify(problem)
    if method in KERNELS:
        for i, result in enumerate(found):
            values = [s.value for s in result.solutions]
            assert found.arrays["k_best_values"][i, : len(values)] == pytest.approx(values)
            assert found.arrays["k_best_counts"][i] == len(values)


@pytest.mark.parametrize("as_list", [True, False])
def test_workers_find_the_same_lists(as_list):
    pytest.importorskip("joblib", reason="jobs=2 needs joblib")
    batch = integer_batch(5, sentences=40)
    problems = list(batch) if as_list else batch
    alone, together = (gl.solve_many(problems, k=300, jobs=jobs, chunk_size=3) for jobs in (1, 2))
    for name in ("k_best_values", "k_best_counts", "labels", "offsets"):
        wide, narrow = alone.arrays[name], together.arrays[name]
        assert wide.tolist() == narrow.tolist()
    for problem, one, other in zip(batch, alone, together, strict=True):
        assert [s.value for s in one.solutions] == [s.value for s in other.solutions] == best_values(problem, 300)
        other.solutions[0].structure[0] = 0  # a copy: nothing else changes


def test_parts_with_shorter_lists_are_joined():
    """Two labels and one token have two labellings, however many are asked for."""
    problems = [ChainProblem([[1.0, 0.0]], np.zeros((2, 2))), ChainProblem(np.eye(2), np.zeros((2, 2)))]
    joined = gl.BatchResult.joined({i: gl.solve_many([one], k=9) for i, one in enumerate(problems)}, problems)
    assert joined.arrays["k_best_values"].tolist() == [[1.0, 0.0, -np.inf, -np.inf], [2.0, 1.0, 1.0, 0.0]]
    assert joined.arrays["k_best_labels"].shape == (3, 4)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stream_finds_lists(jobs):
    if jobs == 2:
        pytest.importorskip("joblib", reason="jobs=2 needs joblib")
    batch = integer_batch(6)
    for problem, result in zip(batch, gl.solve_stream(iter(batch), k=3, jobs=jobs), strict=True):
        assert [s.value for s in result.solutions] == best_values(problem, 3)
        assert result.verify(problem)


@pytest.mark.parametrize("door", [gl.solve_many, lambda *args, **how: list(gl.solve_stream(*args, **how))])
def test_what_cannot_be_several_is_refused(door):
    batch = integer_batch(7)
    with pytest.raises(gl.UnknownOption, match="'beam' finds one best structure only, k=2"):
        door(batch, "beam", k=2)
    for wrong in (0, 1.5, True, "2"):
        with pytest.raises(gl.UnknownOption, match="k is "):
            door(batch, k=wrong)


def test_an_invalid_sentence_is_named():
    batch = integer_batch(8)
    batch.unary[batch.offsets[4], 2] = np.nan
    with pytest.raises(gl.InvalidProblem, match=r"sentence 4: unary\[0, 2\] is NaN"):
        k_best_of_batch(batch, 2)


def test_several_of_other_problem_types():
    from gapless_dependency import ParsingProblem  # noqa: PLC0415

    rng = np.random.default_rng(0)
    problems = [ParsingProblem(rng.normal(size=(4, 4))) for _ in range(3)]
    found = gl.solve_many(problems, k=3)
    for problem, result in zip(problems, found, strict=True):
        expected = [s.value for s in gl.solve(problem, k=3).solutions]
        assert [s.value for s in result.solutions] == pytest.approx(expected)


def test_lists_have_a_short_name():
    found = k_best_of_batch(integer_batch(9, sentences=300), 5)
    assert repr(found) == f"<KBest of 300: k=5, {found.counts.sum()} labellings>"
