"""What `gapless` loads: the problem types ``chain`` and ``tree`` and their methods."""

from __future__ import annotations

from gapless import Method, Registry, hookimpl
from gapless_chains import column_generation, dominance, viterbi
from gapless_chains.problem import ChainProblem
from gapless_chains.trees import column_generation as tree_column_generation
from gapless_chains.trees import dominance as tree_dominance
from gapless_chains.trees import viterbi as tree_viterbi
from gapless_chains.trees.problem import TreeProblem


@hookimpl
def gapless_register(registry: Registry) -> None:
    """Register chains and trees."""
    registry.problem("chain", ChainProblem)
    registry.method(
        Method(
            "viterbi",
            ChainProblem,
            viterbi.run,
            "dynamic programming over all labels (compiled)",
            run_many=viterbi.run_many,
        )
    )
    registry.method(
        Method(
            "dominance",
            ChainProblem,
            dominance.run,
            "Viterbi's messages from the labels that no other label dominates (compiled)",
            default=True,
            run_many=dominance.run_many,
        )
    )
    registry.method(
        Method(
            "column-generation",
            ChainProblem,
            column_generation.run,
            "label domains grown by reduced costs of two-way messages (Belanger et al. 2012)",
            warm_start=True,
            run_many=column_generation.run_many,
        )
    )
    registry.problem("tree", TreeProblem)
    registry.method(
        Method(
            "dominance",
            TreeProblem,
            tree_dominance.run,
            "messages of the labels that no other dominates (compiled)",
            default=True,
            run_many=tree_dominance.run_many,
        )
    )
    registry.method(
        Method(
            "viterbi",
            TreeProblem,
            tree_viterbi.run,
            "dynamic programming over all labels, from the leaves to the roots (compiled)",
            run_many=tree_viterbi.run_many,
        )
    )
    registry.method(
        Method(
            "column-generation",
            TreeProblem,
            tree_column_generation.run,
            "label domains grown by reduced costs of messages both ways (Belanger et al. 2012, A.1)",
            warm_start=True,
        )
    )
