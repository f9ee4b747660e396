"""Small random chains and trees, for ``gapless selftest``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import SelftestInstances
from gapless.testing.random_factors import random_factors
from gapless_chains.problem import ChainProblem
from gapless_chains.segments import Segments
from gapless_chains.trees.problem import TreeProblem


def random_chain(rng: np.random.Generator) -> ChainProblem:
    """Sample up to five tokens and four labels: ties, forbidden scores, ends, one matrix or one for each edge."""
    n, k = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    n = min(n, 4) if k > 2 else n
    per_edge = n > 1 and rng.random() < 0.3
    ends = {end: _scores(rng, (k,)) for end in ("initial", "final") if rng.random() < 0.3}
    return ChainProblem(_scores(rng, (n, k)), _scores(rng, (n - 1, k, k) if per_edge else (k, k)), **ends)


def random_tree(rng: np.random.Generator) -> TreeProblem:
    """Sample a tree or forest of one to five nodes and one to three labels, with scores as in `random_chain`."""
    n, k = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    parents = [-1, *(int(rng.integers(-1 if rng.random() < 0.2 else 0, i)) for i in range(1, n))]
    return TreeProblem(_scores(rng, (n, k)), _scores(rng, (n, k, k) if rng.random() < 0.3 else (k, k)), parents)


def _scores(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    """Sample small integers, equal, normal or huge scores; sometimes a few are -inf."""
    kind = rng.random()
    sampled: Any = rng.normal(0.0, 1e6 if kind > 0.9 else 1.0, shape)
    if kind < 0.4:
        sampled = rng.integers(-1, 2, shape).astype(np.float64)
    elif kind < 0.5:
        sampled = np.zeros(shape)
    return np.where(rng.random(shape) < rng.choice([0.0, 0.0, 0.0, 0.1, 0.4]), -np.inf, sampled)


def random_chain_with_factors(rng: np.random.Generator) -> ChainProblem:
    """Sample a chain with factors of any tier."""
    bare = random_chain(rng)
    return attrs.evolve(bare, factors=random_factors(rng, bare.decisions))


def random_tree_with_factors(rng: np.random.Generator) -> TreeProblem:
    """Sample a tree or forest with factors of any tier."""
    bare = random_tree(rng)
    return attrs.evolve(bare, factors=random_factors(rng, bare.decisions))


def random_segments(rng: np.random.Generator) -> ChainProblem:
    """Sample segments of one or two positions and one or two labels, over up to four positions."""
    n, segments = int(rng.integers(1, 5)), Segments(int(rng.integers(1, 3)), 2)
    scores = _scores(rng, (n, segments.longest, segments.labels))
    return segments.problem(scores, _scores(rng, (segments.labels, segments.labels)))


def labellings(problem: ChainProblem | TreeProblem) -> Iterator[IntArray]:
    """Enumerate all allowed labellings."""
    n, k = problem.unary.shape
    every = (np.array(labels, np.int64) for labels in itertools.product(range(k), repeat=n))
    return (labels for labels in every if not problem.violations(labels))


SPECIMENS = (
    SelftestInstances(ChainProblem, random_chain, structures=labellings),
    SelftestInstances(TreeProblem, random_tree, structures=labellings),
    SelftestInstances(ChainProblem, random_segments, structures=labellings, named=lambda _: "segments"),
    SelftestInstances(ChainProblem, random_chain_with_factors, factors=True),
    SelftestInstances(TreeProblem, random_tree_with_factors, factors=True),
)
