"""The plug-in ``ordering``: the problem type ``ordering`` and its methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gapless.plugins import Method, NamedStructure, SelftestInstances, hookimpl, is_a, table

ORDERING = "gapless_ordering.problem:OrderingProblem"

# fmt: off
METHODS = (
    Method("beam", ORDERING, "gapless_ordering.beam:run",
           "beam search with its true gap (compiled)",
           exact=False, run_many="gapless_ordering.beam:run_many"),
    Method("color-coding", ORDERING, "gapless_ordering.color_coding:run",
           "random colourings until failure is unlikely, with bounds (Deshpande et al. 2007, section 3)",
           exact=False),
    Method("exact", ORDERING, "gapless_ordering.exact:run",
           "walks with multipliers, elimination, label setting (compiled)",
           default=True, k_best=True, warm_start=True, run_many="gapless_ordering.exact:run_many"),
    # 2 n^2 columns and n^2 rows that couple them: seconds at n = 50, half a minute at n = 100, and minutes and
    # most of a gigabyte at n = 200.
    Method("ilp", ORDERING, "gapless.scip.integer_program:run",
           "the paper's flow formulation on SCIP (Deshpande et al. 2007, section 4)",
           warm_start=True, supports_factors=True),
    Method("ilp-cuts", ORDERING, "gapless_ordering.ilp_cuts:run",
           "branch and cut over the edges, subtours lifted by classes and found when violated",
           warm_start=True),
)
# fmt: on

gapless_register = table(
    problems={"ordering": ORDERING},
    methods=METHODS,
    maximisers={"walks": "gapless_ordering.walk_maximiser:WalkMaximiser"},
)


@hookimpl
def gapless_draw(problem: Any, structure: Any, words: Sequence[str], against: Any) -> str | None:
    """Draw the path with its scores; vertices are named by the problem."""
    del words
    if not is_a(problem, ORDERING):
        return None
    from gapless_ordering.path_drawing import draw_path  # noqa: PLC0415  imported on demand

    return draw_path(problem, structure, against=against)


@hookimpl
def gapless_named_structure(problem: Any, structure: Any) -> NamedStructure | None:
    """Return the names along the path."""
    if not is_a(problem, ORDERING):
        return None
    return NamedStructure("sequence", problem.spelled(structure))


@hookimpl
def gapless_selftest_instances() -> Sequence[SelftestInstances]:
    """Return generators of small random paths."""
    from gapless_ordering.selftest_instances import SPECIMENS  # noqa: PLC0415  brute force: imported on demand

    return SPECIMENS
