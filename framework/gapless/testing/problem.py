"""Rules for a `Problem`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from gapless.arrays import serial
from gapless.certificates.certificate import LinearDualCertificate
from gapless.decisions.decisions import Fixings
from gapless.problems.problem import Problem, score_of
from gapless.testing.conformance import Check, best_score, dominates, same, sample_fixings
from gapless.testing.enumeration import LIMIT, Feasible, SpaceTooLarge, feasible_structures, given_or_enumerated

S = TypeVar("S")


def check_problem(
    problem: Problem[S], structures: Iterable[S] | None = None, *, json: bool = True, seed: int = 0
) -> None:
    """Check decisions, encoding, values, violations, JSON and, if offered, the linear model of a problem.

    Parameters
    ----------
    problem : Problem
    structures : iterable of S, optional
        Feasible structures to check; by default all of them, for an instance small enough to enumerate. If it is
        not, the linear model is checked against the given ones.
    json : bool
        Whether to check a round trip of problem and structures through `gapless.arrays.serial`.
    seed : int
        Seed of the dual prices that are tried.

    Raises
    ------
    ConformanceError
    SpaceTooLarge
        No structures are given and the instance is too large to enumerate.
    """
    check = Check(problem)
    _check_decisions(check, problem)
    given = list(structures) if structures is not None else None
    try:
        found = check.call("structures can be enumerated", "all", _enumerated, problem, given is None)
    except SpaceTooLarge:
        if given is None:
            raise
        found = None
    chosen = given if given is not None else [f.structure for f in found or ()]
    for number, structure in enumerate(chosen):
        _check_structure(check, problem, structure, f"structure {number} ({structure!r})")
        if found is not None:
            on_ids = problem.encode(structure)
            check.require(
                any(np.array_equal(on_ids, f.on_ids) for f in found),
                "enumeration finds every feasible structure",
                f"structure {number} ({structure!r}) is missing",
            )
    if chosen:
        check.require(
            not list(problem.infeasibility()),
            "infeasibility() says nothing while something is feasible",
            str(list(problem.infeasibility())),
        )
    if json:
        _check_json(check, problem, chosen)
    _check_backbone(check, problem, chosen)
    _check_linear_model(check, problem, given_or_enumerated(problem, chosen) if found is None else found, seed)


def _enumerated(problem: Problem[S], everything: bool) -> list[Feasible[S]] | None:
    try:
        return feasible_structures(problem, limit=LIMIT)
    except SpaceTooLarge:
        if everything:
            raise
        return None


def _check_decisions(check: Check, problem: Problem[S]) -> None:
    decisions = problem.decisions
    check.require(problem.decisions.count == decisions.count, "decisions stay the same", "count changes")
    for d in range(decisions.count):
        name = check.call("every decision has a name", f"decision {d}", decisions.name, d)
        check.require(isinstance(name, str) and name, "every decision has a name", f"decision {d}: {name!r}")
    for number, group in enumerate(decisions.exactly_one):
        members = [int(d) for d in group]
        location = f"exactly_one[{number}] = {members}"
        check.require(all(0 <= d < decisions.count for d in members), "groups name existing decisions", location)
        check.require(len(set(members)) == len(members), "groups list a decision once", location)
    if problem.granularity is not None:
        check.require(
            problem.granularity > 0 and math.isfinite(problem.granularity),
            "granularity is positive or None",
            repr(problem.granularity),
        )


def _parts(name: object) -> Sequence[object]:
    """The strings that a name should consist of."""
    return name if isinstance(name, tuple) else (name,)


def _check_structure(check: Check, problem: Problem[S], structure: S, location: str) -> None:
    decisions = problem.decisions
    broken = list(check.call("violations never raise for a structure", location, problem.violations, structure))
    check.require(not broken, "a feasible structure has no violations", f"{location}: {broken}")
    value = float(check.call("a feasible structure has a value", location, problem.value, structure))
    check.require(
        not math.isnan(value) and problem.sense.sign * value < math.inf,
        "a value is a number, never NaN or infinitely good",
        f"{location}: {value}",
    )
    check.require(problem.value(structure) == value, "value is deterministic", location)
    on_ids = check.call("a feasible structure can be encoded", location, problem.encode, structure)
    check.require(
        isinstance(on_ids, np.ndarray) and on_ids.ndim == 1 and on_ids.dtype.kind == "i",
        "encode gives an integer array",
        f"{location}: {on_ids!r}",
    )
    check.require(
        bool(np.all(np.diff(on_ids) > 0)) and all(0 <= d < decisions.count for d in on_ids),
        "encode gives ascending ids of decisions",
        f"{location}: {on_ids.tolist()}",
    )
    again = check.call("decode reads what encode wrote", location, problem.decode, on_ids)
    check.require(
        np.array_equal(problem.encode(again), on_ids) and same(float(problem.value(again)), value),
        "decode is the inverse of encode",
        f"{location}: became {again!r}",
    )
    names = check.call("a feasible structure has names", location, problem.describe, structure)
    check.require(
        isinstance(names, tuple) and all(isinstance(part, str) for name in names for part in _parts(name)),
        "describe gives strings, or tuples of strings",
        f"{location}: {names!r}",
    )
    if problem.granularity is not None and math.isfinite(value):
        multiple = value / problem.granularity
        check.require(
            abs(multiple - round(multiple)) <= 1e-9 * max(1.0, abs(multiple)),
            "values are multiples of the granularity",
            f"{location}: {value} is not a multiple of {problem.granularity}",
        )
    for number, group in enumerate(decisions.exactly_one):
        hit = int(np.isin(on_ids, np.asarray(group)).sum())
        check.require(
            hit == 1, "exactly-one groups hold in every structure", f"{location}: {hit} on in exactly_one[{number}]"
        )


def _check_backbone(check: Check, problem: Problem[S], structures: list[S]) -> None:
    """Constant, weights, own score and factors make up the score of every structure."""
    if type(problem).backbone is Problem.backbone:
        return
    backbone = check.call("backbone() gives a Backbone", "the problem", problem.backbone)
    count, rule = problem.decisions.count, "constant, weights, own score and factors make up the score"
    check.require(
        backbone.weights.shape == (count,), "the backbone weighs each decision", str(backbone.weights.shape)
    )
    check.require(
        math.isfinite(backbone.constant) and bool(np.all(backbone.weights < np.inf)),
        "weights and constant of the backbone are numbers, or -inf",
        f"constant {backbone.constant}",
    )
    for number, structure in enumerate(structures[:50]):
        location = f"structure {number} ({structure!r})"
        on_ids = problem.encode(structure)
        fixings = Fixings(np.isin(np.arange(count), on_ids))
        found = check.call("the maximiser solves", location, backbone.maximiser.solve, np.zeros(count), fixings)
        check.require(
            found.value > -math.inf and np.array_equal(np.sort(found.on_ids), on_ids),
            "the backbone holds every structure of the problem",
            f"{location}: {found.on_ids.tolist()}",
        )
        scored = problem.factors_beyond_backbone.value(on_ids)
        check.require(
            scored > -math.inf,
            "a structure that factors forbid has violations (see `Problem.factor_violations`)",
            f"{location}: {problem.factor_violations(structure)}",
        )
        parts = [backbone.constant, *backbone.weights[on_ids].tolist(), found.internal_score, scored]
        score, total = score_of(problem, structure), math.fsum(parts)
        check.require(
            abs(total - score) <= 1e-9 * max(1.0, sum(map(abs, parts))), rule, f"{location}: {total}, not {score}"
        )


def _check_json(check: Check, problem: Problem[S], structures: list[S]) -> None:
    rule = "problem and structures survive JSON"
    text = check.call(rule, "the problem", serial.dumps, problem)
    again = check.call(rule, "the problem", serial.loads, text)
    check.require(type(again) is type(problem), rule, f"the problem came back as {type(again).__name__}")
    check.require(serial.dumps(again) == text, rule, "the problem is written differently the second time")
    for number, structure in enumerate(structures[:50]):
        location = f"structure {number}"
        copy = check.call(rule, location, lambda s=structure: serial.loads(serial.dumps(s)))
        check.require(not list(again.violations(copy)), rule, f"{location} became infeasible")
        check.require(
            same(float(again.value(copy)), float(problem.value(structure))), rule, f"{location} lost value"
        )


def _check_linear_model(check: Check, problem: Problem[S], found: list[Feasible[S]], seed: int) -> None:
    try:
        model = problem.linear_model()
    except NotImplementedError:
        return
    rule = "the linear model bounds every feasible structure"
    check.require(
        model.decision_columns.shape == (problem.decisions.count,),
        "the linear model has a column for each decision",
        f"decision_columns has shape {model.decision_columns.shape}",
    )
    rng = np.random.default_rng(seed)
    tried = sample_fixings(problem.decisions, [f.on_ids for f in found], 10, seed)
    for number, fixings in enumerate(tried):
        prices = rng.normal(0, 2, len(model.rows)) if number else np.zeros(len(model.rows))
        prices = np.where((prices < 0) & ~np.isfinite(model.row_lower), 0.0, prices)
        prices = np.where((prices > 0) & ~np.isfinite(model.row_upper), 0.0, prices)
        bound = LinearDualCertificate(prices).upper_bound(problem, fixings)
        best = best_score(found, fixings)
        check.require(dominates(bound, best), rule, f"{fixings}: bound {bound}, but {best} is feasible")
