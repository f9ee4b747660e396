"""Wrong parts on purpose: an error or a refuted proof, never a wrong optimum that verifies."""

from typing import Any, ClassVar

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given
from parsing_cases import best_scores

import gapless
import gapless_kernels
from gapless import GaplessError, Result, SolveError
from gapless.roles import ConfigurationFactor
from gapless.search import driver
from gapless_dependency import ParsingProblem, TreeMaximiser, Valency
from gapless_dependency.backbones import FirstOrderProjective
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import random_problem
from gapless_splitbound import tree_search

needs_compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1: no compiled search")


pytestmark = pytest.mark.usefixtures("bounds_alone")


def sentence(rng, projective=True, families=("sibling", "grandchild")):
    return random_problem(rng, 5, projective=projective, families=families, strength=2.0)


def caught(problem, solve):
    """Whether a wrong part was noticed; fails the test when a wrong optimum was believed."""
    best = tree_scores(problem)[1].max()
    try:
        result = solve()
    except GaplessError:
        return True
    if not result.verify(problem):
        return True
    assert result.bound >= best - 1e-6
    if result.proved:
        assert result.value == pytest.approx(best, abs=1e-6)
    return False


class LowMaxMarginals(FirstOrderProjective):
    """Says that all arcs off its tree are worse than they are."""

    def max_marginals(self, weights):
        value, heads, marginals = super().max_marginals(weights)
        marginals = marginals - 6.0
        marginals[heads[1:], np.arange(1, len(weights))] = value
        return value, heads, marginals


class DroppedArc(FirstOrderProjective):
    """Never sees the arc of the best first-order tree into word 1."""

    def __init__(self, problem):
        super().__init__(problem)
        self.dropped = int(gapless_kernels.eisner(problem.scores, problem.single_root)[1][1])

    def without(self, weights):
        fewer = weights.copy()
        fewer[self.dropped, 1] = -np.inf
        return fewer

    def solve(self, weights):
        return super().solve(self.without(weights))

    def max_marginals(self, weights):
        return super().max_marginals(self.without(weights))


class LowValue(FirstOrderProjective):
    """The right tree, and less than it is worth."""

    def solve(self, weights):
        value, heads = super().solve(weights)
        return value - 3.0, heads

    def max_marginals(self, weights):
        value, heads, marginals = super().max_marginals(weights)
        return value - 3.0, heads, marginals - 3.0


@pytest.mark.parametrize("wrong", [LowMaxMarginals, DroppedArc, LowValue])
@pytest.mark.parametrize("variant", ["default", "paper"])
@seeing("noticed")
@examples(4)
@given(rng=generators())
def test_wrong_backbones(seen, rng, wrong, variant):
    problem = sentence(rng)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree_search, "backbone_for", lambda problem, name: wrong(problem))
        patch.setattr(TreeMaximiser, "compiled", lambda self: None)
        noticed = caught(problem, lambda: gapless.solve(problem, "split-bound", variant=variant))
    seen["noticed"] += noticed or (wrong is LowMaxMarginals and variant == "paper")


class Shy(ConfigurationFactor):
    """A valency whose best configuration is said to be worth less, or is another one."""

    name = "shy"

    def __init__(self, honest, less, wrong_configuration):
        self.honest, self.less, self.wrong = honest, less, wrong_configuration

    def scope(self, decisions):
        return self.honest.scope(decisions)

    def value(self, on):
        return self.honest.value(on)

    def best(self, weights):
        if self.wrong:
            none = np.zeros(weights.size, bool)
            return self.value(none), none
        value, on = self.honest.best(weights)
        return value - self.less, on


@pytest.mark.parametrize(("less", "wrong"), [(4.0, False), (0.0, True)])
@pytest.mark.parametrize("projective", [False, True])
@seeing("noticed")
@examples(6)
@given(rng=generators())
def test_a_best_configuration_that_is_not(seen, rng, less, wrong, projective):
    base = sentence(rng, projective, ("sibling",))
    shy = Shy(Valency(2, np.append(0.0, rng.normal(1.0, 3.0, 5))), less, wrong)
    problem = ParsingProblem(base.scores, factors=[*base.factors, shy], projective=projective)
    noticed = caught(problem, lambda: gapless.solve(problem, "split-bound"))
    assert noticed or not less
    seen["noticed"] += noticed


HONEST = driver.NodeSearch


class LyingSearch:
    """The compiled search, but for what is replaced."""

    changes: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args, **options):
        self.inner = HONEST(*args, **options)

    def __getattr__(self, name):
        value = getattr(self.inner, name)
        return self.changes[name](value) if name in self.changes else value


def another_tree(on):
    """Of the arcs between five words, those of the chain from the root."""
    return 6 * np.arange(len(on))


def low_bound(value):
    return value - 2.0


def no_tree(on):
    """Words 1 and 2 head one another."""
    return np.array([1, 6, 13, 19, 20])[: len(on)]


@needs_compiled
@pytest.mark.parametrize(
    "changes",
    [
        {"on": another_tree},
        {"on": no_tree},
        {"value": lambda value: value + 5.0},
        {"bound": low_bound},
        {"on": another_tree, "bound": lambda bound: bound - 50.0},
        {"record": lambda record: lambda: {**record(), "values": 0.0 * record()["values"]}},
    ],
    ids=["another tree", "no tree", "value", "bound", "tree and bound", "multipliers"],
)
@examples(10)
@given(rng=generators())
def test_a_lying_kernel(rng, changes):
    problem = sentence(rng)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "NodeSearch", type("Lying", (LyingSearch,), {"changes": changes}))
        caught(problem, lambda: gapless.solve(problem, "split-bound"))


@pytest.mark.parametrize(
    "changes",
    [
        {"on": another_tree},
        {"on": no_tree},
        {"value": lambda value: value + 3.0},
        {"on": another_tree, "bound": lambda bound: bound - 50.0},
    ],
    ids=["another tree", "no tree", "value", "tree and bound"],
)
@seeing("noticed")
@examples(10)
@given(rng=generators())
def test_a_kernel_that_lies_about_parts_of_a_list(seen, rng, changes):
    """The first search is honest: what the parts around its tree return is checked by itself."""

    def honest_once(*args, **options):
        lying = not options["keep_proof"]
        return type("Lying", (LyingSearch,), {"changes": changes if lying else {}})(*args, **options)

    problem = sentence(rng)
    scores = best_scores(problem)[:3]
    failed = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "NodeSearch", honest_once)
        try:
            result = gapless.solve(problem, "split-bound", k=3)
        except SolveError as error:
            failed, result = error, error.result
    seen["noticed"] += failed is not None
    best = scores[:1] if failed else scores
    assert [s.value for s in result.solutions][: len(best)] == pytest.approx(best)


@pytest.mark.parametrize("projective", [False, True])
def test_a_lower_bound_than_was_proved(projective):
    problem = sentence(np.random.default_rng(7), projective)
    result = Result.from_json(gapless.solve(problem, "split-bound").to_json())
    heads, scores = tree_scores(problem)
    worse = problem.tree(heads[scores.argmin()])
    forged = Result.of(
        problem, [worse], problem.value(worse), gapless.Stop.PROVED, certificate=result.certificate, method="x"
    )
    assert forged.proved
    assert not forged.verify(problem)
