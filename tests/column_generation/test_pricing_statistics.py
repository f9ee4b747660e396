"""Statistics of column generation: both trees count columns, rows and questions."""

import attrs
import numpy as np
import pytest
import shifts

from gapless.column_generation import branch_and_price
from gapless.scip import branch_price_and_cut


@pytest.mark.parametrize("tree", [branch_and_price, branch_price_and_cut])
def test_statistics_count_columns_rows_and_questions(tree):
    problem = shifts.draw(np.random.default_rng(2), pairs=True)
    seen = {"questions": 0, "columns": set(), "rows": set(range(problem.jobs + 1))}

    class Counted(shifts.ShiftPricing):
        def query(self, view, *, limit=None):
            answer = super().query(view, limit=limit)
            seen["questions"] += 1
            seen["columns"].update(answer.batch.columns.keys.tolist())
            seen["rows"].update(answer.batch.rows.keys.tolist())
            return answer

    formulation = attrs.evolve(shifts.formulation(problem), generators=[Counted(problem)])
    stats = tree(problem, formulation).stats
    assert (stats.columns, stats.rows) == (len(seen["columns"]), len(seen["rows"]))
    assert stats.oracle_calls == seen["questions"] > 3
    assert stats.rows > problem.jobs + 1, "cuts are rows"
