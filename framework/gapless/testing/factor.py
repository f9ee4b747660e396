"""Rules for a `Factor` or a `ConfigurationFactor`."""

from __future__ import annotations

import itertools
import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, float_array
from gapless.arrays.tolerance import rounding, score_tolerance
from gapless.decisions.decisions import Decisions
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.factor import ConfigurationFactor, Factor, largest_term_of
from gapless.testing.conformance import Check, dominates, same
from gapless.testing.diagram import check_steps, configurations
from gapless.testing.enumeration import SpaceTooLarge

_WIDEST = 14
_NEGLIGIBLE = 1e-9


def check_factor(
    factor: Factor | ConfigurationFactor, decisions: Decisions, *, samples: int = 20, seed: int = 0
) -> None:
    """Check the scopes and scores of a factor.

    Rules for a `Factor`: scopes have one length, name existing decisions, repeat nothing, and are listed the same
    way each time; scores have shape (m,), are never NaN or plus infinity, and do not depend on the other scopes of
    a call; ``upper_bound`` dominates ``score``. Rules for a `ConfigurationFactor`: ``best`` equals enumeration, and
    so does what `compiled` gives, under decisions that are fixed as well.
    Further rules for a `DecisionDiagram`: layers and steps do not change, a step does not depend on the other
    states of its call, and where it has ``relax``, what may follow a state may follow its coarser state, with at
    least its score.

    Parameters
    ----------
    factor : Factor or ConfigurationFactor
    decisions : Decisions
    samples : int
        Number of subsets or weights to try.
    seed : int
    """
    check = Check(factor)
    name = getattr(factor, "name", None)
    check.require(isinstance(name, str) and name, "a factor has a name", repr(name))
    rng = np.random.default_rng(seed)
    if isinstance(factor, Factor):
        _check_conjunctions(check, factor, decisions, rng, samples)
    else:
        _check_configurations(check, factor, decisions, rng, samples)


def _check_conjunctions(
    check: Check, factor: Factor, decisions: Decisions, rng: np.random.Generator, samples: int
) -> None:
    listed = check.call("scopes can be listed", factor.name, lambda: [tuple(s) for s in factor.scopes(decisions)])
    again = [tuple(s) for s in factor.scopes(decisions)]
    check.require(listed == again, "scopes are listed the same way each time", factor.name)
    check.require(len({len(s) for s in listed}) <= 1, "scopes have one length", factor.name)
    for scope in listed:
        whole = all(isinstance(d, Integral) and not isinstance(d, bool) for d in scope)
        check.require(whole, "scopes hold whole numbers", str(scope))
        check.require(len(set(scope)) == len(scope), "a scope repeats no decision", str(scope))
        check.require(all(0 <= d < decisions.count for d in scope), "scopes name existing decisions", str(scope))
    check.require(
        len({frozenset(s) for s in listed}) == len(listed), "no scope is listed twice, in any order", factor.name
    )
    if not listed:
        return  # no scope is ever scored
    scopes = np.array(listed, np.int64).reshape(len(listed), len(listed[0]))
    everything = _scores(check, "score", factor, scopes, decisions)
    bounds = _scores(check, "upper_bound", factor, scopes, decisions)
    bad = np.flatnonzero(~(bounds >= everything - _NEGLIGIBLE * np.maximum(1.0, np.abs(everything))))
    bad = bad[bounds[bad] != everything[bad]]
    check.require(
        not bad.size,
        "upper_bound dominates score",
        "" if not bad.size else f"scope {listed[bad[0]]}: {bounds[bad[0]]!r} below {everything[bad[0]]!r}",
    )
    for _ in range(samples):
        chosen = rng.integers(len(listed), size=rng.integers(len(listed) + 1))
        for label, expected in (("score", everything), ("upper_bound", bounds)):
            part = _scores(check, label, factor, scopes[chosen], decisions)
            check.require(
                all(same(a, b) for a, b in zip(part, expected[chosen], strict=True)),
                "scores do not depend on what else is asked, or when",
                f"{label} of scopes {chosen.tolist()}",
            )


