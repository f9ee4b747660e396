"""Small random instances with every oddity: for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem

STRUCTURES = 3000
"""Sets are made smaller until there are at most so many choices."""

_LARGE = 1e9
"""Costs of this size that cancel leave seven digits of float64."""

Draw = Callable[[Any], Any]
"""From a shape to lengths, which need not be symmetric."""


def random_problem(
    rng: np.random.Generator,
    k: int | None = None,
    *,
    kind: str | None = None,
    feasible: bool = False,
    cancelling: bool = True,
) -> LinkingProblem:
    """Sample a small instance; arguments that are None are sampled, too.

    Among them are sets that overlap, are equal, are singletons or disjoint; one set alone; anchors that are
    repeated, weigh nothing or less; priors with ties, and that forbid; graphs with and without lengths, connected
    or not, under either connection; distances of no graph: zero between different vertices, all equal,
    unreachable, without a triangle inequality; costs of 1e9 that cancel; instances without an answer.

    Parameters
    ----------
    k : int, optional
        The number of sets, else 1 to 7.
    kind : {"graph", "lengths", "ties", "zeros", "equal", "uniform", "huge", "mixed"}, optional
        Source of distances: a graph without or with lengths, or a drawn matrix.
    feasible : bool
        Whether no vertex is unreachable and no candidate forbidden.
    cancelling : bool
        Whether there may be costs that cancel: float64 may lose so much of them that nothing is proved.
    """
    n = int(rng.integers(2, 15))
    k = int(rng.choice([1, 2, 3, 4, 5, 6, 7], p=[0.05, 0.1, 0.2, 0.25, 0.2, 0.1, 0.1])) if k is None else k
    draws = _draws(rng)
    if not cancelling:
        del draws["huge"]
    kind = str(rng.choice(["graph", "graph", "lengths", "lengths", *draws])) if kind is None else kind
    candidates = _candidates(rng, n, k)
    more: dict[str, Any] = {}
    if rng.random() < 0.4:
        more["anchors"] = _anchors(rng, n)
    if rng.random() < 0.4:
        more["prior"] = _prior(rng, [members.size for members in candidates], feasible)
        more["prior_weight"] = float(rng.choice([0.0, 0.5, 1.0, 3.0, np.pi]))
    if rng.random() < 0.1 and cancelling:
        _cancel(rng, candidates, more)
    if kind in draws:
        return LinkingProblem.from_distances(_matrix(rng, n, draws[kind], feasible), candidates, **more)
    problem = LinkingProblem(_graph(rng, n, kind == "lengths", feasible), candidates, **more)
    connected = (problem, problem.maximal_connection(), problem.minimal_connection())
    return connected[int(rng.integers(3))]


def _draws(rng: np.random.Generator) -> dict[str, Draw]:
    return {
        "ties": lambda shape: rng.integers(1, 4, shape),
        "zeros": lambda shape: rng.integers(0, 3, shape),
        "equal": lambda shape: np.full(shape, 2),
        "uniform": lambda shape: rng.uniform(0.0, 5.0, shape),
        "huge": lambda shape: _LARGE + rng.integers(0, 9, shape),
        "mixed": lambda shape: np.where(
            rng.random(shape) < 0.5, rng.integers(0, 4, shape), rng.exponential(2.0, shape)
        ),
    }


def _matrix(rng: np.random.Generator, n: int, draw: Draw, feasible: bool) -> FloatArray:
    upper = np.triu(np.asarray(draw((n, n)), np.float64), 1)
    if not feasible and rng.random() < 0.25:
        upper[np.triu(rng.random((n, n)) < rng.choice([0.05, 0.1, 0.3]), 1)] = np.inf
    matrix: FloatArray = upper + upper.T
    return matrix


def _graph(rng: np.random.Generator, n: int, lengths: bool, feasible: bool) -> Graph:
    """Sample a tree with up to n more edges, some of them repeated; sometimes a few edges are left out."""
    head = np.arange(1, n)
    tree = np.stack([(rng.random(n - 1) * head).astype(np.int64), head], axis=1)
    more = rng.integers(0, n, (int(rng.integers(0, n + 1)), 2))
    edges = np.concatenate([tree, more[more[:, 0] != more[:, 1]]])
    if not feasible and rng.random() < 0.2:
        edges = edges[rng.random(len(edges)) > 0.2]
    costs = None
    if lengths:
        whole = rng.random() < 0.5
        costs = rng.integers(1, 4, len(edges)) if whole else rng.uniform(0.1, 3.0, len(edges))
    offsets = np.searchsorted(np.sort(edges[:, 0]), np.arange(n + 1))
    order = np.argsort(edges[:, 0], kind="stable")
    return Graph.from_arrays(offsets, edges[order, 1], None if costs is None else costs[order])


def _candidates(rng: np.random.Generator, n: int, k: int) -> list[IntArray]:
    """Sample sets: consecutive, disjoint, equal or independent; few enough to enumerate."""
    most = int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.04, 0.16, 0.2, 0.2, 0.2, 0.2]))
    shape = rng.random()
    if shape < 0.1:
        sets = [np.sort(rng.choice(n, min(n, most), replace=False))] * k
    elif shape < 0.4 and n >= k:
        cuts = np.sort(rng.choice(np.arange(1, n), k - 1, replace=False))
        sets = [np.sort(part) for part in np.split(rng.permutation(n), cuts)]
    else:
        sizes = np.minimum(n, rng.integers(1 if rng.random() < 0.5 else most, most + 1, k))
        sets = [rng.choice(n, size, replace=False) for size in sizes.tolist()]
    while np.prod([members.size for members in sets]) > STRUCTURES:
        largest = int(np.argmax([members.size for members in sets]))
        sets[largest] = sets[largest][:-1]
    return sets


def _anchors(rng: np.random.Generator, n: int) -> list[tuple[int, float]]:
    """Sample up to four anchors, with repetitions."""
    count = int(rng.integers(1, 5))
    weights = rng.integers(-2, 5, count) if rng.random() < 0.6 else rng.normal(1.0, 2.0, count)
    return list(zip(rng.integers(0, n, count).tolist(), weights.astype(float).tolist(), strict=True))


def _prior(rng: np.random.Generator, sizes: list[int], feasible: bool) -> list[FloatArray]:
    forbidden = 0.0 if feasible else float(rng.choice([0.0, 0.0, 0.0, 0.2, 0.4]))
    whole = rng.random() < 0.5
    scores = [rng.integers(-2, 3, size).astype(float) if whole else rng.normal(0.0, 3.0, size) for size in sizes]
    return [np.where(rng.random(size) < forbidden, -np.inf, one) for size, one in zip(sizes, scores, strict=True)]


def _cancel(rng: np.random.Generator, candidates: list[IntArray], more: dict[str, Any]) -> None:
    """Sample large priors that cancel between sets, or large anchors that cancel within one candidate."""
    if rng.random() < 0.5:
        given = more.get("prior", [np.zeros(members.size) for members in candidates])
        signs = _LARGE * (-1.0) ** np.arange(len(given))
        more["prior"] = [scores + sign for scores, sign in zip(given, signs.tolist(), strict=True)]
    else:
        z = int(rng.choice(candidates[0]))
        more["anchors"] = [(z, _LARGE), *more.get("anchors", []), (z, -_LARGE)]
