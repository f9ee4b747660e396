"""Search tree of an answer, from its certificate or from the events of its solve."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gapless.arrays.tolerance import score_tolerance
from gapless.certificates.tree_certificate import TreeCertificate
from gapless.decisions.branch import in_words
from gapless.decisions.decisions import Decisions, Fixings
from gapless.limits.events import Event
from gapless.results.record import Record

PATIENCE = 5.0
"""Time limit in seconds for recomputing the bounds of leaves."""


@attrs.frozen
class TreeNode:
    """Node of a search tree.

    Parameters
    ----------
    number, parent : int
        Positions in the tree; -1 above a root.
    decision : str
        Branching decision between the parent and this node.
    bound : float or None
        Bound on the structures below, in the problem's sense; the worst possible value if infeasible.
    outcome : str
        ``"branched"``, ``"closed"``, ``"infeasible"`` or ``"open"``.
    fixed : int
        Number of decisions fixed by max-marginals at this node.
    """

    number: int
    parent: int
    decision: str
    bound: float | None
    outcome: str
    fixed: int = 0

    def words(self) -> str:
        """Description of the node."""
        parts = [self.decision or ("root" if self.parent < 0 else "")]
        if self.bound is not None and math.isfinite(self.bound):
            parts.append(f"bound {self.bound:.8g}")
        ended = {"closed": "cannot beat the best", "infeasible": "nothing is feasible", "open": "left open"}
        parts.append(ended.get(self.outcome, self.outcome))
        if self.fixed:
            parts.append(f"{self.fixed} decisions fixed by max-marginals")
        return "; ".join(part for part in parts if part)


def search_tree(record: Record, trace: Sequence[Event], patience: float = PATIENCE) -> Sequence[TreeNode]:
    """Return the nodes of the search, parents before children; empty without a tree or its record.

    The bounds of leaves are recomputed from the certificate, within `patience` seconds; those of inner nodes come
    from the events.
    """
    certificate = record.result.certificate
    if isinstance(certificate, TreeCertificate):
        return _of_certificate(record, certificate, _bounds(trace), patience)
    return _of_events(record, trace)


def _bounds(trace: Sequence[Event]) -> dict[int, float]:
    """Read the bound on scores of each node from the events."""
    return {
        int(event.details["node"]): event.sense.sign * float(event.details["node_bound"])
        for event in trace
        if event.kind == "node" and "node_bound" in event.details
    }


def bare_tree(tree: TreeCertificate, most: int) -> list[TreeNode]:
    """Return the first nodes of a tree without its problem: decisions by number, and no bounds."""
    unnamed, inner = Decisions(0), set(tree.parents)
    return [
        TreeNode(node, parent, in_words(branch, unnamed), None, "branched" if node in inner else "closed")
        for node, (parent, branch) in enumerate(zip(tree.parents[:most], tree.branches[:most], strict=True))
    ]


def _of_certificate(
    record: Record, tree: TreeCertificate, known: Mapping[int, float], patience: float
) -> list[TreeNode]:
    problem = record.problem
    children = [0] * len(tree.parents)
    held: list[Fixings | None] = []
    scores: list[float | None] = []
    started = time.perf_counter()
    for node, parent in enumerate(tree.parents):
        base = Fixings.none(problem.decisions.count) if parent < 0 else held[parent]
        branch = tree.branches[node]
        here = branch.child_fixings(base) if base is not None else None
        for step in tree.tightenings.get(str(node), ()):
            here = here.fix(step.on, step.off) if here is not None else None
        held.append(here)
        if parent >= 0:
            children[parent] += 1
        leaf = tree.leaves.get(str(node))
        implied = None if here is None else here.implied(problem.decisions)
        if implied is None:
            scores.append(-math.inf)
        elif leaf is not None and time.perf_counter() - started < patience:
            verdict = leaf.verify(problem, implied)
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
        TreeNode(
            node,
            parent,
            in_words(tree.branches[node], problem.decisions),
            None if score is None else problem.sense.sign * score,
            "branched" if children[node] else _outcome(record, score),
            sum(len(step.on) + len(step.off) for step in tree.tightenings.get(str(node), ())),
        )
        for node, (parent, score) in enumerate(zip(tree.parents, scores, strict=True))
    ]


def _of_events(record: Record, trace: Sequence[Event]) -> list[TreeNode]:
    """Build the tree from branching events, with children by number and decisions in words."""
    bounds = _bounds(trace)
    index: dict[int, int] = {}
    nodes: list[dict[str, Any]] = []

    def at(number: int, parent: int, decision: str, bound: float | None) -> int:
        if number not in index:
            index[number] = len(nodes)
            nodes.append(
                {"parent": parent, "decision": decision, "bound": bounds.get(number, bound), "inner": False}
            )
        return index[number]

    for event in trace:
        if event.kind == "branch" and isinstance(event.details.get("children"), list | tuple):
            node = at(int(event.details["node"]), -1, "", None)
            nodes[node]["inner"] = True
            words = event.details.get("decisions", ())
            for number, child in enumerate(event.details["children"]):
                at(int(child), node, words[number] if number < len(words) else "", nodes[node]["bound"])
    sign = record.problem.sense.sign
    return [
        TreeNode(
            number,
            node["parent"],
            node["decision"],
            None if node["bound"] is None else sign * node["bound"],
            "branched" if node["inner"] else _outcome(record, node["bound"]),
        )
        for number, node in enumerate(nodes)
    ]


def _outcome(record: Record, score: float | None) -> str:
    """Outcome of a leaf, which follows from the result, not from the events."""
    result = record.result
    if score == -math.inf:
        return "infeasible"
    if result.proved:
        return "closed"
    best = result.sense.sign * result.value if result.solutions else -math.inf
    return "closed" if score is not None and score <= best + score_tolerance(best) else "open"
