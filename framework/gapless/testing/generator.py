"""Rules for a `Generator`: its pricing gap, its columns, and what it says of columns that its master lacks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import IntArray, Sparse
from gapless.arrays.tolerance import INTEGRAL
from gapless.column_generation.batch_entry import enter_batches
from gapless.column_generation.master import LinearMaster
from gapless.column_generation.pricing_round import stays_infeasible, total_pricing_gap
from gapless.column_generation.returned_columns import useless_columns
from gapless.decisions.decisions import Decisions, Fixings
from gapless.errors import PricingWarning
from gapless.limits.limits import SolveBudget
from gapless.oracles.batch import Batch
from gapless.oracles.generator import Generator, GeneratorResult
from gapless.oracles.views import LinearView, MasterView
from gapless.problems.problem import Problem
from gapless.testing.conformance import Check, best_score, dominates, same, sample_fixings, single_fixings
from gapless.testing.enumeration import Feasible, given_or_enumerated
from gapless.tree_search.relaxation import RelaxationResult, RestrictedMaster

S = TypeVar("S")
V = TypeVar("V", bound=MasterView)
_ROUNDS = 200
_LISTED = 20
_TAKEN_AWAY = 3
"""Columns in use that are taken away, one by one, under each fixings."""


def check_generator(
    generator: Generator[V] | Sequence[Generator[V]],
    make_restricted: Callable[[], RestrictedMaster[S, V]],
    problem: Problem[S],
    *,
    structures: Iterable[S] | None = None,
    samples: int = 20,
    seed: int = 0,
) -> None:
    """Run generators with their master until nothing new comes, and check every pricing gap against later rounds.

    Rules: ``restricted bound + pricing gaps`` dominates every feasible value and the master's score in later rounds
    (in earlier ones it may have been higher, before a row cut it off); a pricing gap is a number >= 0 and
    mandatory with an empty batch; no returned column is banned by the fixings; no NaN; equal views get equal
    answers; a key names one column, or one row; at the end nothing feasible is better than the bound, and an
    integral master scores what the problem says. For the last rule, fixings that leave a single structure are
    tried as well.

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
    # Suspicious columns get fixings of their own, under which little else can hide a wrong claim.
    for on_ids in [*suspects.values()][:samples]:
        single = Fixings.none(problem.decisions.count).fix(on=on_ids)
        if single is not None:
            _Rounds(generators, make_restricted, problem, single, found).check()
    # Last, because these only make a search slow: a rule whose violation makes results wrong is more important.
    for check, rule, instance in useless[:1]:
        check.require(False, rule, instance)


