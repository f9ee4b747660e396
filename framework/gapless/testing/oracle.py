"""Rules for oracles: best structure and slacks of a `Maximiser`, slack of a `Generator`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gapless.core.decisions import Decisions, Fixings
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, Generator, Maximised, Maximiser, View
from gapless.core.problem import Problem
from gapless.core.relaxation import Relaxed, Restricted
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import margin, rounding
from gapless.engine.entering import enter
from gapless.engine.pricing_round import total_slack
from gapless.testing.compiled_role import check_compiled, check_sets, near
from gapless.testing.conformance import Check, best_score, dominates, same, sample_fixings, single_fixings
from gapless.testing.enumeration import given_or_enumerated

S = TypeVar("S")
V = TypeVar("V", bound=View)
_ROUNDS = 200
_LISTED = 20


def check_oracle(
    oracle: Maximiser[S] | Generator[V],
    problem: Problem[S],
    *,
    on_sets: Sequence[IntArray] | None = None,
    make_restricted: Callable[[], Restricted[S, V]] | None = None,
    structures: Iterable[S] | None = None,
    seed: int = 0,
) -> None:
    """Check an oracle of either kind; see `check_maximiser` and `check_generator`.

    Parameters
    ----------
    oracle : Maximiser or Generator
    problem : Problem
        Small enough to enumerate, unless `on_sets` or `structures` are given.
    on_sets : sequence of int64 arrays, optional
        For a maximiser: all structures in its range; by default the feasible ones.
    make_restricted : callable, optional
        Required for a generator.
    structures : iterable of S, optional
        All feasible structures.
    seed : int
    """
    if isinstance(oracle, Maximiser):
        ranged = on_sets or [f.on_ids for f in given_or_enumerated(problem, structures)]
        check_maximiser(oracle, problem.decisions, ranged, seed=seed)
        return
    if make_restricted is None:
        raise TypeError("check_oracle: a generator needs make_restricted, the master that it extends")
    check_generator(oracle, make_restricted, problem, structures=structures, seed=seed)


def check_maximiser(
    maximiser: Maximiser[Any],
    decisions: Decisions,
    on_sets: Sequence[IntArray],
    *,
    own: Callable[[IntArray], float] | None = None,
    samples: int = 30,
    seed: int = 0,
) -> None:
    """Check a maximiser against the list of all structures in its range.

    Rules: the value is the sum of the weights of ``on_ids``, and the maximum; fixings are respected; ``slacks``
    holds the cost of forcing every free decision; weights may be -inf; equal questions get equal answers. Where
    the maximiser has a compiled role, its values, structures, own scores, max-marginals and exclusions obey the
    same rules under the same weights and fixings.

    Parameters
    ----------
    maximiser : Maximiser
    decisions : Decisions
    on_sets : sequence of int64 arrays
        Every structure of the maximiser, as its decisions that are on. For a relaxed problem these include more
        than the feasible structures.
    own : callable, optional
        Score of an entry of `on_sets` beyond the weights, if the maximiser has any.
    samples : int
        Number of weights to try, each under several fixings.
    seed : int
    """
    check = Check(maximiser)
    rng = np.random.default_rng(seed)
    structures = [(np.sort(ids), 0.0 if own is None else own(ids)) for ids in on_sets]
    compiled = maximiser.compiled()
    tried = sample_fixings(decisions, on_sets, 3 * samples, seed)
    lost = rounding(decisions.count, 0.0, maximiser.own_size())
    for number in range(samples):
        weights = _weights(rng, decisions.count, number)
        for fixings in (tried[0], *tried[3 * number : 3 * number + 4], tried[-1]):
            best = _check_maximum(check, maximiser, weights, fixings, structures, lost)
            implied = None if compiled is None else fixings.implied(decisions)
            if implied is not None:  # as the search calls it
                check_compiled(check, compiled, weights, implied, structures, best, lost)
    if compiled is not None:
        check_sets(check, compiled, decisions, structures, rng, lost)


def _weights(rng: np.random.Generator, count: int, number: int) -> FloatArray:
    """Weights of several kinds: smooth, tied, zero, all negative, partly -inf."""
    kind = number % 6
    if kind == 0:
        return rng.normal(0, 3, count)
    if kind == 1:
        return rng.integers(-2, 3, count).astype(np.float64)
    if kind == 2:
        return np.zeros(count)
    if kind == 3:
        return -rng.random(count) - 0.5
    if kind == 4:
        return np.where(rng.random(count) < 0.3, -np.inf, rng.integers(-2, 3, count))
    return rng.normal(0, 1, count) * 10.0 ** rng.integers(-6, 7)


def _check_maximum(
    check: Check,
    maximiser: Maximiser[Any],
    weights: FloatArray,
    fixings: Fixings,
    structures: Sequence[tuple[IntArray, float]],
    lost: float,
) -> float:
    place = f"weights {weights.tolist()}, {fixings}"
    before = weights.copy()
    found = check.call("solve answers", place, maximiser.solve, weights, fixings)
    check.require(np.array_equal(before, weights), "the weights are left alone", place)
    check.require(isinstance(found, Maximised), "solve returns a Maximised", f"{place}: {found!r}")
    allowed = [(ids, float(weights[ids].sum()) + own) for ids, own in structures if fixings.allow(ids)]
    best = max((score for _, score in allowed), default=-math.inf)
    check.require(
        near(found.value, best, weights, lost),
        "the value is the maximum",
        f"{place}: {found.value!r}, but the maximum is {best!r}",
    )
    if found.value > -math.inf:
        check.require(
            fixings.allow(found.on_ids), "solve respects the fixings", f"{place}: {found.on_ids.tolist()}"
        )
        check.require(
            near(float(weights[found.on_ids].sum()) + found.own, found.value, weights, lost),
            "the value is the sum of the weights",
            f"{place}: {found.on_ids.tolist()} weigh {weights[found.on_ids].sum()!r} and {found.own!r}, "
            f"{found.value!r} is stated",
        )
        check.require(
            any(np.array_equal(np.sort(found.on_ids), ids) for ids, _ in structures),
            "solve returns a structure",
            f"{place}: {found.on_ids.tolist()} is none",
        )
    slacks = check.call("slacks answers", place, maximiser.slacks, weights, fixings)
    check.require(np.array_equal(before, weights), "the weights are left alone", place)
    for label, forced, claimed in (("on", 1, slacks.on), ("off", 0, slacks.off)):
        if claimed is None:
            continue
        check.require(claimed.shape == weights.shape, "slacks cover all decisions", f"{place}: {label}")
        if best == -math.inf:
            continue
        for d in fixings.free:
            other = max((score for ids, score in allowed if (d in ids) == bool(forced)), default=-math.inf)
            true = best - other
            check.require(
                not math.isnan(claimed[d]) and claimed[d] >= -margin(best) - lost,
                "a slack is a number >= 0",
                f"{place}: decision {d} {label}: {claimed[d]!r}",
            )
            check.require(
                near(float(claimed[d]), true, weights, lost),
                "slacks are exact",
                f"{place}: forcing decision {d} {label} costs {true!r}, {claimed[d]!r} is stated",
            )
    again = maximiser.solve(weights, fixings)
    check.require(
        again.value == found.value and np.array_equal(again.on_ids, found.on_ids),
        "equal questions get equal answers",
        f"{place}: {found.on_ids.tolist()} and then {again.on_ids.tolist()}",
    )
    return best


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
    for fixings in [*tried, *single_fixings(problem.decisions, on_sets, samples, seed)]:
        left = [f for f in found if fixings.allow(f.on_ids)]
        rounds = _Rounds(generators, make_restricted(), problem.decisions, fixings, best_score(found, fixings))
        rounds.check(single=len(left) == 1)


class _Rounds(Generic[S, V]):
    """One restricted master under some fixings, with the claim and the score of each round."""

    def __init__(
        self,
        generators: Sequence[Generator[V]],
        restricted: Restricted[S, V],
        decisions: Decisions,
        fixings: Fixings,
        best: float,
    ) -> None:
        self.checks = [Check(generator) for generator in generators]
        self.check_all = Check(" and ".join(type(generator).__name__ for generator in generators))
        self.generators, self.restricted, self.decisions = generators, restricted, decisions
        self.fixings, self.best = fixings, best
        self.known: dict[tuple[str, int], tuple[list[int], list[float]]] = {}
        self.rows: list[int] = []

    def place(self, number: int) -> str:
        """Place of a failure; it names the rows, because claims and bounds hold only with them."""
        return f"{self.fixings}, round {number}" + (f" with rows {_listed(self.rows)}" if self.rows else "")

    def check(self, *, single: bool) -> None:
        """Raise `ConformanceError` unless every rule holds; `single` is set when one structure is left."""
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
            added, _ = enter(answers, self.restricted.extend)
            self.rows += [key for a in answers for key in a.batch.rows.keys.tolist() if key not in self.rows]
            if not added:
                self._check_end(number, relaxed, answers, single)
                break
        else:
            self.check_all.require(False, f"the generator runs dry within {_ROUNDS} rounds", str(self.fixings))
        for number, (place, claim) in enumerate(claims):
            later = max(range(number, len(reached)), key=reached.__getitem__)
            told = f"{reached[later]!r} is reached in round {later}"
            if self.best >= reached[later]:
                told = f"{self.best!r} is feasible"
            self.check_all.require(
                dominates(claim, max(self.best, reached[later])),
                "the slack bounds what is missing",
                f"{place}: the claim is {claim!r}, but {told}",
            )

    def _query_all(self, number: int) -> list[Answer]:
        view, place = self.restricted.view(), self.place(number)
        answers = []
        for check, generator in zip(self.checks, self.generators, strict=True):
            answer = _query_twice(check, generator, view, place)
            _check_answer(check, answer, self.decisions, self.fixings, place)
            self._check_keys(check, answer, place)
            answers.append(answer)
        return answers

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

    def _check_end(self, number: int, relaxed: Relaxed[S], answers: Sequence[Answer], single: bool) -> None:
        place, slack = self.place(number), total_slack(answers)
        self.check_all.require(slack is not None, "a slack is owed when nothing new is returned", place)
        end = relaxed.bound + (slack or 0.0)
        self.check_all.require(
            dominates(end, self.best),
            "nothing feasible is missing at the end",
            f"{place}: the completed bound is {end!r}, but {self.best!r} is feasible",
        )
        if single and any(len(answer.batch.columns) for answer in answers):
            # Nothing else is left, and the master contains all columns and rows of the generators.
            self.check_all.require(
                dominates(relaxed.attained, self.best),
                "columns score what the problem says",
                f"{place}: a single structure is left, worth {self.best!r}, but the master, which holds all the "
                f"columns returned, reaches {relaxed.attained!r}",
            )
        rule = "an integral master scores what the problem says"
        self.check_all.call(rule, place, self.restricted.judge, relaxed, end)


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
