"""The structured hinge loss of dependency trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

import gapless as gl
from gapless import InvalidProblem
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_torch.hinge import Hinge, integers, numbers, require_finite, scored, summed, with_cost, word_mask


class DependencyHinge(Hinge):
    """``max over trees of (score + cost * wrong heads) - score of the right tree``, exact.

    The gradient is 1 at the arcs that only the best tree has, and -1 at those that only the right one has.

    Source: R. McDonald, K. Crammer, F. Pereira, Online large-margin training of dependency parsers, ACL 2005,
    section 2; the hinge as in `ChainHinge`.

    Parameters
    ----------
    cost : float
        Margin by which the right tree must win for each wrong head; 0 is the perceptron's loss.
    projective, single_root : bool
        The trees that exist, as for `gapless_dependency.ParsingProblem`.
    reduction : {"mean", "sum", "none"}
        Over the sentences.
    """

    def __init__(
        self, cost: float = 1.0, *, projective: bool = False, single_root: bool = True, reduction: str = "mean"
    ) -> None:
        super().__init__(cost, reduction)
        self.projective, self.single_root = projective, single_root

    def forward(self, arc_scores: Tensor, heads: Any, *, mask: Any = None, lengths: Any = None) -> Tensor:
        """Return the loss of a batch.

        Parameters
        ----------
        arc_scores : floating-point tensor (S, n + 1, n + 1)
            Score of each arc [head, modifier], 0 being the root; -inf forbids. Sentences shorter than n words are
            padded at their end. A biaffine layer that gives [modifier, head] is turned by ``.mT``.
        heads : integer tensor (S, n)
            The right head of each word 1..n, 0 for the root; padding is not looked at.
        mask : tensor (S, n) of booleans, or 0 and 1, optional
            Places that hold a word: the first ones of each row.
        lengths : (S,) integers, optional
            Words of each sentence, instead of a mask.

        Returns
        -------
        Tensor
            A number, or (S,) with ``reduction="none"``; never negative. Sentences without words have the loss 0.

        Raises
        ------
        InvalidProblem
            Shapes or types that do not fit, NaN or plus infinity, or right heads that are no tree of the kind that
            is searched; the message names the sentence.
        """
        scores, gold = scored(arc_scores, "arc_scores"), integers(heads, "heads")
        shape = scores.shape
        if scores.ndim != 3 or shape[1] != shape[2] or gold.shape != (shape[0], shape[1] - 1) or not shape[0]:
            raise InvalidProblem(
                f"arc_scores has shape {tuple(shape)} and heads {tuple(gold.shape)}, expected (S, n + 1, n + 1) "
                "and (S, n) with S >= 1"
            )
        words = word_mask((shape[0], shape[1] - 1), mask, lengths)
        if bool((words[:, 1:] & ~words[:, :-1]).any()):
            raise InvalidProblem("mask has holes: the words of a sentence come first, then the padding")
        owners, positions = torch.nonzero(words, as_tuple=True)
        right = gold[words]
        best = self._decode(numbers(scores), right.numpy(), words.sum(1).tolist())
        device = scores.device
        arcs = [(owners.to(device), head.to(device), (positions + 1).to(device)) for head in (best, right)]
        best_scores, right_scores = (scores[arc] for arc in arcs)
        require_finite(right_scores, owners, "heads")
        return self.reduced(
            summed(best_scores - right_scores + self.cost * (best != right).to(right_scores), owners, shape[0])
        )

    def _decode(self, scores: Any, right: Any, counts: list[int]) -> Tensor:
        """Find the best heads (N,) of all words with the cost added to the scores of wrong arcs."""
        problems, begin = [], 0
        for number, count in enumerate(counts):
            if not count:
                continue
            gold = right[begin : begin + count]
            begin += count
            try:
                problem = self._problem(scores[number, : count + 1, : count + 1], gold)
            except InvalidProblem as error:
                raise InvalidProblem(f"sentence {number}: {error}") from error
            problems.append(problem)
        batch = gl.solve_many(problems, "first-order")
        # Ctrl-C leaves problems without a status; a loss of part of a batch would be wrong.
        if None in batch.statuses:
            raise KeyboardInterrupt
        heads = [batch.structure(i).heads for i in range(len(batch))]
        return torch.from_numpy(np.concatenate([np.zeros(0, np.int64), *heads]))

    def _problem(self, scores: Any, gold: Any) -> ParsingProblem:
        # Checked before the cost is added: the right tree must be feasible, or the loss would be unbounded.
        plain = ParsingProblem(scores, projective=self.projective, single_root=self.single_root)
        wrong = plain.violations(DependencyTree(gold))
        if wrong:
            raise InvalidProblem(f"the right heads are no tree that is searched: {wrong[0]}")
        raised = with_cost(plain.scores, (gold, np.arange(1, len(gold) + 1)), self.cost)
        return ParsingProblem(raised, projective=self.projective, single_root=self.single_root)
