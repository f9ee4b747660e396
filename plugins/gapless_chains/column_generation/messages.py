"""The restricted relaxation of column generation in chains: label domains with messages from both ends."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from gapless import Certificate
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Answer, Fixings
from gapless_chains.column_generation.formulation import formulation
from gapless_chains.column_generation.gauge import GaugedScores
from gapless_chains.column_generation.label_domains import LabelDomains, LabelView
from gapless_chains.column_generation.label_pruning import competitive, repair
from gapless_chains.problem import ChainProblem
from gapless_chains.proofs.potentials import PotentialsCertificate
from gapless_chains.reachability import reached_from_left


@attrs.define(eq=False, slots=False)
class ChainView(LabelView):
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

    Examples
    --------
    >>> from gapless_chains import ChainProblem, ChainView
    >>> from gapless.roles import View
    >>> issubclass(ChainView, View)
    True
    """

    fixings: Fixings
    feasible: bool
    theta: FloatArray
    alpha: FloatArray
    beta: FloatArray
    domains: BoolArray
    value: float
    floor: float
    searched: BoolArray | None = None
    excess: FloatArray | None = attrs.field(default=None, init=False)
    point: FloatArray | None = attrs.field(default=None, init=False)


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
        Whether to work on centred scores, see `GaugedScores`. The oracle must do the same.
    prune : bool
        Whether labels that eq. 14 rules out are kept from the oracle.

    Examples
    --------
    >>> from gapless.roles import Budget, Fixings
    >>> from gapless_chains import ChainProblem, DomainMessages
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> DomainMessages(problem).solve(Fixings.none(4), Budget()).attained
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
        self.scores = GaugedScores.of(problem, centred)
        parents = np.arange(-1, problem.positions - 1)
        super().__init__(problem, first, parents, self.scores.local, self.scores.transition)
        self.prune = prune
        self._alpha = np.zeros(problem.unary.shape)
        self._beta = np.zeros(problem.unary.shape)

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
        reached = reached_from_left(view.theta, self._transition)
        return PotentialsCertificate(np.where(reached, 0.0, -np.inf))

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
        """Eq. 7, from the first edge whose domains changed.

        Past the last change, a domain of one label offers what it offered before but for a constant; so do all
        positions after it, and the constant is added without passing on (section 4.2).
        """
        theta, alpha, share = self._theta, self._alpha, self.formulation.outgoing
        alpha[0] = self._own_share(0)
        for i in range(self._stale_right, len(theta) - 1):
            sources = self._members[i]
            constant = sources.size == 1 and i > self._changed[1] and not self.bounds.forbids
            first = self._members[i + 1][0]
            before = float(alpha[i + 1, first])
            alpha[i + 1] = self._message(
                i + 1,
                alpha[i] + share * theta[i],
                sources,
                self._domains[i + 1],
                up=False,
                billed=self._own_share(i + 1),
            )
            if constant:
                alpha[i + 2 :] += alpha[i + 1, first] - before
                break
        self._stale_right = len(theta)

    def _own_share(self, position: int) -> FloatArray | float:
        """Share of the label scores billed to the left edge; outside the domain, the best inside (`Halves`)."""
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
            constant = targets.size == 1 and i < self._changed[0] and not self.bounds.forbids
            first = self._members[i - 1][0]
            before = float(beta[i - 1, first])
            beta[i - 1] = self._message(i, beta[i] + theta[i], targets, self._domains[i - 1], up=True)
            if constant:
                beta[: i - 1] += beta[i - 1, first] - before
                break
        self._stale_left = 0

    def _trace(self) -> tuple[IntArray, float]:
        """The best path inside the domains, and its score."""
        labels = np.empty(len(self._members), np.int64)
        forward = self._alpha + self.formulation.outgoing * self._theta
        last = self._members[-1]
        x = labels[-1] = last[forward[-1, last].argmax()]
        for i in range(len(self._members) - 2, -1, -1):
            here = self._members[i]
            x = here[(forward[i, here] + self._pairs(i + 1)[here, x]).argmax()] if here.size > 1 else here[0]
            labels[i] = x
        return labels, self._score(labels)

    def _score(self, labels: IntArray) -> float:
        """The path's score in these scores, from the left; messages that were shifted are not as precise."""
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
