"""One child of a node, and the test that a set of children covers its parent."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from gapless.core.branch_row import BranchRow, Expression
from gapless.core.decisions import FREE, OFF, ON, Decisions, Fixings
from gapless.core.serial import WRITTEN
from gapless.core.work import spend_work


def ids(values: Iterable[int]) -> tuple[int, ...]:
    """Decision ids as plain integers."""
    return tuple(map(int, values))


def _rows(rows: Iterable[BranchRow]) -> tuple[BranchRow, ...]:
    return tuple(rows)


@attrs.frozen
class Branch:
    """A child of a node: decisions fixed on and off, and rows over sums of them, in addition to the parent's.

    Rows need a relaxation that heeds them (`Relaxation.heeds_rows`), as linear masters do.

    Examples
    --------
    >>> from gapless.roles import Branch, Fixings
    >>> Branch(on=[0], off=[2]).narrow(Fixings.none(3)).state
    array([ 1, -1,  0], dtype=int8)
    """

    on: tuple[int, ...] = attrs.field(default=(), converter=ids)
    off: tuple[int, ...] = attrs.field(default=(), converter=ids)
    why: str = ""
    rows: tuple[BranchRow, ...] = attrs.field(
        default=(), converter=_rows, metadata={WRITTEN: lambda branch: branch.rows or None}
    )

    def narrow(self, fixings: Fixings) -> Fixings | None:
        """The fixings of the child of a node with these fixings; None when they contradict each other."""
        return fixings.fix(self.on, self.off, self.rows)


Literals = dict[Any, frozenset[int]]
"""Values that a branch allows of a decision, or of the sum of an `Expression`; it allows all of any other."""


def uncovered(parent: Fixings, branches: Sequence[Branch], decisions: Decisions) -> dict[Any, int] | None:
    """An assignment under `parent` that no branch contains; None when the branches cover.

    It gives 0 or 1 to decisions, and whole numbers to the sums of rows (by `BranchRow`). Assignments that break a
    group of `Decisions.exactly_one` need no cover. Only decisions and sums in the branches are enumerated, by
    splitting on one at a time. A sum counts as independent of its decisions beyond the fixings of the parent, so
    that children that cover for another reason may be refused.
    """
    mentioned = {d for b in branches for d in (*b.on, *b.off)}
    groups_of: dict[int, list[Sequence[int]]] = {d: [] for d in mentioned}
    for group in decisions.exactly_one:
        for d in mentioned.intersection(group):
            groups_of[d].append(group)
    sums = _sums(parent, branches)
    if any(not cells for _, cells in sums.values()):
        return None  # nothing keeps within the parent's rows
    # A branch that fixes one decision both ways contains nothing, so it covers nothing.
    literals = [_literals(b, sums) for b in branches if not set(b.on).intersection(b.off)]
    open_cases: list[tuple[dict[Any, int], list[Literals]]] = [
        ({}, [clause for clause in literals if all(clause.values())])
    ]
    while open_cases:
        assigned, clauses = open_cases.pop()
        spend_work(0, 1 + len(assigned) / 10 + sum(map(len, clauses)) / 5)
        if any(not clause for clause in clauses):
            continue
        if not clauses:
            return {sums[key][0] if key in sums else key: value for key, value in assigned.items()}
        key = next(iter(clauses[0]))
        for value in sums[key][1] if key in sums else (OFF, ON):
            wider = {**assigned, key: value}
            if key in sums or _possible(parent, wider, key, groups_of[key]):
                spend_work(len(clauses))
                rest = [
                    {k: v for k, v in clause.items() if k != key}
                    for clause in clauses
                    if key not in clause or value in clause[key]
                ]
                open_cases.append((wider, rest))
    return None


def _sums(parent: Fixings, branches: Sequence[Branch]) -> dict[Expression, tuple[BranchRow, list[int]]]:
    """Each sum in the branches, with a row of it and its values under `parent` that the branches tell apart."""
    rows = [row for b in branches for row in b.rows]
    sums: dict[Expression, tuple[BranchRow, list[int]]] = {}
    known = {row.expression: row for row in parent.rows}
    for row in rows:
        if row.expression in sums:
            continue
        least, most = row.extent(parent.state)
        above = known.get(row.expression, BranchRow(row.decisions, coefficients=row.coefficients))
        least = least if above.lower is None else max(least, above.lower)
        most = most if above.upper is None else min(most, above.upper)
        starts = {least}
        for other in (other for other in rows if other.expression == row.expression):
            starts |= {other.lower} if other.lower is not None else set()
            starts |= {other.upper + 1} if other.upper is not None else set()
        spend_work(10.0 * len(row.decisions) + len(rows))
        sums[row.expression] = row, sorted(value for value in starts if least <= value <= most)
    return sums


def _literals(branch: Branch, sums: Mapping[Expression, tuple[BranchRow, list[int]]]) -> Literals:
    """Demands of a branch; a value stands for all that the branches do not tell apart from it."""
    found: Literals = {d: frozenset({OFF}) for d in branch.off} | {d: frozenset({ON}) for d in branch.on}
    for row in branch.rows:
        values = sums[row.expression][1]
        allowed = frozenset(value for value in values if row.within(value))
        found[row.expression] = allowed & found.get(row.expression, allowed)
    return {key: values for key, values in found.items() if key not in sums or len(values) < len(sums[key][1])}


def case_in_words(case: Mapping[Any, int], decisions: Decisions) -> str:
    """An assignment of `uncovered` for people."""
    return ", ".join(
        f"{attrs.evolve(key, lower=value, upper=None).words()}"
        if isinstance(key, BranchRow)
        else f"{decisions.name(key)} {'on' if value else 'off'}"
        for key, value in case.items()
    )


def _possible(parent: Fixings, assigned: Mapping[Any, int], decision: int, groups: Sequence[Sequence[int]]) -> bool:
    """Whether the last decision of an assignment agrees with the fixings and with its exactly-one groups."""
    if parent.state[decision] not in (FREE, assigned[decision]):
        return False
    for group in groups:
        values = [assigned.get(d, int(parent.state[d])) for d in group]
        if values.count(ON) > 1 or all(v == OFF for v in values):
            return False
    return True


def in_words(branch: Branch, decisions: Decisions, most: int = 3) -> str:
    """The decisions of a branch by name, at most `most` of them."""
    names = [decisions.name(d) for d in branch.on] + [f"not: {decisions.name(d)}" for d in branch.off]
    names += [row.words() for row in branch.rows]
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    words = ", ".join([*names[:most], *more])
    return f"{words} ({branch.why})" if branch.why and words else words or branch.why


def unknown_decision(branches: Iterable[Branch], count: int) -> int | None:
    """A decision of some branch that does not exist; None when all exist."""
    named = (d for b in branches for d in itertools.chain(b.on, b.off, *(row.decisions for row in b.rows)))
    return next((d for d in named if not 0 <= d < count), None)
