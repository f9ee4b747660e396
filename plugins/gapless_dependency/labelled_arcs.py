"""The decisions of labelled parsing: candidate arcs with each of their labels, numbered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gapless.arrays.sparse import BoolArray, IntArray
from gapless.roles import Decisions
from gapless_dependency.arcs import Arcs


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
