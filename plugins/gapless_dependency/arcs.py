"""The decisions of parsing: candidate arcs, and candidate arcs with each of their labels, numbered."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

import gapless_kernels
from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, IntArray
from gapless.roles import Decisions


class Arcs(Decisions):
    """Decision `d` says that the arc ``heads[d] -> modifiers[d]`` is in the tree.

    Arcs are numbered by modifier, then by head. Every word has exactly one head.

    Parameters
    ----------
    candidates : bool (n + 1, n + 1)
        Arcs [head, modifier] that exist; row 0 is the root.
    words : sequence of n str, optional
        For names.

    Attributes
    ----------
    length : int
        The number of words, n.
    heads, modifiers : int64 (arcs,)
    index : int64 (n + 1, n + 1)
        The number of the arc [head, modifier]; -1 where there is none.
    first : int64 (n + 2,)
        Arcs into word m are ``first[m]:first[m + 1]``.

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import ParsingProblem
    >>> scores = np.array([[0, 1, 5, 0], [0, 0, 1, 1], [0, 4, 0, 3], [0, 1, 2, 0.0]])
    >>> arcs = ParsingProblem(scores).decisions
    >>> arcs.count, arcs.name(int(arcs.index[2, 1]))
    (9, 'arc 2 -> 1')
    """

    length: int
    heads: IntArray
    modifiers: IntArray
    index: IntArray
    first: IntArray
    words: tuple[str, ...] | None

    def __init__(self, candidates: BoolArray, words: Sequence[str] | None = None) -> None:
        heads, modifiers, index, first = gapless_kernels.candidate_arcs(np.asarray(candidates, bool))
        ends = first.tolist()

        def name(d: int) -> str:
            return _arc(words, int(heads[d]), int(modifiers[d]))

        # A frozen attrs class: its own fields go through its __init__, the rest past its __setattr__.
        super().__init__(
            heads.size,
            name,
            exactly_one=tuple(itertools.starmap(range, itertools.pairwise(ends[1:]))),
        )
        for array in (heads, modifiers, index, first):
            array.flags.writeable = False
        self.__dict__.update(
            words=None if words is None else tuple(words),
            length=len(candidates) - 1,
            heads=heads,
            modifiers=modifiers,
            index=index,
            first=first,
        )

    def arc(self, head: int, modifier: int) -> str:
        """Describe an arc in words, candidate or not."""
        return _arc(self.words, head, modifier)

    def choice_groups_csr(self) -> tuple[IntArray, IntArray]:
        """Return where the arcs into each word begin, and all arcs; int64 both. Arcs are numbered by word."""
        return self.first[1:], np.arange(self.heads.size, dtype=np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        # The names are a closure, and attrs would carry its own fields only: copies are built anew.
        return type(self), (self.index >= 0, self.words)


def _arc(words: Sequence[str] | None, head: int, modifier: int) -> str:
    if words is None:
        return f"arc {head} -> {modifier}"
    above = words[head - 1] if head else "root"
    return f"arc {head} -> {modifier} ({above} -> {words[modifier - 1]})"


def as_arcs(decisions: Decisions, factor: str) -> Arcs:
    """Return `decisions` if they are those of a parsing problem; otherwise raise `InvalidProblem`."""
    if not isinstance(decisions, Arcs):
        raise InvalidProblem(
            f"factor {factor} scores arcs: it belongs into a ParsingProblem, or into the arc_factors of a "
            "LabelledParsingProblem"
        )
    return decisions


class LabelledArcs(Decisions):
    """Decision `d` says that the tree has the arc ``heads[d] -> modifiers[d]`` with the label ``labels[d]``.

    Numbered by modifier, then by head, then by label. Every word has exactly one head, with exactly one label.

    Parameters
    ----------
    candidates : bool (n + 1, n + 1, labels)
        Arcs [head, modifier, label] that exist; row 0 is the root.
    names : sequence of str
        Of the labels.
    words : sequence of n str, optional
        For names.

    Attributes
    ----------
    arcs : Arcs
        The same without labels.
    arc : int64 (count,)
        The number in `arcs`.
    length : int
        The number of words, n.
    heads, modifiers, labels : int64 (count,)
    index : int64 (n + 1, n + 1, labels)
        The number of the decision [head, modifier, label]; -1 where there is none.
    first : int64 (n + 2,)
        Decisions about word m are ``first[m]:first[m + 1]``.
    label_names : tuple of str

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_dependency import LabelledParsingProblem
    >>> problem = LabelledParsingProblem(np.zeros((3, 3, 2)), labels=("nsubj", "obj"))
    >>> problem.decisions.count, problem.decisions.name(0)
    (8, 'arc 0 -> 1, labelled nsubj')
    """

    arcs: Arcs
    arc: IntArray
    length: int
    heads: IntArray
    modifiers: IntArray
    labels: IntArray
    index: IntArray
    first: IntArray
    label_names: tuple[str, ...]

    def __init__(self, candidates: BoolArray, names: Sequence[str], words: Sequence[str] | None = None) -> None:
        arcs = Arcs(np.asarray(candidates.any(axis=2)), words)
        # By modifier, then head, then label: the decisions about a word are consecutive.
        modifiers, heads, labels = np.nonzero(candidates.transpose(1, 0, 2))
        index = np.full(candidates.shape, -1, np.int64)
        index[heads, modifiers, labels] = np.arange(heads.size)
        first = np.searchsorted(modifiers, np.arange(len(candidates) + 1))
        arc = arcs.index[heads, modifiers]

        def name(d: int) -> str:
            return f"{arcs.name(int(arc[d]))}, labelled {names[labels[d]]}"

        super().__init__(
            heads.size,
            name,
            exactly_one=tuple(range(first[m], first[m + 1]) for m in range(1, len(candidates))),
        )
        fields = {
            "arcs": arcs,
            "arc": arc,
            "length": arcs.length,
            "heads": heads,
            "modifiers": modifiers,
            "labels": labels,
            "index": index,
            "first": first,
            "label_names": tuple(names),
        }
        # A frozen attrs class, so past its __setattr__.
        for key, value in fields.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, key, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.index >= 0, self.label_names, self.arcs.words)
