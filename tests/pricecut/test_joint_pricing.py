"""The trap: absent pairs that share an arc, priced one by one, certify wrong optima.

`PerColumn` is deliberately wrong. It compares each absent pair with the whole allowance of its upper arc, as one
does who prices columns by their own reduced costs and forgets that delayed rows come with them.
"""

import attrs
import numpy as np
import pytest
from parsing_cases import best_score

import gapless
from gapless import Status
from gapless.column_generation import branch_and_price
from gapless.roles import GeneratorResult
from gapless.scip import branch_price_and_cut
from gapless_dependency.random_problems import random_problem
from gapless_pricecut.formulation import BranchPriceAndCut
from gapless_pricecut.generator import JointPricing


class PerColumn(JointPricing):
    """Counts the allowance of an arc once for every absent pair above it."""

    def query(self, view, *, limit=None):
        joint = super().query(view, limit=limit)
        left = self._left(view)
        level = view.prices(self.keys.group + left.groups)
        allowance = np.where(left.arcs, view.allowances(), 0.0)
        excess = self._weighed(left, view.objective_weight) - level[left.group]
        known = view.prices(self.keys.link + left.rows)
        rows = left.rows[(excess - np.maximum(known, 0.0) > allowance[left.upper] + self.parts.tolerance)]
        batch = self._batch(view, rows, np.zeros(0, np.int64))
        # As long as it finds something it claims nothing; then it claims that nothing is missing.
        return GeneratorResult(batch, 0.0 if not rows.size else None, joint.evidence)


def trapped(seed):
    """A sentence and its best score."""
    problem = random_problem(np.random.default_rng(seed), 4, families=("grandchild",), strength=2.0)
    return problem, best_score(problem)


def without_help(problem, generator):
    """The formulation with another generator, and without the rounding that would find the best tree by itself."""
    roles = BranchPriceAndCut(problem)
    roles.generator = generator(roles.parts)
    return attrs.evolve(roles.formulation(), rounding=None)


SEEDS = (94, 222, 292, 585)
"""Of the first 600; a change of the order in which columns enter may spare some of them: then look for others."""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("search", [branch_and_price, branch_price_and_cut])
def test_pricing_columns_one_by_one_proves_what_is_wrong(seed, search):
    problem, best = trapped(seed)
    wrong = search(problem, without_help(problem, PerColumn))
    assert wrong.status is Status.OPTIMAL
    assert wrong.value < best - 1e-3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("search", [branch_and_price, branch_price_and_cut])
def test_joint_pricing_is_right_there(seed, search):
    problem, best = trapped(seed)
    right = search(problem, without_help(problem, JointPricing))
    assert right.status is Status.OPTIMAL
    assert right.value == pytest.approx(best, abs=1e-9)
    if search is branch_and_price:
        assert right.verify(problem)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_wrong_certificate_is_refused(seed):
    problem, best = trapped(seed)
    wrong = branch_and_price(problem, without_help(problem, PerColumn))
    assert wrong.bound < best - 1e-3
    assert not wrong.verify(problem)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_relaxation_is_above_the_best_tree_there(seed):
    problem, best = trapped(seed)
    for fix in (False, True):
        result = gapless.solve(problem, "price-and-cut", fix=fix)
        assert result.bound >= best - 1e-9
        assert result.verify(problem)
