"""Hand-crafted patterns: a score where words and tags match regular expressions in a small subtree."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.core.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Decisions, Factor, serialisable
from gapless_dependency.arcs import Arcs, as_arcs
from gapless_dependency.factors.single_score import single_score

MOST_MATCHES = 1_000_000
ROOT = "root"
"""The name that stands for position 0 in the arcs of a pattern."""

Pairs = tuple[tuple[str, str], ...]


def _expression(value: Any) -> str | None:
    if value is None:
        return None
    try:
        re.compile(value)
    except (re.error, TypeError) as error:
        raise InvalidProblem(f"pattern: {value!r} is no regular expression: {error}") from error
    return str(value)


@lru_cache(maxsize=1 << 16)
def _matches(expression: str, text: str) -> bool:
    return re.fullmatch(expression, text) is not None


@serialisable("gapless_dependency.Node")
@attrs.frozen
class Node:
    """A word of a pattern: regular expressions that its form and its tag match from end to end.

    Parameters
    ----------
    word, tag : str, optional
        None matches everything.

    Examples
    --------
    >>> from gapless_dependency import Node
    >>> Node("rather|better", tag="RB")
    Node(word='rather|better', tag='RB')
    """

    word: str | None = attrs.field(default=None, converter=_expression)
    tag: str | None = attrs.field(default=None, converter=_expression)

    def positions(self, words: Sequence[str], tags: Sequence[str] | None) -> IntArray:
        """The positions 1..n of the words that match."""
        fits = np.ones(len(words), bool)
        for expression, texts in ((self.word, words), (self.tag, tags)):
            if expression is not None and texts is not None:
                fits &= np.array([_matches(expression, text) for text in texts], bool)
        return np.flatnonzero(fits) + 1


def _score(value: Any) -> float:
    return single_score(value, "pattern")


def _nodes(values: Any) -> dict[str, Node]:
    return dict(values)


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(values)


def _pairs(values: Any) -> Pairs:
    return tuple((str(a), str(b)) for a, b in values)


def _followed(known: IntArray, others: IntArray, first: IntArray) -> tuple[IntArray, IntArray]:
    """Number and other end of every arc at known positions; ``others[first[p]:first[p + 1]]`` are those at p."""
    counts = first[known + 1] - first[known]
    rows = np.repeat(np.arange(known.size), counts)
    return rows, others[np.arange(rows.size) + (first[known] - np.cumsum(counts) + counts)[rows]]


def _check_count(count: int, node: str, most: int) -> None:
    if count > most:
        raise InvalidProblem(
            f"pattern: more than {most} combinations to try at node {node!r}; ask for more by its word or tag"
        )


@serialisable("gapless_dependency.Pattern")
@attrs.frozen(eq=False)
class Pattern(Factor):
    """`score` for every set of arcs by which a small subtree matches (Qian and Liu 2013, section 4.3, figure 3).

    Nodes match words at different positions; a set of arcs fires once, however many ways it matches.

    Parameters
    ----------
    nodes : mapping of str to Node
        By names that the other parameters use; ``"root"`` is taken, for position 0.
    arcs : sequence of (str, str)
        Head and modifier of each arc of the subtree: these fire together.
    score : float
        -inf forbids the subtree.
    words : sequence of n str
    tags : sequence of n str, optional
        Needed when a node asks for one.
    before : sequence of (str, str)
        The first stands to the left of the second.
    adjacent : sequence of (str, str)
        The second is the word right after the first.
    same_word : sequence of (str, str)
        Both have the same form, case aside.

    Examples
    --------
    >>> from gapless_dependency import Node, Pattern
    >>> nodes = {"than": Node("than"), "rather": Node("rather")}
    >>> than = Pattern(nodes, [("than", "rather")], 2.0, words=["rather", "than"])
    >>> than.arcs
    (('than', 'rather'),)
    """

    name: ClassVar[str] = "pattern"
    nodes: Mapping[str, Node] = attrs.field(converter=_nodes)
    arcs: Pairs = attrs.field(converter=_pairs)
    score_each: float = attrs.field(alias="score", converter=_score)
    words: tuple[str, ...] = attrs.field(kw_only=True, converter=_texts)
    tags: tuple[str, ...] | None = attrs.field(
        default=None, kw_only=True, converter=attrs.converters.optional(_texts)
    )
    before: Pairs = attrs.field(default=(), kw_only=True, converter=_pairs)
    adjacent: Pairs = attrs.field(default=(), kw_only=True, converter=_pairs)
    same_word: Pairs = attrs.field(default=(), kw_only=True, converter=_pairs)

    def __attrs_post_init__(self) -> None:
        if ROOT in self.nodes:
            raise InvalidProblem("pattern: the name 'root' stands for position 0; call the node something else")
        if not self.arcs or len(set(self.arcs)) < len(self.arcs):
            raise InvalidProblem(f"pattern: arcs are {list(self.arcs)}, expected one or more, none of them twice")
        modifiers = [modifier for _, modifier in self.arcs]
        if ROOT in modifiers or len(set(modifiers)) < len(modifiers) or any(a == b for a, b in self.arcs):
            raise InvalidProblem(
                f"pattern: arcs are {list(self.arcs)}, which no tree has: a node has one head at most, which is "
                "another node, and the root has none"
            )
        for pair in (*self.arcs, *self.before, *self.adjacent, *self.same_word):
            for node in pair:
                if node not in self.nodes and not (node == ROOT and pair in self.arcs):
                    raise InvalidProblem(f"pattern: {pair} names {node!r}, but the nodes are {sorted(self.nodes)}")
        for node, asked in self.nodes.items():
            if not isinstance(asked, Node):
                raise InvalidProblem(f"pattern: nodes[{node!r}] is {asked!r}, expected a Node")
            if asked.tag is not None and self.tags is None:
                raise InvalidProblem(f"pattern: node {node!r} asks for a tag, but no tags are given")
        if self.tags is not None and len(self.tags) != len(self.words):
            raise InvalidProblem(f"pattern: {len(self.tags)} tags for {len(self.words)} words")

    def scopes(self, decisions: Decisions) -> IntArray:
        """The sets of arcs that match, int64 (sets, arcs), ascending in each set."""
        arcs = as_arcs(decisions, self.name)
        matches = self.matches(arcs)
        matches[ROOT] = np.zeros_like(next(iter(matches.values())))
        ids = np.stack([arcs.index[matches[head], matches[modifier]] for head, modifier in self.arcs], axis=1)
        return np.unique(np.sort(ids, axis=1), axis=0)

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """The same for all."""
        return np.full(len(scopes), self.score_each)

    def matches(self, decisions: Decisions, most: int = MOST_MATCHES) -> dict[str, IntArray]:
        """Every way in which the candidate arcs let the pattern match.

        Parameters
        ----------
        decisions : Arcs
        most : int
            Limit on combinations tried at a node.

        Returns
        -------
        dict of str to int64 (matches,)
            The positions of each node, 1..n. Several ways may name the same arcs.

        Raises
        ------
        InvalidProblem
            The sentence has another length, or there are too many combinations to try.
        """
        arcs = as_arcs(decisions, self.name)
        if len(self.words) != arcs.length:
            raise InvalidProblem(f"pattern: {len(self.words)} words, but the sentence has {arcs.length}")
        positions = {}
        for node, asked in self.nodes.items():
            positions[node] = asked.positions(self.words, self.tags)
            if not positions[node].size:
                return dict.fromkeys(self.nodes, np.zeros(0, np.int64))
        matches = self._joined(arcs, positions, most)
        return {node: matches[node] for node in self.nodes}

    def _joined(self, arcs: Arcs, positions: Mapping[str, IntArray], most: int) -> dict[str, IntArray]:
        """Matches, (matches,) for each name: joined node by node, those that arcs tie first, rare ones before."""
        forms = np.unique([word.lower() for word in self.words], return_inverse=True)[1]
        by_head = np.argsort(arcs.heads, kind="stable")
        below = arcs.modifiers[by_head], np.searchsorted(arcs.heads[by_head], np.arange(arcs.length + 2))
        above = arcs.heads, arcs.first
        matches = {ROOT: np.zeros(1, np.int64)}
        while left := [node for node in self.nodes if node not in matches]:
            # Ends of arcs by which known nodes lead to unknown ones.
            ties = {m: (h, below) for h, m in self.arcs if h in matches and m in left}
            ties |= {h: (m, above) for h, m in self.arcs if m in matches and h in left}
            node = min(ties or left, key=lambda name: positions[name].size)
            if node in ties:
                known, (others, first) = ties[node]
                asked = np.zeros(arcs.length + 1, bool)
                asked[positions[node]] = True
                others, first = others[asked[others]], np.append(0, np.cumsum(asked[others]))[first]
                _check_count(int((first[matches[known] + 1] - first[matches[known]]).sum()), node, most)
                rows, here = _followed(matches[known], others, first)
            else:
                places, count = positions[node], matches[ROOT].size
                _check_count(count * places.size, node, most)
                rows, here = np.repeat(np.arange(count), places.size), np.tile(places, count)
            matches = {name: held[rows] for name, held in matches.items()}
            matches[node] = here
            fits = self._fits(arcs, matches, node, forms)
            matches = {name: held[fits] for name, held in matches.items()}
        return matches

    def _fits(self, arcs: Arcs, matches: Mapping[str, IntArray], node: str, forms: IntArray) -> BoolArray:
        """Matches that the newest node leaves right."""
        here = matches[node]
        fits = np.ones(here.size, bool)
        for name, held in matches.items():
            if name != node:
                fits &= held != here

        def tied(pairs: Pairs) -> list[tuple[IntArray, IntArray]]:
            return [(matches[a], matches[b]) for a, b in pairs if node in (a, b) and {a, b} <= matches.keys()]

        for head, modifier in tied(self.arcs):
            fits &= arcs.index[head, modifier] >= 0
        for left, right in tied(self.before):
            fits &= left < right
        for left, right in tied(self.adjacent):
            fits &= left + 1 == right
        for one, other in tied(self.same_word):
            fits &= forms[one - 1] == forms[other - 1]
        return fits
