"""The k best labellings from a dual proof: k best inside the labels whose reduced costs a k-th one could afford."""

from __future__ import annotations

import attrs
import numpy as np

from gapless import Result, Stop
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Fixings
from gapless_chains.k_best import k_best_of
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.potentials import PotentialsCertificate
from gapless_chains.transition_bounds import transition_bounds

ROUNDING = 2.0**-40
"""Share of the largest potential that all roundings of a chain's brackets stay below, by far."""

_FIRST_GUESS = 2.0**-6
_SMALLEST = 2.0**-30
_GUESSES = 60


def k_best_in_domains(problem: ChainProblem, result: Result[IntArray], k: int) -> Result[IntArray]:
    """Turn the proof of one best labelling into the list of the k best.

    Potentials bound every labelling by the sum of the largest brackets (see `PotentialsCertificate`), so a
    labelling whose bracket at some edge falls short of the largest by d scores at most the bound minus d. Labels
    that only take part in brackets that fall short by more than the gap between the bound and the k-th best are
    left out (Belanger et al. 2012, section 5 and appendix A.3: columns of small negative reduced cost). The gap is
    not known before: a guess grows until k labellings are found, then it is exact. `result`: OPTIMAL, with a
    `PotentialsCertificate`.
    """
    certificate = result.certificate
    assert isinstance(certificate, PotentialsCertificate)
    potentials = certificate.potentials
    bound = certificate.upper_bound(problem, Fixings.none(problem.decisions.count))
    spare = ROUNDING * max(abs(bound), float(np.max(np.abs(potentials), where=potentials > -np.inf, initial=0.0)))
    allowance = spare + max(_SMALLEST, _FIRST_GUESS * abs(bound) / problem.positions)
    for guess in range(_GUESSES):
        # The last round keeps every label, so that the list is complete in any case.
        if guess == _GUESSES - 1:
            allowance = np.inf
        affordable = affordable_labels(problem, potentials, allowance)
        labels, values = _k_best(problem, affordable, k)
        needed = bound - values[-1] + spare if len(values) == k else np.inf
        # Every labelling within `needed` of the bound lies inside the domains: the list is final (appendix
        # A.3).
        if needed <= allowance or (affordable == (problem.local > -np.inf)).all():
            break
        allowance = needed if needed < np.inf else 4.0 * allowance
    size = float(affordable.sum()) / problem.positions
    return Result.of(
        problem,
        list(labels),
        result.bound,
        Stop.PROVED,
        certificate=certificate,
        method=result.method,
        stats=attrs.evolve(result.stats, extra={**result.stats.extra, "k_best_domain_size": size}),
        trace=result.trace,
    )


def affordable_labels(problem: ChainProblem, potentials: FloatArray, allowance: float) -> BoolArray:
    """Select labels whose brackets fall short of the maximum by at most `allowance` on both sides, bool (n, K).

    `potentials` (float64 (n, K)): see `PotentialsCertificate`; true where minus infinity.
    """
    local, n = problem.local, problem.positions
    alive = (local > -np.inf) & (potentials > -np.inf)
    if allowance == np.inf:
        return local > -np.inf
    into = np.subtract(local, potentials, where=alive, out=np.full(local.shape, -np.inf))
    onward = np.where(alive, potentials, -np.inf)
    keep_mask = alive.copy()
    # The first and the last position have a bracket on one side only.
    keep_mask[0] &= into[0] >= into[0].max() - allowance
    keep_mask[-1] &= onward[-1] >= onward[-1].max() - allowance
    most_out_of = transition_bounds(problem.transition).out_of
    for i in range(n - 1):
        pairs, out_of = problem.transition, most_out_of
        if pairs.ndim == 3:
            pairs, out_of = pairs[i], most_out_of[i]
        # Bounding the target by its maximum leaves few sources whose pairs must be formed (section 4.3).
        rough = onward[i] + out_of + into[i + 1].max()
        first = int(rough.argmax())
        # At least this much is reached, so nothing below it less the allowance needs a look.
        lower_limit = float((onward[i, first] + pairs[first] + into[i + 1]).max())
        sources = np.flatnonzero(rough >= lower_limit - allowance)
        brackets = onward[i, sources, None] + pairs[sources] + into[i + 1]
        good = brackets >= brackets.max(initial=-np.inf) - allowance
        good &= brackets > -np.inf
        near = np.zeros(local.shape[1], bool)
        near[sources] = good.any(axis=1)
        keep_mask[i] &= near
        keep_mask[i + 1] &= good.any(axis=0)
    return keep_mask


def _k_best(problem: ChainProblem, affordable: BoolArray, k: int) -> tuple[IntArray, FloatArray]:
    return k_best_of(np.where(affordable, problem.local, -np.inf), problem.transition, k, {})
