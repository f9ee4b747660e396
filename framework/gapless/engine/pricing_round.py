"""One round of pricing and separation: questions to the generators until something new enters the master.

Both trees use it. A round asks at smoothed prices first, then nearer to the master's, then at these; and where
generators have stages, all that again with the next stage of each. The smallest bound of all questions counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.batch import Batch, Columns
from gapless.core.certificate import Certificate
from gapless.core.decisions import OFF, Decisions, Fixings
from gapless.core.errors import FixedColumn, InconsistentBound, MissingBound, OracleError
from gapless.core.limits import Budget, question_deadline
from gapless.core.oracle import Answer, Generator, LinearView, View
from gapless.core.pricing import Pricing
from gapless.core.sparse import FloatArray
from gapless.core.tolerance import margin
from gapless.engine.entering import OWED, enter
from gapless.engine.guard import guarded
from gapless.engine.returned_columns import ReturnedColumns
from gapless.engine.smoothing import Smoothing

V = TypeVar("V", bound=View)

REPAIRS = 1e-6
"""Share of what an infeasible master is short by, up to which a slack counts as rounding."""

FIRST_SAMPLE = 64
"""Questions after which claims are tried by one more; then at twice as many, four times as many, and so on."""

IMPROVES = 1e-9
"""Gain at the master's prices from which one of the columns found at smoothed prices improves the master."""


@attrs.define(eq=False)
class Round(Generic[V]):
    """The outcome of a round.

    Parameters
    ----------
    bound : float
        Smallest bound that a question proved, infinite without one.
    evidence : callable or None
        Makes its certificate.
    answers : list of Answer
        Those of the last question.
    slack : float or None
        Slack of the last question, None where a generator claimed none.
    added : int
        Number of columns and rows that were new.
    batches : list of Batch
        The batches that were tried.
    scored : int
        Number of parts scored.
    questions : int
    stopped : bool
        Whether a generator was told to stop during the last question.
    complete : bool
        Whether nothing is missing, as far as the generators know: the last question was at the master's prices, to
        the last stages, and no generator was told to stop.
    """

    bound: float = math.inf
    evidence: Callable[[], Certificate] | None = None
    answers: list[Answer] = attrs.field(factory=list)
    slack: float | None = None
    added: int = 0
    batches: list[Batch] = attrs.field(factory=list)
    scored: int = 0
    questions: int = 0
    complete: bool = False
    stopped: bool = False


