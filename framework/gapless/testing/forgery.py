"""Forged answers: true ones with changed entries, which a verifier refuses or which claim nothing false."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gapless.arrays import serial
from gapless.certificates.certificate import UNREADABLE, Certificate
from gapless.results.result import Result
from gapless.testing.conformance import Check
from gapless.testing.trial import Instance, check_verified

Path = tuple[Any, ...]
_OTHER_SHARE = 0.1
"""Share of answers that are passed off as the answer to another problem."""
_IN_CERTIFICATE_SHARE = 0.85
"""Share of the changes inside the certificate; the others are in what the answer states."""


def forge(check: Check, instance: Instance, other: Instance, result: Result[Any], rng: np.random.Generator) -> bool:
    """Change one to three entries of a true answer, or take it for an answer to `other`; return if it was refused.

    Raises `ConformanceError` if the forged answer was accepted and claims something false.
    """
    data = serial.to_data(result)
    if other is not instance and rng.random() < _OTHER_SHARE:
        instance, changes = other, ["the answer to another problem"]
    else:
        changes = [_change_answer(data, rng) for _ in range(int(rng.integers(1, 4)))]
    try:
        forged: Result[Any] = serial.from_data(data)
        verdict = forged.verify(instance.problem)
    except UNREADABLE:
        return True  # refused when it is read
    if verdict:
        check_verified(check.at("; ".join(changes)), instance, forged, verdict)
    return not verdict


def forged_certificates(
    certificate: Certificate, count: int, rng: np.random.Generator
) -> Iterator[tuple[str, Certificate]]:
    """Yield descriptions and copies with one to three finite numbers changed, as far as the class accepts them."""
    try:
        paths = [path for path, value in _entries(serial.to_data(certificate), ("shape",)) if _is_finite(value)]
    except UNREADABLE:
        return  # `Result.to_json` reports this
    for _ in range(count if paths else 0):
        data = serial.to_data(certificate)
        selected = rng.choice(len(paths), size=min(len(paths), int(rng.integers(1, 4))), replace=False)
        changes = [_change(data, paths[index], FINITE_CHANGES, rng) for index in selected.tolist()]
        try:
            yield "; ".join(changes), serial.from_data(data)
        except UNREADABLE:
            continue


def _change_answer(data: Any, rng: np.random.Generator) -> str:
    """Change an entry in place and describe the change."""
    inside = data["certificate"] if rng.random() < _IN_CERTIFICATE_SHARE else data
    skip = ("certificate", "stats", "trace", "method", "explanation") if inside is data else ()
    paths = [path for path, _ in _entries(inside, skip)]
    if not paths:
        inside, paths = data, [path for path, _ in _entries(data, ("certificate", "stats"))]
    return _change(inside, paths[int(rng.integers(len(paths)))], CHANGES, rng)


def _change(data: Any, path: Path, changes: Sequence[_Change], rng: np.random.Generator) -> str:
    """Apply one of `changes` to the entry at `path` and describe it."""
    *way, last = path
    for key in way:
        data = data[key]
    fitting = [change for change in changes if change.fits(data[last])]
    change = fitting[int(rng.integers(len(fitting)))]
    previous = repr(data[last])[:60]
    change.apply(data, last, rng)
    return f"{'.'.join(map(str, path))} was {previous} and is {data[last]!r:.60} ({change.name})"


def _entries(data: Any, skip: tuple[str, ...] = (), path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield path and value of every entry, lists and dictionaries included, except below the keys of `skip`."""
    if isinstance(data, dict):
        inside = [(key, value) for key, value in data.items() if key not in skip]
    elif isinstance(data, list):
        inside = list(enumerate(data))
    else:
        return
    for key, value in inside:
        yield (*path, key), value
        yield from _entries(value, skip, (*path, key))


class _Change:
    """A way to change an entry of a dictionary or list of JSON data."""

    def __init__(self, name: str, fits: Callable[[Any], bool], apply: Callable[[Any, Any, Any], None]) -> None:
        self.name, self.fits, self.apply = name, fits, apply


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    return _number(value) and math.isfinite(value)


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
    _Change("double", _number, _set(lambda old, rng: 2 * old)),
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

FINITE_CHANGES = CHANGES[:6]
"""Changes that leave a number finite and its document readable, so that a verifier has to look at the number."""
