"""The roles of one solve, for `tree_search`: the reference for the compiled search."""

from __future__ import annotations

import attrs

from gapless import Result, Status
from gapless.engine import tree_search
from gapless.roles import Fixings, FloatArray, Maximised, Maximiser, Slacks, Solve
from gapless_dependency import DependencyTree, ParsingProblem, TreeMaximiser, backbone_for
from gapless_splitbound.branching import LargestGap
from gapless_splitbound.end_game import EndGame
from gapless_splitbound.enumeration import BACKBONE_CHOICES, CHOICES
from gapless_splitbound.lagrangian import SplitBound, SplitRelaxation
from gapless_splitbound.multipliers import Split
from gapless_splitbound.paper import PaperRelaxation
from gapless_splitbound.variants import VARIANTS


class CountedMaximiser(Maximiser[DependencyTree]):
    """Hands on to another maximiser.

    `calls`: solves and passes for max-marginals, "DP calls" for short.
    """

    def __init__(self, maximiser: Maximiser[DependencyTree]) -> None:
        self.maximiser = maximiser
        self.calls = 0

    def solve(self, weights: FloatArray, fixings: Fixings) -> Maximised[DependencyTree]:
        """One call."""
        self.calls += 1
        return self.maximiser.solve(weights, fixings)

    def slacks(self, weights: FloatArray, fixings: Fixings) -> Slacks:
        """One call."""
        self.calls += 1
        return self.maximiser.slacks(weights, fixings)


def search(
    problem: ParsingProblem, solve: Solve, *, variant: str, order: str, backbone: str
) -> Result[DependencyTree]:
    """Branch and bound by the generic engines.

    The paper's variant takes the open nodes in breadth-first order, whatever `order` says, and enumerates none, as
    the compiled search does. Unlike there, each node branches on an arc of its own: in the paper, and in the
    compiled search, all nodes of a level branch on the arc that the best tree of the level names.

    Parameters
    ----------
    problem : ParsingProblem
    solve : Solve
    variant, order, backbone : str
        As in `gapless_splitbound.method.run`.
    """
    chosen = VARIANTS[variant]
    trees = backbone_for(problem, backbone)
    maximiser = CountedMaximiser(TreeMaximiser(problem, trees))
    split = Split(problem, group=chosen.group, shares=chosen.shares, backbone=trees)
    bound = SplitBound(split, maximiser)
    relaxation: PaperRelaxation | SplitRelaxation = (
        PaperRelaxation(bound)
        if variant == "paper"
        else SplitRelaxation(bound, rule=chosen.rule, fix=chosen.fix and solve.k == 1)
    )
    # Parts that only a backbone sees are scored tree by tree.
    few = BACKBONE_CHOICES if problem.backbone_factors else CHOICES
    end_game = EndGame(relaxation, problem, 0 if variant == "paper" else few)
    result = tree_search(
        problem,
        end_game,
        LargestGap(split),
        solve.budget,
        order="breadth-first" if variant == "paper" else order,
        k=solve.k,
        start=solve.start,
        method=solve.method,
    )
    extra = {
        "dp_calls": maximiser.calls,
        "root_closed": result.stats.nodes <= 1,
        "fixed": relaxation.fixed,
        "enumerated": end_game.enumerated,
    }
    stats = attrs.evolve(
        result.stats,
        oracle_calls=maximiser.calls,
        parts_scored=sum(scored.scored for scored in problem.conjunctions),
        extra=extra,
    )
    explanation = result.explanation
    if result.status is Status.INFEASIBLE and not explanation:
        explanation = ["every tree has a factor that forbids it"]
    return attrs.evolve(result, stats=stats, explanation=tuple(explanation))
