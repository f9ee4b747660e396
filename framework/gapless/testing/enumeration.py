"""Brute force over the decisions of a problem: the reference for small instances."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import IntArray
from gapless.decisions.decisions import FREE, OFF, ON, Decisions, Fixings
from gapless.errors import GaplessError, InvalidProblem
from gapless.problems.problem import Problem, score_of
from gapless.results.result import Solution

S = TypeVar("S")
LIMIT = 200_000


class SpaceTooLarge(GaplessError, ValueError):
    """Too many assignments of the decisions to enumerate."""


@attrs.frozen(eq=False)
class Feasible(Generic[S]):
    """One feasible structure.

    Parameters
    ----------
    on_ids : int64
        Decisions that are on, ascending.
    structure : S
    score : float
        Larger is better, for either sense of the problem.
    """

    on_ids: IntArray
    structure: S
    score: float


def enumerate_best(
    problem: Problem[S], k: int = 1, fixings: Fixings | None = None, *, limit: int = LIMIT
) -> list[Solution[S]]:
    """Return the `k` best structures, best first; fewer if there are fewer, none if nothing is feasible.

    Parameters
    ----------
    problem : Problem
    k : int
    fixings : Fixings, optional
        Restriction to structures that agree with these.
    limit : int
        Limit on the assignments of the decisions.

    Raises
    ------
    SpaceTooLarge
    """
    if k < 1:
        raise ValueError(f"k is {k}, it must be at least 1")
    best = sorted(feasible_structures(problem, fixings, limit=limit), key=lambda f: -f.score)[:k]
    return [Solution(f.structure, problem.sense.sign * f.score) for f in best]


def feasible_structures(
    problem: Problem[S], fixings: Fixings | None = None, *, limit: int = LIMIT
) -> list[Feasible[S]]:
    """Return all feasible structures that agree with `fixings`, in order of enumeration.

    An assignment counts when `Problem.decode` gives a structure without violations that encodes to the same
    assignment; an assignment for which decode raises is skipped.
    """
    decisions = problem.decisions
    feasible = []
    for on_ids in _assignments(decisions, fixings or Fixings.none(decisions.count), limit):
        # Most assignments are no structures, and a problem may refuse them by any of these errors.
        try:
            structure = problem.decode(on_ids)
            broken = problem.violations(structure)
        except (GaplessError, ValueError, TypeError, LookupError):
            continue
        # `decode` may repair an assignment; the repaired structure is enumerated under its own assignment.
        if not broken and np.array_equal(problem.encode(structure), on_ids):
            feasible.append(Feasible(on_ids, structure, float(score_of(problem, structure))))
    return feasible


def given_or_enumerated(problem: Problem[S], structures: Iterable[S] | None) -> list[Feasible[S]]:
    """Return all feasible structures, given or enumerated.

    Raises `InvalidProblem`: a given structure is infeasible. `SpaceTooLarge`: none are given, and there are too
    many assignments to enumerate.
    """
    if structures is None:
        return feasible_structures(problem)
    # Several structures may share their decisions (with equal encodings): the best of them is the reference.
    feasible: dict[bytes, Feasible[S]] = {}
    for number, structure in enumerate(structures):
        broken = list(problem.violations(structure))
        if broken:
            raise InvalidProblem(f"structures[{number}] is infeasible: {broken[0]}")
        on_ids = np.sort(problem.encode(structure))
        score = float(score_of(problem, structure))
        known = feasible.get(on_ids.tobytes())
        if known is None or score > known.score:
            feasible[on_ids.tobytes()] = Feasible(on_ids, structure, score)
    return list(feasible.values())


def _assignments(decisions: Decisions, fixings: Fixings, limit: int) -> Iterator[IntArray]:
    """Yield all assignments that agree with the fixings, the choice groups and the order of thresholds."""
    groups_of: list[list[Sequence[int]]] = [[] for _ in range(decisions.count)]
    for group in decisions.exactly_one:
        for d in group:
            groups_of[d].append(group)
        if not len(group):
            return
    order = list(dict.fromkeys([d for group in decisions.exactly_one for d in group] + [*range(decisions.count)]))
    size = _size(decisions, fixings)
    if size > limit and all(len(groups) <= 1 for groups in groups_of):
        raise SpaceTooLarge(
            f"there are {size} assignments of {decisions.count} decisions; the limit is {limit}, "
            "enumerate a smaller instance, or pass its feasible structures to the check (structures=)"
        )
    tried = 0
    thresholds = _neighbours(decisions)
    state = np.full(decisions.count, FREE, np.int8)

    def possible(d: int) -> bool:
        for group in groups_of[d]:
            values = state[np.asarray(group)]
            ons = np.count_nonzero(values == ON)
            if ons > 1 or (ons == 0 and not np.any(values == FREE)):
                return False
        # thresholds of a quantity are nested: "at least 2" implies "at least 1"
        return not any(state[low] == OFF and state[high] == ON for low, high in thresholds.get(d, ()))

    def extend(index: int) -> Iterator[IntArray]:
        nonlocal tried
        if index == len(order):
            tried += 1
            if tried > limit:
                raise SpaceTooLarge(f"there are more than {limit} assignments of {decisions.count} decisions")
            yield np.flatnonzero(state == ON)
            return
        d = order[index]
        for value in (OFF, ON):
            if fixings.state[d] in (FREE, value):
                state[d] = value
                if possible(d):
                    yield from extend(index + 1)
        state[d] = FREE

    yield from extend(0)


def _size(decisions: Decisions, fixings: Fixings) -> int:
    """Count the assignments, as if no two groups shared a decision."""
    free = fixings.state == FREE
    grouped = {d for group in decisions.exactly_one for d in group}
    choices = [int(np.count_nonzero(free[np.asarray(group)])) for group in decisions.exactly_one]
    ungrouped = sum(bool(free[d]) for d in range(decisions.count) if d not in grouped)
    return math.prod(max(1, c) for c in choices) * (1 << ungrouped)


def _neighbours(decisions: Decisions) -> dict[int, list[tuple[int, int]]]:
    """Return for each decision the pairs (lower, higher threshold) of its quantity that it belongs to."""
    pairs: dict[int, list[tuple[int, int]]] = {}
    if decisions.quantity is None:
        return pairs
    order = np.lexsort((decisions.thresholds(), decisions.quantity))
    for low, high in pairwise(int(d) for d in order):
        if decisions.quantity[low] == decisions.quantity[high]:
            pairs.setdefault(low, []).append((low, high))
            pairs.setdefault(high, []).append((low, high))
    return pairs
