"""The kit accepts right feature maps and names what is wrong with others."""

import numpy as np
import pytest

from gapless import InvalidProblem
from gapless.learn import FeatureMap, FeatureVector
from gapless.testing import ConformanceError, check_feature_map


def others(task, features, example):
    if task.name == "chains":
        return [np.zeros(len(example[0]), np.int64), np.full(len(example[0]), 2)]
    return [(0, 3), (1, 4, 5)] if example[1] else [(), (0, 1, 2, 3)]


def test_right_maps_pass(task):
    features, examples = task.make(10)
    for example in examples:
        check_feature_map(features, example, others(task, features, example))


def broken(features, methods):
    cls = type("Broken", (type(features),), methods)
    made = cls.__new__(cls)
    made.__dict__.update(features.__dict__)
    return made


def _twice(self, example, better, worse):
    found = FeatureMap.difference(self, example, better, worse)
    return found - (FeatureVector({}) - found)


def _other_scores(self, weights, example):
    return self.selection(2 * self.worth(weights, example), example)


def _outside(self, example, structure):
    return FeatureVector({"trait": (np.array([99]), np.ones(1))})


def _unknown(self, example, structure):
    return FeatureVector({"what": (np.array([0]), np.ones(1))})


def _half(self, weights, example, margin):
    return type(self).__mro__[1].augmented_problem(self, weights, example, margin / 2)


@pytest.mark.parametrize("task", ["items"], indirect=True)
@pytest.mark.parametrize(
    ("methods", "rule"),
    [
        ({"loss": lambda *_: 1.0}, "gold has loss 0"),
        ({"difference": _twice}, "difference is that of the features"),
        ({"features": _outside}, "features lie in the blocks"),
        ({"features": _unknown}, "features lie in the blocks"),
        ({"problem": _other_scores}, "scores are weights times features"),
        ({"augmented_problem": _half}, "augmented scores"),
    ],
)
def test_wrong_maps_are_named(task, methods, rule):
    features, examples = task.make(2)
    wrong = broken(features, methods)
    with pytest.raises(ConformanceError, match=rule):
        check_feature_map(wrong, examples[0], others(task, features, examples[0]))


@pytest.mark.parametrize("task", ["items"], indirect=True)
def test_structures_that_the_problem_refuses_are_named(task):
    features, examples = task.make(2)
    with pytest.raises(ConformanceError, match=r"structures are feasible.*structure 1.*capacity"):
        check_feature_map(features, examples[0], [(0, 1, 2, 3, 4, 5)])


@pytest.mark.parametrize("task", ["items"], indirect=True)
def test_views_of_the_weights_are_found(task):
    features, examples = task.make(2)

    def problem(self, weights, example):
        found = type(features).problem(self, weights, example)
        worth = found.worth

        class Lazy(type(found)):
            def value(self, structure):
                return float(worth[list(structure)].sum()) if weights.values.any() else 0.0

        return Lazy(found.worth, found.weights, found.capacities, found.groups)

    with pytest.raises(ConformanceError, match="keeps no view"):
        check_feature_map(broken(features, {"problem": problem}), examples[0], [(), (0, 1)])


def test_a_map_without_augmentation_passes(toy):
    features, examples = toy(1)
    plain = broken(features, {"augmented_problem": FeatureMap.augmented_problem})
    check_feature_map(plain, examples[0], [(features.gold(examples[0]) + 1) % 3])


def test_nothing_to_compare_with_is_refused(toy):
    features, examples = toy(1)
    for structures in ([], [features.gold(examples[0])]):
        with pytest.raises(InvalidProblem, match="no structure given differs from gold"):
            check_feature_map(features, examples[0], structures)
