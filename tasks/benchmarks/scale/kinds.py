"""Problems to share among workers: drawn ones of every kind, as a user would hand them over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless_chains import ChainModel
from gapless_dependency import ParsingProblem
from gapless_dependency.random_problems import random_problem
from gapless_linking import LinkingProblem
from gapless_linking.synthetic import synthetic_candidates, synthetic_graph
from gapless_ordering.random_problems import title_like

WORDS = 24
_GRAPH = (30_000, 100_000)
"""Vertices and edges: where most distances are 4."""

Problems = Sequence[gl.Problem[Any]]
Make = Callable[[], Problems]
"""Makes problems of arrays that have been drawn: new ones each time, of which nothing is known."""


@attrs.frozen
class Kind:
    """Problems of one kind.

    Parameters
    ----------
    draw : callable
        ``draw(count)`` draws the arrays of that many.
    method : str or None
        By default the problem type's own.
    """

    name: str
    draw: Callable[[int], Make]
    method: str | None = None


def _chains(labels: int) -> Callable[[int], Make]:
    def draw(count: int) -> Make:
        rng = np.random.default_rng(0)
        transition = rng.normal(size=(labels, labels))
        arrays = [rng.normal(size=(WORDS, labels)) for _ in range(count)]

        def make() -> Problems:
            model = ChainModel(transition)
            return [model.problem(array) for array in arrays]

        return make

    return draw


def _batch(labels: int) -> Callable[[int], Make]:
    def draw(count: int) -> Make:
        rng = np.random.default_rng(0)
        scores = rng.standard_normal((WORDS * count, labels), np.float32)
        transition = rng.normal(size=(labels, labels))
        return lambda: ChainModel(transition).batch(scores, [WORDS] * count)

    return draw


def _parses(count: int) -> Make:
    rng = np.random.default_rng(0)
    drawn = [random_problem(rng, WORDS, families=("grandchild",), strength=0.3) for _ in range(count)]
    return lambda: [
        ParsingProblem(
            one.scores,
            factors=one.factors,
            projective=one.projective,
            single_root=one.single_root,
            granularity=one.granularity,
        )
        for one in drawn
    ]


def _paths(count: int) -> Make:
    # Drawing one takes longer than solving it: a hundred, each copied anew, so that nothing is known of the copies.
    drawn = [title_like(150, 12, seed) for seed in range(min(count, 100))]
    return lambda: [attrs.evolve(drawn[i % len(drawn)]) for i in range(count)]


def _links(count: int) -> Make:
    graph, communities = synthetic_graph(*_GRAPH, communities="base")
    drawn = [synthetic_candidates(graph, communities, 6, 48, seed=seed) for seed in range(count)]
    return lambda: [LinkingProblem(graph, sets) for sets in drawn]


KINDS = (
    Kind("chains, 45 labels", _chains(45)),
    Kind("chains, 45 labels, column generation", _chains(45), "column-generation"),
    Kind("chains, 350 labels", _chains(350)),
    Kind("chains, 350 labels, column generation", _chains(350), "column-generation"),
    Kind("a batch of chains, 45 labels", _batch(45)),
    Kind("a batch of chains, 350 labels, column generation", _batch(350), "column-generation"),
    Kind("dependency parses with grandchildren", _parses),
    Kind("paths through 150 vertices", _paths),
    Kind("documents of 6 mentions", _links),
)
