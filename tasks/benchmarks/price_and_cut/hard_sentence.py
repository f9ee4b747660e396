"""A drawn sentence too hard for a few seconds: a test of limits."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_dependency import Grandchild, ParsingProblem

WORDS = 100
_TAGS = 40
_SECOND_ORDER = 0.8
"""Standard deviation of grandparent scores, beside 1 of arc scores: the relaxation leaves a gap."""


def hard_sentence(words: int = WORDS, seed: int = 0) -> ParsingProblem:
    """Draw normal noise as arc scores; grandparents score combinations of tags; all arcs, trees with one root."""
    rng = np.random.default_rng(seed)
    tags = rng.integers(0, _TAGS, words + 1)
    table = rng.normal(0, _SECOND_ORDER, (_TAGS,) * 3)

    def score(g: IntArray, h: IntArray, m: IntArray) -> FloatArray:
        scores: FloatArray = table[tags[g], tags[h], tags[m]]
        return scores

    return ParsingProblem(rng.normal(0, 1, (words + 1,) * 2), factors=[Grandchild(score)])
