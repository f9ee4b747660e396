"""Two problem types to learn: chains, and selections of items within a capacity."""

from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from gapless.learn import Blocks, FeatureMap
from gapless.testing.examples import Selection
from gapless_chains import ChainProblem


class Chains(FeatureMap):
    """Words are numbers; a word has itself and its parity as features. Examples are (words, labels)."""

    def __init__(self, words, labels):
        self.labels = labels
        self.words = words
        self._blocks = Blocks({"emission": (words + 2, labels), "transition": (labels, labels)})

    @property
    def blocks(self):
        return self._blocks

    def gold(self, example):
        return example[1]

    def active(self, words):
        return np.stack([words, self.words + words % 2], axis=1)

    def unary(self, weights, words):
        active = self.active(words)
        return weights.row_sums("emission", active.ravel(), np.arange(0, active.size + 1, 2))

    def problem(self, weights, example):
        return ChainProblem(self.unary(weights, example[0]), weights["transition"])

    def augmented_problem(self, weights, example, margin):
        words, gold = example
        unary = self.unary(weights, words)
        unary[np.arange(len(gold)), gold] -= margin
        return ChainProblem(unary, weights["transition"])

    def features(self, example, structure):
        labels = np.asarray(structure)
        active = self.active(example[0])
        return self.blocks.vector(
            emission=((active.ravel(), np.repeat(labels, 2)), 1.0), transition=((labels[:-1], labels[1:]), 1.0)
        )


class Items(FeatureMap):
    """Choose items whose worth is linear in what they have. Examples are (traits, groups, gold items)."""

    def __init__(self, traits):
        self._blocks = Blocks({"trait": (traits,), "size": ()})

    @property
    def blocks(self):
        return self._blocks

    def gold(self, example):
        return example[2]

    def worth(self, weights, example):
        return example[0] @ weights["trait"] + weights["size"]

    def selection(self, worth, example):
        count = len(worth)
        return Selection(worth, np.ones((1, count)), [count - 2.0], example[1])

    def problem(self, weights, example):
        return self.selection(self.worth(weights, example), example)

    def augmented_problem(self, weights, example, margin):
        worth = self.worth(weights, example) + margin
        worth[list(example[2])] -= 2 * margin
        return self.selection(worth, example)

    def features(self, example, structure):
        chosen = list(structure)
        traits = example[0].shape[1]
        total = example[0][chosen].sum(axis=0)
        return self.blocks.vector(trait=(np.arange(traits), total), size=(np.zeros(1, int), float(len(chosen))))

    def loss(self, example, structure):
        return float(len(set(structure) ^ set(example[2])))


@cache
def every(*kind):
    """All label sequences of ("chain", length, labels), all choices of ("items", count, groups)."""
    if kind[0] == "chain":
        return np.array(list(product(range(kind[2]), repeat=kind[1])))
    choices = np.array(list(product((0, 1), repeat=kind[1])))
    fits = choices.sum(axis=1) <= kind[1] - 2
    for group in kind[2]:
        fits &= choices[:, list(group)].sum(axis=1) == 1
    return choices[fits]


def ranked(problem):
    """Best structures first, by trying all."""
    if isinstance(problem, ChainProblem):
        paths = every("chain", problem.positions, problem.label_count)
        values = problem.local[np.arange(problem.positions), paths].sum(axis=1)
        values += problem.transition[paths[:, :-1], paths[:, 1:]].sum(axis=1)
        return [paths[i] for i in np.argsort(-values)[:2]]
    choices = every("items", problem.worth.size, problem.groups)
    order = np.argsort(-(choices @ problem.worth))[:2]
    return [tuple(np.flatnonzero(choices[i]).tolist()) for i in order]


def by_enumeration(problem):
    return ranked(problem)[0]


def wrong_by_enumeration(problem, gold, margin):
    least = problem.value(gold) - margin
    others = [s for s in ranked(problem) if not np.array_equal(s, gold) and problem.value(s) >= least]
    return others[0] if others else None


def chains(rng, count, *, noise=0.0):
    """Labels that a hidden chain model gives, some of them changed."""
    features = Chains(words=12, labels=3)
    emission = rng.normal(size=(12, 3))
    transition = rng.normal(size=(3, 3))
    examples = []
    for _ in range(count):
        words = rng.integers(0, 12, rng.integers(1, 6))
        gold = by_enumeration(ChainProblem(emission[words], transition)).copy()
        changed = rng.random(len(gold)) < noise
        gold[changed] = rng.integers(0, 3, changed.sum())
        examples.append((words, gold))
    return features, examples


def items(rng, count, *, noise=0.0):
    """Items that a hidden model chooses, some choices spoilt."""
    features = Items(traits=4)
    hidden = rng.normal(size=4)
    examples = []
    for i in range(count):
        traits = rng.normal(size=(6, 4))
        groups = ((0, 1, 2),) if i % 2 else ()
        worth = traits @ hidden + rng.normal(size=6) * noise
        gold = by_enumeration(features.selection(worth, (traits, groups)))
        examples.append((traits, groups, gold))
    return features, examples


@pytest.fixture(params=["chains", "items"])
def task(request):
    """`make(count, noise=...)` gives a feature map and examples; with solvers by enumeration."""
    make = {"chains": chains, "items": items}[request.param]
    return SimpleNamespace(
        name=request.param,
        make=lambda count, noise=0.0, seed=1: make(np.random.default_rng(seed), count, noise=noise),
        solver=by_enumeration,
        oracle=wrong_by_enumeration,
    )


@pytest.fixture
def toy():
    """Chains only, for what has nothing to do with the problem type."""
    return lambda count, noise=0.0: chains(np.random.default_rng(5), count, noise=noise)
