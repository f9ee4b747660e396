"""What `gapless` loads: the problem type ``chain`` and its methods."""

from __future__ import annotations

from gapless import Method, Registry, hookimpl
from gapless_chains import column_generation, viterbi
from gapless_chains.problem import ChainProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register chains."""
    registry.problem("chain", ChainProblem)
    registry.method(
        Method(
            "viterbi",
            ChainProblem,
            viterbi.run,
            "dynamic programming over all labels (compiled)",
            default=True,
            run_many=viterbi.run_many,
        )
    )
    registry.method(
        Method(
            "column-generation",
            ChainProblem,
            column_generation.run,
            "label domains grown by reduced costs of two-way messages (Belanger et al. 2012)",
            warm_start=True,
        )
    )
