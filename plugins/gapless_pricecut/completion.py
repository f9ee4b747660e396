"""The old place of `gapless_pricecut.dual_completion`."""

import warnings

from gapless_pricecut.dual_completion import *  # noqa: F403

warnings.warn(
    "gapless_pricecut.completion is now gapless_pricecut.dual_completion", DeprecationWarning, stacklevel=2
)
