"""Column-and-row generation: a complete relaxation from a restricted master and generators.

Solve the restricted master, call the generators, extend the master, and repeat until the pricing gap is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import attrs

from gapless.arrays.tolerance import meets, round_bound, score_tolerance
from gapless.certificates.certificate import Certificate, NoCertificate
from gapless.certificates.tree_certificate import Tightening
from gapless.column_generation.batch_entry import no_progress_message
from gapless.column_generation.early_branching import EarlyBranching
from gapless.column_generation.pricing_options import DEFAULT_PRICING, PricingOptions
from gapless.column_generation.pricing_round import PricingLoop, stays_infeasible
from gapless.column_generation.reduced_cost_fixing import can_fix, fix_by_reduced_costs
from gapless.decisions.decisions import Decisions, Fixings
from gapless.errors import InconsistentBound, MissingBound
from gapless.limits.limits import SolveBudget
from gapless.oracles.generator import Generator, GeneratorResult
from gapless.oracles.views import MasterView
from gapless.tree_search.relaxation import Relaxation, RelaxationResult, RestrictedMaster
from gapless.tree_search.role_calls import call_role, checked_bound

S = TypeVar("S")
V = TypeVar("V", bound=MasterView)


def price_and_cut(
    restricted: RestrictedMaster[S, V],
    generators: Sequence[Generator[V]],
    decisions: Decisions,
    fixings: Fixings,
    budget: SolveBudget,
    *,
    incumbent: float = -math.inf,
    state: Any = None,
    limit: int | None = None,
    enough: Callable[[float, float], bool] | None = None,
    pricing: PricingOptions = DEFAULT_PRICING,
    granularity: float | None = None,
    rounds: PricingLoop[V] | None = None,
    bound_only: bool = False,
) -> RelaxationResult[S]:
    """Bound a node by pricing and separation.

    Every round yields a valid bound, ``restricted bound + sum of pricing gaps``; the smallest one is returned,
    so that an early stop (spent budget, Ctrl-C, bound below the incumbent) still returns a valid bound.

    Parameters
    ----------
    restricted : RestrictedMaster
    generators : sequence of Generator
    decisions : Decisions
        Used to check that no generator returns a column that the fixings ban.
    fixings, budget, incumbent, state
        As in `Relaxation.solve`.
    limit : int, optional
        Limit on columns and rows per generator and round, which a generator may exceed a little.
    enough : callable, optional
        ``enough(bound, attained)`` is called after each round and ends the loop by True. By default the loop
        ends when the bound meets `primal_value` within the score tolerance. Methods whose restricted optimum is
        a solution may end it sooner (a gap, a target) or later, as equal within the tolerance does not mean the
        same solution.
    pricing : PricingOptions
        Stabilisation and other options.
    granularity : float, optional
        As `Problem.granularity`: the loop ends when the bound, rounded to it, does not beat the incumbent.
    rounds : PricingLoop, optional
        Loop of earlier nodes with the same master and generators, which this node continues.
    bound_only : bool
        If True, compute the bound only: nothing is fixed, and `PricingOptions.branch_before_pricing` is ignored.

    Raises
    ------
    MissingBound
        A generator returned nothing and claimed no pricing gap.
    InconsistentBound
        NaN, a negative pricing gap, or a restricted optimum above a bound that was claimed before.
    FixedColumn
        A generator returned a column that uses a quantity which is fixed off.
    OracleError
        A role raised.
    """
    bound = math.inf
    evidence: Callable[[], Certificate] | None = None
    fixes = pricing.fixing and not bound_only and incumbent > -math.inf and can_fix(generators)
    tightenings: Sequence[Tightening] = ()
    excluded = -math.inf
    early = EarlyBranching(pricing, granularity)
    rounds = rounds or PricingLoop(generators, decisions, pricing, restricted, limit)
    rounds.begin()
    relaxed: RelaxationResult[S] = RelaxationResult(math.inf, state=state)
    closing, rounding = False, 0.0
    # Without an incumbent, the master cannot leave the node open before it is priced (`branch_before_pricing`).
    opening_score = -math.inf if bound_only else incumbent
    while True:
        try:
            relaxed = call_role(
                restricted, restricted.solve, fixings, budget, incumbent=opening_score, state=relaxed.state
            )
            base = checked_bound(restricted, relaxed.bound)
            rounding = max(rounding, relaxed.rounding)
            # A claim bounds the complete master, of which this restricted master is a part: its optimum refutes a
            # smaller claim (decision 002). Twice the rounding, because claim and optimum were rounded separately.
            if relaxed.primal_value > bound + score_tolerance(bound) + 2.0 * rounding:
                raise InconsistentBound(
                    f"the generators claimed a bound of {budget.as_value(bound)}, but their own "
                    f"columns reach {budget.as_value(relaxed.primal_value)}: a pricing gap was too small"
                )
            if closing or pricing.branches_before_pricing(
                relaxed.primal_value, opening_score, granularity, relaxed.structure
            ):
                break
            if base == math.inf and budget.stop_reason() is not None:
                break  # time ran out in the linear program, which therefore has no prices
            view = call_role(restricted, restricted.view)
            attained = relaxed.primal_value - 2.0 * relaxed.rounding
            outcome = rounds.ask(view, base, fixings, budget, incumbent, attained=attained)
            # "<=" instead of "<": of equal bounds, the last one has prices of the present master.
            if outcome.evidence is not None and outcome.bound <= bound:
                evidence, bound = outcome.evidence, outcome.bound
            budget.iterations += 1
            if outcome.complete:
                if outcome.pricing_gap is None:
                    raise MissingBound(no_progress_message(generators, outcome.answers, view))
                # Only now: while rows are missing, a point may score more than its structure (decision 023).
                call_role(restricted, restricted.check_consistency, relaxed, bound)
                if base == -math.inf and stays_infeasible(outcome.pricing_gap, relaxed.infeasibility_measure):
                    evidence, bound = rounds.evidence(view, outcome.answers), base
                # A node that its bound closes has no children that fixings could help.
                if fixes and round_bound(bound, granularity) > incumbent:
                    tightenings, excluded = fix_by_reduced_costs(
                        restricted,
                        generators,
                        view,
                        base,
                        outcome.answers,
                        decisions,
                        fixings,
                        incumbent,
                        granularity,
                        budget,
                    )
            if budget.has_observers:
                call_role(
                    budget,
                    budget.emit,
                    "round",
                    bound,
                    incumbent,
                    restricted=base,
                    attained=relaxed.primal_value,
                    added=outcome.added,
                    columns_found=sum(len(batch.columns) for batch in outcome.batches),
                    rows_found=sum(len(batch.rows) for batch in outcome.batches),
                    scored=outcome.scored,
                )
        except KeyboardInterrupt:
            budget.interrupt()
            break
        if not outcome.added or round_bound(bound, granularity) <= incumbent or budget.stop_reason() is not None:
            break
        if enough is not None:
            if enough(bound, relaxed.primal_value):
                break
            continue
        if early.due(bound, relaxed.primal_value, outcome.answers):
            break
        # The bound is closed, but columns were returned: one more solve tests the claim against them. With fixing,
        # the loop continues instead, because fixing needs prices at which nothing is missing.
        closing = _is_tight(relaxed, bound, outcome.answers) and not fixes
    return attrs.evolve(
        relaxed,
        bound=bound,
        certificate=_make_certificate(evidence, budget),
        tightenings=tightenings,
        excluded_bound=excluded,
        rounding=rounding,
    )


def _make_certificate(evidence: Callable[[], Certificate] | None, budget: SolveBudget) -> Certificate:
    """Make the certificate of the best bound; after a Ctrl-C, record the interrupt and make it again."""
    if evidence is None:
        return NoCertificate("no round of pricing gave a bound")
    try:
        return call_role(evidence, evidence)
    except KeyboardInterrupt:
        budget.interrupt()
        # The bound is valid and about to be returned: without this second attempt it would have no evidence.
        return call_role(evidence, evidence)


def _is_tight(relaxed: RelaxationResult[Any], bound: float, answers: Sequence[GeneratorResult]) -> bool:
    """Whether the restricted optimum meets the bound and no row cuts it off."""
    return not any(len(a.batch.rows) for a in answers) and meets(bound, relaxed.primal_value)


class PricedRelaxation(Relaxation[S], Generic[S, V]):
    """`price_and_cut` as a relaxation, for `tree_search`."""

    def __init__(
        self,
        restricted: RestrictedMaster[S, V],
        generators: Sequence[Generator[V]],
        decisions: Decisions,
        *,
        limit: int | None = None,
        pricing: PricingOptions = DEFAULT_PRICING,
        granularity: float | None = None,
    ) -> None:
        self.pricing = pricing
        self.restricted, self.supports_branch_rows = restricted, restricted.supports_branch_rows
        self._price: Callable[..., RelaxationResult[S]] = partial(
            price_and_cut,
            restricted,
            generators,
            decisions,
            pricing=pricing,
            granularity=granularity,
            rounds=PricingLoop(generators, decisions, pricing, restricted, limit),
        )

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of columns and of rows of the master."""
        return self.restricted.size

    def solve(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf, state: Any = None
    ) -> RelaxationResult[S]:
        """Bound a node by pricing and separation until the pricing gap is 0."""
        return self._price(fixings, budget, incumbent=incumbent, state=state)

    def probe_bound(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf
    ) -> RelaxationResult[S]:
        """Compute the bound only: fix no decision, and leave no node open before pricing."""
        return self._price(fixings, budget, incumbent=incumbent, bound_only=True)

    def quick_estimate(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf
    ) -> RelaxationResult[S]:
        """Solve the restricted master only, without calling a generator."""
        # With an incumbent, `LinearMaster.solve` could leave the node open before stored columns re-enter its
        # program, and the estimate would be too low.
        opening_score = -math.inf if self.pricing.branch_before_pricing else incumbent
        return call_role(self.restricted, self.restricted.solve, fixings, budget, incumbent=opening_score)

    def integral(self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf) -> S | None:
        """Return the restricted master's best integral structure."""
        return call_role(self.restricted, self.restricted.integral, fixings, budget, incumbent=incumbent)
