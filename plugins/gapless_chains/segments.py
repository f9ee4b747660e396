"""Semi-Markov chains: a label for each segment of neighbouring positions, as a chain over expanded labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray, IntArray
from gapless_chains.problem import ChainProblem
from gapless_chains.scores import scores as checked


@attrs.frozen
class Segments:
    """Chains whose labels hold for segments of up to `longest` positions (Sarawagi and Cohen 2004).

    A position is the first of a segment of a label and a length, or lies in one, so many positions from its last:
    K L + K (L - 1) labels of a `ChainProblem`, of which transitions allow only what makes segments. All methods
    of chains solve it, in O(n L^2 K^2) for Viterbi, less for ``dominance``; factors see the first positions of
    segments as decisions.

    Parameters
    ----------
    labels : int
        K.
    longest : int
        L, the most positions of a segment.

    Examples
    --------
    >>> import gapless as gl
    >>> import numpy as np
    >>> from gapless_chains import Segments
    >>> scores = np.array([[[1.0], [5.0]], [[1.0], [0.0]], [[2.0], [0.0]]])  # [begin, length - 1, label]
    >>> problem = Segments(labels=1, longest=2).problem(scores, [[0.0]])
    >>> gl.solve(problem).value  # a segment of two positions, and one of one
    7.0
    """

    labels: int
    longest: int

    def __attrs_post_init__(self) -> None:
        for name, value in (("labels", self.labels), ("longest", self.longest)):
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
                raise InvalidProblem(f"Segments: {name} is {value!r:.80}, expected an integer of at least 1")

    def first(self, label: int, length: int) -> int:
        """Return the chain label that begins a segment of this label and length, for decisions."""
        if not (0 <= label < self.labels and 1 <= length <= self.longest):
            raise InvalidProblem(f"there are {self.labels} labels and lengths from 1 to {self.longest}")
        return label * self.longest + length - 1

    def problem(self, segment_scores: Any, transition: Any, names: Sequence[str] | None = None) -> ChainProblem:
        """Maximise the scores of segments and of neighbouring segments' labels.

        Parameters
        ----------
        segment_scores : (n, L, K) array of numbers
            Score of the segment that begins at a position, of 1 to L positions, with a label; -inf forbids. What
            would reach beyond the end counts nowhere.
        transition : (K, K) array of numbers
            Score of neighbouring segments, source first. Put -inf on the diagonal to join what has one label.
        names : sequence of K str, optional
            Names of the labels, for messages.
        """
        scored, between = checked("segment_scores", segment_scores), checked("transition", transition)
        n, shape = len(scored), (self.longest, self.labels)
        if scored.shape != (n, *shape) or not n or between.shape != (self.labels, self.labels):
            raise InvalidProblem(
                f"segment_scores has shape {scored.shape} and transition {between.shape}, expected (n, {shape[0]}, "
                f"{shape[1]}) and {(self.labels, self.labels)}"
            )
        starts = self.labels * self.longest
        states = starts + self.labels * (self.longest - 1)
        unary = np.zeros((n, states))
        unary[:, :starts] = scored.transpose(0, 2, 1).reshape(n, starts)
        pairs = np.full((states, states), -np.inf)
        label, remaining = self._meaning()
        ends = np.flatnonzero(remaining == 0)
        # A segment begins only after the last position of another one.
        pairs[np.ix_(ends, np.arange(starts))] = between[np.ix_(label[ends], label[:starts])]
        # Inside a segment the successor is forced: the same label with one position less to go.
        for state in np.flatnonzero(remaining > 0).tolist():
            pairs[state, starts + label[state] * (self.longest - 1) + remaining[state] - 1] = 0.0
        # The chain begins at the first position of a segment and ends at the last position of one.
        initial = np.where(np.arange(states) < starts, 0.0, -np.inf)
        final: FloatArray = np.where(remaining == 0, 0.0, -np.inf)
        written = None if names is None else self._names(tuple(names))
        return ChainProblem(unary, pairs, initial=initial, final=final, labels=written)

    def read(self, structure: IntArray) -> list[tuple[int, int, int]]:
        """List the segments of a solution: begin, end (exclusive) and label."""
        labels = np.asarray(structure)
        label, remaining = self._meaning()
        begins = np.flatnonzero(labels < self.labels * self.longest).tolist()
        return [(begin, begin + int(remaining[labels[begin]]) + 1, int(label[labels[begin]])) for begin in begins]

    def _meaning(self) -> tuple[IntArray, IntArray]:
        """Return, for each of the chain's labels, the segment's label and the number of positions that follow."""
        numbers, more = np.arange(self.labels), self.longest - 1
        label = np.concatenate([np.repeat(numbers, self.longest), np.repeat(numbers, more)])
        remaining = [np.tile(np.arange(length), self.labels) for length in (self.longest, more)]
        return label, np.concatenate(remaining)

    def _names(self, names: tuple[str, ...]) -> list[str]:
        label, remaining = self._meaning()
        words = ("in" if state >= self.labels * self.longest else "begin" for state in range(label.size))
        return [f"{word} {names[x]}, {y} to go" for word, x, y in zip(words, label, remaining, strict=True)]
