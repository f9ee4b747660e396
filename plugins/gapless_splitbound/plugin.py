"""The plug-in ``splitbound``: the method ``split-bound`` for parsing problems."""

from __future__ import annotations

from gapless.plugins import Method, table

PARSING = "gapless_dependency.problem:ParsingProblem"

# fmt: off
METHODS = (
    Method("split-bound", PARSING, "gapless_splitbound.method:run",
           "branch and bound with non-local factors, bounded by splitting their scores (Qian and Liu 2013)",
           k_best=True, warm_start=True, default=True, run_many="gapless_splitbound.batch:run_many",
           supports_factors=True),
)
# fmt: on

gapless_register = table(methods=METHODS)  # the problem type is `gapless_dependency`'s
