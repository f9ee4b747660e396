"""The delayed relaxation over a subset of the arcs, for searches whose multipliers stall."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.roles import SolveBudget
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.bound_state import BoundState
from gapless_pricecut.delayed_pricing import DelayedPricing
from gapless_pricecut.pricing_tables import PricingTables


@attrs.frozen(eq=False)
class RestrictedRelaxation:
    """The result of the relaxation over some arcs.

    Parameters
    ----------
    objective : float
        The optimum of the relaxation; NaN when the budget ended first, or when there is no tree.
    bound : float
        On the trees of these arcs, by the multipliers and the tree oracle: at most `objective` but for rounding
        once that is reached, true in any case, -inf when there is no tree.
    multipliers : float64
        In the layout of `gapless_splitbound.TreeSplitCertificate`, all in units of scores: of a pair in a group its
        charge d >= 0, as in `TreeSplitCertificate`; of a positive score the share of each arc; of a negative score
        the charged part, at least 0. Divided by the sizes of the scores they are the multipliers of
        `TreeSplitCertificate`.
    point : float64 (arcs,)
        The last point of the program, 0 at arcs that are not kept.
    tree : DependencyTree or None
        The best allowed tree found.
    """

    objective: float
    bound: float
    multipliers: FloatArray
    point: FloatArray
    tree: DependencyTree | None
    added: int


def restricted_relaxation(
    problem: ParsingProblem,
    kept: BoolArray,
    *,
    budget: SolveBudget,
    start: DependencyTree | None = None,
    parts: PricingTables | None = None,
) -> RestrictedRelaxation:
    """Solve the relaxation of `price-and-cut` over some arcs, all others being off.

    Raises `InvalidProblem`: a factor is no conjunction. `SolveError`: the LP solver gave up.

    Parameters
    ----------
    kept : bool (arcs,)
    start : DependencyTree, optional
        A tree of kept arcs to begin with.
    parts : PricingTables, optional
        Of the problem; pass it to build it only once for repeated calls.
    """
    parts = parts or PricingTables(problem)
    proof = BoundState(parts, kept)
    if start is not None:
        proof.offer(start)
    # Arcs fixed against the incumbent would make the bound speak of fewer trees than the caller keeps.
    relaxing = DelayedPricing(parts, proof, fix=False)
    if relaxing.begin():
        relaxing.run(budget, lambda: False)
    assert proof.multipliers is not None  # `begin` finds some
    objective = relaxing.objective if relaxing.complete else np.nan
    return RestrictedRelaxation(
        objective, proof.bound, proof.multipliers, relaxing.point, proof.tree, relaxing.program.added
    )
