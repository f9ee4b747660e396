"""Branch, price and cut: the lean program as a formulation, for the search tree of SCIP or of gapless."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless import Certificate
from gapless.arrays.sparse import FloatArray
from gapless.roles import Batch, BoundCertificate, Formulation, GeneratorResult, LinearView, RelaxationResult
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_pricecut.bound_state import BoundState
from gapless_pricecut.dual_completion import OpenParts, Prices, complete
from gapless_pricecut.generator import JointPricing, join
from gapless_pricecut.pricing_tables import PricingTables

REPAIRS = 12
"""Limit on how often the prices of an infeasible node are multiplied by ten until they prove it."""


class BranchPriceAndCut:
    """The roles of one solve.

    Groups that lack an arc are split, so that the program is exact once its arcs are integral.

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
        self.parts = PricingTables(problem, whole_groups=True)
        self.proof = BoundState.of_all(self.parts)
        self.generator = JointPricing(self.parts)
        self.first_bound = np.inf

    def formulation(self) -> Formulation[DependencyTree]:
        """Return the formulation that both drivers take."""
        return Formulation(self._initial(), [self.generator], rounding=self.rounding, certify=self.certify)

    def _initial(self) -> Batch:
        """Return all arcs and the allowed parts of the first tree, so that OneGP can be satisfied."""
        parts, generator = self.parts, self.generator
        open_parts = OpenParts.of(parts, self.proof.alive)
        bounded = self.proof.bounded(complete(parts, open_parts, Prices.unknown(parts)))
        self.first_bound = bounded.bound
        self.proof.improve(bounded.tree)
        on = np.zeros(parts.arcs.count, bool)
        on[self.proof.on_ids if self.proof.on_ids.size else bounded.tree] = True
        rows = open_parts.rows[on[open_parts.upper] & on[open_parts.lower][open_parts.group]]
        parts.score(rows)
        # A forbidden pair has no finite objective, and the program must not pay for it.
        rows = rows[parts.estimate[rows] > -np.inf]
        columns = join([generator.arc_columns(rows), generator.pair_columns(rows)])
        return Batch(columns, generator.first_rows(rows))

    def rounding(self, relaxed: RelaxationResult[DependencyTree]) -> DependencyTree | None:
        """Return the best tree found near any point so far."""
        if relaxed.point is not None:
            self.proof.improve(self.proof.best_tree(relaxed.point))
        return self.proof.tree

    def certify(self, view: LinearView, answers: Sequence[GeneratorResult]) -> Certificate:
        """Return multipliers from completed prices; scale up Farkas prices until they prove the node infeasible."""
        evidence = answers[0].evidence
        level, shares, taken = (np.asarray(evidence[name]) for name in ("level", "shares", "taken"))
        if view.objective_weight:
            return self._certificate(level, shares, taken)
        # Farkas prices have no scale: times a large enough number they outweigh all scores, which they ignore.
        size = self.parts.largest
        for _ in range(REPAIRS):
            size *= 10.0
            certificate = self._certificate(size * level, shares, size * taken)
            if certificate.upper_bound(self.problem, view.fixings) == -np.inf:
                break
        return certificate

    def _certificate(self, level: FloatArray, shares: FloatArray, taken: FloatArray) -> BoundCertificate:
        return self.parts.certificate(self.parts.multipliers(level, shares, taken))
