"""Katz back-off: discounted frequencies of seen events, a coarser distribution for unseen ones."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from gapless.core.sparse import FloatArray, IntArray
from gapless_models.titles.good_turing import discounts

Distribution = Callable[[IntArray, IntArray], FloatArray]
"""``p(contexts, outcomes)``: probability of each outcome in its context; arrays of one shape."""


@attrs.frozen(eq=False)
class BackOff:
    """P(outcome | context).

    An outcome that was seen in a context has its discounted relative frequency there; the others share the rest,
    in proportion to `coarser`. Source: Katz, Estimation of Probabilities from Sparse Data (1987).

    Parameters
    ----------
    width : int
        Number of outcomes.
    keys : int64 (pairs,)
        ``context * width + outcome`` of the pairs that were seen, ascending.
    discounted : float64 (pairs,)
        Their probabilities.
    weights : float64 (contexts,)
        Factor of `coarser` for what was not seen.
    """

    width: int
    keys: IntArray
    discounted: FloatArray
    weights: FloatArray
    coarser: Distribution

    @classmethod
    def estimate(
        cls, contexts: IntArray, outcomes: IntArray, shape: tuple[int, int], coarser: Distribution
    ) -> BackOff:
        """From pairs as they occur in text.

        Parameters
        ----------
        contexts, outcomes : int64 (occurrences,)
        shape : (int, int)
            The numbers of contexts and of outcomes. One outcome at least is never seen.
        coarser : callable
            A distribution that gives every outcome a positive probability.
        """
        height, width = shape
        keys, counts = np.unique(contexts * width + outcomes, return_counts=True)
        context, outcome = keys // width, keys % width
        totals = np.bincount(context, counts, minlength=height)
        discounted = discounts(counts)[counts] * counts / totals[context]
        left = 1.0 - np.bincount(context, discounted, minlength=height)
        free = 1.0 - np.bincount(context, coarser(context, outcome), minlength=height)
        return cls(width, keys, discounted, left / free, coarser)

    def __call__(self, contexts: IntArray, outcomes: IntArray) -> FloatArray:
        """Probability of each outcome in its context; the arrays are broadcast."""
        context, outcome = np.broadcast_arrays(contexts, outcomes)
        keys = context * self.width + outcome
        at = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        backed_off = self.weights[context] * self.coarser(context, outcome)
        found: FloatArray = np.where(self.keys[at] == keys, self.discounted[at], backed_off)
        return found
