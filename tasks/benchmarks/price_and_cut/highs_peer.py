"""HiGHS, the strongest general LP solver that has a Python package, on the lean linear program."""

from __future__ import annotations

from functools import partial
from typing import Any

import attrs
import numpy as np

from benchmarks.frame.highs import run_to_optimum
from benchmarks.frame.turns import Side
from benchmarks.price_and_cut.cut_sets import violated_cut_sets
from benchmarks.price_and_cut.lean_program import arcs_of, lean_program
from gapless.arrays.sparse import FloatArray
from gapless_dependency import Arcs, ParsingProblem
from gapless_tasks.parsing.sentence_arrays import SentenceArrays

_INTEGRAL = 1e-6


@attrs.frozen(eq=False)
class LeanOptimum:
    """An optimum of the relaxation.

    Parameters
    ----------
    point : float64 (arcs,)
    rounds : int
        Number of programs solved, one more than the rounds of cut-sets.
    """

    objective: float
    point: FloatArray
    rounds: int

    @property
    def integral(self) -> bool:
        """Whether every arc is on or off, which makes the parts integral, too."""
        return bool(np.all(np.abs(self.point - np.rint(self.point)) <= _INTEGRAL))


@attrs.frozen(eq=False)
class Model:
    """The program of a sentence in HiGHS, before any solve.

    Parameters
    ----------
    arcs : Arcs
        Its first columns.
    flow : bool
        Whether the rows of the program exclude cycles, so that no cut-sets are needed.
    """

    solver: Any
    arcs: Arcs
    flow: bool


def highs_side(*, flow: bool) -> Side[SentenceArrays, LeanOptimum]:
    """Build the side of HiGHS: `solve` builds, passes and solves the lean program, `search` only solves it."""
    return Side.of(optimum, partial(_model, flow=flow))


def solve_relaxation(problem: ParsingProblem, *, flow: bool = False) -> LeanOptimum:
    """Solve the lean program of a problem; see `optimum`.

    Raises
    ------
    SolveError
        HiGHS does not find an optimum.
    """
    return optimum(_model(SentenceArrays.of(problem), flow=flow))


def _model(arrays: SentenceArrays, *, flow: bool) -> Model:
    program = lean_program(arrays, flow=flow)
    return Model(program.load(presolve="off", solver="simplex"), arcs_of(arrays), flow)


def optimum(model: Model) -> LeanOptimum:
    """Maximise over the arborescence polytope or, with `flow`, over the polytope of a single-commodity flow.

    HiGHS runs the dual simplex method with one thread and without presolve. Presolve takes 1.3 to 2 times as long;
    primal simplex, interior points and a start from the dual feasible basis of a greedy point are no faster.
    Violated cut-sets are added in rounds, and the solver continues from its basis; a flow takes 2 to 4 times as
    long.

    Raises
    ------
    SolveError
        HiGHS does not find an optimum.
    """
    solver = model.solver
    rounds = 0
    while True:
        objective = run_to_optimum(solver)
        rounds += 1
        point = np.array(solver.getSolution().col_value[: model.arcs.count])
        cuts = [] if model.flow else violated_cut_sets(model.arcs, point)
        if not cuts:
            return LeanOptimum(objective, point, rounds)
        lengths = [0, *(len(cut) for cut in cuts)]
        entries = np.concatenate(cuts).astype(np.int32)
        solver.addRows(
            len(cuts),
            np.ones(len(cuts)),
            np.full(len(cuts), np.inf),
            entries.size,
            np.cumsum(lengths[:-1]).astype(np.int32),
            entries,
            np.ones(entries.size),
        )
