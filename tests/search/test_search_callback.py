"""`SearchCallback`: why a compiled search has to stop, and what an observer's error becomes."""

import math

import numpy as np
import pytest

from gapless import Limits, Stop, solve
from gapless.limits.limits import SolveBudget
from gapless.roles import OracleError, Sense
from gapless.search.search_callback import SearchCallback
from gapless_ordering.random_problems import random_problem


def test_a_target_is_in_the_sense_of_the_problem():
    for sense, score in ((Sense.MAXIMISE, 3.0), (Sense.MINIMISE, -3.0)):
        watch = SearchCallback(SolveBudget(Limits(target=3.0)), sense=sense)
        assert not watch(math.inf, score - 1.0, 1, 0)
        assert watch(math.inf, score, 2, 5)
        assert watch.stop is Stop.TARGET
        assert (watch.budget.iterations, watch.budget.nodes) == (2, 5)


def test_a_gap_ends_the_search_for_one_only():
    for wanted, ends in ((1, True), (2, False)):
        watch = SearchCallback(SolveBudget(Limits(relative_gap=0.1)), wanted)
        assert watch(10.5, 10.0, 1, 1) is ends
        assert watch.stop is (Stop.GAP if ends else Stop.NODES)


def test_an_observer_that_raises_at_the_end_costs_no_answer():
    def observer(event):
        if event.kind == "stop":
            raise ValueError("the observer's own")

    rng = np.random.default_rng(1)
    problem = random_problem(rng, 9, 4, scores="normal", forbidden=0.0)
    with pytest.raises(OracleError, match=r"an observer raised ValueError: the observer's own") as caught:
        solve(problem, "exact", observers=[observer])
    result = caught.value.result
    assert result.stop is Stop.ERROR
    assert problem.violations(result.best) == []
