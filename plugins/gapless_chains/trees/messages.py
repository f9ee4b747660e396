"""The restricted relaxation of column generation in trees: label domains with messages both ways over each edge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless import Answer, Batch, Budget, Certificate, Fixings, Relaxed, UnknownOption, View
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless_chains.column_generation.domain_generation import LabelDomains
from gapless_chains.column_generation.edge_pricing import ULPS
from gapless_chains.column_generation.forbidden import floor_below_every_labelling, replace_forbidden
from gapless_chains.transition_bounds import TransitionBounds, transition_bounds
from gapless_chains.trees.certificate import TreePotentialsCertificate
from gapless_chains.trees.problem import TreeProblem
from gapless_chains.trees.reachability import reached_from_below
from gapless_chains.trees.weights import root_weights


class TreeView(View):
    """The messages of a restricted tree, as the oracle sees them. Rows of roots in edge arrays mean nothing.

    Attributes
    ----------
    feasible : bool
        Whether anything is allowed under the fixings; if not, the messages mean nothing.
    theta : float64 (n, K)
        Label scores; minus infinity where forbidden or fixed away.
    up, down : float64 (n, K)
        Messages over the edge above each node: what it offers to each label of its parent, and what the parent,
        with everything else beyond the edge, offers to each of its own. Finite.
    below, beyond : float64 (n, K)
        The score that reaches each end of the edge above a node without that edge: at the node itself, and at its
        parent. Minus infinity where `theta` is.
    domains : bool (n, K)
        Labels in the restricted relaxation.
    values : float64 (n,)
        The optimum of each node's tree in the restricted relaxation.
    floor : float
        Below every allowed labelling; messages that only forbidden pairs could make are that low. Minus infinity if
        no pair is forbidden.
    weights, above : float64 (n,)
        See `root_weights`.
    """

    def __init__(
        self,
        fixings: Fixings,
        feasible: bool,
        theta: FloatArray,
        up: FloatArray,
        down: FloatArray,
        below: FloatArray,
        beyond: FloatArray,
        domains: BoolArray,
        values: FloatArray,
        floor: float,
        weights: FloatArray,
        above: FloatArray,
    ) -> None:
        super().__init__(fixings)
        self.feasible = feasible
        self.theta = theta
        self.up = up
        self.down = down
        self.below = below
        self.beyond = beyond
        self.domains = domains
        self.values = values
        self.floor = floor
        self.weights = weights
        self.above = above


class TreeMessages(LabelDomains[TreeView]):
    """A domain of labels for each node, solved by max-product messages from the leaves up and from the roots down.

    The messages are the duals of the restricted linear program (no solver is called). In-domain they maximise over
    the neighbour's domain, and so do those of the labels outside: a guess that should be feasible for the whole
    program (Belanger et al. 2012, section 4.2 and appendix A.1). Only messages that a changed domain or a changed
    message reaches are passed again.

    Forbidden transitions are treated as by `gapless_chains.DomainMessages`. The domains always hold an allowed
    labelling, or it is proved that there is none.

    Parameters
    ----------
    problem : TreeProblem
    first : {"greedy", "local"}
        First domains: the greedy labelling from the roots down, or each node's best label by its own score.
    """

    def __init__(self, problem: TreeProblem, *, first: str = "greedy") -> None:
        if first not in ("greedy", "local"):
            raise UnknownOption(f"first is {first!r}, expected 'greedy' or 'local'")
        self.problem = problem
        self.first = first
        self.bounds: TransitionBounds = transition_bounds(problem.transition)
        self.weights, self.above = root_weights(problem)
        shape = problem.unary.shape
        self._generated = np.zeros(shape, bool)
        self._fixings: Fixings | None = None
        self._up, self._down = np.zeros(shape), np.zeros(shape)
        self._below, self._beyond = np.zeros(shape), np.zeros(shape)
        self._children: list[list[int]] = [[] for _ in range(problem.positions)]
        for i in problem.inner.tolist():
            self._children[problem.parents[i]].append(i)
        self._view: TreeView | None = None

    # --- the role

    def solve(
        self, fixings: Fixings, budget: Budget, *, incumbent: float = -math.inf, state: Any = None
    ) -> Relaxed[IntArray]:
        """Pass messages and trace the best labelling inside the domains.

        `state` is the domains of another solve.
        """
        if state is not None:
            self._widen(state)
        if fixings is not self._fixings and fixings != self._fixings:
            self._enter(fixings)
        if not self._feasible:
            self._view = self._make_view(np.full(self.problem.positions, -math.inf))
            return Relaxed(-math.inf)
        self._pass_messages()
        labels, values = self._trace()
        value = math.fsum(values[self.problem.parents < 0].tolist())
        self._view = self._make_view(values)
        point = np.zeros(self._theta.shape)
        point[np.arange(labels.size), labels] = 1.0
        return Relaxed(value, point.ravel(), labels, attained=value, state=self._generated.copy())

    def extend(self, batch: Batch) -> int:
        """Put labels into the domains; columns are keyed by decision."""
        new = np.zeros(self._generated.shape, bool)
        new.ravel()[batch.columns.keys] = True
        return self._widen(new)

    def view(self) -> TreeView:
        """The messages of the last solve."""
        if self._view is None:
            raise RuntimeError("view() before solve()")
        return self._view

    def certify(self, answers: Sequence[Answer]) -> Certificate:
        """Potentials between the messages of both directions; see `potentials`."""
        view = self.view()
        if view.feasible:
            return TreePotentialsCertificate(potentials(view, self.problem))
        reached = reached_from_below(self.problem, view.theta)
        return TreePotentialsCertificate(np.where(reached, 0.0, -np.inf))

    @property
    def generated(self) -> int:
        """How many labels the domains hold, all nodes together."""
        return int(self._generated.sum())

    @property
    def rounding(self) -> float:
        """What float64 may have done to the reduced costs of all edges together."""
        return ULPS * len(self._up) * max(float(np.abs(self._up).max()), float(np.abs(self._down).max()))

    # --- domains

    def _enter(self, fixings: Fixings) -> None:
        """Begin with other fixings: mask the scores, make sure that the domains hold an allowed labelling."""
        self._fixings = fixings
        problem = self.problem
        free = not (fixings.state >= 0).any()
        self._theta = problem.unary if free else np.where(problem.allowed(fixings), problem.unary, -np.inf)
        forbids = self.bounds.forbids
        self._floor = floor_below_every_labelling(self._theta, self.bounds.largest) if forbids else -math.inf
        labels = self._first_labelling()
        self._feasible = labels is not None
        if labels is not None:
            self._generated[np.arange(labels.size), labels] = True
        self._domains = self._generated & (self._theta > -np.inf)
        self._members = [np.flatnonzero(row) for row in self._domains]
        self._changed = np.ones(problem.positions, bool)
        self._fresh = True

    def _first_labelling(self) -> IntArray | None:
        """An allowed labelling to begin with; None when there is none."""
        theta = self._theta
        labels = theta.argmax(axis=1) if self.first == "local" else self._greedy(theta)
        if self._allowed(labels):
            return labels
        # Dead end: look ahead once over all labels, then no greedy step can fail.
        labels = self._greedy(np.where(reached_from_below(self.problem, theta), theta, -np.inf))
        return labels if self._allowed(labels) else None

    def _greedy(self, theta: FloatArray) -> IntArray:
        labels = np.empty(len(theta), np.int64)
        for i, parent in enumerate(self.problem.parents.tolist()):
            scores = theta[i] if parent < 0 else theta[i] + self.problem.pairs(i)[labels[parent]]
            labels[i] = scores.argmax()
        return labels

    def _allowed(self, labels: IntArray) -> bool:
        if not (self._theta[np.arange(labels.size), labels] > -np.inf).all():
            return False
        return not self.bounds.forbids or self.problem.value(labels) > -np.inf

    def _widen(self, labels: BoolArray) -> int:
        """Add labels; return how many were new and remember whose messages they change."""
        new = labels & ~self._generated
        nodes = np.flatnonzero(new.any(axis=1))
        if not nodes.size:
            return 0
        self._generated |= new
        if self._fixings is None:
            return int(nodes.size)
        new &= self._theta > -np.inf
        self._domains |= new
        for i in nodes.tolist():
            self._members[i] = np.flatnonzero(self._domains[i])
        self._changed[nodes] = True
        return int(new.sum())

    # --- messages

    def _pass_messages(self) -> None:
        """Pass up, then down, whatever the changed domains reach."""
        parents = self.problem.parents.tolist()
        changed = self._changed
        # Whether the score that reaches a node from below has changed, and what its parent hears from it.
        stale_below = np.full(changed.size, self._fresh)
        stale_up = np.zeros(changed.size, bool)
        for i in range(changed.size - 1, -1, -1):
            if stale_below[i]:
                self._below[i] = self._theta[i]
                for child in self._children[i]:
                    self._below[i] += self._up[child]
            parent = parents[i]
            # A message depends on the receiver's domain too, by the guess for forbidden pairs.
            if parent >= 0 and (stale_below[i] or changed[i] or (self.bounds.forbids and changed[parent])):
                message = self._message(i, self._below[i], self._members[i], self._domains[parent], up=True)
                if self._fresh or not np.array_equal(message, self._up[i]):
                    self._up[i] = message
                    stale_up[i] = stale_below[parent] = True
        stale_down = np.zeros(changed.size, bool)
        for p, children in enumerate(self._children):
            if not children:
                continue
            if self._fresh or stale_down[p] or stale_up[children].any():
                self._beyond[children] = self._theta[p] + _without_each(self._up[children])
                if parents[p] >= 0:
                    self._beyond[children] += self._down[p]
            elif not (changed[p] or (self.bounds.forbids and changed[children].any())):
                continue
            for c in children:
                message = self._message(c, self._beyond[c], self._members[p], self._domains[c], up=False)
                if self._fresh or not np.array_equal(message, self._down[c]):
                    self._down[c] = message
                    stale_down[c] = True
        changed[:] = False
        self._fresh = False

    def _message(
        self, node: int, scores: FloatArray, members: IntArray, receiver: BoolArray, *, up: bool
    ) -> FloatArray:
        """The best of `scores` + pair score over the sender's domain, for each label of the receiver."""
        pairs = self.problem.pairs(node) if not up else self.problem.pairs(node).T
        offers = scores[members]
        rows = pairs[members]
        message: FloatArray = (offers[:, None] + rows).max(axis=0) if members.size > 1 else offers[0] + rows[0]
        if self.bounds.forbids:
            ends = self.bounds.out_of if up else self.bounds.into
            guess = scores.max() + (ends if ends.ndim == 1 else ends[node])
            replace_forbidden(message, float(offers.max()), guess, receiver, self._floor)
        return message

    def _trace(self) -> tuple[IntArray, FloatArray]:
        """The best labelling inside the domains, and the score of each node's tree."""
        labels = np.empty(len(self._members), np.int64)
        values = np.empty(len(self._members))
        for i, parent in enumerate(self.problem.parents.tolist()):
            here = self._members[i]
            scores = self._below[i, here]
            if parent >= 0:
                values[i] = values[parent]
                scores = scores + self.problem.pairs(i)[labels[parent], here]
            best = int(scores.argmax())
            labels[i] = here[best]
            if parent < 0:
                values[i] = scores[best]
        return labels, values

    def _make_view(self, values: FloatArray) -> TreeView:
        assert self._fixings is not None
        return TreeView(
            self._fixings,
            self._feasible,
            self._theta,
            self._up,
            self._down,
            self._below,
            self._beyond,
            self._domains,
            values,
            self._floor,
            self.weights,
            self.above,
        )


