"""What `gapless` loads: methods for parsing problems with conjunctive factors."""

from __future__ import annotations

from gapless import Method, Registry, hookimpl
from gapless_dependency import ParsingProblem
from gapless_pricecut import lagrangian


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
