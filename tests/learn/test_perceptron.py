"""The structured perceptron on two problem types."""

import numpy as np
import pytest

import gapless as gl
from gapless.learn import FeatureMap, StructuredPerceptron, StructuredSVM


def right(features, solver, weights, examples):
    return sum(features.loss(x, solver(features.problem(weights, x))) == 0 for x in examples)


def test_separable_data_are_separated(task):
    features, examples = task.make(12)
    fitted = StructuredPerceptron(features, task.solver, average=False).fit(examples, epochs=200)
    assert fitted.reason == "clean"
    assert fitted.history[-1].wrong == fitted.history[-1].updates == fitted.history[-1].loss == 0
    assert right(features, task.solver, fitted.weights, examples) == len(examples)


def test_it_generalises(task):
    features, examples = task.make(60)
    train, test = examples[:40], examples[40:]
    fitted = StructuredPerceptron(features, task.solver).fit(train, epochs=8)
    assert right(features, task.solver, fitted.weights, test) > 0.6 * len(test)


@pytest.mark.parametrize("margin", [0.0, 2.0])
def test_the_average_is_that_of_dense_arithmetic(task, margin):
    features, examples = task.make(8, noise=0.3)
    fitted = StructuredPerceptron(features, task.solver, margin=margin).fit(examples, epochs=4, seed=9)

    blocks = features.blocks
    rng = np.random.default_rng(9)
    now, total = np.zeros(blocks.size), np.zeros(blocks.size)
    steps = 0
    weights = type(fitted.weights)(blocks, now)
    for _ in fitted.history:
        for i in rng.permutation(len(examples)):
            example = examples[i]
            found = task.solver(features.augmented_problem(weights, example, margin))
            for structure, change in ((features.gold(example), 1.0), (found, -1.0)):
                for name, (places, values) in features.features(example, structure).parts.items():
                    np.add.at(now[blocks.slice(name)], places, change * values)
            total += now
            steps += 1
    assert np.abs(total).max() > 0
    np.testing.assert_allclose(fitted.weights.values, total / steps, rtol=1e-12, atol=1e-12)


def test_chains_by_the_default_solver(toy):
    features, examples = toy(20)
    fitted = StructuredPerceptron(features, average=False).fit(examples, epochs=100)
    losses = [features.loss(x, gl.solve(features.problem(fitted.weights, x)).best) for x in examples]
    assert sum(losses) == 0


@pytest.mark.parametrize("margin", [-1.0, float("nan"), float("inf")])
def test_bad_margins(toy, margin):
    with pytest.raises(gl.InvalidProblem, match="margin="):
        StructuredPerceptron(toy(1)[0], margin=margin)


def test_a_map_without_augmentation_says_what_to_do(toy):
    features, examples = toy(3)

    class Plain(type(features)):
        augmented_problem = FeatureMap.augmented_problem

    plain = Plain(features.words, features.labels)
    StructuredPerceptron(plain).fit(examples, epochs=1)
    for trainer in (StructuredPerceptron(plain, margin=1.0), StructuredSVM(plain, loss="hamming")):
        with pytest.raises(NotImplementedError, match="override augmented_problem"):
            trainer.fit(examples, epochs=1)


def test_the_default_loss_counts_places_and_refuses_to_guess(toy):
    features, examples = toy(3)
    words, gold = examples[0]
    assert features.loss(examples[0], gold) == 0
    assert features.loss(examples[0], (gold + 1) % 3) == len(words)
    with pytest.raises(gl.InvalidProblem, match=r"override Chains.loss"):
        features.loss(examples[0], np.append(gold, 0))
