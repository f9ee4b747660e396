"""What `gapless` loads: methods for parsing problems with conjunctive factors."""

from __future__ import annotations

from gapless import Method, Registry, hookimpl
from gapless_dependency import ParsingProblem
from gapless_pricecut import lagrangian, method


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
