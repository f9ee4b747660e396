"""The common part of chains and trees: a label for every node, its 0/1 decisions, and sentences about them."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from gapless import InvalidProblem, Problem
from gapless.core.decisions import OFF, ON
from gapless.core.proofs.checked_bounds import CheckedBounds
from gapless.core.results.names import Names
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Decisions, Fixings
from gapless_chains.once_per_array import OncePerArray
from gapless_chains.scores import scores

_LATEST = 2
_latest: deque[FloatArray] = deque(maxlen=_LATEST)


def _as_before(values: FloatArray) -> FloatArray:
    """Chunks of one corpus bring the same transitions again: the known array, and so its tables, are used."""
    restored = scores("scores", values)
    if restored is values or restored.ndim != 2:
        return restored
    for known in tuple(_latest):
        if np.array_equal(known, restored):
            return known
    _latest.append(restored)
    return restored


# Problems that shared an array go on sharing it: it is one object as long as they are being read.
_restored = OncePerArray(partial(scores, "scores"))
_restored_transition = OncePerArray(_as_before)


class Labelling(Problem[IntArray]):
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
        for name, held in state.items():
            if isinstance(held, np.ndarray) and held.dtype == np.float64:
                self.__dict__[name] = (_restored_transition if name == "transition" else _restored)(held)
            else:
                self.__dict__[name] = held

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

    def allowed(self, fixings: Fixings) -> BoolArray:
        """Labels that `fixings` and the label scores leave at each node, bool (n, K).

        A label fixed on excludes the others of its node, and two of them exclude each other.
        """
        state = fixings.state.reshape(self.unary.shape)
        chosen = state == ON
        others_on = chosen.sum(axis=1, keepdims=True) - chosen
        left: BoolArray = (state != OFF) & (others_on == 0) & (self.local > -np.inf)
        return left

    # --- the role

    def violations(self, structure: IntArray) -> Sequence[str]:
        """Sentences for a wrong length, unknown labels, forbidden labels and forbidden transitions."""
        n, k = self.unary.shape
        labels = np.asarray(structure)
        if labels.shape != (n,):
            return [f"the labels have shape {labels.shape}, expected {(n,)}, one for each {self.node_word}"]
        if labels.dtype.kind not in "iu":
            return [f"the labels have dtype {labels.dtype}, expected integers"]
        unknown = (labels < 0) | (labels >= k)
        if unknown.any():
            places = np.flatnonzero(unknown)
            return [f"{self.node_word} {i} has label {labels[i]}, expected 0..{k - 1}" for i in places]
        labels = labels.astype(np.int64, copy=False)
        forbidden = np.flatnonzero(self.local[np.arange(n), labels] == -np.inf)
        sentences = [f"{self._name(i * k + int(labels[i]))}, which is forbidden" for i in forbidden]
        sentences += self._forbidden_transitions(labels)
        return sentences or self.factor_violations(labels)

    @abstractmethod
    def _forbidden_transitions(self, labels: IntArray) -> list[str]:
        """A sentence for each pair of neighbouring labels that scores minus infinity."""

    def encode(self, structure: IntArray) -> IntArray:
        """``i * K + label`` for each node."""
        return np.arange(self.positions) * self.label_count + self._read(structure)

    def decode(self, on_ids: IntArray) -> IntArray:
        """The labels, from one decision for each node."""
        ids = np.sort(np.asarray(on_ids, np.int64))
        nodes, labels = np.divmod(ids, self.label_count)
        if not np.array_equal(nodes, np.arange(self.positions)):
            raise InvalidProblem(f"these decisions do not give every {self.node_word} exactly one label")
        return labels

    def named(self, structure: IntArray, words: Sequence[str] = ()) -> Names:
        """The label of each node, with its word where there are as many `words` as nodes."""
        labels = [self._label(label) for label in self._read(structure).tolist()]
        return tuple(zip(words, labels, strict=True)) if len(words) == len(labels) else tuple(labels)

    def checked_backbone(self, weights: FloatArray, fixings: Fixings) -> CheckedBounds:
        """Two passes of messages in NumPy, for verifiers; `weights` stand for the label scores."""
        from gapless_chains.proofs.backbone_bounds import labelling_bounds  # noqa: PLC0415  for verifiers alone

        rows = np.where(self.allowed(fixings), weights.reshape(self.unary.shape), -np.inf)
        return labelling_bounds(rows, *self._edges())

    @abstractmethod
    def _edges(self) -> tuple[Sequence[int], Callable[[int], FloatArray]]:
        """The parent of each node, -1 for a root, and the scores of the labels above and at a node."""

    def _unlabelled(self) -> list[str]:
        """A sentence for each node without an allowed label."""
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
