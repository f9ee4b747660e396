"""Rules for the compiled role of a maximiser, a ``gapless_kernels.search.roles.Maximiser``, by enumeration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.tolerance import score_tolerance
from gapless.decisions.decisions import Decisions, Fixings
from gapless.testing.conformance import Check, near


def check_compiled(
    check: Check,
    compiled: Any,
    weights: FloatArray,
    fixings: Fixings,
    structures: Sequence[tuple[IntArray, float]],
    best: float,
    lost: float,
) -> None:
    """Check the compiled role under weights and fixings; `best` is the maximum, `lost` the rounding of sums."""
    at = check.at(f"compiled, weights {weights.tolist()}, {fixings}")
    value, on_ids = at.call("the compiled role answers", compiled.solve, weights, fixings.state)
    at.require_sum(value, best, "the compiled value is the maximum", weights, lost)
    if value == -math.inf:
        return
    own = next((own for ids, own in structures if np.array_equal(on_ids, ids)), None)
    rule = "the compiled role finds a structure that agrees with the fixings"
    at.require(own is not None and fixings.allows(on_ids), rule, f"{on_ids.tolist()} is none")
    stated = compiled.internal_score_of(on_ids)
    at.require(
        stated is not None and own is not None and near(stated, own, np.append(weights, own), lost),
        "the compiled role knows the own score of a structure",
        f"{stated!r} for {on_ids.tolist()}, not {own!r}",
    )
    at.require(
        near(float(weights[on_ids].sum()) + (stated or 0.0), value, weights, lost),
        "the compiled value is the sum of weights and own score",
        f"{on_ids.tolist()} weigh {weights[on_ids].sum()!r} and {stated!r}, {value!r} is stated",
    )
    marginals = at.call("the compiled role answers", compiled.max_marginals, weights, fixings.state)
    if marginals is None:
        return
    allowed = [(ids, float(weights[ids].sum()) + own) for ids, own in structures if fixings.allows(ids)]
    for label, forced, claimed in (("on", True, marginals[0]), ("off", False, marginals[1])):
        for d in fixings.free:
            true = max((score for ids, score in allowed if (d in ids) == forced), default=-math.inf)
            at.require(
                near(float(claimed[d]), true, weights, lost) or (not forced and math.isnan(claimed[d])),
                "compiled max-marginals are exact",
                f"with decision {d} {label} the maximum is {true!r}, {claimed[d]!r} is stated",
            )


def check_sets(
    check: Check,
    compiled: Any,
    decisions: Decisions,
    structures: Sequence[tuple[IntArray, float]],
    rng: np.random.Generator,
    lost: float,
) -> None:
    """Check internal scores and exclusions of the compiled role, over all structures and over sets near them."""
    group_index = {d: np.array(group) for group in decisions.exactly_one for d in group}
    ungrouped = np.setdiff1d(np.arange(decisions.count), list(group_index))
    held = {tuple(ids.tolist()): own for ids, own in structures}
    for ids, own in list(held.items())[:100]:
        at = check.at(f"compiled, decisions {list(ids)}")
        stated = compiled.internal_score_of(rng.permutation(np.array(ids, np.int64)))
        at.require(
            own in (stated, -math.inf)
            or (stated is not None and abs(stated - own) <= score_tolerance(abs(own)) + lost),
            "the compiled role knows the own score of a structure",
            f"{stated!r}, not {own!r}",
        )
        pair = rng.permutation(np.array(ids, np.int64))[:2].tolist()
        rule = "a structure has no two decisions that exclude each other"
        at.require(len(pair) < 2 or not compiled.excluded(*pair), rule, str(pair))
        # Another decision in place of one, of its choice group if it has one: the search asks for no other sets.
        for gone in rng.permutation(len(ids))[:5].tolist():
            choices = np.setdiff1d(group_index.get(ids[gone], ungrouped), ids)
            for other in rng.permutation(choices)[:5].tolist():
                moved = tuple(sorted({*ids, other} - {ids[gone]}))
                check.require(
                    moved in held or compiled.internal_score_of(np.array(moved)) is None,
                    "the compiled role tells what is no structure",
                    f"compiled, decisions {list(moved)}",
                )
