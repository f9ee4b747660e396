"""One flip beside factors that are no conjunctions, which may feel it more than the backbone does."""

from __future__ import annotations

import math
from collections.abc import Callable

from gapless.core.decisions import Decisions, Fixings
from gapless.core.proofs.split_formula import Weighed


def flip_alone(
    decisions: Decisions,
    flipped: Fixings | None,
    through: float,
    enough: float,
    *,
    known: Callable[[Fixings], Weighed | None],
    whole: Callable[[Fixings], float],
) -> float:
    """The better of two bounds on one flip: factors know of it beside the backbone, or everything does.

    Parameters
    ----------
    decisions : Decisions
    flipped : Fixings or None
        The fixings with the flip; None where they contradict each other.
    through : float
        Most that the backbone weighs with the flip, under the weights before it.
    enough : float
        The second bound is computed only where the first exceeds this.
    known : callable
        From `flipped`, with what it implies, to the weights before the flip and a constant for which the factors
        know of it: `weigh` with ``flipped=``.
    whole : callable
        From `flipped` to the bound under it.
    """
    under = None if flipped is None else flipped.implied(decisions)
    if flipped is None or under is None:
        return -math.inf
    weighed = known(under)
    bound = -math.inf if weighed is None else weighed.bound(through)
    return min(bound, whole(flipped)) if bound > enough else bound
