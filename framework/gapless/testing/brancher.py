"""Rules for a `Brancher`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np

from gapless.arrays.tolerance import INTEGRAL
from gapless.decisions.branch import uncovered, unknown_decision
from gapless.decisions.decisions import FREE, Fixings
from gapless.limits.limits import SolveBudget
from gapless.problems.problem import Problem
from gapless.testing.conformance import Check, sample_fixings
from gapless.testing.enumeration import Feasible, given_or_enumerated
from gapless.tree_search.brancher import Brancher
from gapless.tree_search.relaxation import Relaxation, RelaxationResult

S = TypeVar("S")


def check_brancher(
    brancher: Brancher[S],
    problem: Problem[S],
    relaxation: Relaxation[S],
    *,
    structures: Iterable[S] | None = None,
    samples: int = 20,
    seed: int = 0,
) -> None:
    """Follow a brancher down from many nodes.

    Rules: children cover the parent; every feasible structure of the parent is in a child; no child repeats the
    parent; no child contains a fractional point; there are no children only where at most one structure is left;
    equal questions get equal answers; only existing decisions are named.

    Parameters
    ----------
    brancher : Brancher
    problem : Problem
        Small enough to enumerate, unless `structures` are given.
    relaxation : Relaxation
        Provides the points to exclude.
    structures : iterable of S, optional
        All feasible structures, instead of enumerating the assignments of decisions.
    samples : int
        Number of nodes to start from.
    seed : int
    """
    check = Check(brancher)
    found = given_or_enumerated(problem, structures)
    rng = np.random.default_rng(seed)
    for start in sample_fixings(problem.decisions, [f.on_ids for f in found], samples, seed):
        here: Fixings | None = start
        while here is not None:
            relaxed = relaxation.solve(here, SolveBudget())
            children = _check_split(check, brancher, problem, found, here, relaxed)
            here = children[rng.integers(len(children))] if children else None


def _check_split(
    check: Check,
    brancher: Brancher[S],
    problem: Problem[S],
    found: list[Feasible[S]],
    fixings: Fixings,
    relaxed: RelaxationResult[S],
) -> list[Fixings]:
    """Return the children that can hold a structure; none at the end of a dive."""
    decisions, at = problem.decisions, check.at(str(fixings))
    branches = at.call("split answers", lambda: list(brancher.split(fixings, relaxed)))
    again = list(brancher.split(fixings, relaxed))
    pairs = [(b.on, b.off, b.rows) for b in branches]
    at.require(pairs == [(b.on, b.off, b.rows) for b in again], "equal questions get equal answers")
    inside = [f for f in found if fixings.allows(f.on_ids)]
    if not branches:
        implied = fixings.implied(decisions)
        count = 0 if implied is None else implied.free.size
        at.require(not count, "children are given while something is open", f"{count} decisions are open")
        return []
    unknown = unknown_decision(branches, decisions.count)
    at.require(unknown is None, "branches name existing decisions", str(unknown))
    hole = uncovered(fixings, branches, decisions)
    at.require(hole is None, "children cover the parent", f"no child has {hole} of {pairs}")
    children = [b.child_fixings(fixings) for b in branches]
    for f in inside:
        covered = any(c is not None and c.allows(f.on_ids) for c in children)
        at.require(covered, "children cover the parent", f"no child of {pairs} holds {f.structure!r}")
    at.require(all(c != fixings for c in children), "no child repeats its parent", str(pairs))
    if relaxed.point is not None and relaxed.bound > -np.inf:
        point = relaxed.point
        open_part = point[fixings.state == FREE]
        if np.any((open_part > INTEGRAL) & (open_part < 1 - INTEGRAL)):
            for branch in branches:
                cut = [point[d] < 1 - INTEGRAL for d in branch.on] + [point[d] > INTEGRAL for d in branch.off]
                cut += [not row.allows(row.activity(point)) for row in branch.rows]
                at.require(any(cut), "children exclude a fractional point", f"{branch} holds {point}")
    return [c for c in children if c is not None and c.implied(decisions) is not None]
