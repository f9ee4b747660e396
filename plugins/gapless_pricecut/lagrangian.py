"""The method ``lagrangian-cut``: ``split-bound`` with lazily asked scores, and a linear program where it stalls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless import BatchResult, Limits, Result, SolveError, Stop
from gapless.arrays.sparse import BoolArray, IntArray
from gapless.roles import Factor, InconsistentBound, SolveBudget, SolveRequest
from gapless.search.layout import SearchInput
from gapless_dependency import DependencyTree, Grandchild, ParsingProblem
from gapless_pricecut.bound_state import BoundState
from gapless_pricecut.pricing_tables import PricingTables
from gapless_pricecut.relaxation_loop import DelayedPricing
from gapless_splitbound.batch import decode_many
from gapless_splitbound.lazy_search import LazySearch
from gapless_splitbound.tree_search import TreeSearch


def restricted_relaxation(
    problem: ParsingProblem,
    kept: BoolArray,
    *,
    budget: SolveBudget,
    start: DependencyTree | None = None,
    parts: PricingTables | None = None,
) -> DelayedPricing:
    """Solve the relaxation of `price-and-cut` over some arcs, all others being off.

    In the result, `proof` holds the bound on the trees of these arcs, true even if the budget ended first (-inf
    when there is no tree), its multipliers in units of scores, and the best allowed tree found.

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
    return relaxing


PROGRAM_AFTER = 60
"""Number of nodes after which a linear program over the arcs that the root has left supplies multipliers."""


class LagrangianSearch(LazySearch):
    """One search: multipliers for the rows of the linear program, trees by the maximiser of arborescences.

    `**options`: of `SearchDriver`.

    Attributes
    ----------
    program_solved : bool
        Whether a linear program has supplied multipliers.
    """

    def __init__(
        self, layout: SearchInput[DependencyTree], *, start: IntArray | None = None, **options: Any
    ) -> None:
        # The program has rows for conjunctions only. Over projective trees the maximiser's bound is tighter than
        # the program's rows, which are those of trees with crossing arcs and the few found violated.
        self.program_due = not (problem_of(layout).projective or layout.configurations)
        self.program_solved, self.scopes_added = False, 0
        super().__init__(layout, start=start, **options)

    def _advance(self, seconds: float, nodes: int, steps: int, limits: Limits | None) -> Stop | None:
        """As `LazySearch._advance`, but solves the linear program once after `PROGRAM_AFTER` nodes."""
        until = min(nodes, PROGRAM_AFTER) if self.program_due else nodes
        stop = super()._advance(seconds, until, steps, limits)
        if stop is not Stop.NODES or until == nodes:
            return stop
        self.program_due = False
        self._solve_program(seconds)
        return None

    def _solve_program(self, seconds: float) -> None:
        """Begin again at the root with the prices of the linear program over the arcs that the root has left.

        The program finds the best multipliers there are, where subgradient steps have stalled. It gets half of the
        remaining time. The search begins again only if the program's bound is better than its own.
        """
        kept, tree, problem = self.kernel.root_free, self.structure, problem_of(self.layout)
        budget = SolveBudget(Limits(time=None if math.isinf(seconds) else 0.5 * seconds))
        parts = PricingTables(problem)
        start = tree if tree is not None and kept[problem.encode(tree)].all() else None
        try:
            relaxed = restricted_relaxation(problem, kept, budget=budget, start=start, parts=parts)
        except InconsistentBound:
            raise  # the maximiser or a score is wrong: no proof can rely on it
        except SolveError:
            return  # the LP solver gave up; the search goes on as it was
        proof = relaxed.proof
        self.program_solved, self.scopes_added = True, relaxed.program.added
        if proof.bound == -math.inf:
            return
        on_ids = None if proof.tree is None else problem.encode(proof.tree)
        if proof.bound >= self.bound:
            self.kernel.offer_incumbent(on_ids)
            return
        assert proof.multipliers is not None  # `begin` finds some
        slots = self.kernel.slots()
        self.kernel.restart(np.maximum(parts.multipliers_at(proof.multipliers, *slots), 0.0), on_ids)

    @property
    def added(self) -> int:
        """Number of columns for parts in the linear program."""
        return self.scopes_added

    @property
    def extra(self) -> dict[str, Any]:
        """Further counts for `Stats`."""
        closed = super().extra["root_closed"] and not self.program_solved
        return {**super().extra, "root_closed": closed, "program": self.program_solved}


def problem_of(layout: SearchInput[DependencyTree]) -> ParsingProblem:
    """Return the parsing problem of a layout."""
    assert isinstance(layout.problem, ParsingProblem)
    return layout.problem


def suits(problem: ParsingProblem) -> bool:
    """Return whether all factors are conjunctions, and either scored lazily or grandchildren."""
    conjunctions = [factor for factor in problem.factors if isinstance(factor, Factor)]
    if not conjunctions or len(conjunctions) < len(problem.factors):
        return False
    return any(f.bounded for f in conjunctions) or all(isinstance(f, Grandchild) for f in conjunctions)


def run(
    problem: ParsingProblem,
    request: SolveRequest,
    *,
    order: str = "best-first",
    certificate: bool = True,
) -> Result[DependencyTree]:
    """Find the best tree, or the k best, and prove it.

    The rows that tie parts to arcs (Riedel et al. 2012, section 3.2) are priced into the arcs' weights, under which
    the best tree is found. Parts are scored only where their upper bounds matter for a tree that was met. Raises
    `UnknownOption`: an unknown order. `InvalidProblem`: the start tree is infeasible, or a score exceeds its upper
    bound.

    Parameters
    ----------
    order : {"best-first", "depth-first", "breadth-first"}
        Choice of the next open node.
    certificate : bool
        Whether to keep what `Result.verify` needs.
    """
    return TreeSearch(order=order, driver=LagrangianSearch).run(problem, request, certificate=certificate)


def run_many(
    problems: Sequence[ParsingProblem],
    request: SolveRequest,
    *,
    order: str = "best-first",
    certificate: bool = True,
) -> BatchResult[DependencyTree]:
    """Decode sentences one after another, as `gapless_splitbound.batch.run_many` does."""
    return decode_many(problems, request, TreeSearch(order=order, driver=LagrangianSearch), certificate=certificate)
