"""The record of a search, as flat arrays, and the certificate made from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.certificates.certificate import Certificate, DeferredCertificate
from gapless.certificates.tree_certificate import Tightening, TreeCertificate
from gapless.decisions.branch import Branch
from gapless.search.layout import SearchInput

ENUMERATED = -2
"""Stands for the multipliers of a leaf that was enumerated."""


@attrs.frozen(eq=False, slots=False, kw_only=True)
class SearchRecord:
    """Nodes, fixing steps and multipliers; see ``CompiledSearch.record`` for the arrays.

    Parameters
    ----------
    orientation : int64 (factors,)
        Orientation of each conjunction, also of those without scopes.
    widths, counts : sequence of int
        Decisions in each scope, and number of scopes, of each block.
    loss : float
        Stands for a score of -inf.
    lifted : bool
        Whether charges of pairs include decisions that exclude one of the two.
    relaxed : bool
        Whether a bound may rise under more fixings, as it can with ungrouped decisions.
    evidence, enumerated
        As in `SearchInput`.
    """

    parent: IntArray
    decision: IntArray
    on: BoolArray
    multipliers_at: IntArray
    shown_at: IntArray
    step_node: IntArray
    step_multipliers: IntArray
    step_first: IntArray
    off: IntArray
    orientation: IntArray
    alone: IntArray
    row_first: IntArray
    scopes: Any
    places: Any
    values: FloatArray
    prices: int
    lifted: bool
    widths: tuple[int, ...]
    counts: tuple[int, ...]
    loss: float
    relaxed: bool
    evidence: Callable[..., Certificate]
    enumerated: Certificate

    @classmethod
    def of(cls, layout: SearchInput[Any], kernel: Any) -> SearchRecord:
        """Take the record that `kernel` kept of a search over `layout`."""
        arrays, scored = kernel.record(), layout.scored
        if len(scored) < len(layout.conjunctions):
            # The kernel knows the split conjunctions only; the certificate counts all of the problem.
            split, is_split = arrays["orientation"], set(map(id, scored))
            arrays["orientation"] = np.zeros(len(layout.conjunctions), np.int64)
            arrays["orientation"][[id(factor) in is_split for factor in layout.conjunctions]] = split
        return cls(
            **arrays,
            widths=tuple([factor.scopes.shape[1] for factor in scored]),
            counts=tuple([len(factor.scopes) for factor in scored]),
            loss=layout.loss,
            relaxed=bool((layout.decisions.group_index() < 0).any()),
            evidence=layout.evidence,
            enumerated=layout.enumerated,
        )

    @property
    def nbytes(self) -> int:
        """Size of the arrays in bytes."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def deferred(self) -> Certificate:
        """Return a certificate that is made on first use."""
        return DeferredCertificate(self.certificate)

    def certificate(self) -> Certificate:
        """Make a `TreeCertificate` with multipliers at its leaves and fixings."""
        orientation = tuple(self.orientation.tolist())
        kind = {"lifted": True} if self.lifted else {}

        def at(row: int) -> Certificate:
            places, values = self._multipliers(row)
            return self.evidence(
                orientation=orientation, multipliers=values, places=places, alone=self.alone, loss=self.loss, **kind
            )

        return self.tree(at)

    @cached_property
    def _first(self) -> IntArray:
        """First index of each scope, which has one for each decision, then those of prices; int64."""
        widths = np.repeat(np.array(self.widths, np.int64), np.array(self.counts, np.int64))
        first: IntArray = np.concatenate([[0], widths, np.ones(self.prices, np.int64)]).cumsum(dtype=np.int64)
        return first

    def _multipliers(self, row: int) -> tuple[IntArray, FloatArray]:
        """The indices and values of a row's multipliers other than 0; none for row -1."""
        entries = slice(self.row_first[row], self.row_first[row + 1]) if row >= 0 else slice(0)
        return self._first[self.scopes[entries]] + self.places[entries], self.values[entries]

    def _certificate_nodes(self) -> tuple[list[int], list[int], list[int]]:
        """The nodes of the certificate, and for each its parent among them and the row of its evidence.

        A bound need not fall under more fixings: paths are bounded by walks, which count an edge that is on each
        time they take it. Therefore a node that was never processed is left out with its siblings, and the ancestor
        whose evidence gives its bound becomes a leaf (decision 045).
        """
        parents, rows, shown = self.parent.tolist(), self.multipliers_at.tolist(), self.shown_at.tolist()
        closed = {above: row for node, (above, row) in enumerate(zip(shown, rows, strict=True)) if above != node}
        if not self.relaxed or not closed:
            return list(range(len(parents))), parents, rows
        number: dict[int, int] = {-1: -1}
        nodes: list[int] = []
        for node, parent in enumerate(parents):  # parents come first
            if parent in number and parent not in closed:
                number[node] = len(nodes)
                nodes.append(node)
        return nodes, [number[parents[node]] for node in nodes], [closed.get(node, rows[node]) for node in nodes]

    def tree(self, at: Callable[[int], Certificate]) -> TreeCertificate:
        """Make the tree of the search; `at` maps a row of multipliers, or -1 for none, to their certificate."""
        made: dict[int, Certificate] = {ENUMERATED: self.enumerated}

        def evidence(row: int) -> Certificate:
            # Nodes that share a row of multipliers share its certificate.
            if row not in made:
                made[row] = at(row)
            return made[row]

        nodes, parents, rows = self._certificate_nodes()
        inner = set(parents)
        branches = [
            Branch() if parent < 0 else Branch(on=(decision,)) if on else Branch(off=(decision,))
            for parent, decision, on in zip(
                parents, self.decision[nodes].tolist(), self.on[nodes].tolist(), strict=True
            )
        ]
        leaves = {str(n): evidence(row) for n, row in enumerate(rows) if n not in inner}
        first, off = self.step_first.tolist(), self.off.tolist()
        steps: dict[str, list[Tightening]] = {}
        number = {node: n for n, node in enumerate(nodes)}
        for step, (node, row) in enumerate(
            zip(self.step_node.tolist(), self.step_multipliers.tolist(), strict=True)
        ):
            if node not in number:
                continue
            fixed = off[first[step] : first[step + 1]]
            on = [~d for d in fixed if d < 0]  # the record writes a decision fixed on as its complement
            tightening = Tightening(on, [d for d in fixed if d >= 0] if on else fixed, evidence(row))
            steps.setdefault(str(number[node]), []).append(tightening)
        tightenings = {node: tuple(several) for node, several in steps.items()}
        return TreeCertificate(tuple(parents), tuple(branches), leaves, tightenings)
