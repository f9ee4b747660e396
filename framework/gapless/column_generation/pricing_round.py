"""One round of pricing and separation: queries to the generators until something new enters the master.

Both trees use it. A round queries at smoothed prices first, then nearer to the master's prices, then at these; if
generators have stages, it repeats all that with the next stage of each. The smallest bound of all queries counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray
from gapless.arrays.tolerance import rounding, score_tolerance
from gapless.certificates.certificate import Certificate
from gapless.column_generation.batch_entry import PRICING_GAP_ADVICE, enter_batches
from gapless.column_generation.pricing_options import PricingOptions
from gapless.column_generation.returned_columns import ReturnedColumns
from gapless.column_generation.smoothing import Smoothing
from gapless.decisions.decisions import OFF, Decisions, Fixings
from gapless.errors import FixedColumn, InconsistentBound, MissingBound, OracleError
from gapless.limits.limits import SolveBudget, question_deadline
from gapless.oracles.batch import Batch, Columns
from gapless.oracles.generator import Generator, GeneratorResult
from gapless.oracles.views import LinearView, MasterView
from gapless.tree_search.role_calls import call_role

V = TypeVar("V", bound=MasterView)

REPAIR_SHARE = 1e-6
"""Share of the infeasibility measure of a master up to which a pricing gap counts as rounding."""

FIRST_SAMPLE = 64
"""Number of queries after which claims are first tested by an extra one; the number then doubles each time."""

IMPROVING_REDUCED_COST = 1e-9
"""Reduced cost at the master's prices from which a column found at smoothed prices improves the master."""


@attrs.define(eq=False)
class PricingRound(Generic[V]):
    """The outcome of a round.

    Parameters
    ----------
    bound : float
        Smallest bound that a query proved, infinite without one.
    evidence : callable or None
        Makes the certificate of `bound`.
    answers : list of GeneratorResult
        Results of the last query.
    pricing_gap : float or None
        Sum of the pricing gaps of the last query, None if a generator claimed none.
    added : int
        Number of columns and rows that were new.
    batches : list of Batch
        The batches that were offered to the master.
    scored : int
        Number of parts scored.
    queries : int
    stopped : bool
        Whether a generator was interrupted during the last query.
    complete : bool
        Whether nothing is missing, as far as the generators know: the last query was at the master's prices, to
        the last stages, and no generator was interrupted.
    """

    bound: float = math.inf
    evidence: Callable[[], Certificate] | None = None
    answers: list[GeneratorResult] = attrs.field(factory=list)
    pricing_gap: float | None = None
    added: int = 0
    batches: list[Batch] = attrs.field(factory=list)
    scored: int = 0
    queries: int = 0
    complete: bool = False
    stopped: bool = False


