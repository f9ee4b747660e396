"""Strong branching in phases: cheap probes of many candidates, expensive probes of few."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.column_generation.branching.candidates import Candidate, CandidateBrancher
from gapless.column_generation.branching.pseudo_costs import PseudoCosts, score
from gapless.decisions.branch import Branch
from gapless.decisions.decisions import Fixings
from gapless.errors import InvalidProblem
from gapless.tree_search.brancher import Brancher
from gapless.tree_search.relaxation import Probe, RelaxationResult

S = TypeVar("S")


@attrs.frozen
class Phase:
    """One phase of strong branching.

    Parameters
    ----------
    candidates : int
        Number of candidates, the best ones of the previous phase.
    rounds : int or None
        Rounds of pricing at each child: 0 for the linear program only, None until no column is missing.
    """

    candidates: int
    rounds: int | None = 0

    def __attrs_post_init__(self) -> None:
        if self.candidates < 1 or (self.rounds is not None and self.rounds < 0):
            raise InvalidProblem(f"Phase: {self.candidates} candidates, {self.rounds} rounds; give 1 and 0 or more")


PHASES = (Phase(16, 0), Phase(4, 2), Phase(2, None))


class StrongBranching(Brancher[S]):
    """Choice among candidates by the bounds of their children.

    The first candidates are the best by pseudo-costs and, alternately, the preferred ones among those never
    probed. Each phase solves the children of the remaining candidates, with more pricing than the previous
    phase (Pecin et al. 2017, section 5). A candidate with reliable pseudo-costs is not probed again
    (Achterberg, Koch, Martin 2005). A candidate of which a probe with full pricing closes all children ends the
    choice.

    One object serves one solve: it learns from the bounds of the nodes that it has split.

    Parameters
    ----------
    candidates : CandidateBrancher
        `Fractional`, `Expressions`, `RyanFoster` or a user's own class.
    phases : sequence of Phase
    reliability : int
        Number of observations of each child after which pseudo-costs replace probes; 0 for pseudo-costs only.
    pseudo_costs : PseudoCosts, optional
        Those of a problem of the same kind; new observations are added.
    """

    def __init__(
        self,
        candidates: CandidateBrancher[S],
        *,
        phases: Sequence[Phase] = PHASES,
        reliability: int = 4,
        pseudo_costs: PseudoCosts | None = None,
    ) -> None:
        self.candidates, self.phases, self.reliability = candidates, tuple(phases), reliability
        self.pseudo_costs = pseudo_costs or PseudoCosts()
        self._awaited: dict[Fixings, tuple[Candidate, int, float]] = {}
        self._last: tuple[Fixings, Any, Sequence[Branch]] | None = None

    def split(self, fixings: Fixings, relaxed: RelaxationResult[S]) -> Sequence[Branch]:
        """Return the children of the best candidate; a repeated call returns the same children."""
        # A node that SCIP works on again must not be split in another way because pseudo-costs have changed
        # (decision 050).
        if self._last is not None and self._last[0] == fixings and _equal(self._last[1], relaxed.point):
            return self._last[2]
        # A child that is split in its turn tells its gain for free.
        awaited = self._awaited.pop(fixings, None)
        if awaited is not None:
            candidate, child, bound = awaited
            self.pseudo_costs.observe(candidate.key, child, bound - relaxed.bound, candidate.distances[child])
        candidates = self.candidates.candidates(fixings, relaxed)
        if not candidates:
            branches = self.candidates.last_resort(fixings, relaxed)
        else:
            best = self._choose(fixings, relaxed, candidates)
            branches = best.branches
            for child, branch in enumerate(branches):
                below = branch.child_fixings(fixings)
                if below is not None:
                    self._awaited[below] = best, child, relaxed.bound
        self._last = fixings, relaxed.point, branches
        return branches

    def _choose(self, fixings: Fixings, relaxed: RelaxationResult[S], candidates: Sequence[Candidate]) -> Candidate:
        costs = self.pseudo_costs
        ranked = self._rank(candidates)
        probe = relaxed.probe
        # From an infinite bound no gain can be computed: the pseudo-costs decide.
        if probe is None or not math.isfinite(relaxed.bound):
            return ranked[0]
        probed: set[int] = set()
        for phase in self.phases:
            ranked = ranked[: phase.candidates]
            if len(ranked) == 1:
                break
            scores: dict[int, float] = {}
            for candidate in ranked:
                if probe.must_stop():
                    return ranked[0]
                # A candidate that an earlier phase of this node probed has scores of its own: its probes go on.
                if costs.count(candidate) >= self.reliability and id(candidate) not in probed:
                    scores[id(candidate)] = score(costs.gains(candidate))
                    continue
                probed.add(id(candidate))
                gains = _gains(probe, fixings, relaxed, candidate, phase.rounds)
                # Only full pricing gives the gains that a node would have: cheaper probes would bias the means.
                if phase.rounds is None:
                    if all(map(math.isinf, gains)):
                        return candidate
                    for child, gain in enumerate(gains):
                        costs.observe(candidate.key, child, gain, candidate.distances[child])
                largest = _closing_gain(relaxed, probe)
                scores[id(candidate)] = score([min(gain, largest) for gain in gains])
            ranked.sort(key=lambda c: -scores[id(c)])
        return ranked[0]

    def _rank(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Sort by pseudo-costs; before probes, alternate with the preferred candidates without observations."""
        costs = self.pseudo_costs
        ranked = sorted(candidates, key=lambda c: (-score(costs.gains(c)), -c.preference))
        if not self.phases or not self.reliability:
            return ranked
        # Otherwise candidates without observations would hardly be probed once others are known to gain:
        # myciel4 then took three times as many nodes (decision 050).
        observed = [c for c in ranked if costs.count(c)]
        new = sorted((c for c in candidates if not costs.count(c)), key=lambda c: -c.preference)
        alternating = [candidate for pair in zip(observed, new, strict=False) for candidate in pair]
        paired = min(len(observed), len(new))
        return [*alternating, *observed[paired:], *new[paired:]]


def _equal(left: Any, right: Any) -> bool:
    return left is right or (left is not None and right is not None and np.array_equal(left, right))


def _closing_gain(relaxed: RelaxationResult[Any], probe: Probe[Any]) -> float:
    """Bound the gains of closed children: twice the gap to the incumbent, so that they rank above open ones."""
    gap = relaxed.bound - probe.incumbent
    return 2 * max(1.0, gap) if math.isfinite(gap) else 2 * max(1.0, abs(relaxed.bound))


def _gains(
    probe: Probe[S], fixings: Fixings, relaxed: RelaxationResult[S], candidate: Candidate, rounds: int | None
) -> list[float]:
    """Compute the fall of the bound in each child, infinite if the child would be closed."""
    gains = []
    for branch in candidate.branches:
        below = branch.child_fixings(fixings)
        if below is None:
            gains.append(math.inf)
            continue
        child = probe.relax(below, rounds)
        # After few rounds the bound is weak; the restricted optimum is then the better estimate.
        bound = min(child.bound, child.primal_value) if rounds else child.bound
        # Without full pricing the restricted master's optimum is no bound, so it closes no child.
        closed = bound == -math.inf or (rounds is None and probe.would_close(child.bound))
        gains.append(math.inf if closed else max(0.0, relaxed.bound - bound))
    return gains
