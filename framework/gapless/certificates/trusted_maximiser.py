"""Bounds for backbones whose user supplied a maximiser but no independent bound.

The verifier must then call the maximiser that the search called, which is no proof if that maximiser is wrong. Two
precautions limit the damage: if few assignments remain they are enumerated; and every structure met during a
verification is scored by the problem itself, and refutes a maximiser that claims less. `Verdict.assumptions` names
the maximiser.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import rounding, score_tolerance
from gapless.decisions.decisions import FREE, OFF, ON, Decisions, Fixings
from gapless.errors import GaplessError, InvalidProblem
from gapless.factors.configuration_bound import factor_trust_reason
from gapless.limits.work import charge_work, verification_cache
from gapless.oracles.maximiser import Maximiser
from gapless.problems.backbone import Backbone
from gapless.problems.problem import Problem, score_of

S = TypeVar("S")

ENUMERATION_LIMIT = 256
"""Enumerate instead of calling the maximiser if at most this many assignments remain."""

POOL_SIZE = 200
"""Number of structures remembered per verification to test the maximiser against."""


def has_verifier_bounds(problem: Problem[Any]) -> bool:
    """Return True if the backbone is bounded by code other than its maximiser's `solve`."""
    # Either role may provide the bound, and the base classes define the hook without providing one.
    if type(problem).verifier_backbone_bounds is not Problem.verifier_backbone_bounds:
        return True
    return type(problem.backbone().maximiser).verifier_bounds is not Maximiser.verifier_bounds


def trust_statement(problem: Problem[Any]) -> str:
    """Describe what a split bound of `problem` takes on trust; empty if everything is checked."""
    role = "" if has_verifier_bounds(problem) else type(problem.backbone().maximiser).__name__
    backbone = f"the bound on the backbone rests on the word of {role}.solve" if role else ""
    return "; ".join(filter(None, [backbone, factor_trust_statement(problem)]))


def factor_trust_statement(problem: Problem[Any]) -> str:
    """Describe the factors whose own code is trusted: a best() over many decisions, a relax()."""
    factors = problem.factors_beyond_backbone
    reasons = (factor_trust_reason(factor, problem.decisions, scope) for factor, scope in factors.configurations)
    return "; ".join(filter(None, reasons))


@attrs.frozen
class _Structure:
    """Decisions of a structure, its internal score, and the sum of magnitudes from which that was computed."""

    on_ids: IntArray
    internal_score: float
    magnitude: float


@attrs.define
class _StructurePool:
    """Structures met during one verification, by their decisions; None for decisions that encode none."""

    problem: Any
    structures: dict[bytes, _Structure | None] = attrs.field(factory=dict)


def trusted_bound(problem: Problem[Any], backbone: Backbone[Any], weights: FloatArray, fixings: Fixings) -> float:
    """Bound the backbone's score by its own maximiser, or by enumeration if few assignments remain.

    `weights` (float64 (decisions,)): finite.

    Raises
    ------
    InvalidProblem
        The maximiser claims less than a structure that is known to be feasible.
    """
    remaining = remaining_choices(problem.decisions, fixings)
    if remaining is not None:
        charge_work(0, 50 * ENUMERATION_LIMIT)
        structures = (_structure(problem, backbone, on_ids) for on_ids in remaining)
        return max((_rounded_up_score(one, weights) for one in structures if one is not None), default=-math.inf)
    pool: _StructurePool | None = verification_cache().get(_StructurePool)
    if pool is None or pool.problem is not problem:
        pool = verification_cache()[_StructurePool] = _StructurePool(problem)
    charge_work(100.0 * weights.size, 100)
    optimum = backbone.maximiser.solve(weights, fixings)
    claimed = float(optimum.value)
    on_ids = np.sort(np.asarray(optimum.on_ids, np.int64))
    # -inf says that there is no structure; whatever `on_ids` holds then was not meant as one.
    if claimed > -math.inf and on_ids.tobytes() not in pool.structures and len(pool.structures) < POOL_SIZE:
        pool.structures[on_ids.tobytes()] = _structure(problem, backbone, on_ids)
    magnitude = float(np.abs(weights[on_ids]).sum()) + abs(optimum.internal_score)
    lost = rounding(weights.size, 0.0, backbone.maximiser.internal_score_limit())
    for structure in pool.structures.values():
        if structure is None or not fixings.allows(structure.on_ids):
            continue
        score = float(weights[structure.on_ids].sum()) + structure.internal_score
        # "not <=" instead of ">": NaN must refute the claim, too.
        if not score <= claimed + score_tolerance(max(structure.magnitude, magnitude)) + lost:
            raise InvalidProblem(
                f"{type(backbone.maximiser).__name__}.solve promises that no structure is worth more than "
                f"{claimed:.12g}, but one at hand is worth {score:.12g}"
            )
    if math.isnan(claimed):  # with an empty pool, no comparison has refused it
        raise InvalidProblem(f"{type(backbone.maximiser).__name__}.solve gave NaN as its maximum")
    lost += _ROUNDING * (magnitude + abs(claimed)) * (weights.size + 4)
    # -inf claims that there is no structure: a bound that rounding must not make finite, or NaN.
    return claimed + lost if claimed > -math.inf else claimed


