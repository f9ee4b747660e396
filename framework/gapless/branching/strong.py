"""Strong branching in phases: cheap looks below a node at many candidates, dear looks at few."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import attrs
import numpy as np

from gapless.branching.candidates import Candidate, CandidateBrancher
from gapless.branching.pseudo_costs import PseudoCosts, score
from gapless.core.branch import Branch
from gapless.core.brancher import Brancher
from gapless.core.decisions import Fixings
from gapless.core.errors import InvalidProblem
from gapless.core.relaxation import Probe, Relaxed

S = TypeVar("S")


@attrs.frozen
class Phase:
    """One phase of strong branching.

    Parameters
    ----------
    candidates : int
        The best so many of the phase before.
    rounds : int or None
        Rounds of pricing at each child: 0 for the linear program alone, None until nothing is missing.
    """

    candidates: int
    rounds: int | None = 0

    def __attrs_post_init__(self) -> None:
        if self.candidates < 1 or (self.rounds is not None and self.rounds < 0):
            raise InvalidProblem(f"Phase: {self.candidates} candidates, {self.rounds} rounds; give 1 and 0 or more")


PHASES = (Phase(16, 0), Phase(4, 2), Phase(2, None))


class StrongBranching(Brancher[S]):
    """Chooses among candidates by what their children would be bounded by.

    The first candidates are the best by pseudo-costs and, in turn, the preferred among those never looked at. Each
    phase solves the children of those that are left, with more pricing than the one before (Pecin et al. 2017,
    section 5). A candidate whose pseudo-costs are reliable
    is not looked at again (Achterberg, Koch, Martin 2005). A candidate all of whose children are closed, as a look
    with full pricing shows, ends the choice.

    One object serves one solve: it learns from the bounds of nodes that it has split.

    Parameters
    ----------
    candidates : CandidateBrancher
        `Fractional`, `Expressions`, `RyanFoster` or one's own.
    phases : sequence of Phase
    reliability : int
        Observations of each child after which a candidate is believed; 0 for pseudo-costs alone.
    pseudo_costs : PseudoCosts, optional
        Known ones, of a problem of the same kind; new observations are added.
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

    def split(self, fixings: Fixings, relaxed: Relaxed[S]) -> Sequence[Branch]:
        """The children of the best candidate. The same question asked again gets the same answer."""
        if self._last is not None and self._last[0] == fixings and _same(self._last[1], relaxed.point):
            return self._last[2]
        awaited = self._awaited.pop(fixings, None)
        if awaited is not None:
            candidate, child, bound = awaited
            self.pseudo_costs.observe(candidate.key, child, bound - relaxed.bound, candidate.distances[child])
        found = self.candidates.candidates(fixings, relaxed)
        if not found:
            branches = self.candidates.last_resort(fixings, relaxed)
        else:
            chosen = self._choice(fixings, relaxed, found)
            branches = chosen.branches
            for child, branch in enumerate(branches):
                below = branch.narrow(fixings)
                if below is not None:
                    self._awaited[below] = chosen, child, relaxed.bound
        self._last = fixings, relaxed.point, branches
        return branches

    def _choice(self, fixings: Fixings, relaxed: Relaxed[S], found: Sequence[Candidate]) -> Candidate:
        costs = self.pseudo_costs
        ranked = self._ranked(found)
        probe = relaxed.probe
        if probe is None or not math.isfinite(relaxed.bound):
            return ranked[0]
        looked: set[int] = set()
        for phase in self.phases:
            ranked = ranked[: phase.candidates]
            if len(ranked) == 1:
                break
            scores: dict[int, float] = {}
            for candidate in ranked:
                if probe.spent():
                    return ranked[0]
                if costs.count(candidate) >= self.reliability and id(candidate) not in looked:
                    scores[id(candidate)] = score(costs.gains(candidate))
                    continue
                looked.add(id(candidate))
                gains = _gains(probe, fixings, relaxed, candidate, phase.rounds)
                if phase.rounds is None:
                    if all(map(math.isinf, gains)):
                        return candidate
                    for child, gain in enumerate(gains):
                        costs.observe(candidate.key, child, gain, candidate.distances[child])
                most = _most(relaxed, probe)
                scores[id(candidate)] = score([min(gain, most) for gain in gains])
            ranked.sort(key=lambda c: -scores[id(c)])
        return ranked[0]

    def _ranked(self, found: Sequence[Candidate]) -> list[Candidate]:
        """By pseudo-costs; before phases, in turn the best of those seen before and the preferred of the others.

        Those never seen would otherwise hardly be looked at once others are known to gain.
        """
        costs = self.pseudo_costs
        known = sorted(found, key=lambda c: (-score(costs.gains(c)), -c.preference))
        if not self.phases or not self.reliability:
            return known
        seen = [c for c in known if costs.count(c)]
        new = sorted((c for c in found if not costs.count(c)), key=lambda c: -c.preference)
        both = [one for pair in zip(seen, new, strict=False) for one in pair]
        most = min(len(seen), len(new))
        return [*both, *seen[most:], *new[most:]]


def _same(one: Any, other: Any) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _most(relaxed: Relaxed[Any], probe: Probe[Any]) -> float:
    """Gain of a closed child: at least all that is left to the incumbent."""
    left = relaxed.bound - probe.incumbent
    return 2 * max(1.0, left) if math.isfinite(left) else 2 * max(1.0, abs(relaxed.bound))


def _gains(
    probe: Probe[S], fixings: Fixings, relaxed: Relaxed[S], candidate: Candidate, rounds: int | None
) -> list[float]:
    """The fall of the bound in each child, infinite where it would be closed."""
    gains = []
    for branch in candidate.branches:
        below = branch.narrow(fixings)
        if below is None:
            gains.append(math.inf)
            continue
        child = probe.relax(below, rounds)
        # Before nothing is missing, the columns at hand tell more than the bound.
        bound = min(child.bound, child.attained) if rounds else child.bound
        closed = bound == -math.inf or (rounds is None and probe.closes(child.bound))
        gains.append(math.inf if closed else max(0.0, relaxed.bound - bound))
    return gains