def _scores(check: Check, label: str, factor: Factor, scopes: IntArray, decisions: Decisions) -> FloatArray:
    location = f"{label} of {len(scopes)} scopes"
    values: Any = np.asarray(
        check.call("scores can be computed", location, getattr(factor, label), scopes, decisions)
    )
    check.require(values.shape == (len(scopes),), "scores have shape (m,)", f"{location}: {values.shape}")
    bad = np.flatnonzero(np.isnan(values) | ((values == np.inf) & (label == "score")))
    check.require(not bad.size, "scores are never NaN or plus infinity", f"{location}: {scopes[bad[:1]].tolist()}")
    if label == "score":
        large = np.flatnonzero((np.abs(values) > LARGEST) & (values != -np.inf))
        check.require(
            not large.size, f"scores are at most {LARGEST:g} in size", f"{location}: {scopes[large[:1]].tolist()}"
        )
    return float_array(values)


def _check_configurations(
    check: Check, factor: ConfigurationFactor, decisions: Decisions, rng: np.random.Generator, samples: int
) -> None:
    scope: Any = np.asarray(check.call("the scope can be listed", factor.name, factor.scope, decisions))
    whole = scope.ndim == 1 and (scope.dtype.kind in "iu" or not scope.size)
    check.require(
        whole and bool(np.all(np.diff(scope) > 0)) and all(0 <= d < decisions.count for d in scope),
        "the scope lists existing decisions, ascending",
        str(scope),
    )
    relaxed = False
    if isinstance(factor, DecisionDiagram):
        check_steps(check, factor, decisions, rng, samples)
        relaxed = factor.graph(decisions).relaxed
        choices = configurations(check, factor, decisions)
    else:
        if scope.size > _WIDEST:
            raise SpaceTooLarge(f"the scope has {scope.size} decisions, check_factor enumerates up to {_WIDEST}")
        choices = [np.array(bits, bool) for bits in itertools.product((0, 1), repeat=scope.size)]
    values = []
    for chosen in choices:
        location = f"configuration {scope[chosen].tolist()}"
        value = _value(check, factor, chosen)
        check.require(not math.isnan(value) and value < math.inf, "values are never NaN or plus infinity", location)
        check.require(
            same(value, _value(check, factor, chosen.copy())),
            "values do not depend on time",
            location,
        )
        values.append(value)
    lost = rounding(scope.size, 0.0, largest_term_of(factor, decisions))
    for number in range(samples):
        weights = rng.normal(0, 2, scope.size) if number % 2 else rng.integers(-2, 3, scope.size).astype(np.float64)
        location = f"weights {weights.tolist()}"
        answer: Any = check.call("best answers", location, factor.best, weights)
        pair = isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], Real)
        check.require(pair, "best gives a value and a configuration", f"{location}: {answer!r}")
        value, on = answer
        true = max(v + float(weights[c].sum()) for v, c in zip(values, choices, strict=True))
        check.require(
            isinstance(on, np.ndarray) and on.shape == scope.shape and on.dtype == np.bool_,
            "best gives a boolean for each decision of the scope",
            f"{location}: {on}",
        )
        if relaxed:
            check.require(
                dominates(value, true),
                "best of a relaxed diagram is a bound",
                f"{location}: {value!r} below {true!r}",
            )
            continue
        check.require(
            value == true or abs(value - true) <= score_tolerance(float(np.abs(weights).sum()) + abs(true)) + lost,
            "best equals enumeration",
            f"{location}: {value!r}, but the maximum is {true!r}",
        )
        reached = _value(check, factor, on) + float(weights[on].sum())
        check.require(
            reached == value
            or abs(value - reached) <= score_tolerance(float(np.abs(weights).sum()) + abs(true)) + lost,
            "best states what its configuration scores",
            f"{location}: {value!r}, but it scores {reached!r}",
        )
    compiled = check.call("the compiled role can be made", factor.name, factor.compiled, decisions)
    graph = getattr(factor, "graph", None)
    only_bounds = graph is not None and graph(decisions).relaxed  # a diagram with states made coarser
    if compiled is not None and not only_bounds:
        _check_compiled(check, compiled, scope, choices, values, rng, samples, lost)


