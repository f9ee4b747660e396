"""A search tree as a certificate: children cover their parent, and each leaf has its own certificate."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import attrs

from gapless.core.branch import Branch, case_in_words, ids, in_words, uncovered, unknown_decision
from gapless.core.branch_row import BranchRow
from gapless.core.certificate import AnyProblem, Certificate, Verdict, within_work_limit
from gapless.core.decisions import Fixings
from gapless.core.serial import serialisable
from gapless.core.work import CALL

serialisable("gapless.Branch")(Branch)


@serialisable("gapless.Tightening")
@attrs.frozen(eq=False)
class Tightening:
    """Decisions fixed because flipping any of them cannot beat the incumbent, with the evidence.

    Examples
    --------
    >>> from gapless.roles import NoCertificate, Tightening
    >>> Tightening(on=[], off=[3], certificate=NoCertificate()).off
    (3,)
    """

    on: tuple[int, ...] = attrs.field(converter=ids)
    off: tuple[int, ...] = attrs.field(converter=ids)
    certificate: Certificate


@serialisable("gapless.TreeCertificate")
@attrs.frozen(eq=False)
class TreeCertificate(Certificate):
    """A search tree as flat lists; node 0 is the root.

    Parameters
    ----------
    parents : sequence of int
        Parent of each node, -1 for the root; parents come before children.
    branches : sequence of Branch
        Fixings of each node in addition to its parent's, and rows over sums of decisions. The sums are whole
        numbers, so that ``<= t`` beside ``>= t + 1`` covers the parent; a gap between two rows does not.
    leaves : mapping of str(node) to Certificate
        Evidence for every node without children.
    tightenings : mapping of str(node) to sequences of Tightening
        Fixings by slacks, made at the node before it was bounded or branched.

    Examples
    --------
    >>> import numpy as np
    >>> import gapless as gl
    >>> from gapless_dependency import Grandchild, ParsingProblem
    >>> rng = np.random.default_rng(1)
    >>> problem = ParsingProblem(rng.normal(size=(9, 9)), factors=[Grandchild(rng.normal(size=(9, 9, 9)))])
    >>> certificate = gl.solve(problem, "split-bound").certificate
    >>> type(certificate).__name__, certificate.verify(problem).holds
    ('TreeCertificate', True)
    """

    kind: ClassVar[str] = "tree"
    parents: Sequence[int]
    branches: Sequence[Branch]
    leaves: Mapping[str, Certificate]
    tightenings: Mapping[str, Sequence[Tightening]] = attrs.field(factory=dict)

    @property
    def missing(self) -> str:
        """The first part of the tree without evidence, and the reason."""
        for node, leaf in self.leaves.items():
            if leaf.missing:
                return f"node {node}: {leaf.missing}"
        for node, steps in self.tightenings.items():
            for step in steps:
                if step.certificate.missing:
                    return f"node {node}, a tightening: {step.certificate.missing}"
        return ""

    def rests_on(self, problem: AnyProblem) -> str:
        """The words of the first leaf or tightening that takes something on trust."""
        steps = (step.certificate for several in self.tightenings.values() for step in several)
        told = (evidence.rests_on(problem) for evidence in (*self.leaves.values(), *steps))
        return next((words for words in told if words), "")

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Check that every inner node is covered by its children and every leaf by its evidence."""
        return within_work_limit(lambda: self._checked(problem, fixings))

    def work_to_verify(self, problem: AnyProblem) -> float:
        """The sum over nodes, leaves and tightenings."""
        steps = len(self.parents) * (8 * CALL + problem.decisions.count)
        steps += sum(leaf.work_to_verify(problem) for leaf in self.leaves.values())
        for step in (step for several in self.tightenings.values() for step in several):
            steps += step.certificate.work_to_verify_flips(problem, len(step.on) + len(step.off))
        return steps

    def _checked(self, problem: AnyProblem, fixings: Fixings | None) -> Verdict:
        start = time.perf_counter()
        decisions = problem.decisions
        broken = self._malformed(decisions.count)
        if broken is not None:
            return broken
        children: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(node)
        bound = -math.inf
        for node, _, here in self._node_fixings(problem, fixings, children):
            if children[node]:
                below = [self.branches[child] for child in children[node]]
                hole = None if here is None else uncovered(here, below, decisions)
                if hole is not None:
                    return Verdict(
                        False,
                        f"no child covers the case {case_in_words(hole, decisions)}",
                        self._place(node, problem),
                    )
                continue
            if here is None:
                continue
            leaf = self.leaves.get(str(node))
            if leaf is None:
                return Verdict(False, "a leaf has no certificate", self._place(node, problem))
            implied = here.implied(decisions)
            if implied is None:
                continue
            verdict = leaf.verify(problem, implied)
            if not verdict:
                return attrs.evolve(verdict, place=f"{self._place(node, problem)}, {verdict.place}")
            bound = max(bound, verdict.bound)
        # Flips come last: their bounds need be no tighter than those of the leaves.
        for node, base, _ in self._node_fixings(problem, fixings, children) if self.tightenings else ():
            verdict = self._flips(problem, node, base, bound)
            if not verdict:
                return verdict
            bound = max(bound, verdict.bound)
        leaves = len(children) - sum(map(bool, children))
        shape = (
            f"tree of {len(children)} nodes, {leaves} of them leaves" if len(children) > 1 else "tree of one node"
        )
        reason = f"{shape}: {problem.sense.beyond(bound)}"
        seconds = time.perf_counter() - start
        return Verdict(True, reason, "", bound, seconds, problem.sense, trusted=self.rests_on(problem))

    def _place(self, node: int, problem: AnyProblem) -> str:
        """A node with the names of the decisions that its branch fixes."""
        branched = in_words(self.branches[node], problem.decisions)
        return f"tree, node {node} ({branched})" if branched else f"tree, node {node}"

    def _malformed(self, count: int) -> Verdict | None:
        """The fault of a malformed tree over `count` decisions, else None. JSON may contain anything."""
        if not self.parents or len(self.branches) != len(self.parents):
            reason = f"{len(self.parents)} nodes with {len(self.branches)} branches are not a tree"
            return Verdict(False, reason, "tree")
        for node, (parent, branch) in enumerate(zip(self.parents, self.branches, strict=True)):
            place = f"tree, node {node}"
            if not isinstance(parent, int) or not (0 <= parent < node or (node == 0 and parent == -1)):
                return Verdict(False, f"node {node} has parent {parent}", place)
            if not isinstance(branch, Branch):
                return Verdict(False, f"node {node} has no branch", place)
            if not all(isinstance(row, BranchRow) for row in branch.rows):
                return Verdict(False, f"node {node} has a row that is none", place)
            if node == 0 and (branch.on or branch.off or branch.rows):
                return Verdict(False, "the root fixes decisions, so something lies outside the tree", place)
            steps = self.tightenings.get(str(node), ())
            fixes = [branch, *(Branch(step.on, step.off) for step in steps)]
            unknown = unknown_decision(fixes, count)
            if unknown is not None:
                return Verdict(False, f"there is no decision {unknown}", place)
        return None

    def _node_fixings(
        self, problem: AnyProblem, fixings: Fixings | None, children: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, Fixings | None, Fixings | None]]:
        """Each node with its fixings before and after its tightenings; None where they are contradictory."""
        fixings_of: dict[int, Fixings | None] = {-1: fixings or Fixings.none(problem.decisions.count)}
        for node, parent in enumerate(self.parents):
            base, branch = fixings_of[parent], self.branches[node]
            here = branch.narrow(base) if base is not None else None
            before = here
            for step in self.tightenings.get(str(node), ()) if here is not None else ():
                here = here.fix(step.on, step.off) if here is not None else None
            if parent >= 0 and node == children[parent][-1]:
                del fixings_of[parent]  # no longer needed: memory grows with the width of the tree, not its length
            if children[node]:
                fixings_of[node] = here
            yield node, before, here

    def _flips(self, problem: AnyProblem, node: int, here: Fixings | None, enough: float) -> Verdict:
        """The evidence for the tightenings of a node, one after the other."""
        bound = -math.inf
        for number, step in enumerate(self.tightenings.get(str(node), ())):
            if here is None:
                break
            verdict = step.certificate.past_factors(problem) or step.certificate.verify_flips_within(
                problem, here, step.on, step.off, max(enough, bound)
            )
            if not verdict:
                fixed = in_words(Branch(step.on, step.off), problem.decisions)
                place = f"{self._place(node, problem)}, tightening {number} ({fixed})"
                return attrs.evolve(verdict, place=f"{place}, {verdict.place}")
            bound = max(bound, verdict.bound)
            here = here.fix(step.on, step.off)
        return Verdict(True, "", "", bound)
