"""Random instances: small ones with every oddity, for tests, and families of large ones, for measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_ordering.auxiliary import AuxiliaryWords
from gapless_ordering.problem import OrderingProblem

Draw = Callable[[Any], Any]
"""From a shape to scores."""

AUXILIARY_WORDS = 24
"""As many as the paper takes (section 6)."""

_SUCCESSORS = 12
_AUXILIARY_SUCCESSORS = 150
_AUXILIARY_SHARE = 0.4
_DISCOUNT = 0.75


# --- small instances


def _draws(rng: np.random.Generator) -> dict[str, Draw]:
    return {
        "ties": lambda shape: rng.integers(-2, 3, shape).astype(np.float64),
        "equal": np.zeros,
        "normal": lambda shape: rng.normal(size=shape),
        "negative": lambda shape: np.log(rng.uniform(1e-4, 1.0, shape)),
        "positive": lambda shape: rng.exponential(1.0, shape),
        "huge": lambda shape: rng.normal(0.0, 1e6, shape),
        "mixed": lambda shape: np.where(
            rng.random(shape) < 0.5, rng.normal(size=shape), rng.integers(-2, 3, shape)
        ),
    }


def _drawn_length(rng: np.random.Generator, n: int, classes: int) -> int:
    kind = rng.random()
    if kind < 0.1:
        return 1
    if kind < 0.2:
        return classes
    return int(rng.integers(1, n + 2 if kind < 0.3 else classes + 1))


def _drawn_classes(rng: np.random.Generator, n: int) -> IntArray | None:
    """Sample no classes, a few large ones, or many small ones."""
    if rng.random() < 0.35:
        return None
    return rng.integers(0, rng.integers(1, n + 1) if rng.random() < 0.5 else n, n)


def random_problem(
    rng: np.random.Generator,
    n: int | None = None,
    length: int | None = None,
    *,
    scores: str | None = None,
    forbidden: float | None = None,
    layered: float = 0.15,
) -> OrderingProblem:
    """Sample a small instance; arguments that are None are sampled, too.

    Among them are lengths of 1, n and n + 1, classes with more vertices than the path, fewer classes than the
    path has vertices, ties everywhere, and instances without a path.

    Parameters
    ----------
    n : int, optional
        The number of vertices, else 1 to 9.
    length : int, optional
        Else 1 to n + 1.
    scores : {"ties", "equal", "normal", "negative", "positive", "huge", "mixed"}, optional
        Distribution of the scores: "ties" are integers from -2 to 2, "equal" are all 0, in "mixed" every
        second one is no integer.
    forbidden : float, optional
        Share of the scores that are -inf.
    layered : float
        Share of problems whose vertices lie in layers of random sizes, with edges from one to the next only,
        paths start in the first and end in the last: of many lengths there is no path.
    """
    n = int(rng.integers(1, 10)) if n is None else n
    draws = _draws(rng)
    draw = draws[str(rng.choice(list(draws))) if scores is None else scores]
    share = float(rng.choice([0.0, 0.0, 0.1, 0.2, 0.5])) if forbidden is None else forbidden

    def with_forbidden(shape: Any) -> Any:
        return np.where(rng.random(shape) < share, -np.inf, draw(shape))

    start, ordering, end = with_forbidden(n), with_forbidden((n, n)), with_forbidden(n)
    if rng.random() < layered:
        layer = np.sort(rng.integers(0, rng.integers(1, n + 1), n))
        start[layer != layer[0]] = -np.inf
        end[layer != layer[-1]] = -np.inf
        ordering[layer[None, :] - layer[:, None] != (rng.random() < 0.8)] = -np.inf
    classes = _drawn_classes(rng, n)
    if length is None:
        length = _drawn_length(rng, n, n if classes is None else np.unique(classes).size)
    return OrderingProblem(start, ordering, end, length, classes=classes)


# --- families


def title_like(n: int, length: int, seed: int) -> OrderingProblem:
    """Sample words of a section and the bigram model of its book, as the paper builds its graphs (section 6).

    Content words have Zipf frequencies, about a dozen observed successors each and back-off to unigrams with
    absolute discounting; of the direct transition and those through 24 auxiliary words the best counts.
    Selection probabilities have a heavy tail. One to four variants of a stem are one class.
    """
    rng = np.random.default_rng(seed)
    content = 1.0 / (rng.permutation(n) + 2.7)
    frequent = 1.0 / np.arange(1, AUXILIARY_WORDS + 1)
    unigrams = np.concatenate(
        [
            (1.0 - _AUXILIARY_SHARE) * content / content.sum(),
            _AUXILIARY_SHARE * frequent / frequent.sum(),
        ]
    )
    successors = np.concatenate([np.full(n, _SUCCESSORS), np.full(AUXILIARY_WORDS, _AUXILIARY_SUCCESSORS)])
    bigrams = np.log(_bigram_model(rng, unigrams, successors))
    return OrderingProblem.from_selection(
        np.log(_heavy_tailed(rng, n)),
        bigrams[:n, :n],
        length=length,
        start=np.log(unigrams[:n]),
        end=np.log(rng.uniform(0.01, 0.2, n)),
        auxiliary=AuxiliaryWords([f"aux{x}" for x in range(AUXILIARY_WORDS)], bigrams[:n, n:], bigrams[n:, :n]),
        classes=np.repeat(np.arange(n), rng.choice([1, 2, 3, 4], n, p=[0.6, 0.25, 0.1, 0.05]))[:n],
    )


def _bigram_model(rng: np.random.Generator, unigrams: FloatArray, successors: IntArray) -> FloatArray:
    """Return probabilities (words, words): discounted counts of observed successors, the rest as unigrams say."""
    size = unigrams.size
    model = np.empty((size, size))
    for word in range(size):
        types = min(size, max(1, int(rng.poisson(successors[word]))))
        seen = rng.choice(size, types, replace=False, p=unigrams)
        counts = np.minimum(rng.zipf(2.0, types), 1000).astype(np.float64)
        model[word] = _DISCOUNT * types / counts.sum() * unigrams
        model[word, seen] += (counts - _DISCOUNT) / counts.sum()
    return model


def _heavy_tailed(rng: np.random.Generator, n: int) -> FloatArray:
    """Sample selection probabilities, few of which are large."""
    chosen: FloatArray = np.minimum(0.95, 0.01 * (1.0 + rng.pareto(1.2, n)))
    return chosen


def summary_like(n: int, length: int, seed: int) -> OrderingProblem:
    """Sample sentences of documents on one topic, each preceding each other with some probability (section 2.2).

    The precedence of two sentences follows their places in a latent story and a good deal of noise; selection has
    a heavy tail; random clusters of three sentences on average say the same.
    """
    rng = np.random.default_rng(seed)
    place = rng.random(n)
    odds = 4.0 * (place[None, :] - place[:, None]) + rng.normal(0.0, 1.5, (n, n))
    selection = np.log(_heavy_tailed(rng, n))
    return OrderingProblem.from_selection(
        selection,
        -np.logaddexp(0.0, -odds),
        length=length,
        start=-np.logaddexp(0.0, 6.0 * place - 2.0 + rng.normal(0.0, 1.0, n)),
        classes=rng.integers(0, max(1, n // 3), n),
    )


def uniform(n: int, length: int, seed: int) -> OrderingProblem:
    """Sample independent scores, uniform in [0, 1)."""
    rng = np.random.default_rng(seed)
    return OrderingProblem(rng.random(n), rng.random((n, n)), rng.random(n), length)


def low_rank(n: int, length: int, seed: int) -> OrderingProblem:
    """Sample ordering scores as products of three features of both vertices, and normal selection scores."""
    rng = np.random.default_rng(seed)
    ordering = rng.normal(size=(n, 3)) @ rng.normal(size=(3, n))
    return OrderingProblem.from_selection(rng.normal(size=n), ordering, length=length)


def small_integers(n: int, length: int, seed: int) -> OrderingProblem:
    """Sample scores from 0 to 4, so that ties abound."""
    rng = np.random.default_rng(seed)
    start, ordering, end = (rng.integers(0, 5, shape).astype(np.float64) for shape in (n, (n, n), n))
    return OrderingProblem(start, ordering, end, length)


def metric(n: int, length: int, seed: int) -> OrderingProblem:
    """Sample points of the unit square with prizes in [0, 0.2); a path collects prizes and pays distances.

    Each edge carries half the prizes of its ends, so that a path scores the same in both directions.
    """
    rng = np.random.default_rng(seed)
    points, half = rng.random((n, 2)), 0.1 * rng.random(n)
    distances = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    return OrderingProblem(half, half[:, None] + half[None, :] - distances, half, length)


def few_classes(n: int, length: int, seed: int) -> OrderingProblem:
    """Sample normal scores with only 14 classes."""
    rng = np.random.default_rng(seed)
    start, ordering, end = rng.normal(size=n), rng.normal(size=(n, n)), rng.normal(size=n)
    return OrderingProblem(start, ordering, end, length, classes=rng.integers(0, 14, n))


FAMILIES: Mapping[str, Callable[[int, int, int], OrderingProblem]] = {
    "title-like": title_like,
    "summary-like": summary_like,
    "uniform": uniform,
    "low-rank": low_rank,
    "small-integers": small_integers,
    "metric": metric,
    "few-classes": few_classes,
}
"""From the number of vertices, the length and a seed to an instance."""
