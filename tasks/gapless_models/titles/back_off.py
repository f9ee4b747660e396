"""Katz back-off: discounted frequencies of seen events, a coarser distribution for unseen ones."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_models.titles.good_turing import discounts

Distribution = Callable[[IntArray, IntArray], FloatArray]
"""``p(contexts, outcomes)``: probability of each outcome in its context; arrays of one shape."""


@attrs.frozen(eq=False)
class BackOff:
    """Model of P(outcome | context) with back-off.

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
        """Estimate the probabilities from pairs as they occur in text.

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
        back_off_mass = 1.0 - np.bincount(context, discounted, minlength=height)
        free = 1.0 - np.bincount(context, coarser(context, outcome), minlength=height)
        return cls(width, keys, discounted, back_off_mass / free, coarser)

    def __call__(self, contexts: IntArray, outcomes: IntArray) -> FloatArray:
        """Compute the probability of each outcome in its context; the arrays are broadcast."""
        context, outcome = np.broadcast_arrays(contexts, outcomes)
        keys = context * self.width + outcome
        nearest = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        backed_off = self.weights[context] * self.coarser(context, outcome)
        probabilities: FloatArray = np.where(self.keys[nearest] == keys, self.discounted[nearest], backed_off)
        return probabilities
