"""Factors over arcs in a problem of labelled arcs: an arc counts with any label."""

from __future__ import annotations

import itertools
import math
from typing import Any, ClassVar

import numpy as np

from gapless import InvalidProblem
from gapless.core.factor import name_of
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import ConfigurationFactor, Decisions, Factor, ScoredFactor
from gapless_dependency.labelled_arcs import LabelledArcs

MOST_SETS = 200_000
"""A conjunction that takes more sets of labelled arcs is refused."""


class AnyLabelSets(Factor):
    """A conjunction of arcs, once for each choice of their labels: at most one of these holds.

    Parameters
    ----------
    factor : Factor
        Over ``decisions.arcs``.
    decisions : LabelledArcs

    Raises
    ------
    InvalidProblem
        By `scopes`: more than 200,000 sets of labelled arcs.
    """

    name: ClassVar[str] = "any-label"

    def __init__(self, factor: Factor, decisions: LabelledArcs) -> None:
        self.factor = factor
        self.decisions = decisions
        self.name = name_of(factor)  # type: ignore[misc]  # messages name the factor that was given

    def scopes(self, decisions: Decisions) -> IntArray:
        """Sets of labelled arcs, int64 (sets, width)."""
        arcs = self.decisions
        plain = ScoredFactor(self.factor, arcs.arcs).scopes
        if not len(plain):
            return np.zeros((0, 1), np.int64)
        numbers = np.argsort(arcs.arc, kind="stable")
        members = np.split(numbers, np.cumsum(np.bincount(arcs.arc, minlength=arcs.arcs.count))[:-1])
        sizes = np.array([group.size for group in members], np.float64)
        total = float(np.prod(sizes[plain], axis=1).sum())
        if total > MOST_SETS:
            raise InvalidProblem(
                f"factor {self.name} takes {total:.0f} sets of labelled arcs, more than {MOST_SETS}: leave out "
                "labels or heads (scores of -inf), or write a factor over the labels that matter"
            )
        return np.array(
            [row for scope in plain.tolist() for row in itertools.product(*(members[a] for a in scope))]
        )

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """That of the arcs."""
        return self.factor.score(self.decisions.arc[scopes], self.decisions.arcs)

    def upper_bound(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """That of the arcs."""
        return self.factor.upper_bound(self.decisions.arc[scopes], self.decisions.arcs)

    @property
    def bounded(self) -> bool:
        """As the factor."""
        return self.factor.bounded


class AnyLabel(ConfigurationFactor):
    """A factor over configurations of arcs: an arc is on when one of its labels is.

    Parameters
    ----------
    factor : ConfigurationFactor
        Over ``decisions.arcs``.
    decisions : LabelledArcs
    """

    name: ClassVar[str] = "any-label"

    def __init__(self, factor: ConfigurationFactor, decisions: LabelledArcs) -> None:
        self.factor = factor.over(decisions.arcs)
        self.name = name_of(factor)  # type: ignore[misc]  # messages name the factor that was given
        plain = np.asarray(factor.scope(decisions.arcs), np.int64)
        place = np.full(decisions.arcs.count, -1)
        place[plain] = np.arange(plain.size)
        self._scope = np.flatnonzero(place[decisions.arc] >= 0)
        self._arc: IntArray = place[decisions.arc[self._scope]]
        self._count = plain.size

    def scope(self, decisions: Decisions) -> IntArray:
        """All labels of the factor's arcs, ascending."""
        return self._scope

    def value(self, on: BoolArray) -> float:
        """That of the arcs that are on."""
        held = np.zeros(self._count, bool)
        held[self._arc[on]] = True
        return float(self.factor.value(held))

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """An arc that is on takes all its labels of positive weight, or else its best one."""
        top, gains = np.full(self._count, -math.inf), np.zeros(self._count)
        np.maximum.at(top, self._arc, weights)
        np.add.at(gains, self._arc, np.maximum(weights, 0.0))
        value, held = self.factor.best(np.where(top > 0.0, gains, top))
        on = held[self._arc] & (weights > 0.0)
        for arc in np.flatnonzero(held & (top <= 0.0)).tolist():
            labels = np.flatnonzero(self._arc == arc)
            on[labels[weights[labels].argmax()]] = True
        return value, on


def any_label(factor: Any, decisions: LabelledArcs) -> Factor | ConfigurationFactor:
    """A factor over arcs, each of which counts with any label."""
    if isinstance(factor, ConfigurationFactor):
        return AnyLabel(factor, decisions)
    return AnyLabelSets(factor, decisions)
