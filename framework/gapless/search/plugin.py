"""Plug-in of the method ``split-bound`` for every problem with a backbone."""

from __future__ import annotations

from gapless.plugins import Method, table

# fmt: off
METHODS = (
    Method("split-bound", "gapless.problems.problem:Problem", "gapless.search.solving:solve_problem",
           "branch and bound over a backbone and factors, bounded by splitting their scores",
           k_best=True, warm_start=True, default=True, supports_factors=True, needs_backbone=True),
)
# fmt: on

gapless_register = table(methods=METHODS)
