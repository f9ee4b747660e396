"""Factors over all chains of arcs, or all modifiers of one head: listed and looked up by compiled code."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import gapless_kernels
from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.factors.factor import PrecheckedFactor
from gapless.roles import Decisions
from gapless_dependency.arcs import Arcs, as_arcs
from gapless_dependency.factors.part_factor import PartFactor


class ArcFamily(PartFactor, PrecheckedFactor):
    """A score for every set of arcs of one kind; as many arcs as `places` names positions, less one."""

    chained: ClassVar[bool]
    """If True, each arc leaves the word that the previous one enters; otherwise all leave one head."""

    def arc_sets(self, arcs: Arcs) -> IntArray:
        """List the sets of arcs, int64 (parts, width): from the topmost, by the lowest; or ascending, by head."""
        width = len(self.places) - 1
        if self.chained:
            return gapless_kernels.arc_chains(arcs.heads, arcs.modifiers, arcs.first, width)
        return gapless_kernels.arcs_of_one_head(arcs.heads, arcs.modifiers, width)

    def positions(self, scopes: IntArray, arcs: Arcs) -> tuple[IntArray, ...]:
        """Return the heads from the topmost and the last modifier; or the head and its modifiers."""
        rows = np.ascontiguousarray(scopes, np.int64)
        return tuple(gapless_kernels.part_positions(rows, arcs.heads, arcs.modifiers, self.chained))

    @property
    def ascending(self) -> bool:
        """Whether the scopes are sorted by their last arc, as chains are."""
        return self.chained

    def trusted_scopes(self, decisions: Decisions) -> IntArray | None:
        """Return the sets of arcs unless a subclass lists others."""
        # The checks that are skipped hold for the lists of the kernel only, not for a subclass of a user.
        kind = type(self)
        if kind.arc_sets is not ArcFamily.arc_sets or kind.scopes is not PartFactor.scopes:
            return None
        return self.scopes(decisions)

    def trusted_scores(self, scopes: IntArray, decisions: Decisions) -> FloatArray | None:
        """Return the scores of all sets unless a subclass scores them otherwise or one is not a valid score."""
        kind = type(self)
        if kind.positions is not ArcFamily.positions or kind.score is not PartFactor.score:
            return None
        table = self.scores.given
        # The kernel reads the table by strides of a C array; anything else takes the way of a callable.
        if not isinstance(table, np.ndarray) or not table.flags.c_contiguous:
            return self.score(scopes, decisions)
        arcs = as_arcs(decisions, self.name)
        scores, allowed = gapless_kernels.part_scores(
            table, scopes, arcs.heads, arcs.modifiers, self.chained, LARGEST
        )
        return scores if allowed else None
