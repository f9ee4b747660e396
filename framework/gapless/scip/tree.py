"""SCIP owns the tree; gapless owns bounds, incumbents and branching.

SCIP never accepts a point: a structure counts when the problem finds no violation, at the problem's value. SCIP
gets the incumbent as an objective limit, by which it prunes. So a node ends in one of three ways: cut off, because
its bound cannot beat the incumbent; branched on decisions; or solved again with new rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from pyscipopt import SCIP_LPSOLSTAT, SCIP_RESULT, SCIP_STAGE, Conshdlr, Model, Pricer  # type: ignore[attr-defined]  # missing from the stubs

from gapless.arrays.tolerance import meets, round_bound, score_tolerance
from gapless.certificates.tree_certificate import Tightening
from gapless.column_generation.batch_entry import PRICING_GAP_ADVICE, no_progress_message
from gapless.column_generation.early_branching import EarlyBranching
from gapless.column_generation.formulation import Formulation
from gapless.column_generation.pricing_round import PricingLoop, PricingRound, stays_infeasible
from gapless.column_generation.reduced_cost_fixing import can_fix, fix_by_reduced_costs
from gapless.decisions.branch import in_words
from gapless.decisions.decisions import Fixings
from gapless.errors import InconsistentBound, InvalidProblem, MissingBound
from gapless.limits.limits import SolveBudget, Stop
from gapless.oracles.views import LinearView
from gapless.problems.problem import Problem
from gapless.scip.callback_guard import CallbackGuard, CallbackReturn
from gapless.scip.master import ScipMaster
from gapless.scip.probing_master import ProbingMaster
from gapless.tree_search.brancher import only_structure
from gapless.tree_search.relaxation import Probe, RelaxationResult
from gapless.tree_search.role_calls import call_role, decoded, feasible_score
from gapless.tree_search.rounding_frequency import rounds_at
from gapless.tree_search.tree_search import children_of

S = TypeVar("S")


class Tree(Generic[S]):
    """State shared by the callbacks: the incumbent, the bound of the node in focus, and the reason to stop.

    Parameters
    ----------
    problem, formulation, budget
        As in `branch_price_and_cut`.
    limit : int, optional
        Approximate limit on columns and rows per generator and round.
    """

    def __init__(
        self,
        problem: Problem[S],
        formulation: Formulation[S],
        budget: SolveBudget,
        model: Model,
        guard: CallbackGuard,
        limit: int | None,
    ) -> None:
        self.problem, self.formulation, self.budget = problem, formulation, budget
        self.guard, self.limit = guard, limit
        self.model: Any = model
        self.decisions = problem.decisions
        self.master = ScipMaster(problem, formulation, model)
        self.rounds: PricingLoop[LinearView] = PricingLoop(
            formulation.generators,
            self.decisions,
            formulation.pricing,
            self.master,
            limit,
        )
        self._early = EarlyBranching(formulation.pricing, problem.granularity)
        self.shadow = ProbingMaster(problem, formulation, limit)
        self.incumbent: S | None = None
        self.best = -math.inf
        self.closed = -math.inf
        self.stop: Stop | None = None
        self._node = 0
        self._bound = self._claimed = math.inf
        self._inherited: dict[int, float] = {}
        self._relaxed: RelaxationResult[S] | None = None
        self._lps = -1
        self._dry = False
        self._fixes = formulation.pricing.fixing and can_fix(formulation.generators)
        self._tightenings: Sequence[Tightening] = ()
        self._excluded = -math.inf
        self._worked, self._before = 0, -1
        self._stumbled = False

    # -- incumbents and bounds ----------------------------------------------------------------------------------

    def accept(self, structure: S) -> None:
        """Take a structure as incumbent if it is feasible and better."""
        score = feasible_score(self.problem, structure)
        if score is None or score <= self.best:
            return
        self.incumbent, self.best = structure, score
        # SCIP prunes by the limit; it never gets the structure itself (decision 005).
        self.model.setObjlimit(self.master.cost(self._enough()))
        self._emit("incumbent")

    def _enough(self) -> float:
        """The largest bound that does not beat the incumbent."""
        granularity = self.problem.granularity
        if granularity is not None:
            below_next = self.best + granularity * (1 - 1e-4)
            if round_bound(below_next, granularity) <= self.best:
                return below_next
        return self.best

    def _closes(self, bound: float) -> bool:
        return bound <= self.best or meets(bound, self.best)

    @property
    def bound(self) -> float:
        """A true bound on every structure; infinite before SCIP has begun."""
        if self.model.getStage() == SCIP_STAGE.PROBLEM:
            return math.inf
        proved = math.inf if self._stumbled else self.master.score(self.model.getDualbound())
        if self._stumbled or self.guard.halted:  # SCIP does not know the bound of the last round
            proved = min(proved, max([self._bound, *self._inherited.values()]))
        return max(self.best, self.closed, self.rounded(proved))

    def rounded(self, bound: float) -> float:
        """Round a bound to the problem's granularity."""
        return round_bound(bound, self.problem.granularity)

    def _emit(self, kind: str, **details: Any) -> None:
        if self.budget.has_observers:
            bound = self.bound if kind != "incumbent" else math.inf
            call_role(self.budget, self.budget.emit, kind, bound, self.best, **details)

    def stumbled_at_limit(self) -> bool:
        """Return whether a limit explains a failure of SCIP; the bound is then the one proved by the generators.

        When SCIP's clock interrupts pricing at a node with nothing left to branch on, SCIP takes that for an error.
        """
        self._stumbled = self.budget.stop_reason() is not None
        if self._stumbled:
            self.stop = self.budget.stop_reason()
        return self._stumbled

    def _spent(self) -> bool:
        """Whether a limit unknown to SCIP is reached; SCIP is then asked to stop."""
        limits = self.budget.limits
        stop = self.budget.stop_reason()
        if self.incumbent is not None:
            if limits.target is not None and self.best >= self.problem.sense.sign * limits.target:
                stop = Stop.TARGET
            elif limits.relative_gap > 0 and meets(self.bound, self.best, limits.relative_gap):
                stop = Stop.GAP
        if stop is not None:
            self.stop = stop
            self.guard.halt()
        return stop is not None

    # -- pricing and separation ---------------------------------------------------------------------------------

    def _enter(self) -> Fixings:
        """Begin work on the node in focus."""
        node = self.model.getCurrentNode().getNumber()
        if node != self._node:
            self._node = node
            self._bound, self._claimed = self._inherited.pop(node, math.inf), math.inf
            self._relaxed = None
            self._tightenings, self._excluded = (), -math.inf
            self.rounds.begin()
            self._early = EarlyBranching(self.formulation.pricing, self.problem.granularity)
        return self.master.fixings()

    def price(self) -> CallbackReturn:
        """Price by reduced costs: new columns and rows, and the bound proved by this round."""
        fixings = self._enter()
        columns = self.master.size[0]
        found = self._query_generators(fixings)
        if self._spent():
            return self.abandon()
        if found is None:
            return {"result": SCIP_RESULT.DIDNOTRUN}
        bound = self.rounded(self._bound)
        if self._closes(bound):
            self.closed = max(self.closed, bound)
            return {"result": SCIP_RESULT.SUCCESS, "lowerbound": self.model.infinity()}
        answer: CallbackReturn = {"result": SCIP_RESULT.SUCCESS}
        if math.isfinite(bound):
            # Rounded to the problem's granularity: SCIP sees which nodes are equally good.
            answer["lowerbound"] = self.master.cost(bound)
        relaxed = self._relaxed
        if (
            relaxed is not None
            and found.added
            and self._early.due(self._bound, relaxed.primal_value, found.answers)
        ):
            answer["stopearly"] = True
        if columns == self.master.size[0] and found.pricing_gap != 0:
            # SCIP would take the LP optimum for a bound, but missing columns may be worth as much.
            answer["result"] = SCIP_RESULT.DIDNOTRUN
        return answer

    def _query_generators(self, fixings: Fixings) -> PricingRound[LinearView] | None:
        """One round of the generators on the LP just solved; None where the node is to be branched without."""
        self._relaxed = relaxed = self.master.solve(fixings, self.budget)
        self._lps = self.model.getNLPs()
        if relaxed.primal_value > self._claimed + score_tolerance(self._claimed) + relaxed.rounding:
            raise InconsistentBound(
                f"the generators claimed a bound of {self.budget.as_value(self._claimed)}, but "
                f"their own columns reach {self.budget.as_value(relaxed.primal_value)}: a pricing gap was too small"
            )
        pricing, granularity = self.formulation.pricing, self.problem.granularity
        if pricing.branches_before_pricing(relaxed.primal_value, self.best, granularity, relaxed.structure):
            self._dry, self._tightenings, self._excluded = False, (), -math.inf
            return None
        found = self._extend(relaxed.bound, fixings)
        self._claimed = min(self._claimed, found.bound)
        self._bound = min(self._bound, self._claimed)
        return found

    def _extend(self, base: float, fixings: Fixings) -> PricingRound[LinearView]:
        """Add the missing columns and rows of the generators."""
        view = self.master.view()
        found = self.rounds.ask(view, base, fixings, self.budget, self.best)
        self.shadow.follow(found.batches)
        self._dry = found.complete
        self._tightenings, self._excluded = (), -math.inf
        if found.complete and self._fixes and self.rounded(base) > self.best:
            self._tightenings, self._excluded = fix_by_reduced_costs(
                self.master,
                self.formulation.generators,
                view,
                base,
                found.answers,
                self.decisions,
                fixings,
                self.best,
                self.problem.granularity,
                self.budget,
                recorded=False,
            )
        self.budget.iterations += 1
        self._emit(
            "round",
            restricted=base,
            added=found.added,
            columns_found=sum(len(batch.columns) for batch in found.batches),
            rows_found=sum(len(batch.rows) for batch in found.batches),
            scored=found.scored,
        )
        if found.complete and found.pricing_gap is None:
            raise MissingBound(no_progress_message(self.formulation.generators, found.answers, view))
        return found

    def repair(self) -> CallbackReturn:
        """Price by a Farkas ray, for columns that could make the node feasible; without any it is infeasible."""
        fixings = self._enter()
        columns = self.master.size[0]
        relaxed = self.master.read_infeasible(fixings)
        pricing_gap = self._extend(relaxed.bound, fixings).pricing_gap
        if self._spent():
            return self.abandon()
        if self.master.size[0] == columns and not stays_infeasible(pricing_gap, relaxed.infeasibility_measure):
            raise MissingBound(
                "the generators returned no column that repairs an infeasible master, and no proof that there is "
                f"none: {PRICING_GAP_ADVICE}"
            )
        if self.master.size[0] == columns:
            # Cut off explicitly: SCIP draws no conclusion at a node where a pricing round passed without a bound.
            self.model.cutoffNode(self.model.getCurrentNode())
        return {"result": SCIP_RESULT.SUCCESS}

    def abandon(self) -> CallbackReturn:
        """Let SCIP cut off the node in focus although nothing was proved here; its bound is remembered.

        SCIP has no legal way to leave a node open where pricing ended early or the LP is infeasible: without
        anything to branch on it prints errors and fails.
        """
        self._leave_open()
        self.model.cutoffNode(self.model.getCurrentNode())
        return {"result": SCIP_RESULT.SUCCESS}

    def abandon_enforced(self) -> CallbackReturn:
        """Leave the node as `abandon` does, once its LP is solved and priced."""
        self._leave_open()
        return {"result": SCIP_RESULT.CUTOFF}

    def _leave_open(self) -> None:
        node = self.model.getCurrentNode().getNumber()
        open_bound = self._bound if node == self._node else self._inherited.get(node, math.inf)
        self.closed = max(self.closed, open_bound)

    # -- enforcing ----------------------------------------------------------------------------------------------

    def enforce(self, *, solved: bool) -> CallbackReturn:
        """Close the node or branch.

        `solved`: whether SCIP solved an LP here. If not (numerical trouble), the node is branched without a point.
        """
        fixings = self._enter()
        if solved and self.model.getLPSolstat() == SCIP_LPSOLSTAT.UNBOUNDEDRAY:
            raise InvalidProblem(
                "the restricted master is unbounded; give every column of positive objective an upper bound or a "
                "row that limits it"
            )
        # A point that the pricer did not see just before is not used: branching without one is always valid.
        read = self._relaxed if solved and self._lps == self.model.getNLPs() else None
        bound = self.rounded(self._bound)
        point, structure = (read.point, read.structure) if read is not None else (None, None)
        probe = Probe(self.problem, self.shadow, fixings, self.budget, self.best)
        relaxed = RelaxationResult(bound, point, structure, probe=probe)
        self.budget.nodes = int(self.model.getNTotalNodes())
        for candidate in (relaxed.structure, self._rounded(relaxed)):
            if candidate is not None:
                self.accept(candidate)
        if read is not None and self._dry:
            call_role(self.problem, self.master.check_consistency, read, self._bound)
        self._check_bound(bound, fixings)
        self._emit("node", node=self._node, depth=self.model.getDepth(), node_bound=bound)
        if self._closes(bound):
            return self._cut_off(bound)
        if self._spent():
            return self.abandon_enforced()
        return self._branch(fixings, relaxed)

    def _rounded(self, relaxed: RelaxationResult[S]) -> S | None:
        """A structure near the point, at the nodes where rounding is due."""
        if self._node != self._worked:
            self._worked, self._before = self._node, self._before + 1
        rounding, due = self.formulation.rounding, rounds_at(self.formulation.rounding_frequency, self._before)
        if rounding is None or relaxed.point is None or not due:
            return None
        return call_role(rounding, rounding, relaxed)

    def _check_bound(self, bound: float, fixings: Fixings) -> None:
        """Raise when the bound is below the score of a structure that the node allows."""
        if self.incumbent is None or self.best <= bound + score_tolerance(bound):
            return
        if fixings.allows(call_role(self.problem, self.problem.encode, self.incumbent)):
            raise InconsistentBound(
                f"SCIP's node {self._node} is bounded by {self.budget.as_value(bound)}, but a feasible structure "
                f"under its fixings {self.problem.sense.verb}s {self.budget.as_value(self.best)}"
            )

    def _cut_off(self, bound: float) -> CallbackReturn:
        self.closed = max(self.closed, bound)
        return {"result": SCIP_RESULT.CUTOFF}

    def _branch(self, fixings: Fixings, relaxed: RelaxationResult[S]) -> CallbackReturn:
        for step in self._tightenings if self._relaxed is not None else ():
            narrower = fixings.fix(step.on, step.off)
            if narrower is None:
                return self._cut_off(min(relaxed.bound, max(self._excluded, self.best)))
            fixings = narrower
        brancher = self.formulation.brancher
        branches = call_role(brancher, brancher.split, fixings, relaxed)
        if not branches:
            return self._close_leaf(fixings, relaxed.bound)
        narrowed = children_of(brancher, fixings, branches, self.decisions, f"SCIP's node {self._node}")
        children = [child for child in narrowed if child is not None]
        said = [
            in_words(b, self.decisions) for b, child in zip(branches, narrowed, strict=True) if child is not None
        ]
        numbers = []
        for child in children:
            self.master.name_uses(child)
        estimate = self.model.getCurrentNode().getEstimate()
        for place, child in enumerate(children):
            # Among siblings SCIP prefers larger priorities: the order of the brancher.
            node = self.model.createChild(float(len(children) - place), estimate)
            self.master.fix(node, child)
            self._inherited[node.getNumber()] = relaxed.bound
            numbers.append(int(node.getNumber()))
        self._emit("branch", node=self._node, children=numbers, decisions=said)
        return {"result": SCIP_RESULT.BRANCHED if children else SCIP_RESULT.CUTOFF}

    def _close_leaf(self, fixings: Fixings, bound: float) -> CallbackReturn:
        """Close a leaf, which holds one structure at most, given by its fixings."""
        location = f"SCIP's node {self._node}"
        score, on_ids = only_structure(
            self.problem, self.formulation.brancher, fixings, bound, location, f"{location} is bounded by"
        )
        if on_ids is not None:
            self.accept(decoded(self.problem, on_ids))
        return self._cut_off(min(bound, score))


