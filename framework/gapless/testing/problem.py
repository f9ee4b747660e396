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
from gapless.testing.conformance import Check, best_score, same, sample_fixings
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
        found = check.call("structures can be enumerated", _enumerated, problem, given is None)
    except SpaceTooLarge:
        if given is None:
            raise
        found = None
    chosen = given if given is not None else [f.structure for f in found or ()]
    for number, structure in enumerate(chosen):
        _check_structure(check.at(f"structure {number} ({structure!r})"), problem, structure)
        if found is not None:
            on_ids = problem.encode(structure)
            listed = any(np.array_equal(on_ids, f.on_ids) for f in found)
            rule = "enumeration finds every feasible structure"
            check.require(listed, rule, f"structure {number} ({structure!r}) is missing")
    if chosen:
        stated = list(problem.infeasibility())
        check.require(not stated, "infeasibility() says nothing while something is feasible", str(stated))
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
        at = check.at(f"decision {d}")
        name = at.call("every decision has a name", decisions.name, d)
        at.require(isinstance(name, str) and name, "every decision has a name", repr(name))
    for number, group in enumerate(decisions.exactly_one):
        members = [int(d) for d in group]
        at = check.at(f"exactly_one[{number}] = {members}")
        at.require(all(0 <= d < decisions.count for d in members), "groups name existing decisions")
        at.require(len(set(members)) == len(members), "groups list a decision once")
    unit = problem.granularity
    if unit is not None:
        check.require(unit > 0 and math.isfinite(unit), "granularity is positive or None", repr(unit))


def _parts(name: object) -> Sequence[object]:
    """Return the strings that a name should consist of."""
    return name if isinstance(name, tuple) else (name,)


def _check_structure(check: Check, problem: Problem[S], structure: S) -> None:
    decisions = problem.decisions
    broken = list(check.call("violations never raise for a structure", problem.violations, structure))
    check.require(not broken, "a feasible structure has no violations", str(broken))
    value = float(check.call("a feasible structure has a value", problem.value, structure))
    is_number = not math.isnan(value) and problem.sense.sign * value < math.inf
    check.require(is_number, "a value is a number, never NaN or infinitely good", str(value))
    check.require(problem.value(structure) == value, "value is deterministic")
    on_ids = check.call("a feasible structure can be encoded", problem.encode, structure)
    is_integer = isinstance(on_ids, np.ndarray) and on_ids.ndim == 1 and on_ids.dtype.kind == "i"
    check.require(is_integer, "encode gives an integer array", repr(on_ids))
    is_ascending = bool(np.all(np.diff(on_ids) > 0)) and all(0 <= d < decisions.count for d in on_ids)
    check.require(is_ascending, "encode gives ascending ids of decisions", str(on_ids.tolist()))
    again = check.call("decode reads what encode wrote", problem.decode, on_ids)
    is_inverse = np.array_equal(problem.encode(again), on_ids) and same(float(problem.value(again)), value)
    check.require(is_inverse, "decode is the inverse of encode", f"became {again!r}")
    names = check.call("a feasible structure has names", problem.describe, structure)
    are_names = isinstance(names, tuple) and all(isinstance(part, str) for name in names for part in _parts(name))
    check.require(are_names, "describe gives strings, or tuples of strings", repr(names))
    if problem.granularity is not None and math.isfinite(value):
        multiple = value / problem.granularity
        check.require(
            abs(multiple - round(multiple)) <= 1e-9 * max(1.0, abs(multiple)),
            "values are multiples of the granularity",
            f"{value} is not a multiple of {problem.granularity}",
        )
    for number, group in enumerate(decisions.exactly_one):
        hit = int(np.isin(on_ids, np.asarray(group)).sum())
        check.require(hit == 1, "exactly-one groups hold in every structure", f"{hit} on in exactly_one[{number}]")


def _check_backbone(check: Check, problem: Problem[S], structures: list[S]) -> None:
    """Check that constant, weights, internal score and factors make up the score of every structure."""
    if type(problem).backbone is Problem.backbone:
        return
    backbone = check.at("the problem").call("backbone() gives a Backbone", problem.backbone)
    count, shape = problem.decisions.count, backbone.weights.shape
    check.require(shape == (count,), "the backbone weighs each decision", str(shape))
    check.require(
        math.isfinite(backbone.constant) and bool(np.all(backbone.weights < np.inf)),
        "weights and constant of the backbone are numbers, or -inf",
        f"constant {backbone.constant}",
    )
    for number, structure in enumerate(structures[:50]):
        at = check.at(f"structure {number} ({structure!r})")
        on_ids = problem.encode(structure)
        fixings = Fixings(np.isin(np.arange(count), on_ids))
        found = at.call("the maximiser solves", backbone.maximiser.solve, np.zeros(count), fixings)
        is_held = found.value > -math.inf and np.array_equal(np.sort(found.on_ids), on_ids)
        at.require(is_held, "the backbone holds every structure of the problem", str(found.on_ids.tolist()))
        scored = problem.factors_beyond_backbone.value(on_ids)
        rule = "a structure that factors forbid has violations (see `Problem.factor_violations`)"
        at.require(scored > -math.inf, rule, str(problem.factor_violations(structure)))
        parts = [backbone.constant, *backbone.weights[on_ids].tolist(), found.internal_score, scored]
        score, total = score_of(problem, structure), math.fsum(parts)
        is_near = abs(total - score) <= 1e-9 * max(1.0, sum(map(abs, parts)))
        rule = "constant, weights, own score and factors make up the score"
        at.require(is_near, rule, f"{total}, not {score}")


def _check_json(check: Check, problem: Problem[S], structures: list[S]) -> None:
    rule, at = "problem and structures survive JSON", check.at("the problem")
    text = at.call(rule, serial.dumps, problem)
    again = at.call(rule, serial.loads, text)
    at.require(type(again) is type(problem), rule, f"came back as {type(again).__name__}")
    at.require(serial.dumps(again) == text, rule, "is written differently the second time")
    for number, structure in enumerate(structures[:50]):
        at = check.at(f"structure {number}")
        copy = at.call(rule, lambda s=structure: serial.loads(serial.dumps(s)))
        at.require(not list(again.violations(copy)), rule, "became infeasible")
        at.require(same(float(again.value(copy)), float(problem.value(structure))), rule, "lost value")


def _check_linear_model(check: Check, problem: Problem[S], found: list[Feasible[S]], seed: int) -> None:
    try:
        model = problem.linear_model()
    except NotImplementedError:
        return
    rule = "the linear model bounds every feasible structure"
    shape = model.decision_columns.shape
    check.require(
        shape == (problem.decisions.count,),
        "the linear model has a column for each decision",
        f"decision_columns has shape {shape}",
    )
    rng = np.random.default_rng(seed)
    tried = sample_fixings(problem.decisions, [f.on_ids for f in found], 10, seed)
    for number, fixings in enumerate(tried):
        prices = rng.normal(0, 2, len(model.rows)) if number else np.zeros(len(model.rows))
        prices = np.where((prices < 0) & ~np.isfinite(model.row_lower), 0.0, prices)
        prices = np.where((prices > 0) & ~np.isfinite(model.row_upper), 0.0, prices)
        bound = LinearDualCertificate(prices).upper_bound(problem, fixings)
        check.at(str(fixings)).require_bound(bound, best_score(found, fixings), rule)
