"""The memory of a transition matrix goes with it."""

import gc

import numpy as np
import pytest
from drawn import mostly_long

import gapless as gl
from gapless_chains import TreeProblem
from gapless_chains.trees.decoding import parent_tables


@pytest.mark.parametrize("k", mostly_long([1, 2, 17], quick=[2]))
def test_tables_do_not_keep_their_transitions_alive(k):
    gc.collect()
    before = len(parent_tables._known)
    for _ in range(5):
        gl.solve(TreeProblem(np.zeros((3, k)), np.ones((k, k)), [-1, 0, 0]), "dominance")
    gc.collect()
    assert len(parent_tables._known) <= before
