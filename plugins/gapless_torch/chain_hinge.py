"""The structured hinge loss of label sequences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

import gapless as gl
from gapless import InvalidProblem
from gapless_chains import ChainModel
from gapless_torch.hinge import Hinge, integers, numbers, require_finite, scored, summed, with_cost, word_mask


class ChainHinge(Hinge):
    """``max over y of (score(y) + cost * wrong labels of y) - score(gold)`` for a batch of chains, exact.

    The maximum is found for the whole batch by a compiled kernel. The gradient is that of the scores which the
    best sequence uses and the right one does not, less those of the right one: indicators.

    Source: I. Tsochantaridis, T. Joachims, T. Hofmann, Y. Altun, Large margin methods for structured and
    interdependent output variables, JMLR 6, 2005, section 2.2.4 (margin re-scaling); B. Taskar, C. Guestrin,
    D. Koller, Max-margin Markov networks, NIPS 2003 (the Hamming cost).

    Parameters
    ----------
    cost : float
        Margin by which the right sequence must win for each wrong label; 0 is the perceptron's loss.
    reduction : {"mean", "sum", "none"}
        Over the sentences.
    method : str, optional
        An exact method for chains, as in `gapless.solve_many`.
    """

    def __init__(self, cost: float = 1.0, *, reduction: str = "mean", method: str | None = None) -> None:
        super().__init__(cost, reduction)
        self.method = method

    def forward(
        self,
        unary: Tensor,
        labels: Any,
        transition: Tensor,
        *,
        initial: Tensor | None = None,
        final: Tensor | None = None,
        mask: Any = None,
        lengths: Any = None,
    ) -> Tensor:
        """Return the loss of a batch.

        Parameters
        ----------
        unary : floating-point tensor (S, T, K), or (N, K) with `lengths`
            Scores of the labels: padded, or the rows of all sentences one after another. -inf forbids.
        labels : integer tensor (S, T) or (N,)
            The right labels; where there is padding they are not looked at.
        transition : tensor (K, K)
            Score of neighbouring labels, source first.
        initial, final : tensor (K,), optional
            Score of the first and of the last label.
        mask : tensor (S, T) of booleans, or 0 and 1, optional
            Places that hold a token; the others, wherever they are, are left out of the chain.
        lengths : (S,) integers, optional
            Tokens of each sentence, instead of a mask.

        Returns
        -------
        Tensor
            A number, or (S,) with ``reduction="none"``; never negative. Sentences without tokens have the loss 0.

        Raises
        ------
        InvalidProblem
            Shapes or types that do not fit, NaN or plus infinity, a right label out of range or forbidden; the
            message names the sentence.
        """
        rows, gold, counts = _flat(scored(unary, "unary"), labels, mask, lengths)
        tables = {"transition": transition, "initial": initial, "final": final}
        shared = {name: scored(t, name).to(rows.device) for name, t in tables.items() if t is not None}
        owners = torch.from_numpy(np.repeat(np.arange(len(counts)), counts.numpy()))
        _check(rows, gold, owners)
        # The decoder finds the structure in float64, outside of the graph; its score is summed again with gradient.
        best = self._decode(rows, gold, counts, shared)
        of_gold = _path_scores(rows, shared, gold, owners, len(counts))
        require_finite(of_gold, torch.arange(len(counts)), "labels")
        wrong = summed((best != gold).to(of_gold), owners, len(counts))
        return self.reduced(_path_scores(rows, shared, best, owners, len(counts)) - of_gold + self.cost * wrong)

    def _decode(self, rows: Tensor, gold: Tensor, counts: Tensor, shared: dict[str, Tensor]) -> Tensor:
        """Find the best labels (N,) with the cost added to the scores of wrong ones, int64 on the CPU."""
        if not len(gold):
            return gold
        model = ChainModel(**{name: numbers(table) for name, table in shared.items()})
        raised = with_cost(numbers(rows), (np.arange(len(gold)), gold.numpy()), self.cost)
        numbered = np.flatnonzero(counts.numpy())  # sentences without tokens are no problems
        batch = gl.solve_many(model.batch(raised, counts.numpy()[numbered]), self.method)
        # Ctrl-C leaves problems without a status; a loss of part of a batch would be wrong.
        if None in batch.statuses:
            raise KeyboardInterrupt
        if batch.statuses.count(gl.Status.OPTIMAL) < len(batch):
            index, status = next((i, s) for i, s in enumerate(batch.statuses) if s is not gl.Status.OPTIMAL)
            raise InvalidProblem(
                f"sentence {numbered[index]}: the best labels were not found ({status}); the loss needs an exact "
                "method, and labels that no score of -inf forbids"
            )
        return torch.from_numpy(np.array(batch.arrays["labels"]))


def _flat(unary: Tensor, labels: Any, mask: Any, lengths: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return rows (N, K) and right labels (N,) of all tokens, and the number of tokens of each sentence (S,)."""
    gold = integers(labels, "labels")
    if unary.ndim not in (2, 3) or gold.shape != unary.shape[:-1]:
        raise InvalidProblem(
            f"unary has shape {tuple(unary.shape)} and labels {tuple(gold.shape)}, expected (S, T, K) and (S, T), "
            "or (N, K) and (N,) with lengths"
        )
    if unary.ndim == 3:
        mask = word_mask((unary.shape[0], unary.shape[1]), mask, lengths)
        rows, gold, counts = unary[mask.to(unary.device)], gold[mask], mask.sum(1)
    else:
        if lengths is None or mask is not None:
            raise InvalidProblem("rows (N, K) need lengths, the number of tokens of each sentence, and no mask")
        rows, counts = unary, integers(lengths, "lengths")
        if counts.ndim != 1 or bool((counts < 0).any()) or int(counts.sum()) != len(rows):
            raise InvalidProblem(f"lengths must be counts that add up to the {len(rows)} rows of unary")
    if not len(counts):
        raise InvalidProblem("the batch holds no sentence")
    return rows, gold, counts


def _check(rows: Tensor, gold: Tensor, owners: Tensor) -> None:
    count = rows.shape[1]
    bad = torch.nonzero((gold < 0) | (gold >= count))
    if len(bad):
        index = int(bad[0])
        raise InvalidProblem(
            f"sentence {int(owners[index])}: the label {int(gold[index])} is none of 0..{count - 1}; "
            "places without a label need a mask"
        )
    wrong = torch.nonzero(~(rows < math.inf))
    if len(wrong):
        index, label = wrong[0].tolist()
        raise InvalidProblem(
            f"sentence {int(owners[index])}: a token's score of label {label} is {float(rows[index, label])}, "
            "expected a number or -inf"
        )


def _path_scores(rows: Tensor, shared: dict[str, Tensor], labels: Tensor, owners: Tensor, count: int) -> Tensor:
    """Return the scores (S,) of one labelling of each sentence."""
    columns = labels.to(rows.device)
    scores = summed(rows.gather(1, columns[:, None])[:, 0], owners, count)
    # The rows of all sentences lie one after another: no transition joins two sentences.
    inside = owners[1:] == owners[:-1]
    pairs = shared["transition"][columns[:-1], columns[1:]]
    scores = scores + summed(pairs[inside.to(rows.device)], owners[1:][inside], count)
    edge = torch.ones(min(1, len(owners)), dtype=torch.bool)
    for name, ends in (("initial", torch.cat([edge, ~inside])), ("final", torch.cat([~inside, edge]))):
        if name in shared:
            scores = scores + summed(shared[name][columns[ends.to(rows.device)]], owners[ends], count)
    return scores
