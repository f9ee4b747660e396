"""The methods ``viterbi-pruned`` and ``beam``, alone and on batches."""

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless
from gapless import Status, Stop, UnknownOption
from gapless_chains import ChainModel, ChainProblem


def random_batch(rng, sentences, labels, dtype, *, integers, forbidden):
    def draw(*shape):
        scores = rng.integers(-2, 3, shape).astype(float) if integers else rng.normal(size=shape)
        scores[rng.random(shape) < forbidden] = -np.inf
        return scores

    lengths = rng.integers(1, 6, sentences)
    model = ChainModel(draw(labels, labels), initial=draw(labels), final=draw(labels) if forbidden else None)
    return model.batch(draw(lengths.sum(), labels).astype(dtype), lengths)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("viterbi-pruned", {}),
        ("beam", {"width": 1}),
        ("beam", {"width": 3}),
        ("beam", {"width": 2, "bound": False}),
    ],
)
@examples(6)
@given(rng=generators())
def test_batches_are_single_chains(rng, method, options, dtype):
    number = int(rng.integers(12))
    batch = random_batch(rng, 20, 1 + number, dtype, integers=number % 2 == 0, forbidden=0.2 * (number % 3))
    many = gapless.solve_many(batch, method, **options)
    for s, problem in enumerate(batch):
        single, result = gapless.solve(problem, method, **options), many[s]
        assert many.statuses[s] is single.status is result.status
        assert many.bounds[s] == pytest.approx(single.bound)
        assert many.bounds[s] == result.bound
        if single.solutions:
            assert many.values[s] == result.value == problem.value(many.structure(s))
        if options.get("bound", True):
            assert result.verify(problem)
    if method == "viterbi-pruned":
        assert (many.arrays["survivors"] <= np.diff(batch.offsets) * (1 + number)).all()


def test_the_beam_states_its_true_gap(random_chain):
    gaps = []
    for seed in range(60):
        problem = random_chain(seed, n=12, k=9)
        best = gapless.solve(problem, "viterbi").value
        result = gapless.solve(problem, "beam", width=1)
        assert result.bound == pytest.approx(best)
        assert result.gap == pytest.approx(best - result.value, abs=1e-9)
        assert (result.status is Status.OPTIMAL) == (result.gap < 1e-9)
        assert result.verify(problem)
        gaps.append(result.gap)
        wide = gapless.solve(problem, "beam", width=9)
        assert wide.status is Status.OPTIMAL
    assert max(gaps) > 0.1


def test_a_beam_without_a_bound_proves_nothing(random_chain):
    problem = random_chain(1)
    result = gapless.solve(problem, "beam", width=5, bound=False)
    assert result.status is Status.FEASIBLE
    assert result.bound == np.inf
    assert result.gap == np.inf


def test_a_beam_that_runs_dry_says_so():
    forbid = -np.inf
    problem = ChainProblem([[1.0, 0.0], [0.0, 0.0]], [[forbid, forbid], [0.0, 0.0]])
    result = gapless.solve(problem, "beam", width=1)
    assert result.status is Status.NO_SOLUTION
    assert result.bound == 0.0
    assert "ran dry" in result.explanation[0]
    many = gapless.solve_many([problem, problem], "beam", width=1)
    assert many.statuses == [Status.NO_SOLUTION] * 2
    assert gapless.solve(problem, "beam", width=2).status is Status.OPTIMAL


def test_options_are_checked():
    problem = ChainProblem(np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(UnknownOption, match="width"):
        gapless.solve(problem, "beam", width=0)
    with pytest.raises(UnknownOption, match="width"):
        gapless.solve_many([problem], "beam", width=0)


def test_pruning_drops_most_labels_of_sharp_scores():
    rng = np.random.default_rng(0)
    model = ChainModel(0.5 * rng.normal(size=(40, 40)))
    result = gapless.solve_many(model.batch(10 * rng.normal(size=(200, 40)), [20] * 10), "viterbi-pruned")
    assert result.arrays["survivors"].sum() < 200 * 6
    assert result.proved_share == 1.0


def test_a_beam_that_meets_its_bound_is_proved():
    rng = np.random.default_rng(5)
    batch = random_batch(rng, 60, 8, np.float64, integers=False, forbidden=0.0)
    for result in (
        *gapless.solve_many(batch, "beam", width=1),
        *(gapless.solve(p, "beam", width=1) for p in batch),
    ):
        assert (result.stop is Stop.PROVED) == (result.status is Status.OPTIMAL)
        assert result.stop in (Stop.PROVED, Stop.NODES)
    assert 0 < gapless.solve_many(batch, "beam", width=1).proved_share < 1
    assert all(r.stop is Stop.NODES for r in gapless.solve_many(batch, "beam", width=8, bound=False))
