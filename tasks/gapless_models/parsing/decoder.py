"""The decoder that training asks after every sentence: the methods' kernels, without results and certificates."""

from __future__ import annotations

import math

import gapless as gl
import gapless_kernels
from gapless.roles import Factor
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.backbones import backbone_for
from gapless_splitbound import compiled_search
from gapless_splitbound.method import backbone_needed

NODES = 30
"""Limit on nodes of a search in training; few sentences need more."""


def exact_tree(problem: ParsingProblem) -> DependencyTree:
    """The best tree, or the best one found within a few nodes.

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
        if len(backbone.absorbed) == len(problem.factors):
            _, heads = backbone.solve(problem.scores)
            if heads[-1] >= 0:
                return problem.tree(heads[1:])
        elif gapless_kernels.COMPILED and needed == "first" and all(isinstance(f, Factor) for f in problem.factors):
            search = compiled_search.Search(problem, "default", "best-first", keep_proof=False)
            search.finish(NODES)
            if search.value > -math.inf:
                return problem.tree(search.kernel.heads[1:])
    result = gl.solve(problem, "split-bound", limits=gl.Limits(nodes=NODES), certificate=False)
    if result.stop is gl.Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return result.best