def _value(check: Check, factor: ConfigurationFactor, on: BoolArray) -> float:
    location = f"configuration {np.flatnonzero(on).tolist()} of the scope"
    return check.call("every configuration has a value", location, lambda: float(factor.value(on)))


def _check_compiled(
    check: Check,
    compiled: Any,
    scope: IntArray,
    choices: list[BoolArray],
    values: list[float],
    rng: np.random.Generator,
    samples: int,
    lost: float,
) -> None:
    """The compiled role beside the values of all configurations."""
    check.require(
        np.array_equal(compiled.scope, scope),
        "the compiled role has the factor's scope",
        f"{compiled.scope}, {scope}",
    )
    for chosen, value in zip(choices, values, strict=True):
        location = f"compiled, configuration {scope[chosen].tolist()}"
        stated = check.call("the compiled role answers", location, compiled.value_of, chosen)
        check.require(
            _near(stated, value, lost),
            "compiled values are those of the factor",
            f"{location}: {stated!r}, {value!r}",
        )
        _check_flips(check, compiled, chosen, dict(zip(map(tuple, choices), values, strict=True)), lost)
    for number in range(samples):
        prices = rng.normal(0, 2, scope.size) if number % 2 else rng.integers(-2, 3, scope.size).astype(np.float64)
        state = np.where(rng.random(scope.size) < 0.7, -1, rng.integers(0, 2, scope.size)).astype(np.int8)
        location = f"compiled, prices {prices.tolist()}, state {state.tolist()}"
        totals = np.array([v - float(prices[c].sum()) for v, c in zip(values, choices, strict=True)])
        table = np.array(choices)
        totals[((state == 1) & ~table).any(axis=1) | ((state == 0) & table).any(axis=1)] = -np.inf
        value, found = check.call("the compiled role answers", location, compiled.solve, prices, state)
        on = np.asarray(found).astype(bool)
        true = float(totals.max(initial=-np.inf))
        check.require(
            _near(value, true, lost, prices),
            "the compiled value is the maximum",
            f"{location}: {value!r}, not {true!r}",
        )
        if true > -math.inf:
            reached = float(totals[(table == on).all(axis=1)].max(initial=-np.inf))
            check.require(
                _near(reached, true, lost, prices),
                "the compiled role finds a configuration of that value, and as the state fixes it",
                f"{location}: {scope[on].tolist()} has {reached!r}, not {true!r}",
            )
        marginals = check.call("the compiled role answers", location, compiled.max_marginals, prices, state)
        for side, wanted in zip(marginals or (), (True, False), strict=False):
            for d in range(scope.size):
                best = float(totals[table[:, d] == wanted].max(initial=-np.inf))
                check.require(
                    _near(side[d], best, lost, prices),
                    "compiled max-marginals are exact",
                    f"{location}: {side[d]!r} with decision {scope[d]} {'on' if wanted else 'off'}, not {best!r}",
                )


def _check_flips(
    check: Check, compiled: Any, on: BoolArray, values: dict[tuple[Any, ...], float], lost: float
) -> None:
    """Differences of values, where neither is -inf."""
    location = f"compiled, flips of {on.tolist()}"
    found = check.call("the compiled role answers", location, compiled.flip_differences, on)
    for d in range(0 if found is None else on.size):
        other = on.copy()
        other[d] = not on[d]
        one, two = values[tuple(on)], values.get(tuple(other), -math.inf)
        if min(one, two) > -math.inf:
            check.require(
                _near(found[d], two - one, lost),
                "compiled flips are differences of values",
                f"{location}: {found[d]!r} at {d}",
            )


def _near(one: float, other: float, lost: float, prices: FloatArray | tuple[()] = ()) -> bool:
    """Equal up to rounding of sums with these prices; `lost` is that of large terms that cancel."""
    return bool(
        one == other or abs(one - other) <= score_tolerance(float(np.abs(prices).sum()) + abs(other)) + lost
    )
