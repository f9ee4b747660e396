"""The method ``split-bound`` of every problem that names a backbone and may have factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless import Problem, Result
from gapless.core.problem import score_of
from gapless.core.proofs.enumerated_choices import EnumeratedChoices
from gapless.core.proofs.split_certificate import SplitCertificate
from gapless.core.proofs.taken_on_trust import choices_left
from gapless.engine import tree_search
from gapless.engine.guard import guarded
from gapless.roles import Branch, Brancher, Budget, Fixings, IntArray, NoCertificate, Relaxation, Relaxed, Solve
from gapless.search.answer import answer
from gapless.search.driver import Search
from gapless.search.layout import Layout

S = TypeVar("S")


def run(problem: Problem[S], solve: Solve, *, order: str = "best-first", certificate: bool = True) -> Result[S]:
    """Find the best structure, or the k best, and prove it.

    Parameters
    ----------
    order : {"best-first", "depth-first", "breadth-first"}
        Choice of the next open node.
    certificate : bool
        Whether to keep what `Result.verify` needs.
    """
    loose = problem.decisions.count and problem.decisions.group_of().min() < 0
    if problem.infeasibility() or solve.k == 1 or not loose:
        layout = Layout(problem=problem, backbone=problem.backbone())
        return answer(layout, solve, partial(Search, order=order), certificate=certificate, order=order)
    relaxation = EvenSplit(problem)
    result = tree_search(
        problem,
        relaxation,
        BusiestDecision(problem),
        solve.budget,
        order=order,
        k=solve.k,
        start=solve.start,
        method=solve.method,
    )
    result = attrs.evolve(result, stats=attrs.evolve(result.stats, oracle_calls=relaxation.calls))
    if certificate:
        return result
    return attrs.evolve(result, certificate=NoCertificate("the certificate was not asked for (certificate=False)"))


class EvenSplit(Relaxation[S]):
    """The split bound with its first multipliers, and enumeration of what is small.

    Attributes
    ----------
    calls : int
        Calls of the maximiser.
    """

    def __init__(self, problem: Problem[S]) -> None:
        self.problem = problem
        self.maximiser = problem.backbone().maximiser
        self.evidence = SplitCertificate.even(problem)
        self.calls = 0

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[S]:
        """One bound, or all that is left."""
        implied = fixings.implied(self.problem.decisions)
        if implied is None:
            return Relaxed(-math.inf, certificate=self.evidence)
        few = choices_left(self.problem.decisions, implied)
        if few is not None:
            return self._enumerated(list(few))
        weighed = self.evidence.weighed(self.problem, implied)
        if weighed is None:
            return Relaxed(-math.inf, certificate=self.evidence)
        self.calls += 1
        weights = np.where(weighed.weights > -np.inf, weighed.weights, 0.0)
        found = guarded(self.maximiser, self.maximiser.solve, weights, weighed.fixings)
        if found.value == -math.inf:
            return Relaxed(-math.inf, certificate=self.evidence)
        point = np.zeros(weights.size)
        point[found.on_ids] = 1.0
        # A relaxed maximiser may give what is no structure.
        kept = EnumeratedChoices.structure(self.problem, np.sort(found.on_ids))
        return Relaxed(weighed.bound(found.value), point, kept, certificate=self.evidence)

    def _enumerated(self, few: Sequence[IntArray]) -> Relaxed[S]:
        best, bound = None, -math.inf
        for on_ids in few:
            structure = EnumeratedChoices.structure(self.problem, on_ids)
            if structure is not None and score_of(self.problem, structure) > bound:
                best, bound = structure, score_of(self.problem, structure)
        point = None
        if best is not None:
            point = np.zeros(self.problem.decisions.count)
            point[self.problem.encode(best)] = 1.0
        return Relaxed(bound, point, best, certificate=EnumeratedChoices())


class BusiestDecision(Brancher[S]):
    """The free decision that most factors look at; of these one that is on in the relaxed structure."""

    def __init__(self, problem: Problem[S]) -> None:
        self.decisions = problem.decisions
        self.busy = np.zeros(self.decisions.count)
        for scored in problem.search_factors.conjunctions:
            np.add.at(self.busy, scored.scopes, 1.0)
        for _, scope in problem.search_factors.configurations:
            self.busy[scope] += 1.0

    def split(self, fixings: Fixings, relaxed: Relaxed[S]) -> Sequence[Branch]:
        """With the decision and without it; nothing where nothing is free."""
        implied = fixings.implied(self.decisions)
        if implied is None or not implied.free.size:
            return ()
        free = implied.free
        on = np.zeros(free.size) if relaxed.point is None else relaxed.point[free]
        chosen = int(free[np.argmax(self.busy[free] + 0.5 * on)])
        return Branch(on=(chosen,), why="most factors"), Branch(off=(chosen,), why="most factors")
