"""Branch and bound for parsing with non-local factors (Qian and Liu 2013): the method ``split-bound``.

The search is `gapless.search`, which registers the method of this name for every problem with a backbone. Here it
gets options for parsing problems and a layout with certificates over trees (`tree_search`) and, for lazily asked
scores, restarts (`lazy_search`). `certificate` holds the proofs, `pruning` the paper's approximation.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_splitbound.certificate import (
        EnumeratedTrees as EnumeratedTrees,
        TreeSplitCertificate as TreeSplitCertificate,
    )
    from gapless_splitbound.pruning import candidate_heads as candidate_heads, prune as prune
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
