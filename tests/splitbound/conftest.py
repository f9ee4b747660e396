"""Random sentences of every kind, with the scores of all their trees."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from neighbours import Neighbours
from parsing_cases import bounds_alone, random_case

from gapless.roles import ConfigurationFactor
from gapless.search import layout
from gapless_dependency import (
    AdjacentSibling,
    AnyOf,
    Grandchild,
    GrandSibling,
    OutermostGrandchild,
    ParsingProblem,
    Valency,
)
from gapless_dependency.random_problems import FAMILIES

OWN = ("neighbours", "triples", "parity")
POLYNOMIALS = ("any-of as polynomial", "valency as polynomial")
BACKBONE = ("adjacent-sibling", "outermost-grandchild", "grand-sibling")
__all__ = ["bounds_alone"]

LENGTHS = ([1, 2, 3, 4, 5, 6], [0.04, 0.1, 0.2, 0.3, 0.26, 0.1])


class Triples(Neighbours):
    """As a user writes it, of width three, and of arcs that need not touch."""

    name = "triples"

    def scopes(self, decisions: Any) -> Iterator[tuple[int, ...]]:
        rng = np.random.default_rng(decisions.length)
        size = decisions.length + 1
        drawn = rng.integers(0, size, (2, 15, 3))
        found = {tuple(decisions.index[heads, words].tolist()) for heads, words in drawn.transpose(1, 0, 2)}
        yield from sorted(scope for scope in found if min(scope) >= 0 and len(set(scope)) == 3)


class Parity(ConfigurationFactor):
    """As a user writes it: a score when an odd number of the arcs to the right are in the tree."""

    name = "parity"

    def __init__(self, score: float) -> None:
        self.odd = score

    def possible_values(self) -> Any:
        return np.array([0.0, self.odd])

    def scope(self, decisions: Any) -> Any:
        return np.flatnonzero(decisions.heads < decisions.modifiers)

    def value(self, on: Any) -> float:
        return self.odd if np.count_nonzero(on) % 2 else 0.0

    def best(self, weights: Any) -> tuple[float, Any]:
        order = np.argsort(-weights, kind="stable")
        totals = np.concatenate([[0.0], np.cumsum(weights[order])])
        totals[1::2] += self.odd
        count = int(np.argmax(totals))
        on = np.zeros(weights.size, bool)
        on[order[:count]] = True
        return float(totals[count]), on


def extra_factors(rng, n, name, draw):
    """Factors beyond `FAMILIES`: a user's, polynomials, and those of backbones."""
    size = (n + 1,)
    if name == "neighbours":
        return [Neighbours(draw((5, 5)))]
    if name == "triples":
        return [Triples(draw((5, 5)))]
    if name == "parity":
        return [Parity(float(draw(())))]
    if name == "any-of as polynomial":
        arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
        chosen = rng.permutation(len(arcs))[: rng.integers(1, 4)]
        score = float(np.nan_to_num(draw(()), neginf=-1.0))
        return list(AnyOf([arcs[i] for i in chosen], score).polynomial())
    if name == "valency as polynomial":
        scores = np.nan_to_num(draw(size), neginf=-1.0)
        return list(Valency(int(rng.integers(n + 1)), scores).polynomial())
    if name == "adjacent-sibling":
        return [AdjacentSibling(draw(size * 3))]
    if name == "outermost-grandchild":
        return [OutermostGrandchild(draw(size * 3))]
    return [GrandSibling(draw(size * 4)), Grandchild(draw(size * 3))]


def one_sentence(rng):
    """Ties or floats, projective or not, one root or several, forbidden arcs and parts, up to three families."""
    n = int(rng.choice(LENGTHS[0], p=LENGTHS[1]))
    projective = bool(rng.integers(2))
    families = [*FAMILIES, *OWN, *POLYNOMIALS]
    chosen = [families[f] for f in rng.choice(len(families), size=int(rng.integers(0, 4)), replace=False)]
    if projective and rng.random() < 0.2:
        chosen.append(str(rng.choice(BACKBONE)))
    ties, parts = bool(rng.integers(2)), float(rng.choice([0.0, 0.0, 0.2]))
    strength = float(rng.choice([0.5, 1.0, 2.0]))

    def draw(shape: Any) -> Any:
        drawn = rng.integers(-2, 3, shape).astype(float) if ties else rng.normal(0, strength, shape)
        return np.where(rng.random(shape) < parts, -np.inf, drawn)

    families = [name for name in chosen if name in FAMILIES]
    shares = {"forbidden": [0.0, 0.0, 0.0, 0.2, 0.5], "forbidden_parts": [parts]}
    problem = random_case(rng, n, families, projective=projective, ties=ties, strength=strength, **shares)
    added = [f for name in chosen if name not in FAMILIES for f in extra_factors(rng, n, name, draw)]
    return ParsingProblem(
        problem.scores,
        factors=[*problem.factors, *added],
        projective=projective,
        single_root=problem.single_root,
        granularity=problem.granularity if rng.integers(2) else None,
    )


@pytest.fixture(scope="session")
def random_sentence():
    """From a generator to a problem."""
    return one_sentence


@pytest.fixture
def choices(request, monkeypatch):
    """The number of choices of heads that are enumerated."""
    monkeypatch.setattr(layout, "CHOICES", request.param)