class PricingLoop(Generic[V]):
    """Rounds of queries to the generators, over all nodes of a solve.

    Parameters
    ----------
    generators : sequence of Generator
    decisions : Decisions
    pricing : PricingOptions
    master : object
        Has `extend`, `smoothed`, `excluded`, `lacking`, `evidence` and `certify` of `RestrictedMaster`.
    limit : int, optional
    """

    def __init__(
        self,
        generators: Sequence[Generator[V]],
        decisions: Decisions,
        pricing: PricingOptions,
        master: Any,
        limit: int | None,
    ) -> None:
        self.generators, self.decisions, self.limit = tuple(generators), decisions, limit
        self.master = master
        self.smoothing: Smoothing[V] = Smoothing(pricing, master)
        self._returned = ReturnedColumns(master)
        self.queries, self._next_sample = 0, FIRST_SAMPLE
        self.stage = [0] * len(self.generators)
        self.best = math.inf
        self._bans: tuple[Fixings | None, FloatArray | None] = None, None

    def begin(self) -> None:
        """Start a new node."""
        self.best = math.inf
        # The prices of a new node differ, so the cheap stages may find columns again.
        self.stage = [0] * len(self.generators)
        self.smoothing.begin()

    def ask(
        self,
        view: V,
        base: float,
        fixings: Fixings,
        budget: SolveBudget,
        enough: float = -math.inf,
        *,
        attained: float = -math.inf,
    ) -> PricingRound[V]:
        """Query the generators until something new enters the master or nothing is left to find.

        Parameters
        ----------
        view : MasterView
            The view of the master as solved.
        base : float
            Its bound.
        budget : SolveBudget
            Once it is spent, the round ends after the running query, incomplete. Generators get its deadline.
        enough : float
            At smoothed prices, the round ends as soon as its bound is no larger than this.
        attained : float
            A score that the complete relaxation attains, less its float64 rounding: claims about other masters
            of the same relaxation are compared with it. By default with nothing.
        """
        outcome: PricingRound[V] = PricingRound()
        while True:
            for number, smoothed in enumerate(self.smoothing.views(view)):
                centre = self.smoothing.centre
                bound = smoothed.bound if isinstance(smoothed, LinearView) else base
                answers = self._query(smoothed, bound, fixings, budget, outcome)
                # Only the first view has the smoothing factor itself; later ones only leave a mispricing.
                if number == 0 and centre is not None:
                    self.smoothing.adapt(view, smoothed, centre, answers)
                outcome.added, outcome.batches = enter_batches([_improving(a, view) for a in answers], self.extend)
                if outcome.added or outcome.bound <= enough or budget.stop_reason() is not None:
                    return outcome
            answers = self._query(view, base, fixings, budget, outcome)
            outcome.added, outcome.batches = enter_batches(answers, self.extend)
            if outcome.stopped or budget.must_stop():
                # An interrupted generator may not have sought rows: earlier claims hold, but the point is not
                # accepted.
                return outcome
            # A pricing gap of 0 proves that nothing is missing, so that more exact stages would find nothing.
            if outcome.added or outcome.pricing_gap == 0 or not self._next_stage():
                outcome.complete = not outcome.added
                if outcome.complete:
                    self._test_claim(view, fixings, budget, attained)
                return outcome
            if budget.stop_reason() is not None:
                return outcome

    def extend(self, batch: Batch) -> int:
        """Add to the master; return the number of new columns and rows."""
        return int(call_role(self.master, self.master.extend, batch))

    def evidence(self, view: V, answers: Sequence[GeneratorResult]) -> Callable[[], Certificate]:
        """Return a function that makes the certificate of a bound."""
        make: Callable[[], Certificate] | None = self.master.evidence(view, answers)
        if make is not None:
            return make
        # `certify` reads the last solve of the master, which the next round overwrites: call it now.
        certificate: Certificate = call_role(self.master, self.master.certify, answers)
        return lambda: certificate

    def _next_stage(self) -> bool:
        """Advance every generator that has another stage; return whether there was one."""
        stages = [min(s + 1, max(len(g.stages) - 1, 0)) for s, g in zip(self.stage, self.generators, strict=True)]
        advanced, self.stage = stages != self.stage, stages
        return advanced

    def _banned(self, fixings: Fixings) -> FloatArray | None:
        """Return a float mask of the quantities that may not be used; None if all may."""
        # Keyed by identity: a node's fixings are one object, and comparing states would cost as much as the mask.
        if self._bans[0] is not fixings:
            has_off = bool((fixings.state == OFF).any())
            self._bans = fixings, fixings.banned(self.decisions).astype(np.float64) if has_off else None
        return self._bans[1]

    def _test_claim(self, view: V, fixings: Fixings, budget: SolveBudget, attained: float) -> None:
        """Now and then, query a master that lacks a column in use; its bound must allow the attained score.

        Raises `InconsistentBound`.
        """
        # Each test costs a linear program and a query, so the distance between tests doubles (decision 063).
        if self.queries < self._next_sample or not isinstance(view, LinearView) or budget.stop_reason() is not None:
            return
        point = view.column_values
        if point is None:
            return
        self._next_sample = 2 * self.queries
        lacking = self.master.lacking(view, budget)
        if lacking is None:
            return
        outcome: PricingRound[V] = PricingRound()
        self._query_all(lacking, fixings, budget, outcome)
        if outcome.pricing_gap is None:
            return
        claim = lacking.bound + outcome.pricing_gap
        # Without the column, one with a large penalty may enter the solution: bound and pricing gap then cancel.
        noise = rounding(int(np.count_nonzero(point)), abs(lacking.bound) + outcome.pricing_gap)
        if claim < attained - score_tolerance(attained) - noise:
            names = " and ".join(dict.fromkeys(type(generator).__name__ for generator in self.generators))
            removed = view.column_keys[~lacking.has_columns(view.column_keys)]
            raise InconsistentBound(
                f"{names} claimed a bound of {budget.as_value(claim)} for a master without column {removed[0]}, "
                f"but with it {budget.as_value(view.objective)} is reached: a pricing gap was too small. Pricing "
                "overlooks columns, as by a dominance rule that drops too much, or it goes by a list of what it "
                "returned instead of view.column_keys"
            )

    def _query(
        self, view: V, base: float, fixings: Fixings, budget: SolveBudget, outcome: PricingRound[V]
    ) -> list[GeneratorResult]:
        """Query all generators at a view of bound `base`, and keep the bound that follows if it is the best."""
        answers = self._query_all(view, fixings, budget, outcome)
        # An infeasible master (base -inf) has Farkas prices: a pricing gap then bounds its repair, not the score.
        if outcome.pricing_gap is not None and base > -math.inf:
            bound = base + outcome.pricing_gap
            if bound <= outcome.bound:
                # The evidence first: Ctrl-C must not leave a bound without it.
                outcome.evidence = self.evidence(view, answers)
                outcome.bound = bound
            if bound < self.best:
                self.best = bound
                self.smoothing.improve(view, answers)
        return answers

    def _query_all(
        self, view: V, fixings: Fixings, budget: SolveBudget, outcome: PricingRound[V]
    ) -> list[GeneratorResult]:
        budget.oracle_calls += len(self.generators)
        self.queries += 1
        answers, outcome.stopped = [], False
        for generator, stage in zip(self.generators, self.stage, strict=True):
            with question_deadline(budget) as view.deadline:
                answer = query_generator(generator, view, self.limit, self._banned(fixings), stage)
            if isinstance(view, LinearView) and len(answer.batch.columns):
                # Heuristic stages and interrupted searches may return columns that improve nothing.
                exact = stage >= len(generator.stages) - 1 and not view.deadline.has_stopped
                self._returned.check(generator, answer, view, exact=exact)
            answers.append(answer)
            outcome.stopped |= view.deadline.has_stopped
        outcome.answers, outcome.pricing_gap = answers, total_pricing_gap(answers)
        outcome.scored += sum(a.scored for a in answers)
        outcome.queries += 1
        return answers


