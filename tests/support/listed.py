"""Small problems for searches: structures and configurations in lists, with scores that have no ties."""

import itertools

import numpy as np

from gapless.decisions.decisions import OFF, ON
from gapless.roles import ConfigurationFactor, Maximiser, MaxMarginals, Optimum


class Listed(Maximiser):
    """All sets with one decision of each group and any of the others, with own scores."""

    def __init__(self, count, first, members):
        groups = [members[first[g] : first[g + 1]] for g in range(len(first) - 1)]
        loose = [[-1, d] for d in np.setdiff1d(np.arange(count), members)]
        rows = np.zeros((0, count), bool)
        for chosen in itertools.product(*groups, *loose):
            rows = np.vstack([rows, np.isin(np.arange(count), chosen)])
        self.rows, self.own = rows, np.zeros(len(rows))

    def values(self, weights, fixings):
        fits = ~(self.rows & (fixings.state == OFF)).any(axis=1) & ~(~self.rows & (fixings.state == ON)).any(axis=1)
        sums = [weights[row].sum() for row in self.rows]
        return np.where(fits, self.own + sums, -np.inf)

    def solve(self, weights, fixings):
        values = self.values(weights, fixings)
        best = int(np.argmax(values))
        if values[best] == -np.inf:
            return Optimum(-np.inf, np.zeros(0, np.int64))
        return Optimum(float(values[best]), np.flatnonzero(self.rows[best]), None, float(self.own[best]))

    def max_marginals(self, weights, fixings):
        values = self.values(weights, fixings)
        on = [values.max() - values[row].max(initial=-np.inf) for row in self.rows.T]
        off = [values.max() - values[~row].max(initial=-np.inf) for row in self.rows.T]
        return MaxMarginals(np.array(on), np.array(off))


class Table(ConfigurationFactor):
    name = "table"

    def __init__(self, places, values):
        self.places, self.values = places, values
        self.rows = np.array([*itertools.product([False, True], repeat=len(places))])

    def scope(self, decisions):
        return self.places

    def value(self, on):
        return float(self.values[(self.rows == on).all(axis=1)][0])

    def best(self, weights):
        values = np.array([v + weights[row].sum() for v, row in zip(self.values, self.rows, strict=True)])
        best = int(np.argmax(values))
        return float(values[best]), self.rows[best].copy()


def draw_groups(rng):
    """Number of decisions, and the choice groups of some of them."""
    sizes = rng.integers(1, 4, size=rng.integers(1, 4))
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    count = int(first[-1]) + int(rng.integers(0, 4))
    shuffled = rng.permutation(count)
    return count, first, np.concatenate([np.sort(shuffled[first[g] : first[g + 1]]) for g in range(len(sizes))])


def blocks_of_any_width(rng, count):
    """Scopes of one to three decisions, and their scores."""
    blocks = []
    for width in (1, 2, 2, 3):
        if count >= width and rng.random() < 0.7:
            scopes = np.array([rng.permutation(count)[:width] for _ in range(rng.integers(1, 12))], np.int64)
            blocks.append((scopes, rng.normal(size=len(scopes)) * 2))
    return blocks


def draw_tables(rng, count):
    """One or two factors, some of whose configurations may be forbidden."""
    made = []
    for _ in range(rng.integers(1, 3)):
        places = np.sort(rng.permutation(count)[: rng.integers(1, min(count, 5) + 1)]).astype(np.int64)
        values = rng.normal(size=1 << len(places)) * 2
        values[rng.random(len(values)) < rng.choice([0.0, 0.3])] = -np.inf
        made.append((places, Table(places, values)))
    return made
