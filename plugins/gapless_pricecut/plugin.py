"""The plug-in ``pricecut``: methods for parsing problems with conjunctive factors."""

from __future__ import annotations

from typing import Any

from gapless.plugins import Method, hookimpl, is_a, table

PARSING = "gapless_dependency.problem:ParsingProblem"

# fmt: off
METHODS = (
    Method("lagrangian-cut", PARSING, "gapless_pricecut.lagrangian:run",
           "the dual of parse, price and cut by a tree oracle, with lazily scored parts (Riedel et al. 2012)",
           k_best=True, warm_start=True, run_many="gapless_pricecut.lagrangian:run_many", supports_factors=True),
    Method("lp-full", PARSING, "gapless_pricecut.method:full",
           "the linear relaxation with all its columns and rows at once (Riedel et al. 2012, section 3)",
           exact=False, warm_start=True, supports_factors=True),
    Method("price-and-cut", PARSING, "gapless_pricecut.method:price_and_cut",
           "the linear relaxation with delayed columns and rows, lazily scored (Riedel et al. 2012)",
           exact=False, warm_start=True, supports_factors=True),
    Method("branch-price-and-cut", PARSING, "gapless_pricecut.method:branch_price_and_cut",
           "the same columns and rows inside SCIP's search tree, or our own: exact",
           warm_start=True, supports_factors=True),
    Method("ilp", PARSING, "gapless_pricecut.method:integer_program",
           "the monolithic integer program on SCIP: an independent check", supports_factors=True),
)
# fmt: on

gapless_register = table(methods=METHODS)  # the problem type is `gapless_dependency`'s


@hookimpl
def gapless_default_method(problem: Any) -> str | None:
    """Return `lagrangian-cut` where it is at its best; otherwise parsing problems have a default already."""
    if not is_a(problem, PARSING):
        return None
    from gapless_pricecut.lagrangian import suits  # noqa: PLC0415  imported when it is asked for

    return "lagrangian-cut" if suits(problem) else None
