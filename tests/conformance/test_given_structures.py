"""`structures=`: checks of instances too large to enumerate, by lists of all that is feasible."""

import itertools

import numpy as np
import pytest

from gapless import InvalidProblem, Result, Stop
from gapless.roles import LinearModel, Method, MostFractional
from gapless.testing import (
    ConformanceError,
    SpaceTooLarge,
    check_brancher,
    check_generator,
    check_method,
    check_oracle,
    check_problem,
    check_relaxation,
)
from gapless.testing.example_pricing import ItemGenerator, KnownItems
from gapless.testing.examples import OptimisticBound, Selection, SelectionMaximiser

ITEMS = 18


@pytest.fixture(scope="module")
def large():
    """One item of 18 at most: 19 structures among 2^18 assignments."""
    rng = np.random.default_rng(3)
    return Selection(rng.integers(1, 9, ITEMS).astype(float), np.ones((1, ITEMS)), [1.0])


@pytest.fixture(scope="module")
def structures():
    return [chosen for size in range(2) for chosen in itertools.combinations(range(ITEMS), size)]


def best_item(problem, solve):
    """With room for one item, the best one."""
    best = (int(np.argmax(problem.worth)),)
    return Result.of(problem, [best], problem.value(best), Stop.PROVED, method=solve.method)


METHOD = Method("best-item", Selection, best_item, summary="one item")


def checks(problem):
    """Every check that enumerates, without its structures."""
    return {
        "problem": lambda **how: check_problem(problem, **how),
        "relaxation": lambda **how: check_relaxation(lambda: OptimisticBound(problem), problem, samples=3, **how),
        "brancher": lambda **how: check_brancher(
            MostFractional(), problem, OptimisticBound(problem), samples=3, **how
        ),
        "generator": lambda **how: check_generator(
            ItemGenerator(problem), lambda: KnownItems(problem), problem, samples=3, **how
        ),
        "oracle": lambda **how: check_oracle(
            ItemGenerator(problem), problem, make_restricted=lambda: KnownItems(problem), **how
        ),
        "method": lambda **how: check_method(
            METHOD, [problem], **({"structures": [how["structures"]]} if how else {})
        ),
    }


@pytest.mark.parametrize("name", ["problem", "relaxation", "brancher", "generator", "oracle", "method"])
def test_every_check_takes_a_list_of_what_is_feasible(large, structures, name):
    check = checks(large)[name]
    with pytest.raises(SpaceTooLarge, match="structures="):
        check()
    check(structures=iter(structures))


@pytest.mark.parametrize("name", ["relaxation", "brancher", "generator", "oracle", "method"])
def test_what_is_listed_is_believed_only_when_it_is_feasible(large, name):
    with pytest.raises(InvalidProblem, match=r"structures\[1\] is infeasible: capacity 0 is 1"):
        checks(large)[name](structures=[(1,), (1, 2)])


@pytest.mark.parametrize("bend", [2, 9])
def test_a_lie_is_caught_by_the_list(large, structures, bend):
    class Halves(ItemGenerator):
        def query(self, view, *, limit=None):
            answer = super().query(view, limit=limit)
            return type(answer)(answer.batch, answer.pricing_gap / bend)

    with pytest.raises(ConformanceError, match="pricing gap bounds what is missing"):
        check_generator(Halves(large), lambda: KnownItems(large), large, structures=structures)


def test_a_maximiser_ranges_over_the_list():
    """Without capacities, as that is what the maximiser knows."""
    free = Selection(np.arange(1.0, 11.0), np.zeros((0, 10)), [], (tuple(range(5)), tuple(range(5, 10))))
    pairs = [(a, b) for a in range(5) for b in range(5, 10)]
    check_oracle(SelectionMaximiser(free), free, structures=pairs)
    with pytest.raises(ConformanceError, match="max-marginal losses are exact"):
        check_oracle(SelectionMaximiser(free), free, structures=pairs[:-1])


def test_a_linear_model_is_held_against_the_list(large, structures):
    class Cuts(Selection):
        """Its model allows half an item."""

        def linear_model(self):
            model = super().linear_model()
            return LinearModel(
                model.objective,
                model.column_lower,
                model.column_upper,
                model.integer,
                model.rows,
                model.row_lower,
                np.full(1, 0.5),
                model.decision_columns,
            )

    wrong = Cuts(np.ones(ITEMS), large.weights, large.capacities)
    with pytest.raises(ConformanceError, match="linear model bounds every feasible structure"):
        check_problem(wrong, structures, json=False)


def test_there_is_one_list_for_each_problem(large, structures):
    with pytest.raises(ValueError, match="1 lists of structures for 2 problems"):
        check_method(METHOD, [large, large], structures=[structures])
