"""A restricted master without an LP, and its generator: the pricing half of `gapless.testing.examples`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless.core.batch import Batch, Columns
from gapless.core.certificate import Certificate, LinearDualCertificate
from gapless.core.decisions import OFF, ON, Fixings
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, Generator, View
from gapless.core.relaxation import Relaxed, Restricted
from gapless.core.sparse import FloatArray, IntArray, Sparse
from gapless.core.tolerance import rounding
from gapless.testing.examples import Chosen, GroupMaximiser, Selection


class KnownItemsView(View):
    """The generator's view: the fixings and the items in the master."""

    def __init__(self, fixings: Fixings, known: IntArray, best: FloatArray) -> None:
        super().__init__(fixings)
        self.known = known
        self.best = best


class KnownItems(Restricted[Chosen, KnownItemsView]):
    """`OptimisticBound` over the known items; capacities are ignored.

    A group without a known item makes the restricted master infeasible, which only a generator can repair.
    """

    def __init__(self, problem: Selection, known: Sequence[int] = ()) -> None:
        self.problem = problem
        self.maximiser = GroupMaximiser(problem)
        self.scores = problem.sense.sign * problem.worth
        self.known = np.zeros(problem.worth.size, bool)
        self.known[list(known)] = True
        self.fixings = Fixings.none(problem.worth.size)

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[Chosen]:
        """The maximiser, with unknown items off."""
        del budget, incumbent, state
        self.fixings = fixings
        # The generator must add an unknown item that is fixed on.
        value, on_ids = -math.inf, np.zeros(0, np.int64)
        if not np.any((fixings.state == ON) & ~self.known):
            off = np.where(self.known, fixings.state, OFF)
            found = self.maximiser.solve(self.scores, Fixings(off))
            value, on_ids = found.value, found.on_ids
        point = np.zeros(self.scores.size)
        point[on_ids] = 1.0
        structure = tuple(on_ids.tolist()) if value > -math.inf else None
        lost = rounding(on_ids.size, float(np.abs(self.scores[on_ids]).sum()))
        return Relaxed(value, point, structure, attained=value, rounding=lost)

    def extend(self, batch: Batch) -> int:
        """Add items."""
        new = batch.columns.keys[~self.known[batch.columns.keys]]
        self.known[new] = True
        return int(np.unique(new).size)

    def view(self) -> KnownItemsView:
        """Known items, and the score of the best known one of each group."""
        allowed = np.where(self.known & (self.fixings.state != OFF), self.scores, -np.inf)
        best = np.array([allowed[list(group)].max() for group in self.problem.groups])
        return KnownItemsView(self.fixings, np.flatnonzero(self.known), best)

    def certify(self, answers: Sequence[Answer]) -> Certificate:
        """Each group pays for the best of all its items, known to the generator."""
        prices = np.max([a.evidence["prices"] for a in answers], axis=0)
        return LinearDualCertificate(np.concatenate([np.zeros(self.problem.capacities.size), prices]))


class ItemGenerator(Generator[KnownItemsView]):
    """Adds the best missing item of each group, and missing loose items of positive worth or fixed on."""

    def __init__(self, problem: Selection) -> None:
        self.problem = problem
        self.scores = problem.sense.sign * problem.worth
        self.loose = GroupMaximiser(problem).loose

    def query(self, view: KnownItemsView, *, limit: int | None = None) -> Answer:
        """The slack is the total that all missing items could add."""
        state = view.fixings.state
        missing = np.setdiff1d(np.flatnonzero(state != OFF), view.known)
        bring: list[int] = []
        slack = 0.0
        for group, best in zip(self.problem.groups, view.best, strict=True):
            inside = [int(d) for d in group if d in missing]
            fixed = [d for d in group if state[d] == ON]
            if fixed:
                inside = [d for d in inside if d in fixed]
            if inside:
                first = max(inside, key=lambda d: float(self.scores[d]))
                if fixed or self.scores[first] > best:
                    bring.append(first)
                    slack += max(0.0, float(self.scores[first] - best))
        for d in np.intersect1d(missing, self.loose).tolist():
            if self.scores[d] > 0 or state[d] == ON:
                bring.append(d)
                slack += max(0.0, float(self.scores[d]))
        allowed = np.where(state != OFF, self.scores, -np.inf)
        best_of_all = [float(allowed[list(group)].max()) for group in self.problem.groups]
        prices = np.where(np.isfinite(best_of_all), best_of_all, 0.0)
        batch = Batch(self.columns(bring[:limit]))
        return Answer(batch, None if math.isinf(slack) else slack, {"prices": prices}, scored=missing.size)

    def columns(self, items: Sequence[int]) -> Columns:
        """Items as columns of the master."""
        uses = Sparse.from_rows([[d] for d in items])
        return Columns(np.array(items, np.int64), self.scores[list(items)], Sparse.empty(len(items)), uses)
