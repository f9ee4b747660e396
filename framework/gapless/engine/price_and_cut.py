"""Column-and-row generation: a restricted relaxation and generators make a whole relaxation.

Solve the restricted master, ask the generators what is missing, extend, repeat until the slack closes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import attrs

from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import Decisions, Fixings
from gapless.core.errors import InconsistentBound, MissingBound
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, Generator, View
from gapless.core.pricing import PLAIN, Pricing
from gapless.core.relaxation import Relaxation, Relaxed, Restricted
from gapless.core.tolerance import margin, meets, round_bound
from gapless.core.tree_certificate import Tightening
from gapless.engine.early_branching import EarlyBranching
from gapless.engine.entering import silent
from gapless.engine.guard import checked_bound, guarded
from gapless.engine.pricing_round import Rounds, stays_infeasible
from gapless.engine.reduced_cost_fixing import can_fix, fix_by_gains

S = TypeVar("S")
V = TypeVar("V", bound=View)


def price_and_cut(
    restricted: Restricted[S, V],
    generators: Sequence[Generator[V]],
    decisions: Decisions,
    fixings: Fixings,
    budget: Budget,
    *,
    incumbent: float = -math.inf,
    state: Any = None,
    limit: int | None = None,
    enough: Callable[[float, float], bool] | None = None,
    pricing: Pricing = PLAIN,
    granularity: float | None = None,
    rounds: Rounds[V] | None = None,
    look: bool = False,
) -> Relaxed[S]:
    """Bound a node by pricing and separation.

    Every round yields a valid bound, ``restricted bound + sum of slacks``; the smallest one is returned, so that an
    early stop (spent budget, Ctrl-C, bound below the incumbent) still returns what is true.

    Parameters
    ----------
    restricted : Restricted
    generators : sequence of Generator
    decisions : Decisions
        Used to see that no generator returns a column that the fixings ban.
    fixings, budget, incumbent, state
        As in `Relaxation.solve`.
    limit : int, optional
        Limit on columns and rows per generator and round, which a generator may exceed a little.
    enough : callable, optional
        ``enough(bound, attained)`` is asked after each round and ends the loop by True. By default the loop ends
        when the bound meets `attained` within the margin. Methods whose restricted optimum is an answer may end it
        sooner (a gap, a target) or, as equal within the margin is not the same answer, later.
    pricing : Pricing
        Stabilisation and other options.
    granularity : float, optional
        As `Problem.granularity`: the loop ends when the bound, rounded to it, does not beat the incumbent.
    rounds : Rounds, optional
        Those of earlier nodes, for the same master and generators, which this node continues.
    look : bool
        Whether only the bound is wanted: nothing is fixed, and `Pricing.lazy` does not count.

    Raises
    ------
    MissingBound
        A generator returned nothing and claimed no slack.
    InconsistentBound
        NaN, a negative slack, or a restricted optimum above a bound that was claimed before.
    FixedColumn
        A generator returned a column that uses a quantity which is fixed away.
    OracleError
        A role raised.
    """
    bound = math.inf
    evidence: Callable[[], Certificate] | None = None
    fixes = pricing.fixing and not look and incumbent > -math.inf and can_fix(generators)
    tightenings: Sequence[Tightening] = ()
    excluded = -math.inf
    early = EarlyBranching(pricing, granularity)
    rounds = rounds or Rounds(generators, decisions, pricing, restricted, limit)
    rounds.begin()
    relaxed: Relaxed[S] = Relaxed(math.inf, state=state)
    closing, lost = False, 0.0
    asked = -math.inf if look else incumbent  # without an incumbent, nothing is left open
    while True:
        try:
            relaxed = guarded(restricted, restricted.solve, fixings, budget, incumbent=asked, state=relaxed.state)
            base = checked_bound(restricted, relaxed.bound)
            lost = max(lost, relaxed.rounding)
            if relaxed.attained > bound + margin(bound) + 2.0 * lost:
                raise InconsistentBound(
                    f"the generators claimed a bound of {budget.as_value(bound)}, but their own "
                    f"columns reach {budget.as_value(relaxed.attained)}: a slack was too small"
                )
            if closing or pricing.leaves_open(relaxed.attained, asked, granularity, relaxed.structure):
                break
            if base == math.inf and budget.spent() is not None:
                break  # time ran out in the linear program: no prices to ask at
            view = guarded(restricted, restricted.view)
            found = rounds.ask(view, base, fixings, budget, incumbent)
            if found.evidence is not None and found.bound <= bound:
                evidence, bound = found.evidence, found.bound
            budget.iterations += 1
            if found.complete:
                if found.slack is None:
                    raise MissingBound(silent(generators, found.answers, view))
                guarded(restricted, restricted.judge, relaxed, bound)
                if base == -math.inf and stays_infeasible(found.slack, relaxed.short_by):
                    evidence, bound = rounds.evidence(view, found.answers), base
                if fixes and round_bound(bound, granularity) > incumbent:
                    tightenings, excluded = fix_by_gains(
                        restricted,
                        generators,
                        view,
                        base,
                        found.answers,
                        decisions,
                        fixings,
                        incumbent,
                        granularity,
                        budget,
                    )
            if budget.heard:
                guarded(
                    budget,
                    budget.emit,
                    "round",
                    bound,
                    incumbent,
                    restricted=base,
                    attained=relaxed.attained,
                    added=found.added,
                    columns_found=sum(len(batch.columns) for batch in found.batches),
                    rows_found=sum(len(batch.rows) for batch in found.batches),
                    scored=found.scored,
                )
        except KeyboardInterrupt:
            budget.interrupt()
            break
        if not found.added or round_bound(bound, granularity) <= incumbent or budget.spent() is not None:
            break
        if enough is not None:
            if enough(bound, relaxed.attained):
                break
            continue
        if early.due(bound, relaxed.attained, found.answers):
            break
        # Whoever claims that nothing is missing and returns columns all the same is tested by one more solve.
        closing = _tight(relaxed, bound, found.answers) and not fixes
    return attrs.evolve(
        relaxed,
        bound=bound,
        certificate=_made(evidence, budget),
        tightenings=tightenings,
        excluded=excluded,
        rounding=lost,
    )


def _made(evidence: Callable[[], Certificate] | None, budget: Budget) -> Certificate:
    """The certificate of the best bound. A Ctrl-C here is recorded, and costs no evidence."""
    if evidence is None:
        return NoCertificate("no round of pricing gave a bound")
    try:
        return guarded(evidence, evidence)
    except KeyboardInterrupt:
        budget.interrupt()
        return guarded(evidence, evidence)


def _tight(relaxed: Relaxed[Any], bound: float, answers: Sequence[Answer]) -> bool:
    """Whether the restricted optimum already meets the bound and no row cuts it off."""
    return not any(len(a.batch.rows) for a in answers) and meets(bound, relaxed.attained)


class PricedRelaxation(Relaxation[S], Generic[S, V]):
    """`price_and_cut` as a relaxation, for `tree_search`."""

    def __init__(
        self,
        restricted: Restricted[S, V],
        generators: Sequence[Generator[V]],
        decisions: Decisions,
        *,
        limit: int | None = None,
        pricing: Pricing = PLAIN,
        granularity: float | None = None,
    ) -> None:
        self.pricing, self.granularity = pricing, granularity
        self.restricted, self.heeds_rows = restricted, restricted.heeds_rows
        self.generators = tuple(generators)
        self.decisions = decisions
        self.limit = limit
        self._rounds = Rounds(self.generators, decisions, pricing, restricted, limit)

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of columns and of rows of the master."""
        return self.restricted.size

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[S]:
        """Bound a node by pricing and separation until the slack closes."""
        return self._priced(fixings, budget, incumbent, state)

    def look(self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf) -> Relaxed[S]:
        """The bound alone: nothing is fixed or left open."""
        return self._priced(fixings, budget, incumbent, None, look=True)

    def _priced(
        self, fixings: Fixings, budget: Budget, incumbent: float, state: Any, *, look: bool = False
    ) -> Relaxed[S]:
        return price_and_cut(
            self.restricted,
            self.generators,
            self.decisions,
            fixings,
            budget,
            incumbent=incumbent,
            state=state,
            limit=self.limit,
            pricing=self.pricing,
            granularity=self.granularity,
            rounds=self._rounds,
            look=look,
        )

    def glance(self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf) -> Relaxed[S]:
        """The restricted relaxation alone, with all columns at hand: nothing is left open."""
        asked = -math.inf if self.pricing.lazy else incumbent
        return guarded(self.restricted, self.restricted.solve, fixings, budget, incumbent=asked)

    def integral(self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf) -> S | None:
        """The restricted relaxation's."""
        return guarded(self.restricted, self.restricted.integral, fixings, budget, incumbent=incumbent)
