"""Columns whose objective is not what the problem says: named by both trees and by the kit."""

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.column_generation import branch_and_price
from gapless.column_generation.master import LinearMaster
from gapless.roles import (
    Batch,
    Columns,
    Decisions,
    Formulation,
    Generator,
    GeneratorResult,
    InconsistentBound,
    Rows,
    Sense,
    Sparse,
)
from gapless.scip import branch_price_and_cut
from gapless.testing import ConformanceError, check_generator

TREES = (branch_and_price, branch_price_and_cut)


class Boxes(gl.Problem):
    """Pack all items into the fewest boxes; a structure is a partition into some of `sets`."""

    sense = Sense.MINIMISE

    def __init__(self, count, sets, size=1.0):
        self.count, self.sets, self.size = count, [frozenset(s) for s in sets], size
        self._decisions = Decisions(len(sets), name=lambda d: f"box {sorted(self.sets[d])}")

    @property
    def decisions(self):
        return self._decisions

    def value(self, structure):
        return self.size * len(structure)

    def violations(self, structure):
        held = sorted(item for d in structure for item in self.sets[d])
        return [] if held == list(range(self.count)) else [f"the boxes hold {held}"]

    def encode(self, structure):
        return np.array(sorted(structure), np.int64)

    def decode(self, on_ids):
        return tuple(on_ids.tolist())


class BestBoxes(Generator):
    """All boxes of positive gain; a box scores `-scores[d]`."""

    def __init__(self, problem, objective):
        self.problem, self.objective = problem, np.asarray(objective, float)
        self.every = self.columns(np.arange(len(problem.sets)))

    def columns(self, keys):
        return Columns(
            100 + keys,
            self.objective[keys],
            Sparse.from_rows([sorted(self.problem.sets[k]) for k in keys]),
            Sparse.from_rows([[k] for k in keys]),
        )

    def query(self, view, *, limit=None):
        gain = view.reduced_costs(self.every)
        chosen = np.flatnonzero(gain > 1e-9)
        if not chosen.size:
            return GeneratorResult(pricing_gap=0.0)
        bound = self.problem.count * gain.max()  # no more boxes than items
        return GeneratorResult(Batch(self.columns(chosen)), pricing_gap=bound if view.objective_weight else None)


class RightPrices(BestBoxes):
    """Prices boxes by what they cost, and returns them with another objective: again and again."""

    def query(self, view, *, limit=None):
        cost = np.full(len(self.every), -self.problem.size)
        gain = view.reduced_costs(attrs.evolve(self.every, objective=cost))
        chosen = np.flatnonzero(gain > 1e-9)
        return GeneratorResult(Batch(self.columns(chosen)), pricing_gap=self.problem.count * max(gain.max(), 0.0))


SETS = [(0, 1), (1, 2), (2, 3), (0, 3), (0,), (1,), (2,), (3,), (0, 1, 2)]


def instance(wrong=(), size=1.0, sets=SETS, count=4, **more):
    """The problem and its formulation; box d scores `wrong[d]` where that is given."""
    problem = Boxes(count, sets, size)
    objective = np.full(len(sets), -size)
    for d, score in dict(wrong).items():
        objective[d] = score
    generator = BestBoxes(problem, objective)
    rows = Rows(np.arange(count), np.ones(count), np.ones(count))
    return problem, Formulation(Batch(rows=rows), [generator], **more)


@pytest.mark.parametrize("tree", TREES)
def test_a_column_that_scores_too_much_is_named(tree):
    problem, formulation = instance({1: -0.5})  # the boxes 12 and 03 make a plan of two, worth 1.5 to the master
    with pytest.raises(InconsistentBound) as error:
        tree(problem, formulation)
    said = str(error.value)
    assert "the columns of an integral master cost 1.5, but Boxes.value is 2 for the structure" in said
    assert "(objectives are scores: minus what they cost)" in said
    assert "1 x column 101 (objective -0.5)" in said
    assert "1 x column 103 (objective -1)" in said
    assert "exact=False" in said
    assert error.value.result.status is not gl.Status.OPTIMAL
    assert error.value.result.stop is gl.Stop.ERROR


@pytest.mark.parametrize("tree", TREES)
def test_a_column_that_scores_too_little_is_named(tree):
    """Every plan of two boxes needs the box 01 or the box 12, so the master says 3."""
    problem, formulation = instance({0: -2.0, 1: -2.0}, sets=SETS[:8])
    with pytest.raises(InconsistentBound) as error:
        tree(problem, formulation)
    said = str(error.value)
    assert "an integral master cost 3, but Boxes.value is 2 for the structure that they make" in said
    assert "(objective -2)" in said
    assert "It was claimed that nothing costs less than 3." in said
    assert error.value.result.status is not gl.Status.OPTIMAL


@pytest.mark.parametrize("tree", TREES)
def test_of_many_columns_the_odd_one_is_named_first(tree):
    problem, formulation = instance({17: -0.5}, sets=[(item,) for item in range(20)], count=20)
    with pytest.raises(InconsistentBound) as error:
        tree(problem, formulation)
    assert ": 1 x column 117 (objective -0.5) + 1 x column 100 (objective -1)" in str(error.value)
    assert "8 more columns" in str(error.value)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("size", [1.0, 1e-3, 1e9, 1 / 3])
def test_right_columns_raise_no_alarm(tree, size):
    problem, formulation = instance(size=size)
    result = tree(problem, formulation)
    assert result.status is gl.Status.OPTIMAL
    assert result.value == 2 * size


@pytest.mark.parametrize("tree", TREES)
def test_a_master_that_only_bounds_says_so(tree):
    """The plan is found all the same: the nodes are branched down to it."""
    problem, formulation = instance({1: -0.5}, exact=False)
    result = tree(problem, formulation)
    assert (result.status, result.value) == (gl.Status.OPTIMAL, 2.0)


@pytest.mark.parametrize("tree", TREES)
def test_a_constant_that_is_wrong_is_named(tree):
    problem, formulation = instance(constant=0.25)
    with pytest.raises(InconsistentBound, match=r"the constant 0\.25"):
        tree(problem, formulation)


def kit(formulation, problem):
    check_generator(formulation.generators[0], lambda: LinearMaster(problem, formulation), problem)


@pytest.mark.parametrize("d", range(len(SETS)))
def test_the_kit_names_any_column_that_scores_too_much(d):
    problem, formulation = instance({d: -0.5})
    with pytest.raises(ConformanceError) as error:
        kit(formulation, problem)
    assert error.value.rule == "an integral master scores what the problem says"
    assert f"column {100 + d} (objective -0.5)" in str(error.value)


def test_the_kit_accepts_right_columns():
    kit(*reversed(instance()))


@pytest.mark.parametrize("dear", [1e-3, 1.0, 30.0])
def test_the_kit_finds_columns_that_are_too_dear_for_their_own_pricing(dear):
    problem, _ = instance()
    objective = np.full(len(SETS), -1.0)
    check_generator(RightPrices(problem, objective), lambda: master(problem, objective), problem)
    with pytest.raises(ConformanceError, match="columns score what the problem says"):
        check_generator(RightPrices(problem, objective - dear), lambda: master(problem, objective), problem)


def master(problem, objective):
    rows = Rows(np.arange(problem.count), np.ones(problem.count), np.ones(problem.count))
    return LinearMaster(problem, Formulation(Batch(rows=rows), [RightPrices(problem, objective)]))
