"""Bounds on structures with a flipped decision, for problems with configuration factors.

The backbone's max-marginals bound all flips in one pass, but ignore that a configuration factor may lose more by a
flip than the backbone does. Flips whose bound stays too high are therefore bounded one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from gapless.certificates.split_formula import SplitWeights
from gapless.decisions.decisions import Decisions, Fixings

Flip = tuple[float, int, bool]
"""The backbone's max-marginal of the flip; the decision; whether it is turned on."""


def flips_bound(
    decisions: Decisions,
    fixings: Fixings,
    weighed: SplitWeights,
    flips: Iterable[Flip],
    enough: float,
    *,
    known: Callable[[Fixings], SplitWeights | None],
    whole: Callable[[Fixings], float],
) -> float:
    """Bound the structures that contain at least one of some flips.

    Parameters
    ----------
    decisions : Decisions
    fixings : Fixings
        Before the flips.
    weighed : SplitWeights
        Under `fixings`.
    flips : iterable of Flip
    enough : float
        A bound at or below this value need not be tightened.
    known : callable
        From flipped fixings, with their implications, to the weights before the flip and the constant with the
        configuration factors bounded under the flip: `split_weights` with ``flipped=``.
    whole : callable
        From flipped fixings to the bound under them, with weights computed anew.
    """
    candidates = [(weighed.bound(score), score, d, on) for score, d, on in flips]
    highest = max((candidate[0] for candidate in candidates), default=-math.inf)
    # The backbone alone often suffices; then no factor needs a pass.
    if highest <= enough:
        return highest
    losses = weighed.factor_losses()[::-1]  # indexed by `on`: off, on
    ranked = sorted((weighed.bound(score, float(losses[on][d])), score, d, on) for _, score, d, on in candidates)
    bound = -math.inf
    # From the highest on: a flip that stays high decides the result, so that the others need no bound of their own.
    for highest, score, d, on in reversed(ranked):
        if highest <= max(enough, bound):
            return max(bound, highest)
        flipped = fixings.fix(on=(d,)) if on else fixings.fix(off=(d,))
        under = None if flipped is None else flipped.implied(decisions)
        if flipped is None or under is None:  # the flip is infeasible
            continue
        # Two tighter bounds in the order of their cost: the factors under the flip, then everything under it.
        partial = known(under)
        single = -math.inf if partial is None else min(highest, partial.bound(score))
        bound = max(bound, min(single, whole(flipped)) if single > max(enough, bound) else single)
    return bound
