"""Branch and bound over the roles: incumbents, pruning, limits, events, a tree certificate.

Depth-first by depth is the classical dive: the deepest open node, siblings in the brancher's order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.branch import Branch, case_in_words, in_words, uncovered, unknown_decision
from gapless.core.brancher import Brancher
from gapless.core.certificate import Certificate, NoCertificate, PointCertificate
from gapless.core.decisions import FREE, Decisions, Fixings
from gapless.core.errors import InconsistentBound, OracleError, SolveError, UncoveredBranching
from gapless.core.factors.blame import call_problem
from gapless.core.formulation import checked_frequency, rounds_at
from gapless.core.limits import Budget, Limits, Stop, budget_of
from gapless.core.problem import Problem, check_start, score_of
from gapless.core.relaxation import Probe, Relaxation, Relaxed
from gapless.core.result import Result, Stats
from gapless.core.sparse import IntArray
from gapless.core.tolerance import margin, meets, round_bound
from gapless.core.tree_certificate import Tightening, TreeCertificate
from gapless.engine.frontier import Frontier, Node
from gapless.engine.guard import checked_bound, decoded, encoded, feasible_score, guarded
from gapless.engine.lawler import flips

S = TypeVar("S")
Rounding = Callable[[Relaxed[S]], S | None]


def tree_search(
    problem: Problem[S],
    relaxation: Relaxation[S],
    brancher: Brancher[S],
    budget: Budget | Limits | None = None,
    *,
    order: str = "best-first",
    k: int = 1,
    start: Sequence[S] = (),
    rounding: Rounding[S] | None = None,
    rounding_frequency: int = 1,
    method: str = "tree-search",
) -> Result[S]:
    """Find the `k` best structures and prove it.

    Parameters
    ----------
    problem : Problem
    relaxation : Relaxation
    brancher : Brancher
    budget : Budget or Limits
        Limits, observers and trace; or limits alone.
    order : {"best-first", "depth-first", "breadth-first"}
    k : int
        Number of best structures to return.
    start : sequence of S
        Feasible structures to begin with.
    rounding : callable, optional
        Makes a feasible structure from a relaxed point; checked like any other.
    rounding_frequency : int
        As in `Formulation`: 1 asks `rounding` at every node, n at every n-th, 0 at the root only.
    method : str
        Name written into the result.

    Returns
    -------
    Result
        On Ctrl-C or a spent limit: the best so far with its true bound.

    Raises
    ------
    SolveError
        A role raised or contradicted itself. ``error.result`` holds the best so far, `stop` being ERROR.
    InvalidProblem
        A `start` structure is infeasible.
    """
    search = _Search(problem, relaxation, brancher, budget_of(budget), order, k, rounding, rounding_frequency)
    check_start(problem, start)
    try:
        search.begin(start)
        stop = search.run()
    except KeyboardInterrupt:
        search.budget.interrupt()
        stop = Stop.INTERRUPTED
    except SolveError as error:
        error.result = search.failed(error, method)
        raise
    except Exception as error:
        wrapped = OracleError(f"{method}: a role returned an unusable answer: {type(error).__name__}: {error}")
        wrapped.result = search.failed(wrapped, method)
        raise wrapped from error
    return search.result(stop, method)


def children_of(
    brancher: Brancher[S], fixings: Fixings, branches: Sequence[Branch], decisions: Decisions, place: str
) -> list[Fixings | None]:
    """Fixings of each child, None where a branch contradicts the parent.

    Raises `UncoveredBranching`: the children lose a part of the node, one repeats it, or one speaks of a decision
    that does not exist.
    """
    name = type(brancher).__name__
    unknown = unknown_decision(branches, decisions.count)
    if unknown is not None:
        raise UncoveredBranching(f"{name} at {place}: there is no decision {unknown}")
    hole = uncovered(fixings, branches, decisions)
    if hole is not None:
        case = case_in_words(hole, decisions)
        raise UncoveredBranching(f"{name} at {place}: no child covers the case {case}")
    narrowed = [branch.narrow(fixings) for branch in branches]
    if any(child == fixings for child in narrowed):
        raise UncoveredBranching(f"{name} at {place}: a child fixes nothing new")
    return narrowed


class _Search(Generic[S]):
    """The state of one search."""

    def __init__(
        self,
        problem: Problem[S],
        relaxation: Relaxation[S],
        brancher: Brancher[S],
        budget: Budget,
        order: str,
        k: int,
        rounding: Rounding[S] | None,
        rounding_frequency: int,
    ) -> None:
        if k < 1:
            raise ValueError(f"k is {k}, it must be at least 1")
        self.problem, self.relaxation, self.brancher = problem, relaxation, brancher
        self.budget, self.k, self.rounding = budget, k, rounding
        self.sense = budget.sense = problem.sense
        self.rounding_frequency, self.worked = checked_frequency(rounding_frequency), 0
        self.decisions = problem.decisions
        self.warm = False
        self.pool: list[tuple[float, IntArray, S]] = []
        self.frontier = Frontier(order)
        self.current: Node | None = None
        self.closed_bound = -math.inf
        self.parents: list[int] = []
        self.branches: list[Branch] = []
        self.leaves: dict[str, Certificate] = {}
        self.tightenings: dict[str, Sequence[Tightening]] = {}
        why = NoCertificate("this node was never bounded")
        self.frontier.push([self._node(Fixings.none(self.decisions.count), math.inf, why, -1, Branch(), 0)])

    def _node(
        self, fixings: Fixings, bound: float, evidence: Certificate, parent: int, branch: Branch, depth: int
    ) -> Node:
        self.parents.append(parent)
        self.branches.append(branch)
        return Node(len(self.parents) - 1, fixings, bound, evidence, depth)

    @property
    def best(self) -> float:
        """Best score held."""
        return self.pool[0][0] if self.pool else -math.inf

    @property
    def threshold(self) -> float:
        """A node must be able to beat this score to stay open."""
        return self.pool[-1][0] if len(self.pool) == self.k else -math.inf

    @property
    def bound(self) -> float:
        """A true bound on every structure, whatever has been done so far."""
        current = self.current.bound if self.current is not None else -math.inf
        return max(self.closed_bound, current, self.frontier.bound(), self.best)

    def begin(self, start: Sequence[S]) -> None:
        """Take the structures that the user brought."""
        for structure in start:
            self.accept(structure)
        self.warm = bool(self.pool)

    def run(self) -> Stop:
        """Work nodes until nothing is open or something is spent."""
        self._emit("start")
        while len(self.frontier):
            stop = self._spent()
            if stop is not None:
                return stop
            self.current = self.frontier.pop()
            self._work(self.current)
            self.current = None
        return Stop.PROVED

    def _spent(self) -> Stop | None:
        limits = self.budget.limits
        if self.pool and limits.target is not None:
            sign = self.problem.sense.sign
            if self.best >= sign * limits.target:
                return Stop.TARGET
        if limits.gap > 0 and len(self.pool) == self.k and meets(self.bound, self.threshold, limits.gap):
            return Stop.GAP
        return self.budget.spent_between_nodes()

    def _emit(self, kind: str, **details: Any) -> None:
        if self.budget.heard:
            guarded(self.budget, self.budget.emit, kind, self.bound, self.best, **details)

    def _closes(self, bound: float) -> bool:
        return bound <= self.threshold or meets(bound, self.threshold)

    def _work(self, node: Node) -> None:
        if self._closes(node.bound):
            self._close(node)
            return
        self.budget.nodes += 1
        relaxed = guarded(
            self.relaxation,
            self.relaxation.solve,
            node.fixings,
            self.budget,
            incumbent=self.threshold,
            state=node.state,
        )
        if not isinstance(relaxed, Relaxed):
            name = type(self.relaxation).__name__
            raise OracleError(f"{name}.solve returned {type(relaxed).__name__}, expected a Relaxed")
        self._doubt_claims(relaxed, node)
        own = checked_bound(self.relaxation, relaxed.bound)
        if relaxed.rounding > 0.25 * margin(own):  # beside terms that cancel, float64 proves no less
            own += relaxed.rounding
        own = round_bound(own, self.problem.granularity)
        probe = Probe(self.problem, self.relaxation, node.fixings, self.budget, self.threshold)
        relaxed = attrs.evolve(relaxed, bound=min(relaxed.bound, node.bound), probe=probe)
        for candidate in (relaxed.structure, self._round(relaxed)):
            if candidate is not None:
                self.accept(candidate)
        self._doubt(min(own, node.bound), node, relaxed.rounding)
        self._doubt_exclusion(relaxed)
        if own <= node.bound:
            node.bound, node.certificate = own, relaxed.certificate
        if relaxed.tightenings:
            self.tightenings[str(node.number)] = relaxed.tightenings
        node.state = relaxed.state
        self._emit("node", node=node.number, depth=node.depth, node_bound=node.bound, open=len(self.frontier))
        if self._closes(node.bound):
            self._close(node)
        elif self.budget.spent() is not None:
            self.frontier.push([node])
        else:
            self._branch(node, relaxed)

    def _round(self, relaxed: Relaxed[S]) -> S | None:
        due = rounds_at(self.rounding_frequency, self.worked)
        self.worked += 1
        if self.rounding is None or relaxed.point is None or not due:
            return None
        return guarded(self.rounding, self.rounding, relaxed)

    def accept(self, structure: S) -> None:
        """Take a structure into the pool if it is feasible, new and good enough."""
        score = feasible_score(self.problem, structure)
        if score is None:
            return
        ids = encoded(self.problem, structure)
        if score <= self.threshold or any(np.array_equal(ids, known) for _, known, _ in self.pool):
            return
        pool = sorted([*self.pool, (score, ids, structure)], key=lambda entry: -entry[0])[: self.k]
        improved = score > self.best
        self.pool = pool
        if improved:
            self._emit("incumbent")

    def _doubt(self, bound: float, node: Node, rounding: float) -> None:
        """A bound below the score of a structure that the node allows is a wrong bound."""
        for score, ids, _ in self.pool:
            if score > bound + margin(bound) + rounding and node.fixings.allow(ids):
                raise InconsistentBound(
                    f"{type(self.relaxation).__name__} bounds node {node.number} by {self.sense.turn(bound):.12g}, "
                    f"but a feasible structure under its fixings {self.sense.verb}s {self.sense.turn(score):.12g}"
                )

    def _doubt_claims(self, relaxed: Relaxed[S], node: Node) -> None:
        """Compare what a node attains with the bounds of its ancestors, which could attain it as well."""
        if relaxed.attained > node.claimed + margin(node.claimed) + relaxed.rounding:
            raise InconsistentBound(
                f"{type(self.relaxation).__name__} bounded a node above node {node.number} by "
                f"{self.sense.turn(node.claimed):.12g}, but attains {self.sense.turn(relaxed.attained):.12g} at "
                "this one: a bound claimed there, as by the slack of a generator, was wrong"
            )
        node.claimed = min(node.claimed, checked_bound(self.relaxation, relaxed.bound) + relaxed.rounding)

    def _doubt_exclusion(self, relaxed: Relaxed[S]) -> None:
        """Fixings against a score that nobody reaches may have thrown away the optimum."""
        if relaxed.excluded > self.best + margin(self.best) + margin(relaxed.excluded):
            raise InconsistentBound(
                f"{type(self.relaxation).__name__} excluded structures that may {self.sense.verb} "
                f"{self.sense.turn(relaxed.excluded):.12g}, but the best feasible structure at hand "
                f"{self.sense.verb}s {self.sense.turn(self.best):.12g}"
            )

    def _close(self, node: Node) -> None:
        self.closed_bound = max(self.closed_bound, node.bound)
        if node.certificate.missing and node.fixings.implied(self.decisions) is None:
            node.certificate = PointCertificate()  # the fixings contradict each other, which anyone can see
        self.leaves[str(node.number)] = node.certificate

    def _branch(self, node: Node, relaxed: Relaxed[S]) -> None:
        fixings = self._tighten(node, relaxed)
        if fixings is None:
            node.bound = min(node.bound, max(relaxed.excluded, self.threshold))
            self._close(node)
            return
        branches = self._around_solution(fixings, relaxed, node.bound)
        if branches is None:
            branches = guarded(self.brancher, self.brancher.split, fixings, relaxed)
        if not branches:
            self._close_point(node, fixings)
            return
        narrowed = children_of(self.brancher, fixings, branches, self.decisions, f"node {node.number}")
        if not self.relaxation.heeds_rows and any(branch.rows for branch in branches):
            raise UncoveredBranching(
                f"{type(self.brancher).__name__} branches on a sum, which {type(self.relaxation).__name__} "
                "does not heed (heeds_rows is False): its bound would never improve"
            )
        children = []
        for branch, child_fixings in zip(branches, narrowed, strict=True):
            child = self._node(
                child_fixings or fixings, node.bound, node.certificate, node.number, branch, node.depth + 1
            )
            child.state, child.claimed = node.state, node.claimed
            if child_fixings is not None:
                children.append(child)
        self.frontier.push(children)
        if self.budget.heard:
            said = [in_words(self.branches[c.number], self.decisions) for c in children]
            self._emit("branch", node=node.number, children=[c.number for c in children], decisions=said)

    def _tighten(self, node: Node, relaxed: Relaxed[S]) -> Fixings | None:
        """The node's fixings with what the relaxation fixed by slacks; None when nothing better is left.

        Fixings against the best structure would lose the second best, so `k` best search does without.
        """
        fixings: Fixings | None = node.fixings
        if self.k > 1:
            return fixings
        for step in relaxed.tightenings:
            fixings = fixings.fix(step.on, step.off) if fixings is not None else None
        if relaxed.tightenings:
            self._emit("fixing", node=node.number, steps=len(relaxed.tightenings))
        return fixings

    def _around_solution(self, fixings: Fixings, relaxed: Relaxed[S], bound: float) -> Sequence[Branch] | None:
        """For k best: once a node's best structure is known, Lawler's partition of the others, and itself."""
        if self.k == 1 or relaxed.structure is None or feasible_score(self.problem, relaxed.structure) is None:
            return None
        ids = encoded(self.problem, relaxed.structure)
        if not (fixings.allow(ids) and meets(bound, score_of(self.problem, relaxed.structure))):
            return None
        implied = fixings.fix(on=ids)
        implied = None if implied is None else implied.implied(self.decisions)
        if implied is None:
            return None
        literals = [(int(d), True) for d in ids if fixings.state[d] == FREE]
        literals += [(int(d), False) for d in implied.free]
        *parts, (on, off) = flips(literals)
        branches = [Branch(on=ons, off=offs, why="not the same structure") for ons, offs in parts]
        return [*branches, Branch(on=on, off=off, why="the structure itself")] if literals else []

    def _close_point(self, node: Node, fixings: Fixings) -> None:
        """A node without children holds one structure at most; the fixings say which."""
        certificate = PointCertificate()
        verdict = certificate.verify(self.problem, fixings)
        if not verdict:
            raise UncoveredBranching(
                f"{type(self.brancher).__name__} gave no children for node {node.number}, "
                f"which is still open: {verdict.reason}"
            )
        if verdict.bound > node.bound + margin(node.bound):
            raise InconsistentBound(
                f"{type(self.relaxation).__name__} bounds node {node.number} by "
                f"{self.sense.turn(node.bound):.12g}, but the only structure left there "
                f"{self.sense.verb}s {verdict.value_bound:.12g}"
            )
        if verdict.bound > -math.inf:
            implied = fixings.implied(self.decisions)
            if implied is not None:
                self.accept(decoded(self.problem, implied.on))
        node.bound, node.certificate = min(node.bound, verdict.bound), certificate
        self._close(node)

    def failed(self, error: SolveError, method: str) -> Result[S]:
        """The answer at hand when a role failed. A relaxation caught with a wrong bound proves nothing any more."""
        if isinstance(error, InconsistentBound):
            self.closed_bound = math.inf
        return self.result(Stop.ERROR, method)

    def result(self, stop: Stop, method: str) -> Result[S]:
        """The answer as of now."""
        bound = self.bound
        opened = [*self.frontier]
        known = len(self.branches)
        if self.current is not None:
            # Ctrl-C may fall between the making of children and their queueing: without them, it is a leaf.
            opened.append(self.current)
            known = next((n for n, parent in enumerate(self.parents) if parent == self.current.number), known)
        for node in opened:
            if node.number < known:
                self.leaves[str(node.number)] = node.certificate
        certificate: Certificate = TreeCertificate(
            tuple(self.parents[:known]), tuple(self.branches[:known]), dict(self.leaves), dict(self.tightenings)
        )
        if known == 1 and not self.tightenings and "0" in self.leaves:
            certificate = self.leaves["0"]
        budget = self.budget
        columns, rows = self.relaxation.size
        explanation = list(call_problem(self.problem, self.problem.infeasibility)) if bound == -math.inf else []
        if self.k > 1 and stop is not Stop.PROVED:
            explanation.append(f"the search for {self.k} best ended early ({stop.value}): the list may miss some")
        return Result.of(
            self.problem,
            [structure for _, _, structure in self.pool],
            bound,
            stop,
            certificate=certificate,
            method=method,
            stats=Stats(
                seconds=budget.elapsed,
                nodes=budget.nodes,
                iterations=budget.iterations,
                oracle_calls=budget.oracle_calls,
                columns=columns,
                rows=rows,
                warm_start_used=self.warm,
            ),
            trace=budget.events,
            explanation=explanation,
            complete=self.k == 1 or stop is Stop.PROVED,
            wanted=self.k,
        )
