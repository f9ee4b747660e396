"""Forged answers: true ones with something changed, which a checker refuses or which claim nothing false."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from gapless.core import serial
from gapless.core.certificate import UNREADABLE
from gapless.core.problem import Problem
from gapless.core.result import Result, Status
from gapless.testing.conformance import Check, dominates, same

Path = tuple[Any, ...]
_ELSEWHERE = 0.1
"""Share of answers that are taken for those to another problem."""
_IN_CERTIFICATE = 0.85
"""Share of the changes inside the certificate; the others are in what the answer says."""


class Instance(Protocol):
    """A problem and its best score, -inf where nothing is feasible."""

    @property
    def problem(self) -> Problem[Any]:
        """Small."""

    @property
    def best(self) -> float:
        """By a list of all structures."""


def forge(check: Check, known: Instance, other: Instance, result: Result[Any], rng: np.random.Generator) -> bool:
    """Change a true answer in one to three places, or take it for one to another problem; whether it was refused.

    Raises `ConformanceError`: it was accepted, and claims something false.
    """
    data = serial.to_data(result)
    if other is not known and rng.random() < _ELSEWHERE:
        known, told = other, ["the answer to another problem"]
    else:
        told = [_changed(data, rng) for _ in range(int(rng.integers(1, 4)))]
    problem = known.problem
    try:
        forged: Result[Any] = serial.from_data(data)
        verdict = forged.verify(problem)
    except UNREADABLE:
        return True  # refused when it is read
    if not verdict:
        return True
    place, sign = "; ".join(told), problem.sense.sign
    check.require(
        dominates(sign * forged.bound, known.best),
        "a forged answer claims no bound that is false",
        f"{place}: the bound {forged.bound!r} is accepted, but {known.best!r} is feasible",
    )
    check.require(
        dominates(verdict.bound, known.best),
        "a forged certificate proves nothing false",
        f"{place}: {verdict.bound!r} is proved, but {known.best!r} is feasible",
    )
    for solution in forged.solutions:
        true = not problem.violations(solution.structure)
        true = true and same(solution.value, float(problem.value(solution.structure)))
        check.require(true, "a forged structure is refused", place)
    if forged.status is Status.OPTIMAL:
        check.require(same(sign * forged.value, known.best), "only the best is OPTIMAL", place)
    check.require(forged.status is not Status.INFEASIBLE or known.best == -math.inf, "INFEASIBLE is true", place)
    return False


def _changed(data: Any, rng: np.random.Generator) -> str:
    """Change something in place; a description."""
    inside = data["certificate"] if rng.random() < _IN_CERTIFICATE else data
    skip = () if inside is not data else ("certificate", "stats", "trace", "method", "explanation")
    places = list(_places(inside, skip))
    if not places:
        places = list(_places(data, ("certificate", "stats")))
    path = places[int(rng.integers(len(places)))]
    inside = inside if places and _has(inside, path) else data
    *way, last = path
    holder = inside
    for key in way:
        holder = holder[key]
    changes = [change for change in CHANGES if change.fits(holder[last])]
    change = changes[int(rng.integers(len(changes)))]
    before = repr(holder[last])[:60]
    change.apply(holder, last, rng)
    return f"{'.'.join(map(str, path))} was {before}: {change.name}"


def _has(data: Any, path: Path) -> bool:
    try:
        for key in path:
            data = data[key]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _places(data: Any, skip: tuple[str, ...], path: Path = ()) -> Any:
    """The path to every entry, lists and dictionaries themselves included."""
    if isinstance(data, dict):
        inside = [(key, value) for key, value in data.items() if key not in skip]
    elif isinstance(data, list):
        inside = list(enumerate(data))
    else:
        return
    for key, value in inside:
        yield (*path, key)
        yield from _places(value, skip, (*path, key))


class _Change:
    """A way to change an entry of a dictionary or list of JSON."""

    def __init__(self, name: str, fits: Callable[[Any], bool], apply: Callable[[Any, Any, Any], None]) -> None:
        self.name, self.fits, self.apply = name, fits, apply


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _several(value: Any) -> bool:
    return isinstance(value, list | dict) and len(value) > 1


def _set(new: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], None]:
    def apply(holder: Any, key: Any, rng: np.random.Generator) -> None:
        value = new(holder[key], rng)
        holder[key] = int(value) if isinstance(holder[key], int) and math.isfinite(value) else value

    return apply


def _swap(holder: Any, key: Any, rng: np.random.Generator) -> None:
    inside = holder[key]
    keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
    one, other = (keys[i] for i in rng.choice(len(keys), 2, replace=False).tolist())
    inside[one], inside[other] = inside[other], inside[one]


def _drop(holder: Any, key: Any, rng: np.random.Generator) -> None:
    inside = holder[key]
    keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
    del inside[keys[int(rng.integers(len(keys)))]]


def _double(holder: Any, key: Any, rng: np.random.Generator) -> None:
    inside = holder[key]
    inside.append(copy.deepcopy(inside[int(rng.integers(len(inside)))]))


def _put(value: Any) -> Callable[[Any, Any, Any], None]:
    def apply(holder: Any, key: Any, rng: np.random.Generator) -> None:
        holder[key] = copy.deepcopy(value)

    return apply


CHANGES = (
    _Change("one less", _number, _set(lambda old, rng: old - 1)),
    _Change("one more", _number, _set(lambda old, rng: old + 1)),
    _Change("other sign", _number, _set(lambda old, rng: -old)),
    _Change("zero", _number, _set(lambda old, rng: 0)),
    _Change("half", _number, _set(lambda old, rng: old / 2)),
    _Change("a thousandfold", _number, _set(lambda old, rng: old * 1000)),
    _Change("noise", _number, _set(lambda old, rng: old + float(rng.normal()) * (1 + abs(old)))),
    _Change("NaN", _number, _put(math.nan)),
    _Change("infinity", _number, _put(math.inf)),
    _Change("minus infinity", _number, _put(-math.inf)),
    _Change("words", _number, _put("many")),
    _Change("huge", _number, _put(1e300)),
    _Change("two swapped", _several, _swap),
    _Change("one dropped", lambda value: isinstance(value, list | dict) and len(value) > 0, _drop),
    _Change("cut short", lambda value: isinstance(value, list) and len(value) > 0, lambda h, k, rng: h[k].pop()),
    _Change("one twice", lambda value: isinstance(value, list) and len(value) > 0, _double),
    _Change("nothing", lambda value: True, _put(None)),
    _Change("empty", lambda value: isinstance(value, list), _put([])),
    _Change(
        "other type",
        lambda value: value in ("float64", "int64", "bool") if isinstance(value, str) else False,
        lambda h, k, rng: h.__setitem__(k, ("int64", "float64", "bool")[int(rng.integers(3))]),
    ),
)
