"""Scores without a corpus: peaked as a trained model's are, and the kinds that pruning cannot help with."""

from __future__ import annotations

import functools
from collections.abc import Callable

import attrs
import numpy as np

from benchmarks.chains.score_set import ScoreSet

_NEAR_LABELS = {45: 0.3, 350: 1.5, 1000: 1.5}
"""Mean number of labels near the best one, so that as many labels survive exact pruning as under trained models:
about 1.2 of 45, 2 to 3 of 350."""
_FAR, _NEAR = 12.0, 4.0
"""Scores below the best label, in standard deviations of the transitions."""


def peaked(labels: int, sentences: int, seed: int = 0) -> ScoreSet:
    """Sample scores with one good label for most tokens and a few near ones for some.

    Parameters
    ----------
    labels, sentences : int
        K and S.
    seed : int
        The same seed gives the same scores.
    """
    draw = np.random.default_rng(seed)
    mean_length = 24 if labels < 100 else 13
    lengths = draw.integers(1, 2 * mean_length, sentences)
    tokens = int(lengths.sum())
    unary = draw.standard_normal((tokens, labels), dtype=np.float32)
    unary = np.float32(-_FAR) - np.float32(3) * np.abs(unary)
    share = _NEAR_LABELS[min(_NEAR_LABELS, key=lambda count: abs(count - labels))] / labels
    near = draw.random((tokens, labels), dtype=np.float32) < share
    unary[near] = np.float32(-_NEAR) * draw.random(int(near.sum()), dtype=np.float32)
    gold = draw.integers(0, labels, tokens)
    unary[np.arange(tokens), gold] = 0.0
    return ScoreSet(
        f"synthetic-{labels}",
        "drawn: one good label a token, a few near ones",
        unary,
        np.concatenate([[0], np.cumsum(lengths)]),
        draw.normal(size=(labels, labels)).clip(-3, 3),
        draw.normal(size=labels),
        draw.normal(size=labels),
        gold,
    )


def flattened(scores: ScoreSet, factor: float) -> ScoreSet:
    """Multiply the label scores by `factor`: the nearer to 0, the more the transitions alone decide."""
    return attrs.evolve(scores, name=f"{scores.name} x {factor}", unary=scores.unary * np.float32(factor))


def random(scores: ScoreSet, seed: int = 0) -> ScoreSet:
    """Draw scores of the same shape and spread in which nothing is likelier than anything else."""
    draw = np.random.default_rng(seed)
    k = scores.label_count
    spread = float(np.std(scores.transition[np.isfinite(scores.transition)])) or 1.0
    unary = draw.standard_normal(scores.unary.shape, dtype=np.float32) * np.float32(spread)
    transition = spread * draw.normal(size=(k, k))
    return attrs.evolve(scores, name=f"{scores.name}, random", unary=unary, transition=transition)


def reparametrised(scores: ScoreSet, seed: int = 0) -> ScoreSet:
    """Reparametrise: move one number per label from its tokens to its outgoing transitions.

    ``unary - c`` at every token, ``transition + c`` at its source, `final` + c: every labelling keeps its score (up
    to the rounding of float32), but the unary scores alone say little.
    """
    draw = np.random.default_rng(seed)
    shift = np.round(draw.normal(size=scores.label_count) * 3 * float(np.std(scores.unary)))
    return attrs.evolve(
        scores,
        name=f"{scores.name}, reparametrised",
        unary=scores.unary - shift.astype(np.float32),
        transition=scores.transition + shift[:, None],
        final=scores.final + shift,
    )


UNPRUNABLE: dict[str, Callable[[ScoreSet], ScoreSet]] = {
    "flat": functools.partial(flattened, factor=0.0),
    "nearly flat (x 0.1)": functools.partial(flattened, factor=0.1),
    "random": random,
    "reparametrised": reparametrised,
}
"""Changes after which pruning removes few labels."""
