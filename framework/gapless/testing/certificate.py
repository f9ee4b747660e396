"""Rules for a `Certificate`: it proves nothing false, with any values in its fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from gapless.core import serial
from gapless.core.certificate import UNREADABLE, Certificate, Verdict
from gapless.core.decisions import Fixings
from gapless.core.problem import Problem
from gapless.testing.conformance import Check, best_score, dominates, has_evidence, sample_fixings, single_fixings
from gapless.testing.enumeration import Feasible, given_or_enumerated

AnyProblem = Problem[Any]

CHANGES: tuple[Callable[[float], float], ...] = (
    lambda number: number - 1,
    lambda number: number + 1,
    lambda number: -number,
    lambda number: 0,
    lambda number: number / 2,
    lambda number: 2 * number,
)
"""Changes to a number of a forged certificate."""


def check_certificate(
    certificate: Certificate,
    problem: AnyProblem,
    *,
    structures: Iterable[Any] | None = None,
    samples: int = 10,
    forgeries: int = 20,
    seed: int = 0,
) -> None:
    """Check by enumeration that a certificate proves nothing false.

    Rules: the bound that `verify` proves dominates every feasible value, without fixings and under any, even after
    numbers in the certificate were changed: a formula that trusts its fields could be made to prove anything.
    `verify` itself cannot detect this, because it runs the code of the certificate's class.

    Parameters
    ----------
    certificate : Certificate
        Certificate of a method for `problem`. Its class is `gapless.serialisable`, so that it can be forged.
    problem : Problem
        Small enough to enumerate, unless `structures` are given.
    structures : iterable of S, optional
        All feasible structures, instead of enumerating the assignments of decisions.
    samples : int
        Number of fixings to try.
    forgeries : int
        Number of forged copies to try.
    seed : int
    """
    found = given_or_enumerated(problem, structures)
    check_proofs(certificate, problem, found, samples=samples, forgeries=forgeries, seed=seed)


def check_proofs(
    certificate: Certificate,
    problem: AnyProblem,
    found: Sequence[Feasible[Any]],
    *,
    samples: int,
    forgeries: int,
    seed: int,
) -> None:
    """As `check_certificate`, against structures that are already enumerated."""
    if not has_evidence(certificate):
        return
    check = Check(certificate)
    on_sets = [f.on_ids for f in found]
    tried = sample_fixings(problem.decisions, on_sets, samples, seed)
    tried += single_fixings(problem.decisions, on_sets, samples, seed)
    for fixings in tried:
        verdict = check.call("a certificate can be verified", str(fixings), certificate.verify, problem, fixings)
        _check_proof(check, "a certificate proves nothing false", verdict, found, fixings, str(fixings))
    rng = np.random.default_rng(seed)
    for said, forged in _forgeries(certificate, forgeries, rng):
        fixings = tried[int(rng.integers(len(tried)))]
        for held in (tried[0], fixings):
            try:
                verdict = forged.verify(problem, held)
            except UNREADABLE:
                continue  # `Result.verify` refuses what raises these
            _check_proof(
                check, "a forged certificate proves nothing false", verdict, found, held, f"{held}, {said}"
            )


def _check_proof(
    check: Check, rule: str, verdict: Verdict, found: Sequence[Feasible[Any]], fixings: Fixings, place: str
) -> None:
    best = best_score(found, fixings)
    check.require(
        not verdict or dominates(verdict.bound, best),
        rule,
        f"{place}: it proves the bound {verdict.bound!r}, but {best!r} is feasible",
    )


def _forgeries(certificate: Certificate, count: int, rng: np.random.Generator) -> Iterator[tuple[str, Certificate]]:
    """Copies with some numbers changed, as far as the class accepts them."""
    try:
        data = serial.to_data(certificate)
    except UNREADABLE:
        return  # `Result.to_json` reports this
    places = list(_numbers(data))
    for _ in range(count if places else 0):
        copy = serial.to_data(certificate)
        chosen = rng.choice(len(places), size=min(len(places), int(rng.integers(1, 4))), replace=False)
        told = []
        for number in chosen.tolist():
            path = places[number]
            change = CHANGES[int(rng.integers(len(CHANGES)))]
            told.append(_change(copy, path, change))
        try:
            yield "; ".join(told), serial.from_data(copy)
        except UNREADABLE:
            continue


def _numbers(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every number in JSON data, except shapes of arrays."""
    if isinstance(data, dict):
        inside = [
            (key, value) for key, value in data.items() if not (data.get("type") == "array" and key == "shape")
        ]
    elif isinstance(data, list):
        inside = list(enumerate(data))
    else:
        if isinstance(data, int | float) and not isinstance(data, bool) and math.isfinite(data):
            yield path
        return
    for key, value in inside:
        yield from _numbers(value, (*path, key))


def _change(data: Any, path: tuple[Any, ...], change: Callable[[float], float]) -> str:
    """Change the number at `path`, an integer to an integer; return a description."""
    *way, last = path
    for key in way:
        data = data[key]
    before = data[last]
    after = change(before)
    data[last] = int(after) if isinstance(before, int) else after
    return f"{'.'.join(map(str, path))} was {before!r} and is {data[last]!r}"
