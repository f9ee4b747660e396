"""One child of a node, and the test that a set of children covers its parent."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from gapless.arrays.serial import WRITTEN
from gapless.decisions.branch_row import BranchRow, Expression
from gapless.decisions.decisions import FREE, OFF, ON, Decisions, Fixings
from gapless.limits.work import charge_work


def ids(values: Iterable[int]) -> tuple[int, ...]:
    """Convert decision ids to plain integers."""
    return tuple(map(int, values))


def _rows(rows: Iterable[BranchRow]) -> tuple[BranchRow, ...]:
    return tuple(rows)


@attrs.frozen
class Branch:
    """A child of a node: decisions fixed on and off, and rows over sums of them, in addition to the parent's.

    Rows need a relaxation that applies them (`Relaxation.supports_branch_rows`), as linear masters do.

    Examples
    --------
    >>> from gapless.roles import Branch, Fixings
    >>> Branch(on=[0], off=[2]).child_fixings(Fixings.none(3)).state
    array([ 1, -1,  0], dtype=int8)
    """

    on: tuple[int, ...] = attrs.field(default=(), converter=ids)
    off: tuple[int, ...] = attrs.field(default=(), converter=ids)
    why: str = ""
    rows: tuple[BranchRow, ...] = attrs.field(
        default=(), converter=_rows, metadata={WRITTEN: lambda branch: branch.rows or None}
    )

    def child_fixings(self, fixings: Fixings) -> Fixings | None:
        """Return the fixings of the child, from those of its parent; None if they contradict each other."""
        return fixings.fix(self.on, self.off, self.rows)


Literals = dict[Any, frozenset[int]]
"""Allowed values by decision, or by `Expression` for sums, of a branch; without an entry all are allowed."""


def uncovered(parent: Fixings, branches: Sequence[Branch], decisions: Decisions) -> dict[Any, int] | None:
    """Find an assignment under `parent` that no branch contains; None if the branches cover the node.

    It gives 0 or 1 to decisions, and whole numbers to the sums of rows (by `BranchRow`). Assignments that break a
    group of `Decisions.exactly_one` need no cover. Only decisions and sums in the branches are enumerated, by
    splitting on one at a time. Except for the parent's fixings, a sum counts as independent of its decisions, so
    children that cover for another reason may be refused.
    """
    # Whether a union of boxes covers a box is co-NP-complete in general. Branches mention a handful of decisions,
    # and each split drops the branches that it contradicts.
    mentioned = {d for b in branches for d in (*b.on, *b.off)}
    groups_of: dict[int, list[Sequence[int]]] = {d: [] for d in mentioned}
    for group in decisions.exactly_one:
        for d in mentioned.intersection(group):
            groups_of[d].append(group)
    sums = _sums(parent, branches)
    if any(not cells for _, cells in sums.values()):
        return None  # the parent's rows contradict its fixings: there is nothing to cover
    # A branch that fixes a decision both on and off is empty, so it covers nothing.
    literals = [_literals(b, sums) for b in branches if not set(b.on).intersection(b.off)]
    open_cases: list[tuple[dict[Any, int], list[Literals]]] = [
        ({}, [clause for clause in literals if all(clause.values())])
    ]
    while open_cases:
        assigned, clauses = open_cases.pop()
        charge_work(0, 1 + len(assigned) / 10 + sum(map(len, clauses)) / 5)
        if any(not clause for clause in clauses):
            continue  # a branch without demands left contains the whole case
        if not clauses:
            return {sums[key][0] if key in sums else key: value for key, value in assigned.items()}
        # Only a key that some branch constrains can tell covered from uncovered cases apart.
        key = next(iter(clauses[0]))
        for value in sums[key][1] if key in sums else (OFF, ON):
            wider = {**assigned, key: value}
            if key in sums or _possible(parent, wider, key, groups_of[key]):
                charge_work(len(clauses))
                rest = [
                    {k: v for k, v in clause.items() if k != key}
                    for clause in clauses
                    if key not in clause or value in clause[key]
                ]
                open_cases.append((wider, rest))
    return None


def _sums(parent: Fixings, branches: Sequence[Branch]) -> dict[Expression, tuple[BranchRow, list[int]]]:
    """Return a row and the values to distinguish under `parent`, for each sum in the branches.

    A value stands for all from it up to the next one: between two limits of branches, all values are alike.
    """
    rows = [row for b in branches for row in b.rows]
    sums: dict[Expression, tuple[BranchRow, list[int]]] = {}
    parent_rows = {row.expression: row for row in parent.rows}
    for row in rows:
        if row.expression in sums:
            continue
        minimum, maximum = row.activity_bounds(parent.state)
        above = parent_rows.get(row.expression, BranchRow(row.decisions, coefficients=row.coefficients))
        minimum = minimum if above.lower is None else max(minimum, above.lower)
        maximum = maximum if above.upper is None else min(maximum, above.upper)
        starts = {minimum}
        for other in (other for other in rows if other.expression == row.expression):
            starts |= {other.lower} if other.lower is not None else set()
            starts |= {other.upper + 1} if other.upper is not None else set()
        charge_work(10.0 * len(row.decisions) + len(rows))
        sums[row.expression] = row, sorted(value for value in starts if minimum <= value <= maximum)
    return sums


def _literals(branch: Branch, sums: Mapping[Expression, tuple[BranchRow, list[int]]]) -> Literals:
    """Return the demands of a branch on decisions and on the values of `sums`."""
    demands: Literals = {d: frozenset({OFF}) for d in branch.off} | {d: frozenset({ON}) for d in branch.on}
    for row in branch.rows:
        values = sums[row.expression][1]
        allowed = frozenset(value for value in values if row.allows(value))
        demands[row.expression] = allowed & demands.get(row.expression, allowed)
    # A row that allows every value that is possible under the parent demands nothing.
    return {key: values for key, values in demands.items() if key not in sums or len(values) < len(sums[key][1])}


def case_in_words(case: Mapping[Any, int], decisions: Decisions) -> str:
    """Describe an assignment of `uncovered`."""
    return ", ".join(
        f"{attrs.evolve(key, lower=value, upper=None).words()}"
        if isinstance(key, BranchRow)
        else f"{decisions.name(key)} {'on' if value else 'off'}"
        for key, value in case.items()
    )


def _possible(parent: Fixings, assigned: Mapping[Any, int], decision: int, groups: Sequence[Sequence[int]]) -> bool:
    """Whether the newest decision of an assignment agrees with the fixings and with its exactly-one groups."""
    if parent.state[decision] not in (FREE, assigned[decision]):
        return False
    for group in groups:
        values = [assigned.get(d, int(parent.state[d])) for d in group]
        if values.count(ON) > 1 or all(v == OFF for v in values):
            return False
    return True


def in_words(branch: Branch, decisions: Decisions, limit: int = 3) -> str:
    """Name the decisions of a branch, at most `limit` of them."""
    names = [decisions.name(d) for d in branch.on] + [f"not: {decisions.name(d)}" for d in branch.off]
    names += [row.words() for row in branch.rows]
    more = [f"and {len(names) - limit} more"] if len(names) > limit else []
    words = ", ".join([*names[:limit], *more])
    return f"{words} ({branch.why})" if branch.why and words else words or branch.why


def unknown_decision(branches: Iterable[Branch], count: int) -> int | None:
    """Find a decision id in the branches that does not exist; None if all exist."""
    named = (d for b in branches for d in itertools.chain(b.on, b.off, *(row.decisions for row in b.rows)))
    return next((d for d in named if not 0 <= d < count), None)
