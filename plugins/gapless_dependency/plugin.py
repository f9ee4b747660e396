"""What `gapless` loads: the problem type ``parsing``, its factors, and the method for sums over arcs."""

from __future__ import annotations

from collections.abc import Sequence

from gapless import Method, Registry, Specimens, hookimpl
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


@hookimpl
def gapless_specimens() -> Sequence[Specimens]:
    """Small random sentences."""
    from gapless_dependency.specimens import SPECIMENS  # noqa: PLC0415  brute force: loaded only when asked for

    return SPECIMENS
