"""The method ``ilp-cuts``: degrees, classes and length in a linear program, subtours cut off when they appear."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np

from gapless import Certificate, Result, Stop
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.spelling_hint import check_choice
from gapless.column_generation import branch_and_price
from gapless.roles import Formulation, Generator, GeneratorResult, LinearView, RelaxationResult, SolveRequest
from gapless_ordering import beam
from gapless_ordering.cut_program import CutDual, base_rows, first_batch, row_batch
from gapless_ordering.problem import OrderingProblem
from gapless_ordering.subtours import Subtour, violated

OWNERS = ("scip", "own")
BEAM_WIDTH = 80


def run(problem: OrderingProblem, request: SolveRequest, *, tree: str = "scip") -> Result[IntArray]:
    """Solve by branch and cut over the edges, with subtour rows lifted by classes (see `Subtour`).

    The relaxation is far tighter than the paper's and has half of its columns, but still n^2 of them, all from the
    beginning: n = 100 takes up to a few seconds, n = 200 some more, and at n = 600 its 360,000 edges fill a
    gigabyte before the first program is solved. It serves as a reference.

    Parameters
    ----------
    tree : {"scip", "own"}
        Owner of the search tree: SCIP, which leaves no certificate, or our own, which does.

    Raises
    ------
    UnknownOption
        Another tree.
    InvalidProblem
        An infeasible start path.
    SolveError
        SCIP or a role failed; ``error.result`` holds the best so far.
    """
    check_choice("tree", tree, OWNERS)
    from gapless import scip  # noqa: PLC0415  keeps loading this plug-in light

    search = scip.branch_price_and_cut if tree == "scip" else branch_and_price
    roles = BranchAndCut(problem)
    start = _first(problem, request)
    try:
        result = search(problem, roles.formulation(), request.budget, start=start, method=request.method)
    except KeyboardInterrupt:  # while the program was written; both trees handle their own
        request.budget.interrupt()
        result = Result.of(problem, start, math.inf, Stop.INTERRUPTED, method=request.method)
    stats = attrs.evolve(
        result.stats,
        warm_start_used=result.stats.warm_start_used and bool(request.start),
        extra={**result.stats.extra, "subtours": len(roles.subtours)},
    )
    return attrs.evolve(result, stats=stats)


def _first(problem: OrderingProblem, request: SolveRequest) -> Sequence[IntArray]:
    """Return the caller's start, or else the path of a beam if there is one."""
    if request.start:
        return request.start
    value, path = beam.search(problem, BEAM_WIDTH)
    return [path] if value > -np.inf else []


class BranchAndCut(Generator[LinearView]):
    """Separates subtours, rounds points and writes certificates for one solve.

    `subtours`: all rows that were found, in the order of their keys.
    """

    def __init__(self, problem: OrderingProblem) -> None:
        self.problem = problem
        self.subtours: list[Subtour] = []
        self._first = base_rows(problem)
        self._keys: dict[bytes, int] = {}

    def formulation(self) -> Formulation[IntArray]:
        """Return the formulation that both search trees take."""
        return Formulation(first_batch(self.problem), [self], rounding=self.rounding, certify=self.certify)

    def query(self, view: LinearView, *, limit: int | None = None) -> GeneratorResult:
        """Separate violated subtour rows; all columns are present from the start."""
        if view.point is None:
            return GeneratorResult(pricing_gap=0.0)
        rows = violated(self.problem, view.point, lambda: not view.time_left)[:limit]
        for row in rows:
            if row.key not in self._keys:
                self._keys[row.key] = self._first + len(self.subtours)
                self.subtours.append(row)
        keys = np.array([self._keys[row.key] for row in rows], np.int64)
        return GeneratorResult(row_batch(self.problem, keys, rows), pricing_gap=0.0)

    def rounding(self, relaxed: RelaxationResult[IntArray]) -> IntArray | None:
        """Follow the largest share of the point, among equal shares the best score; None at a dead end."""
        if relaxed.point is None:
            return None
        problem, n = self.problem, self.problem.vertices
        first, inner, last = np.split(relaxed.point, [n, n + n * n])
        inner = inner.reshape(n, n)
        path: list[int] = []
        shares, scores = first, problem.start
        free = np.ones(n, bool)
        for position in range(problem.length):
            if position == problem.length - 1:
                shares, scores = shares + last, scores + problem.end
            step = _best(shares, np.where(free, scores, -np.inf))
            if step is None:
                return None
            path.append(step)
            free &= problem.classes != problem.classes[step]
            shares, scores = inner[step], problem.ordering[step]
        return np.array(path)

    def certify(self, view: LinearView, answers: Sequence[GeneratorResult]) -> Certificate:
        """Certify by the prices of all rows; prices of one-sided rows are clipped at 0."""
        prices = view.prices(np.arange(self._first + len(self.subtours)))
        charging = np.arange(prices.size) >= self._first - self.problem.class_count
        # Noise below 0 on a row that is only bounded above would make the dual infeasible.
        prices = np.where(charging, np.maximum(prices, 0.0), prices)
        return CutDual.of(prices, self.subtours, improving=bool(view.objective_weight))


def _best(shares: FloatArray, scores: FloatArray) -> int | None:
    """Pick the vertex with the largest share of the point, then the best score; None if all are forbidden."""
    allowed = np.flatnonzero(scores > -math.inf)
    if not allowed.size:
        return None
    # Rounding removes the noise of the linear program, so that scores break ties.
    return int(allowed[np.lexsort((scores[allowed], np.round(shares[allowed], 6)))[-1]])
