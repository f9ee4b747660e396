"""Bounds from walks: they may visit a class twice, so the best walk is worth at least as much as the best path."""

from __future__ import annotations

from gapless_ordering.problem import OrderingProblem


def walk_bound(problem: OrderingProblem) -> float:
    """The score of the best walk of `length` vertices; -inf when there is none."""
    scores = problem.start
    for _ in range(problem.length - 1):
        scores = (scores[:, None] + problem.ordering).max(axis=0)
    return float((scores + problem.end).max())
