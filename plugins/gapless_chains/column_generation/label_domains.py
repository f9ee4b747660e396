"""The restricted relaxation of column generation: label domains on a rooted tree; a chain is the simplest."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, TypeVar

import numpy as np

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.spelling_hint import check_choice
from gapless.roles import Batch, Fixings, MasterView, RelaxationResult, RestrictedMaster, SolveBudget
from gapless_chains.node_labelling import NodeLabelling
from gapless_chains.reachability import reached_from_below
from gapless_chains.transition_bounds import transition_bounds

FIRST = ("greedy", "local")
"""The option ``first``."""


class LabelView(MasterView):
    """The messages of a restricted relaxation, as the oracle sees them.

    Attributes
    ----------
    feasible : bool
        Whether anything is allowed under the fixings; if not, the messages mean nothing.
    domains : bool (n, K)
        Labels in the restricted relaxation.
    """

    feasible: bool
    domains: BoolArray


V = TypeVar("V", bound=LabelView)


class LabelDomains(RestrictedMaster[IntArray, V]):
    """A domain of labels for each node of a rooted tree, solved by max-product messages.

    The messages are the duals of the restricted linear program (no solver is called). In-domain they maximise over
    the neighbour's domain, and so do those of the labels outside: a guess that should be feasible for the whole
    program (Belanger et al. 2012, section 4.2, eqs 7 and 11, and appendix A.1).

    Forbidden transitions: a message over forbidden pairs only would be minus infinity. In-domain it becomes a
    finite floor, below every allowed labelling, which keeps all reduced costs finite. Outside, where any guess is
    allowed, it becomes the bound that the best neighbour and `TransitionBounds` give: the floor would make nearly
    every label look attractive. The domains always hold an allowed labelling, or it is proved that there is none.

    Columns are keyed by decision. The state that solves return and take is the domains, bool (n, K).

    Parameters
    ----------
    first : {"greedy", "local"}
        First domains: the greedy labelling from the root, or each node's best label by its own score (the paper's,
        section 4.1).
    parents : int64 (n,)
        The parent of each node, which comes before it; -1 for a root.
    local : float64 (n, K)
        Label scores; minus infinity forbids.
    transition : float64 (K, K), (n-1, K, K) or (n, K, K)
        Pair scores, the parent's label first; of many, the last is that of the edge above node n - 1.
    """

    def __init__(
        self, problem: NodeLabelling, first: str, parents: IntArray, local: FloatArray, transition: FloatArray
    ) -> None:
        check_choice("first", first, FIRST)
        self.problem: NodeLabelling = problem
        self.first = first
        self.bounds = transition_bounds(transition)
        self._parents: list[int] = parents.tolist()
        self._local, self._transition = local, transition
        self._root_rows = len(local) - len(transition)
        self._generated = np.zeros(local.shape, bool)
        self._fixings: Fixings | None = None
        self._view: V | None = None

    @abstractmethod
    def _entered(self) -> None:
        """Mark all messages stale, since the fixings have changed."""

    @abstractmethod
    def _widened(self, nodes: IntArray) -> None:
        """Mark the messages stale that depend on the domains of these nodes, which have grown."""

    @abstractmethod
    def _pass_messages(self) -> None:
        """Pass again whatever messages a changed domain reaches."""

    @abstractmethod
    def _trace(self) -> tuple[IntArray, float]:
        """Find the best labelling inside the domains; return it with its score."""

    @abstractmethod
    def _snapshot(self, fixings: Fixings, value: float) -> V:
        """Make the view that follows a solve of this value."""

    # --- the role

    def solve(
        self, fixings: Fixings, budget: SolveBudget, *, incumbent: float = -math.inf, state: Any = None
    ) -> RelaxationResult[IntArray]:
        """Pass messages and trace the best labelling inside the domains.

        `state` is the domains of another solve; only messages that a changed domain reaches are passed again.
        """
        if state is not None:
            self._widen(state)
        # Identity first: most rounds pass the same fixings again, and comparing arrays costs more.
        if self._fixings is None or (fixings is not self._fixings and fixings != self._fixings):
            self._fixings = fixings
            self._enter()
        if not self._feasible:
            self._view = self._snapshot(self._fixings, -math.inf)
            return RelaxationResult(-math.inf)
        self._pass_messages()
        labels, value = self._trace()
        self._view = self._snapshot(self._fixings, value)
        point = np.zeros(self._theta.shape)
        point[np.arange(labels.size), labels] = 1.0
        return RelaxationResult(value, point.ravel(), labels, primal_value=value, state=self._generated.copy())

    def extend(self, batch: Batch) -> int:
        """Put labels into the domains; columns are keyed by decision."""
        new = np.zeros(self._generated.shape, bool)
        new.ravel()[batch.columns.keys] = True
        return self._widen(new)

    def view(self) -> V:
        """Return the messages of the last solve."""
        if self._view is None:
            raise RuntimeError("view() before solve()")
        return self._view

    @property
    def generated(self) -> int:
        """Number of labels in the domains of all nodes together."""
        return int(self._generated.sum())

    # --- domains

    def _enter(self) -> None:
        """Begin with other fixings: mask the scores, make sure that the domains hold an allowed labelling."""
        fixings = self._fixings
        assert fixings is not None
        # Without fixings the scores serve as they are: a mask would copy them for every solve.
        free = not (fixings.state >= 0).any()
        self._theta = self._local if free else np.where(self.problem.allowed(fixings), self._local, -np.inf)
        forbids = self.bounds.forbids
        self._floor = floor_below_every_labelling(self._theta, self.bounds.largest) if forbids else -math.inf
        labels = self._first_labelling()
        self._feasible = labels is not None
        if labels is not None:
            self._generated[np.arange(labels.size), labels] = True
        self._domains = self._generated & (self._theta > -np.inf)
        self._members = [np.flatnonzero(row) for row in self._domains]
        self._entered()

    def _first_labelling(self) -> IntArray | None:
        """Find an allowed labelling for the first domains; None if there is none."""
        theta = self._theta
        labels = theta.argmax(axis=1) if self.first == "local" else self._greedy(theta)
        if self._allowed(labels):
            return labels
        # Dead end: look ahead once over all labels, then no greedy step can fail.
        reachable = reached_from_below(theta, self._parents, self._pairs)
        labels = self._greedy(np.where(reachable, theta, -np.inf))
        return labels if self._allowed(labels) else None

    def _greedy(self, theta: FloatArray) -> IntArray:
        labels = np.empty(len(theta), np.int64)
        for i, parent in enumerate(self._parents):
            scores = theta[i] if parent < 0 else theta[i] + self._pairs(i)[labels[parent]]
            labels[i] = scores.argmax()
        return labels

    def _allowed(self, labels: IntArray) -> bool:
        if not (self._theta[np.arange(labels.size), labels] > -np.inf).all():
            return False
        return not self.bounds.forbids or self.problem.value(labels) > -np.inf

    def _widen(self, labels: BoolArray) -> int:
        """Add labels; return how many were new."""
        new = labels & ~self._generated
        nodes = np.flatnonzero(new.any(axis=1))
        if not nodes.size:
            return 0
        self._generated |= new
        # Before the first solve there are no messages to mark stale.
        if self._fixings is None:
            return int(nodes.size)
        new &= self._theta > -np.inf
        self._domains |= new
        for i in nodes.tolist():
            self._members[i] = np.flatnonzero(self._domains[i])
        self._widened(nodes)
        return int(new.sum())

    # --- messages

    def _pairs(self, node: int) -> FloatArray:
        """Return the pair scores of the edge above a node, the parent's label first."""
        return self._transition if self._transition.ndim == 2 else self._transition[node - self._root_rows]

    def _message(
        self,
        node: int,
        scores: FloatArray,
        members: IntArray,
        receiver: BoolArray,
        *,
        up: bool,
        billed: FloatArray | float = 0.0,
    ) -> FloatArray:
        """Maximise `scores` + pair score over the sender's domain, for each label of the receiver.

        Over the edge above `node`, from it (`up`) or to it. What the receiver is billed for its labels is added.
        """
        pairs = self._pairs(node).T if up else self._pairs(node)
        offers, rows = scores[members], pairs[members]
        # Most domains hold one label, which needs no maximum (section 4.2).
        message: FloatArray = (offers[:, None] + rows).max(axis=0) if members.size > 1 else offers[0] + rows[0]
        message += billed
        if self.bounds.forbids:
            ends = self.bounds.out_of if up else self.bounds.into
            guess = scores.max() + (ends if ends.ndim == 1 else ends[node - self._root_rows]) + billed
            finite_stand_ins(message, float(offers.max()), guess, receiver, self._floor)
        return message


