"""Factors as columns and rows of a linear model, whatever the problem."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gapless.core.decisions import Decisions
from gapless.core.diagram import Diagram
from gapless.core.diagram_model import diagram_model
from gapless.core.factor import ConfigurationFactor, ScoredFactor
from gapless.core.factors.factor_set import FactorSet
from gapless.core.factors.linear_form import HasLinearForm
from gapless.core.factors.model_rows import ModelRows
from gapless.core.model import LinearModel
from gapless.core.sparse import BoolArray, IntArray

MOST_CONFIGURATIONS = 1 << 12
"""A factor over so many possible configurations is written out; a larger one must bring its own rows."""


def with_factors(model: LinearModel, factors: FactorSet) -> LinearModel:
    """`model` with columns and rows for factors over its decisions.

    Raises `NotImplementedError`: a factor has too many configurations and no ``linear_form``.
    """
    if not factors:
        return model
    rows = ModelRows(model.objective.size)
    add_factor_rows(rows, factors, model.decision_columns)
    return rows.added_to(model)


def add_factor_rows(rows: ModelRows, factors: FactorSet, decision_columns: IntArray) -> None:
    """Columns and rows that make a model score what factors score, when its decisions are 0 or 1.

    - A conjunction of r decisions with a positive score is at most each of them; with a negative one at least their
      sum less r - 1 (Qian and Liu 2013, section 3.2); one that is -inf has that sum at most r - 1.
    - Diagrams are flows over their layered graphs.
    - Other factors bring a `LinearForm`, or are written out: one column for each configuration, of which one is
      chosen, and which agree with the decisions.

    Raises `NotImplementedError`: a factor has too many configurations and no ``linear_form``.
    """
    for scored in factors.conjunctions:
        _conjunction_rows(rows, scored, decision_columns)
    for factor, scope in factors.configurations:
        if isinstance(factor, HasLinearForm):
            _form_rows(rows, factor, decision_columns[scope])
        elif isinstance(factor, Diagram):
            _diagram_rows(rows, factor, factors.decisions, decision_columns)
        else:
            _written_out(rows, factors, factor, scope, decision_columns)


def _conjunction_rows(rows: ModelRows, scored: ScoredFactor, decision_columns: IntArray) -> None:
    scores = scored.all_scores()
    scopes = decision_columns[scored.scopes]
    for scope in scopes[scores == -np.inf]:
        rows.row(scope, 1.0, -np.inf, scope.size - 1.0)
    some = np.flatnonzero((scores > -np.inf) & (scores != 0))
    columns = rows.columns(scores[some], np.ones(some.size), integer=False)
    for column, scope, score in zip(columns.tolist(), scopes[some], scores[some].tolist(), strict=True):
        if score > 0:
            for decision in scope.tolist():
                rows.row(np.array([column, decision]), np.array([1.0, -1.0]), -np.inf, 0.0)
        else:
            rows.row(np.append(scope, column), np.append(-np.ones(scope.size), 1.0), 1.0 - scope.size, np.inf)


def _form_rows(rows: ModelRows, factor: HasLinearForm, scope: IntArray) -> None:
    form = factor.linear_form(scope.size)
    columns = rows.columns(form.objective, form.upper, form.integer)
    for on_scope, on_columns, lower, upper in zip(
        form.on_scope, form.on_columns, form.row_lower.tolist(), form.row_upper.tolist(), strict=True
    ):
        rows.row(np.concatenate([scope, columns]), np.concatenate([on_scope, on_columns]), lower, upper)


def _diagram_rows(rows: ModelRows, factor: Diagram, decisions: Decisions, decision_columns: IntArray) -> None:
    flow = diagram_model(factor, decisions)
    columns = rows.columns(flow.scores, np.ones(flow.scores.size), integer=False)
    own = flow.row_columns(columns, decision_columns)
    for number, right in enumerate(flow.right.tolist()):
        indices, values = own.row(number)
        rows.row(indices, values, right, right)


def _written_out(
    rows: ModelRows, factors: FactorSet, factor: ConfigurationFactor, scope: IntArray, decision_columns: IntArray
) -> None:
    listed = configurations(scope, factors.decisions.group_of())
    if listed is None:
        raise NotImplementedError(
            f"{factors.place(factor)} cannot be written into a linear model: it has more than "
            f"{MOST_CONFIGURATIONS} configurations. Give {type(factor).__name__} a method "
            "linear_form(size) that returns a gapless.roles.LinearForm, or make it a Diagram"
        )
    allowed = [(on, value) for on in listed if (value := factors.value_of(factor, on)) > -math.inf]
    values = np.array([value for _, value in allowed])
    columns = rows.columns(values, np.ones(len(allowed)), integer=False)
    rows.row(columns, 1.0, 1.0, 1.0)
    for place, decision in enumerate(decision_columns[scope].tolist()):
        holding = columns[[bool(on[place]) for on, _ in allowed]] if allowed else columns
        rows.row(np.append(holding, decision), np.append(np.ones(holding.size), -1.0), 0.0, 0.0)


def configurations(scope: IntArray, group_of: IntArray) -> Iterator[BoolArray] | None:
    """All configurations without two decisions of one choice group, bool (scope,); None if there are too many.

    `group_of` (int64 (decisions,)): number of each decision's choice group, -1 for none.
    """
    groups: dict[int, list[int]] = {}
    for place, decision in enumerate(scope.tolist()):
        number = int(group_of[decision])
        groups.setdefault(number if number >= 0 else -1 - place, []).append(place)
    if math.prod(len(members) + 1 for members in groups.values()) > MOST_CONFIGURATIONS:
        return None
    return _configurations(list(groups.values()), np.zeros(scope.size, bool))


def _configurations(groups: list[list[int]], on: BoolArray) -> Iterator[BoolArray]:
    if not groups:
        yield on
        return
    for chosen in (None, *groups[0]):
        more = on.copy()
        if chosen is not None:
            more[chosen] = True
        yield from _configurations(groups[1:], more)
