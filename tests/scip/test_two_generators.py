"""One generator prices, another separates, in the same round: neither can know what the other is returning."""

import attrs
import numpy as np
import pytest

import gapless as gl
from gapless.column_generation import branch_and_price
from gapless.roles import Batch, Columns, Decisions, Formulation, Generator, GeneratorResult, Rows, Sparse
from gapless.scip import branch_price_and_cut

ITEM_1 = Columns([1], [5.0], Sparse.empty(1), Sparse.from_rows([[1]]), upper=[1.0])


@attrs.frozen(eq=False)
class Pair(gl.Problem):
    """Take item 0 (worth 1) only together with item 1 (worth 5)."""

    @property
    def decisions(self):
        return Decisions(2)

    def value(self, structure):
        return float(sum((1.0, 5.0)[i] for i in structure))

    def violations(self, structure):
        return ["item 0 needs item 1"] if 0 in structure and 1 not in structure else []

    def encode(self, structure):
        return np.array(sorted(structure), np.int64)

    def decode(self, on_ids):
        return tuple(int(i) for i in on_ids)


class PricesItem1(Generator):
    """Returns item 1 before it can have heard of the row, in which the item would have the entry -1."""

    def query(self, view, *, limit=None):
        gain = float(view.reduced_costs(ITEM_1)[0])
        if gain <= 0 or (view.point is not None and view.point[1] >= 1):
            return GeneratorResult(pricing_gap=0.0)
        return GeneratorResult(Batch(ITEM_1), pricing_gap=gain)


class SeparatesNeeds(Generator):
    """The row x0 - x1 <= 0, over the column that it knows to be there."""

    def query(self, view, *, limit=None):
        if view.point is None or view.point[0] <= view.point[1] + 1e-9:
            return GeneratorResult(pricing_gap=0.0)
        return GeneratorResult(Batch(rows=Rows([7], [-np.inf], [0.0], Sparse.from_rows([[0]]))), pricing_gap=0.0)


@pytest.mark.parametrize("driver", [branch_and_price, branch_price_and_cut])
@pytest.mark.parametrize("pricing_first", [True, False])
def test_columns_of_one_and_rows_of_another_are_not_added_at_once(driver, pricing_first):
    generators = [PricesItem1(), SeparatesNeeds()]
    item0 = Columns([0], [1.0], Sparse.empty(1), Sparse.from_rows([[0]]), upper=[1.0])
    formulation = Formulation(Batch(item0), generators if pricing_first else generators[::-1])
    result = driver(Pair(), formulation)
    assert result.status is gl.Status.OPTIMAL
    assert result.value == 6.0
