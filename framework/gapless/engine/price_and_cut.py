"""Column-and-row generation: a restricted relaxation and generators make a whole relaxation.

Solve the restricted master, ask the generators what is missing, extend, repeat until the slack closes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.certificate import Certificate, NoCertificate
from gapless.core.decisions import Decisions, Fixings
from gapless.core.errors import FixedColumn, InconsistentBound, MissingBound, OracleError
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, Generator, View
from gapless.core.relaxation import Relaxation, Relaxed, Restricted
from gapless.core.tolerance import margin, meets
from gapless.engine.entering import enter, silent
from gapless.engine.guard import checked_bound, guarded

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
    certificate: Certificate = NoCertificate("no round of pricing gave a bound")
    relaxed: Relaxed[S] = Relaxed(math.inf, state=state)
    closing = False
    while True:
        try:
            relaxed = guarded(
                restricted, restricted.solve, fixings, budget, incumbent=incumbent, state=relaxed.state
            )
            base = checked_bound(restricted, relaxed.bound)
            if relaxed.attained > bound + margin(bound):
                raise InconsistentBound(
                    f"the generators claimed a bound of {budget.as_value(bound)}, but their own "
                    f"columns reach {budget.as_value(relaxed.attained)}: a slack was too small"
                )
            if closing:
                break
            view = guarded(restricted, restricted.view)
            answers = [ask(generator, view, limit, decisions, fixings) for generator in generators]
            slack = total_slack(answers)
            if base > -math.inf and slack is not None and base + slack <= bound:
                # The evidence first: Ctrl-C must not leave a bound without it.
                certificate = guarded(restricted, restricted.certify, answers)
                bound = base + slack
            added, batches = enter(answers, lambda batch: guarded(restricted, restricted.extend, batch))
            budget.iterations += 1
            if not added:
                if slack is None:
                    raise MissingBound(silent(generators, answers, view))
                guarded(restricted, restricted.judge, relaxed, bound)
                if base == -math.inf and slack == 0:
                    certificate = guarded(restricted, restricted.certify, answers)
                    bound = base
            guarded(
                budget,
                budget.emit,
                "round",
                bound,
                incumbent,
                restricted=base,
                attained=relaxed.attained,
                added=added,
                columns_found=sum(len(batch.columns) for batch in batches),
                rows_found=sum(len(batch.rows) for batch in batches),
                scored=sum(a.scored for a in answers),
            )
        except KeyboardInterrupt:
            budget.interrupt()
            break
        if not added or bound <= incumbent or budget.spent() is not None:
            break
        if enough is not None:
            if enough(bound, relaxed.attained):
                break
            continue
        # Whoever claims that nothing is missing and returns columns all the same is tested by one more solve.
        closing = _tight(relaxed, bound, answers)
    return attrs.evolve(relaxed, bound=bound, certificate=certificate)


def total_slack(answers: Sequence[Answer]) -> float | None:
    """Sum of all slacks; None when a generator claims none (or an infinite one)."""
    slacks = [a.slack for a in answers]
    total = sum(s for s in slacks if s is not None)
    return None if any(s is None for s in slacks) or math.isinf(total) else total


def _tight(relaxed: Relaxed[Any], bound: float, answers: Sequence[Answer]) -> bool:
    """Whether the restricted optimum already meets the bound and no row cuts it off."""
    return not any(len(a.batch.rows) for a in answers) and meets(bound, relaxed.attained)


def ask(generator: Generator[V], view: V, limit: int | None, decisions: Decisions, fixings: Fixings) -> Answer:
    """A generator's answer, unless it contradicts itself or the fixings."""
    answer = guarded(generator, generator.query, view, limit=limit)
    name = type(generator).__name__
    if not isinstance(answer, Answer):
        raise OracleError(f"{name}.query returned {type(answer).__name__}, expected an Answer")
    if answer.slack is not None and not answer.slack >= 0:
        raise InconsistentBound(f"{name} claimed a slack of {answer.slack}; a slack is a number >= 0")
    if answer.slack is None and not len(answer.batch):
        raise MissingBound(f"{name} returned nothing and claimed no slack; claim slack=0.0 if nothing is missing")
    columns, rows = answer.batch.columns, answer.batch.rows
    numbers = [columns.objective, columns.coefficients.values, columns.uses.values, columns.upper]
    numbers += rows.lower, rows.upper, rows.coefficients.values, rows.uses.values
    if any(np.isnan(a).any() for a in numbers):
        raise InconsistentBound(f"{name} returned a column or row with NaN in it")
    banned = np.flatnonzero(fixings.forbids(columns.uses, decisions))
    if banned.size:
        raise FixedColumn(
            f"{name} returned column {columns.keys[banned[0]]} although the fixings forbid it; "
            "look at view.usage_prices() (infinite where banned) or view.fixings"
        )
    return answer


class PricedRelaxation(Relaxation[S], Generic[S, V]):
    """`price_and_cut` as a relaxation, for `tree_search`."""

    def __init__(
        self,
        restricted: Restricted[S, V],
        generators: Sequence[Generator[V]],
        decisions: Decisions,
        *,
        limit: int | None = None,
    ) -> None:
        self.restricted, self.heeds_rows = restricted, restricted.heeds_rows
        self.generators = tuple(generators)
        self.decisions = decisions
        self.limit = limit

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[S]:
        """Bound a node by pricing and separation until the slack closes."""
        return price_and_cut(
            self.restricted,
            self.generators,
            self.decisions,
            fixings,
            budget,
            incumbent=incumbent,
            state=state,
            limit=self.limit,
        )

    def glance(self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf) -> Relaxed[S]:
        """The restricted relaxation alone."""
        return guarded(self.restricted, self.restricted.solve, fixings, budget, incumbent=incumbent)

    def integral(self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf) -> S | None:
        """The restricted relaxation's."""
        return guarded(self.restricted, self.restricted.integral, fixings, budget, incumbent=incumbent)
