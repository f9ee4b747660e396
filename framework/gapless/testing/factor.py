"""Rules for a `Factor` or a `ConfigurationFactor`."""

from __future__ import annotations

import itertools
import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from gapless.arrays.score_array import LARGEST
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, float_array
from gapless.arrays.tolerance import rounding
from gapless.decisions.decisions import Decisions
from gapless.factors.diagrams.diagram import DecisionDiagram
from gapless.factors.factor import ConfigurationFactor, Factor, largest_term_of
from gapless.testing.conformance import Check, dominates, near, same
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
    at = check.at(factor.name)
    listed = at.call("scopes can be listed", lambda: [tuple(s) for s in factor.scopes(decisions)])
    again = [tuple(s) for s in factor.scopes(decisions)]
    at.require(listed == again, "scopes are listed the same way each time")
    at.require(len({len(s) for s in listed}) <= 1, "scopes have one length")
    for scope in listed:
        whole = all(isinstance(d, Integral) and not isinstance(d, bool) for d in scope)
        check.require(whole, "scopes hold whole numbers", str(scope))
        check.require(len(set(scope)) == len(scope), "a scope repeats no decision", str(scope))
        check.require(all(0 <= d < decisions.count for d in scope), "scopes name existing decisions", str(scope))
    at.require(len({frozenset(s) for s in listed}) == len(listed), "no scope is listed twice, in any order")
    if not listed:
        return  # no scope is ever scored
    scopes = np.array(listed, np.int64).reshape(len(listed), len(listed[0]))
    everything = _scores(check, "score", factor, scopes, decisions)
    bounds = _scores(check, "upper_bound", factor, scopes, decisions)
    bad = np.flatnonzero(~(bounds >= everything - _NEGLIGIBLE * np.maximum(1.0, np.abs(everything))))
    bad = bad[bounds[bad] != everything[bad]]
    for i in bad.tolist():
        detail = f"scope {listed[i]}: {bounds[i]!r} below {everything[i]!r}"
        check.require(False, "upper_bound dominates score", detail)
    for _ in range(samples):
        chosen = rng.integers(len(listed), size=rng.integers(len(listed) + 1))
        for label, expected in (("score", everything), ("upper_bound", bounds)):
            part = _scores(check, label, factor, scopes[chosen], decisions)
            check.require(
                all(map(same, part, expected[chosen])),
                "scores do not depend on what else is asked, or when",
                f"{label} of scopes {chosen.tolist()}",
            )


def _scores(check: Check, label: str, factor: Factor, scopes: IntArray, decisions: Decisions) -> FloatArray:
    at = check.at(f"{label} of {len(scopes)} scopes")
    values: Any = np.asarray(at.call("scores can be computed", getattr(factor, label), scopes, decisions))
    at.require(values.shape == (len(scopes),), "scores have shape (m,)", str(values.shape))
    bad = np.flatnonzero(np.isnan(values) | ((values == np.inf) & (label == "score")))
    at.require(not bad.size, "scores are never NaN or plus infinity", str(scopes[bad[:1]].tolist()))
    if label == "score":
        large = np.flatnonzero((np.abs(values) > LARGEST) & (values != -np.inf))
        at.require(not large.size, f"scores are at most {LARGEST:g} in size", str(scopes[large[:1]].tolist()))
    return float_array(values)


def _check_configurations(
    check: Check, factor: ConfigurationFactor, decisions: Decisions, rng: np.random.Generator, samples: int
) -> None:
    scope: Any = np.asarray(check.at(factor.name).call("the scope can be listed", factor.scope, decisions))
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
        choices = configurations(factor, decisions)
    else:
        if scope.size > _WIDEST:
            raise SpaceTooLarge(f"the scope has {scope.size} decisions, check_factor enumerates up to {_WIDEST}")
        choices = [np.array(bits, bool) for bits in itertools.product((0, 1), repeat=scope.size)]
    values = []
    for chosen in choices:
        at = check.at(f"configuration {scope[chosen].tolist()}")
        value = _value(check, factor, chosen)
        at.require(not math.isnan(value) and value < math.inf, "values are never NaN or plus infinity")
        at.require(same(value, _value(check, factor, chosen.copy())), "values do not depend on time")
        values.append(value)
    lost = rounding(scope.size, 0.0, largest_term_of(factor, decisions))
    for number in range(samples):
        weights = _prices(rng, scope.size, number)
        at = check.at(f"weights {weights.tolist()}")
        answer: Any = at.call("best answers", factor.best, weights)
        pair = isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], Real)
        at.require(pair, "best gives a value and a configuration", repr(answer))
        value, on = answer
        true = max(v + float(weights[c].sum()) for v, c in zip(values, choices, strict=True))
        is_mask = isinstance(on, np.ndarray) and on.shape == scope.shape and on.dtype == np.bool_
        at.require(is_mask, "best gives a boolean for each decision of the scope", str(on))
        if relaxed:
            at.require(dominates(value, true), "best of a relaxed diagram is a bound", f"{value!r} below {true!r}")
            continue
        terms = np.append(weights, true)
        at.require_sum(value, true, "best equals enumeration", terms, lost)
        reached = _value(check, factor, on) + float(weights[on].sum())
        at.require_sum(value, reached, "best states what its configuration scores", terms, lost)
    compiled = check.at(factor.name).call("the compiled role can be made", factor.compiled, decisions)
    graph = getattr(factor, "graph", None)
    only_bounds = graph is not None and graph(decisions).relaxed  # a diagram with states made coarser
    if compiled is not None and not only_bounds:
        _check_compiled(check.at("compiled"), compiled, scope, choices, values, rng, samples, lost)


