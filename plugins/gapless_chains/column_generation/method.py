"""The method ``column-generation``: `price_and_cut` over label domains, and its fused kernel for many chains."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gapless import BatchResult, InvalidResult, Limits, Result, Status, Stop
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.arrays.spelling_hint import check_choice
from gapless.arrays.tolerance import meets, score_tolerance
from gapless.roles import Fixings, InconsistentBound, SolveBudget, SolveRequest, Stats
from gapless_chains import viterbi
from gapless_chains.batch import ChainBatch
from gapless_chains.batch_decoding import KernelAnswers, decode_many
from gapless_chains.column_generation.domain_generation import generate_labels
from gapless_chains.column_generation.domain_k_best import ROUNDING, k_best_in_domains
from gapless_chains.column_generation.label_domains import FIRST
from gapless_chains.column_generation.messages import DomainMessages
from gapless_chains.column_generation.reduced_cost import ReducedCostOracle
from gapless_chains.identity_cache import IdentityCache
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.potentials import PotentialsCertificate
from gapless_chains.proofs.survivors import DominanceCertificate
from gapless_kernels import (
    TransitionTables,
    column_generation_batch,
    score_spread,
    transition_tables,
)

# Of one model at a time: two types, centred or not, and label scores of changing magnitude.
_MOST_TABLES = 6

ONE_BY_ONE = "the batch kernel was left, each chain was decoded in Python, typically 15 to 150 times slower"
"""Random chains of 24 tokens, 150 to 10 labels."""

_making = threading.Lock()  # threads decode parts of one batch
_tables: IdentityCache[dict[tuple[str, bool, float], TransitionTables]] = IdentityCache(lambda _: {})


def run(
    problem: ChainProblem,
    request: SolveRequest,
    *,
    first: str = "greedy",
    reduced_cost: str = "both",
    centred: bool = True,
    prune: bool = True,
    gap: float | None = None,
) -> Result[IntArray]:
    """Decode one chain by column generation.

    Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, section 4,
    by default with the reduced cost of both directions (eq. 12). Every round has an answer and a true bound, so any
    limit may end it: `gap` is the paper's termination by duality gap (section 5, appendix A.2).

    For ``k > 1`` the labels that a k-th best labelling could need join the domains, see `k_best_in_domains`. Raises
    `InvalidProblem`: the start structure is infeasible. `SolveError`: see `price_and_cut`; ``error.result`` says
    that nothing is known. Where scores cancel so far that reduced costs cannot close the gap in float64, Viterbi
    decides.

    Parameters
    ----------
    first : {"greedy", "local"}
        First domains, see `DomainMessages`. A start structure joins them.
    reduced_cost : {"both", "alpha", "alpha+theta"}
        Eq. 12, 8 or 9, see `Formulation`.
    centred : bool
        Whether each label's mean transition scores are moved to the label first, which changes no labelling's score
        and makes the search faster by far; False is the paper's plain form.
    prune : bool
        Whether labels that eq. 14 rules out are kept from the oracle.
    gap : float, optional
        Stop once ``bound - value <= gap * max(1, |value|)``; the same as ``Limits(gap=...)``, and wins over it.
    """
    messages = DomainMessages(problem, first=first, reduced_cost=reduced_cost, centred=centred, prune=prune)
    oracle = ReducedCostOracle(problem, reduced_cost=reduced_cost, centred=centred)
    try:
        result = generate_labels(problem, request, messages, oracle, gap=gap)
        _check_evidence(problem, result)
    except (InconsistentBound, InvalidResult):
        # Among moderate scores a contradiction is a defect of the code and must surface.
        if not _may_be_rounding(problem):
            raise
        if not centred:
            # Reduced costs of huge scores are sums with large errors; messages of the best path mostly are not.
            exact = viterbi.run(problem, request)
            if exact.verify(problem):
                return exact
            raise
    else:
        several = request.k > 1 and result.status is Status.OPTIMAL
        return k_best_in_domains(problem, result, request.k) if several else result
    # Means of huge scores take the last digits of small ones: as they are, float64 may still tell them apart.
    return run(problem, request, first=first, reduced_cost=reduced_cost, centred=False, prune=False, gap=gap)


def _may_be_rounding(problem: ChainProblem) -> bool:
    """Return whether scores are so large that rounding may explain a contradiction between bound and value."""
    return any(
        float(np.max(np.abs(scores), where=np.isfinite(scores), initial=0.0)) * ROUNDING > score_tolerance(0.0)
        for scores in (problem.local, problem.transition)
    )


def _check_evidence(problem: ChainProblem, result: Result[IntArray]) -> None:
    """Raise InconsistentBound unless the potentials prove the bound; finite masks take digits of reduced costs."""
    certificate = result.certificate
    if not isinstance(certificate, PotentialsCertificate) or not result.solutions:
        return
    potentials = certificate.potentials
    largest = float(np.max(np.abs(potentials), where=potentials > -np.inf, initial=0.0))
    # Smaller potentials cannot lose that much, and checking would cost another pass of O(n K^2).
    if largest * ROUNDING <= score_tolerance(result.value):
        return
    proved = certificate.upper_bound(problem, Fixings.none(problem.decisions.count))
    if not meets(proved, result.bound):
        failure = InconsistentBound(f"float64 cannot prove {result.bound:.12g} beside scores this large")
        failure.result = Result.of(
            problem,
            [result.best],
            max(proved, result.value),
            Stop.ERROR,
            certificate=certificate,
            method=result.method,
            stats=result.stats,
        )
        raise failure


def run_many(
    problems: Sequence[ChainProblem],
    request: SolveRequest,
    *,
    first: str = "greedy",
    reduced_cost: str = "both",
    centred: bool = True,
    prune: bool = True,
    gap: float | None = None,
) -> BatchResult[IntArray]:
    """Decode many chains; those of one model go through the fused kernel, in the type of their scores.

    Values and bounds are those of `run` with the same options; where several labellings are best, or a gap is
    enough, another one may be held. The kernel prices by eq. 12 only and needs no pruning, so other reduced costs,
    and limits other than a gap, are left to `run`, one chain at a time.

    The arrays of the result are ``labels``, ``offsets``, ``rounds``, ``domain_sizes`` (labels in the domains of all
    positions together; all labels where dense Viterbi took over) and ``candidates`` (pairs priced).
    """
    limits = request.budget.limits
    enough = Limits(relative_gap=limits.relative_gap if gap is None else gap).relative_gap
    check_choice("first", first, FIRST)

    def alone(problem: ChainProblem) -> Result[IntArray]:
        # Limits hold for each chain, so each gets a budget of its own.
        one = SolveRequest(SolveBudget(limits), seed=request.seed, method=request.method)
        return run(problem, one, first=first, reduced_cost=reduced_cost, centred=centred, prune=prune, gap=gap)

    # The fused kernel prices by eq. 12 and checks no limit but a gap.
    unsupported = [f"reduced_cost={reduced_cost!r}"] if reduced_cost != "both" else []
    limit_values = {
        field.name: getattr(limits, field.name) for field in attrs.fields(Limits) if field.name != "relative_gap"
    }
    unsupported += [f"Limits({name}={value!r})" for name, value in limit_values.items() if value is not None]
    if unsupported:
        reason = f"{' and '.join(unsupported)}: {ONE_BY_ONE}"

        def explained(problem: ChainProblem) -> Result[IntArray]:
            result = alone(problem)
            return attrs.evolve(result, explanation=(reason, *result.explanation))

        return BatchResult.one_by_one(problems, explained, request.budget.interrupt)

    def kernel(batch: ChainBatch) -> KernelAnswers:
        return _decode(batch, FIRST.index(first), centred, enough)

    def make(
        problem: ChainProblem, labels: IntArray, value: float, bound: float, counts: Mapping[str, Any]
    ) -> Result[IntArray]:
        feasible = labels.size > 0
        return Result.of(
            problem,
            [labels] if feasible else [],
            bound,
            # The kernel leaves bound and value apart only if the caller requested a gap.
            Stop.GAP if bound > value else Stop.PROVED,
            certificate=DominanceCertificate.everything(problem),
            method=request.method,
            stats=Stats(
                iterations=counts["rounds"],
                oracle_calls=counts["rounds"],
                columns=counts["domain_sizes"],
                scopes_scored=counts["candidates"],
                extra={
                    "mean_domain_size": counts["domain_sizes"] / problem.positions,
                    "oracle_candidates": counts["candidates"],
                },
            ),
            explanation=() if feasible else problem.infeasibility(),
        )

    return decode_many(problems, request, kernel, make, alone)


def _decode(batch: ChainBatch, start: int, centred: bool, gap: float) -> KernelAnswers:
    count, model = len(batch), batch.model
    labels, status = np.empty(batch.tokens, np.int64), np.empty(count, np.uint8)
    values, bounds = np.empty((2, count))
    rounds, sizes, candidates = np.empty((3, count), np.int64)
    column_generation_batch(
        batch.unary,
        batch.offsets,
        _tables_for(batch, centred),
        labels,
        values,
        bounds,
        status,
        rounds,
        sizes,
        candidates,
        initial=model.initial,
        final=model.final,
        start=start,
        gap=gap,
    )
    counts = {"rounds": rounds, "domain_sizes": sizes, "candidates": candidates}
    return KernelAnswers(labels, values, bounds, status, counts)


def two_best_in_domains(batch: ChainBatch, within: float) -> tuple[IntArray, FloatArray]:
    """Find the best labelling, and the second best if it scores at least the best minus `within`.

    Source: Belanger et al. 2012, appendix A.3: labels of reduced cost above ``-within`` stay in the domains.
    Returns int64 (2, N) and float64 (S, 2): labels, -1 where there is no labelling, and values, then minus
    infinity; NaN where a score is invalid.
    """
    count, model = len(batch), batch.model
    labels, values, bounds = np.empty((2, batch.tokens), np.int64), np.empty((2, count)), np.empty(count)
    column_generation_batch(
        batch.unary,
        batch.offsets,
        _tables_for(batch, True),
        labels[0],
        values[0],
        bounds,
        np.empty(count, np.uint8),
        *np.empty((3, count), np.int64),
        initial=model.initial,
        final=model.final,
        margin=within,
        second_values=values[1],
        second_labels=labels[1],
    )
    return labels, values.T


def _tables_for(batch: ChainBatch, centred: bool) -> TransitionTables:
    """Return the kernel's transition tables, made once per model, dtype and magnitude of label scores."""
    transition = batch.model.transition
    spread = score_spread(batch.unary)
    cached = _tables(transition)
    key = str(batch.unary.dtype), centred, spread
    with _making:
        if key not in cached:
            if len(cached) >= _MOST_TABLES:
                # Dictionaries keep the order of insertion: the oldest table goes.
                del cached[next(iter(cached))]
            # A copy: what is remembered for an array must not keep the array alive.
            cached[key] = transition_tables(transition.copy(), batch.unary.dtype, centred=centred, spread=spread)
        return cached[key]
