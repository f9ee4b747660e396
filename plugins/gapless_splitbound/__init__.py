"""Branch and bound for parsing with non-local factors (Qian and Liu 2013): the method ``split-bound``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_splitbound.certificate import SplitMultipliers as SplitMultipliers
    from gapless_splitbound.enumerated import EnumeratedTrees as EnumeratedTrees
    from gapless_splitbound.forbidden_configurations import ForbiddenConfigurations as ForbiddenConfigurations
    from gapless_splitbound.pruning import candidate_heads as candidate_heads, prune as prune
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "gapless_splitbound.certificate": "SplitMultipliers",
            "gapless_splitbound.enumerated": "EnumeratedTrees",
            "gapless_splitbound.forbidden_configurations": "ForbiddenConfigurations",
            "gapless_splitbound.pruning": "candidate_heads prune",
        },
    )
