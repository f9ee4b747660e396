"""The base of the hinge losses: options, and conversions of tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gapless import InvalidProblem, UnknownOption
from gapless.arrays.array_input import as_array
from gapless.arrays.sparse import FloatArray
from gapless.arrays.spelling_hint import check_choice
from gapless_chains.padding import token_mask

REDUCTIONS = ("mean", "sum", "none")


class Hinge(torch.nn.Module):
    """A loss with a margin and a reduction.

    Parameters
    ----------
    cost : float
        Margin by which the right structure must win, for each wrong part of the other; 0 is the perceptron's loss.
    reduction : {"mean", "sum", "none"}
        Over the sentences, as in PyTorch's own losses.
    """

    def __init__(self, cost: float, reduction: str) -> None:
        super().__init__()
        self.cost = checked_cost(cost)
        check_choice("reduction", reduction, REDUCTIONS)
        self.reduction = reduction

    def reduced(self, losses: Tensor) -> Tensor:
        """Reduce the losses of the sentences (S,), which are never negative."""
        # Exact arithmetic gives none below 0; in float32 a tie may round to one.
        hinges = losses.relu()
        if self.reduction == "none":
            return hinges
        return hinges.sum() if self.reduction == "sum" else hinges.mean()

    def extra_repr(self) -> str:
        """Return the options for ``print``."""
        return f"cost={self.cost:g}, reduction={self.reduction!r}"


def checked_cost(cost: Any) -> float:
    """Check a margin: a finite number of at least 0."""
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0.0 <= cost < math.inf:
        raise UnknownOption(f"cost is {cost!r}, expected a finite number, 0 or more")
    return float(cost)


def scored(tensor: Any, name: str) -> Tensor:
    """Return a tensor of scores in float32 or wider, in which sums keep enough digits."""
    if not isinstance(tensor, Tensor):
        raise InvalidProblem(f"{name} is a {type(tensor).__name__}, expected a torch tensor")
    if not tensor.is_floating_point():
        raise InvalidProblem(f"{name} has dtype {tensor.dtype}, expected a floating-point type")
    return tensor.float() if tensor.dtype.itemsize < torch.float32.itemsize else tensor


def integers(given: Any, name: str) -> Tensor:
    """Return labels, heads or lengths as an int64 tensor on the CPU."""
    tensor = given.cpu() if isinstance(given, Tensor) else torch.tensor(as_array(given, f"{name} is"))
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
        raise InvalidProblem(f"{name} has dtype {tensor.dtype}, expected integers")
    return tensor.long()


def numbers(tensor: Tensor) -> FloatArray:
    """Return a float64 copy of the scores, to which costs may be added without rounding the loss."""
    scores: FloatArray = tensor.detach().to("cpu", torch.float64, copy=True).contiguous().numpy()
    return scores


def with_cost(scores: FloatArray, gold: tuple[Any, ...], cost: float) -> FloatArray:
    """Add `cost` to all scores except those at the indices `gold`."""
    # Loss-augmented decoding: with the cost in the scores, the best structure maximises score plus margin.
    raised = scores + cost
    raised[gold] = scores[gold]
    return raised


def word_mask(shape: tuple[int, int], mask: Any, lengths: Any) -> Tensor:
    """Mark the positions of words in a padded batch, bool (S, T) on the CPU, from a mask, from lengths, or all."""
    sentences, positions = shape
    if mask is not None and lengths is not None:
        raise InvalidProblem("give mask or lengths, not both")
    if lengths is not None:
        counts = integers(lengths, "lengths")
        if counts.shape != (sentences,) or bool(((counts < 0) | (counts > positions)).any()):
            raise InvalidProblem(
                f"lengths must be {sentences} integers from 0 to {positions}, got {counts.tolist()}"
            )
        return torch.arange(positions) < counts[:, None]
    if mask is None:
        return torch.ones(shape, dtype=torch.bool)
    return torch.tensor(token_mask(mask.cpu() if isinstance(mask, Tensor) else mask, shape))


def summed(parts: Tensor, owners: Tensor, sentences: int) -> Tensor:
    """Sum the parts of each sentence, (S,)."""
    return parts.new_zeros(sentences).index_add(0, owners.to(parts.device), parts)


def require_finite(gold: Tensor, owners: Tensor, noun: str) -> None:
    """Refuse right structures that score -inf: the difference to them would be infinite."""
    bad = np.flatnonzero(~torch.isfinite(gold.detach()).cpu().numpy())
    if bad.size:
        raise InvalidProblem(
            f"sentence {int(owners[int(bad[0])])}: the right {noun} are forbidden by a score of -inf"
        )
