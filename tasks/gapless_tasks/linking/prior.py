"""The cost with a prior on top, which the paper asks for (section 7): its weight chosen on training documents.

A prior scores each candidate by itself: the logarithm of one plus its degree, or plus the number of links that lead
to it. The weight is what one unit is worth in units of a candidate's mean distance from the others chosen, so that
it means the same for short and long documents; in units of the cost this is k - 1 times as much.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray
from gapless_models.linking.document import Corpus, Knowledge
from gapless_tasks.linking.averages import Average
from gapless_tasks.linking.measuring import EXACT, Linked

DEGREE, IN_LINKS = "degree", "in-links"
PRIORS = (DEGREE, IN_LINKS)
WEIGHTS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
TRAIN_EVERY = 3
"""Every third document is for choosing the weight."""
_ENOUGH = 0.99
"""Least share of candidates with a known prior."""


def prior_scores(knowledge: Knowledge, prior: str) -> FloatArray | None:
    """Look up the prior of each vertex, float64 (n,), NaN where it is unknown; None for a graph that has none."""
    if prior == DEGREE:
        graph = knowledge.graph
        degree = np.zeros(len(knowledge.titles))
        degree[graph.vertices] = np.diff(graph.offsets)
        return np.log1p(degree)
    return None if knowledge.in_links is None else np.log1p(knowledge.in_links)


def known_share(corpus: Corpus, prior: str) -> float:
    """Compute the share of candidates whose prior is known."""
    scores = prior_scores(corpus.knowledge, prior)
    if scores is None:
        return 0.0
    members = np.concatenate([members for document in corpus.documents for members in document.sets])
    return float(np.mean(~np.isnan(scores[members])))


def usable(corpus: Corpus, prior: str) -> FloatArray | None:
    """Return the prior's scores if nearly all candidates have one, else None; the others count as 0."""
    scores = prior_scores(corpus.knowledge, prior)
    if scores is None or known_share(corpus, prior) < _ENOUGH:
        return None
    return np.nan_to_num(scores, nan=0.0)


def split(linked: Sequence[Linked]) -> tuple[list[Linked], list[Linked]]:
    """Split documents into those that choose the weight, and the others."""
    return list(linked[::TRAIN_EVERY]), [document for i, document in enumerate(linked) if i % TRAIN_EVERY]


@attrs.frozen
class Scored:
    """The value of exact answers on some documents.

    Parameters
    ----------
    proved : float
        The share of documents whose answer is proved to be the best under this cost.
    """

    weight: float
    value: Average
    proved: float


def with_prior(linked: Sequence[Linked], scores: FloatArray, weight: float, limits: gl.Limits) -> Scored:
    """Solve documents exactly under the cost with a prior."""
    values, proved = [], []
    for document in linked:
        problem = attrs.evolve(
            document.problem.without_graph(),
            prior=[scores[members] for members in document.document.sets],
            prior_weight=weight * (document.problem.k - 1),
        )
        result = gl.solve(problem, EXACT, limits=limits)
        if result.stop is gl.Stop.INTERRUPTED:
            raise KeyboardInterrupt
        values.append(document.document.value(document.problem.points[result.best]))
        proved.append(result.status is gl.Status.OPTIMAL)
    return Scored(weight, Average.of(values), float(np.mean(proved)) if proved else np.nan)


def alone(linked: Sequence[Linked], scores: FloatArray) -> Average:
    """Compute the value of choosing by the prior alone."""
    return Average.of(
        document.document.value([members[np.argmax(scores[members])] for members in document.document.sets])
        for document in linked
    )


def best_weight(curve: Sequence[Scored]) -> float:
    """Return the smallest weight of the highest value."""
    return max(curve, key=lambda one: (one.value.mean, -one.weight)).weight
