"""The record of a search as arrays: nodes, their fixings, and the multipliers that prove both."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.search.split_layout import SplitLayout

ENUMERATED = "enumerated"
"""Stands for the multipliers of a leaf that was enumerated."""
Evidence = FloatArray | str | None
"""Multipliers, `ENUMERATED`, or None if the fixings leave no structure or no bound was computed yet."""


@attrs.define(eq=False)
class NodeLog:
    """Nodes in the order of their creation, each after its parent.

    Attributes
    ----------
    branches : list of (parent, decision, on)
    leaves : list of Evidence
        Evidence of each node that was closed.
    fixings : list of (node, multipliers, decisions off)
    """

    branches: list[tuple[int, int, bool]] = attrs.Factory(list)
    leaves: list[Evidence] = attrs.Factory(list)
    fixings: list[tuple[int, FloatArray, IntArray]] = attrs.Factory(list)

    def node(self, parent: int, decision: int, on: bool) -> int:
        """Add a node and return its number."""
        self.branches.append((parent, decision, on))
        self.leaves.append(None)
        return len(self.leaves) - 1

    def reset_to_root(self) -> None:
        """Remove all nodes but the root, whose fixings stay valid."""
        del self.branches[1:], self.leaves[1:]
        self.leaves[0] = None
        self.fixings = [fixing for fixing in self.fixings if fixing[0] == 0]

    def arrays(
        self, layout: SplitLayout, leaves: dict[int, Evidence], shown: dict[int, int], prices: int
    ) -> dict[str, Any]:
        """Return the arrays of ``CompiledSearch.record``.

        `leaves`: evidence of the nodes that are still open. `shown`: the node whose fixings it holds under.
        `prices`: number of slots after those of the layout.
        """
        evidence = [leaves.get(number, closed) for number, closed in enumerate(self.leaves)]
        rows: dict[int, int] = {}
        distinct: list[FloatArray] = []
        for multipliers in [*evidence, *(fixing[1] for fixing in self.fixings)]:
            # Children inherit the arrays of their parents, so identity finds the shared ones.
            if isinstance(multipliers, np.ndarray) and id(multipliers) not in rows:
                rows[id(multipliers)] = len(distinct)
                distinct.append(multipliers)

        def row(multipliers: Evidence) -> int:
            if isinstance(multipliers, np.ndarray):
                return rows[id(multipliers)]
            return -2 if multipliers == ENUMERATED else -1

        branches = np.array(self.branches, np.int64).reshape(-1, 3)
        return {
            "parent": branches[:, 0].copy(),
            "decision": branches[:, 1].copy(),
            "on": branches[:, 2].astype(bool),
            "multipliers_at": np.array([row(multipliers) for multipliers in evidence], np.int64),
            "shown_at": np.array([shown.get(number, number) for number in range(len(evidence))], np.int64),
            "step_node": np.array([node for node, _, _ in self.fixings], np.int64),
            "step_multipliers": np.array([row(multipliers) for _, multipliers, _ in self.fixings], np.int64),
            "step_first": np.cumsum([0, *(off.size for _, _, off in self.fixings)]).astype(np.int64),
            "off": np.concatenate([np.zeros(0, np.int64), *(off for _, _, off in self.fixings)]),
            "orientation": layout.orientation,
            "alone": layout.repeated,
            **_multipliers(layout, distinct, prices),
        }


def _multipliers(layout: SplitLayout, rows: list[FloatArray], prices: int) -> dict[str, Any]:
    """The multipliers other than 0, row by row, in units of scores (decision 057); charges are negative."""
    scopes, places = layout.places()
    scale = np.ones(layout.slots)
    for shared in layout.shared:
        charges = shared.scores < 0.0
        scopes[shared.slots[charges, 1:]] = -1
        scale[shared.slots] = np.where(charges, -1.0, 1.0)[:, None]
    scopes = np.concatenate([scopes, layout.widths.size + np.arange(prices)])
    places, scale = np.concatenate([places, np.zeros(prices, np.int64)]), np.concatenate([scale, np.ones(prices)])
    used = [np.flatnonzero((multipliers != 0.0) & (scopes >= 0)) for multipliers in rows]
    all_slots = np.concatenate([np.zeros(0, np.int64), *used])
    values = [multipliers[slots] * scale[slots] for multipliers, slots in zip(rows, used, strict=True)]
    return {
        "row_first": np.cumsum([0, *map(len, used)]).astype(np.int64),
        "scopes": scopes[all_slots].astype(np.int32),
        "places": places[all_slots].astype(np.int32),
        "values": np.concatenate([np.zeros(0), *values]),
        "prices": prices,
    }
