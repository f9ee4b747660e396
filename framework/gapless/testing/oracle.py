"""Rules for a `Maximiser`: its best structure and its max-marginal losses; see `generator` for a `Generator`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import rounding, score_tolerance
from gapless.decisions.decisions import Decisions, Fixings
from gapless.oracles.generator import Generator
from gapless.oracles.maximiser import Maximiser, Optimum
from gapless.oracles.views import MasterView
from gapless.problems.problem import Problem
from gapless.testing.compiled_role import check_compiled, check_sets
from gapless.testing.conformance import Check, near, sample_fixings
from gapless.testing.enumeration import given_or_enumerated
from gapless.testing.generator import check_generator
from gapless.tree_search.relaxation import RestrictedMaster

S = TypeVar("S")
V = TypeVar("V", bound=MasterView)


def check_oracle(
    oracle: Maximiser[S] | Generator[V],
    problem: Problem[S],
    *,
    on_sets: Sequence[IntArray] | None = None,
    make_restricted: Callable[[], RestrictedMaster[S, V]] | None = None,
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
    internal_score: Callable[[IntArray], float] | None = None,
    samples: int = 30,
    seed: int = 0,
) -> None:
    """Check a maximiser against the list of all structures in its range.

    Rules: the value is the sum of the weights of ``on_ids``, and the maximum; fixings are respected;
    ``max_marginals`` holds the loss of forcing every free decision; weights may be -inf; equal questions get equal
    answers. Where the maximiser has a compiled role, its values, structures, internal scores, max-marginals and
    exclusions obey the same rules under the same weights and fixings.

    Parameters
    ----------
    maximiser : Maximiser
    decisions : Decisions
    on_sets : sequence of int64 arrays
        Every structure of the maximiser, as its decisions that are on. For a relaxed problem these include more
        than the feasible structures.
    internal_score : callable, optional
        Score of an entry of `on_sets` beyond the weights, if the maximiser has any.
    samples : int
        Number of weights to try, each under several fixings.
    seed : int
    """
    check = Check(maximiser)
    rng = np.random.default_rng(seed)
    structures = [(np.sort(ids), 0.0 if internal_score is None else internal_score(ids)) for ids in on_sets]
    compiled = maximiser.compiled()
    tried = sample_fixings(decisions, on_sets, 3 * samples, seed)
    lost = rounding(decisions.count, 0.0, maximiser.internal_score_limit())
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
    at, before = check.at(f"weights {weights.tolist()}, {fixings}"), weights.copy()
    found = at.call("solve answers", maximiser.solve, weights, fixings)
    at.require(np.array_equal(before, weights), "the weights are left alone")
    at.require(isinstance(found, Optimum), "solve returns an Optimum", repr(found))
    allowed = [(ids, float(weights[ids].sum()) + own) for ids, own in structures if fixings.allows(ids)]
    best = max((score for _, score in allowed), default=-math.inf)
    at.require_sum(found.value, best, "the value is the maximum", weights, lost)
    if found.value > -math.inf:
        on_ids = found.on_ids.tolist()
        at.require(fixings.allows(found.on_ids), "solve respects the fixings", f"{on_ids}")
        at.require(
            near(float(weights[found.on_ids].sum()) + found.internal_score, found.value, weights, lost),
            "the value is the sum of the weights",
            f"{on_ids} weigh {weights[found.on_ids].sum()!r} and {found.internal_score!r}, "
            f"{found.value!r} is stated",
        )
        is_structure = any(np.array_equal(np.sort(found.on_ids), ids) for ids, _ in structures)
        at.require(is_structure, "solve returns a structure", f"{on_ids} is none")
    losses = at.call("max_marginals answers", maximiser.max_marginals, weights, fixings)
    at.require(np.array_equal(before, weights), "the weights are left alone")
    for label, forced, claimed in (("on", True, losses.on), ("off", False, losses.off)):
        if claimed is None:
            continue
        at.require(claimed.shape == weights.shape, "max-marginal losses cover all decisions", label)
        if best == -math.inf:
            continue
        for d in fixings.free:
            other = max((score for ids, score in allowed if (d in ids) == forced), default=-math.inf)
            at.require(
                not math.isnan(claimed[d]) and claimed[d] >= -score_tolerance(best) - lost,
                "a max-marginal loss is a number >= 0",
                f"decision {d} {label}: {claimed[d]!r}",
            )
            at.require(
                near(float(claimed[d]), best - other, weights, lost),
                "max-marginal losses are exact",
                f"forcing decision {d} {label} costs {best - other!r}, {claimed[d]!r} is stated",
            )
    again = maximiser.solve(weights, fixings)
    at.require(
        again.value == found.value and np.array_equal(again.on_ids, found.on_ids),
        "equal questions get equal answers",
        f"{found.on_ids.tolist()} and then {again.on_ids.tolist()}",
    )
    return best
