"""Random diagrams for tests, and their configurations one by one."""

import itertools
from typing import Any

import numpy as np

from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.roles import Decisions


class RandomDiagram(DecisionDiagram):
    """Steps read from tables; `step` is as random as `rng` draws them."""

    name = "random"

    def __init__(self, rng: Any, widths: Any, states: int, share: float = 0.2, *, integers: bool = True) -> None:
        self.start = int(rng.integers(states))
        count = sum(widths)
        order = rng.permutation(count).tolist()
        self.read = [[order.pop() for _ in range(width)] for width in widths]
        self.tables = []
        for width in widths:
            shape = width + 1, states
            nexts = np.asarray(rng.integers(0, states, shape), np.int64)
            scores = np.asarray(rng.integers(-3, 4, shape) if integers else rng.normal(size=shape), float)
            nexts[np.asarray(rng.random(shape)) < share] = -1
            scores[np.asarray(rng.random(shape)) < share / 2] = -np.inf
            self.tables.append((nexts, scores))
        ends = np.asarray(rng.integers(-3, 4, states), float)
        ends[np.asarray(rng.random(states)) < share] = -np.inf
        self.ends = ends

    def layers(self, decisions: Decisions) -> Any:
        return self.read

    def step(self, layer: int, choice: int, states: Any) -> Any:
        nexts, scores = self.tables[layer]
        return nexts[choice + 1, states], scores[choice + 1, states]

    def final(self, states: Any) -> Any:
        return self.ends[states]


def drawn_diagram(rng, most=8, **options):
    """A diagram over a few decisions, some layers of which are whole groups."""
    widths = []
    while sum(widths) < most and rng.random() < 0.85:
        widths.append(int(rng.integers(1, 4)))
    factor = RandomDiagram(rng, widths, int(rng.integers(1, 6)), float(rng.choice([0.0, 0.1, 0.4])), **options)
    groups = [tuple(layer) for layer in factor.read if rng.random() < 0.5]
    return factor, Decisions(sum(widths) + 2, exactly_one=groups)


def configurations(count):
    """All of them, bool (count,)."""
    return [np.array(bits, bool) for bits in itertools.product((False, True), repeat=count)]


def plain_value(factor, decisions, on):
    """The definition, one state after the other, in Python."""
    scope = sorted(d for layer in factor.layers(decisions) for d in layer)
    chosen = {d for d, there in zip(scope, on, strict=True) if there}
    state, total = factor.start, 0.0
    for number, layer in enumerate(factor.layers(decisions)):
        held = [index for index, d in enumerate(layer) if d in chosen]
        must = layer and any(sorted(layer) == sorted(group) for group in decisions.exactly_one)
        if len(held) > 1 or (must and not held):
            return -np.inf
        following, scores = factor.step(number, held[0] if held else -1, np.array([state]))
        score = float(np.broadcast_to(scores, 1)[0])
        if following[0] < 0 or score == -np.inf:
            return -np.inf
        state, total = int(following[0]), total + score
    return total + float(np.broadcast_to(factor.final(np.array([state])), 1)[0])
