"""Scores that are computed only when a structure makes them matter.

Until then an upper bound stands for a score, so that everything derived from it is a bound as well. Requested are
the scopes that fire in a structure, and those whose upper bound decides the bound at it. After a request the caller
must repeat its step, because optimum and max-marginals belong to the previous weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import OFF, ON
from gapless.search.choice_groups import State
from gapless.search.dual_descent import DualDescent
from gapless.search.split_bound import SplitBound
from gapless.search.split_layout import PairTable

ASK_FIRST = 8
"""Number of scores of a column that are requested together."""
CONTENDERS = 2
"""Number of decisions of each group whose columns must be known before the next step."""


class LazyScores:
    """The scopes of a split bound without a score yet; new scores are written into its layout.

    Parameters
    ----------
    split : SplitBound
    unknown : bool (scopes,)
    ask : callable
        Maps numbers of scopes to their finite scores.

    Attributes
    ----------
    scored : int
        Number of scopes requested.
    """

    def __init__(self, split: SplitBound[Any], unknown: BoolArray, ask: Callable[[IntArray], FloatArray]) -> None:
        self.split, self.unknown, self.ask = split, np.array(unknown, bool), ask
        self.scored = 0
        self.learned: IntArray = np.zeros(0, np.int64)
        """Scopes of the last request."""
        self.recharged: list[IntArray] = []
        """Slots with shares of an upper bound whose score turned out not to be positive."""

    def know_structure(self, on_ids: IntArray, between: Callable[[], None] | None = None) -> bool:
        """Request the scopes that fire in a structure; return whether any was unknown.

        `between` is called once stars have their scores and shared scopes have not.
        """
        on = self.split.mask(on_ids)
        requests = [
            star.scopes[np.ix_(on[star.row_decisions], on[star.column_decisions])].ravel()
            for star in self.split.layout.stars
        ]
        requests += [shared.scopes[on[shared.decisions].all(axis=1)] for shared in self.split.layout.shared]
        return self._know(requests, between)

    def know_all(self, state: State) -> bool:
        """Request all scopes whose decisions are all possible; return whether any was unknown."""
        alive = state != OFF
        requests = [
            star.scopes[np.ix_(alive[star.row_decisions], alive[star.column_decisions])].ravel()
            for star in self.split.layout.stars
        ]
        requests += [shared.scopes[alive[shared.decisions].all(axis=1)] for shared in self.split.layout.shared]
        return self._know(requests)

    def know_bound(self, ascent: DualDescent[Any], on_ids: IntArray) -> bool:
        """Request the scopes that decide the bound at a structure; return whether any was unknown.

        These are the scopes that fire, those with shares of its decisions, and the best of each column of its
        decisions and of the heaviest decisions of each group, which would come next. Repeated steps cost more than
        additional scores, so the request is generous.
        """
        on, alive = self.split.mask(on_ids), ascent.fixings.state != OFF
        weights, stale, requested = ascent.weights, False, False

        def weigh() -> None:
            nonlocal weights
            weights = self.split.weights(ascent.multipliers, ascent.fixings)[0]

        again = self.know_structure(on_ids, weigh)
        requests = [s.scopes[on[s.decisions].any(axis=1) & (s.scores > 0)] for s in self.split.layout.shared]
        while True:
            if again:
                requested, stale = True, stale or self._unsettles(ascent)
                if not stale:
                    weigh()
            contenders = self._contenders(weights, ascent.fixings.state) | on
            requests += [
                self._top(star, column, ascent.multipliers, alive)
                for star in self.split.layout.stars
                for column in np.flatnonzero(contenders[star.column_decisions]).tolist()
            ]
            again = self._know(requests)
            if not again:
                return requested
            requests = []

    def _unsettles(self, ascent: DualDescent[Any]) -> bool:
        """Whether multipliers must be adapted to the last request, so that weights cannot be computed before.

        They depend on the scores of shared scopes, and of pairs whose lower decision is on; see
        `SplitBound.settled`.
        """
        on = ascent.fixings.state == ON
        scopes = [shared.scopes for shared in self.split.layout.shared]
        scopes += [star.scopes[:, on[star.column_decisions]].ravel() for star in self.split.layout.stars]
        return any(np.isin(numbers, self.learned).any() for numbers in scopes)

    def _contenders(self, weights: FloatArray, state: State) -> BoolArray:
        """Mark the decisions of largest weight in each group."""
        groups, contenders = self.split.groups, np.zeros(weights.size, bool)
        for g in range(len(groups)):
            members = groups[g][state[groups[g]] != OFF]
            contenders[members[np.argsort(-weights[members], kind="stable")[:CONTENDERS]]] = True
        return contenders

    def _top(self, star: PairTable, column: int, multipliers: FloatArray, alive: BoolArray) -> IntArray:
        """Return the first scopes of a column whose upper bound exceeds the best known score."""
        rows = np.flatnonzero(alive[star.row_decisions])
        offers, scopes = star.scores[rows, column] - star.of(multipliers)[rows, column], star.scopes[rows, column]
        unknown = (scopes >= 0) & self.unknown[scopes]
        best_known = offers[~unknown].max(initial=-np.inf)
        order = np.argsort(-offers[unknown], kind="stable")[:ASK_FIRST]
        first: IntArray = scopes[unknown][order][offers[unknown][order] > best_known]
        return first

    def _know(self, requests: Iterable[IntArray], between: Callable[[], None] | None = None) -> bool:
        """Request the unknown ones among these scopes; return whether there were any."""
        numbers = np.concatenate([np.zeros(0, np.int64), *requests])
        numbers = np.unique(numbers[(numbers >= 0) & self.unknown[numbers]])
        if not numbers.size:
            return False
        scores = np.asarray(self.ask(numbers), np.float64)
        if scores.shape != numbers.shape or not np.isfinite(scores).all():
            raise ValueError(f"ask gave {scores.shape} for {numbers.size} scopes, expected as many finite scores")
        self.unknown[numbers] = False
        self.learned = numbers
        self.scored += numbers.size
        learned = np.full(self.unknown.size, np.nan)
        learned[numbers] = scores
        self.split.layout.given[numbers] = scores
        for star in self.split.layout.stars:
            fresh = (star.scopes >= 0) & ~np.isnan(learned[star.scopes])
            star.scores[fresh] = learned[star.scopes[fresh]]
        # Weights can be computed once stars are known; shared scopes also need new multipliers, see `_unsettles`.
        if between is not None:
            between()
        for shared in self.split.layout.shared:
            rows = np.flatnonzero(~np.isnan(learned[shared.scopes]))
            no_shares = rows[(shared.scores[rows] > 0) & (learned[shared.scopes[rows]] <= 0)]
            shared.scores[rows] = learned[shared.scopes[rows]]
            # Slots of a positive bound contain shares, those of a negative score charges: the former become 0.
            self.recharged.append(shared.slots[no_shares].ravel())
        return True
