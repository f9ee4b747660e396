"""The local polytope of a chain or a tree as an explicit linear model."""

from __future__ import annotations

import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless.roles import LinearModel, Sparse


def local_polytope(
    local: FloatArray, transition: FloatArray, ends: tuple[IntArray, IntArray] | None = None
) -> LinearModel:
    """Build the linear program for the best labelling of a chain, a tree or several; its vertices are integral.

    Source: Belanger, Passos, Riedel, McCallum, MAP Inference in Chains using Column Generation, 2012, eq. 4.
    Columns: ``n * K`` label indicators, the decisions, then for each edge ``K * K`` pair indicators, source first.
    Rows: each node has one label; then for each edge, its pairs agree with the labels of both ends. Minus
    infinity becomes an upper bound of 0.

    Parameters
    ----------
    local : float64 (n, K)
        Label scores, those of starting and ending included.
    transition : float64 (K, K) or (edges, K, K)
    ends : pair of int64 (edges,), optional
        Source and target of each edge; by default those of a chain, ``i -> i + 1``.
    """
    n, k = local.shape
    sources, targets = (np.arange(n - 1), np.arange(1, n)) if ends is None else ends
    edges = len(sources)
    labels = np.arange(n * k).reshape(n, k)
    pairs = n * k + np.arange(edges * k * k).reshape(edges, k, k)
    scores = np.concatenate([local.ravel(), np.broadcast_to(transition, (edges, k, k)).ravel()])
    allowed = scores > -np.inf
    outgoing = _agreement(pairs, labels[sources])
    incoming = _agreement(pairs.transpose(0, 2, 1), labels[targets])
    lengths = np.concatenate([np.full(n, k), np.full(2 * edges * k, k + 1)])
    indices = np.concatenate([labels.ravel(), outgoing.ravel(), incoming.ravel()])
    signs = np.ones((2 * edges * k, k + 1))
    signs[:, -1] = -1.0
    sides = np.concatenate([np.ones(n), np.zeros(2 * edges * k)])
    integer = np.zeros(scores.size, bool)
    # Integral labels imply integral pairs, so only the labels are declared integer.
    integer[: n * k] = True
    return LinearModel(
        objective=np.where(allowed, scores, 0.0),
        column_lower=np.zeros(scores.size),
        column_upper=allowed.astype(np.float64),
        integer=integer,
        rows=Sparse(
            np.concatenate([[0], np.cumsum(lengths)]), indices, np.concatenate([np.ones(n * k), signs.ravel()])
        ),
        row_lower=sides,
        row_upper=sides,
        decision_columns=np.arange(n * k),
    )


def _agreement(pairs: IntArray, labels: IntArray) -> IntArray:
    """Return the columns of the rows ``sum of pairs[edge, label, :] - label = 0``, shape (edges, K, K + 1)."""
    return np.concatenate([pairs, labels[:, :, None]], axis=2)
