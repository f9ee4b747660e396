"""Slacks that are rounding, and slacks that nobody claimed."""

import numpy as np
import pytest

import gapless
from gapless import Status
from gapless.column_generation import branch_and_price
from gapless.roles import (
    Batch,
    Columns,
    Decisions,
    Formulation,
    Generator,
    GeneratorResult,
    MissingBound,
    Rows,
    Sparse,
)
from gapless.scip import branch_price_and_cut


class Nothing(gapless.Problem):
    """One thing, of which five are wanted."""

    decisions = Decisions(1)

    def value(self, structure):
        return -float(len(structure))

    def violations(self, structure):
        return ["five are wanted"]

    def encode(self, structure):
        return np.array(structure, np.int64)

    def decode(self, on_ids):
        return tuple(on_ids.tolist())


class Noisy(Generator):
    """Finds nothing, and cannot tell that from a gain of rounding."""

    def __init__(self, bound):
        self.bound = bound

    def query(self, view, *, limit=None):
        return GeneratorResult(pricing_gap=0.0 if view.objective_weight else self.bound(view))


THING = Columns([0], [-1.0], Sparse.from_rows([[0]], [[1.0]]), Sparse.from_rows([[0]]), [1.0])
WHOLE = Batch(THING, Rows([0], [5.0], [np.inf]))


@pytest.mark.parametrize("tree", [branch_and_price, branch_price_and_cut])
@pytest.mark.parametrize(
    "bound", [lambda view: 5e-17, lambda view: view.farley(4e-16), lambda view: view.lagrangian(4e-16, 1)]
)
def test_rounding_repairs_no_infeasible_master(tree, bound):
    result = tree(Nothing(), Formulation(WHOLE, [Noisy(bound)]))
    assert result.status is Status.INFEASIBLE
    assert result.stats.nodes <= 1


def test_answer_without_a_slack_claims_nothing():
    for batch in (Batch(THING), Batch(rows=Rows([0], [5.0], [np.inf])), Batch()):
        assert GeneratorResult(batch).pricing_gap is None
        assert GeneratorResult(batch, pricing_gap=0.0).pricing_gap == 0.0


class Misses(Generator):
    """A heuristic that finds nothing, although the thing would be worth having, and does not say what it proved."""

    def query(self, view, *, limit=None):
        return GeneratorResult()


@pytest.mark.parametrize("tree", [branch_and_price, branch_price_and_cut])
def test_answer_without_a_claim_proves_no_optimum(tree):
    """It used to claim that nothing is missing, from which wrong optima were proved."""
    with pytest.raises(MissingBound, match="Misses returned nothing and claimed no pricing gap") as caught:
        tree(Nothing(), Formulation(Batch(), [Misses()]))
    assert not caught.value.result.proved
    assert "finding nothing proves nothing" in str(caught.value)
    assert "if nothing is missing" not in str(caught.value), "no invitation to a claim that nobody proved"


@pytest.mark.parametrize("tree", [branch_and_price, branch_price_and_cut])
def test_limits_are_taken_for_a_budget(tree):
    result = tree(Nothing(), Formulation(WHOLE), gapless.Limits(time=0))
    assert result.stop is gapless.Stop.TIME
