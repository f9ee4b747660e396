"""Batches of several generators that enter together, and the message when nothing was new."""

import numpy as np
import pytest

from gapless.column_generation.batch_entry import compatible, enter_batches
from gapless.roles import Batch, Columns, Formulation, Generator, GeneratorResult, MissingBound, Rows, Sparse

COLUMNS = Batch(Columns([1], [1.0], Sparse.empty(1), Sparse.empty(1)))
OTHER_COLUMNS = Batch(Columns([2], [1.0], Sparse.empty(1), Sparse.empty(1)))
OVER_COLUMNS = Batch(rows=Rows([3], [0.0], [1.0]))
OVER_QUANTITIES = Batch(rows=Rows([4], [0.0], [1.0], uses=Sparse.from_rows([[0]])))
BOTH = Batch(Columns([5], [1.0], Sparse.empty(1), Sparse.empty(1)), OVER_COLUMNS.rows)
BOTH_OVER_QUANTITIES = Batch(OTHER_COLUMNS.columns, OVER_QUANTITIES.rows)
MIXED_ROWS = Batch(rows=Rows([3, 4], [0.0, 0.0], [1.0, 1.0], uses=Sparse.from_rows([[], [0]])))


def names(batches):
    known = {id(v): k for k, v in globals().items() if isinstance(v, Batch)}
    return [known[id(b)] for b in batches]


@pytest.mark.parametrize(
    ("together", "waiting"),
    [
        ([COLUMNS, OTHER_COLUMNS], []),
        ([OVER_COLUMNS, OVER_QUANTITIES], []),
        ([COLUMNS], [OVER_COLUMNS]),
        ([COLUMNS, OVER_QUANTITIES], []),
        ([OVER_QUANTITIES, BOTH_OVER_QUANTITIES, COLUMNS], []),
        ([COLUMNS, OTHER_COLUMNS, OVER_QUANTITIES], [OVER_COLUMNS]),
        ([COLUMNS], [MIXED_ROWS]),
        ([BOTH], [COLUMNS]),
        ([COLUMNS, OVER_QUANTITIES], [BOTH]),
        ([BOTH], []),
        ([BOTH, OVER_QUANTITIES], [BOTH_OVER_QUANTITIES]),
    ],
    ids=lambda batches: "+".join(names(batches)) or "none",
)
def test_rows_without_the_entries_of_columns_wait(together, waiting):
    now, later = compatible([GeneratorResult(b) for b in [*together, Batch(), *waiting]])
    assert (names(now), names(later)) == (names(together), names(waiting))


def test_what_waited_for_columns_that_were_known_enters_at_once():
    seen = []

    def extend(batch):
        seen.append(batch)
        return len(batch.rows)

    added, batches = enter_batches(
        [GeneratorResult(COLUMNS), GeneratorResult(OVER_COLUMNS), GeneratorResult(MIXED_ROWS)], extend
    )
    assert (added, names(batches)) == (1, ["COLUMNS", "OVER_COLUMNS"])
    assert seen == batches


class Repeats(Generator):
    """The columns that the master has."""

    def __init__(self, columns):
        self.columns = columns

    def query(self, view, *, limit=None):
        return GeneratorResult(Batch(self.columns), pricing_gap=None)


def held(upper=1.0, gain=2.5):
    return Columns([7, 8], [gain, 1.0], Sparse.empty(2), Sparse.from_rows([[0], [1]]), upper=[upper, 1.0])


def problem():
    from gapless.testing.examples import Selection  # noqa: PLC0415  a problem with two decisions, whichever

    return Selection([2.5, 1.0], np.zeros((0, 2)), [])


@pytest.mark.parametrize("driver", ["own", "scip"])
def test_columns_that_are_known_are_named_with_what_they_gain(driver):
    """At its upper bound a column gains for ever: the bound counts that, and no slack of 0 follows."""
    from gapless.column_generation import branch_and_price  # noqa: PLC0415
    from gapless.scip import branch_price_and_cut  # noqa: PLC0415

    tree = branch_and_price if driver == "own" else branch_price_and_cut
    with pytest.raises(MissingBound) as caught:
        tree(problem(), Formulation(Batch(held()), [Repeats(held())]))
    said = str(caught.value)
    assert "Repeats found nothing new and claimed no finite pricing gap" in said
    assert "column 7, reduced cost 2.5, column 8, reduced cost 1" in said
    assert "the master has all columns that were returned" in said
    assert "only separates rows states pricing_gap=0.0" in said
    assert "if nothing is missing" not in said


def test_many_known_columns_are_not_all_named():
    from gapless.column_generation.batch_entry import no_progress_message  # noqa: PLC0415  an inner function
    from gapless.testing.example_pricing import ItemGenerator, KnownItems  # noqa: PLC0415
    from gapless.testing.examples import Selection  # noqa: PLC0415

    items = Selection(np.ones(9), np.zeros((0, 9)), [])
    generator = ItemGenerator(items)
    answer = GeneratorResult(Batch(generator.columns(range(9))), pricing_gap=None)
    said = no_progress_message([generator], [answer], KnownItems(items).view())
    assert "(column 0, column 1, column 2, column 3, column 4, ...)" in said
