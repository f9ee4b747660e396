"""Time limits of linear programs are in the seconds of the solve: of the wall clock, or of the CPU."""

import time

import numpy as np

import gapless as gl
from gapless.column_generation.master.integral import best_columns
from gapless.roles import Fixings, SolveBudget


def test_linear_programs_count_the_time_that_the_budget_counts(make):
    """SoPlex counts CPU seconds by default: on a busy machine, a limit of one took four by the clock."""
    master = make([-1.0, -1.0], [[1, 0], [1, 1]], [1, 1], [np.inf, np.inf])
    program = master._lp
    for clock, kind in ((time.process_time, 1), (time.perf_counter, 2)):
        master.solve(Fixings.none(2), SolveBudget(gl.Limits(time=9.0), clock=clock))
        assert program._lp.getIntParam(program._parameter.TIMING) == kind


def test_no_mixed_integer_program_is_begun_after_the_limit(make):
    master = make([-1.0, -1.0], [[1, 0], [1, 1]], [1, 1], [np.inf, np.inf])
    fixings = Fixings.none(2)
    master.solve(fixings, SolveBudget())
    budget = SolveBudget(gl.Limits(nodes=10))
    assert best_columns(master._data, budget, -np.inf) is not None
    budget.interrupt()
    assert best_columns(master._data, budget, -np.inf) is None
