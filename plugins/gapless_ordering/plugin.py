"""What `gapless` loads: the problem type ``ordering`` and its methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gapless import Method, Problem, Registry, Specimens, hookimpl
from gapless_ordering import beam, color_coding, exact, ilp, ilp_cuts
from gapless_ordering.path_drawing import draw_path
from gapless_ordering.problem import OrderingProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register selection and ordering."""
    registry.problem("ordering", OrderingProblem)
    registry.method(
        Method(
            "beam",
            OrderingProblem,
            beam.run,
            "beam search with its true gap (compiled)",
            exact=False,
            run_many=beam.run_many,
        )
    )
    registry.method(
        Method(
            "color-coding",
            OrderingProblem,
            color_coding.run,
            "random colourings until failure is unlikely, with bounds (Deshpande et al. 2007, section 3)",
            exact=False,
        )
    )
    registry.method(
        Method(
            "exact",
            OrderingProblem,
            exact.run,
            "walks with multipliers, elimination, label setting (compiled)",
            default=True,
            k_best=True,
            warm_start=True,
            run_many=exact.run_many,
        )
    )
    registry.method(
        Method(
            "ilp",
            OrderingProblem,
            ilp.run,
            "the paper's flow formulation on SCIP (Deshpande et al. 2007, section 4)",
            warm_start=True,
        )
    )
    registry.method(
        Method(
            "ilp-cuts",
            OrderingProblem,
            ilp_cuts.run,
            "branch and cut over the edges, subtours lifted by classes and found when violated",
            warm_start=True,
        )
    )


@hookimpl
def gapless_draw(problem: Problem[Any], structure: Any, words: Sequence[str], against: Any) -> str | None:
    """The path with its scores; vertices are named by the problem."""
    del words
    return draw_path(problem, structure, against=against) if isinstance(problem, OrderingProblem) else None


@hookimpl
def gapless_specimens() -> Sequence[Specimens]:
    """Small random paths."""
    from gapless_ordering.specimens import SPECIMENS  # noqa: PLC0415  brute force: loaded only when asked for

    return SPECIMENS
