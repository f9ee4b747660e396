"""Factors over arcs in a problem of labelled arcs: an arc counts with any label."""

from __future__ import annotations

import itertools
import math
from typing import Any, ClassVar

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.factors.error_notes import factor_name
from gapless.roles import ConfigurationFactor, Decisions, Factor, ScoredFactor
from gapless_dependency.arcs import LabelledArcs

MOST_SETS = 200_000
"""Limit on the sets of labelled arcs of one conjunction."""


class AnyLabelSets(Factor):
    """A conjunction of arcs, once for each choice of their labels: at most one of these fires.

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
        self.name = factor_name(factor)  # type: ignore[misc]  # messages name the factor that was given

    def scopes(self, decisions: Decisions) -> IntArray:
        """List the sets of labelled arcs, int64 (sets, width)."""
        arcs = self.decisions
        plain = ScoredFactor(self.factor, arcs.arcs).scopes
        if not len(plain):
            return np.zeros((0, 1), np.int64)
        numbers = np.argsort(arcs.arc, kind="stable")
        members = np.split(numbers, np.cumsum(np.bincount(arcs.arc, minlength=arcs.arcs.count))[:-1])
        sizes = np.array([group.size for group in members], np.float64)
        # Counted before they are listed: the product over labels grows quickly.
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
        """Return the value for the arcs."""
        return self.factor.score(self.decisions.arc[scopes], self.decisions.arcs)

    def upper_bound(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Return the value for the arcs."""
        return self.factor.upper_bound(self.decisions.arc[scopes], self.decisions.arcs)

    @property
    def bounded(self) -> bool:
        """Whether the factor has bounds."""
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
        self.name = factor_name(factor)  # type: ignore[misc]  # messages name the factor that was given
        plain = np.asarray(factor.scope(decisions.arcs), np.int64)
        index = np.full(decisions.arcs.count, -1)
        index[plain] = np.arange(plain.size)
        self._scope = np.flatnonzero(index[decisions.arc] >= 0)
        self._arc: IntArray = index[decisions.arc[self._scope]]
        self._count = plain.size

    def scope(self, decisions: Decisions) -> IntArray:
        """Return all labels of the factor's arcs, ascending."""
        return self._scope

    def value(self, on: BoolArray) -> float:
        """Return the value of the arcs that have a label on."""
        arcs_on = np.zeros(self._count, bool)
        arcs_on[self._arc[on]] = True
        return float(self.factor.value(arcs_on))

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Call `best` over arcs: an arc that is on takes all labels of positive weight, or its best label."""
        # A configuration is any set of labelled arcs; that a word has one label is not this factor's concern.
        top, gains = np.full(self._count, -math.inf), np.zeros(self._count)
        np.maximum.at(top, self._arc, weights)
        np.add.at(gains, self._arc, np.maximum(weights, 0.0))
        value, arcs_on = self.factor.best(np.where(top > 0.0, gains, top))
        on = arcs_on[self._arc] & (weights > 0.0)
        for arc in np.flatnonzero(arcs_on & (top <= 0.0)).tolist():
            labels = np.flatnonzero(self._arc == arc)
            on[labels[weights[labels].argmax()]] = True
        return value, on


def any_label(factor: Any, decisions: LabelledArcs) -> Factor | ConfigurationFactor:
    """Return a factor over arcs as one over labelled arcs: an arc counts with any label."""
    if isinstance(factor, ConfigurationFactor):
        return AnyLabel(factor, decisions)
    return AnyLabelSets(factor, decisions)
