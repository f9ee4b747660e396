"""The method ``column-generation`` for trees: `price_and_cut` over label domains and a reduced-cost oracle."""

from __future__ import annotations

import attrs

from gapless import Result, Stop
from gapless.arrays.sparse import IntArray
from gapless.arrays.tolerance import score_tolerance
from gapless.roles import InconsistentBound, SolveRequest
from gapless_chains.column_generation.domain_generation import generate_labels
from gapless_chains.trees.decoding import run_viterbi
from gapless_chains.trees.messages import TreeMessages
from gapless_chains.trees.problem import TreeProblem
from gapless_chains.trees.reduced_cost import TreeReducedCostOracle


def run(problem: TreeProblem, request: SolveRequest, *, first: str = "greedy") -> Result[IntArray]:
    """Decode one tree or forest by column generation.

    Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, section 4 and
    appendix A.1. Every round has an answer and a true bound, so any limit may end it.

    Beside masks such as -1e9, float64 rounds reduced costs by more than a proof may leave open. The proof is then
    that of `gapless_chains.trees.decoding.run_viterbi`, whose messages toward the roots are rounded in one
    direction only; ``stats.extra["proved_by_viterbi"]`` says so. Raises `InvalidProblem`: the start structure is
    infeasible. `SolveError`: see `generate_labels`. `first` ({"greedy", "local"}): first domains, see
    `TreeMessages`. A start structure joins them.
    """
    messages = TreeMessages(problem, first=first)
    try:
        result = generate_labels(problem, request, messages, TreeReducedCostOracle(problem))
    except InconsistentBound as error:
        # A contradiction that rounding cannot explain is a defect of the method, and must be seen.
        if error.result is None or not _rounded_away(messages, 0.0):
            raise
        return _proved_by_viterbi(problem, request, error.result)
    if result.stop is Stop.PROVED and result.solutions and _rounded_away(messages, result.value):
        return _proved_by_viterbi(problem, request, result)
    return result


def _rounded_away(messages: TreeMessages, value: float) -> bool:
    """Return whether rounding of the reduced costs may exceed what a proof of `value` tolerates."""
    return messages.rounding > score_tolerance(value)


def _proved_by_viterbi(problem: TreeProblem, request: SolveRequest, result: Result[IntArray]) -> Result[IntArray]:
    """Return the result of Viterbi with the statistics of the column generation."""
    proved = run_viterbi(problem, request)
    extra = {**result.stats.extra, "proved_by_viterbi": True}
    return attrs.evolve(proved, stats=attrs.evolve(result.stats, seconds=request.budget.elapsed, extra=extra))
