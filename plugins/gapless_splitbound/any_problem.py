"""The method ``split-bound`` of every problem that names a backbone and may have factors."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

from gapless import Problem, Result
from gapless.core.factors.blame import call_problem
from gapless.roles import Backbone, OracleError, Solve
from gapless.search.answer import answer
from gapless.search.driver import Search
from gapless.search.layout import Layout

S = TypeVar("S")


def run(problem: Problem[S], solve: Solve, *, order: str = "best-first", certificate: bool = True) -> Result[S]:
    """Find the best structure, or the k best, and prove it.

    Parameters
    ----------
    order : {"best-first", "depth-first", "breadth-first"}
        Choice of the next open node.
    certificate : bool
        Whether to keep what `Result.verify` needs.
    """
    backbone = call_problem(problem, problem.backbone)
    if not isinstance(backbone, Backbone):
        raise OracleError(
            f"{type(problem).__name__}.backbone returned a {type(backbone).__name__}, expected a "
            "gapless.roles.Backbone: its maximiser, and a weight for each decision"
        )
    layout = Layout(problem=problem, backbone=backbone)
    return answer(layout, solve, partial(Search, order=order), certificate=certificate, order=order)