class Rounds(Generic[V]):
    """Asks the generators, round after round and node after node.

    Parameters
    ----------
    generators : sequence of Generator
    decisions : Decisions
    pricing : Pricing
    master : object
        Has `extend`, `smoothed`, `excluded`, `lacking`, `evidence` and `certify` of `Restricted`.
    limit : int, optional
    """

    def __init__(
        self,
        generators: Sequence[Generator[V]],
        decisions: Decisions,
        pricing: Pricing,
        master: Any,
        limit: int | None,
    ) -> None:
        self.generators, self.decisions, self.limit = tuple(generators), decisions, limit
        self.master = master
        self.smoothing: Smoothing[V] = Smoothing(pricing, master)
        self._returned = ReturnedColumns(master)
        self.questions, self._next_sample = 0, FIRST_SAMPLE
        self.stage = [0] * len(self.generators)
        self.best = math.inf
        self._bans: tuple[Fixings | None, FloatArray | None] = None, None

    def begin(self) -> None:
        """A new node: its bounds are others, and cheap stages may find something again."""
        self.best = math.inf
        self.stage = [0] * len(self.generators)
        self.smoothing.begin()

    def ask(self, view: V, base: float, fixings: Fixings, budget: Budget, enough: float = -math.inf) -> Round[V]:
        """Question after question, until something new enters or the generators have nothing left to find.

        Parameters
        ----------
        view : View
            The view of the master as solved.
        base : float
            Its bound.
        budget : Budget
            Once it is spent, the round ends with the question in hand, incomplete. Its deadline is the generators'.
        enough : float
            A bound that needs no better one: at smoothed prices, the round ends there.
        """
        done: Round[V] = Round()
        while True:
            for number, smoothed in enumerate(self.smoothing.views(view)):
                centre = self.smoothing.centre
                bound = smoothed.bound if isinstance(smoothed, LinearView) else base
                answers = self._question(smoothed, bound, fixings, budget, done)
                if number == 0 and centre is not None:
                    self.smoothing.learn(view, smoothed, centre, answers)
                done.added, done.batches = enter([_improving(a, view) for a in answers], self.extend)
                if done.added or done.bound <= enough or budget.spent() is not None:
                    return done
            answers = self._question(view, base, fixings, budget, done)
            done.added, done.batches = enter(answers, self.extend)
            if done.stopped or budget.must_stop():
                return done  # perhaps rows were not sought: the claims stay, but the point is not judged
            if done.added or done.slack == 0 or not self._next_stage():
                done.complete = not done.added
                if done.complete:
                    self._price_again(view, fixings, budget)
                return done
            if budget.spent() is not None:
                return done

    def extend(self, batch: Batch) -> int:
        """Add to the master; return the number of new columns and rows."""
        return int(guarded(self.master, self.master.extend, batch))

    def evidence(self, view: V, answers: Sequence[Answer]) -> Callable[[], Certificate]:
        """A function that makes the certificate of a bound."""
        later: Callable[[], Certificate] | None = self.master.evidence(view, answers)
        if later is not None:
            return later
        certificate: Certificate = guarded(self.master, self.master.certify, answers)
        return lambda: certificate

    def _next_stage(self) -> bool:
        """Whether some generator has another stage; all go on to it."""
        later = [min(s + 1, max(len(g.stages) - 1, 0)) for s, g in zip(self.stage, self.generators, strict=True)]
        moved, self.stage = later != self.stage, later
        return moved

    def _banned(self, fixings: Fixings) -> FloatArray | None:
        """1 for each quantity that may not be used; None where all may."""
        if self._bans[0] is not fixings:
            some = bool((fixings.state == OFF).any())
            self._bans = fixings, fixings.banned(self.decisions).astype(np.float64) if some else None
        return self._bans[1]

    def _price_again(self, view: V, fixings: Fixings, budget: Budget) -> None:
        """Now and then, ask about a master that lacks a column in use: the claim there must allow what is reached.

        Raises `InconsistentBound`. Costs a linear program and a question, so it comes with doubling distance.
        """
        if self.questions < self._next_sample or not isinstance(view, LinearView) or budget.spent() is not None:
            return
        self._next_sample = 2 * self.questions
        lacking = self.master.lacking(view, budget)
        if lacking is None:
            return
        tried: Round[V] = Round()
        self._ask_all(lacking, fixings, budget, tried)
        claim = math.inf if tried.slack is None else lacking.bound + tried.slack
        if claim < view.objective - margin(view.objective) - view.rounding:
            names = " and ".join(dict.fromkeys(type(generator).__name__ for generator in self.generators))
            gone = view.column_keys[~lacking.has_columns(view.column_keys)]
            raise InconsistentBound(
                f"{names} claimed a bound of {budget.as_value(claim)} for a master without column {gone[0]}, but "
                f"with it {budget.as_value(view.objective)} is reached: a slack was too small. Pricing "
                "overlooks columns, as by a dominance rule that drops too much, or it goes by a list of what it "
                "returned instead of view.column_keys"
            )

    def _question(self, view: V, base: float, fixings: Fixings, budget: Budget, done: Round[V]) -> list[Answer]:
        answers = self._ask_all(view, fixings, budget, done)
        if done.slack is not None and base > -math.inf:
            bound = base + done.slack
            if bound <= done.bound:
                # The evidence first: Ctrl-C must not leave a bound without it.
                done.evidence = self.evidence(view, answers)
                done.bound = bound
            if bound < self.best:
                self.best = bound
                self.smoothing.improve(view, answers)
        return answers

    def _ask_all(self, view: V, fixings: Fixings, budget: Budget, done: Round[V]) -> list[Answer]:
        budget.oracle_calls += len(self.generators)
        self.questions += 1
        answers, done.stopped = [], False
        for generator, stage in zip(self.generators, self.stage, strict=True):
            with question_deadline(budget) as view.deadline:
                answer = ask(generator, view, self.limit, self._banned(fixings), stage)
            if isinstance(view, LinearView) and len(answer.batch.columns):
                exact = stage >= len(generator.stages) - 1 and not view.deadline.has_stopped
                self._returned.check(generator, answer, view, exact=exact)
            answers.append(answer)
            done.stopped |= view.deadline.has_stopped
        done.answers, done.slack = answers, total_slack(answers)
        done.scored += sum(a.scored for a in answers)
        done.questions += 1
        return answers


