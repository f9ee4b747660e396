"""HiGHS on the lean linear program: the strongest general LP solver there is a package of."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.peers import HIGHS
from benchmarks.frame.turns import Side
from benchmarks.price_and_cut.cut_sets import violated_cut_sets
from benchmarks.price_and_cut.lean_program import LeanProgram, arcs_of, lean_program, lean_program_of
from gapless.core.sparse import FloatArray
from gapless_dependency import Arcs, ParsingProblem
from gapless_tasks.parsing.sentence_arrays import SentenceArrays

_INTEGRAL = 1e-6


@attrs.frozen(eq=False)
class Relaxed:
    """An optimum of the relaxation.

    Parameters
    ----------
    point : float64 (arcs,)
    rounds : int
        Programs solved: one more than rounds of cut-sets.
    """

    objective: float
    point: FloatArray
    rounds: int

    @property
    def integral(self) -> bool:
        """Whether every arc is on or off; the parts follow."""
        return bool(np.all(np.abs(self.point - np.rint(self.point)) <= _INTEGRAL))


@attrs.frozen(eq=False)
class Model:
    """A sentence in HiGHS, nothing solved yet.

    Parameters
    ----------
    arcs : Arcs
        Its first columns.
    flow : bool
        Whether the program keeps out cycles by itself.
    """

    solver: Any
    arcs: Arcs
    flow: bool


def highs_side(*, flow: bool) -> Side[SentenceArrays, Relaxed]:
    """From arrays: the lean program, handed over in one call, and its optimum; the search alone: the optimum."""

    def model(arrays: SentenceArrays) -> Model:
        return Model(_loaded(lean_program_of(arrays, flow=flow)), arcs_of(arrays), flow)

    return Side(lambda arrays: optimum(model(arrays)), optimum, model)


def solve_relaxation(problem: ParsingProblem, *, flow: bool = False) -> Relaxed:
    """The best point of the lean program of a problem, see `optimum`.

    Raises
    ------
    SolveError
        HiGHS does not find an optimum.
    """
    return optimum(Model(_loaded(lean_program(problem, flow=flow)), problem.decisions, flow))


def optimum(model: Model) -> Relaxed:
    """The best point over the arborescence polytope or, with `flow`, over a flow's.

    One thread, dual simplex without presolve: with presolve it takes 1.3 to 2 times as long, by primal simplex,
    interior points or from the dual feasible basis of a greedy point it is no faster. Cut-sets enter where they are
    violated and the solver goes on from its basis; with a flow it takes 2 to 4 times as long.

    Raises
    ------
    SolveError
        HiGHS does not find an optimum.
    """
    solver = model.solver
    rounds = 0
    while True:
        solver.run()
        rounds += 1
        if solver.getModelStatus().name != "kOptimal":
            raise gl.SolveError(f"HiGHS ends as {solver.getModelStatus().name}")
        point = np.array(solver.getSolution().col_value[: model.arcs.count])
        cuts = [] if model.flow else violated_cut_sets(model.arcs, point)
        if not cuts:
            return Relaxed(float(solver.getInfo().objective_function_value), point, rounds)
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


def _loaded(program: LeanProgram) -> Any:
    highspy = HIGHS.load()
    solver = highspy.Highs()
    for name, value in (("output_flag", False), ("threads", 1), ("presolve", "off"), ("solver", "simplex")):
        solver.setOptionValue(name, value)
    columns = program.objective.size
    solver.passModel(
        *(columns, program.lower.size, program.columns.size),
        *(int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMaximize), 0.0),
        *(program.objective, np.zeros(columns), np.full(columns, np.inf)),
        *(program.lower, program.upper),
        *(program.starts, program.columns, program.values),
        np.zeros(columns, np.int32),
    )
    return solver
