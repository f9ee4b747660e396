"""Random sentences for tests: ties, forbidden arcs, every factor family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.roles import ConfigurationFactor, Factor
from gapless_dependency.factors import (
    AnyOf,
    ArcConjunctions,
    Comb,
    Grandchild,
    GreatGrandchild,
    Pattern,
    PatternNode,
    Sibling,
    TriSibling,
    Valency,
)
from gapless_dependency.problem import ParsingProblem

Draw = Callable[[Any], FloatArray]
"""From a shape to scores."""


def _any_of(rng: np.random.Generator, n: int, draw: Draw) -> AnyOf:
    arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
    selected = rng.permutation(len(arcs))[: rng.integers(1, min(4, len(arcs)) + 1)]
    return AnyOf([arcs[i] for i in selected], float(draw(())))


def _conjunctions(rng: np.random.Generator, n: int, draw: Draw) -> ArcConjunctions:
    """Draw sets of two to four arcs into different words."""
    # Into different words, since no tree has two arcs into one: such a set could never fire.
    width = min(n, int(rng.integers(2, 5)))
    sets: dict[tuple[tuple[int, int], ...], None] = {}
    for _ in range(5):
        modifiers = np.sort(rng.permutation(n)[:width] + 1)
        heads = [int(rng.choice([h for h in range(n + 1) if h != m])) for m in modifiers]
        sets[tuple(zip(heads, modifiers.tolist(), strict=True))] = None
    return ArcConjunctions(list(sets), draw(len(sets)))


def _pattern(rng: np.random.Generator, n: int, draw: Draw) -> Pattern:
    words = [str(w) for w in rng.choice(["a", "b", "c"], n)]
    nodes = {"top": PatternNode("a|b"), "middle": PatternNode(".*"), "bottom": PatternNode("b|c")}
    return Pattern(
        nodes, [("top", "middle"), ("middle", "bottom")], float(draw(())), words=words, before=[("top", "bottom")]
    )


_FAMILIES: dict[str, Callable[[np.random.Generator, int, Draw], Factor | ConfigurationFactor]] = {
    "grandchild": lambda _, n, draw: Grandchild(draw((n + 1,) * 3)),
    "sibling": lambda _, n, draw: Sibling(draw((n + 1,) * 3)),
    "great-grandchild": lambda _, n, draw: GreatGrandchild(draw((n + 1,) * 4)),
    "tri-sibling": lambda _, n, draw: TriSibling(draw((n + 1,) * 4)),
    "comb": lambda _, n, draw: Comb(draw((n + 1,) * 2)),
    "conjunction": _conjunctions,
    "pattern": _pattern,
    "any-of": _any_of,
    "valency": lambda rng, n, draw: Valency(int(rng.integers(n + 1)), draw(n + 1)),
}

CONJUNCTIVE = ("grandchild", "sibling", "great-grandchild", "tri-sibling", "comb", "conjunction", "pattern")
FAMILIES = tuple(_FAMILIES)


def random_problem(
    rng: np.random.Generator,
    n: int,
    *,
    projective: bool = False,
    single_root: bool = True,
    families: Sequence[str] = (),
    ties: bool = False,
    forbidden: float = 0.0,
    forbidden_parts: float = 0.0,
    strength: float = 0.7,
) -> ParsingProblem:
    """Draw a sentence of `n` words with random scores.

    Parameters
    ----------
    families : sequence of str
        Names from `FAMILIES`; the conjunctions among them are `CONJUNCTIVE`.
    ties : bool
        If True, small integers, and granularity 1; otherwise normal numbers.
    forbidden : float
        Share of the arcs that are -inf. There may be no tree then.
    forbidden_parts : float
        Share of the scores inside factors that are -inf.
    strength : float
        Size of the factors' scores where those of arcs are 1; with ties, integers up to twice this or 1.
    """

    def scores(shape: Any, size: float, share: float) -> FloatArray:
        if ties:
            limit = max(1, round(2 * size))
            sampled = rng.integers(-limit, limit + 1, shape).astype(np.float64)
        else:
            sampled = rng.normal(0, size, shape)
        return np.where(rng.random(shape) < share, -np.inf, sampled)

    def draw(shape: Any) -> FloatArray:
        return scores(shape, strength, forbidden_parts)

    return ParsingProblem(
        scores((n + 1, n + 1), 1.0, forbidden),
        factors=[_FAMILIES[family](rng, n, draw) for family in families],
        projective=projective,
        single_root=single_root,
        granularity=1.0 if ties else None,
    )
