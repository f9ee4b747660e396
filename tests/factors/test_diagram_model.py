"""The flow of a diagram: a linear program that SciPy's HiGHS solves finds the best configuration."""

import numpy as np
import pytest
from diagrams import configurations, drawn_diagram, plain_value
from drawn import examples, generators, seeing
from hypothesis import given
from scipy.optimize import linprog

from gapless.factors import Budget
from gapless.factors.diagrams.diagram_model import diagram_model
from gapless.roles import Decisions


def solved(flow, weights, fixed=None):
    """The maximum of scores and weights over the flow; -inf where there is none."""
    edges = flow.scores.size
    columns = edges + weights.size
    dense = np.zeros((len(flow.rows), columns))
    dense[flow.rows.row_numbers(), flow.rows.indices] = flow.rows.values
    bounds = [(0, 1)] * edges + ([(0, 1)] * weights.size if fixed is None else [(v, v) for v in fixed])
    if not columns:
        return 0.0 if not flow.right.any() else -np.inf
    found = linprog(
        -np.concatenate([flow.scores, weights]), A_eq=dense, b_eq=flow.right, bounds=bounds, method="highs"
    )
    return -found.fun if found.status == 0 else -np.inf


@seeing("found", "nothing")
@examples(25)
@given(rng=generators())
def test_the_linear_program_alone_finds_the_best(seen, rng):
    factor, decisions = drawn_diagram(rng, most=6)
    scope = factor.scope(decisions)
    flow = diagram_model(factor, decisions)
    assert flow.scope.tolist() == scope.tolist()
    weights = np.asarray(rng.integers(-2, 3, scope.size), float).reshape(scope.size)
    every = configurations(scope.size)
    values = [plain_value(factor, decisions, on) for on in every]
    best = max(value + float(weights[on].sum()) for on, value in zip(every, values, strict=True))
    assert solved(flow, weights) == pytest.approx(best, abs=1e-9)
    one = int(rng.integers(len(every)))
    assert solved(flow, np.zeros(scope.size), every[one].astype(float)) == pytest.approx(values[one], abs=1e-9)
    seen["found" if best > -np.inf else "nothing"] += 1


def test_a_relaxed_diagram_has_no_rows():
    class Small(Budget):
        limit = 30

    with pytest.raises(
        NotImplementedError, match="factor budget: its diagram is relaxed, as it has more than 30 nodes"
    ):
        diagram_model(Small(range(9), np.arange(9) + 0.5, 20), Decisions(9))


def test_rows_over_the_columns_of_a_larger_model():
    flow = diagram_model(Budget((1, 3), [1, 1], 1), Decisions(4))
    edges = flow.scores.size
    rows = flow.row_columns(100 + np.arange(edges), np.array([50, 51, 52, 53]))
    used = set(rows.indices.tolist())
    assert used == {*range(100, 100 + edges), 51, 53}
