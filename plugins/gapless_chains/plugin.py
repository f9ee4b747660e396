"""The plug-in ``chains``: the problem types ``chain`` and ``tree`` and their methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gapless.plugins import Method, NamedStructure, SelftestInstances, hookimpl, is_a, table

LABELLING = "gapless_chains.node_labelling:NodeLabelling"
CHAIN = "gapless_chains.problem:ChainProblem"
TREE = "gapless_chains.trees.problem:TreeProblem"

# fmt: off
METHODS = (
    Method("viterbi", CHAIN, "gapless_chains.viterbi:run",
           "dynamic programming over all labels (compiled)",
           k_best=True, run_many="gapless_chains.viterbi:run_many", batch_k_best=True),
    Method("dominance", CHAIN, "gapless_chains.dominance:run",
           "Viterbi's messages from the labels that no other label dominates (compiled)",
           default=True, k_best=True, run_many="gapless_chains.dominance:run_many", batch_k_best=True),
    Method("viterbi-pruned", CHAIN, "gapless_chains.viterbi_pruned:run",
           "Viterbi without the labels that bounds on transitions rule out (Belanger et al. 2012, eq. 14)",
           k_best=True, run_many="gapless_chains.viterbi_pruned:run_many", batch_k_best=True),
    Method("beam", CHAIN, "gapless_chains.beam:run",
           "beam search with its true gap",
           exact=False, run_many="gapless_chains.beam:run_many"),
    Method("column-generation", CHAIN, "gapless_chains.column_generation.method:run",
           "label domains grown by reduced costs of two-way messages (Belanger et al. 2012)",
           k_best=True, warm_start=True, run_many="gapless_chains.column_generation.method:run_many"),
    Method("dominance", TREE, "gapless_chains.trees.decoding:run_dominance",
           "messages of the labels that no other dominates (compiled)",
           default=True, run_many="gapless_chains.trees.decoding:run_dominance_many"),
    Method("viterbi", TREE, "gapless_chains.trees.decoding:run_viterbi",
           "dynamic programming over all labels, from the leaves to the roots (compiled)",
           run_many="gapless_chains.trees.decoding:run_viterbi_many"),
    Method("column-generation", TREE, "gapless_chains.trees.column_generation:run",
           "label domains grown by reduced costs of messages both ways (Belanger et al. 2012, A.1)",
           warm_start=True),
)
# fmt: on

gapless_register = table(
    problems={"chain": CHAIN, "tree": TREE},
    methods=METHODS,
    maximisers={
        "viterbi": "gapless_chains.label_maximiser:ViterbiMaximiser",
        "tree-labels": "gapless_chains.label_maximiser:TreeLabelMaximiser",
    },
)


@hookimpl
def gapless_draw(problem: Any, structure: Any, words: Sequence[str], against: Any) -> str | None:
    """Draw the labels of a chain or a tree."""
    if not is_a(problem, LABELLING):
        return None
    from gapless_chains.drawing import draw_labelling  # noqa: PLC0415  imported on demand

    return draw_labelling(problem, structure, words, against)


@hookimpl
def gapless_named_structure(problem: Any, structure: Any) -> NamedStructure | None:
    """Return the label of each token, or its number if labels have no names."""
    if not is_a(problem, LABELLING):
        return None
    return NamedStructure(
        "labels", [str(y) if problem.labels is None else problem.labels[y] for y in structure.tolist()]
    )


@hookimpl
def gapless_selftest_instances() -> Sequence[SelftestInstances]:
    """Return generators of small random chains and trees."""
    from gapless_chains.selftest_instances import SPECIMENS  # noqa: PLC0415  brute force: imported on demand

    return SPECIMENS
