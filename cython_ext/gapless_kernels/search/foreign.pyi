"""Roles of the search made of C functions; the module documents them."""

from typing import Any

import numpy.typing as npt

from gapless_kernels.search.roles import Factor, Maximiser

class ForeignFactor(Factor):
    def __init__(
        self,
        scope: npt.ArrayLike,
        maximise: Any,
        value: Any,
        marginals: Any = None,
        flips: Any = None,
        data: Any = None,
    ) -> None: ...

class ForeignMaximiser(Maximiser):
    def __init__(
        self,
        decisions: int,
        maximise: Any,
        marginals: Any = None,
        internal_score: Any = None,
        excludes: Any = None,
        data: Any = None,
        *,
        most_on: int | None = None,
        has_internal_scores: bool | None = None,
    ) -> None: ...
