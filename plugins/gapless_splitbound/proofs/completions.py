"""The best tree that fixings leave, by scoring every choice of heads: written for checking."""

from __future__ import annotations

import math

import numpy as np

from gapless import Factor, Fixings, InvalidProblem
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.proofs.rounding import ULP

MOST_CHOICES = 1 << 16
"""More are refused: a certificate must not make its checker work for hours."""


def best_completion(problem: ParsingProblem, fixings: Fixings) -> float:
    """Score of the best tree under `fixings`, no less than it is; -inf if there is none.

    Parameters
    ----------
    problem : ParsingProblem
        With conjunctive factors only.
    fixings : Fixings
        With what they imply: a word with one candidate has it on.

    Raises
    ------
    InvalidProblem
        Another kind of factor, or more than `MOST_CHOICES` ways to choose heads.
    """
    if not all(isinstance(factor, Factor) for factor in problem.factors):
        raise InvalidProblem("only trees with conjunctive factors are enumerated")
    arcs, open_arcs = problem.decisions, fixings.state != 0
    choices = [
        np.flatnonzero(open_arcs[arcs.first[m] : arcs.first[m + 1]]) + arcs.first[m]
        for m in range(1, problem.length + 1)
    ]
    count = math.prod(len(into) for into in choices)
    if count > MOST_CHOICES:
        raise InvalidProblem(f"{count} choices of heads are left, at most {MOST_CHOICES} are enumerated")
    if count == 0:
        return -math.inf
    chosen = np.stack([column.ravel() for column in np.meshgrid(*choices, indexing="ij")], axis=1)
    scores = problem.arc_weights[chosen].sum(axis=1)
    size, terms = np.abs(problem.arc_weights[chosen]).sum(axis=1), np.full(len(chosen), float(problem.length))
    for factor in problem.conjunctions:
        left = np.flatnonzero(open_arcs[factor.scopes].all(axis=1))
        for scope, score in zip(factor.scopes[left], factor.scores(left), strict=True):
            fires = (chosen[:, arcs.modifiers[scope] - 1] == scope).all(axis=1)
            scores[fires] += score
            if np.isfinite(score):
                size[fires] += abs(score)
                terms[fires] += 1.0
    # What float64 may have rounded away of each sum.
    scores += ULP * terms * size
    for row in np.argsort(-scores, kind="stable"):
        if scores[row] == -math.inf:
            break
        if not problem.violations(DependencyTree(arcs.heads[chosen[row]])):
            return float(scores[row])
    return -math.inf
