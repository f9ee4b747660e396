"""Parsing as one mixed-integer program: the monolithic model, for export and as an independent check."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.factors.factor_rows import add_factor_rows
from gapless.factors.factor_set import FactorSet
from gapless.factors.model_rows import ModelRows
from gapless.roles import LinearModel
from gapless_dependency.arcs import Arcs


def integer_program(
    arcs: Arcs,
    arc_weights: FloatArray,
    factors: FactorSet,
    projective: bool,
    single_root: bool,
) -> LinearModel:
    """Build columns for arcs, flow and factors, and rows that make the arcs a tree and tie the factors to them.

    - Every word has one arc; the root has one, or one or more.
    - No cycles: the root sends a unit of flow to every word, along arcs that are on (Martins, Smith, Xing, Concise
      Integer Linear Programming Formulations for Dependency Parsing, 2009, section 3.2, single commodity).
    - Projective: a word strictly between the ends of an arc that is on has its head between them, ends included.
      That suffices: the path up from such a word stays between the ends until it meets one of them, so the head
      of the arc is an ancestor of the word.
    - Factors agree with the arcs, see `add_factor_rows`.

    Raises `NotImplementedError`: a factor has too many configurations and no ``linear_form``.
    """
    rows = ModelRows()
    decisions = rows.columns(arc_weights, np.ones(arcs.count), integer=True)
    _tree_rows(rows, arcs, single_root)
    if projective:
        _projective_rows(rows, arcs)
    add_factor_rows(rows, factors, decisions)
    return rows.model(decisions)


def _tree_rows(rows: ModelRows, arcs: Arcs, single_root: bool) -> None:
    n = arcs.length
    flow = rows.columns(np.zeros(arcs.count), np.full(arcs.count, float(n)), integer=False)
    for word in range(1, n + 1):
        into = np.arange(arcs.first[word], arcs.first[word + 1])
        rows.row(into, 1.0, 1.0, 1.0)
        out = np.flatnonzero(arcs.heads == word)
        signs = np.concatenate([np.ones(into.size), -np.ones(out.size)])
        # Consume: a word keeps one of the units that enter it. With the root as the only source, that excludes
        # cycles.
        rows.row(flow[np.concatenate([into, out])], signs, 1.0, 1.0)
    rows.row(np.flatnonzero(arcs.heads == 0), 1.0, 1.0, 1.0 if single_root else float(n))
    for arc in range(arcs.count):
        # NoFlow: only an arc that is on carries flow, of at most n units.
        rows.row(np.array([arc, flow[arc]]), np.array([-float(n), 1.0]), -np.inf, 0.0)


def _projective_rows(rows: ModelRows, arcs: Arcs) -> None:
    left, right = np.minimum(arcs.heads, arcs.modifiers), np.maximum(arcs.heads, arcs.modifiers)
    for arc, (start, stop) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        for word in range(start + 1, stop):
            into = np.arange(arcs.first[word], arcs.first[word + 1])
            outside = into[(arcs.heads[into] < start) | (arcs.heads[into] > stop)]
            if outside.size:
                # All outside heads in one row with the arc: a word has one head, so together they are at most 1.
                rows.row(np.append(outside, arc), 1.0, -np.inf, 1.0)
