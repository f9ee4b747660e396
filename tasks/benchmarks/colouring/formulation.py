"""A column for every stable set: pricing, branching, rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from benchmarks.colouring.certificate import StableSetPrices
from benchmarks.colouring.problem import Classes, Colouring, ordered
from benchmarks.colouring.stable_sets import StableSets
from gapless.column_generation.branching import RyanFoster
from gapless.roles import (
    Batch,
    BoolArray,
    Brancher,
    Columns,
    Fixings,
    Formulation,
    Generator,
    GeneratorResult,
    IntArray,
    LinearView,
    PricingOptions,
    RelaxationResult,
    Rows,
    Sparse,
)

SMALLEST_GAIN = 1e-9
PRICING = PricingOptions(branch_before_pricing=True, column_age_limit=20)
"""Most nodes stay open whatever their bound: colourings of less than the known number of classes are far away."""


class SetColumns:
    """Writes stable sets as columns: one unit in the row of each vertex, one use of each pair."""

    def __init__(self, problem: Colouring) -> None:
        self.problem = problem
        self._keys: dict[tuple[int, ...], int] = {}
        self._members = np.zeros((64, problem.vertices), bool)

    def write(self, sets: Sequence[Sequence[int]]) -> Columns:
        """Build the columns of `sets`; each costs 1."""
        known = [tuple(sorted(one)) for one in sets]
        return Columns(
            keys=np.array([self._key(one) for one in known], np.int64),
            objective=-np.ones(len(known)),
            coefficients=Sparse.from_rows([list(one) for one in known]),
            uses=Sparse.from_rows([self.problem.inside(one).tolist() for one in known]),
        )

    def _key(self, one: tuple[int, ...]) -> int:
        """Return the number of a set, counted in the order of first use."""
        if one not in self._keys:
            key = self._keys[one] = len(self._keys)
            if key == len(self._members):
                self._members = np.concatenate([self._members, np.zeros_like(self._members)])
            self._members[key, list(one)] = True
        return self._keys[one]

    def split(self, fixings: Fixings, keys: IntArray) -> BoolArray:
        """Mask the sets with one vertex of a merged pair, as `Formulation.forbidden_columns` asks."""
        one, other = self.problem.pairs[fixings.on].T
        held = self._members[keys]
        parted: BoolArray = (held[:, one] != held[:, other]).any(axis=1)
        return parted


class SetPricing(Generator[LinearView]):
    """The heaviest stable set of the graph that Ryan and Foster's branching leaves."""

    def __init__(self, columns: SetColumns, brancher: RyanFoster) -> None:
        self.columns, self.brancher = columns, brancher
        self.problem = columns.problem
        self._vertices = np.arange(self.problem.vertices)

    def query(self, view: LinearView, *, limit: int | None = None) -> GeneratorResult:
        """Find the heaviest set, and lighter ones that the search passes."""
        merged = self.brancher.merged(view.fixings)
        if merged is None:
            return GeneratorResult(pricing_gap=0.0)  # the fixings contradict each other
        prices = self.problem.prices(view)
        weights = np.bincount(merged.group, prices, len(merged)).astype(np.float64)
        worth = view.objective_weight
        # While a master is repaired, sets are paid for vertices that it cannot cover. There are no more sets than
        # vertices, so sets of less than this weight cannot.
        least = worth + SMALLEST_GAIN if worth else max(0.0, weights.sum()) / self.problem.vertices
        found = [*StableSets(weights, merged.apart, least, view.stop).sets()]
        if not found:
            return GeneratorResult(pricing_gap=max(0.0, -view.objective) * SMALLEST_GAIN if worth else 0.0)
        members = merged.members()
        sets = [[int(v) for g in one for v in members[g]] for _, one in found[:limit]]
        gain = found[0][0] - worth
        # Every set is worth 1 + gain at most (Farley 1990).
        slack = -view.objective * gain / (1 + gain) if worth else None
        return GeneratorResult(Batch(self.columns.write(sets)), slack)


def greedy(problem: Colouring, brancher: RyanFoster, relaxed: RelaxationResult[Classes]) -> Classes | None:
    """Colour greedily, most constrained groups first, each with the class to which the LP point ties it most."""
    fixings = relaxed.probe.fixings if relaxed.probe is not None else None
    merged = brancher.merged(fixings) if fixings is not None else None
    if merged is None or relaxed.point is None:
        return None
    bound = np.zeros((problem.vertices, problem.vertices))
    bound[tuple(problem.pairs.T)] = relaxed.point
    member = np.zeros((len(merged), problem.vertices))
    member[merged.group, np.arange(problem.vertices)] = 1
    near = member @ (bound + bound.T) @ member.T
    count = len(merged)
    degree = merged.apart.sum(axis=1)
    colours = np.zeros((count, count), bool)  # of the neighbours of each group
    ties = np.zeros((count, count))  # to each class
    rank = degree.astype(np.float64)  # the number of colours around first, the degree then
    class_of, classes = np.full(count, -1), 0
    for _ in range(count):
        g = int(rank.argmax())
        fitting = np.flatnonzero(~colours[g, :classes])
        c = int(fitting[ties[g, fitting].argmax()]) if fitting.size else classes
        classes = max(classes, c + 1)
        class_of[g], rank[g] = c, -np.inf
        ties[:, c] += near[:, g]
        rank[merged.apart[g] & ~colours[:, c]] += count
        colours[merged.apart[g], c] = True
    colour = class_of[merged.group]
    return ordered(np.flatnonzero(colour == c).tolist() for c in range(classes))


def formulation(
    problem: Colouring,
    *,
    brancher: Callable[[RyanFoster], Brancher[Classes]] = lambda pairs: pairs,
    rounding: Callable[[RelaxationResult[Classes]], Classes | None] | None = None,
    rounding_frequency: int = 1,
    pricing: PricingOptions = PRICING,
) -> Formulation[Classes]:
    """Build the set partitioning master of Mehrotra and Trick (1996).

    Parameters
    ----------
    brancher : callable, optional
        Makes the brancher from the pairs of Ryan and Foster; by default those themselves.
    rounding, rounding_frequency, pricing
        As in `Formulation`; greedy by default.
    """
    columns, pairs = SetColumns(problem), RyanFoster(problem.vertices, problem.pairs)
    rows = Rows(np.arange(problem.vertices), np.ones(problem.vertices), np.ones(problem.vertices))
    return Formulation(
        initial=Batch(columns.write([[v] for v in range(problem.vertices)]), rows),
        generators=[SetPricing(columns, pairs)],
        brancher=brancher(pairs),
        rounding=rounding or partial(greedy, problem, pairs),
        rounding_frequency=rounding_frequency,
        certify=partial(StableSetPrices.from_view, problem),
        pricing=pricing,
        forbidden_columns=columns.split,
    )
