"""`check_search`: compiled kernels take the steps of their twins, and one that does not is named with its place."""

import os

import numpy as np
import pytest

if os.environ.get("GAPLESS_PURE") == "1":
    pytest.skip("without the compiled search there is nothing to compare", allow_module_level=True)

from gapless.testing import ConformanceError, check_search
from gapless_chains import ChainProblem
from gapless_dependency import TreeMaximiser
from gapless_dependency.backbones import backbone_needed
from gapless_dependency.random_problems import FAMILIES, random_problem
from gapless_splitbound.tree_search import tree_layout


def chain(rng):
    return ChainProblem(rng.normal(size=(5, 3)), rng.normal(size=(3, 3)))


def parse(rng, families=("sibling", "grandchild"), **how):
    problem = random_problem(rng, 5, families=families, strength=2.0, **how)
    return problem, tree_layout(problem, backbone_needed(problem))


@pytest.mark.parametrize("order", ["best-first", "depth-first", "breadth-first"])
def test_kernels_take_the_steps_of_their_twins(order):
    rng = np.random.default_rng(0)
    for number in range(4):
        check_search(chain(rng), order=order)
        problem, layout = parse(rng, projective=bool(number % 2))
        check_search(problem, layout=layout, order=order, choices=0)
        problem, layout = parse(rng, FAMILIES, projective=True)
        check_search(problem, layout=layout, order=order)


def test_a_kernel_of_other_structures_is_named():
    """Trees with several roots, beside a twin of those with one: their answers are the same on many sentences."""

    class Wrong(TreeMaximiser):
        def compiled(self):
            self.backbone.single_root = False
            kernel = super().compiled()
            self.backbone.single_root = True
            return kernel

    rng, named = np.random.default_rng(1), 0
    for _ in range(8):
        problem, layout = parse(rng, projective=True, single_root=True)
        wrong = Wrong(problem, layout.backbone.maximiser.backbone)
        object.__setattr__(layout.backbone, "maximiser", wrong)
        try:
            check_search(problem, layout=layout, choices=0)
        except ConformanceError as error:
            named += error.role == "ParsingProblem" and "step" in str(error)
    assert named >= 2