class GeneratorPricer(Pricer):
    """Passes SCIP's two kinds of pricing to a `Tree`."""

    def __init__(self, tree: Tree[Any]) -> None:
        self.tree = tree

    def pricerinit(self) -> None:
        """SCIP has made its own copy of the problem."""
        self.tree.guard.run(self._begin, dict)

    def _begin(self) -> CallbackReturn:
        self.tree.master.transform()
        return {}

    def pricerredcost(self) -> CallbackReturn:
        """Feasible LP."""
        return self.tree.guard.run(self.tree.price, self.tree.abandon)

    def pricerfarkas(self) -> CallbackReturn:
        """Infeasible LP."""
        return self.tree.guard.run(self.tree.repair, self.tree.abandon)


class Enforcer(Conshdlr):
    """Refuses every point to SCIP and ends every node. Last in line, so that all known rows hold by then."""

    def __init__(self, tree: Tree[Any]) -> None:
        self.tree = tree

    def consenfolp(self, constraints: Any, nusefulconss: int, solinfeasible: bool) -> CallbackReturn:
        """End a node whose LP is solved and priced."""
        return self.tree.guard.run(lambda: self.tree.enforce(solved=True), self.tree.abandon_enforced)

    def consenfops(
        self, constraints: Any, nusefulconss: int, solinfeasible: bool, objinfeasible: bool
    ) -> CallbackReturn:
        """SCIP gave up the LP of a node."""
        return self.tree.guard.run(lambda: self.tree.enforce(solved=False), self.tree.abandon_enforced)

    def conscheck(self, *arguments: Any) -> CallbackReturn:
        """Refuse: SCIP keeps no incumbents."""
        return _refused()

    def conslock(self, *arguments: Any) -> None:
        """Set no rounding locks: nothing is rounded. SCIP calls this even while it frees the model."""


def _refused() -> CallbackReturn:
    return {"result": SCIP_RESULT.INFEASIBLE}
