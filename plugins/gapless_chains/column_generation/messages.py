"""The restricted relaxation of column generation in chains: label domains with messages from both ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless import Answer, Batch, Budget, Certificate, Fixings, Relaxed, UnknownOption, View
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_chains.column_generation.domain_generation import LabelDomains
from gapless_chains.column_generation.forbidden import floor_below_every_labelling, replace_forbidden
from gapless_chains.column_generation.formulation import formulation
from gapless_chains.column_generation.gauge import GaugedScores
from gapless_chains.column_generation.label_pruning import competitive, repair
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.potentials import PotentialsCertificate
from gapless_chains.reachability import reached_from_left, reached_from_right
from gapless_chains.transition_bounds import TransitionBounds, transition_bounds

FIRST = ("greedy", "local")
"""The option ``first``."""


class ChainView(View):
    """The two-way messages of a restricted chain, as the oracle sees them.

    Attributes
    ----------
    feasible : bool
        Whether anything is allowed under the fixings; if not, the messages mean nothing.
    theta : float64 (n, K)
        Label scores; minus infinity where forbidden or fixed away.
    alpha, beta : float64 (n, K)
        Messages from the left and from the right, the label's own score excluded (but see `Halves`); finite.
        ``beta`` is zero where the formulation needs none.
    domains : bool (n, K)
        Labels in the restricted relaxation.
    value : float
        Its optimum.
    floor : float
        Below every allowed path; messages that only forbidden pairs could make are that low. Minus infinity if no
        pair is forbidden.
    searched : bool (n, K) or None
        Labels that pricing must look at; None for all.
    excess : float64 (n+1,) or None
        Written by the oracle: largest positive reduced cost of the first label, each edge, the last label.
    """

    excess: FloatArray | None = None

    def __init__(
        self,
        fixings: Fixings,
        feasible: bool,
        theta: FloatArray,
        alpha: FloatArray,
        beta: FloatArray,
        domains: BoolArray,
        value: float,
        floor: float,
        searched: BoolArray | None = None,
    ) -> None:
        super().__init__(fixings)
        self.feasible = feasible
        self.theta = theta
        self.alpha = alpha
        self.beta = beta
        self.domains = domains
        self.value = value
        self.floor = floor
        self.searched = searched


class DomainMessages(LabelDomains[ChainView]):
    """A domain of labels for each position, solved by max-product messages from the left and from the right.

    The messages are the duals of the restricted linear program (no solver is called). In-domain they maximise over
    the neighbour's domain, and so do those of the labels outside: a guess that should be feasible for the whole
    program (Belanger et al. 2012, section 4.2, eqs 7 and 11).

    Forbidden transitions: a message over forbidden pairs only would be minus infinity. In-domain it becomes the
    finite `ChainView.floor`, below every allowed path, which keeps all reduced costs finite. Outside, where any
    guess is allowed, it becomes the bound that the best neighbour and `TransitionBounds` give: the floor would make
    nearly every label look attractive. The domains always hold an allowed path, or it is proved that there is none.

    Parameters
    ----------
    problem : ChainProblem
    first : {"greedy", "local"}
        First domains: the greedy path from the left, or each position's best label by its own score (the paper's,
        section 4.1).
    reduced_cost : {"both", "alpha", "alpha+theta"}
        See `Formulation`.
    centred : bool
        Whether to work on centred scores, see `GaugedScores`. The oracle must do the same.
    prune : bool
        Whether labels that eq. 14 rules out are kept from the oracle.
    """

    def __init__(
        self,
        problem: ChainProblem,
        *,
        first: str = "greedy",
        reduced_cost: str = "both",
        centred: bool = False,
        prune: bool = False,
    ) -> None:
        if first not in FIRST:
            raise UnknownOption(f"first is {first!r}, expected 'greedy' or 'local'")
        self.problem = problem
        self.first = first
        self.formulation = formulation(reduced_cost)
        self.scores = GaugedScores.of(problem, centred)
        self.prune = prune
        self.bounds: TransitionBounds = transition_bounds(self.scores.transition)
        self._generated = np.zeros(problem.unary.shape, bool)
        self._fixings: Fixings | None = None
        self._alpha = np.zeros(problem.unary.shape)
        self._beta = np.zeros(problem.unary.shape)
        self._view: ChainView | None = None

    # --- the role

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[IntArray]:
        """Pass messages and trace the best path inside the domains.

        `state` is the domains of another solve; only messages that a changed domain reaches are passed again.
        """
        if state is not None:
            self._widen(state)
        if fixings is not self._fixings and fixings != self._fixings:
            self._enter(fixings)
        if not self._feasible:
            self._view = self._make_view(-math.inf)
            return Relaxed(-math.inf)
        self._pass_right()
        if self.formulation.both_ways:
            self._pass_left()
        labels, value = self._trace()
        self._view = self._make_view(value)
        point = np.zeros(self._theta.shape)
        point[np.arange(labels.size), labels] = 1.0
        return Relaxed(value, point.ravel(), labels, attained=value, state=self._generated.copy())

    def extend(self, batch: Batch) -> int:
        """Put labels into the domains; columns are keyed by decision."""
        new = np.zeros(self._generated.shape, bool)
        new.ravel()[batch.columns.keys] = True
        return self._widen(new)

    def view(self) -> ChainView:
        """The messages of the last solve."""
        if self._view is None:
            raise RuntimeError("view() before solve()")
        return self._view

    def certify(self, answers: Sequence[Answer]) -> Certificate:
        """The formulation's potentials, in the problem's own scores.

        Labels that fixings removed keep finite potentials, so that the certificate still says something under other
        fixings.
        """
        view = self.view()
        if view.feasible:
            local = self.scores.local
            potentials = self.formulation.potentials(view, np.where(local > -np.inf, local, 0.0))
            if view.searched is not None and view.excess is not None:
                pruned = ~view.searched & (view.theta > -np.inf)
                repair(potentials, view.excess, pruned, view.theta, self.bounds)
            if self.scores.leaving is not None:
                potentials -= self.scores.leaving
            return PotentialsCertificate(potentials)
        reached = reached_from_left(view.theta, self.problem.transition)
        return PotentialsCertificate(np.where(reached, 0.0, -np.inf))

    @property
    def generated(self) -> int:
        """How many labels the domains hold, all positions together."""
        return int(self._generated.sum())

    # --- domains

    def _enter(self, fixings: Fixings) -> None:
        """Begin with other fixings: mask the scores, make sure that the domains hold an allowed path."""
        self._fixings = fixings
        local = self.scores.local
        free = not (fixings.state >= 0).any()
        self._theta = local if free else np.where(self.problem.allowed(fixings), local, -np.inf)
        self._floor = (
            floor_below_every_labelling(self._theta, self.bounds.largest) if self.bounds.forbids else -math.inf
        )
        path = self._first_path()
        self._feasible = path is not None
        if path is not None:
            self._generated[np.arange(path.size), path] = True
        self._domains = self._generated & (self._theta > -np.inf)
        self._members = [np.flatnonzero(row) for row in self._domains]
        self._competitive = competitive(self._theta, self.bounds) if self.prune else None
        self._stale_right, self._stale_left = 0, len(self._members) - 1
        self._changed = (0, len(self._members) - 1)

    def _first_path(self) -> IntArray | None:
        """An allowed path to begin with; None when there is none."""
        theta = self._theta
        labels = theta.argmax(axis=1) if self.first == "local" else self._greedy(theta)
        if self._path_allowed(labels):
            return labels
        # Dead end: look ahead once over all labels, then no greedy step can fail.
        theta = np.where(reached_from_right(theta, self.problem.transition), theta, -np.inf)
        labels = self._greedy(theta)
        return labels if self._path_allowed(labels) else None

    def _greedy(self, theta: FloatArray) -> IntArray:
        labels = np.empty(len(theta), np.int64)
        labels[0] = x = int(theta[0].argmax())
        for i in range(1, len(theta)):
            labels[i] = x = int((theta[i] + self._pairs(i - 1)[x]).argmax())
        return labels

    def _path_allowed(self, labels: IntArray) -> bool:
        local = self._theta[np.arange(labels.size), labels]
        if not (local > -np.inf).all():
            return False
        return not self.bounds.forbids or self.problem.value(labels) > -np.inf

    def _widen(self, labels: BoolArray) -> int:
        """Add labels; return how many were new and remember which messages they make stale."""
        new = labels & ~self._generated
        positions = np.flatnonzero(new.any(axis=1))
        if not positions.size:
            return 0
        self._generated |= new
        if self._fixings is not None:
            new &= self._theta > -np.inf
            self._domains |= new
            for i in positions:
                self._members[i] = np.flatnonzero(self._domains[i])
            # The message *to* a position depends on its own domain too, by the guess for forbidden pairs.
            self._stale_right = min(self._stale_right, max(int(positions[0]) - 1, 0))
            self._stale_left = max(self._stale_left, min(int(positions[-1]) + 1, len(self._members) - 1))
            self._changed = min(self._changed[0], int(positions[0])), max(self._changed[1], int(positions[-1]))
        return int(new.sum()) if self._fixings is not None else int(positions.size)

    # --- messages

    def _pairs(self, edge: int) -> FloatArray:
        transition = self.scores.transition
        return transition if transition.ndim == 2 else transition[edge]

    def _pass_right(self) -> None:
        """Eq. 7, from the first edge whose domains changed.

        Past the last change, a domain of one label offers what it offered before but for a constant; so do all
        positions after it, and the constant is added without passing on (section 4.2).
        """
        theta, alpha, share = self._theta, self._alpha, self.formulation.outgoing
        alpha[0] = self._own_share(0)
        for i in range(self._stale_right, len(theta) - 1):
            sources = self._members[i]
            offers = alpha[i, sources] + share * theta[i, sources]
            pairs = self._pairs(i)[sources]
            settled = sources.size == 1 and i > self._changed[1] and not self.bounds.forbids
            before = float(alpha[i + 1, self._members[i + 1][0]])
            alpha[i + 1] = (offers[:, None] + pairs).max(axis=0) if sources.size > 1 else offers[0] + pairs[0]
            alpha[i + 1] += self._own_share(i + 1)
            if settled:
                alpha[i + 2 :] += alpha[i + 1, self._members[i + 1][0]] - before
                break
            if self.bounds.forbids:
                into = self.bounds.into if self.bounds.into.ndim == 1 else self.bounds.into[i]
                guess = (alpha[i] + share * theta[i]).max() + into + self._own_share(i + 1)
                replace_forbidden(alpha[i + 1], offers.max(), guess, self._domains[i + 1], self._floor)
        self._stale_right = len(theta)
        if not self.formulation.both_ways:
            self._changed = (len(theta), -1)

    def _own_share(self, position: int) -> FloatArray | float:
        """What of the label scores its left edge is billed for; outside the domain, the best inside (`Halves`)."""
        share = 1.0 - self.formulation.outgoing
        if share == 0.0:
            return 0.0
        theta, domain = self._theta[position], self._domains[position]
        billed: FloatArray = share * np.where(domain, theta, np.max(theta, where=domain, initial=-np.inf))
        return billed

    def _pass_left(self) -> None:
        """Eq. 11, from the last edge whose domains changed; ends like `_pass_right`."""
        theta, beta = self._theta, self._beta
        beta[-1] = 0.0
        for i in range(self._stale_left, 0, -1):
            targets = self._members[i]
            offers = beta[i, targets] + theta[i, targets]
            pairs = self._pairs(i - 1)[:, targets]
            settled = targets.size == 1 and i < self._changed[0] and not self.bounds.forbids
            before = float(beta[i - 1, self._members[i - 1][0]])
            beta[i - 1] = (offers + pairs).max(axis=1) if targets.size > 1 else offers[0] + pairs[:, 0]
            if settled:
                beta[: i - 1] += beta[i - 1, self._members[i - 1][0]] - before
                break
            if self.bounds.forbids:
                out_of = self.bounds.out_of if self.bounds.out_of.ndim == 1 else self.bounds.out_of[i - 1]
                guess = (beta[i] + theta[i]).max() + out_of
                replace_forbidden(beta[i - 1], offers.max(), guess, self._domains[i - 1], self._floor)
        self._stale_left = 0
        self._changed = (len(theta), -1)

    def _trace(self) -> tuple[IntArray, float]:
        """The best path inside the domains, and its score."""
        labels = np.empty(len(self._members), np.int64)
        forward = self._alpha + self.formulation.outgoing * self._theta
        last = self._members[-1]
        x = labels[-1] = last[forward[-1, last].argmax()]
        for i in range(len(self._members) - 2, -1, -1):
            here = self._members[i]
            x = here[(forward[i, here] + self._pairs(i)[here, x]).argmax()] if here.size > 1 else here[0]
            labels[i] = x
        return labels, self._score(labels)

    def _score(self, labels: IntArray) -> float:
        """The path's score in these scores, from the left; messages that were shifted are not as precise."""
        theta = self._theta[np.arange(labels.size), labels].tolist()
        total = theta[0]
        for i, local in enumerate(theta[1:]):
            total = local + (total + float(self._pairs(i)[labels[i], labels[i + 1]]))
        return float(total)

    def _make_view(self, value: float) -> ChainView:
        assert self._fixings is not None
        return ChainView(
            self._fixings,
            self._feasible,
            self._theta,
            self._alpha,
            self._beta,
            self._domains,
            value,
            self._floor,
            None if self._competitive is None else self._competitive | self._domains,
        )
