"""Flips beside factors that are no conjunctions, which may feel them more than the backbone does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from gapless.core.decisions import Decisions, Fixings
from gapless.core.proofs.split_formula import Weighed

Flip = tuple[float, int, bool]
"""The most that the backbone weighs with the flip; the decision; whether it is turned on."""


def flips_bound(
    decisions: Decisions,
    fixings: Fixings,
    weighed: Weighed,
    flips: Iterable[Flip],
    enough: float,
    *,
    known: Callable[[Fixings], Weighed | None],
    whole: Callable[[Fixings], float],
) -> float:
    """A bound on the structures with one of some flips: in one pass, and for flips left in doubt alone.

    Those that the pass leaves highest come first: where they stay high, nothing is won by looking at the others.

    Parameters
    ----------
    decisions : Decisions
    fixings : Fixings
        Before the flips.
    weighed : Weighed
        Under `fixings`.
    flips : iterable of Flip
    enough : float
        Flips are looked at alone only above this.
    known : callable
        From flipped fixings, with what they imply, to the weights before the flip and a constant for which the
        factors know of it: `weigh` with ``flipped=``.
    whole : callable
        From flipped fixings to the bound under them.
    """
    asked = [(weighed.bound(through), through, d, on) for through, d, on in flips]
    most = max((one[0] for one in asked), default=-math.inf)
    if most <= enough:
        return most
    sides = weighed.felt()[::-1]  # off, on
    felt = sorted((weighed.bound(through, float(sides[on][d])), through, d, on) for _, through, d, on in asked)
    bound = -math.inf
    for most, through, d, on in reversed(felt):
        if most <= max(enough, bound):
            return max(bound, most)
        flipped = fixings.fix(on=(d,)) if on else fixings.fix(off=(d,))
        bound = max(bound, _alone(decisions, flipped, through, most, max(enough, bound), known, whole))
    return bound


def _alone(
    decisions: Decisions,
    flipped: Fixings | None,
    through: float,
    most: float,
    enough: float,
    known: Callable[[Fixings], Weighed | None],
    whole: Callable[[Fixings], float],
) -> float:
    """The best of three bounds on one flip: that of the pass, factors know of it besides, or everything does."""
    under = None if flipped is None else flipped.implied(decisions)
    if flipped is None or under is None:
        return -math.inf
    weighed = known(under)
    bound = -math.inf if weighed is None else min(most, weighed.bound(through))
    return min(bound, whole(flipped)) if bound > enough else bound
