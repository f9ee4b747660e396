"""Hand-crafted patterns with learned weights: where they match in a sentence, and the factors that score it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import Decisions, Factor
from gapless_dependency import ArcConjunctions, Arcs, Pattern, PatternNode
from gapless_dependency.arcs import as_arcs
from gapless_dependency.factors.pattern import ROOT, Pairs
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.templates import Templates

PATTERN = "pattern"
"""The name of the family."""
MOST_MATCHES = 20_000_000
"""Of one pattern: conjuncts have a million among all arcs of 80 words, and ten thousand among ten heads of each."""
_LARGEST = 1 << 62
Scorer = Callable[[Templates, IntArray], FloatArray]
"""Scores (m,) of parts int64 (m, nodes) under templates."""


@attrs.frozen(eq=False)
class PatternTemplate:
    """A small subtree whose words and tags fit, and the features of its words.

    Parameters
    ----------
    nodes : mapping of str to Node
        The words. An expression for a tag is tried on the fine part of speech, on the coarse one where there is
        none.
    arcs, before, adjacent, same_word : sequence of (str, str)
        As `gapless_dependency.Pattern` takes them.
    features : Templates
        A slot for each node, in their order.
    """

    nodes: Mapping[str, PatternNode]
    arcs: Pairs
    features: Templates
    before: Pairs = ()
    adjacent: Pairs = ()
    same_word: Pairs = ()

    @property
    def name(self) -> str:
        """Name of the pattern."""
        return self.features.name

    def positions(self, words: Sequence[str], tags: Sequence[str], arcs: Arcs) -> IntArray:
        """List the words of every match among the candidate arcs, int64 (matches, nodes).

        Raises
        ------
        InvalidProblem
            There are too many: a long sentence whose candidate heads were not pruned.
        """
        pattern = Pattern(
            self.nodes,
            self.arcs,
            0.0,
            words=words,
            tags=tags,
            before=self.before,
            adjacent=self.adjacent,
            same_word=self.same_word,
        )
        try:
            return np.column_stack(list(pattern.matches(arcs, MOST_MATCHES).values()))
        except InvalidProblem as error:
            raise InvalidProblem(
                f"a sentence of {len(words)} words has too many candidate arcs for the {self.name}; keep fewer "
                f"heads of each word, or leave the sentence or the family {PATTERN} out ({error})"
            ) from error

    def arcs_of(self, positions: IntArray) -> IntArray:
        """List head and modifier of each arc of matches, int64 (matches, arcs, 2)."""
        column = {name: positions[:, index] for index, name in enumerate(self.nodes)}
        column[ROOT] = np.zeros(len(positions), np.int64)
        return np.stack([np.column_stack([column[a], column[b]]) for a, b in self.arcs], axis=1)

    def digest(self) -> bytes:
        """Compute a digest of the pattern without its `features`."""
        nodes = [(name, node.word, node.tag) for name, node in self.nodes.items()]
        text = repr((nodes, self.arcs, self.before, self.adjacent, self.same_word))
        return hashlib.sha256(text.encode()).digest()


@attrs.frozen(eq=False)
class _Sets:
    """The sets of `width` arcs by which patterns match.

    Parameters
    ----------
    arcs : int64 (sets, width, 2)
        Head and modifier; each set once.
    patterns : tuple of int
        Numbers of the patterns with this number of arcs.
    set_of, pattern_of : int64 (matches,)
        The set and the pattern of each match, pattern by pattern.
    """

    arcs: IntArray
    patterns: tuple[int, ...]
    set_of: IntArray
    pattern_of: IntArray


@attrs.frozen(eq=False)
class PatternMatches:
    """Matches of patterns among the candidate arcs of one sentence.

    Parameters
    ----------
    positions : sequence of int64 (matches, nodes)
        For each pattern the words of its matches.
    arcs : sequence of int64 (matches, arcs, 2)
        And their arcs.
    sets : sequence of _Sets
        One for each number of arcs that a match has here.
    """

    templates: Sequence[PatternTemplate]
    positions: Sequence[IntArray]
    arcs: Sequence[IntArray]
    sets: Sequence[_Sets]

    @classmethod
    def of(cls, templates: Sequence[PatternTemplate], sentence: Sentence, candidates: BoolArray) -> PatternMatches:
        """Match the patterns among the candidate arcs (n + 1, n + 1)."""
        tags = [c if t == "_" else t for t, c in zip(sentence.tags, sentence.coarse, strict=True)]
        decisions = Arcs(candidates)
        positions = [template.positions(sentence.words, tags, decisions) for template in templates]
        arcs = [template.arcs_of(rows) for template, rows in zip(templates, positions, strict=True)]
        widths = {rows.shape[1] for rows in arcs if len(rows)}
        return cls(templates, positions, arcs, [_sets(arcs, width, len(candidates)) for width in sorted(widths)])

    def factors(self, score: Scorer) -> list[PatternFactor]:
        """Build a factor for each number of arcs, scored now."""
        built = []
        for sets in self.sets:
            each = [score(self.templates[i].features, self.positions[i]) for i in sets.patterns]
            scores = np.asarray(np.bincount(sets.set_of, np.concatenate(each), len(sets.arcs)), np.float64)
            built.append(PatternFactor(sets.arcs, scores, partial(self._named, sets)))
        return built

    def _named(self, sets: _Sets, number: int) -> str:
        """List the patterns that match by one set of arcs."""
        return " + ".join(self.templates[i].name for i in np.unique(sets.pattern_of[sets.set_of == number]))

    def in_tree(self, heads: IntArray) -> dict[str, IntArray]:
        """List the words of a tree's matches by the pattern's name; ``heads[i]`` is the head of word ``i + 1``."""
        return {
            template.name: rows[(heads[arcs[:, :, 1] - 1] == arcs[:, :, 0]).all(axis=1)]
            for template, rows, arcs in zip(self.templates, self.positions, self.arcs, strict=True)
        }


def _sets(arcs: Sequence[IntArray], width: int, size: int) -> _Sets:
    """Group the matches with `width` arcs by their set of arcs."""
    members = tuple(i for i, rows in enumerate(arcs) if len(rows) and rows.shape[1] == width)
    rows = np.concatenate([arcs[i] for i in members])
    ids = np.sort(rows[:, :, 0] * size + rows[:, :, 1], axis=1)
    if size ** (2 * width) < _LARGEST:  # as one number each: quick where there are millions
        _, first, set_of = np.unique(
            ids @ (size**2) ** np.arange(width)[::-1], return_index=True, return_inverse=True
        )
        ids = ids[first]
    else:
        ids, set_of = np.unique(ids, axis=0, return_inverse=True)
    pattern_of = np.repeat(members, [len(arcs[i]) for i in members])
    return _Sets(np.stack(np.divmod(ids, size), axis=2), members, set_of.reshape(-1), pattern_of)


class PatternFactor(Factor):
    """Sets of arcs by which patterns match, each with the sum of the scores of its matches.

    Parameters
    ----------
    arcs : int64 (sets, width, 2)
        Head and modifier of each arc; each set once.
    scores : float64 (sets,)
    named : callable, optional
        Gives the names of the patterns behind a set, from its number.
    """

    name = PATTERN

    def __init__(self, arcs: IntArray, scores: FloatArray, named: Callable[[int], str] = lambda _: PATTERN) -> None:
        self._arcs, self._scores, self._named = arcs, scores, named

    def scopes(self, decisions: Decisions) -> IntArray:
        """List the sets whose arcs are all candidates, int64 (parts, width)."""
        return self._known(decisions)[0]

    def score(self, scopes: IntArray, decisions: Decisions) -> FloatArray:
        """Return the sum of the scores of each set."""
        known, numbers = self._known(decisions)
        if not np.array_equal(known, scopes):  # all, in order, is what searches ask
            number_of = dict(zip(map(tuple, known.tolist()), numbers.tolist(), strict=True))
            numbers = np.array([number_of[tuple(scope)] for scope in scopes.tolist()], np.int64)
        return self._scores[numbers]

    def names(self, scopes: IntArray, decisions: Decisions) -> list[str]:
        """Name the patterns that match by the given sets of arcs."""
        known, numbers = self._known(decisions)
        number_of = dict(zip(map(tuple, known.tolist()), numbers.tolist(), strict=True))
        return [self._named(number_of[tuple(scope)]) for scope in scopes.tolist()]

    def tabulated(self, decisions: Decisions) -> ArcConjunctions:
        """Convert the factor into one that JSON can hold."""
        del decisions
        return ArcConjunctions(self._arcs, self._scores)

    def _known(self, decisions: Decisions) -> tuple[IntArray, IntArray]:
        """Find the sets whose arcs are all candidates, and their numbers."""
        ids: IntArray = as_arcs(decisions, self.name).index[self._arcs[:, :, 0], self._arcs[:, :, 1]]
        known = (ids >= 0).all(axis=1)
        return ids[known], np.flatnonzero(known)
