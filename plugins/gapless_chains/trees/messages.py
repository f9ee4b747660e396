"""The restricted relaxation of column generation in trees: label domains with messages both ways on each edge."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np

from gapless import Certificate
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Fixings, GeneratorResult
from gapless_chains.column_generation.edge_pricing import ULPS
from gapless_chains.column_generation.label_domains import LabelDomains, LabelView
from gapless_chains.label_maximiser import sums_of_others
from gapless_chains.proofs.potentials import TreePotentialsCertificate
from gapless_chains.reachability import reached_from_below
from gapless_chains.trees.problem import TreeProblem


@attrs.define(eq=False, slots=False)
class TreeView(LabelView):
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

    Examples
    --------
    >>> from gapless.roles import MasterView
    >>> from gapless_chains import TreeView
    >>> issubclass(TreeView, MasterView)
    True
    """

    fixings: Fixings
    feasible: bool
    theta: FloatArray
    up: FloatArray
    down: FloatArray
    below: FloatArray
    beyond: FloatArray
    domains: BoolArray
    values: FloatArray
    floor: float
    weights: FloatArray
    above: FloatArray
    point: FloatArray | None = attrs.field(default=None, init=False)


class TreeMessages(LabelDomains[TreeView]):
    """A domain of labels for each node, solved by max-product messages from the leaves up and from the roots down.

    See `LabelDomains`. Only messages that a changed domain or a changed message reaches are passed again.

    Parameters
    ----------
    problem : TreeProblem
    first : {"greedy", "local"}
        First domains: the greedy labelling from the roots down, or each node's best label by its own score.

    Examples
    --------
    >>> from gapless.roles import SolveBudget, Fixings
    >>> from gapless_chains import TreeMessages
    >>> from gapless_chains import TreeProblem
    >>> tree = TreeProblem([[2.0, 0.0], [0.0, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]], parents=[-1, 0, 0])
    >>> TreeMessages(tree).solve(Fixings.none(tree.decisions.count), SolveBudget()).primal_value
    4.5
    """

    problem: TreeProblem

    def __init__(self, problem: TreeProblem, *, first: str = "greedy") -> None:
        super().__init__(problem, first, problem.parents, problem.unary, problem.transition)
        self.weights, self.above = root_weights(problem)
        shape = problem.unary.shape
        self._up, self._down = np.zeros(shape), np.zeros(shape)
        self._below, self._beyond = np.zeros(shape), np.zeros(shape)
        self._children: list[list[int]] = [[] for _ in range(problem.positions)]
        for i in problem.inner.tolist():
            self._children[problem.parents[i]].append(i)

    def certify(self, answers: Sequence[GeneratorResult]) -> Certificate:
        """Certify the bound by potentials that combine the messages of both directions; see `potentials`."""
        view = self.view()
        if view.feasible:
            return TreePotentialsCertificate(potentials(view, self.problem))
        # Without an allowed labelling, potentials of -inf where no subtree labelling exists prove just that.
        reachable = reached_from_below(view.theta, self._parents, self._pairs)
        return TreePotentialsCertificate(np.where(reachable, 0.0, -np.inf))

    @property
    def rounding(self) -> float:
        """Largest error that float64 may have left in the reduced costs of all edges together."""
        return ULPS * len(self._up) * max(float(np.abs(self._up).max()), float(np.abs(self._down).max()))

    # --- stale messages

    def _entered(self) -> None:
        self._changed = np.ones(self.problem.positions, bool)
        self._fresh = True
        self._values = np.full(self.problem.positions, -math.inf)

    def _widened(self, nodes: IntArray) -> None:
        self._changed[nodes] = True

    # --- messages

    def _pass_messages(self) -> None:
        """Pass up, then down, whatever the changed domains reach."""
        parents = self._parents
        changed = self._changed
        # Whether the score that reaches a node from below has changed, and whether its message to the parent has.
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
                self._beyond[children] = self._theta[p] + sums_of_others(self._up[children])
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

    def _trace(self) -> tuple[IntArray, float]:
        labels = np.empty(len(self._members), np.int64)
        self._values = values = np.empty(len(self._members))
        for i, parent in enumerate(self._parents):
            domain = self._members[i]
            scores = self._below[i, domain]
            if parent >= 0:
                values[i] = values[parent]
                scores = scores + self._pairs(i)[labels[parent], domain]
            best = int(scores.argmax())
            labels[i] = domain[best]
            if parent < 0:
                values[i] = scores[best]
        return labels, math.fsum(values[self.problem.parents < 0].tolist())

    def _snapshot(self, fixings: Fixings, value: float) -> TreeView:
        return TreeView(
            fixings,
            self._feasible,
            self._theta,
            self._up,
            self._down,
            self._below,
            self._beyond,
            self._domains,
            self._values,
            self._floor,
            self.weights,
            self.above,
        )


def potentials(view: TreeView, problem: TreeProblem) -> FloatArray:
    """Compute potentials whose bound is the restricted optimum plus all positive reduced costs, float64 (n, K).

    Rooted above an edge, the messages suggest `below` for the node under it (the best score of its subtree); rooted
    elsewhere, minus `down`. With the shares `next_float` of the roots,

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


def root_weights(problem: TreeProblem) -> tuple[FloatArray, FloatArray]:
    """Compute the weight of each node as the root of its tree, and for each edge the share of roots above it.

    Messages toward any one root are a dual solution of the tree's local polytope, and so is every convex
    combination over roots. The weights are equal on the nodes with at most one neighbour, and 0 elsewhere. A path
    then gets 1/2 on both ends and 1/2 on every edge: the reduced cost of Belanger et al. 2012, eq. 12.

    With 1/2 on every edge of a tree that branches, the node terms would have the weight ``1 - degree / 2``, below
    0. That is no dual solution: a label that gains a little on each edge of a branching node looks unattractive on
    all of them, and the search would end too early.

    Returns
    -------
    weights : float64 (n,)
        Sum to 1 in each tree.
    above : float64 (n,)
        Strictly between 0 and 1 for a node with a parent; 1 for a root.
    """
    inner, parents = problem.inner, problem.parents
    degree = np.bincount(parents[inner], minlength=problem.positions)
    degree[inner] += 1
    ends = (degree <= 1).astype(np.int64)
    below = ends.copy()
    for i in inner[::-1].tolist():
        below[parents[i]] += below[i]
    total = below[problem.roots]
    above = np.where(parents >= 0, (total - below) / total, 1.0)
    return ends / total, above
