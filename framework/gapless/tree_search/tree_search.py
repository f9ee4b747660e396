"""Branch and bound over the roles: incumbents, pruning, limits, events, a tree certificate.

Depth-first order is a plunge: the deepest open node first, siblings in the brancher's order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.arrays.tolerance import meets, round_bound, score_tolerance
from gapless.certificates.certificate import Certificate, NoCertificate, PointCertificate
from gapless.certificates.tree_certificate import Tightening, TreeCertificate
from gapless.decisions.branch import Branch, case_in_words, in_words, uncovered, unknown_decision
from gapless.decisions.decisions import FREE, Decisions, Fixings
from gapless.errors import InconsistentBound, OracleError, SolveError, UncoveredBranching
from gapless.factors.error_notes import call_problem
from gapless.limits.limits import Limits, SolveBudget, Stop, budget_of
from gapless.problems.problem import Problem, check_start, score_of
from gapless.results.result import Result, Stats
from gapless.tree_search.brancher import Brancher, only_structure
from gapless.tree_search.frontier import Frontier, OpenNode
from gapless.tree_search.lawler import KBestPool, flips
from gapless.tree_search.relaxation import Probe, Relaxation, RelaxationResult
from gapless.tree_search.role_calls import call_role, checked_bound, decoded, encoded, feasible_score
from gapless.tree_search.rounding_frequency import checked_frequency, rounds_at

S = TypeVar("S")
Rounding = Callable[[RelaxationResult[S]], S | None]


def tree_search(
    problem: Problem[S],
    relaxation: Relaxation[S],
    brancher: Brancher[S],
    budget: SolveBudget | Limits | None = None,
    *,
    order: str = "best-first",
    k: int = 1,
    start: Sequence[S] = (),
    rounding: Rounding[S] | None = None,
    rounding_frequency: int = 1,
    method: str = "tree-search",
) -> Result[S]:
    """Find the `k` best structures and prove that they are.

    Parameters
    ----------
    problem : Problem
    relaxation : Relaxation
    brancher : Brancher
    budget : SolveBudget or Limits
        Limits, observers and trace; or limits alone.
    order : {"best-first", "depth-first", "breadth-first"}
    k : int
        Number of best structures to return.
    start : sequence of S
        Feasible structures to begin with.
    rounding : callable, optional
        Makes a feasible structure from a relaxed point; checked like any other.
    rounding_frequency : int
        As in `Formulation`: 1 calls `rounding` at every node, n at every n-th, 0 at the root only.
    method : str
        Name written into the result.

    Returns
    -------
    Result
        After Ctrl-C or at a limit: the best structures so far with a valid bound.

    Raises
    ------
    SolveError
        A role raised or contradicted itself. ``error.result`` contains the best result so far, with `Stop.ERROR`.
    InvalidProblem
        A `start` structure is infeasible.
    """
    search = _TreeSearch(problem, relaxation, brancher, budget_of(budget), order, k, rounding, rounding_frequency)
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
    brancher: Brancher[S], fixings: Fixings, branches: Sequence[Branch], decisions: Decisions, location: str
) -> list[Fixings | None]:
    """Compute the fixings of each child, None for a branch that contradicts the parent.

    Raises `UncoveredBranching`: the children do not cover the node, one repeats it, or one names a decision
    that does not exist.
    """
    name = type(brancher).__name__
    unknown = unknown_decision(branches, decisions.count)
    if unknown is not None:
        raise UncoveredBranching(f"{name} at {location}: there is no decision {unknown}")
    hole = uncovered(fixings, branches, decisions)
    if hole is not None:
        case = case_in_words(hole, decisions)
        raise UncoveredBranching(f"{name} at {location}: no child covers the case {case}")
    children = [branch.child_fixings(fixings) for branch in branches]
    # A child with the parent's fixings would be split in the same way for ever.
    if any(child == fixings for child in children):
        raise UncoveredBranching(f"{name} at {location}: a child fixes nothing new")
    return children


class _TreeSearch(Generic[S]):
    """The state of one search."""

    def __init__(
        self,
        problem: Problem[S],
        relaxation: Relaxation[S],
        brancher: Brancher[S],
        budget: SolveBudget,
        order: str,
        k: int,
        rounding: Rounding[S] | None,
        rounding_frequency: int,
    ) -> None:
        if k < 1:
            raise ValueError(f"k is {k}, it must be at least 1")
        self.pool: KBestPool[S] = KBestPool(k)
        self.problem, self.relaxation, self.brancher = problem, relaxation, brancher
        self.budget, self.k, self.rounding = budget, k, rounding
        self.sense = budget.sense = problem.sense
        self.rounding_frequency, self.worked = checked_frequency(rounding_frequency), 0
        self.decisions = problem.decisions
        self.warm = False
        self.frontier = Frontier(order)
        self.current: OpenNode | None = None
        self.closed_bound = -math.inf
        self.parents: list[int] = []
        self.branches: list[Branch] = []
        self.leaves: dict[str, Certificate] = {}
        self.tightenings: dict[str, Sequence[Tightening]] = {}
        unbounded = NoCertificate("this node was never bounded")
        self.frontier.push([self._node(Fixings.none(self.decisions.count), math.inf, unbounded, -1, Branch(), 0)])

    def _node(
        self, fixings: Fixings, bound: float, evidence: Certificate, parent: int, branch: Branch, depth: int
    ) -> OpenNode:
        self.parents.append(parent)
        self.branches.append(branch)
        return OpenNode(len(self.parents) - 1, fixings, bound, evidence, depth)

    @property
    def best(self) -> float:
        """Score of the incumbent, -inf without one."""
        return self.pool.best

    @property
    def threshold(self) -> float:
        """Score that a node's bound must exceed for the node to stay open: that of the k-th best structure."""
        return self.pool.threshold

    @property
    def bound(self) -> float:
        """Bound on every structure, valid at any time of the search."""
        # Closed nodes count with their bounds: they were closed within a tolerance of the threshold, and may hold a
        # structure that is better by less. The incumbent counts, as a bound may be below it by rounding.
        current = self.current.bound if self.current is not None else -math.inf
        return max(self.closed_bound, current, self.frontier.bound(), self.best)

    def begin(self, start: Sequence[S]) -> None:
        """Accept the user's initial structures."""
        for structure in start:
            self.accept(structure)
        self.warm = self.best > -math.inf

    def run(self) -> Stop:
        """Solve nodes until none is open or a limit is reached."""
        self._emit("start")
        while len(self.frontier):
            stop = self._stop_reason()
            if stop is not None:
                return stop
            self.current = self.frontier.pop()
            self._work(self.current)
            self.current = None
        return Stop.PROVED

    def _stop_reason(self) -> Stop | None:
        limits = self.budget.limits
        if self.best > -math.inf and limits.target is not None and self.best >= self.sense.sign * limits.target:
            return Stop.TARGET
        full = limits.relative_gap > 0 and self.threshold > -math.inf
        if full and meets(self.bound, self.threshold, limits.relative_gap):
            return Stop.GAP
        return self.budget.stop_reason_between_nodes()

    def _emit(self, kind: str, **details: Any) -> None:
        if self.budget.has_observers:
            call_role(self.budget, self.budget.emit, kind, self.bound, self.best, **details)

    def _closes(self, bound: float) -> bool:
        return bound <= self.threshold or meets(bound, self.threshold)

    def _work(self, node: OpenNode) -> None:
        if self._closes(node.bound):
            self._close(node)
            return
        self.budget.nodes += 1
        relaxed = call_role(
            self.relaxation,
            self.relaxation.solve,
            node.fixings,
            self.budget,
            incumbent=self.threshold,
            state=node.state,
        )
        if not isinstance(relaxed, RelaxationResult):
            name = type(self.relaxation).__name__
            raise OracleError(f"{name}.solve returned {type(relaxed).__name__}, expected a RelaxationResult")
        self._check_claims(relaxed, node)
        bound = checked_bound(self.relaxation, relaxed.bound)
        # If large terms cancel, float64 proves only the bound plus its rounding. Rounding well within the
        # tolerance of scores is left out: all comparisons allow for it.
        if relaxed.rounding > 0.25 * score_tolerance(bound):
            bound += relaxed.rounding
        bound = round_bound(bound, self.problem.granularity)
        probe = Probe(self.problem, self.relaxation, node.fixings, self.budget, self.threshold)
        relaxed = attrs.evolve(relaxed, bound=min(relaxed.bound, node.bound), probe=probe)
        for candidate in (relaxed.structure, self._round(relaxed)):
            if candidate is not None:
                self.accept(candidate)
        # After the candidates, so that structures found at this node test its bound as well.
        self._check_bound(min(bound, node.bound), node, relaxed.rounding)
        self._check_exclusion(relaxed)
        # Otherwise the parent's bound stays, with its certificate: bounds need not fall from parent to child.
        if bound <= node.bound:
            node.bound, node.certificate = bound, relaxed.certificate
        if relaxed.tightenings:
            self.tightenings[str(node.number)] = relaxed.tightenings
        node.state = relaxed.state
        self._emit("node", node=node.number, depth=node.depth, node_bound=node.bound, open=len(self.frontier))
        if self._closes(node.bound):
            self._close(node)
        elif self.budget.stop_reason() is not None:
            # The relaxation may have stopped early, without a point to branch on: the node stays open.
            self.frontier.push([node])
        else:
            self._branch(node, relaxed)

    def _round(self, relaxed: RelaxationResult[S]) -> S | None:
        due = rounds_at(self.rounding_frequency, self.worked)
        self.worked += 1
        if self.rounding is None or relaxed.point is None or not due:
            return None
        return call_role(self.rounding, self.rounding, relaxed)

    def accept(self, structure: S) -> None:
        """Add a structure to the pool if it is feasible, new and good enough."""
        score = feasible_score(self.problem, structure)
        if score is None:
            return
        improved = score > self.best
        self.pool.enter(encoded(self.problem, structure).astype(np.int64).tobytes(), score, structure)
        if improved:
            self._emit("incumbent")

    def _check_bound(self, bound: float, node: OpenNode, rounding: float) -> None:
        """Raise if a structure that the node allows scores more than the node's bound."""
        limit = bound + score_tolerance(bound) + rounding
        for key, score in self.pool.known:
            if score > limit and node.fixings.allows(np.frombuffer(key, np.int64)):
                raise InconsistentBound(
                    f"{type(self.relaxation).__name__} bounds node {node.number} by {self.sense.turn(bound):.12g}, "
                    f"but a feasible structure under its fixings {self.sense.verb}s {self.sense.turn(score):.12g}"
                )

    def _check_claims(self, relaxed: RelaxationResult[S], node: OpenNode) -> None:
        """Raise if a node attains more than the bound of an ancestor."""
        # The relaxation of an ancestor has fewer fixings, so it attains whatever the node's attains (decision 063).
        if relaxed.primal_value > node.claimed + score_tolerance(node.claimed) + relaxed.rounding:
            raise InconsistentBound(
                f"{type(self.relaxation).__name__} bounded a node above node {node.number} by "
                f"{self.sense.turn(node.claimed):.12g}, but attains {self.sense.turn(relaxed.primal_value):.12g} "
                "at this one: a bound claimed there, as by the pricing gap of a generator, was wrong"
            )
        node.claimed = min(node.claimed, checked_bound(self.relaxation, relaxed.bound) + relaxed.rounding)

    def _check_exclusion(self, relaxed: RelaxationResult[S]) -> None:
        """Raise if the tightenings excluded structures that might be better than the incumbent."""
        # A relaxation that fixed against a larger score than the incumbent's may have excluded the optimum.
        if relaxed.excluded_bound > self.best + score_tolerance(self.best) + score_tolerance(
            relaxed.excluded_bound
        ):
            raise InconsistentBound(
                f"{type(self.relaxation).__name__} excluded structures that may {self.sense.verb} "
                f"{self.sense.turn(relaxed.excluded_bound):.12g}, but the best feasible structure at hand "
                f"{self.sense.verb}s {self.sense.turn(self.best):.12g}"
            )

    def _close(self, node: OpenNode) -> None:
        self.closed_bound = max(self.closed_bound, node.bound)
        if node.certificate.missing and node.fixings.implied(self.decisions) is None:
            node.certificate = (
                PointCertificate()
            )  # the verifier sees from the fixings that they contradict each other
        self.leaves[str(node.number)] = node.certificate

    def _branch(self, node: OpenNode, relaxed: RelaxationResult[S]) -> None:
        fixings = self._tighten(node, relaxed)
        if fixings is None:
            # The tightenings leave no structure: those that they exclude are bounded by `excluded_bound`.
            node.bound = min(node.bound, max(relaxed.excluded_bound, self.threshold))
            self._close(node)
            return
        branches = self._around_solution(fixings, relaxed, node.bound)
        if branches is None:
            branches = call_role(self.brancher, self.brancher.split, fixings, relaxed)
        if not branches:
            self._close_point(node, fixings)
            return
        fixings_of = children_of(self.brancher, fixings, branches, self.decisions, f"node {node.number}")
        if not self.relaxation.supports_branch_rows and any(branch.rows for branch in branches):
            raise UncoveredBranching(
                f"{type(self.brancher).__name__} branches on a sum, which {type(self.relaxation).__name__} "
                "does not heed (supports_branch_rows is False): its bound would never improve"
            )
        children = []
        # Contradictory children get a number, too: the tree of the certificate must contain all children.
        for branch, child_fixings in zip(branches, fixings_of, strict=True):
            child = self._node(
                child_fixings or fixings, node.bound, node.certificate, node.number, branch, node.depth + 1
            )
            child.state, child.claimed = node.state, node.claimed
            if child_fixings is not None:
                children.append(child)
        self.frontier.push(children)
        if self.budget.has_observers:
            descriptions = [in_words(self.branches[c.number], self.decisions) for c in children]
            self._emit("branch", node=node.number, children=[c.number for c in children], decisions=descriptions)

    def _tighten(self, node: OpenNode, relaxed: RelaxationResult[S]) -> Fixings | None:
        """Return the node's fixings with the relaxation's tightenings; None if they leave no structure."""
        fixings: Fixings | None = node.fixings
        # Tightenings compare with the score of one structure: they would exclude the second best.
        if self.k > 1:
            return fixings
        for step in relaxed.tightenings:
            fixings = fixings.fix(step.on, step.off) if fixings is not None else None
        if relaxed.tightenings:
            self._emit("fixing", node=node.number, steps=len(relaxed.tightenings))
        return fixings

    def _around_solution(
        self, fixings: Fixings, relaxed: RelaxationResult[S], bound: float
    ) -> Sequence[Branch] | None:
        """Return, for k best, Lawler's partition around a node's best structure; None if that is not known."""
        if self.k == 1 or relaxed.structure is None or feasible_score(self.problem, relaxed.structure) is None:
            return None
        ids = encoded(self.problem, relaxed.structure)
        if not (fixings.allows(ids) and meets(bound, score_of(self.problem, relaxed.structure))):
            return None
        # With the structure's decisions on, most others are implied off: only the rest needs a literal.
        implied = fixings.fix(on=ids)
        implied = None if implied is None else implied.implied(self.decisions)
        if implied is None:
            return None
        literals = [(int(d), True) for d in ids if fixings.state[d] == FREE]
        literals += [(int(d), False) for d in implied.free]
        *parts, (on, off) = flips(literals)
        branches = [Branch(on=ons, off=offs, why="not the same structure") for ons, offs in parts]
        return [*branches, Branch(on=on, off=off, why="the structure itself")] if literals else []

    def _close_point(self, node: OpenNode, fixings: Fixings) -> None:
        """Close a node without children, which contains at most one structure, given by its fixings."""
        location = f"node {node.number}"
        claim = f"{type(self.relaxation).__name__} bounds {location} by"
        score, on_ids = only_structure(self.problem, self.brancher, fixings, node.bound, location, claim)
        if on_ids is not None:
            self.accept(decoded(self.problem, on_ids))
        node.bound, node.certificate = min(node.bound, score), PointCertificate()
        self._close(node)

    def failed(self, error: SolveError, method: str) -> Result[S]:
        """Return the best result so far after the failure of a role."""
        # A relaxation with one wrong bound proves nothing: its earlier bounds may be wrong, too.
        if isinstance(error, InconsistentBound):
            self.closed_bound = math.inf
        return self.result(Stop.ERROR, method)

    def result(self, stop: Stop, method: str) -> Result[S]:
        """Make the result of the present state."""
        bound = self.bound
        open_nodes = [*self.frontier]
        count = len(self.branches)
        if self.current is not None:
            # Ctrl-C may fall between the making of children and their queueing: without them, the node is a leaf.
            open_nodes.append(self.current)
            count = next((n for n, parent in enumerate(self.parents) if parent == self.current.number), count)
        # Open nodes are leaves of the certificate, which then proves the bound at the time of the stop.
        for node in open_nodes:
            if node.number < count:
                self.leaves[str(node.number)] = node.certificate
        certificate: Certificate = TreeCertificate(
            tuple(self.parents[:count]), tuple(self.branches[:count]), dict(self.leaves), dict(self.tightenings)
        )
        if count == 1 and not self.tightenings and "0" in self.leaves:
            certificate = self.leaves["0"]
        budget = self.budget
        columns, rows = self.relaxation.size
        explanation = list(call_problem(self.problem, self.problem.infeasibility)) if bound == -math.inf else []
        if self.k > 1 and stop is not Stop.PROVED:
            explanation.append(f"the search for {self.k} best ended early ({stop.value}): the list may miss some")
        return Result.of(
            self.problem,
            self.pool.ranked,
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
