"""The benchmark of factors: drawn chains are the same problem for every side, and a wrong side is seen."""

import numpy as np
import pytest

import gapless as gl
from benchmarks.factors import comparisons
from benchmarks.factors.instances import skip_chains
from benchmarks.factors.overheads import Arrays
from gapless_dependency import Valency


def test_a_reward_counts_where_both_tokens_have_one_label():
    chain = next(iter(skip_chains(1)))
    problem = comparisons._tied(chain)
    labels = np.zeros(len(chain.unary), int)
    plain = chain.unary[:, 0].sum() + (len(labels) - 1) * chain.transition[0, 0]
    assert problem.value(labels) == pytest.approx(plain + np.sum(chain.reward))


def test_a_tied_chain_is_proved():
    chain = next(iter(skip_chains(1)))
    problem = comparisons._tied(chain)
    assert comparisons.proved(problem) == gl.solve(problem).value


def test_a_factor_of_score_zero_changes_no_optimum():
    rng = np.random.default_rng(2)
    arrays = Arrays(rng.normal(size=(5, 5)), rng.normal(size=(5, 5, 5)), rng.normal(size=(5, 5, 5)))
    plain, more = arrays.problem(), arrays.problem(Valency(1, np.zeros(5)))
    assert gl.solve(plain).value == pytest.approx(gl.solve(more).value)
