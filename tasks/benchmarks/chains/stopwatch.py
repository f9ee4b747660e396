"""CPU time of decoders that take turns, so that machine load affects all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.chains.score_set import ScoreSet
from benchmarks.frame.turns import cpu_seconds, measure_rounds

Decode = Callable[[ScoreSet], object]
Seconds = NDArray[np.float64]

_TICK = 1e-9
"""The least difference of two looks at the clock, in seconds."""
_SHORTEST = 0.002
"""Seconds of work between two looks at the clock; shorter work is repeated."""


def cold_cache_seconds(
    decoders: Mapping[str, Decode], scores: ScoreSet, rounds: int, budget: float
) -> dict[str, Seconds]:
    """Measure CPU seconds per token with cold caches.

    Parameters
    ----------
    decoders : mapping of str to callable
        Each decodes the sentences it is given.
    scores : ScoreSet
        More than the caches hold, so that every round finds it cold again.
    rounds : int
        Turns of each decoder.
    budget : float
        Seconds for one turn, without what is done once whatever the text. A decoder that would need longer gets
        as many sentences as it can do, other ones each time.

    Returns
    -------
    dict of str to array of float64, shape (rounds,)
    """
    # What is made once for a model is no time for a token. Both probes hold more tokens than the model has labels:
    # from there on tables pay, and are made.
    size = max(64, scores.tokens // 50, 2 * scores.label_count)
    probes = [scores.holding(size), scores.holding(2 * size)]
    shares = {}
    for name, decode in decoders.items():
        less, more = (cpu_seconds(decode, probe) for probe in probes)
        each = (more - less) / max(probes[1].tokens - probes[0].tokens, 1)
        shares[name] = min(scores.tokens, max(1, int(budget / max(each, 1e-12))))
    begin = dict.fromkeys(decoders, 0)

    def turn(name: str) -> float:
        part = scores.holding(shares[name], begin[name])
        begin[name] = (begin[name] + part.sentences) % scores.sentences
        return cpu_seconds(decoders[name], part) / part.tokens

    return measure_rounds({name: partial(turn, name) for name in decoders}, rounds)


def warm_cache_seconds(decoders: Mapping[str, Decode], scores: ScoreSet, rounds: int) -> dict[str, Seconds]:
    """Measure CPU seconds a token with scores that stay in the caches.

    The cost of a call of any size (the layout of the transitions, above all) is measured on the first sentence
    and subtracted: it would weigh more in a few sentences than in the batches that people decode.

    Parameters
    ----------
    scores : ScoreSet
        A few sentences, at least two, that fit the caches.
    rounds : int
        Turns of each decoder.

    Returns
    -------
    dict of str to array of float64, shape (rounds,)
    """
    first = scores.between(0, 1)
    tokens = scores.tokens - first.tokens
    repeats = {}
    for name, decode in decoders.items():
        decode(scores)
        once = cpu_seconds(decode, scores)
        repeats[name] = max(3, int(_SHORTEST / max(once, 1e-9)))

    def turn(name: str) -> float:
        whole, start = (
            min(cpu_seconds(decoders[name], part) for _ in range(repeats[name])) for part in (scores, first)
        )
        return max(whole - start, _TICK) / tokens

    return measure_rounds({name: partial(turn, name) for name in decoders}, rounds)
