"""The record that a search keeps of itself, as flat arrays, and the certificate made of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from gapless.core.branch import Branch
from gapless.core.certificate import Certificate, DeferredCertificate
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.core.tree_certificate import Tightening, TreeCertificate
from gapless.search.layout import Layout

ENUMERATED = -2
"""In the place of a leaf's multipliers: all its structures were looked at."""


@attrs.frozen(eq=False, slots=False, kw_only=True)
class SearchRecord:
    """Nodes, fixing steps and multipliers; see ``Search.record`` for the arrays.

    Parameters
    ----------
    orientation : int64 (factors,)
        Of each conjunction, those without scopes included.
    widths, counts : sequence of int
        Decisions in each scope, and number of scopes, block by block.
    loss : float
        Stands for a score of -inf.
    lifted : bool
        Whether charges of pairs take in what excludes one of the two.
    relaxed : bool
        Whether a bound may rise under more fixings: decisions are in no choice group.
    evidence, enumerated
        As in `Layout`.
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
    def of(cls, layout: Layout[Any], kernel: Any) -> SearchRecord:
        """The record that `kernel` keeps of a search over `layout`."""
        arrays, scored = kernel.record(), layout.scored
        if len(scored) < len(layout.conjunctions):
            found, kept = arrays["orientation"], set(map(id, scored))
            arrays["orientation"] = np.zeros(len(layout.conjunctions), np.int64)
            arrays["orientation"][[id(one) in kept for one in layout.conjunctions]] = found
        return cls(
            **arrays,
            widths=tuple([one.scopes.shape[1] for one in scored]),
            counts=tuple([len(one.scopes) for one in scored]),
            loss=layout.loss,
            relaxed=bool((layout.decisions.group_of() < 0).any()),
            evidence=layout.evidence,
            enumerated=layout.enumerated,
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def deferred(self) -> Certificate:
        """The certificate, made when it is asked for."""
        return DeferredCertificate(self.certificate)

    def certificate(self) -> Certificate:
        """A `TreeCertificate` with multipliers at its leaves and fixings."""
        ways = tuple(self.orientation.tolist())
        kind = {"lifted": True} if self.lifted else {}

        def at(row: int) -> Certificate:
            places, held = self._multipliers(row)
            return self.evidence(
                orientation=ways, multipliers=held, places=places, alone=self.alone, loss=self.loss, **kind
            )

        return self.tree(at)

    @cached_property
    def _first(self) -> IntArray:
        """The first place of each scope, which has one for each decision; then those of prices, int64."""
        widths = np.repeat(np.array(self.widths, np.int64), np.array(self.counts, np.int64))
        first: IntArray = np.concatenate([[0], widths, np.ones(self.prices, np.int64)]).cumsum(dtype=np.int64)
        return first

    def _multipliers(self, row: int) -> tuple[IntArray, FloatArray]:
        """The multipliers of a row that are not 0, and their places; without a row, none."""
        part = slice(self.row_first[row], self.row_first[row + 1]) if row >= 0 else slice(0)
        return self._first[self.scopes[part]] + self.places[part], self.values[part]

    def _kept(self) -> tuple[list[int], list[int], list[int]]:
        """The nodes of the certificate, and for each its parent among them and the row of its evidence.

        A bound need not fall under more fixings: those of a walk with no vertex twice are bounded by walks that
        count a step that is on whenever they take it. So a node that was never worked on is left out with its
        siblings, and the node whose evidence gives its bound is a leaf.
        """
        parents, rows, shown = self.parent.tolist(), self.multipliers_at.tolist(), self.shown_at.tolist()
        closed = {above: row for node, (above, row) in enumerate(zip(shown, rows, strict=True)) if above != node}
        if not self.relaxed or not closed:
            return list(range(len(parents))), parents, rows
        number: dict[int, int] = {-1: -1}
        kept: list[int] = []
        for node, parent in enumerate(parents):  # parents come first
            if parent in number and parent not in closed:
                number[node] = len(kept)
                kept.append(node)
        return kept, [number[parents[node]] for node in kept], [closed.get(node, rows[node]) for node in kept]

    def tree(self, at: Callable[[int], Certificate]) -> TreeCertificate:
        """The tree of the search. `at`: from a row of multipliers, or -1 for none, to what they prove."""
        made: dict[int, Certificate] = {ENUMERATED: self.enumerated}

        def evidence(row: int) -> Certificate:
            if row not in made:
                made[row] = at(row)
            return made[row]

        kept, parents, rows = self._kept()
        inner = set(parents)
        branches = [
            Branch() if parent < 0 else Branch(on=(arc,)) if on else Branch(off=(arc,))
            for parent, arc, on in zip(parents, self.decision[kept].tolist(), self.on[kept].tolist(), strict=True)
        ]
        leaves = {str(n): evidence(row) for n, row in enumerate(rows) if n not in inner}
        first, off = self.step_first.tolist(), self.off.tolist()
        steps: dict[str, list[Tightening]] = {}
        number = {node: n for n, node in enumerate(kept)}
        for step, (node, row) in enumerate(
            zip(self.step_node.tolist(), self.step_multipliers.tolist(), strict=True)
        ):
            if node not in number:
                continue
            fixed = off[first[step] : first[step + 1]]
            on = [~d for d in fixed if d < 0]
            held = Tightening(on, [d for d in fixed if d >= 0] if on else fixed, evidence(row))
            steps.setdefault(str(number[node]), []).append(held)
        tightenings = {node: tuple(several) for node, several in steps.items()}
        return TreeCertificate(tuple(parents), tuple(branches), leaves, tightenings)