def floor_below_every_labelling(theta: FloatArray, largest: float) -> float:
    """Return a penalty that no labelling can earn back: eight times the largest magnitude of a labelling's score.

    `theta` (float64 (n, K)): label scores. `largest`: largest finite magnitude of a pair score.
    """
    finite = np.isfinite(theta)
    local = float(np.max(np.abs(theta), axis=1, where=finite, initial=0.0).sum())
    # 1 keeps the floor below 0 if all scores are 0; a factor of eight leaves room for floors inside differences
    # of messages.
    return -8.0 * (local + len(theta) * largest + 1.0)


def finite_stand_ins(message: FloatArray, best: float, guess: FloatArray, domain: BoolArray, floor: float) -> None:
    """Give a number to the entries of a message that only forbidden pairs could make.

    In the domain that is the floor, below every labelling. Outside, where any guess is allowed, it is `guess`: the
    floor would make nearly every label look attractive.

    Parameters
    ----------
    message : float64 (K,)
        Changed in place.
    best : float
        The largest offer that the message was made of.
    guess : float64 (K,)
    domain : bool (K,)
        Labels of the receiver that are in its domain.
    """
    forbidden = message == -np.inf
    if forbidden.any():
        outside = np.where(guess > -np.inf, guess, best + floor)
        message[forbidden] = np.where(domain, best + floor, outside)[forbidden]
