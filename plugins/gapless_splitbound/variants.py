"""The two ways to minimise the split bound that `split-bound` offers by name."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from gapless.engine.lagrangian import StepRule


@attrs.frozen
class Variant:
    """The choices that make a split bound.

    Parameters
    ----------
    group : bool
        Whether pairs are bounded in groups, one choice for each lower arc.
    shares : bool
        Whether multipliers are the paper's shares rather than scores.
    fix : bool
        Whether arcs are fixed by max-marginals.
    """

    group: bool
    shares: bool
    fix: bool
    rule: StepRule


VARIANTS: Mapping[str, Variant] = {
    "default": Variant(group=True, shares=False, fix=True, rule=StepRule(iterations=60)),
    "paper": Variant(group=False, shares=True, fix=False, rule=StepRule(iterations=60)),
}