def _without_each(rows: FloatArray) -> FloatArray:
    """For each row the sum of the others; not by subtraction, where a floor among them would round it away."""
    if len(rows) == 1:
        return np.zeros_like(rows)
    before = np.zeros_like(rows)
    after = np.zeros_like(rows)
    np.cumsum(rows[:-1], axis=0, out=before[1:])
    np.cumsum(rows[:0:-1], axis=0, out=after[-2::-1])
    return before + after


def potentials(view: TreeView, problem: TreeProblem) -> FloatArray:
    """Potentials whose bound is the restricted optimum plus all positive reduced costs, float64 (n, K).

    Rooted above an edge, the messages suggest `below` for the node under it (the best score of its subtree); rooted
    elsewhere, minus `down`. With the shares `above` of the roots,

        ``m_i = above_i below_i - (1 - above_i) down_i``,

    and ``weights_r (below_r)`` at a root. The excess of an edge is then its reduced cost, and node i adds
    ``weights_i`` times the best score that reaches it.

    Labels that fixings removed keep finite potentials (of the problem's own scores), so that the certificate still
    says something under other fixings.
    """
    inner = problem.inner
    below = np.where(problem.unary > -np.inf, problem.unary, 0.0)
    np.add.at(below, problem.parents[inner], view.up[inner])
    mixed: FloatArray = view.above[:, None] * below - (1.0 - view.above[:, None]) * view.down
    roots = problem.parents < 0
    mixed[roots] = view.weights[roots, None] * below[roots]
    return mixed