class _Rounds(Generic[S, V]):
    """One restricted master under some fixings, with the claim and the score of each round."""

    def __init__(
        self,
        generators: Sequence[Generator[V]],
        make_restricted: Callable[[], RestrictedMaster[S, V]],
        problem: Problem[S],
        fixings: Fixings,
        found: Sequence[Feasible[S]],
    ) -> None:
        self.checks = [Check(generator) for generator in generators]
        self.check_all = Check(" and ".join(type(generator).__name__ for generator in generators))
        self.generators, self.make_restricted, self.problem = generators, make_restricted, problem
        self.restricted, self.decisions = make_restricted(), problem.decisions
        self.fixings, self.found, self.best = fixings, found, best_score(found, fixings)
        self.single = sum(fixings.allows(f.on_ids) for f in found) == 1
        self.entered: list[Batch] = []
        self.useless: list[tuple[Check, str, str]] = []
        self.known: dict[tuple[str, int], tuple[list[int], list[float]]] = {}
        self.rows: list[int] = []

    def location(self, number: int) -> str:
        """Describe where a rule fails."""
        # With the rows, because claims and bounds hold only for a master that has them (decision 022).
        return f"{self.fixings}, round {number}" + (f" with rows {_listed(self.rows)}" if self.rows else "")

    def check(self) -> None:
        """Raise `ConformanceError` unless every rule holds."""
        claims: list[tuple[str, float]] = []
        attained: list[float] = []
        state: Any = None
        for number in range(_ROUNDS):
            relaxed = self.restricted.solve(self.fixings, SolveBudget(), state=state)
            state = relaxed.state
            attained.append(relaxed.primal_value)
            answers = self._query_all(number)
            gap = total_pricing_gap(answers)
            # Under Farkas prices a pricing gap bounds the repair of the master, not its score.
            claim = math.inf if gap is None or relaxed.bound == -math.inf else relaxed.bound + gap
            claims.append((self.location(number), claim))
            added, batches = enter_batches(answers, self.restricted.extend)
            self.entered += batches
            self.rows += [key for a in answers for key in a.batch.rows.keys.tolist() if key not in self.rows]
            if not added:
                self._check_end(number, relaxed, answers)
                break
        else:
            self.check_all.require(False, f"the generator runs dry within {_ROUNDS} rounds", str(self.fixings))
        for first, (location, claim) in enumerate(claims):
            # Later rounds only: a cut lowers the master, so what an earlier round attained contradicts nothing
            # (decision 022).
            later = max(range(first, len(attained)), key=attained.__getitem__)
            finding = f"{attained[later]!r} is reached in round {later}"
            if self.best >= attained[later]:
                finding = f"{self.best!r} is feasible"
            self.check_all.require(
                dominates(claim, max(self.best, attained[later])),
                "the pricing gap bounds what is missing",
                f"{location}: the claim is {claim!r}, but {finding}",
            )
        if isinstance(self.restricted, LinearMaster):
            self._check_linear_master(self.restricted, number, relaxed)

    def _query_all(self, number: int) -> list[GeneratorResult]:
        view, answers = self.restricted.view(), []
        for check, generator in zip(self.checks, self.generators, strict=True):
            at = check.at(self.location(number))
            answer = _query_twice(at, generator, view)
            _check_answer(at, answer, self.decisions, self.fixings)
            if isinstance(view, LinearView) and len(answer.batch.columns):
                self._check_columns(at, answer, view)
            self._check_keys(at, answer)
            answers.append(answer)
        return answers

    def _check_columns(self, check: Check, answer: GeneratorResult, view: LinearView) -> None:
        """Record columns that cannot improve the viewed master, which would ignore them silently."""
        # Recorded, not raised: bounds stay valid, so `check_generator` reports them after all other rules
        # (decision 063).
        keys, useless = answer.batch.columns.keys, useless_columns(answer, view)
        for some, rule in (
            (useless.known, "a returned column is new"),
            (useless.worthless, "a column of the exact stage has a positive reduced cost"),
        ):
            columns = [
                f"{keys[j]} has reduced cost {useless.reduced_costs[j]:.6g}" for j in some[:_LISTED].tolist()
            ]
            if columns:
                self.useless.append((check, rule, f"by view.reduced_costs, column {', '.join(columns)}"))
        excluded = self.restricted.excluded(self.fixings, keys)
        if excluded is not None and excluded.any():
            self.useless.append((check, "no returned column is excluded", _listed(keys[excluded].tolist())))

    def _check_keys(self, check: Check, answer: GeneratorResult) -> None:
        """Check that no key names two columns or rows."""
        # The master ignores a known key, so the other column or row would be lost.
        columns, rows = answer.batch.columns, answer.batch.rows
        for what, keys, uses, numbers in (
            ("column", columns.keys, columns.uses, (columns.objective, columns.upper)),
            ("row", rows.keys, rows.uses, (rows.lower, rows.upper)),
        ):
            for number, key in enumerate(keys.tolist()):
                used, times = uses.row(number)
                order = np.argsort(used, kind="stable")
                content = used[order].tolist(), [*times[order].tolist(), *(float(a[number]) for a in numbers)]
                first = self.known.setdefault((what, key), content)
                is_same = first[0] == content[0] and all(map(same, first[1], content[1]))
                check.require(is_same, f"a key names one {what}", f"{what} {key} was another one before")

    def _check_end(self, number: int, relaxed: RelaxationResult[S], answers: Sequence[GeneratorResult]) -> None:
        at, gap = self.check_all.at(self.location(number)), total_pricing_gap(answers)
        at.require(gap is not None, "a pricing gap is owed when nothing new is returned")
        end = relaxed.bound + (gap or 0.0)
        at.require_bound(end, self.best, "nothing feasible is missing at the end", "the completed bound is")
        if self.single and any(len(answer.batch.columns) for answer in answers):
            # Nothing else is left, and the master contains all columns and rows of the generators.
            at.require(
                dominates(relaxed.primal_value, self.best),
                "columns score what the problem says",
                f"a single structure is left, worth {self.best!r}, but the master, which holds all the columns "
                f"returned, reaches {relaxed.primal_value!r}",
            )
        rule = "an integral master scores what the problem says"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PricingWarning)  # a rule below names what it says
            at.call(rule, self.restricted.check_consistency, relaxed, end)

    def _check_linear_master(self, master: LinearMaster[S], number: int, relaxed: RelaxationResult[S]) -> None:
        """Check a linear master to which nothing is added."""
        # No row is separated from this point, so the trees would accept it as a structure.
        if relaxed.structure is not None:
            broken = [*self.problem.violations(relaxed.structure)]
            self.check_all.require(
                not broken,
                "an integral solution to which nothing is added is feasible",
                f"{self.location(number)}: {relaxed.structure!r}: {broken[:1]}; columns, or the resources by "
                "which they are priced, allow more than the problem, and no row forbids it",
            )
        view = master.view()
        if (values := view.column_values) is not None:
            self._check_taken_away(view.column_keys[values > INTEGRAL], relaxed.primal_value)

    def _check_taken_away(self, used: IntArray, attained: float) -> None:
        """Query masters that lack one of the columns in use: a claim there must allow what is attained here."""
        # Such a master is a smaller one, as of a smoothed view, whose complete relaxation is the same (decision
        # 063). Initial columns are left out, because generators need not know them (decision 047).
        brought = np.concatenate([np.zeros(0, np.int64), *(batch.columns.keys for batch in self.entered)])
        for key in used[np.isin(used, brought)][:_TAKEN_AWAY].tolist():
            master, state = self.make_restricted(), None
            for batch in self.entered:
                master.extend(_without(batch, key))
            claim, added = math.inf, 1
            while added and claim == math.inf:
                relaxed = master.solve(self.fixings, SolveBudget(), state=state)
                view, state = master.view(), relaxed.state
                answers = [generator.query(view) for generator in self.generators]
                gap = total_pricing_gap(answers)
                # Without the column the master may be infeasible: rounds go on until it is repaired, or proved so.
                if gap is not None and (
                    relaxed.bound > -math.inf or stays_infeasible(gap, relaxed.infeasibility_measure)
                ):
                    claim = relaxed.bound + gap
                added, _ = enter_batches(answers, master.extend)
            self.check_all.require(
                dominates(claim, attained),
                "known columns, priced again, exceed no claimed bound",
                f"{self.fixings}: without column {key} the claim is {claim!r}, but {attained!r} is reached with it",
            )

    def suspects(self) -> dict[bytes, IntArray]:
        """Return the decisions of each returned column that are on in no feasible structure together."""
        quantity, threshold = self.decisions.quantity_index(), self.decisions.thresholds()
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
    """Return a batch without a column, and without its entries in rows."""
    entries = batch.rows.coefficients
    kept = entries.indices != key
    starts = np.concatenate([[0], np.cumsum(kept)])[entries.indptr]
    rows = attrs.evolve(batch.rows, coefficients=Sparse(starts, entries.indices[kept], entries.values[kept]))
    return Batch(batch.columns.take(np.flatnonzero(batch.columns.keys != key)), rows)


