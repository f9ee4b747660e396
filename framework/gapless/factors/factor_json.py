"""Factors in JSON: factors that score by callables are written as tables over the decisions of their problem."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from gapless.arrays import serial
from gapless.decisions.decisions import Decisions
from gapless.factors.conjunctions import Conjunctions
from gapless.factors.factor import Factor, ScoredFactor
from gapless.factors.structure_factor import StructureFactor


@runtime_checkable
class SupportsTabulation(Protocol):
    """A factor that can be written with a table in place of a callable."""

    def tabulated(self, decisions: Decisions) -> Factor:
        """Return the same factor over these decisions, made of data."""


def written_factors(problem: Any) -> list[Any] | None:
    """Return the factors as they are written to the file of a problem; None, which omits them, without factors."""
    if not len(problem.factors):
        return None
    scored: dict[int, ScoredFactor] = {id(scored.factor): scored for scored in problem.factor_set.conjunctions}
    written = []
    for factor in problem.factors:
        if isinstance(factor, SupportsTabulation):
            factor = factor.tabulated(problem.decisions)  # noqa: PLW2901
        elif isinstance(factor, Factor) and not serial.is_serialisable(factor):
            # A class that no reader can import: its scopes and scores say the same as a table.
            conjunction = scored[id(factor)]
            factor = Conjunctions(conjunction.scopes, conjunction.all_scores())  # noqa: PLW2901
        written.append(factor)
    return written


KINDS = (Conjunctions, StructureFactor)
"""Classes that are imported, and so registered, wherever a problem with factors is read."""

WRITTEN_FACTORS = {serial.WRITTEN: written_factors}
"""Metadata of the field `factors` of a problem."""
