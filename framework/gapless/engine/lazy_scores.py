"""Scores that are asked for only when a structure makes them matter.

Until then an upper bound stands in a score's place, so that everything which follows from it is a bound, too. Asked
for are the scopes that fire in a structure that was found, and those whose upper bound decides how it is bounded.
Who asks must take its step again: structures and slacks are those of the weights before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gapless.core.decisions import OFF, ON
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.engine.ascent import Ascent
from gapless.engine.choice_groups import State
from gapless.engine.forms import Star
from gapless.engine.split_bound import SplitBound

ASK_FIRST = 8
"""Scores of a column at a time."""
CONTENDERS = 2
"""Decisions of each group whose columns must be known before the next step."""


class LazyScores:
    """The scopes of a split bound that are not scored yet; what is learned is written into its layout.

    Parameters
    ----------
    split : SplitBound
    unknown : bool (scopes,)
    ask : callable
        From numbers of scopes to their finite scores.

    Attributes
    ----------
    scored : int
        Scopes asked for.
    """

    def __init__(self, split: SplitBound[Any], unknown: BoolArray, ask: Callable[[IntArray], FloatArray]) -> None:
        self.split, self.unknown, self.ask = split, np.array(unknown, bool), ask
        self.scored = 0
        self.learned: IntArray = np.zeros(0, np.int64)
        """Scopes asked for last."""
        self.recharged: list[IntArray] = []
        """Slots that held shares of a score which turned out not to be positive."""

    def know_structure(self, on_ids: IntArray, between: Callable[[], None] | None = None) -> bool:
        """Know what fires in a structure; whether anything had to be asked for.

        `between` is called when stars have their scores and shared scopes have not.
        """
        on = self.split.mask(on_ids)
        wanted = [star.scopes[np.ix_(on[star.uppers], on[star.lowers])].ravel() for star in self.split.layout.stars]
        wanted += [shared.scopes[on[shared.decisions].all(axis=1)] for shared in self.split.layout.shared]
        return self._know(wanted, between)

    def know_all(self, state: State) -> bool:
        """Know every scope whose decisions are all possible."""
        alive = state != OFF
        wanted = [
            star.scopes[np.ix_(alive[star.uppers], alive[star.lowers])].ravel() for star in self.split.layout.stars
        ]
        wanted += [shared.scopes[alive[shared.decisions].all(axis=1)] for shared in self.split.layout.shared]
        return self._know(wanted)

    def know_bound(self, ascent: Ascent[Any], on_ids: IntArray) -> bool:
        """Know what decides the bound at a structure, too.

        The best choice in each column of its decisions, and of those that weigh most in their groups, which would
        come next; and the shares of its decisions. Few questions cost more than many scores.
        """
        on, alive = self.split.mask(on_ids), ascent.fixings.state != OFF
        weights, frozen, asked = ascent.weights, False, False

        def weigh() -> None:
            nonlocal weights
            weights = self.split.weights(ascent.multipliers, ascent.fixings)[0]

        again = self.know_structure(on_ids, weigh)
        wanted = [s.scopes[on[s.decisions].any(axis=1) & (s.scores > 0)] for s in self.split.layout.shared]
        while True:
            if again:
                asked, frozen = True, frozen or self._unsettles(ascent)
                if not frozen:
                    weigh()
            contenders = self._contenders(weights, ascent.fixings.state) | on
            wanted += [
                self._top(star, column, ascent.multipliers, alive)
                for star in self.split.layout.stars
                for column in np.flatnonzero(contenders[star.lowers]).tolist()
            ]
            again = self._know(wanted)
            if not again:
                return asked
            wanted = []

    def _unsettles(self, ascent: Ascent[Any]) -> bool:
        """Whether multipliers must follow what was learned last, so that weights wait for the next step.

        So it is with shared scopes, and with pairs whose lower decision is on.
        """
        on = ascent.fixings.state == ON
        scopes = [shared.scopes for shared in self.split.layout.shared]
        scopes += [star.scopes[:, on[star.lowers]].ravel() for star in self.split.layout.stars]
        return any(np.isin(numbers, self.learned).any() for numbers in scopes)

    def _contenders(self, weights: FloatArray, state: State) -> BoolArray:
        """The decisions that weigh most in each group."""
        groups, most = self.split.groups, np.zeros(weights.size, bool)
        for g in range(len(groups)):
            left = groups[g][state[groups[g]] != OFF]
            most[left[np.argsort(-weights[left], kind="stable")[:CONTENDERS]]] = True
        return most

    def _top(self, star: Star, column: int, multipliers: FloatArray, alive: BoolArray) -> IntArray:
        """Scopes that may be the highest of a column: the first of those whose bound exceeds the best known."""
        rows = np.flatnonzero(alive[star.uppers])
        offers, scopes = star.scores[rows, column] - star.of(multipliers)[rows, column], star.scopes[rows, column]
        unknown = (scopes >= 0) & self.unknown[scopes]
        known = offers[~unknown].max(initial=-np.inf)
        order = np.argsort(-offers[unknown], kind="stable")[:ASK_FIRST]
        first: IntArray = scopes[unknown][order][offers[unknown][order] > known]
        return first

    def _know(self, wanted: Iterable[IntArray], between: Callable[[], None] | None = None) -> bool:
        """Ask for what is unknown of these; whether anything was."""
        numbers = np.concatenate([np.zeros(0, np.int64), *wanted])
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
        if between is not None:
            between()
        for shared in self.split.layout.shared:
            rows = np.flatnonzero(~np.isnan(learned[shared.scopes]))
            turned = rows[(shared.scores[rows] > 0) & (learned[shared.scopes[rows]] <= 0)]
            shared.scores[rows] = learned[shared.scopes[rows]]
            self.recharged.append(shared.slots[turned].ravel())
        return True