def _prices(rng: np.random.Generator, size: int, number: int) -> FloatArray:
    """Draw smooth prices and tied ones in turn."""
    return rng.normal(0, 2, size) if number % 2 else rng.integers(-2, 3, size).astype(np.float64)


def _value(check: Check, factor: ConfigurationFactor, on: BoolArray) -> float:
    at = check.at(f"configuration {np.flatnonzero(on).tolist()} of the scope")
    return at.call("every configuration has a value", lambda: float(factor.value(on)))


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
    """Check the compiled role against the values of all configurations."""
    is_same = np.array_equal(compiled.scope, scope)
    check.require(is_same, "the compiled role has the factor's scope", f"{compiled.scope}, {scope}")
    for chosen, value in zip(choices, values, strict=True):
        at = check.at(f"configuration {scope[chosen].tolist()}")
        stated = at.call("the compiled role answers", compiled.value_of, chosen)
        at.require_sum(stated, value, "compiled values are those of the factor", np.array([value]), lost)
        _check_flips(check, compiled, chosen, dict(zip(map(tuple, choices), values, strict=True)), lost)
    table = np.array(choices)
    for number in range(samples):
        prices = _prices(rng, scope.size, number)
        state = np.where(rng.random(scope.size) < 0.7, -1, rng.integers(0, 2, scope.size)).astype(np.int8)
        at = check.at(f"prices {prices.tolist()}, state {state.tolist()}")
        totals = np.array([v - float(prices[c].sum()) for v, c in zip(values, choices, strict=True)])
        totals[((state == 1) & ~table).any(axis=1) | ((state == 0) & table).any(axis=1)] = -np.inf
        value, found = at.call("the compiled role answers", compiled.solve, prices, state)
        on = np.asarray(found).astype(bool)
        true = float(totals.max(initial=-np.inf))
        terms = np.append(prices, true)
        at.require_sum(value, true, "the compiled value is the maximum", terms, lost)
        if true > -math.inf:
            reached = float(totals[(table == on).all(axis=1)].max(initial=-np.inf))
            at.require(
                near(reached, true, terms, lost),
                "the compiled role finds a configuration of that value, and as the state fixes it",
                f"{scope[on].tolist()} has {reached!r}, not {true!r}",
            )
        marginals = at.call("the compiled role answers", compiled.max_marginals, prices, state)
        for side, wanted in zip(marginals or (), (True, False), strict=False):
            for d in range(scope.size):
                best = float(totals[table[:, d] == wanted].max(initial=-np.inf))
                one = at.at(f"decision {scope[d]} {'on' if wanted else 'off'}")
                one.require_sum(side[d], best, "compiled max-marginals are exact", np.append(prices, best), lost)


def _check_flips(
    check: Check, compiled: Any, on: BoolArray, values: dict[tuple[Any, ...], float], lost: float
) -> None:
    """Check differences of values, where neither is -inf."""
    at = check.at(f"flips of {on.tolist()}")
    found = at.call("the compiled role answers", compiled.flip_differences, on)
    for d in range(0 if found is None else on.size):
        other = on.copy()
        other[d] = not on[d]
        one, two = values[tuple(on)], values.get(tuple(other), -math.inf)
        if min(one, two) > -math.inf:
            rule = "compiled flips are differences of values"
            at.require(near(found[d], two - one, np.array([two - one]), lost), rule, f"{found[d]!r} at {d}")
