"""A restricted master without an LP, and its generator: the pricing half of `gapless.testing.examples`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray, Sparse
from gapless.arrays.tolerance import rounding
from gapless.certificates.certificate import Certificate, LinearDualCertificate
from gapless.decisions.decisions import OFF, ON, Fixings
from gapless.limits.limits import SolveBudget
from gapless.oracles.batch import Batch, Columns
from gapless.oracles.generator import Generator, GeneratorResult
from gapless.oracles.views import MasterView
from gapless.testing.examples import Chosen, Selection, SelectionMaximiser
from gapless.tree_search.relaxation import RelaxationResult, RestrictedMaster


class KnownItemsView(MasterView):
    """The generator's view: the fixings and the items in the master."""

    def __init__(self, fixings: Fixings, known: IntArray, best: FloatArray) -> None:
        super().__init__(fixings)
        self.known = known
        self.best = best


class KnownItems(RestrictedMaster[Chosen, KnownItemsView]):
    """`OptimisticBound` over the known items; capacities are ignored.

    A group without a known item makes the restricted master infeasible, which only a generator can repair.
    """

    def __init__(self, problem: Selection, known: Sequence[int] = ()) -> None:
        self.problem = problem
        self.maximiser = SelectionMaximiser(problem)
        self.scores = problem.sense.sign * problem.worth
        self.known = np.zeros(problem.worth.size, bool)
        self.known[list(known)] = True
        self.fixings = Fixings.none(problem.worth.size)

    def solve(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf, state: Any = None
    ) -> RelaxationResult[Chosen]:
        """Call the maximiser, with unknown items off."""
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
        return RelaxationResult(value, point, structure, primal_value=value, rounding=lost)

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

    def certify(self, answers: Sequence[GeneratorResult]) -> Certificate:
        """Let each group pay for the best of all its items, known to the generator."""
        prices = np.max([a.evidence["prices"] for a in answers], axis=0)
        return LinearDualCertificate(np.concatenate([np.zeros(self.problem.capacities.size), prices]))


class ItemGenerator(Generator[KnownItemsView]):
    """Adds the best missing item of each group, and missing ungrouped items of positive worth or fixed on."""

    def __init__(self, problem: Selection) -> None:
        self.problem = problem
        self.scores = problem.sense.sign * problem.worth
        self.ungrouped = SelectionMaximiser(problem).ungrouped

    def query(self, view: KnownItemsView, *, limit: int | None = None) -> GeneratorResult:
        """Bring missing items that improve; the pricing gap is the total that all missing items could add."""
        state = view.fixings.state
        missing = np.setdiff1d(np.flatnonzero(state != OFF), view.known)
        bring: list[int] = []
        pricing_gap = 0.0
        for group, best in zip(self.problem.groups, view.best, strict=True):
            inside = [int(d) for d in group if d in missing]
            fixed = [d for d in group if state[d] == ON]
            if fixed:
                inside = [d for d in inside if d in fixed]
            if inside:
                first = max(inside, key=lambda d: float(self.scores[d]))
                if fixed or self.scores[first] > best:
                    bring.append(first)
                    pricing_gap += max(0.0, float(self.scores[first] - best))
        for d in np.intersect1d(missing, self.ungrouped).tolist():
            if self.scores[d] > 0 or state[d] == ON:
                bring.append(d)
                pricing_gap += max(0.0, float(self.scores[d]))
        allowed = np.where(state != OFF, self.scores, -np.inf)
        best_of_all = [float(allowed[list(group)].max()) for group in self.problem.groups]
        prices = np.where(np.isfinite(best_of_all), best_of_all, 0.0)
        batch = Batch(self.columns(bring[:limit]))
        return GeneratorResult(
            batch, None if math.isinf(pricing_gap) else pricing_gap, {"prices": prices}, scored=missing.size
        )

    def columns(self, items: Sequence[int]) -> Columns:
        """Write items as columns of the master."""
        uses = Sparse.from_rows([[d] for d in items])
        return Columns(np.array(items, np.int64), self.scores[list(items)], Sparse.empty(len(items)), uses)
