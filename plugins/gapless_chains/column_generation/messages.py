"""The restricted relaxation of column generation in chains: label domains with messages from both ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gapless import Certificate
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import Fixings, GeneratorResult
from gapless_chains.column_generation.formulation import ChainView, formulation
from gapless_chains.column_generation.label_domains import LabelDomains
from gapless_chains.column_generation.label_pruning import competitive, repair
from gapless_chains.column_generation.reparametrisation import ReparametrisedScores
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.potentials import PotentialsCertificate
from gapless_chains.reachability import reached_from_left


class DomainMessages(LabelDomains[ChainView]):
    """A domain of labels for each position, solved by max-product messages from the left and from the right.

    See `LabelDomains`: position 0 is the root.

    Parameters
    ----------
    problem : ChainProblem
    first : {"greedy", "local"}
        First domains: the greedy path from the left, or each position's best label by its own score (the paper's,
        section 4.1).
    reduced_cost : {"both", "alpha", "alpha+theta"}
        See `Formulation`.
    centred : bool
        Whether to work on centred scores, see `ReparametrisedScores`. The oracle must do the same.
    prune : bool
        Whether labels that eq. 14 rules out are kept from the oracle.

    Examples
    --------
    >>> from gapless.roles import SolveBudget, Fixings
    >>> from gapless_chains import ChainProblem, DomainMessages
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> DomainMessages(problem).solve(Fixings.none(4), SolveBudget()).primal_value
    1.0
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
        self.formulation = formulation(reduced_cost)
        self.scores = ReparametrisedScores.of(problem, centred)
        parents = np.arange(-1, problem.positions - 1)
        super().__init__(problem, first, parents, self.scores.local, self.scores.transition)
        self.prune = prune
        self._alpha = np.zeros(problem.unary.shape)
        self._beta = np.zeros(problem.unary.shape)

    def certify(self, answers: Sequence[GeneratorResult]) -> Certificate:
        """Certify the bound by the formulation's potentials, in the problem's original scores.

        Labels that fixings removed keep finite potentials, so that the certificate still says something under other
        fixings.
        """
        view = self.view()
        if view.feasible:
            local = self.scores.local
            potentials = self.formulation.potentials(view, np.where(local > -np.inf, local, 0.0))
            # Pruned labels were not priced; eq. 14 says which potentials they may have.
            if view.searched is not None and view.excess is not None:
                pruned = ~view.searched & (view.theta > -np.inf)
                repair(potentials, view.excess, pruned, view.theta, self.bounds)
            # Centring moved scores from edges to labels; potentials of the original scores lack that part.
            if self.scores.leaving is not None:
                potentials -= self.scores.leaving
            return PotentialsCertificate(potentials)
        # Without an allowed path, potentials of -inf where no prefix ends prove just that.
        reachable = reached_from_left(view.theta, self._transition)
        return PotentialsCertificate(np.where(reachable, 0.0, -np.inf))

    # --- stale messages

    def _entered(self) -> None:
        self._competitive = competitive(self._theta, self.bounds) if self.prune else None
        self._stale_right, self._stale_left = 0, len(self._members) - 1
        self._changed = (0, len(self._members) - 1)

    def _widened(self, nodes: IntArray) -> None:
        # The message *to* a position depends on its own domain too, by the guess for forbidden pairs.
        self._stale_right = min(self._stale_right, max(int(nodes[0]) - 1, 0))
        self._stale_left = max(self._stale_left, min(int(nodes[-1]) + 1, len(self._members) - 1))
        self._changed = min(self._changed[0], int(nodes[0])), max(self._changed[1], int(nodes[-1]))

    # --- messages

    def _pass_messages(self) -> None:
        self._pass_right()
        if self.formulation.both_ways:
            self._pass_left()
        self._changed = (len(self._theta), -1)

    def _pass_right(self) -> None:
        """Compute eq. 7, from the first edge whose domains changed.

        Past the last change, a domain of one label offers what it offered before but for a constant; so do all
        positions after it, and the constant is added without passing on (section 4.2).
        """
        theta, alpha, share = self._theta, self._alpha, self.formulation.outgoing
        alpha[0] = self._own_share(0)
        for i in range(self._stale_right, len(theta) - 1):
            sources = self._members[i]
            constant = sources.size == 1 and i > self._changed[1] and not self.bounds.forbids
            first = self._members[i + 1][0]
            previous = float(alpha[i + 1, first])
            alpha[i + 1] = self._message(
                i + 1,
                alpha[i] + share * theta[i],
                sources,
                self._domains[i + 1],
                up=False,
                billed=self._own_share(i + 1),
            )
            if constant:
                alpha[i + 2 :] += alpha[i + 1, first] - previous
                break
        self._stale_right = len(theta)

    def _own_share(self, position: int) -> FloatArray | float:
        """Return the share of label scores billed to the left edge; outside the domain, the best inside."""
        share = 1.0 - self.formulation.outgoing
        if share == 0.0:
            return 0.0
        theta, domain = self._theta[position], self._domains[position]
        billed: FloatArray = share * np.where(domain, theta, np.max(theta, where=domain, initial=-np.inf))
        return billed

    def _pass_left(self) -> None:
        """Compute eq. 11, from the last edge whose domains changed; ends like `_pass_right`."""
        theta, beta = self._theta, self._beta
        beta[-1] = 0.0
        for i in range(self._stale_left, 0, -1):
            targets = self._members[i]
            constant = targets.size == 1 and i < self._changed[0] and not self.bounds.forbids
            first = self._members[i - 1][0]
            previous = float(beta[i - 1, first])
            beta[i - 1] = self._message(i, beta[i] + theta[i], targets, self._domains[i - 1], up=True)
            if constant:
                beta[: i - 1] += beta[i - 1, first] - previous
                break
        self._stale_left = 0

    def _trace(self) -> tuple[IntArray, float]:
        """Find the best path inside the domains; return it with its score."""
        labels = np.empty(len(self._members), np.int64)
        forward = self._alpha + self.formulation.outgoing * self._theta
        last = self._members[-1]
        x = labels[-1] = last[forward[-1, last].argmax()]
        for i in range(len(self._members) - 2, -1, -1):
            domain = self._members[i]
            x = (
                domain[(forward[i, domain] + self._pairs(i + 1)[domain, x]).argmax()]
                if domain.size > 1
                else domain[0]
            )
            labels[i] = x
        return labels, self._score(labels)

    def _score(self, labels: IntArray) -> float:
        """Sum a path's (possibly centred) scores from the left; messages shifted by constants are less precise."""
        theta = self._theta[np.arange(labels.size), labels].tolist()
        total = theta[0]
        for i, local in enumerate(theta[1:]):
            total = local + (total + float(self._pairs(i + 1)[labels[i], labels[i + 1]]))
        return float(total)

    def _snapshot(self, fixings: Fixings, value: float) -> ChainView:
        return ChainView(
            fixings,
            self._feasible,
            self._theta,
            self._alpha,
            self._beta,
            self._domains,
            value,
            self._floor,
            None if self._competitive is None else self._competitive | self._domains,
        )
