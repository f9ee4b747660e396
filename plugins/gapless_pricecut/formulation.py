"""Branch, price and cut: the lean program as a formulation, for SCIP's tree or our own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless import Certificate
from gapless.core.sparse import FloatArray
from gapless.roles import Answer, Batch, BoundCertificate, Formulation, LinearView, Relaxed
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.dual_completion import Open, Prices, complete
from gapless_pricecut.generator import JointPricing, join
from gapless_pricecut.pricing_tables import Parts
from gapless_pricecut.proof import Proof

REPAIRS = 12
"""Limit on multiplying the prices of an empty node by ten, until they prove it in scores."""


class BranchPriceAndCut:
    """The roles of one solve.

    Groups that lack an arc are split, so that the program is exact once its arcs are whole.

    Parameters
    ----------
    problem : ParsingProblem

    Attributes
    ----------
    first_bound : float
        On all trees, before any program was solved.
    """

    def __init__(self, problem: ParsingProblem) -> None:
        self.problem = problem
        self.parts = Parts(problem, whole_groups=True)
        self.proof = Proof.of_all(self.parts)
        self.generator = JointPricing(self.parts)
        self.first_bound = np.inf

    def formulation(self) -> Formulation[DependencyTree]:
        """The formulation that both drivers take."""
        return Formulation(self._initial(), [self.generator], rounding=self.rounding, certify=self.certify)

    def _initial(self) -> Batch:
        """All arcs, and what the first tree turns on; so OneGP can be satisfied, unless it is forbidden."""
        parts, generator = self.parts, self.generator
        left = Open.of(parts, self.proof.alive)
        found = self.proof.bounded(complete(parts, left, Prices.unknown(parts)))
        self.first_bound = found.bound
        self.proof.improve(found.tree)
        on = np.zeros(parts.arcs.count, bool)
        on[self.proof.on_ids if self.proof.on_ids.size else found.tree] = True
        rows = left.rows[on[left.upper] & on[left.lower][left.group]]
        parts.score(rows)
        rows = rows[parts.estimate[rows] > -np.inf]
        columns = join([generator.arc_columns(rows), generator.pair_columns(rows)])
        return Batch(columns, generator.first_rows(rows))

    def rounding(self, relaxed: Relaxed[DependencyTree]) -> DependencyTree | None:
        """The best tree that was met near any point so far."""
        if relaxed.point is not None:
            self.proof.improve(self.proof.best_tree(relaxed.point))
        return self.proof.tree

    def certify(self, view: LinearView, answers: Sequence[Answer]) -> Certificate:
        """Multipliers from completed prices; those that show a node to be empty are made larger until they do."""
        evidence = answers[0].evidence
        level, shares, taken = (np.asarray(evidence[name]) for name in ("level", "shares", "taken"))
        if view.objective_weight:
            return self._certificate(level, shares, taken)
        size = self.parts.largest
        for _ in range(REPAIRS):
            size *= 10.0
            found = self._certificate(size * level, shares, size * taken)
            if found.upper_bound(self.problem, view.fixings) == -np.inf:
                break
        return found

    def _certificate(self, level: FloatArray, shares: FloatArray, taken: FloatArray) -> BoundCertificate:
        return self.parts.certificate(self.parts.multipliers(level, shares, taken))