def _listed(keys: Sequence[int]) -> str:
    """List keys for a message."""
    return f"[{', '.join(map(str, keys[:_LISTED]))}{', ...' if len(keys) > _LISTED else ''}]"


def _query_twice(check: Check, generator: Generator[V], view: V) -> GeneratorResult:
    answer = check.call("query answers", generator.query, view)
    check.require(isinstance(answer, GeneratorResult), "query returns a GeneratorResult", repr(answer))
    again = check.call("query answers", generator.query, view)
    one, two = answer.pricing_gap, again.pricing_gap
    same_gap = one == two or (one is not None and two is not None and same(one, two))
    check.require(
        same_gap and _keys(answer) == _keys(again),
        "equal views get equal answers",
        f"{_summary(answer)} and then {_summary(again)}; "
        "a generator may cache what it could recompute, but not what it has returned",
    )
    return answer


def _keys(answer: GeneratorResult) -> tuple[list[int], list[int]]:
    return answer.batch.columns.keys.tolist(), answer.batch.rows.keys.tolist()


def _summary(answer: GeneratorResult) -> str:
    columns, rows = _keys(answer)
    return f"columns {_listed(columns)}, rows {_listed(rows)} and pricing gap {answer.pricing_gap!r}"


def _check_answer(check: Check, answer: GeneratorResult, decisions: Decisions, fixings: Fixings) -> None:
    gap = answer.pricing_gap
    check.require(gap is not None or len(answer.batch), "a pricing gap is owed with an empty batch", "None")
    check.require(gap is None or gap >= 0, "a pricing gap is a number >= 0", repr(gap))
    columns, rows = answer.batch.columns, answer.batch.rows
    numbers = [columns.objective, columns.coefficients.values, columns.uses.values, columns.upper]
    numbers += rows.lower, rows.upper, rows.coefficients.values, rows.uses.values
    has_nan = any(np.isnan(a).any() for a in numbers)
    check.require(not has_nan, "columns and rows hold no NaN", _summary(answer))
    banned = columns.keys[fixings.uses_banned(columns.uses, decisions)]
    check.require(not banned.size, "no returned column is banned by the fixings", str(banned.tolist()))
