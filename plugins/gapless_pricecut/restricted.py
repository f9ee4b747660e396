"""The delayed relaxation over a few arcs, for searches whose multipliers stall."""

from __future__ import annotations

import attrs
import numpy as np

from gapless.core.sparse import BoolArray, FloatArray
from gapless.roles import Budget
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.delayed import Delayed
from gapless_pricecut.pricing_tables import Parts
from gapless_pricecut.proof import Proof


@attrs.frozen(eq=False)
class RestrictedRelaxation:
    """The answer of the relaxation over some arcs.

    Parameters
    ----------
    objective : float
        The optimum of the relaxation; NaN when the budget ended first, or when there is no tree.
    bound : float
        On the trees of these arcs, by the multipliers and the tree oracle: at most `objective` but for rounding
        once that is reached, true in any case, -inf when there is no tree.
    multipliers : float64
        In the layout of `gapless_splitbound.SplitMultipliers`, all in units of scores: of a pair in a group its
        charge d >= 0 (also what `SplitMultipliers` wants); of a positive score what each arc carries; of a negative
        one how much is taken, at least 0. Divided by the sizes of the scores they are what `SplitMultipliers`
        wants.
    point : float64 (arcs,)
        The last point of the program, 0 at arcs that are not kept.
    tree : DependencyTree or None
        The best allowed tree that was met.
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
    budget: Budget,
    start: DependencyTree | None = None,
    parts: Parts | None = None,
) -> RestrictedRelaxation:
    """Solve the relaxation of `price-and-cut` over some arcs, all others being off.

    Raises `InvalidProblem`: a factor is no conjunction. `SolveError`: the LP solver gave up.

    Parameters
    ----------
    kept : bool (arcs,)
    start : DependencyTree, optional
        A tree of kept arcs to begin with.
    parts : Parts, optional
        Of the problem; to be made once by those who ask again and again.
    """
    parts = parts or Parts(problem)
    proof = Proof(parts, kept)
    if start is not None:
        proof.offer(start)
    relaxing = Delayed(parts, proof, fix=False)
    if relaxing.begin():
        relaxing.run(budget, lambda: False)
    assert proof.multipliers is not None  # `begin` finds some
    objective = relaxing.objective if relaxing.complete else np.nan
    return RestrictedRelaxation(
        objective, proof.bound, proof.multipliers, relaxing.point, proof.tree, relaxing.program.added
    )
