"""The *Problem* role: a secondary structure of an RNA sequence, of largest score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless.roles import Backbone, ConfigurationFactor, Factor, LinearModel, Sparse, serialisable
from gapless_rna_folding.dotbracket import Structure
from gapless_rna_folding.maximiser import NonCrossing
from gapless_rna_folding.pairs import Pairs

HYDROGEN_BONDS = {"GC": 3.0, "AU": 2.0, "GU": 1.0}
"""Score of each kind of pair: the number of its hydrogen bonds."""


def _sequence(text: object) -> str:
    if not isinstance(text, str) or not text:
        raise gl.InvalidProblem(f"sequence: expected letters A, C, G, U, got {text!r}")
    sequence = text.upper().replace("T", "U")
    for place, letter in enumerate(sequence):
        if letter not in "ACGU":
            raise gl.InvalidProblem(f"sequence: {letter!r} at place {place} is none of A, C, G, U")
    return sequence


def _pair_scores(given: Mapping[str, float]) -> dict[str, float]:
    scores = {}
    for kind, score in given.items():
        if len(kind) != 2 or set(kind) - set("ACGU"):
            raise gl.InvalidProblem(f"pair_scores: {kind!r} names no kind of pair; write two letters, as in 'GC'")
        if "".join(sorted(kind)) in scores:
            raise gl.InvalidProblem(f"pair_scores: {kind!r} is given twice, as {kind[::-1]!r} as well")
        if not np.isfinite(score):
            raise gl.InvalidProblem(f"pair_scores: the score of {kind!r} is {score}; leave out what cannot pair")
        scores["".join(sorted(kind))] = float(score)
    return scores


def _factors(given: Iterable[Factor | ConfigurationFactor]) -> tuple[Factor | ConfigurationFactor, ...]:
    return tuple(given)


@serialisable("gapless_rna_folding.FoldingProblem")
@attrs.frozen(eq=False, slots=False)
class FoldingProblem(gl.Problem[Structure]):
    """Maximise the scores of pairs and `factors`: each base in one pair at most, and no two pairs cross.

    Without factors it is solved by the recursion of Nussinov and Jacobson (1980); with factors it is hard.

    Parameters
    ----------
    sequence : str
        Letters A, C, G and U; T is read as U.
    pair_scores : mapping of str to float
        Score of each kind of pair, as ``{"GC": 3.0}``, in either order; other bases do not pair.
    least_loop : int
        Bases between those of a pair, at least.
    factors : sequence of Factor or ConfigurationFactor
        Scores beyond those of pairs.

    Raises
    ------
    InvalidProblem
        A letter is no base, a kind is no pair of letters or given twice, or a number is out of range.
    """

    sequence: str = attrs.field(converter=_sequence)
    pair_scores: Mapping[str, float] = attrs.field(converter=_pair_scores, factory=lambda: dict(HYDROGEN_BONDS))
    least_loop: int = 3
    factors: tuple[Factor | ConfigurationFactor, ...] = attrs.field(converter=_factors, default=(), kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.least_loop < 0:
            raise gl.InvalidProblem(f"least_loop is {self.least_loop}, it cannot be negative")

    @cached_property
    def decisions(self) -> Pairs:
        """Pairs of the kinds that have a score, with room for a loop."""
        letters = np.array(list(self.sequence))
        candidates = np.zeros((letters.size, letters.size), bool)
        for kind in self.pair_scores:
            candidates |= (letters[:, None] == kind[0]) & (letters == kind[1])
        return Pairs(self.sequence, np.triu(candidates | candidates.T, self.least_loop + 1))

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Score of each pair, float64 (pairs,)."""
        pairs, letters = self.decisions, self.sequence
        kinds = ["".join(sorted(letters[i] + letters[j])) for i, j in zip(pairs.left, pairs.right, strict=True)]
        return np.array([self.pair_scores[kind] for kind in kinds], np.float64)

    def value(self, structure: Structure) -> float:
        """Add the scores of the pairs and of the factors."""
        return float(self.weights[self.encode(structure)].sum()) + self.factor_value(structure)

    def violations(self, structure: Structure) -> list[str]:
        """List impossible pairs, bases in two pairs, crossing pairs, and violations of factors."""
        broken = []
        partner: dict[int, int] = {}
        for left, right in structure:
            if not 0 <= left < right < len(self.sequence) or self.decisions.index[left, right] < 0:
                broken.append(f"the bases {left} and {right} cannot pair")
                continue
            broken += [f"base {base} is in two pairs" for base in (left, right) if base in partner]
            partner[left], partner[right] = right, left
        open_ones: list[int] = []
        for base in sorted(partner):
            if partner[base] > base:
                open_ones.append(base)
            elif open_ones and open_ones.pop() != partner[base]:
                broken.append(f"the pair {partner[base]}-{base} crosses another")
                break
        return broken or list(self.factor_violations(structure))

    def encode(self, structure: Structure) -> NDArray[np.int64]:
        """Return the ids of the pairs."""
        pairs = np.array(structure, np.int64).reshape(-1, 2)
        return np.sort(self.decisions.index[pairs[:, 0], pairs[:, 1]])

    def decode(self, on_ids: NDArray[np.int64]) -> Structure:
        """Return the pairs of these ids."""
        pairs = self.decisions
        return tuple(zip(pairs.left[on_ids].tolist(), pairs.right[on_ids].tolist(), strict=True))

    def backbone(self) -> Backbone[Structure]:
        """Return the backbone: non-crossing pairs of bases."""
        pairs = self.decisions
        return Backbone(NonCrossing(len(self.sequence), pairs.left, pairs.right), self.weights)

    def linear_model(self) -> LinearModel:
        """Build a row for each base and for each two pairs that cross: for export, and as an independent check."""
        from gapless.factors.factor_rows import with_factors  # noqa: PLC0415  seldom asked for

        pairs = self.decisions
        rows = [np.flatnonzero((pairs.left == base) | (pairs.right == base)) for base in range(len(self.sequence))]
        i, j = pairs.left[:, None], pairs.right[:, None]
        rows += list(np.argwhere((i < i.T) & (j > i.T) & (j < j.T)))
        rows = [row for row in rows if row.size > 1]
        ends = np.cumsum([0, *(row.size for row in rows)])
        members = np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64)
        model = LinearModel(
            objective=self.weights,
            column_lower=np.zeros(pairs.count),
            column_upper=np.ones(pairs.count),
            integer=np.ones(pairs.count, bool),
            rows=Sparse(ends, members, np.ones(members.size)),
            row_lower=np.full(len(rows), -np.inf),
            row_upper=np.ones(len(rows)),
            decision_columns=np.arange(pairs.count),
        )
        return with_factors(model, self.factor_set)
