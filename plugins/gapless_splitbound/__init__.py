"""Branch and bound for parsing with non-local factors (Qian and Liu 2013): the method ``split-bound``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_splitbound.certificate import SplitMultipliers as SplitMultipliers
    from gapless_splitbound.enumerated import EnumeratedTrees as EnumeratedTrees
    from gapless_splitbound.forbidden_configurations import ForbiddenConfigurations as ForbiddenConfigurations
    from gapless_splitbound.pruning import candidate_heads as candidate_heads, prune as prune
else:
    from gapless.lazy import lazy_names

    _get, __dir__, __all__ = lazy_names(
        __name__,
        {
            "gapless_splitbound.certificate": "SplitMultipliers",
            "gapless_splitbound.enumerated": "EnumeratedTrees",
            "gapless_splitbound.forbidden_configurations": "ForbiddenConfigurations",
            "gapless_splitbound.pruning": "candidate_heads prune",
        },
    )

    _ROLES = "the roles of a second search in Python are gone; the search without compiled kernels is "
    _GONE = {
        "Split": _ROLES + "gapless.engine.split_bound.SplitBound, its certificate SplitMultipliers",
        "SplitBound": _ROLES + "gapless.engine.split_bound.SplitBound",
        "SplitRelaxation": _ROLES + "gapless.engine.search.Search",
        "LargestGap": _ROLES + "gapless.engine.search.Search, which branches on the largest gap",
    }

    def __getattr__(name: str) -> object:
        if name in _GONE:
            raise AttributeError(f"gapless_splitbound.{name}: {_GONE[name]}")
        return _get(name)
