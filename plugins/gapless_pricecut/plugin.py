"""What `gapless` loads: methods for parsing problems with conjunctive factors."""

from __future__ import annotations

from typing import Any

from gapless import Method, Problem, Registry, hookimpl
from gapless_dependency import ParsingProblem
from gapless_pricecut import lagrangian, method


@hookimpl
def gapless_default_method(problem: Problem[Any]) -> str | None:
    """`lagrangian-cut` where it is at its best; otherwise parsing problems have a default already."""
    return "lagrangian-cut" if isinstance(problem, ParsingProblem) and lagrangian.suits(problem) else None


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register the methods; the problem type is `gapless_dependency`'s."""
    registry.method(
        Method(
            "lagrangian-cut",
            ParsingProblem,
            lagrangian.run,
            "the dual of parse, price and cut by a tree oracle, with lazily scored parts (Riedel et al. 2012)",
            k_best=True,
            warm_start=True,
            run_many=lagrangian.run_many,
        )
    )
    registry.method(
        Method(
            "lp-full",
            ParsingProblem,
            method.full,
            "the linear relaxation with all its columns and rows at once (Riedel et al. 2012, section 3)",
            exact=False,
            warm_start=True,
        )
    )
    registry.method(
        Method(
            "price-and-cut",
            ParsingProblem,
            method.price_and_cut,
            "the linear relaxation with delayed columns and rows, lazily scored (Riedel et al. 2012)",
            exact=False,
            warm_start=True,
        )
    )
    registry.method(
        Method(
            "branch-price-and-cut",
            ParsingProblem,
            method.branch_price_and_cut,
            "the same columns and rows inside SCIP's search tree, or our own: exact",
            warm_start=True,
        )
    )
    registry.method(
        Method("ilp", ParsingProblem, method.integer_program, "the monolithic integer program on SCIP: a judge")
    )
