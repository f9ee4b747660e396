"""The record of a search: its nodes, what was fixed in them, and the multipliers that prove it, as arrays."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless.core.sparse import FloatArray, IntArray
from gapless.engine.forms import Layout

ENUMERATED = "enumerated"
"""In the place of a leaf's multipliers: everything left was looked at."""
Evidence = FloatArray | str | None
"""Multipliers, `ENUMERATED`, or nothing where the fixings leave nothing or nothing was bounded yet."""


@attrs.define(eq=False)
class Record:
    """Nodes in the order in which they were made, each after its parent.

    Attributes
    ----------
    branches : list of (parent, decision, on)
    leaves : list of Evidence
        What bounds each node.
    fixings : list of (node, multipliers, decisions off)
    """

    branches: list[tuple[int, int, bool]] = attrs.Factory(list)
    leaves: list[Evidence] = attrs.Factory(list)
    fixings: list[tuple[int, FloatArray, IntArray]] = attrs.Factory(list)

    def node(self, parent: int, decision: int, on: bool) -> int:
        """A new node, by its number."""
        self.branches.append((parent, decision, on))
        self.leaves.append(None)
        return len(self.leaves) - 1

    def cut(self) -> None:
        """Forget all but the root and what it has fixed."""
        del self.branches[1:], self.leaves[1:]
        self.leaves[0] = None
        self.fixings = [fixing for fixing in self.fixings if fixing[0] == 0]

    def arrays(self, layout: Layout, leaves: dict[int, Evidence], *, sparse: bool) -> dict[str, Any]:
        """As ``gapless_kernels.search`` describes it; `leaves`: evidence of the nodes that are still open."""
        evidence = [leaves.get(number, held) for number, held in enumerate(self.leaves)]
        rows: dict[int, int] = {}
        held: list[FloatArray] = []
        for multipliers in [*evidence, *(fixing[1] for fixing in self.fixings)]:
            if isinstance(multipliers, np.ndarray) and id(multipliers) not in rows:
                rows[id(multipliers)] = len(held)
                held.append(multipliers)

        def row(multipliers: Evidence) -> int:
            if isinstance(multipliers, np.ndarray):
                return rows[id(multipliers)]
            return -2 if multipliers == ENUMERATED else -1

        branches = np.array(self.branches, np.int64).reshape(-1, 3)
        ends = np.cumsum([0, *(off.size for _, _, off in self.fixings)])
        return {
            "parent": branches[:, 0].copy(),
            "decision": branches[:, 1].copy(),
            "on": branches[:, 2].astype(bool),
            "multipliers_at": np.array([row(multipliers) for multipliers in evidence], np.int64),
            "step_node": np.array([node for node, _, _ in self.fixings], np.int64),
            "step_multipliers": np.array([row(multipliers) for _, multipliers, _ in self.fixings], np.int64),
            "step_first": ends.astype(np.int64),
            "off": np.concatenate([np.zeros(0, np.int64), *(off for _, _, off in self.fixings)]),
            "grouped": layout.starred,
            **(_nonzero(layout, held) if sparse else _all(layout, held)),
        }


def _nonzero(layout: Layout, held: list[FloatArray]) -> dict[str, Any]:
    """For each set of multipliers, the slots of those that are not 0, and these; charges are negative."""
    sets = []
    for multipliers in held:
        values = multipliers.copy()
        for shared in layout.shared:
            charges = shared.scores < 0.0
            values[shared.slots[charges]] = 0.0
            values[shared.slots[charges, 0]] = -multipliers[shared.slots[charges, 0]]
        places = np.flatnonzero(values)
        sets.append((places, values[places]))
    return {"multipliers": sets}


def _all(layout: Layout, held: list[FloatArray]) -> dict[str, Any]:
    """Multipliers scope after scope: d of a cell of a star, part of a negative score, else a share each."""
    spread = ~layout.starred & (layout.given >= 0)
    first = np.zeros(layout.widths.size + 1, np.int64)
    np.cumsum(np.where(spread, layout.widths, 1), out=first[1:])
    # What the search never charges: narrow scopes count in full; those that cannot fire may have any shares.
    rest = np.where(spread, 1.0 / np.maximum(layout.widths, 1), ~layout.starred & (layout.widths == 1))
    table = np.tile(np.repeat(rest.astype(float), np.diff(first)), (len(held), 1))
    for row, multipliers in zip(table, held, strict=True):
        for star in layout.stars:
            cells = star.scopes >= 0
            row[first[star.scopes[cells]]] = star.of(multipliers)[cells]
        for shared in layout.shared:
            charges = shared.scores < 0
            row[first[shared.scopes[charges]]] = multipliers[shared.slots[charges, 0]] / -shared.scores[charges]
            spreads = ~charges
            at = first[shared.scopes[spreads]][:, None] + np.arange(shared.slots.shape[1])
            row[at] = multipliers[shared.slots[spreads]] / shared.scores[spreads][:, None]
    prices = np.array([multipliers[layout.slots :] for multipliers in held])
    return {"multiplier_first": first, "multipliers": np.hstack([table, prices]) if held else table}
