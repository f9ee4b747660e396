"""What `gapless` loads: the problem types ``chain`` and ``tree`` and their methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gapless import Method, Problem, Registry, Specimens, hookimpl
from gapless_chains import beam, dominance, viterbi, viterbi_pruned
from gapless_chains.column_generation import method as column_generation
from gapless_chains.drawing import draw_labelling
from gapless_chains.labelling import Labelling
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
            k_best=True,
            run_many=viterbi.run_many,
            k_best_many=True,
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
            k_best=True,
            k_best_many=True,
        )
    )
    registry.method(
        Method(
            "viterbi-pruned",
            ChainProblem,
            viterbi_pruned.run,
            "Viterbi without the labels that bounds on transitions rule out (Belanger et al. 2012, eq. 14)",
            k_best=True,
            run_many=viterbi_pruned.run_many,
            k_best_many=True,
        )
    )
    registry.method(
        Method(
            "beam",
            ChainProblem,
            beam.run,
            "beam search with its true gap",
            exact=False,
            run_many=beam.run_many,
        )
    )
    registry.method(
        Method(
            "column-generation",
            ChainProblem,
            column_generation.run,
            "label domains grown by reduced costs of two-way messages (Belanger et al. 2012)",
            k_best=True,
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


@hookimpl
def gapless_draw(problem: Problem[Any], structure: Any, words: Sequence[str], against: Any) -> str | None:
    """The labels of a chain or a tree."""
    return draw_labelling(problem, structure, words, against) if isinstance(problem, Labelling) else None


@hookimpl
def gapless_specimens() -> Sequence[Specimens]:
    """Small random chains and trees."""
    from gapless_chains.specimens import SPECIMENS  # noqa: PLC0415  brute force: loaded only when asked for

    return SPECIMENS
