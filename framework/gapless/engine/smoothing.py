"""Dual smoothing: shares of the best bound's prices that adapt themselves, with any master that has smoothed views.

Source: Pessoa, Sadykov, Uchoa, Vanderbeck (2018), "Automation and combination of linear-programming based
stabilization techniques in column generation", INFORMS Journal on Computing 30(2), sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.core.batch import Columns
from gapless.core.oracle import Answer, LinearView, View
from gapless.core.pricing import Pricing
from gapless.core.relaxation import Descent

V = TypeVar("V", bound=View)

FIRST_SHARE = 0.5
STEP = 0.1


class Smoothing(Generic[V]):
    """The centre (the view of the best bound of a node) and the share of its prices.

    Parameters
    ----------
    pricing : Pricing
    master : object
        Has `Restricted.smoothed`.
    """

    def __init__(self, pricing: Pricing, master: Any) -> None:
        self.on = pricing.smoothing != "none"
        self.fixed = pricing.smoothing_share
        self.directional = pricing.smoothing == "directional"
        self.share = FIRST_SHARE if self.fixed is None else self.fixed
        self.master = master
        self.centre: V | None = None
        self._before: V | Mapping[int, float] | None = pricing.first_prices
        self._descent: Descent | None = None

    def begin(self) -> None:
        """A new node: its bounds are others, its prices alike."""
        self._before = self.centre or self._before
        self.centre = self._descent = None

    def views(self, view: V) -> Iterator[V]:
        """The smoothed views of a round, each nearer to `view`; those after the first serve mispricing."""
        if not (self.on and isinstance(view, LinearView)) or view.objective_weight == 0:
            return
        if self.centre is None and self._before is not None:
            self.centre = self.master.smoothed(view, self._before, 1.0)
        if self.centre is None:
            return
        number = 1
        while (share := 1 - number * (1 - self.share)) > 0:
            smoothed = self.master.smoothed(view, self.centre, share, self._descent if number == 1 else None)
            if smoothed is None:
                return
            yield smoothed
            number += 1

    def improve(self, view: V, answers: Sequence[Answer]) -> None:
        """`view` proved the best bound so far: it is the centre from now on."""
        if self.on and isinstance(view, LinearView):
            self.centre = view
            self._descent = _descent(view, answers) if self.directional else None

    def learn(self, view: V, smoothed: V, centre: V, answers: Sequence[Answer]) -> None:
        """Adapt the share: less of the centre where the bound improves toward `view`, more where it does not.

        The slope of the bound at the smoothed prices, from the centre toward `view`, is that of the base plus that
        of the gains of the answers' best columns, each as often as the slack counts it.
        """
        if self.fixed is not None or not (isinstance(view, LinearView) and isinstance(centre, LinearView)):
            return
        columns, times = _descent(smoothed, answers)
        slope = view.bound - centre.bound
        for best, count in zip(columns, times, strict=True):
            slope += count * float(view.gain(best)[0] - centre.gain(best)[0])
        if slope < 0:
            self.share = (
                self.share / (1 + STEP) if self.share >= 0.5 else max(0.0, self.share - STEP * (1 - self.share))
            )
        elif slope > 0:
            self.share += STEP * (1 - self.share)


def _descent(view: Any, answers: Sequence[Answer]) -> Descent:
    """The best column of each answer, and the number of it that the slack counts."""
    columns: list[Columns] = []
    times: list[float] = []
    for answer in answers:
        if not len(answer.batch.columns) or not answer.slack:
            continue
        gains = view.gain(answer.batch.columns)
        best = int(np.argmax(gains))
        if gains[best] > 0 and np.isfinite(answer.slack):
            columns.append(answer.batch.columns.take(np.array([best])))
            times.append(float(answer.slack / gains[best]))
    return columns, times
