"""Backbones by brute force or in a few lines of Python: judges of small instances, and users' own maximisers."""

import itertools
import math

import attrs
import numpy as np

from gapless.roles import Backbone, Decisions, Maximiser, MaxMarginals, Optimum, Problem
from gapless_chains import ChainProblem


class Listed(Maximiser):
    """All structures of a backbone, listed: `on_sets` and own scores."""

    def __init__(self, on_sets, own, count):
        self.on_sets, self.own = [np.sort(np.asarray(s, np.int64)) for s in on_sets], list(own)
        self.on = np.zeros((len(self.on_sets), count), bool)
        for row, ids in enumerate(self.on_sets):
            self.on[row, ids] = True

    def worth(self, weights, fixings):
        fits = ~(self.on & (fixings.state == 0)).any(axis=1) & ~(~self.on & (fixings.state == 1)).any(axis=1)
        sums = np.array([weights[ids].sum() for ids in self.on_sets]) + np.array(self.own)
        return np.where(fits, sums, -np.inf)

    def solve(self, weights, fixings):
        worth = self.worth(weights, fixings)
        best = int(np.argmax(worth)) if worth.size else -1
        if best < 0 or worth[best] == -np.inf:
            return Optimum(-math.inf, np.zeros(0, np.int64))
        return Optimum(float(worth[best]), self.on_sets[best], self.on_sets[best], self.own[best])

    def max_marginals(self, weights, fixings):
        worth = self.worth(weights, fixings)
        value = worth.max(initial=-np.inf)
        on = np.where(self.on, worth[:, None], -np.inf).max(axis=0, initial=-np.inf)
        off = np.where(self.on, -np.inf, worth[:, None]).max(axis=0, initial=-np.inf)
        if value == -np.inf:
            return MaxMarginals(np.full(on.size, np.inf), np.full(on.size, np.inf))
        return MaxMarginals(value - on, value - off)


@attrs.frozen(eq=False, slots=False)
class Listing(Problem):
    """A problem that lists its structures; structures are tuples of decisions."""

    on_sets: tuple
    own: tuple
    weights: np.ndarray
    groups: tuple = ()
    factors: tuple = ()
    constant: float = 0.0

    @property
    def decisions(self):
        kept = self.__dict__.get("_decisions")
        if kept is None:
            kept = self.__dict__["_decisions"] = Decisions(len(self.weights), exactly_one=self.groups)
        return kept

    def value(self, structure):
        own = self.own[self.on_sets.index(tuple(structure))]
        return self.constant + float(self.weights[list(structure)].sum()) + own + self.factor_value(structure)

    def violations(self, structure):
        if tuple(structure) not in self.on_sets:
            return ["not listed"]
        if self.weights[list(structure)].min(initial=0.0) == -np.inf:
            return ["forbidden"]
        return self.factor_violations(structure)

    def encode(self, structure):
        return np.array(sorted(structure), np.int64)

    def decode(self, on_ids):
        return tuple(np.asarray(on_ids).tolist())

    def backbone(self):
        return Backbone(Listed(self.on_sets, self.own, len(self.weights)), self.weights, self.constant)


def listing(rng, groups=3, size=3, loose=2, share=0.6, scores=None, factors=()):
    """A random listing over disjoint choice groups and some decisions in none."""
    draw = scores or (lambda n: rng.integers(-3, 4, n).astype(float))
    members = [tuple(range(g * size, (g + 1) * size)) for g in range(groups)]
    count = groups * size + loose
    every = [
        tuple(sorted((*chosen, *more)))
        for chosen in itertools.product(*members)
        for r in range(loose + 1)
        for more in itertools.combinations(range(groups * size, count), r)
    ]
    kept = [s for s in every if rng.random() < share] or every[:1]
    weights = draw(count)
    if rng.random() < 0.3:
        weights[rng.integers(count)] = -np.inf
    return Listing(
        tuple(kept), tuple(draw(len(kept)).tolist()), weights, tuple(members), tuple(factors), draw(1)[0]
    )


class PlainChain(ChainProblem):
    """A chain whose backbone is listed."""

    def backbone(self):
        n, k = self.unary.shape
        bare = attrs.evolve(self, factors=())
        paths = [np.array(p) for p in itertools.product(range(k), repeat=n)]
        own = [float(self._pair_scores(p).sum()) for p in paths]
        kept = [(bare.encode(p), o) for p, o in zip(paths, own, strict=True) if o > -np.inf]
        return Backbone(Listed([e for e, _ in kept], [o for _, o in kept], n * k), self.local.ravel())
