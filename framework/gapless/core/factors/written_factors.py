"""Factors in JSON: those that callables score are written as tables over the decisions of their problem."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from gapless.core import serial
from gapless.core.decisions import Decisions
from gapless.core.factor import Factor, ScoredFactor
from gapless.core.factors.conjunctions import Conjunctions
from gapless.core.factors.structure_factor import StructureFactor


@runtime_checkable
class Tabulated(Protocol):
    """A factor that can be written with a table in place of a callable."""

    def tabulated(self, decisions: Decisions) -> Factor:
        """The same factor over these decisions, made of data."""


def written_factors(problem: Any) -> list[Any] | None:
    """The factors as they stand in the file of a problem; None, and so nothing, where there are none."""
    if not len(problem.factors):
        return None
    scored: dict[int, ScoredFactor] = {id(one.factor): one for one in problem.factor_set.conjunctions}
    written = []
    for factor in problem.factors:
        if isinstance(factor, Tabulated):
            factor = factor.tabulated(problem.decisions)  # noqa: PLW2901
        elif isinstance(factor, Factor) and not serial.is_serialisable(factor):
            known = scored[id(factor)]
            factor = Conjunctions(known.scopes, known.all_scores())  # noqa: PLW2901
        written.append(factor)
    return written


KINDS = (Conjunctions, StructureFactor)
"""Known to whoever reads a problem with factors."""

WRITTEN_FACTORS = {serial.WRITTEN: written_factors}
"""Metadata of the field `factors` of a problem."""
