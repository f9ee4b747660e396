"""Parsing as one mixed-integer program: the monolithic model, for export and as an independent judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless.core.diagram_model import diagram_model
from gapless.core.sparse import FloatArray, IntArray
from gapless.roles import ConfigurationFactor, Diagram, LinearModel, ScoredFactor, Sparse
from gapless_dependency.arcs import Arcs
from gapless_dependency.factors.linear_form import HasLinearForm


class _Rows:
    """Columns and sparse rows, collected one after another."""

    def __init__(self) -> None:
        self.objective: list[float] = []
        self.upper: list[float] = []
        self.integer: list[bool] = []
        self.indices: list[IntArray] = []
        self.values: list[FloatArray] = []
        self.lower: list[float] = []
        self.limit: list[float] = []

    def columns(self, objective: FloatArray, upper: FloatArray, integer: bool) -> IntArray:
        first = len(self.objective)
        self.objective += objective.tolist()
        self.upper += upper.tolist()
        self.integer += [integer] * objective.size
        return np.arange(first, first + objective.size)

    def row(self, indices: IntArray, values: FloatArray | float, lower: float, limit: float) -> None:
        self.indices.append(indices)
        self.values.append(np.broadcast_to(np.asarray(values, np.float64), indices.shape))
        self.lower.append(lower)
        self.limit.append(limit)


def integer_program(
    arcs: Arcs,
    arc_weights: FloatArray,
    conjunctions: Sequence[ScoredFactor],
    configurations: Sequence[tuple[ConfigurationFactor, IntArray]],
    projective: bool,
    single_root: bool,
) -> LinearModel:
    """Columns for arcs, flow and factors; rows that make the arcs a tree and the factors agree with them.

    - Every word has one arc; the root has one, or one or more.
    - No cycles: the root sends a unit of flow to every word, along arcs that are on (Martins, Smith, Xing, Concise
      Integer Linear Programming Formulations for Dependency Parsing, 2009, section 3.2, single commodity).
    - Projective: a word strictly between the ends of an arc that is on has its head between them, ends included.
      That suffices: going up from such a word one stays there until one meets an end, so the head of the arc is
      above.
    - A conjunction of r arcs with a positive score is at most each of them; with a negative one at least their sum
      less r - 1 (Qian and Liu 2013, section 3.2); one that is -inf has that sum at most r - 1.
    - Diagrams are flows over their layered graphs; other factors bring their own `LinearForm`.

    Raises `NotImplementedError`: a `ConfigurationFactor` that is no diagram, without ``linear_form``.
    """
    rows = _Rows()
    decisions = rows.columns(arc_weights, np.ones(arcs.count), integer=True)
    _tree_rows(rows, arcs, single_root)
    if projective:
        _projective_rows(rows, arcs)
    for scored in conjunctions:
        _conjunction_rows(rows, scored)
    for factor, scope in configurations:
        _configuration_rows(rows, factor, scope, arcs)
    lengths = [indices.size for indices in rows.indices]
    return LinearModel(
        objective=np.array(rows.objective),
        column_lower=np.zeros(len(rows.objective)),
        column_upper=np.array(rows.upper),
        integer=np.array(rows.integer),
        rows=Sparse(
            np.concatenate([[0], np.cumsum(lengths)]), np.concatenate(rows.indices), np.concatenate(rows.values)
        ),
        row_lower=np.array(rows.lower),
        row_upper=np.array(rows.limit),
        decision_columns=decisions,
    )


def _tree_rows(rows: _Rows, arcs: Arcs, single_root: bool) -> None:
    n = arcs.length
    flow = rows.columns(np.zeros(arcs.count), np.full(arcs.count, float(n)), integer=False)
    for word in range(1, n + 1):
        into = np.arange(arcs.first[word], arcs.first[word + 1])
        rows.row(into, 1.0, 1.0, 1.0)
        out = np.flatnonzero(arcs.heads == word)
        signs = np.concatenate([np.ones(into.size), -np.ones(out.size)])
        rows.row(flow[np.concatenate([into, out])], signs, 1.0, 1.0)
    rows.row(np.flatnonzero(arcs.heads == 0), 1.0, 1.0, 1.0 if single_root else float(n))
    for arc in range(arcs.count):
        rows.row(np.array([arc, flow[arc]]), np.array([-float(n), 1.0]), -np.inf, 0.0)


def _projective_rows(rows: _Rows, arcs: Arcs) -> None:
    left, right = np.minimum(arcs.heads, arcs.modifiers), np.maximum(arcs.heads, arcs.modifiers)
    for arc, (start, stop) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        for word in range(start + 1, stop):
            into = np.arange(arcs.first[word], arcs.first[word + 1])
            outside = into[(arcs.heads[into] < start) | (arcs.heads[into] > stop)]
            if outside.size:
                rows.row(np.append(outside, arc), 1.0, -np.inf, 1.0)


def _conjunction_rows(rows: _Rows, scored: ScoredFactor) -> None:
    scores = scored.scores(np.arange(len(scored.scopes)))
    for scope in scored.scopes[scores == -np.inf]:
        rows.row(scope, 1.0, -np.inf, scope.size - 1.0)
    some = np.flatnonzero((scores > -np.inf) & (scores != 0))
    columns = rows.columns(scores[some], np.ones(some.size), integer=False)
    for column, scope, score in zip(columns.tolist(), scored.scopes[some], scores[some].tolist(), strict=True):
        if score > 0:
            for arc in scope.tolist():
                rows.row(np.array([column, arc]), np.array([1.0, -1.0]), -np.inf, 0.0)
        else:
            rows.row(np.append(scope, column), np.append(-np.ones(scope.size), 1.0), 1.0 - scope.size, np.inf)


def _configuration_rows(rows: _Rows, factor: ConfigurationFactor, scope: IntArray, arcs: Arcs) -> None:
    if isinstance(factor, Diagram) and not isinstance(factor, HasLinearForm):
        _diagram_rows(rows, factor, arcs)
        return
    if not isinstance(factor, HasLinearForm):
        raise NotImplementedError(
            f"factor {factor.name} cannot be written into an integer program; give {type(factor).__name__} a "
            "method linear_form(size) that returns a gapless_dependency.factors.linear_form.LinearForm"
        )
    form = factor.linear_form(scope.size)
    columns = rows.columns(form.objective, form.upper, form.integer)
    for on_scope, on_columns, lower, upper in zip(
        form.on_scope, form.on_columns, form.row_lower.tolist(), form.row_upper.tolist(), strict=True
    ):
        rows.row(np.concatenate([scope, columns]), np.concatenate([on_scope, on_columns]), lower, upper)


def _diagram_rows(rows: _Rows, factor: Diagram, arcs: Arcs) -> None:
    flow = diagram_model(factor, arcs)
    columns = rows.columns(flow.scores, np.ones(flow.scores.size), integer=False)
    own = flow.row_columns(columns, np.arange(arcs.count))
    for number, right in enumerate(flow.right.tolist()):
        indices, values = own.row(number)
        rows.row(indices, values, right, right)
