"""What `gapless` loads: the problem type ``parsing``, its factors, and the method for sums over arcs."""

from __future__ import annotations

from gapless import Method, Registry, hookimpl
from gapless_dependency import factors, first_order
from gapless_dependency.problem import ParsingProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register dependency parsing."""
    registry.problem("parsing", ParsingProblem)
    registry.method(
        Method(
            "first-order",
            ParsingProblem,
            first_order.run,
            "Eisner's algorithm or Chu-Liu-Edmonds, for sums over arcs (compiled)",
            k_best=True,
            run_many=first_order.run_many,
        )
    )
    for factor in (
        factors.Grandchild,
        factors.GreatGrandchild,
        factors.Sibling,
        factors.TriSibling,
        factors.Comb,
        factors.Pattern,
        factors.ArcConjunctions,
        factors.AnyOf,
        factors.Valency,
    ):
        registry.factor(factor)
