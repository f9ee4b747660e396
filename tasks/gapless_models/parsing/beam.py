"""A beam over heads, word by word: the baseline that exact parsing is compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import gapless as gl
from gapless.arrays.sparse import IntArray
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.tree import crossing

Prefix = tuple[float, tuple[int, ...]]
"""Score of a beginning, and the heads of its words."""


class BeamParser:
    """Beam search over the same scores that the exact methods maximise.

    The words get their heads from left to right. A factor counts as soon as the last of its words has its head, so
    that beginnings of one length are compared by all that is known of them. Heads that close a cycle, or cannot
    become a tree in another way, are not tried. Nothing is recombined: trees that begin alike may end differently.

    Parameters
    ----------
    problem : ParsingProblem
        Its factors are conjunctions, such as grandchildren and siblings.

    Raises
    ------
    InvalidProblem
        A factor is no conjunction.
    """

    def __init__(self, problem: ParsingProblem) -> None:
        if problem.configurations or len(problem.conjunctions) != len(problem.factors):
            raise gl.InvalidProblem(
                "the beam takes conjunctions of arcs; another factor has no score for a beginning"
            )
        self.problem = problem
        arcs = problem.decisions
        self._heads: list[list[tuple[int, int, float]]] = [[] for _ in range(problem.length + 1)]
        """For each word: candidate head, arc and score."""
        for arc, (head, word) in enumerate(zip(arcs.heads.tolist(), arcs.modifiers.tolist(), strict=True)):
            self._heads[word].append((head, arc, float(problem.arc_weights[arc])))
        self._completed: dict[int, list[tuple[tuple[tuple[int, int], ...], float]]] = {}
        """For the arc into the last word of a factor: the other arcs, as word and head, and the score."""
        for scored in problem.conjunctions:
            scores = scored.scores(np.arange(len(scored.scopes)))
            for scope, score in zip(scored.scopes[scores != 0].tolist(), scores[scores != 0].tolist(), strict=True):
                pairs = sorted((int(arcs.modifiers[arc]), int(arcs.heads[arc]), arc) for arc in scope)
                others = tuple((word, head) for word, head, _ in pairs[:-1])
                if len({word for word, _, _ in pairs}) == len(pairs):  # else two heads of one word: it never fires
                    self._completed.setdefault(pairs[-1][2], []).append((others, float(score)))

    def parse(self, width: int) -> tuple[float, DependencyTree | None]:
        """Find the best tree in a beam of `width` prefixes, and its score; -inf and None if there is no tree."""
        beam: list[Prefix] = [(0.0, ())]
        for word in range(1, self.problem.length + 1):
            longer = [
                (self._score(score, heads, arc, own), (*heads, head))
                for score, heads in beam
                for head, arc, own in self._heads[word]
                if self._may_follow(heads, head, word)
            ]
            longer.sort(key=lambda prefix: -prefix[0])  # equal ones stay in the order of the heads
            beam = [prefix for prefix in longer[:width] if prefix[0] > -math.inf]
        if not beam:
            return -math.inf, None
        score, heads = beam[0]
        return score, self.problem.tree(np.array(heads))

    def _score(self, before: float, heads: Sequence[int], arc: int, own: float) -> float:
        for others, score in self._completed.get(arc, ()):
            if all(heads[word - 1] == head for word, head in others):
                own += score
        return before + own

    def _may_follow(self, heads: tuple[int, ...], head: int, word: int) -> bool:
        if head == 0 and self.problem.single_root and 0 in heads:
            return False
        above = head
        while 0 < above < word:
            above = heads[above - 1]
        if above == word:
            return False
        return not (self.problem.projective and crossing(_known(heads, head)) is not None)


def _known(heads: tuple[int, ...], head: int) -> IntArray:
    return np.array((*heads, head))
