"""The decoder that training asks after every sentence: the methods' kernels, without results and certificates."""

from __future__ import annotations

import math

import gapless as gl
import gapless_kernels
from gapless.search.driver import SearchDriver
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.backbones import backbone_for, backbone_needed
from gapless_splitbound.tree_search import tree_layout

NODES = 30
"""Limit on nodes of a search in training; few sentences need more."""


def exact_tree(problem: ParsingProblem) -> DependencyTree:
    """Find the best tree, or the best one within a few nodes of the search.

    The same searches as `gapless.solve` runs, but nothing is kept that a `Result` would need: what a single tree
    costs is what an epoch takes.

    Raises
    ------
    NoSolution
        There is no tree.
    """
    if not problem.infeasibility():
        needed = backbone_needed(problem)
        backbone = backbone_for(problem, needed)
        if len(backbone.scored_factors) == len(problem.factors):
            _, heads = backbone.solve(problem.scores)
            if heads[-1] >= 0:
                return problem.tree(heads[1:])
        elif gapless_kernels.COMPILED:
            search = SearchDriver(tree_layout(problem, needed), keep_proof=False)
            search.finish(NODES)
            if search.exact > -math.inf:
                return problem.decode(search.kernel.on)
    result = gl.solve(problem, "split-bound", limits=gl.Limits(nodes=NODES), certificate=False)
    if result.stop is gl.Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return result.best
