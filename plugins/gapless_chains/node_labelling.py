"""The common part of chains and trees: a label for every node, its 0/1 decisions, and sentences about them."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from gapless import InvalidProblem, Problem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.decisions.decisions import OFF, ON
from gapless.oracles.verifier_bounds import CheckedBounds
from gapless.problems.names import Names
from gapless.roles import Decisions, Fixings
from gapless_chains.identity_cache import IdentityCache
from gapless_chains.scores import scores

_LATEST = 2
_latest: deque[FloatArray] = deque(maxlen=_LATEST)


def _as_before(values: FloatArray) -> FloatArray:
    """Return a recently read array with the same numbers if there is one, so that its tables are used again."""
    restored = scores("scores", values)
    if restored is values or restored.ndim != 2:
        return restored
    for cached in tuple(_latest):
        if np.array_equal(cached, restored):
            return cached
    _latest.append(restored)
    return restored


# Problems that shared an array go on sharing it: it is one object as long as they are being read.
_restored = IdentityCache(partial(scores, "scores"))
_restored_transition = IdentityCache(_as_before)


class NodeLabelling(Problem[IntArray]):
    """A problem whose structures are int64 arrays (n,) of labels, one for each node.

    Subclasses are attrs classes with the fields `unary` and `labels`.

    Attributes
    ----------
    unary : float64 (n, K)
        Score of each label at each node.
    transition : float64
        Scores of neighbouring labels.
    labels : tuple of K str or None
        Names, for messages.
    shape_word, node_word, nodes_word : str
        Words of messages for the problem, a node and nodes.
    """

    shape_word: ClassVar[str]
    node_word: ClassVar[str]
    nodes_word: ClassVar[str] = "nodes"
    unary: FloatArray
    transition: FloatArray
    labels: tuple[str, ...] | None

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled and copied arrays may be writeable, but tables are remembered by the identity of scores.
        for name, stored in state.items():
            if isinstance(stored, np.ndarray) and stored.dtype == np.float64:
                self.__dict__[name] = (_restored_transition if name == "transition" else _restored)(stored)
            else:
                self.__dict__[name] = stored

    # --- sizes and derived arrays

    @property
    def positions(self) -> int:
        """The number of nodes, n."""
        return len(self.unary)

    @property
    def label_count(self) -> int:
        """The number of labels, K."""
        return int(self.unary.shape[1])

    @property
    @abstractmethod
    def local(self) -> FloatArray:
        """Label scores with all that depends on one label only, float64 (n, K), read-only."""

    @cached_property
    def decisions(self) -> Decisions:
        """Decision ``i * K + x`` says that node i has label x; each node has exactly one."""
        n, k = self.unary.shape
        return Decisions(n * k, self._name, exactly_one=tuple(range(i * k, (i + 1) * k) for i in range(n)))

    def free(self, fixings: Fixings) -> BoolArray:
        """Select the labels that `fixings` leave at each node, bool (n, K).

        A label fixed on excludes the others of its node, and two of them exclude each other.
        """
        state = fixings.state.reshape(self.unary.shape)
        on = state == ON
        others_on = on.sum(axis=1, keepdims=True) - on
        remaining: BoolArray = (state != OFF) & (others_on == 0)
        return remaining

    def allowed(self, fixings: Fixings) -> BoolArray:
        """Select the labels that both `fixings` and the label scores leave at each node, bool (n, K)."""
        return self.free(fixings) & (self.local > -np.inf)

    # --- the role

    def value(self, structure: IntArray) -> float:
        """Sum the scores in float64, node by node: ``local_i + (sum so far + transition)``.

        Minus infinity if a hard constraint is broken. A path has the same value as a chain and as a tree.
        """
        labels = self._read(structure)
        # The kernels add in this order: where large scores cancel, another order gives another sum.
        total = 0.0
        for local, pair in zip(
            self.local[np.arange(labels.size), labels].tolist(), self._pair_scores(labels).tolist(), strict=True
        ):
            total = local + (total + pair)
        return total + self.factor_value(labels) if self.factors else total

    @abstractmethod
    def _pair_scores(self, labels: IntArray) -> FloatArray:
        """Return the score of the edge above each node, float64 (n,); 0 for a root."""

    def violations(self, structure: IntArray) -> Sequence[str]:
        """Describe a wrong length, unknown labels, forbidden labels and forbidden transitions."""
        n, k = self.unary.shape
        labels = np.asarray(structure)
        if labels.shape != (n,):
            return [f"the labels have shape {labels.shape}, expected {(n,)}, one for each {self.node_word}"]
        if labels.dtype.kind not in "iu":
            return [f"the labels have dtype {labels.dtype}, expected integers"]
        unknown = (labels < 0) | (labels >= k)
        if unknown.any():
            nodes = np.flatnonzero(unknown)
            return [f"{self.node_word} {i} has label {labels[i]}, expected 0..{k - 1}" for i in nodes]
        labels = labels.astype(np.int64, copy=False)
        forbidden = np.flatnonzero(self.local[np.arange(n), labels] == -np.inf)
        sentences = [f"{self._name(i * k + int(labels[i]))}, which is forbidden" for i in forbidden]
        sentences += self._forbidden_transitions(labels)
        return sentences or self.factor_violations(labels)

    @abstractmethod
    def _forbidden_transitions(self, labels: IntArray) -> list[str]:
        """Describe each pair of neighbouring labels that scores minus infinity."""

    def encode(self, structure: IntArray) -> IntArray:
        """Return the decision ``i * K + label`` of each node."""
        return np.arange(self.positions) * self.label_count + self._read(structure)

    def decode(self, on_ids: IntArray) -> IntArray:
        """Return the labels, from one decision for each node."""
        ids = np.sort(np.asarray(on_ids, np.int64))
        nodes, labels = np.divmod(ids, self.label_count)
        if not np.array_equal(nodes, np.arange(self.positions)):
            raise InvalidProblem(f"these decisions do not give every {self.node_word} exactly one label")
        return labels

    def describe(self, structure: IntArray, words: Sequence[str] = ()) -> Names:
        """Name the label of each node, paired with its word if there are as many `words` as nodes."""
        labels = [self._label(label) for label in self._read(structure).tolist()]
        return tuple(zip(words, labels, strict=True)) if len(words) == len(labels) else tuple(labels)

    def verifier_backbone_bounds(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
        """Bound labellings by two passes of messages in NumPy, for verifiers; `weights` replace label scores."""
        from gapless_chains.proofs.backbone_bounds import labelling_bounds  # noqa: PLC0415  for verifiers alone

        rows = np.where(self.allowed(fixings), weights.reshape(self.unary.shape), -np.inf)
        return labelling_bounds(rows, *self.edges())

    @abstractmethod
    def edges(self) -> tuple[Sequence[int], Callable[[int], FloatArray]]:
        """Return the parent of each node, -1 for a root, and a function from a node to the pair scores above it."""

    def _unlabelled(self) -> list[str]:
        """Describe each node without an allowed label."""
        empty = np.flatnonzero((self.local == -np.inf).all(axis=1))
        return [f"{self.node_word} {i} has no allowed label: all its scores are -inf" for i in empty]

    def _read(self, structure: IntArray) -> IntArray:
        labels = np.asarray(structure)
        if labels.shape != (self.positions,) or labels.dtype.kind not in "iu":
            raise InvalidProblem(
                f"a structure of this {self.shape_word} is {self.positions} integers, got shape {labels.shape} "
                f"and dtype {labels.dtype}"
            )
        if labels.min() < 0 or labels.max() >= self.label_count:
            raise InvalidProblem(f"labels must lie in 0..{self.label_count - 1}")
        return labels

    def _label(self, label: int) -> str:
        return self.labels[label] if self.labels is not None else str(label)

    def _name(self, decision: int) -> str:
        node, label = divmod(int(decision), self.label_count)
        return f"{self.node_word} {node} has label {self._label(label)}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.positions} {self.nodes_word}, {self.label_count} labels>"