def _improving(answer: Answer, view: View) -> Answer:
    """The answer at smoothed prices, without columns where none improves the master at its own prices.

    Rows over columns are left out: a smoothed view lacks columns that they may need entries in.
    """
    if not isinstance(view, LinearView):
        return answer
    columns, rows = answer.batch.columns, answer.batch.rows
    if len(columns) and not np.any(view.gain(columns) > IMPROVES):
        columns = Columns.none()
    if len(rows) and not np.all(rows.over_quantities):
        rows = rows.take(np.flatnonzero(rows.over_quantities))
    return attrs.evolve(answer, batch=Batch(columns, rows))


def stays_infeasible(slack: float | None, short_by: float) -> bool:
    """Whether a slack is no more than rounding, in a master that is short by so much: nothing can repair it."""
    return slack is not None and (slack == 0 or slack <= REPAIRS * short_by)


def total_slack(answers: Sequence[Answer]) -> float | None:
    """Sum of all slacks; None when a generator claims none (or an infinite one)."""
    slacks = [a.slack for a in answers]
    total = sum(s for s in slacks if s is not None)
    return None if any(s is None for s in slacks) or math.isinf(total) else total


def ask(
    generator: Generator[V], view: V, limit: int | None, bans: FloatArray | None = None, stage: int = 0
) -> Answer:
    """A generator's answer, unless it contradicts itself or uses a quantity of positive `bans`.

    The answer claims nothing where the generator was told to stop: an unfinished search must not pass for a proof.
    """
    query: Any = generator.query
    if len(generator.stages) > 1:
        answer = guarded(generator, query, view, limit=limit, stage=generator.stages[stage])
    else:
        answer = guarded(generator, query, view, limit=limit)
    name = type(generator).__name__
    if not isinstance(answer, Answer):
        raise OracleError(f"{name}.query returned {type(answer).__name__}, expected an Answer")
    if answer.slack is not None and not answer.slack >= 0:
        raise InconsistentBound(f"{name} claimed a slack of {answer.slack}; a slack is a number >= 0")
    if view.deadline.has_stopped:
        answer = attrs.evolve(answer, slack=None)
    if not len(answer.batch):
        if answer.slack is None and not view.deadline.has_stopped and stage >= len(generator.stages) - 1:
            raise MissingBound(f"{name} returned nothing and claimed no slack: {OWED}")
        return answer
    columns, rows = answer.batch.columns, answer.batch.rows
    numbers = [columns.objective, columns.coefficients.values, columns.uses.values, columns.upper]
    if len(rows):
        numbers += rows.lower, rows.upper, rows.coefficients.values, rows.uses.values
    if any(a.size and math.isnan(a.max()) for a in numbers):
        raise InconsistentBound(f"{name} returned a column or row with NaN in it")
    if bans is not None and (banned := np.flatnonzero(columns.uses.dot(bans))).size:
        raise FixedColumn(
            f"{name} returned column {columns.keys[banned[0]]} although the fixings forbid it; "
            "look at view.usage_prices() (infinite where banned) or view.fixings"
        )
    return answer
