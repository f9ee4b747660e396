"""A diagram as rows of a linear program: one unit of flow from the first node to an end."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray, Sparse
from gapless.decisions.decisions import Decisions
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.error_notes import factor_name


@attrs.frozen(eq=False)
class DiagramModel:
    """Columns for edges, and rows over them and the decisions of the scope.

    For every 0/1 choice of the decisions, the factor's value is the largest ``scores @ flow`` over the nonnegative
    flows that satisfy the rows; if there are none, the value is -inf. No rows over this factor alone are tighter:
    flows are mixtures of paths.

    Parameters
    ----------
    scores : float64 (edges,)
    rows : Sparse
        Column e is edge e; column ``edges + i`` is the decision ``scope[i]``.
    right : float64 (rows,)
        Every row is an equation.
    scope : int64 (count,)
    """

    scores: FloatArray
    rows: Sparse
    right: FloatArray
    scope: IntArray

    def row_columns(self, edge_columns: IntArray, decision_columns: IntArray) -> Sparse:
        """Renumber the columns of the rows for a larger model, given its columns of edges and decisions."""
        columns = np.concatenate([edge_columns, np.asarray(decision_columns)[self.scope]])
        return Sparse(self.rows.indptr, columns[self.rows.indices], self.rows.values)


def diagram_model(factor: DecisionDiagram, decisions: Decisions) -> DiagramModel:
    """Write a diagram as a flow over its layered graph.

    One unit leaves the first node; as much leaves every other node as enters it, at an end by an edge that has the
    score of the end; the edges that turn a decision on carry as much as the decision (Behle, *Binary Decision
    Diagrams and Integer Programming*, 2007).

    Raises
    ------
    NotImplementedError
        The diagram is relaxed: its paths score more than configurations.
    """
    graph = factor.graph(decisions)
    if graph.relaxed:
        raise NotImplementedError(
            f"factor {factor_name(factor)}: its diagram is relaxed, as it has more than {factor.limit} nodes, and "
            "cannot be written as rows; raise its `limit`"
        )
    tails, heads, indices, scores = graph.edges()
    ends = graph.nodes + 1 - graph.final.size + np.arange(graph.final.size)
    scores = np.concatenate([scores, graph.final])
    edges = scores.size
    # Row 0: the unit that leaves. Rows 1 to nodes - 1: the nodes after the first. Then the decisions.
    inner = max(0, graph.nodes - 1)
    out = np.concatenate([tails, ends])  # node 1 is the first one: its edges fill row 0
    turning_on = np.flatnonzero(indices >= 0)
    count = graph.count
    row = np.concatenate([out - 1, heads - 1, 1 + inner + indices[turning_on], 1 + inner + np.arange(count)])
    column = np.concatenate([np.arange(edges), np.arange(tails.size), turning_on, edges + np.arange(count)])
    value = np.concatenate([np.ones(edges), -np.ones(tails.size), np.ones(turning_on.size), -np.ones(count)])
    order = np.lexsort((column, row))
    rows = 1 + inner + count
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))])
    right = np.zeros(rows)
    right[0] = 1.0  # if no configuration is allowed, the row is empty: infeasible, as it should be
    return DiagramModel(scores, Sparse(indptr, column[order], value[order]), right, factor.scope(decisions))
