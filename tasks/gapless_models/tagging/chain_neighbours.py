"""Chains near a given one: the best one that is not gold, and a random one that differs in one label."""

from __future__ import annotations

import numpy as np

from gapless_kernels import forward_messages, viterbi
from gapless_models.tagging.chain_features import ChainScores, Labels


def margin_violation(scores: ChainScores, gold: Labels, margin: float) -> Labels | None:
    """Return the best chain other than `gold` if it scores at least as much as `gold` less the margin; else None.

    Such a chain differs from `gold` at some word. Forward and backward messages say for every word and label what
    the best chain through it scores (its max-marginal); the best one with a label that is not gold is the answer,
    which is decoded only if it violates the margin.
    """
    local = scores.unary.copy()
    local[0] += scores.initial
    local[-1] += scores.final
    forward, backward = np.empty_like(local), np.empty_like(local)
    forward_messages(local, scores.transition, forward)
    forward_messages(np.ascontiguousarray(local[::-1]), np.ascontiguousarray(scores.transition.T), backward)
    through = forward + backward[::-1] - local
    words = np.arange(len(gold))
    gold_score = local[words, gold].sum() + scores.transition[gold[:-1], gold[1:]].sum() - margin
    through[words, gold] = -np.inf
    word, label = np.unravel_index(int(through.argmax()), through.shape)
    if through[word, label] < gold_score or through[word, label] == -np.inf:
        return None
    others = np.ones(local.shape[1], bool)
    others[label] = False
    local[word, others] = -np.inf
    labels = np.empty(len(gold), np.int64)
    viterbi(local, scores.transition, labels)
    return labels


def propose_label(scores: ChainScores, labels: Labels, rng: np.random.Generator) -> Labels | None:
    """Propose another label for a random word: a random one in half of the cases, else the word's best one."""
    count = scores.unary.shape[1]
    if count == 1:
        return None
    word = int(rng.integers(len(labels)))
    current = int(labels[word])
    if rng.random() < 0.5:
        proposal = (current + 1 + int(rng.integers(count - 1))) % count
    else:
        row = scores.unary[word].copy()
        row[current] = -np.inf
        proposal = int(row.argmax())
    neighbour = labels.copy()
    neighbour[word] = proposal
    return neighbour
