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

NONE = np.zeros(0, np.int64)

ONE = 1
"""Form of a scope with one multiplier; others have one for each decision, 2 where the record has those not 0."""


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
    widths: tuple[int, ...]
    counts: tuple[int, ...]
    loss: float
    evidence: Callable[..., Certificate]
    enumerated: Certificate

    @classmethod
    def of(cls, layout: Layout[Any], kernel: Any, *, shares: bool) -> SearchRecord:
        """What a search has to show; with multipliers as parts of scores, or else in units of scores."""
        place = {id(scored): number for number, scored in enumerate(layout.conjunctions)}
        arrays = kernel.record(shares)
        orientation = np.zeros(len(layout.conjunctions), np.int64)
        orientation[[place[id(scored)] for scored in layout.scored]] = arrays.pop("orientation")
        shapes = [scored.scopes.shape for scored in layout.scored]
        return cls(
            **arrays,
            orientation=orientation,
            widths=tuple(width for _, width in shapes),
            counts=tuple(count for count, _ in shapes),
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

        def at(row: int) -> Certificate:
            return self.evidence(orientation=ways, multipliers=self._dense(row), alone=self.alone, loss=self.loss)

        return self.tree(at)

    @cached_property
    def _layout(self) -> tuple[IntArray, FloatArray]:
        """Each scope's first multiplier, with the end of all; and multipliers of scopes that were never charged.

        Scopes of one decision count in full; those that cannot fire may have any shares.
        """
        sizes, rests, begin = [], [], 0
        for width, count in zip(self.widths, self.counts, strict=True):
            forms = self.forms[begin : begin + count]
            size = np.array([width, 1, width, 1])[forms]  # for each form: bit 0 is `ONE`
            rest = np.array([1.0 / width, width == 1, 0.0, width == 1])[forms]
            sizes.append(size)
            rests.append(rest if width == 1 or (forms & ONE).all() else np.repeat(rest, size))
            begin += count
        first = np.zeros(begin + 1 + self.prices, np.int64)
        np.cumsum(np.concatenate([NONE, *sizes]), out=first[1 : begin + 1])
        first[begin + 1 :] = first[begin] + 1 + np.arange(self.prices)
        return first, np.concatenate([*rests, np.zeros(self.prices)])

    def _dense(self, row: int) -> FloatArray:
        """All multipliers of a row; where there is none, any say what there is to say."""
        first, rest = self._layout
        if row < 0:
            return np.zeros(rest.size)
        part = slice(self.row_first[row], self.row_first[row + 1])
        dense = rest.copy()
        dense[first[self.scopes[part]] + self.places[part]] = self.values[part]
        return dense

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
