"""The structure of parsing: a head for every word, perhaps with an arc label; cycles and crossings of heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import IntArray
from gapless.problems.names import Names
from gapless.roles import serialisable


def cycle(heads: IntArray) -> list[int]:
    """Return the words of a cycle, closed by its first one; empty if there is none.

    `heads` (int64 (n,)): entry i is the head of word i + 1.
    """
    above = [0, *heads.tolist()]
    # 0: not visited, 1: on the current path, 2: known to reach the root.
    state = [0] * len(above)
    state[0] = 2
    for start in range(1, len(above)):
        trail, word = [], start
        while state[word] == 0:
            state[word] = 1
            trail.append(word)
            word = above[word]
        if state[word] == 1:
            loop = trail[trail.index(word) :]
            return [*loop, word]
        for visited in trail:
            state[visited] = 2
    return []


def crossing(heads: IntArray) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return two arcs (head, modifier) that cross, the root being at position 0; None if the tree is projective."""
    # By left end, longer spans first: a span that begins inside an open one and ends outside of it crosses it.
    spans = sorted((min(h, m), -max(h, m), h, m) for m, h in enumerate(heads.tolist(), start=1))
    open_spans: list[tuple[int, int, int]] = []
    for left, negative_right, head, modifier in spans:
        right = -negative_right
        while open_spans and open_spans[-1][0] <= left:
            open_spans.pop()
        if open_spans and open_spans[-1][0] < right:
            return (open_spans[-1][1], open_spans[-1][2]), (head, modifier)
        open_spans.append((right, head, modifier))
    return None


def _heads(values: Any) -> IntArray:
    raw = np.asarray(values)
    if raw.ndim != 1 or (raw.size and raw.dtype.kind not in "iu"):
        raise InvalidProblem(f"heads has shape {raw.shape} and dtype {raw.dtype}, expected one integer a word")
    # A copy: solutions are compared and hashed by their heads, which must not change.
    heads = np.array(raw, dtype=np.int64)
    heads.flags.writeable = False
    return heads


def _labels(values: Any) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


@serialisable("gapless_dependency.DependencyTree")
@attrs.frozen(eq=False)
class DependencyTree:
    """Heads of the words 1..n, as in CoNLL-U: ``heads[i]`` is the head of word ``i + 1``, 0 is the root.

    Parameters
    ----------
    heads : int64 (n,)
    labels : tuple of n str, optional
        The label of the arc into each word.

    Raises
    ------
    InvalidProblem
        Heads that are no integers, or another number of labels than of words.

    Examples
    --------
    >>> from gapless_dependency import DependencyTree
    >>> DependencyTree([2, 0, 2]).heads
    array([2, 0, 2])
    """

    heads: IntArray = attrs.field(converter=_heads)
    labels: tuple[str, ...] | None = attrs.field(default=None, converter=_labels)

    def __attrs_post_init__(self) -> None:
        if self.labels is not None and len(self.labels) != len(self.heads):
            raise InvalidProblem(
                f"{len(self.labels)} labels for {len(self.heads)} words: give one for each, or none"
            )

    def describe(self, words: Sequence[str] = ()) -> Names:
        """Return each word with its head, and the label of the arc between them if arcs have labels.

        Without one of `words` for each head, numbers stand for them.
        """
        count = len(self.heads)
        forms = [*words] if len(words) == count else [str(word) for word in range(1, count + 1)]
        heads = [forms[head - 1] if head else "root" for head in self.heads.tolist()]
        return tuple(zip(forms, heads, *(() if self.labels is None else (self.labels,)), strict=True))

    def __len__(self) -> int:
        return len(self.heads)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DependencyTree)
            and np.array_equal(self.heads, other.heads)
            and self.labels == other.labels
        )

    def __hash__(self) -> int:
        return hash((self.heads.tobytes(), self.labels))
