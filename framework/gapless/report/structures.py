"""Structures on a page, drawn by a plug-in or in words, and the differences between two."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gapless.plugins.manager import load_plugins
from gapless.problems.problem import Problem
from gapless.results.record import Record

_WIDE = 460.0
_NAMED = 200
"""Limit on the decisions listed by name."""


@attrs.frozen
class StructureView:
    """Structure of a result.

    Parameters
    ----------
    place : int
        Rank, 1 for the best.
    value, loss : float
        Value, and difference from the best value.
    svg : str
        Empty when no plug-in draws it.
    wide : bool
        Whether the drawing needs the full width of a page.
    names : sequence of str
        Names of the decisions that are on; the text alternative of a drawing.
    left_out : int
        Number of decisions not listed.
    gained, lost : sequence of str
        Decisions of this structure that the best one lacks, and the reverse.
    note : str
        Reason for a missing drawing, when one was expected.
    fired : sequence of str
        Factors that score in the structure, with their scores and decisions.
    fired_left_out : int
        Number of those not listed.
    """

    place: int
    value: float
    loss: float
    svg: str
    wide: bool
    names: Sequence[str]
    left_out: int
    gained: Sequence[str]
    lost: Sequence[str]
    note: str = ""
    fired: Sequence[str] = ()
    fired_left_out: int = 0


def drawn_structures(record: Record) -> list[StructureView]:
    """Return all structures of the record's result, best first.

    The best is drawn against the right structure, if the record holds it; the others against the best.
    """
    problem, solutions = record.problem, record.result.solutions
    if not solutions:
        return []
    best = solutions[0]
    best_on = set(_on(problem, best.structure))
    right = None if isinstance(record.gold, tuple) else record.gold
    views = []
    for place, solution in enumerate(solutions, 1):
        on = _on(problem, solution.structure)
        against = best.structure if place > 1 else right
        fired = problem.factor_set.explained(np.array(on, np.int64)) if len(problem.factors) else []
        svg, wide, note = _draw(problem, solution.structure, record.words, against)
        if note and place == 1 and right is not None:  # the right answer may be names, which cannot be drawn
            svg, wide, note = _draw(problem, solution.structure, record.words, None)
        views.append(
            StructureView(
                place,
                solution.value,
                abs(best.value - solution.value),
                svg,
                wide,
                _names(problem, on[:_NAMED]),
                max(0, len(on) - _NAMED),
                _names(problem, [d for d in on if d not in best_on]),
                _names(problem, sorted(best_on - set(on))),
                note,
                fired[:_NAMED],
                max(0, len(fired) - _NAMED),
            )
        )
    return views


def _on(problem: Problem[Any], structure: Any) -> list[int]:
    return [int(d) for d in problem.encode(structure)]


def _names(problem: Problem[Any], on: Sequence[int]) -> list[str]:
    name = problem.decisions.name
    return [name(d) for d in on]


def _draw(problem: Problem[Any], structure: Any, words: Sequence[str], against: Any) -> tuple[str, bool, str]:
    """Return the drawing and whether it is wide, or the reason for its failure, which must not end the report."""
    hook = load_plugins().hook
    try:
        svg = hook.gapless_draw(problem=problem, structure=structure, words=words, against=against)
        if svg is None:
            return "", False, ""
        root = ET.fromstring(svg)  # noqa: S314  just drawn by a plug-in
        width = float(root.get("width", "0").removesuffix("px"))
    except Exception as error:
        return "", False, f"the drawing failed: {type(error).__name__}: {error}"
    if root.tag.rpartition("}")[2] != "svg":
        return "", False, f"the drawing is a <{root.tag}>, expected one <svg> element"
    return str(svg), width > _WIDE, ""
