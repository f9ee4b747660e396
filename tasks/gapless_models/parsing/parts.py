"""The parts of each family: which a sentence may have, which a tree has, and the factor that scores them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import ConfigurationFactor, Factor
from gapless_dependency import (
    AdjacentSibling,
    Arcs,
    Comb,
    Grandchild,
    GrandSibling,
    GreatGrandchild,
    OutermostGrandchild,
    Sibling,
    TriSibling,
)
from gapless_dependency.factors import BackboneFactor
from gapless_dependency.factors.part_factor import PartFactor
from gapless_models.parsing.patterns import PATTERN

MOST_CELLS = 1 << 25
"""Of a backbone factor's dense table, 256 MB: grand-siblings of up to 75 words."""

Score = Callable[[IntArray], FloatArray]
"""Scores (m,) of parts int64 (m, width)."""

CONJUNCTIONS: dict[str, type[PartFactor]] = {
    factor.name: factor for factor in (Grandchild, Sibling, GreatGrandchild, TriSibling, Comb)
}
BACKBONES: dict[str, type[BackboneFactor]] = {
    factor.name: factor for factor in (AdjacentSibling, OutermostGrandchild, GrandSibling)
}


def check_families(families: tuple[str, ...]) -> None:
    """Raise `InvalidProblem` for names that are no family, and for names listed twice."""
    known = [*CONJUNCTIONS, PATTERN, *BACKBONES]
    for family in families:
        if family not in known:
            raise InvalidProblem(f"{family!r} is no family of parts; there are {', '.join(known)}")
    if len(set(families)) < len(families):
        raise InvalidProblem(f"families {', '.join(families)}: one comes twice")


def factor_of(family: str, candidates: BoolArray, score: Score) -> Factor | ConfigurationFactor | BackboneFactor:
    """Build the factor of a family over the candidate arcs (n + 1, n + 1); conjunctions are scored on request."""
    if family in CONJUNCTIONS:
        return _conjunction(family, score)
    kind = BACKBONES[family]
    if len(candidates) ** kind.order > MOST_CELLS:
        raise InvalidProblem(
            f"a sentence of {len(candidates) - 1} words is too long for {family}, whose scores are a dense table "
            f"of (n + 1)^{kind.order} numbers: at most {int(MOST_CELLS ** (1 / kind.order)) - 1} words; leave the "
            "sentence or the family out"
        )
    parts = _backbone_parts(family, Arcs(candidates))
    table = np.zeros((len(candidates),) * kind.order)
    table[tuple(parts.T)] = score(parts)
    return kind(table)


def parts_of_tree(family: str, heads: IntArray) -> IntArray:
    """List the parts of a tree, int64 (m, width); ``heads[i]`` is the head of word ``i + 1``."""
    if family in BACKBONES:
        kind = BACKBONES[family]
        tree = object.__new__(kind)  # its parts do not depend on scores
        return np.array(kind.parts(tree, heads), np.int64).reshape(-1, kind.order)
    collected: list[IntArray] = []

    def take(parts: IntArray) -> FloatArray:
        collected.append(parts)
        return np.zeros(len(parts))

    on = np.zeros((len(heads) + 1,) * 2, bool)
    on[heads, np.arange(1, len(heads) + 1)] = True
    arcs, factor = Arcs(on), _conjunction(family, take)
    # Over the arcs of the tree alone, every conjunction fires.
    factor.score(factor.scopes(arcs), arcs)
    return collected[0]


def _conjunction(family: str, score: Score) -> PartFactor:
    kind = CONJUNCTIONS[family]

    def lookup(*positions: Any) -> FloatArray:
        if isinstance(factor, Comb):
            head, first = positions
            return score(np.column_stack([head, factor.modifiers(head, first)]))
        return score(np.column_stack(positions))

    factor = kind(lookup)
    return factor


def _backbone_parts(family: str, arcs: Arcs) -> IntArray:
    """List the parts that the candidate arcs allow."""
    if family == OutermostGrandchild.name:
        chains = Grandchild(_no_scores).scopes(arcs)
        inner = [arcs.heads[chains[:, 0]], arcs.heads[chains[:, 1]], arcs.modifiers[chains[:, 1]]]
        bare = [arcs.heads, arcs.modifiers, arcs.modifiers]
        return np.concatenate([np.column_stack(inner), np.column_stack(bare)])
    pairs = Sibling(_no_scores).scopes(arcs)
    head, low, high = arcs.heads[pairs[:, 0]], arcs.modifiers[pairs[:, 0]], arcs.modifiers[pairs[:, 1]]
    left, right = high < head, low > head
    siblings = np.concatenate(
        [
            np.column_stack([arcs.heads, arcs.heads, arcs.modifiers]),
            np.column_stack([head, high, low])[left],
            np.column_stack([head, low, high])[right],
        ]
    )
    if family == AdjacentSibling.name:
        return siblings
    start, stop = arcs.first[siblings[:, 0]], arcs.first[siblings[:, 0] + 1]
    counts = stop - start
    repeated = np.repeat(siblings, counts, axis=0)
    above = np.arange(counts.sum()) + np.repeat(start - np.cumsum(counts) + counts, counts)
    below_word = np.column_stack([arcs.heads[above], repeated])
    acyclic = (below_word[:, [0]] != below_word[:, 2:]).all(axis=1)
    below_root = siblings[siblings[:, 0] == 0]
    return np.concatenate([below_word[acyclic], np.column_stack([below_root[:, 0], below_root])])


def _no_scores(*positions: IntArray) -> FloatArray:
    return np.zeros(len(positions[0]))
