"""Dual smoothing with a self-adapting smoothing factor, for any master that has smoothed views.

Source: Pessoa, Sadykov, Uchoa, Vanderbeck (2018), "Automation and combination of linear-programming based
stabilization techniques in column generation", INFORMS Journal on Computing 30(2), sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.column_generation.pricing_options import PricingOptions
from gapless.oracles.batch import Columns
from gapless.oracles.generator import GeneratorResult
from gapless.oracles.views import LinearView, MasterView
from gapless.tree_search.relaxation import Descent

V = TypeVar("V", bound=MasterView)

INITIAL_FACTOR = 0.5
STEP = 0.1
"""Share of the way to 1 by which the factor grows, or about by which it shrinks (the source's constant)."""


class Smoothing(Generic[V]):
    """The centre (the view of the best bound of a node) and the smoothing factor: the share of its prices.

    Parameters
    ----------
    pricing : PricingOptions
    master : object
        Has `RestrictedMaster.smoothed`.
    """

    def __init__(self, pricing: PricingOptions, master: Any) -> None:
        self.on = pricing.smoothing != "none"
        self.fixed = pricing.smoothing_factor
        self.directional = pricing.smoothing == "directional"
        self.factor = INITIAL_FACTOR if self.fixed is None else self.fixed
        self.master = master
        self.centre: V | None = None
        self._previous: V | Mapping[int, float] | None = pricing.initial_prices
        self._descent: Descent | None = None

    def begin(self) -> None:
        """Start a new node, from the best prices of the previous one."""
        # The bounds of another node do not compare, but its prices are near: the first view of the new node
        # turns them into a centre with a bound of its own.
        self._previous = self.centre or self._previous
        self.centre = self._descent = None

    def views(self, view: V) -> Iterator[V]:
        """Yield the smoothed views of a round, each nearer to `view`."""
        # Farkas prices (weight 0) form a ray: there is no bound to smooth toward.
        if not (self.on and isinstance(view, LinearView)) or view.objective_weight == 0:
            return
        if self.centre is None and self._previous is not None:
            self.centre = self.master.smoothed(view, self._previous, 1.0)
        if self.centre is None:
            return
        number = 1
        # After a mispricing the k-th attempt has the factor 1 - k (1 - alpha), until it is 0 (Pessoa et al.): a
        # round has finitely many queries, and the last one, at the master's prices, is the caller's.
        while (factor := 1 - number * (1 - self.factor)) > 0:
            # The direction is turned in the first attempt only: mispricing is sure to end on the straight line
            # alone.
            smoothed = self.master.smoothed(view, self.centre, factor, self._descent if number == 1 else None)
            if smoothed is None:
                return
            yield smoothed
            number += 1

    def improve(self, view: V, answers: Sequence[GeneratorResult]) -> None:
        """Make `view`, which proved the best bound so far, the centre."""
        if self.on and isinstance(view, LinearView):
            self.centre = view
            self._descent = _descent(view, answers) if self.directional else None

    def adapt(self, view: V, smoothed: V, centre: V, answers: Sequence[GeneratorResult]) -> None:
        """Adapt the factor: smaller if the bound improves from the smoothed prices toward `view`, else larger.

        The slope of the bound at the smoothed prices, from the centre toward `view`, is that of the base plus
        that of the reduced costs of the best columns, each as often as the pricing gap counts it.
        """
        if self.fixed is not None or not (isinstance(view, LinearView) and isinstance(centre, LinearView)):
            return
        columns, times = _descent(smoothed, answers)
        slope = view.bound - centre.bound
        for best, count in zip(columns, times, strict=True):
            slope += count * float(view.reduced_costs(best)[0] - centre.reduced_costs(best)[0])
        # Bounds are minimised here: a negative slope means that a step toward `view` improves the bound. Large
        # factors shrink by a ratio and small ones by a difference, so that 0 is reached in finitely many steps.
        if slope < 0:
            self.factor = (
                self.factor / (1 + STEP) if self.factor >= 0.5 else max(0.0, self.factor - STEP * (1 - self.factor))
            )
        elif slope > 0:
            self.factor += STEP * (1 - self.factor)


def _descent(view: Any, answers: Sequence[GeneratorResult]) -> Descent:
    """Find the best column of each generator, and how often the pricing gap counts it."""
    columns: list[Columns] = []
    times: list[float] = []
    for answer in answers:
        if not len(answer.batch.columns) or not answer.pricing_gap:
            continue
        reduced_costs = view.reduced_costs(answer.batch.columns)
        best = int(np.argmax(reduced_costs))
        if reduced_costs[best] > 0 and np.isfinite(answer.pricing_gap):
            columns.append(answer.batch.columns.take(np.array([best])))
            # A Lagrangian pricing gap is the best reduced cost times a number of columns: this quotient.
            times.append(float(answer.pricing_gap / reduced_costs[best]))
    return columns, times
