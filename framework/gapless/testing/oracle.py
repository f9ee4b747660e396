"""What an oracle owes: a `Maximiser` its best structure and slacks, a `Generator` its slack."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from gapless.core.decisions import Decisions, Fixings
from gapless.core.limits import Budget
from gapless.core.oracle import Answer, Generator, Maximised, Maximiser, View
from gapless.core.problem import Problem
from gapless.core.relaxation import Restricted
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import margin
from gapless.testing.conformance import Check, best_score, dominates, same, sample_fixings, settled_fixings
from gapless.testing.enumeration import feasible_structures

S = TypeVar("S")
V = TypeVar("V", bound=View)
_ROUNDS = 200


def check_oracle(
    oracle: Maximiser[S] | Generator[V],
    problem: Problem[S],
    *,
    on_sets: Sequence[IntArray] | None = None,
    make_restricted: Callable[[], Restricted[S, V]] | None = None,
    seed: int = 0,
) -> None:
    """Check an oracle of either kind; see `check_maximiser` and `check_generator`."""
    if isinstance(oracle, Maximiser):
        check_maximiser(
            oracle, problem.decisions, on_sets or [f.on_ids for f in feasible_structures(problem)], seed=seed
        )
        return
    if make_restricted is None:
        raise TypeError("check_oracle: a generator needs make_restricted, the master that it extends")
    check_generator(oracle, make_restricted, problem, seed=seed)


def check_maximiser(
    maximiser: Maximiser[Any],
    decisions: Decisions,
    on_sets: Sequence[IntArray],
    *,
    own: Callable[[IntArray], float] | None = None,
    samples: int = 30,
    seed: int = 0,
) -> None:
    """Check a maximiser against the list of everything that it ranges over.

    Rules: the value is the sum of the weights of ``on_ids`` and the best there is; fixings are respected;
    ``slacks`` say for every free decision what forcing it costs; weights may be -inf; equal questions get equal
    answers.

    Parameters
    ----------
    maximiser : Maximiser
    decisions : Decisions
    on_sets : sequence of int64 arrays
        Every structure of the maximiser, as the decisions it turns on. Of a relaxed problem these are more than
        the feasible structures.
    own : callable, optional
        The score of an entry of `on_sets` that the maximiser counts besides the weights, if it does.
    samples : int
        How many weights to try, each under several fixings.
    seed : int
    """
    check = Check(maximiser)
    rng = np.random.default_rng(seed)
    structures = [(ids, 0.0 if own is None else own(ids)) for ids in on_sets]
    tried = sample_fixings(decisions, on_sets, 3 * samples, seed)
    for number in range(samples):
        weights = _weights(rng, decisions.count, number)
        for fixings in (tried[0], *tried[3 * number : 3 * number + 4], tried[-1]):
            _check_maximum(check, maximiser, weights, fixings, structures)


def _weights(rng: np.random.Generator, count: int, number: int) -> FloatArray:
    """Weights of several kinds: smooth, tied, zero, all negative, with -inf among them."""
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
) -> None:
    place = f"weights {weights.tolist()}, {fixings}"
    before = weights.copy()
    found = check.call("solve answers", place, maximiser.solve, weights, fixings)
    check.require(np.array_equal(before, weights), "the weights are left alone", place)
    check.require(isinstance(found, Maximised), "solve returns a Maximised", f"{place}: {found!r}")
    allowed = [(ids, float(weights[ids].sum()) + own) for ids, own in structures if fixings.allow(ids)]
    best = max((score for _, score in allowed), default=-math.inf)
    check.require(
        _near(found.value, best, weights), "the value is the maximum", f"{place}: {found.value!r}, it is {best!r}"
    )
    if found.value > -math.inf:
        check.require(
            fixings.allow(found.on_ids), "solve respects the fixings", f"{place}: {found.on_ids.tolist()}"
        )
        check.require(
            _near(float(weights[found.on_ids].sum()) + found.own, found.value, weights),
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
        check.require(claimed.shape == weights.shape, "slacks speak of all decisions", f"{place}: {label}")
        if best == -math.inf:
            continue
        for d in fixings.free:
            other = max((score for ids, score in allowed if (d in ids) == bool(forced)), default=-math.inf)
            true = best - other
            check.require(
                not math.isnan(claimed[d]) and claimed[d] >= -margin(best),
                "a slack is a number >= 0",
                f"{place}: decision {d} {label}: {claimed[d]!r}",
            )
            check.require(
                _near(float(claimed[d]), true, weights),
                "slacks are exact",
                f"{place}: forcing decision {d} {label} costs {true!r}, {claimed[d]!r} is stated",
            )
    again = maximiser.solve(weights, fixings)
    check.require(
        again.value == found.value and np.array_equal(again.on_ids, found.on_ids),
        "equal questions get equal answers",
        f"{place}: {found.on_ids.tolist()} and then {again.on_ids.tolist()}",
    )


def _near(a: float, b: float, weights: FloatArray) -> bool:
    """Whether two sums of weights are equal but for rounding; the sums may cancel."""
    finite = weights[np.isfinite(weights)]
    return a == b or bool(abs(a - b) <= margin(float(np.abs(finite).sum())))


def check_generator(
    generator: Generator[V],
    make_restricted: Callable[[], Restricted[S, V]],
    problem: Problem[S],
    *,
    samples: int = 20,
    seed: int = 0,
) -> None:
    """Run a generator against its master until nothing new comes, and judge every slack by where that ends.

    Rules: ``restricted bound + slack`` dominates every feasible value and what the master reaches later; a slack
    is a number >= 0 and owed with an empty batch; no returned column is banned by the fixings; no NaN; equal
    views get equal answers; at the end nothing feasible is better than the bound, and an integral master scores
    what the problem says. For the last, the fixings that leave a single structure are tried as well.

    Parameters
    ----------
    generator : Generator
        The only one of the master.
    make_restricted : callable
        Makes a fresh restricted master.
    problem : Problem
        Small enough to enumerate.
    samples : int
        How many fixings to try.
    seed : int
    """
    check = Check(generator)
    found = feasible_structures(problem)
    on_sets = [f.on_ids for f in found]
    tried = sample_fixings(problem.decisions, on_sets, samples, seed)
    for fixings in [*tried, *settled_fixings(problem.decisions, on_sets, samples, seed)]:
        restricted = make_restricted()
        claims: list[float] = []
        best, closed = best_score(found, fixings), False
        state: Any = None
        attained = -math.inf
        for round_number in range(_ROUNDS):
            place = f"{fixings}, round {round_number}"
            relaxed = restricted.solve(fixings, Budget(), state=state)
            state, attained = relaxed.state, max(attained, relaxed.attained)
            answer = _ask_twice(check, generator, restricted.view(), place)
            _check_answer(check, answer, problem.decisions, fixings, place)
            if answer.slack is not None and relaxed.bound > -math.inf:
                claims.append(relaxed.bound + answer.slack)
            added = restricted.extend(answer.batch) if len(answer.batch) else 0
            if not added:
                closed = True
                check.require(answer.slack is not None, "a slack is owed when nothing new is returned", place)
                end = relaxed.bound + (answer.slack or 0.0)
                check.require(
                    dominates(end, best),
                    "nothing feasible is missing at the end",
                    f"{place}: the completed bound is {end!r}, but {best!r} is feasible",
                )
                rule = "an integral master scores what the problem says"
                check.call(rule, place, restricted.judge, relaxed, end)
                break
        check.require(closed, f"the generator runs dry within {_ROUNDS} rounds", str(fixings))
        for round_number, claim in enumerate(claims):
            check.require(
                dominates(claim, max(best, attained)),
                "the slack bounds what is missing",
                f"{fixings}, round {round_number}: the claim is {claim!r}, but {max(best, attained)!r} is reached",
            )


def _ask_twice(check: Check, generator: Generator[V], view: V, place: str) -> Answer:
    answer = check.call("query answers", place, generator.query, view)
    check.require(isinstance(answer, Answer), "query returns an Answer", f"{place}: {answer!r}")
    again = check.call("query answers", place, generator.query, view)
    same_slack = answer.slack == again.slack or (
        answer.slack is not None and again.slack is not None and same(answer.slack, again.slack)
    )
    check.require(
        same_slack
        and np.array_equal(answer.batch.columns.keys, again.batch.columns.keys)
        and np.array_equal(answer.batch.rows.keys, again.batch.rows.keys),
        "equal views get equal answers",
        f"{place}: columns {answer.batch.columns.keys.tolist()} and then {again.batch.columns.keys.tolist()}",
    )
    return answer


def _check_answer(check: Check, answer: Answer, decisions: Decisions, fixings: Fixings, place: str) -> None:
    check.require(
        answer.slack is not None or len(answer.batch), "a slack is owed with an empty batch", f"{place}: None"
    )
    check.require(
        answer.slack is None or answer.slack >= 0, "a slack is a number >= 0", f"{place}: {answer.slack!r}"
    )
    columns = answer.batch.columns
    banned = columns.keys[fixings.forbids(columns.uses, decisions)]
    check.require(not banned.size, "no returned column is banned by the fixings", f"{place}: {banned.tolist()}")
    numbers = (columns.objective, columns.coefficients.values, columns.uses.values, columns.upper)
    rows = answer.batch.rows
    check.require(
        not any(np.isnan(a).any() for a in (*numbers, rows.lower, rows.upper, rows.coefficients.values)),
        "columns and rows hold no NaN",
        place,
    )
