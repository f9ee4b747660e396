"""Rules for a `Generator`: its slack, its columns, and what it says of columns that its master lacks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.core.batch import Batch
from gapless.core.decisions import Decisions, Fixings
from gapless.core.errors import PricingWarning
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, Generator, LinearView, View
from gapless.core.problem import Problem
from gapless.core.relaxation import Relaxed, Restricted
from gapless.core.sparse import IntArray, Sparse
from gapless.core.tolerance import INTEGRAL
from gapless.engine.entering import enter
from gapless.engine.pricing_round import stays_infeasible, total_slack
from gapless.engine.returned_columns import useless_columns
from gapless.lp import LinearMaster
from gapless.testing.conformance import Check, best_score, dominates, same, sample_fixings, single_fixings
from gapless.testing.enumeration import Feasible, given_or_enumerated

S = TypeVar("S")
V = TypeVar("V", bound=View)
_ROUNDS = 200
_LISTED = 20
_TAKEN_AWAY = 3
"""Columns in use that are taken away, one by one, under each fixings."""


def check_generator(
    generator: Generator[V] | Sequence[Generator[V]],
    make_restricted: Callable[[], Restricted[S, V]],
    problem: Problem[S],
    *,
    structures: Iterable[S] | None = None,
    samples: int = 20,
    seed: int = 0,
) -> None:
    """Run generators with their master until nothing new comes, and check every slack against later rounds.

    Rules: ``restricted bound + slacks`` dominates every feasible value and the master's score in later rounds (in
    earlier ones it may have been higher, before a row cut it off); a slack is a number >= 0 and mandatory with an
    empty batch; no returned column is banned by the fixings; no NaN; equal views get equal answers; a key names one
    column, or one row; at the end nothing feasible is better than the bound, and an integral master scores what the
    problem says. For the last rule, fixings that leave a single structure are tried as well.

    Of a linear master also: a returned column is new and has a positive reduced cost at the viewed prices; none is
    excluded under the fixings; a master from which a column in use is taken away gets it back, or a claim that
    covers it; an integral solution to which nothing is added is a feasible structure, also under fixings that turn
    on what a column uses that is part of no feasible structure.

    These rules find pricing that forgets the price of a row, dominance that is too strong, and resources that allow
    more than the problem.

    Parameters
    ----------
    generator : Generator or sequence of Generator
        All generators of the master.
    make_restricted : callable
        Makes a new restricted master.
    problem : Problem
        Small enough to enumerate, unless `structures` are given.
    structures : iterable of S, optional
        All feasible structures, instead of enumerating the assignments of decisions.
    samples : int
        Number of fixings to try.
    seed : int
    """
    generators = [generator] if isinstance(generator, Generator) else list(generator)
    found = given_or_enumerated(problem, structures)
    on_sets = [f.on_ids for f in found]
    tried = sample_fixings(problem.decisions, on_sets, samples, seed)
    suspects: dict[bytes, IntArray] = {}
    useless: list[tuple[Check, str, str]] = []
    for fixings in [*tried, *single_fixings(problem.decisions, on_sets, samples, seed)]:
        rounds = _Rounds(generators, make_restricted, problem, fixings, found)
        rounds.check()
        suspects |= rounds.suspects()
        useless += rounds.useless
    for on_ids in [*suspects.values()][:samples]:
        alone = Fixings.none(problem.decisions.count).fix(on=on_ids)
        if alone is not None:
            _Rounds(generators, make_restricted, problem, alone, found).check()
    for check, rule, instance in useless[:1]:  # last: a rule whose breach makes answers wrong says more
        check.require(False, rule, instance)


class _Rounds(Generic[S, V]):
    """One restricted master under some fixings, with the claim and the score of each round."""

    def __init__(
        self,
        generators: Sequence[Generator[V]],
        make_restricted: Callable[[], Restricted[S, V]],
        problem: Problem[S],
        fixings: Fixings,
        found: Sequence[Feasible[S]],
    ) -> None:
        self.checks = [Check(generator) for generator in generators]
        self.check_all = Check(" and ".join(type(generator).__name__ for generator in generators))
        self.generators, self.make_restricted, self.problem = generators, make_restricted, problem
        self.restricted, self.decisions = make_restricted(), problem.decisions
        self.fixings, self.found, self.best = fixings, found, best_score(found, fixings)
        self.single = sum(fixings.allow(f.on_ids) for f in found) == 1
        self.entered: list[Batch] = []
        self.useless: list[tuple[Check, str, str]] = []
        self.known: dict[tuple[str, int], tuple[list[int], list[float]]] = {}
        self.rows: list[int] = []

    def place(self, number: int) -> str:
        """Place of a failure; it names the rows, because claims and bounds hold only with them."""
        return f"{self.fixings}, round {number}" + (f" with rows {_listed(self.rows)}" if self.rows else "")

    def check(self) -> None:
        """Raise `ConformanceError` unless every rule holds."""
        claims: list[tuple[str, float]] = []
        reached: list[float] = []
        state: Any = None
        for number in range(_ROUNDS):
            relaxed = self.restricted.solve(self.fixings, Budget(), state=state)
            state = relaxed.state
            reached.append(relaxed.attained)
            answers = self._query_all(number)
            slack = total_slack(answers)
            claim = math.inf if slack is None or relaxed.bound == -math.inf else relaxed.bound + slack
            claims.append((self.place(number), claim))
            added, batches = enter(answers, self.restricted.extend)
            self.entered += batches
            self.rows += [key for a in answers for key in a.batch.rows.keys.tolist() if key not in self.rows]
            if not added:
                self._check_end(number, relaxed, answers)
                break
        else:
            self.check_all.require(False, f"the generator runs dry within {_ROUNDS} rounds", str(self.fixings))
        for first, (place, claim) in enumerate(claims):
            later = max(range(first, len(reached)), key=reached.__getitem__)
            told = f"{reached[later]!r} is reached in round {later}"
            if self.best >= reached[later]:
                told = f"{self.best!r} is feasible"
            self.check_all.require(
                dominates(claim, max(self.best, reached[later])),
                "the slack bounds what is missing",
                f"{place}: the claim is {claim!r}, but {told}",
            )
        if isinstance(self.restricted, LinearMaster):
            self._check_linear_master(self.restricted, number, relaxed)

    def _query_all(self, number: int) -> list[Answer]:
        view, place = self.restricted.view(), self.place(number)
        answers = []
        for check, generator in zip(self.checks, self.generators, strict=True):
            answer = _query_twice(check, generator, view, place)
            _check_answer(check, answer, self.decisions, self.fixings, place)
            if isinstance(view, LinearView) and len(answer.batch.columns):
                self._check_columns(check, answer, view, place)
            self._check_keys(check, answer, place)
            answers.append(answer)
        return answers

    def _check_columns(self, check: Check, answer: Answer, view: LinearView, place: str) -> None:
        """Note columns that cannot improve the viewed master, which would ignore them without a word."""
        keys, useless = answer.batch.columns.keys, useless_columns(answer, view)
        for some, rule in (
            (useless.known, "a returned column is new"),
            (useless.worthless, "a column of the exact stage has a positive reduced cost"),
        ):
            told = [f"{keys[j]} has reduced cost {useless.gain[j]:.6g}" for j in some[:_LISTED].tolist()]
            if told:
                self.useless.append((check, rule, f"{place}: by view.gain, column {', '.join(told)}"))
        excluded = self.restricted.excluded(self.fixings, keys)
        if excluded is not None and excluded.any():
            listed = _listed(keys[excluded].tolist())
            self.useless.append((check, "no returned column is excluded", f"{place}: {listed}"))

    def _check_keys(self, check: Check, answer: Answer, place: str) -> None:
        """Keys must be unique: a known key is ignored, so another column or row would get lost."""
        columns, rows = answer.batch.columns, answer.batch.rows
        for what, keys, uses, numbers in (
            ("column", columns.keys, columns.uses, (columns.objective, columns.upper)),
            ("row", rows.keys, rows.uses, (rows.lower, rows.upper)),
        ):
            for number, key in enumerate(keys.tolist()):
                used, times = uses.row(number)
                order = np.argsort(used, kind="stable")
                content = used[order].tolist(), [*times[order].tolist(), *(float(a[number]) for a in numbers)]
                before = self.known.setdefault((what, key), content)
                check.require(
                    before[0] == content[0] and all(map(same, before[1], content[1])),
                    f"a key names one {what}",
                    f"{place}: {what} {key} was another one before",
                )

    def _check_end(self, number: int, relaxed: Relaxed[S], answers: Sequence[Answer]) -> None:
        place, slack = self.place(number), total_slack(answers)
        self.check_all.require(slack is not None, "a slack is owed when nothing new is returned", place)
        end = relaxed.bound + (slack or 0.0)
        self.check_all.require(
            dominates(end, self.best),
            "nothing feasible is missing at the end",
            f"{place}: the completed bound is {end!r}, but {self.best!r} is feasible",
        )
        if self.single and any(len(answer.batch.columns) for answer in answers):
            # Nothing else is left, and the master contains all columns and rows of the generators.
            self.check_all.require(
                dominates(relaxed.attained, self.best),
                "columns score what the problem says",
                f"{place}: a single structure is left, worth {self.best!r}, but the master, which holds all the "
                f"columns returned, reaches {relaxed.attained!r}",
            )
        rule = "an integral master scores what the problem says"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PricingWarning)  # a rule below names what it says
            self.check_all.call(rule, place, self.restricted.judge, relaxed, end)

    def _check_linear_master(self, master: LinearMaster[S], number: int, relaxed: Relaxed[S]) -> None:
        """Rules for a linear master to which nothing is added."""
        if relaxed.structure is not None:
            broken = [*self.problem.violations(relaxed.structure)]
            self.check_all.require(
                not broken,
                "an integral solution to which nothing is added is feasible",
                f"{self.place(number)}: {relaxed.structure!r}: {broken[:1]}; columns, or the resources by "
                "which they are priced, allow more than the problem, and no row forbids it",
            )
        view = master.view()
        if (values := view.column_values) is not None:
            self._check_taken_away(view.column_keys[values > INTEGRAL], relaxed.attained)

    def _check_taken_away(self, used: IntArray, attained: float) -> None:
        """Ask about masters that lack one of the columns in use: a claim there must allow what is reached here."""
        brought = np.concatenate([np.zeros(0, np.int64), *(batch.columns.keys for batch in self.entered)])
        for key in used[np.isin(used, brought)][:_TAKEN_AWAY].tolist():
            master, state = self.make_restricted(), None
            for batch in self.entered:
                master.extend(_without(batch, key))
            claim, added = math.inf, 1
            while added and claim == math.inf:
                relaxed = master.solve(self.fixings, Budget(), state=state)
                view, state = master.view(), relaxed.state
                answers = [generator.query(view) for generator in self.generators]
                slack = total_slack(answers)
                if slack is not None and (relaxed.bound > -math.inf or stays_infeasible(slack, relaxed.short_by)):
                    claim = relaxed.bound + slack
                added, _ = enter(answers, master.extend)
            self.check_all.require(
                dominates(claim, attained),
                "known columns, priced again, exceed no claimed bound",
                f"{self.fixings}: without column {key} the claim is {claim!r}, but {attained!r} is reached with it",
            )

    def suspects(self) -> dict[bytes, IntArray]:
        """The decisions of each returned column that are on in no feasible structure together."""
        quantity, threshold = self.decisions.quantity_of(), self.decisions.threshold_of()
        feasible = np.zeros((len(self.found), self.decisions.count), bool)
        for one, f in zip(feasible, self.found, strict=True):
            one[f.on_ids] = True
        suspects: dict[bytes, IntArray] = {}
        for batch in self.entered:
            for number in range(len(batch.columns)):
                used, times = batch.columns.uses.row(number)
                use = np.zeros(self.decisions.quantities)
                use[used] = times
                on_ids = np.flatnonzero(use[quantity] >= threshold)
                if not feasible[:, on_ids].all(axis=1).any():
                    suspects[on_ids.tobytes()] = on_ids
        return suspects


def _without(batch: Batch, key: int) -> Batch:
    """A batch without a column, and without its entries in rows."""
    entries = batch.rows.coefficients
    kept = entries.indices != key
    starts = np.concatenate([[0], np.cumsum(kept)])[entries.indptr]
    rows = attrs.evolve(batch.rows, coefficients=Sparse(starts, entries.indices[kept], entries.values[kept]))
    return Batch(batch.columns.take(np.flatnonzero(batch.columns.keys != key)), rows)


def _listed(keys: Sequence[int]) -> str:
    """Keys for a message."""
    return f"[{', '.join(map(str, keys[:_LISTED]))}{', ...' if len(keys) > _LISTED else ''}]"


def _query_twice(check: Check, generator: Generator[V], view: V, place: str) -> Answer:
    answer = check.call("query answers", place, generator.query, view)
    check.require(isinstance(answer, Answer), "query returns an Answer", f"{place}: {answer!r}")
    again = check.call("query answers", place, generator.query, view)
    same_slack = answer.slack == again.slack or (
        answer.slack is not None and again.slack is not None and same(answer.slack, again.slack)
    )
    check.require(
        same_slack and _keys(answer) == _keys(again),
        "equal views get equal answers",
        f"{place}: {_summary(answer)} and then {_summary(again)}; "
        "a generator may cache what it could recompute, but not what it has returned",
    )
    return answer


def _keys(answer: Answer) -> tuple[list[int], list[int]]:
    return answer.batch.columns.keys.tolist(), answer.batch.rows.keys.tolist()


def _summary(answer: Answer) -> str:
    columns, rows = _keys(answer)
    return f"columns {_listed(columns)}, rows {_listed(rows)} and slack {answer.slack!r}"


def _check_answer(check: Check, answer: Answer, decisions: Decisions, fixings: Fixings, place: str) -> None:
    check.require(
        answer.slack is not None or len(answer.batch), "a slack is owed with an empty batch", f"{place}: None"
    )
    check.require(
        answer.slack is None or answer.slack >= 0, "a slack is a number >= 0", f"{place}: {answer.slack!r}"
    )
    columns, rows = answer.batch.columns, answer.batch.rows
    numbers = [columns.objective, columns.coefficients.values, columns.uses.values, columns.upper]
    numbers += rows.lower, rows.upper, rows.coefficients.values, rows.uses.values
    check.require(
        not any(np.isnan(a).any() for a in numbers),
        "columns and rows hold no NaN",
        f"{place}: {_summary(answer)}",
    )
    banned = columns.keys[fixings.forbids(columns.uses, decisions)]
    check.require(not banned.size, "no returned column is banned by the fixings", f"{place}: {banned.tolist()}")
