"""Random factors over any decisions: conjunctions of each width and sign, counts, tables, second structures."""

import numpy as np
from plain_backbones import Listed

from gapless.roles import ConfigurationFactor, Conjunctions, StructureFactor


class Count(ConfigurationFactor):
    """A score for each number of decisions that are on."""

    name = "count"

    def __init__(self, on_scope, scores):
        self.on_scope, self.scores = np.asarray(on_scope), np.asarray(scores, float)

    def scope(self, decisions):
        return self.on_scope

    def value(self, on):
        return float(self.scores[int(on.sum())])

    def best(self, weights):
        order = np.argsort(-weights)
        totals = np.concatenate([[0.0], np.cumsum(weights[order])]) + self.scores
        most = int(np.argmax(totals))
        on = np.zeros(weights.size, bool)
        on[order[:most]] = True
        return float(totals[most]), on


def numbers(rng, size, kind="ties", forbidden=0.1):
    if kind == "ties":
        drawn = rng.integers(-2, 3, size).astype(float)
    elif kind == "cancel":
        drawn = rng.choice([-1e6, 1e6, 1.0, -1.0], size)
    else:
        drawn = rng.normal(0, 2, size)
    return np.where(rng.random(size) < forbidden, -np.inf, drawn)


def conjunctions(rng, count, width, kind="ties", most=8):
    sets = {tuple(sorted(rng.choice(count, width, replace=False).tolist())) for _ in range(rng.integers(1, most))}
    return Conjunctions(sorted(sets), numbers(rng, len(sets), kind))


def pairs(rng, count, kind="ties"):
    """Many pairs, so that choice groups of decisions meet others."""
    every = [(a, b) for a in range(count) for b in range(a)]
    chosen = [p if rng.random() < 0.5 else p[::-1] for p in every if rng.random() < 0.5] or every[:1]
    return Conjunctions(chosen, numbers(rng, len(chosen), kind, 0.05))


def counted(rng, count, kind="ties"):
    scope = np.sort(rng.choice(count, min(count, int(rng.integers(1, 5))), replace=False))
    return Count(scope, numbers(rng, scope.size + 1, kind))


def structure(rng, count, kind="ties"):
    scope = np.sort(rng.choice(count, min(count, 3), replace=False))
    sets = [np.flatnonzero([bits >> i & 1 for i in range(scope.size)]) for bits in range(1 << scope.size)]
    kept = [s for s in sets if rng.random() < 0.8] or sets[:1]
    return StructureFactor(Listed(kept, numbers(rng, len(kept), kind, 0.0), scope.size), scope)


def drawn_factors(rng, count, kind="ties"):
    makers = [
        lambda: conjunctions(rng, count, 1, kind),
        lambda: conjunctions(rng, count, 2, kind),
        lambda: conjunctions(rng, count, min(3, count), kind),
        lambda: pairs(rng, count, kind),
        lambda: counted(rng, count, kind),
        lambda: structure(rng, count, kind),
    ]
    return [makers[int(i)]() for i in rng.integers(0, len(makers), int(rng.integers(1, 4)))]
