"""Hand-crafted patterns: a score for small subtrees whose words and tags match regular expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Decisions, Factor, serialisable
from gapless_dependency.arcs import Arcs, as_arcs
from gapless_dependency.factors.single_score import single_score

MOST_MATCHES = 1_000_000
"""Default limit on the combinations that are tried at one node."""

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
class PatternNode:
    """A word of a pattern: regular expressions that its form and its tag match from end to end.

    Parameters
    ----------
    word, tag : str, optional
        None matches everything.

    Examples
    --------
    >>> from gapless_dependency import PatternNode
    >>> PatternNode("rather|better", tag="RB")
    PatternNode(word='rather|better', tag='RB')
    """

    word: str | None = attrs.field(default=None, converter=_expression)
    tag: str | None = attrs.field(default=None, converter=_expression)

    def positions(self, words: Sequence[str], tags: Sequence[str] | None) -> IntArray:
        """Find the positions 1..n of the words that match."""
        fits = np.ones(len(words), bool)
        for expression, texts in ((self.word, words), (self.tag, tags)):
            if expression is not None and texts is not None:
                fits &= np.array([_matches(expression, text) for text in texts], bool)
        return np.flatnonzero(fits) + 1


def _score(value: Any) -> float:
    return single_score(value, "pattern")


def _nodes(values: Any) -> dict[str, PatternNode]:
    return dict(values)


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(values)


def _pairs(values: Any) -> Pairs:
    return tuple((str(a), str(b)) for a, b in values)


def _followed(known: IntArray, others: IntArray, first: IntArray) -> tuple[IntArray, IntArray]:
    """Return row and other end of each arc at known positions: for p, ``others[first[p]:first[p + 1]]``."""
    counts = first[known + 1] - first[known]
    rows = np.repeat(np.arange(known.size), counts)
    return rows, others[np.arange(rows.size) + (first[known] - np.cumsum(counts) + counts)[rows]]


def _check_count(count: int, node: str, limit: int) -> None:
    if count > limit:
        raise InvalidProblem(
            f"pattern: more than {limit} combinations to try at node {node!r}; ask for more by its word or tag"
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
    >>> from gapless_dependency import PatternNode, Pattern
    >>> nodes = {"than": PatternNode("than"), "rather": PatternNode("rather")}
    >>> than = Pattern(nodes, [("than", "rather")], 2.0, words=["rather", "than"])
    >>> than.arcs
    (('than', 'rather'),)
    """

    name: ClassVar[str] = "pattern"
    nodes: Mapping[str, PatternNode] = attrs.field(converter=_nodes)
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
        for node, condition in self.nodes.items():
            if not isinstance(condition, PatternNode):
                raise InvalidProblem(f"pattern: nodes[{node!r}] is {condition!r}, expected a Node")
            if condition.tag is not None and self.tags is None:
                raise InvalidProblem(f"pattern: node {node!r} asks for a tag, but no tags are given")
        if self.tags is not None and len(self.tags) != len(self.words):
            raise InvalidProblem(f"pattern: {len(self.tags)} tags for {len(self.words)} words")

    def scopes(self, decisions: Decisions) -> IntArray:
        """List the sets of arcs that match, int64 (sets, arcs), ascending in each set."""
        arcs = as_arcs(decisions, self.name)
        matches = self.matches(arcs)
        matches[ROOT] = np.zeros_like(next(iter(matches.values())))
        ids = np.stack([arcs.index[matches[head], matches[modifier]] for head, modifier in self.arcs], axis=1)
        # A set scores once, however many ways it matches: symmetric nodes would otherwise count twice.
        return np.unique(np.sort(ids, axis=1), axis=0)

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Return the same score for all."""
        return np.full(len(scopes), self.score_each)

    def matches(self, decisions: Decisions, most: int = MOST_MATCHES) -> dict[str, IntArray]:
        """Find every way in which the pattern matches along candidate arcs.

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
        for node, condition in self.nodes.items():
            positions[node] = condition.positions(self.words, self.tags)
            if not positions[node].size:
                return dict.fromkeys(self.nodes, np.zeros(0, np.int64))
        matches = self._joined(arcs, positions, most)
        return {node: matches[node] for node in self.nodes}

    def _joined(self, arcs: Arcs, positions: Mapping[str, IntArray], most: int) -> dict[str, IntArray]:
        """Join matches node by node, (matches,) for each name: nodes along arcs first, of these the rarest."""
        forms = np.unique([word.lower() for word in self.words], return_inverse=True)[1]
        by_head = np.argsort(arcs.heads, kind="stable")
        below = arcs.modifiers[by_head], np.searchsorted(arcs.heads[by_head], np.arange(arcs.length + 2))
        above = arcs.heads, arcs.first
        matches = {ROOT: np.zeros(1, np.int64)}
        while remaining := [node for node in self.nodes if node not in matches]:
            # Ends of arcs by which known nodes lead to unknown ones.
            ties = {m: (h, below) for h, m in self.arcs if h in matches and m in remaining}
            ties |= {h: (m, above) for h, m in self.arcs if m in matches and h in remaining}
            # The rarest node first keeps the intermediate joins small, as in a database.
            node = min(ties or remaining, key=lambda name: positions[name].size)
            if node in ties:
                known, (others, first) = ties[node]
                allowed = np.zeros(arcs.length + 1, bool)
                allowed[positions[node]] = True
                # Drop the arcs to other words, and move the row pointers accordingly.
                others, first = others[allowed[others]], np.append(0, np.cumsum(allowed[others]))[first]
                _check_count(int((first[matches[known] + 1] - first[matches[known]]).sum()), node, most)
                rows, new = _followed(matches[known], others, first)
            else:
                words, count = positions[node], matches[ROOT].size
                _check_count(count * words.size, node, most)
                rows, new = np.repeat(np.arange(count), words.size), np.tile(words, count)
            matches = {name: places[rows] for name, places in matches.items()}
            matches[node] = new
            fits = self._fits(arcs, matches, node, forms)
            matches = {name: places[fits] for name, places in matches.items()}
        return matches

    def _fits(self, arcs: Arcs, matches: Mapping[str, IntArray], node: str, forms: IntArray) -> BoolArray:
        """Mark the matches that satisfy all conditions on the newest node."""
        new = matches[node]
        fits = np.ones(new.size, bool)
        for name, places in matches.items():
            if name != node:
                fits &= places != new

        def tied(pairs: Pairs) -> list[tuple[IntArray, IntArray]]:
            return [(matches[a], matches[b]) for a, b in pairs if node in (a, b) and {a, b} <= matches.keys()]

        for head, modifier in tied(self.arcs):
            fits &= arcs.index[head, modifier] >= 0
        for left, right in tied(self.before):
            fits &= left < right
        for left, right in tied(self.adjacent):
            fits &= left + 1 == right
        for left, right in tied(self.same_word):
            fits &= forms[left - 1] == forms[right - 1]
        return fits
