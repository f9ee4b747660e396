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

ONE = 1
"""In the form of a scope: one multiplier; else there is one for each decision."""


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
    evidence, enumerated
        As in `Layout`.
    """

    parent: IntArray
    decision: IntArray
    on: BoolArray
    multipliers_at: IntArray
    step_node: IntArray
    step_multipliers: IntArray
    step_first: IntArray
    off: IntArray
    orientation: IntArray
    alone: IntArray
    forms: Any
    row_first: IntArray
    scopes: Any
    places: Any
    values: FloatArray
    prices: int
    lifted: bool
    widths: tuple[int, ...]
    counts: tuple[int, ...]
    loss: float
    evidence: Callable[..., Certificate]
    enumerated: Certificate

    @classmethod
    def of(cls, layout: Layout[Any], kernel: Any, *, shares: bool) -> SearchRecord:
        """Evidence of a search; with multipliers as parts of scores, or else in units of scores."""
        arrays, scored = kernel.record(shares), layout.scored
        if len(scored) < len(layout.conjunctions):
            found, kept = arrays["orientation"], set(map(id, scored))
            arrays["orientation"] = np.zeros(len(layout.conjunctions), np.int64)
            arrays["orientation"][[id(one) in kept for one in layout.conjunctions]] = found
        return cls(
            **arrays,
            widths=tuple([one.scopes.shape[1] for one in scored]),
            counts=tuple([len(one.scopes) for one in scored]),
            loss=layout.loss,
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
        """Each scope's first multiplier, int64 (scopes + 1 + prices,); those of factors follow."""
        single = (self.forms & ONE).astype(bool)
        if single.all():
            return np.arange(len(single) + 1 + self.prices)
        widths = np.repeat(np.array(self.widths, np.int64), np.array(self.counts, np.int64))
        sizes = np.where(single, 1, widths)
        return np.concatenate([[0], np.cumsum(sizes), sizes.sum() + 1 + np.arange(self.prices)]).astype(np.int64)

    def _multipliers(self, row: int) -> tuple[IntArray, FloatArray]:
        """The multipliers of a row that are not 0, and their places; without a row, none."""
        part = slice(self.row_first[row], self.row_first[row + 1]) if row >= 0 else slice(0)
        return self._first[self.scopes[part]] + self.places[part], self.values[part]

    def tree(self, at: Callable[[int], Certificate]) -> TreeCertificate:
        """The tree of the search. `at`: from a row of multipliers, or -1 for none, to what they prove."""
        made: dict[int, Certificate] = {ENUMERATED: self.enumerated}

        def evidence(row: int) -> Certificate:
            if row not in made:
                made[row] = at(row)
            return made[row]

        parents = self.parent.tolist()
        inner = set(parents)
        branches = [
            Branch() if parent < 0 else Branch(on=(arc,)) if on else Branch(off=(arc,))
            for parent, arc, on in zip(parents, self.decision.tolist(), self.on.tolist(), strict=True)
        ]
        leaves = {str(n): evidence(row) for n, row in enumerate(self.multipliers_at.tolist()) if n not in inner}
        first, off = self.step_first.tolist(), self.off.tolist()
        steps: dict[str, list[Tightening]] = {}
        for step, (node, row) in enumerate(
            zip(self.step_node.tolist(), self.step_multipliers.tolist(), strict=True)
        ):
            fixed = off[first[step] : first[step + 1]]
            on = [~d for d in fixed if d < 0]
            held = Tightening(on, [d for d in fixed if d >= 0] if on else fixed, evidence(row))
            steps.setdefault(str(node), []).append(held)
        tightenings = {node: tuple(several) for node, several in steps.items()}
        return TreeCertificate(tuple(parents), tuple(branches), leaves, tightenings)
