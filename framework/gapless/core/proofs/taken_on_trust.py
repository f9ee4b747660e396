"""A backbone that only its own maximiser can bound: its word, compared with every structure at hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from gapless.core.backbone import Backbone
from gapless.core.configuration_bound import word_of_factor
from gapless.core.decisions import FREE, OFF, ON, Decisions, Fixings
from gapless.core.errors import GaplessError, InvalidProblem
from gapless.core.oracle import Maximiser
from gapless.core.problem import Problem, score_of
from gapless.core.sparse import FloatArray, IntArray
from gapless.core.tolerance import margin, rounding
from gapless.core.work import kept_meanwhile, spend_work

FEW = 256
"""So many choices are gone through, and the maximiser's word is not needed."""

KEPT = 200
"""Structures that are kept at hand during one verification."""


def offers_checks(problem: Problem[Any]) -> bool:
    """Whether the bound on the backbone is computed apart from its maximiser."""
    if type(problem).checked_backbone is not Problem.checked_backbone:
        return True
    return type(problem.backbone().maximiser).checked_bounds is not Maximiser.checked_bounds


def word_of(problem: Problem[Any]) -> str:
    """In words, what a split bound of `problem` rests on; empty where all is checked."""
    role = "" if offers_checks(problem) else type(problem.backbone().maximiser).__name__
    words = [f"the bound on the backbone rests on the word of {role}.solve"] if role else []
    return "; ".join([*words, *filter(None, [word_of_factors(problem)])])


def word_of_factors(problem: Problem[Any]) -> str:
    """In words, the factors that are believed: a best() over many decisions, a relax()."""
    factors = problem.search_factors
    told = (word_of_factor(factor, problem.decisions, scope) for factor, scope in factors.configurations)
    return "; ".join(filter(None, told))


@attrs.frozen
class _Structure:
    """A structure: its decisions, what the backbone scores for itself, and the size of the sums that say so."""

    on_ids: IntArray
    own: float
    size: float


@attrs.define
class _AtHand:
    """Structures met during one verification."""

    problem: Any
    known: dict[bytes, _Structure | None] = attrs.field(factory=dict)


def trusted_bound(problem: Problem[Any], backbone: Backbone[Any], weights: FloatArray, fixings: Fixings) -> float:
    """The maximiser's optimum under these weights and fixings, with the rounding of its sum.

    Where few choices are left they are gone through instead. `weights` (float64 (decisions,)): finite.

    Raises
    ------
    InvalidProblem
        A structure at hand is worth more than the maximiser promises.
    """
    few = choices_left(problem.decisions, fixings)
    if few is not None:
        spend_work(0, 50 * FEW)
        scored = (_structure(problem, backbone, on_ids) for on_ids in few)
        return max((_worth(one, weights) for one in scored if one is not None), default=-math.inf)
    at_hand: _AtHand | None = kept_meanwhile().get(_AtHand)
    if at_hand is None or at_hand.problem is not problem:
        at_hand = kept_meanwhile()[_AtHand] = _AtHand(problem)
    spend_work(100.0 * weights.size, 100)
    found = backbone.maximiser.solve(weights, fixings)
    promised = float(found.value)
    on_ids = np.sort(np.asarray(found.on_ids, np.int64))
    if promised > -math.inf and on_ids.tobytes() not in at_hand.known and len(at_hand.known) < KEPT:
        at_hand.known[on_ids.tobytes()] = _structure(problem, backbone, on_ids)
    size = float(np.abs(weights[on_ids]).sum()) + abs(found.own)
    lost = rounding(weights.size, 0.0, backbone.maximiser.own_size())
    for one in at_hand.known.values():
        if one is None or not fixings.allow(one.on_ids):
            continue
        worth = float(weights[one.on_ids].sum()) + one.own
        if not worth <= promised + margin(max(one.size, size)) + lost:
            raise InvalidProblem(
                f"{type(backbone.maximiser).__name__}.solve promises that no structure is worth more than "
                f"{promised:.12g}, but one at hand is worth {worth:.12g}"
            )
    if math.isnan(promised):
        raise InvalidProblem(f"{type(backbone.maximiser).__name__}.solve gave NaN as its maximum")
    lost += _ROUNDING * (size + abs(promised)) * (weights.size + 4)
    return promised + lost if promised > -math.inf else promised


_ROUNDING = 2.0**-50


def _worth(one: _Structure, weights: FloatArray) -> float:
    size = float(np.abs(weights[one.on_ids]).sum()) + one.size
    return float(weights[one.on_ids].sum()) + one.own + _ROUNDING * size * (one.on_ids.size + 4)


def _structure(problem: Problem[Any], backbone: Backbone[Any], on_ids: IntArray) -> _Structure | None:
    """A structure scored by the problem itself; None where these decisions are none."""
    try:
        structure = problem.decode(on_ids)
    except (GaplessError, ValueError, TypeError, LookupError):
        return None
    if problem.violations(structure) or not np.array_equal(np.sort(problem.encode(structure)), on_ids):
        return None
    score = score_of(problem, structure)
    parts = [
        score,
        -problem.search_factors.value(on_ids),
        -backbone.constant,
        *(-backbone.weights[on_ids]).tolist(),
    ]
    own = math.fsum(parts)
    return _Structure(on_ids, own, math.fsum(map(abs, parts))) if math.isfinite(own) else None


def choices_left(decisions: Decisions, fixings: Fixings, most: int = FEW) -> Iterator[IntArray] | None:
    """All assignments that agree with the choice groups, as the decisions that are on; None if they are many."""
    group_of, state = decisions.group_of(), fixings.state
    loose = np.flatnonzero((group_of < 0) & (state == FREE)).tolist()
    always = np.flatnonzero((group_of < 0) & (state == ON)).tolist()
    groups = [group[state[group] != OFF].tolist() for group in decisions.choice_groups()]
    groups = [[d for d in group if state[d] == ON] or group for group in groups]
    if len(loose) > 20 or math.prod(map(len, groups)) << len(loose) > most:
        return None
    return (
        np.array(sorted([*always, *chosen, *more]), np.int64)
        for chosen in itertools.product(*groups)
        for size in range(len(loose) + 1)
        for more in itertools.combinations(loose, size)
    )
