"""The certificate of a bound with lazy scores: the multipliers that are not 0, in units of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem, Problem, Verdict
from gapless.core.proofs.split_certificate import orientations
from gapless.core.proofs.split_formula import grouped_pairs
from gapless.core.sparse import FloatArray, IntArray, float_array, int_array
from gapless.roles import BoundCertificate, Fixings, serialisable, spend_work
from gapless_dependency import ParsingProblem
from gapless_splitbound.certificate import SplitMultipliers, splittable


@serialisable("gapless_pricecut.CompletedDual")
@attrs.frozen(eq=False)
class CompletedDual(BoundCertificate):
    r"""Prices of the parts that were looked at; those of all other parts follow.

    In the linear program of Riedel, Smith and McCallum (2012, section 3.2) with the rows
    :math:`z_{gpc} \le z_{gp}`, a price :math:`d_{gpc} \ge 0` of each row completes to prices of all rows: that of
    OneGP for the arc (p, c) is :math:`\max_g (s_{gpc} - d_{gpc})`, whether g was ever scored or not, and those of
    the arborescence polytope are the prices of sets that bound the best tree. No absent part can improve on such
    prices, alone or together with others. The bound is that of `gapless_splitbound.SplitMultipliers`, which this
    certificate writes sparsely; whoever checks it scores every part.

    Parameters
    ----------
    alone : int64
        Both as in `SplitMultipliers`.
    scopes : int64 (k,)
        Scopes with a multiplier, counted over all conjunctions.
    places : int64 (k,)
        The arc of the scope that it belongs to, for a share of a score; otherwise 0.
    values : float64 (k,)
        In units of scores: d of a grouped pair; a share of another scope's score, to be normalised; or, negative,
        how much of a negative score is charged. Where the score is not of the sign that this speaks of, it is left
        out.
    lifted : bool
        As in `SplitMultipliers`.
    """

    kind: ClassVar[str] = "completed dual"
    factors: ClassVar[bool] = True
    orientation: tuple[int, ...] = attrs.field(converter=orientations)
    alone: IntArray = attrs.field(converter=int_array)
    scopes: IntArray = attrs.field(converter=int_array)
    places: IntArray = attrs.field(converter=int_array)
    values: FloatArray = attrs.field(converter=float_array)
    lifted: bool = attrs.field(default=False, converter=bool)

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Bound on the trees of `problem` that agree with `fixings`."""
        return self.completed(problem).upper_bound(problem, fixings)

    def verify_flips(
        self, problem: Problem[Any], fixings: Fixings, on: Sequence[int], off: Sequence[int]
    ) -> Verdict:
        """As `SplitMultipliers.verify_flips`."""
        return self.verify_flips_within(problem, fixings, on, off, -math.inf)

    def verify_flips_within(
        self, problem: Problem[Any], fixings: Fixings, on: Sequence[int], off: Sequence[int], enough: float
    ) -> Verdict:
        """As `SplitMultipliers.verify_flips_within`."""
        try:
            dense = self.completed(problem)
        except InvalidProblem as error:
            return Verdict(False, f"the evidence does not fit the problem: {error}", f"certificate ({self.kind})")
        return dense.verify_flips_within(problem, fixings, on, off, enough)

    def work_to_verify(self, problem: Problem[Any]) -> float:
        """As that of the completed certificate."""
        return self._dense().work_to_verify(problem)

    def work_to_verify_flips(self, problem: Problem[Any], flips: int) -> float:
        """As that of the completed certificate."""
        return self._dense().work_to_verify_flips(problem, flips)

    def _dense(self) -> SplitMultipliers:
        return SplitMultipliers(self.orientation, self.values, self.alone)

    def completed(self, problem: Problem[Any]) -> SplitMultipliers:
        """A multiplier for every scope of the problem.

        Raises `InvalidProblem`: not a parsing problem of conjunctions, scopes that it has not, or values that are
        not finite.
        """
        if not isinstance(problem, ParsingProblem) or problem.configurations or problem.backbone_factors:
            raise InvalidProblem("a completed dual speaks of a ParsingProblem whose factors are conjunctions")
        blocks = problem.conjunctions
        spend_work(20 * sum(block.scopes.size for block in blocks), 50)
        if len(self.orientation) != len(blocks):
            raise InvalidProblem(f"{len(self.orientation)} orientations for {len(blocks)} factors")
        if not self.scopes.shape == self.places.shape == self.values.shape == (self.scopes.size,):
            raise InvalidProblem("scopes, places and values are not of one length")
        if not np.isfinite(self.values).all():
            raise InvalidProblem("a multiplier is no finite number")
        scores = np.concatenate([np.zeros(0), *(block.all_scores() for block in blocks)])
        widths = np.concatenate(
            [np.zeros(0, np.int64), *(np.full(len(b.scopes), b.scopes.shape[1]) for b in blocks)]
        )
        grouped = np.concatenate(
            [
                np.zeros(0, bool),
                *(
                    grouped_pairs(splittable(problem), b.scopes, way)
                    for b, way in zip(blocks, self.orientation, strict=True)
                ),
            ]
        )
        grouped[self.alone[(self.alone >= 0) & (self.alone < grouped.size)]] = False
        if self.scopes.size and not 0 <= self.scopes.min() <= self.scopes.max() < scores.size:
            raise InvalidProblem(f"a multiplier belongs to none of the {scores.size} scopes")
        if np.any((self.places < 0) | (self.places >= widths[self.scopes])):
            raise InvalidProblem("a multiplier belongs to an arc that its scope has not")
        one = grouped | (scores < 0)
        counts = np.where(one, 1, widths)
        first = np.cumsum(counts) - counts
        multipliers = np.zeros(int(counts.sum()))
        mine, score = grouped[self.scopes], scores[self.scopes]
        pairs = np.flatnonzero(mine)
        multipliers[first[self.scopes[pairs]]] = self.values[pairs]
        charged = np.flatnonzero(~mine & (score < 0) & (self.values < 0) & (self.places == 0))
        multipliers[first[self.scopes[charged]]] = np.maximum(self.values[charged], score[charged]) / score[charged]
        shared = np.flatnonzero(~mine & (score >= 0) & (self.values > 0))
        multipliers[first[self.scopes[shared]] + self.places[shared]] = self.values[shared]
        # No score is cut down: multipliers of those that are -inf are 0.
        most = np.finfo(np.float64).max
        return SplitMultipliers(self.orientation, multipliers, self.alone, loss=most, lifted=self.lifted)
