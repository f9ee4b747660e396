"""Columns and rows of a linear model for the factors of any problem."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gapless.arrays.sparse import BoolArray, IntArray
from gapless.decisions.decisions import Decisions
from gapless.decisions.linear_model import LinearModel
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.diagrams.diagram_model import diagram_model
from gapless.factors.factor import ConfigurationFactor, ScoredFactor
from gapless.factors.factor_set import FactorSet
from gapless.factors.linear_form import SupportsLinearForm
from gapless.factors.model_rows import ModelRows

MAX_CONFIGURATIONS = 1 << 12
"""Largest number of configurations for which a factor is enumerated; a larger one must define its rows itself."""


def with_factors(model: LinearModel, factors: FactorSet) -> LinearModel:
    """Extend `model` by columns and rows for factors over its decisions.

    Raises `NotImplementedError`: a factor has too many configurations and no ``linear_form``.
    """
    if not factors:
        return model
    rows = ModelRows(model.objective.size)
    add_factor_rows(rows, factors, model.decision_columns)
    return rows.added_to(model)


def add_factor_rows(rows: ModelRows, factors: FactorSet, decision_columns: IntArray) -> None:
    """Add columns and rows so that the model scores the factors, if its decisions are 0 or 1.

    - The column of a conjunction of r decisions with a positive score is at most each of them; with a negative one
      it is at least their sum less r - 1 (Qian and Liu 2013, section 3.2); if the score is -inf, their sum is at
      most r - 1.
    - Diagrams are flows over their layered graphs.
    - Other factors define a `LinearForm`, or are enumerated: one column for each configuration, exactly one of
      which is 1, in agreement with the decisions.

    Raises `NotImplementedError`: a factor has too many configurations and no ``linear_form``.
    """
    for scored in factors.conjunctions:
        _conjunction_rows(rows, scored, decision_columns)
    for factor, scope in factors.configurations:
        if isinstance(factor, SupportsLinearForm):
            _form_rows(rows, factor, decision_columns[scope])
        elif isinstance(factor, DecisionDiagram):
            _diagram_rows(rows, factor, factors.decisions, decision_columns)
        else:
            _written_out(rows, factors, factor, scope, decision_columns)


def _conjunction_rows(rows: ModelRows, scored: ScoredFactor, decision_columns: IntArray) -> None:
    scores = scored.all_scores()
    scopes = decision_columns[scored.scopes]
    # A score of -inf cannot be an objective: the scope is cut off instead. A score of 0 needs no column.
    for scope in scopes[scores == -np.inf]:
        rows.row(scope, 1.0, -np.inf, scope.size - 1.0)
    scoring = np.flatnonzero((scores > -np.inf) & (scores != 0))
    # Not integer: once the decisions are 0 or 1, the rows leave the column one best value, 0 or 1.
    columns = rows.columns(scores[scoring], np.ones(scoring.size), integer=False)
    for column, scope, score in zip(columns.tolist(), scopes[scoring], scores[scoring].tolist(), strict=True):
        if score > 0:
            for decision in scope.tolist():
                rows.row(np.array([column, decision]), np.array([1.0, -1.0]), -np.inf, 0.0)
        else:
            rows.row(np.append(scope, column), np.append(-np.ones(scope.size), 1.0), 1.0 - scope.size, np.inf)


def _form_rows(rows: ModelRows, factor: SupportsLinearForm, scope: IntArray) -> None:
    form = factor.linear_form(scope.size)
    columns = rows.columns(form.objective, form.upper, form.integer)
    for scope_row, column_row, lower, upper in zip(
        form.scope_coefficients,
        form.column_coefficients,
        form.row_lower.tolist(),
        form.row_upper.tolist(),
        strict=True,
    ):
        rows.row(np.concatenate([scope, columns]), np.concatenate([scope_row, column_row]), lower, upper)


def _diagram_rows(
    rows: ModelRows, factor: DecisionDiagram, decisions: Decisions, decision_columns: IntArray
) -> None:
    flow = diagram_model(factor, decisions)
    columns = rows.columns(flow.scores, np.ones(flow.scores.size), integer=False)  # flows are mixtures of paths
    flow_rows = flow.row_columns(columns, decision_columns)
    for number, right in enumerate(flow.right.tolist()):
        indices, values = flow_rows.row(number)
        rows.row(indices, values, right, right)


def _written_out(
    rows: ModelRows, factors: FactorSet, factor: ConfigurationFactor, scope: IntArray, decision_columns: IntArray
) -> None:
    listed = configurations(scope, factors.decisions.group_index())
    if listed is None:
        raise NotImplementedError(
            f"{factors.place(factor)} cannot be written into a linear model: it has more than "
            f"{MAX_CONFIGURATIONS} configurations. Give {type(factor).__name__} a method "
            "linear_form(size) that returns a gapless.roles.LinearForm, or make it a DecisionDiagram"
        )
    allowed = [(on, value) for on in listed if (value := factors.value_of(factor, on)) > -math.inf]
    values = np.array([value for _, value in allowed])
    columns = rows.columns(values, np.ones(len(allowed)), integer=False)
    rows.row(columns, 1.0, 1.0, 1.0)  # without an allowed configuration an empty row: infeasible, as it should be
    for index, decision in enumerate(decision_columns[scope].tolist()):
        containing = columns[[bool(on[index]) for on, _ in allowed]] if allowed else columns
        rows.row(np.append(containing, decision), np.append(np.ones(containing.size), -1.0), 0.0, 0.0)


def configurations(scope: IntArray, group_index: IntArray) -> Iterator[BoolArray] | None:
    """Enumerate configurations without two decisions of one choice group, bool (scope,); None if too many.

    `group_index` (int64 (decisions,)): choice group of each decision, -1 for none.
    """
    groups: dict[int, list[int]] = {}
    for index, decision in enumerate(scope.tolist()):
        number = int(group_index[decision])
        groups.setdefault(number if number >= 0 else -1 - index, []).append(index)  # ungrouped: a group by itself
    if math.prod(len(members) + 1 for members in groups.values()) > MAX_CONFIGURATIONS:
        return None
    return _configurations(list(groups.values()), np.zeros(scope.size, bool))


def _configurations(groups: list[list[int]], on: BoolArray) -> Iterator[BoolArray]:
    if not groups:
        yield on
        return
    for index in (None, *groups[0]):
        extended = on.copy()
        if index is not None:
            extended[index] = True
        yield from _configurations(groups[1:], extended)
