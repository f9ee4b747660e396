"""The search tree of an answer: from its certificate, or from the events of its solve."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gapless.core.branch import in_words
from gapless.core.decisions import Fixings
from gapless.core.events import Event
from gapless.core.record import Record
from gapless.core.tolerance import margin
from gapless.core.tree_certificate import TreeCertificate

PATIENCE = 5.0
"""Seconds after which bounds of leaves are not recomputed any more."""


@attrs.frozen
class Node:
    """A node of a search tree.

    Parameters
    ----------
    number, parent : int
        Places in the tree; -1 above a root.
    decision : str
        What was decided on the way here from the parent.
    bound : float or None
        No structure below is better, in the problem's own sense; infeasible where this is the worst there is.
    outcome : str
        ``"branched"``, ``"closed"``, ``"infeasible"`` or ``"open"``.
    fixed : int
        Decisions that were fixed here because flipping them cannot pay.
    """

    number: int
    parent: int
    decision: str
    bound: float | None
    outcome: str
    fixed: int = 0

    def said(self) -> str:
        """The node in words."""
        parts = [self.decision or ("root" if self.parent < 0 else "")]
        if self.bound is not None and math.isfinite(self.bound):
            parts.append(f"bound {self.bound:.8g}")
        ended = {"closed": "cannot beat the best", "infeasible": "nothing is feasible", "open": "left open"}
        parts.append(ended.get(self.outcome, self.outcome))
        if self.fixed:
            parts.append(f"{self.fixed} decisions fixed by slacks")
        return "; ".join(part for part in parts if part)


def search_tree(record: Record, trace: Sequence[Event]) -> Sequence[Node]:
    """The nodes of the search, parents before children; empty where there was no tree, or nothing is known of it.

    The certificate says what was proved at the leaves, which are bounded again here; events say what the search
    knew of the inner nodes.
    """
    certificate = record.result.certificate
    if isinstance(certificate, TreeCertificate):
        return _of_certificate(record, certificate, _bounds(trace))
    return _of_events(record, trace)


def _bounds(trace: Sequence[Event]) -> dict[int, float]:
    """The bound on scores of each node that events tell."""
    return {
        int(event.details["node"]): event.sense.sign * float(event.details["node_bound"])
        for event in trace
        if event.kind == "node" and "node_bound" in event.details
    }


def _of_certificate(record: Record, tree: TreeCertificate, known: Mapping[int, float]) -> list[Node]:
    problem = record.problem
    children = [0] * len(tree.parents)
    held: list[Fixings | None] = []
    scores: list[float | None] = []
    started = time.perf_counter()
    for node, parent in enumerate(tree.parents):
        base = Fixings.none(problem.decisions.count) if parent < 0 else held[parent]
        branch = tree.branches[node]
        here = base.fix(branch.on, branch.off) if base is not None else None
        for step in tree.tightenings.get(str(node), ()):
            here = here.fix(step.on, step.off) if here is not None else None
        held.append(here)
        if parent >= 0:
            children[parent] += 1
        leaf = tree.leaves.get(str(node))
        settled = None if here is None else here.implied(problem.decisions)
        if settled is None:
            scores.append(-math.inf)
        elif leaf is not None and time.perf_counter() - started < PATIENCE:
            verdict = leaf.verify(problem, settled)
            scores.append(verdict.bound if verdict else None)
        else:
            scores.append(None)
    below: list[list[float | None]] = [[] for _ in tree.parents]
    for node in reversed(range(len(tree.parents))):
        if children[node]:
            proved = [score for score in below[node] if score is not None]
            scores[node] = known.get(node, max(proved) if len(proved) == children[node] else None)
        if tree.parents[node] >= 0:
            below[tree.parents[node]].append(scores[node])
    return [
        Node(
            node,
            parent,
            in_words(tree.branches[node], problem.decisions),
            None if score is None else problem.sense.sign * score,
            "branched" if children[node] else _outcome(record, score),
            sum(len(step.on) + len(step.off) for step in tree.tightenings.get(str(node), ())),
        )
        for node, (parent, score) in enumerate(zip(tree.parents, scores, strict=True))
    ]


def _of_events(record: Record, trace: Sequence[Event]) -> list[Node]:
    """From what a search tells when it branches: children by their numbers, decisions in words."""
    bounds = _bounds(trace)
    place: dict[int, int] = {}
    found: list[dict[str, Any]] = []

    def at(number: int, parent: int, decision: str, bound: float | None) -> int:
        if number not in place:
            place[number] = len(found)
            found.append(
                {"parent": parent, "decision": decision, "bound": bounds.get(number, bound), "inner": False}
            )
        return place[number]

    for event in trace:
        if event.kind == "branch" and isinstance(event.details.get("children"), list | tuple):
            node = at(int(event.details["node"]), -1, "", None)
            found[node]["inner"] = True
            said = event.details.get("decisions", ())
            for number, child in enumerate(event.details["children"]):
                at(int(child), node, said[number] if number < len(said) else "", found[node]["bound"])
    sign = record.problem.sense.sign
    return [
        Node(
            number,
            one["parent"],
            one["decision"],
            None if one["bound"] is None else sign * one["bound"],
            "branched" if one["inner"] else _outcome(record, one["bound"]),
        )
        for number, one in enumerate(found)
    ]


def _outcome(record: Record, score: float | None) -> str:
    """How a leaf ended: the events do not say, the result does."""
    result = record.result
    if score == -math.inf:
        return "infeasible"
    if result.proved:
        return "closed"
    best = result.sense.sign * result.value if result.solutions else -math.inf
    return "closed" if score is not None and score <= best + margin(best) else "open"