_ROUNDING = 2.0**-50
"""Relative rounding of one addition, with a factor of eight for the terms that are sums themselves."""


def _rounded_up_score(structure: _Structure, weights: FloatArray) -> float:
    """Return the structure's score under `weights`, rounded up."""
    magnitude = float(np.abs(weights[structure.on_ids]).sum()) + structure.magnitude
    score = float(weights[structure.on_ids].sum()) + structure.internal_score
    return score + _ROUNDING * magnitude * (structure.on_ids.size + 4)


def _structure(problem: Problem[Any], backbone: Backbone[Any], on_ids: IntArray) -> _Structure | None:
    """Score the structure of these decisions by the problem itself; return None if they encode none."""
    structure = structure_with(problem, on_ids)
    if structure is None:
        return None
    # The internal score is the rest of the total score, so that the maximiser's own statement of it is not used.
    terms = [
        score_of(problem, structure),
        -problem.factors_beyond_backbone.value(on_ids),
        -backbone.constant,
        *(-backbone.weights[on_ids]).tolist(),
    ]
    internal = math.fsum(terms)
    # A weight of -inf, for a decision that cannot be on, leaves nothing to compare.
    return _Structure(on_ids, internal, math.fsum(map(abs, terms))) if math.isfinite(internal) else None


def structure_with(problem: Problem[S], on_ids: IntArray) -> S | None:
    """Return the feasible structure with exactly these decisions on; None if there is none."""
    try:
        structure = problem.decode(on_ids)
    except (GaplessError, ValueError, TypeError, LookupError):
        return None
    violations = problem.violations(structure)
    # `decode` may repair the decisions; only a structure that encodes to them counts here.
    return structure if not violations and np.array_equal(np.sort(problem.encode(structure)), on_ids) else None


def remaining_choices(
    decisions: Decisions, fixings: Fixings, limit: int | None = None
) -> Iterator[IntArray] | None:
    """Enumerate the assignments that agree with fixings and choice groups, as on decisions; None above `limit`."""
    limit = ENUMERATION_LIMIT if limit is None else limit
    group_index, state = decisions.group_index(), fixings.state
    ungrouped = np.flatnonzero((group_index < 0) & (state == FREE)).tolist()
    always = np.flatnonzero((group_index < 0) & (state == ON)).tolist()
    groups = [group[state[group] != OFF].tolist() for group in decisions.choice_groups()]
    groups = [[d for d in group if state[d] == ON] or group for group in groups]
    # The first test keeps the shift below from making a number of thousands of digits.
    if len(ungrouped) > 20 or math.prod(map(len, groups)) << len(ungrouped) > limit:
        return None
    return (
        np.array(sorted([*always, *members, *subset]), np.int64)
        for members in itertools.product(*groups)
        for size in range(len(ungrouped) + 1)
        for subset in itertools.combinations(ungrouped, size)
    )