def _improving(answer: GeneratorResult, view: MasterView) -> GeneratorResult:
    """Reduce a result at smoothed prices to what may enter the master.

    Columns go if none of them improves the master at its own prices (mispricing); rows over columns always go.
    """
    if not isinstance(view, LinearView):
        return answer
    columns, rows = answer.batch.columns, answer.batch.rows
    if len(columns) and not np.any(view.reduced_costs(columns) > IMPROVING_REDUCED_COST):
        columns = Columns.none()
    # A smoothed view lacks columns of the master, in which a row over columns may need entries.
    if len(rows) and not np.all(rows.over_quantities):
        rows = rows.take(np.flatnonzero(rows.over_quantities))
    return attrs.evolve(answer, batch=Batch(columns, rows))


def stays_infeasible(pricing_gap: float | None, infeasibility_measure: float) -> bool:
    """Return whether no missing column can repair an infeasible master: the pricing gap is 0, or rounding."""
    return pricing_gap is not None and (pricing_gap == 0 or pricing_gap <= REPAIR_SHARE * infeasibility_measure)


def total_pricing_gap(answers: Sequence[GeneratorResult]) -> float | None:
    """Add up the pricing gaps; None if a generator claims none (or an infinite one)."""
    gaps = [a.pricing_gap for a in answers]
    total = sum(gap for gap in gaps if gap is not None)
    return None if any(gap is None for gap in gaps) or math.isinf(total) else total


def query_generator(
    generator: Generator[V], view: V, limit: int | None, bans: FloatArray | None = None, stage: int = 0
) -> GeneratorResult:
    """Return a generator's result, unless it contradicts itself or uses a quantity of positive `bans`."""
    query: Any = generator.query
    if len(generator.stages) > 1:
        answer = call_role(generator, query, view, limit=limit, stage=generator.stages[stage])
    else:
        answer = call_role(generator, query, view, limit=limit)
    name = type(generator).__name__
    if not isinstance(answer, GeneratorResult):
        raise OracleError(f"{name}.query returned {type(answer).__name__}, expected a GeneratorResult")
    # "not >=" instead of "<": NaN must be refused, too.
    if answer.pricing_gap is not None and not answer.pricing_gap >= 0:
        raise InconsistentBound(
            f"{name} claimed a pricing gap of {answer.pricing_gap}; a pricing gap is a number >= 0"
        )
    # An interrupted search proves nothing, whatever its author claims (decision 062).
    if view.deadline.has_stopped:
        answer = attrs.evolve(answer, pricing_gap=None)
    if not len(answer.batch):
        if answer.pricing_gap is None and not view.deadline.has_stopped and stage >= len(generator.stages) - 1:
            raise MissingBound(f"{name} returned nothing and claimed no pricing gap: {PRICING_GAP_ADVICE}")
        return answer
    columns, rows = answer.batch.columns, answer.batch.rows
    numbers = [columns.objective, columns.coefficients.values, columns.uses.values, columns.upper]
    if len(rows):
        numbers += rows.lower, rows.upper, rows.coefficients.values, rows.uses.values
    # The maximum of an array with a NaN is NaN: no mask of its size is needed.
    if any(a.size and math.isnan(a.max()) for a in numbers):
        raise InconsistentBound(f"{name} returned a column or row with NaN in it")
    if bans is not None and (banned := np.flatnonzero(columns.uses.dot(bans))).size:
        raise FixedColumn(
            f"{name} returned column {columns.keys[banned[0]]} although the fixings forbid it; "
            "look at view.usage_prices() (infinite where banned) or view.fixings"
        )
    return answer
