"""Certificate of a search tree: the children of a node cover it, and each leaf has a certificate of its own."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import attrs

from gapless.arrays.serial import serialisable
from gapless.certificates.certificate import AnyProblem, Certificate, Verdict, within_work_limit
from gapless.decisions.branch import Branch, case_in_words, ids, in_words, uncovered, unknown_decision
from gapless.decisions.branch_row import BranchRow
from gapless.decisions.decisions import Fixings
from gapless.limits.work import CALL

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
    """Search tree as flat lists; node 0 is the root.

    Parameters
    ----------
    parents : sequence of int
        Parent of each node, -1 for the root; parents come before children.
    branches : sequence of Branch
        Fixings of each node in addition to its parent's, and rows over sums of decisions. The sums are integers, so
        the children ``<= t`` and ``>= t + 1`` cover the parent; children with a larger gap do not.
    leaves : mapping of str(node) to Certificate
        Evidence for every node without children.
    tightenings : mapping of str(node) to sequences of Tightening
        Fixings by max-marginals, made at the node before it was bounded or branched.

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
        """First part of the tree without evidence, and the reason."""
        for node, leaf in self.leaves.items():
            if leaf.missing:
                return f"node {node}: {leaf.missing}"
        for node, steps in self.tightenings.items():
            for step in steps:
                if step.certificate.missing:
                    return f"node {node}, a tightening: {step.certificate.missing}"
        return ""

    def assumptions(self, problem: AnyProblem) -> str:
        """Return the assumptions of the first leaf or tightening that has any."""
        # One is enough: the leaves of a tree bound with the same maximiser and factors.
        steps = (step.certificate for steps in self.tightenings.values() for step in steps)
        assumptions = (evidence.assumptions(problem) for evidence in (*self.leaves.values(), *steps))
        return next(filter(None, assumptions), "")

    def verify(self, problem: AnyProblem, fixings: Fixings | None = None) -> Verdict:
        """Check that the children of every inner node cover it, and the evidence of every leaf."""
        return within_work_limit(lambda: self._checked(problem, fixings))

    def work_to_verify(self, problem: AnyProblem) -> float:
        """Add up the estimates of nodes, leaves and tightenings."""
        steps = len(self.parents) * (8 * CALL + problem.decisions.count)
        steps += sum(leaf.work_to_verify(problem) for leaf in self.leaves.values())
        for step in (step for several in self.tightenings.values() for step in several):
            steps += step.certificate.work_to_verify_flips(problem, len(step.on) + len(step.off))
        return steps

    def _checked(self, problem: AnyProblem, fixings: Fixings | None) -> Verdict:
        start = time.perf_counter()
        decisions = problem.decisions
        malformed = self._malformed(decisions.count)
        if malformed is not None:
            return malformed
        children: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(node)
        bound = -math.inf
        for node, _, node_fixings in self._node_fixings(problem, fixings, children):
            if children[node]:
                branches = [self.branches[child] for child in children[node]]
                hole = None if node_fixings is None else uncovered(node_fixings, branches, decisions)
                if hole is not None:
                    return Verdict(
                        False,
                        f"no child covers the case {case_in_words(hole, decisions)}",
                        self._location(node, problem),
                    )
                continue
            if node_fixings is None:  # contradictory: no structure to bound, so the leaf needs no evidence
                continue
            leaf = self.leaves.get(str(node))
            if leaf is None:
                return Verdict(False, "a leaf has no certificate", self._location(node, problem))
            implied = node_fixings.implied(decisions)
            if implied is None:
                continue
            verdict = leaf.verify(problem, implied)
            if not verdict:
                return attrs.evolve(verdict, location=f"{self._location(node, problem)}, {verdict.location}")
            bound = max(bound, verdict.bound)
        # Flips come last, because their bounds need not be tighter than those of the leaves.
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
        return Verdict(True, reason, "", bound, seconds, problem.sense, assumptions=self.assumptions(problem))

    def _location(self, node: int, problem: AnyProblem) -> str:
        """Describe a node by the names of the decisions that its branch fixes."""
        branched = in_words(self.branches[node], problem.decisions)
        return f"tree, node {node} ({branched})" if branched else f"tree, node {node}"

    def _malformed(self, count: int) -> Verdict | None:
        """Return the fault of a malformed tree over `count` decisions, else None."""
        # The fields come from JSON, which may contain anything; later loops rely on what is checked here.
        if not self.parents or len(self.branches) != len(self.parents):
            reason = f"{len(self.parents)} nodes with {len(self.branches)} branches are not a tree"
            return Verdict(False, reason, "tree")
        for node, (parent, branch) in enumerate(zip(self.parents, self.branches, strict=True)):
            location = f"tree, node {node}"
            # A parent before its children excludes cycles.
            if not isinstance(parent, int) or not (0 <= parent < node or (node == 0 and parent == -1)):
                return Verdict(False, f"node {node} has parent {parent}", location)
            if not isinstance(branch, Branch):
                return Verdict(False, f"node {node} has no branch", location)
            if not all(isinstance(row, BranchRow) for row in branch.rows):
                return Verdict(False, f"node {node} has a row that is none", location)
            if node == 0 and (branch.on or branch.off or branch.rows):
                return Verdict(False, "the root fixes decisions, so something lies outside the tree", location)
            steps = self.tightenings.get(str(node), ())
            fixes = [branch, *(Branch(step.on, step.off) for step in steps)]
            unknown = unknown_decision(fixes, count)
            if unknown is not None:
                return Verdict(False, f"there is no decision {unknown}", location)
        return None

    def _node_fixings(
        self, problem: AnyProblem, fixings: Fixings | None, children: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, Fixings | None, Fixings | None]]:
        """Yield each node with its fixings before and after its tightenings, None if they are contradictory."""
        fixings_of: dict[int, Fixings | None] = {-1: fixings or Fixings.none(problem.decisions.count)}
        for node, parent in enumerate(self.parents):
            base, branch = fixings_of[parent], self.branches[node]
            branched = tightened = branch.child_fixings(base) if base is not None else None
            for step in self.tightenings.get(str(node), ()):
                tightened = tightened.fix(step.on, step.off) if tightened is not None else None
            if parent >= 0 and node == children[parent][-1]:
                del fixings_of[parent]  # no longer needed: memory grows with the width of the tree, not its size
            if children[node]:
                fixings_of[node] = tightened
            yield node, branched, tightened

    def _flips(self, problem: AnyProblem, node: int, node_fixings: Fixings | None, enough: float) -> Verdict:
        """Check the evidence for the tightenings of a node, each under the fixings of the previous ones."""
        bound = -math.inf
        for number, step in enumerate(self.tightenings.get(str(node), ())):
            if node_fixings is None:
                break
            # `verify_flips` may override `verify`, which refuses evidence that ignores factors: ask that first.
            verdict = step.certificate.refusal_for_factors(problem) or step.certificate.verify_flips(
                problem, node_fixings, step.on, step.off, max(enough, bound)
            )
            if not verdict:
                fixed = in_words(Branch(step.on, step.off), problem.decisions)
                location = f"{self._location(node, problem)}, tightening {number} ({fixed})"
                return attrs.evolve(verdict, location=f"{location}, {verdict.location}")
            bound = max(bound, verdict.bound)
            node_fixings = node_fixings.fix(step.on, step.off)
        return Verdict(True, "", "", bound)
