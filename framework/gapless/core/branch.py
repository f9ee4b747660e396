"""One child of a node, and the test that a set of children covers its parent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from gapless.core.decisions import FREE, OFF, ON, Decisions, Fixings
from gapless.core.work import spend_work


def ids(values: Iterable[int]) -> tuple[int, ...]:
    """Decision ids as plain integers."""
    return tuple(map(int, values))


@attrs.frozen
class Branch:
    """A child of a node: decisions fixed on and off in addition to the parent's fixings."""

    on: tuple[int, ...] = attrs.field(default=(), converter=ids)
    off: tuple[int, ...] = attrs.field(default=(), converter=ids)
    why: str = ""


def uncovered(parent: Fixings, branches: Sequence[Branch], decisions: Decisions) -> dict[int, int] | None:
    """An assignment (decision -> 0/1) under `parent` that no branch contains; None when the branches cover.

    Assignments that break a group of `Decisions.exactly_one` need no cover. Only decisions in the branches are
    enumerated, by splitting on one at a time.
    """
    mentioned = {d for b in branches for d in (*b.on, *b.off)}
    groups_of: dict[int, list[Sequence[int]]] = {d: [] for d in mentioned}
    for group in decisions.exactly_one:
        for d in mentioned.intersection(group):
            groups_of[d].append(group)
    open_cases: list[tuple[dict[int, int], list[dict[int, int]]]] = [
        (
            {},
            # A branch that fixes one decision both ways contains nothing, so it covers nothing.
            [
                {**dict.fromkeys(b.off, OFF), **dict.fromkeys(b.on, ON)}
                for b in branches
                if not set(b.on).intersection(b.off)
            ],
        )
    ]
    while open_cases:
        assigned, clauses = open_cases.pop()
        spend_work(0, 1 + len(assigned) / 10 + sum(map(len, clauses)) / 5)
        if any(not clause for clause in clauses):
            continue
        if not clauses:
            return assigned
        decision = next(iter(clauses[0]))
        for value in (OFF, ON):
            wider = {**assigned, decision: value}
            if _possible(parent, wider, decision, groups_of[decision]):
                rest = [
                    {d: v for d, v in clause.items() if d != decision}
                    for clause in clauses
                    if clause.get(decision, value) == value
                ]
                open_cases.append((wider, rest))
    return None


def _possible(parent: Fixings, assigned: dict[int, int], decision: int, groups: Sequence[Sequence[int]]) -> bool:
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
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    words = ", ".join([*names[:most], *more])
    return f"{words} ({branch.why})" if branch.why and words else words or branch.why


def unknown_decision(branches: Iterable[Branch], count: int) -> int | None:
    """A decision of some branch that does not exist; None when all exist."""
    return next((d for b in branches for d in (*b.on, *b.off) if not 0 <= d < count), None)
