"""The structured SVM: objective, subgradient, steps with a penalty for each block."""

import numpy as np
import pytest

import gapless as gl
from gapless.learn import StructuredSVM, TrainingWeights, Weights, margin_violation, solvers
from gapless.limits.limits import Limits, SolveBudget
from gapless.roles import MostFractional
from gapless.testing.examples import OptimisticBound
from gapless.tree_search import tree_search


def penalties(features, strong=3.0):
    return {name: 0.1 if i == 0 else strong for i, name in enumerate(features.blocks)}


def svm(task, features, **options):
    return StructuredSVM(features, task.solver, **{"oracle": task.oracle, "l2": penalties(features), **options})


@pytest.mark.parametrize("loss", ["0/1", "hamming"])
def test_the_subgradient_is_the_slope_wherever_there_is_one(task, loss):
    features, examples = task.make(6, noise=0.5)
    trainer = svm(task, features, loss=loss, margin=1.5)
    rng = np.random.default_rng(2)
    size = features.blocks.size
    checked = 0
    for _ in range(6):
        # A generic point: no two structures tie, so a short way around it the objective is a quadratic.
        point = rng.normal(size=size)
        slope = trainer.subgradient(Weights(features.blocks, point), examples)
        way = rng.normal(size=size)

        def value(step, point=point, way=way):
            return trainer.objective(Weights(features.blocks, point + step * way), examples)

        left, here, far = (value(step) for step in (-1e-6, 0.0, 1e-6))
        if abs((far - here) - (here - left)) > 1e-9:
            continue  # a kink lies in between
        assert (far - left) / 2e-6 == pytest.approx(slope @ way, rel=1e-5, abs=1e-5)
        checked += 1
    assert checked >= 4


@pytest.mark.long
@pytest.mark.parametrize("loss", ["0/1", "hamming"])
def test_the_objective_falls_towards_its_minimum(task, loss):
    features, examples = task.make(8, noise=0.5)
    trainer = svm(task, features, loss=loss, l2=dict.fromkeys(features.blocks, 0.5))
    start = trainer.objective(Weights(features.blocks), examples)
    # The minimum, by plain subgradient descent on the whole objective.
    point, least = np.zeros(features.blocks.size), start
    for t in range(1, 2000):
        weights = Weights(features.blocks, point)
        least = min(least, trainer.objective(weights, examples))
        point = point - trainer.subgradient(weights, examples) / (0.5 * t)
    after = [trainer.objective(trainer.fit(examples, epochs=e).weights, examples) for e in (5, 50, 200)]
    assert start > after[0] > after[1] > after[2]
    assert after[2] - least < (after[1] - least) / 2 < (after[0] - least) / 4


def test_steps_equal_dense_arithmetic_for_each_block(task):
    features, examples = task.make(8, noise=0.5)
    l2 = penalties(features, strong=20.0)
    trainer = svm(task, features, rate=0.7)
    trainer.l2 = l2
    blocks, count = features.blocks, len(examples)
    lazy = TrainingWeights(blocks)
    now, total = np.zeros(blocks.size), np.zeros(blocks.size)
    updates = 0
    for t in range(40):
        example = examples[t % count]
        updates += trainer.step(lazy, example, np.random.default_rng(0), count).updates
        lazy.end_step()
        length = 0.7 / (1 + 0.7 * min(l2.values()) * t / count)
        for name, penalty in l2.items():
            now[blocks.slice(name)] /= 1 + length * penalty / count
        weights = Weights(blocks, now)
        wrong = task.oracle(features.problem(weights, example), features.gold(example), 1.0)
        if wrong is not None:
            difference = np.zeros(blocks.size)
            for structure, sign in ((features.gold(example), 1.0), (wrong, -1.0)):
                for name, (places, values) in features.features(example, structure).parts.items():
                    np.add.at(difference[blocks.slice(name)], places, sign * values)
            hinge = 1.0 - now @ difference
            if hinge > 0 and difference.any():
                now += min(length, hinge / (difference @ difference)) * difference
        total += now
        np.testing.assert_allclose(lazy.current().values, now, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(lazy.average().values, total / (t + 1), rtol=1e-9, atol=1e-12)
    assert updates > 3


@pytest.mark.parametrize("task", ["chains"], indirect=True)
def test_a_stronger_penalty_gives_smaller_transitions(task):
    features, examples = task.make(20, noise=0.1)
    norms = []
    for penalty in (0.1, 1.0, 10.0):
        trainer = svm(task, features, l2={"emission": 0.1, "transition": penalty})
        weights = trainer.fit(examples, epochs=5).weights
        norms.append(float(np.linalg.norm(weights["transition"])))
    assert norms[0] > norms[1] > norms[2] > 0


def test_separable_data_get_their_margin(task):
    features, examples = task.make(10)
    trainer = svm(task, features, l2=0.0, average=False)
    weights = trainer.fit(examples, epochs=100).weights
    assert trainer.objective(weights, examples) < 0.05 * trainer.objective(Weights(features.blocks), examples)
    wrong = [features.loss(x, task.solver(features.problem(weights, x))) for x in examples]
    assert sum(wrong) == 0


@pytest.fixture
def selections_are_solved(monkeypatch):
    def solve(problem, k=1):
        return tree_search(problem, OptimisticBound(problem), MostFractional(), SolveBudget(Limits()), k=k)

    monkeypatch.setattr(solvers, "solve", solve)


@pytest.mark.usefixtures("selections_are_solved")
@pytest.mark.parametrize("task", ["items"], indirect=True)
def test_the_default_oracle_is_the_two_best(task):
    features, examples = task.make(30, noise=0.5)
    rng = np.random.default_rng(0)
    answers = {True: 0, False: 0}
    for example in examples:
        problem = features.problem(Weights(features.blocks, rng.normal(size=features.blocks.size)), example)
        for gold in (features.gold(example), task.solver(problem)):
            for margin in (0.0, 0.5, 3.0):
                found = margin_violation(problem, gold, margin)
                wanted = task.oracle(problem, gold, margin)
                assert (found is None) == (wanted is None)
                answers[found is None] += 1
                if found is not None and wanted is not None:
                    assert found != gold
                    assert problem.value(found) == pytest.approx(problem.value(wanted))
    assert min(answers.values()) > 10
    trainer = StructuredSVM(features, l2=0.1)
    assert trainer.objective(trainer.fit(examples, epochs=3).weights, examples) < trainer.objective(
        Weights(features.blocks), examples
    )


def test_ctrl_c_inside_a_solve_stops_the_training(toy, monkeypatch):
    features, examples = toy(3)
    problem = features.problem(Weights(features.blocks), examples[0])
    stopped = gl.Result.of(problem, [examples[0][1]], np.inf, gl.Stop.INTERRUPTED)
    monkeypatch.setattr(solvers, "solve", lambda *_args, **_options: stopped)
    with pytest.raises(KeyboardInterrupt):
        solvers.best_structure(problem)
    with pytest.raises(KeyboardInterrupt):
        margin_violation(problem, examples[0][1], 1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"l2": {"emission": 0.1}}, "expected"),
        ({"l2": -1.0}, "penalties are finite"),
        ({"l2": float("nan")}, "penalties are finite"),
        ({"margin": 0.0}, "margin=0.0"),
        ({"rate": float("inf")}, "rate=inf"),
        ({"loss": "01"}, "'0/1' or 'hamming'"),
    ],
)
def test_bad_options(toy, options, words):
    with pytest.raises(gl.InvalidProblem, match=words):
        StructuredSVM(toy(1)[0], **options)
