"""The search over trees with lazily computed scores."""

from __future__ import annotations

import math
from typing import Any

import attrs

from gapless import Limits, Stop
from gapless.arrays.sparse import IntArray
from gapless.search.driver import ENDLESS, SearchDriver
from gapless.search.layout import ForbiddenScore, SearchInput
from gapless_dependency import DependencyTree

ROOT_STEPS, ROOT_TREND = 400, 35
"""Limits on the steps at the root, larger than without lazy scores.

With more steps, upper bounds close nearly every sentence at the root, whereas each node would request more scores.
"""


class LazySearch(SearchDriver[DependencyTree]):
    """A search over a layout with unknown scores, for which upper bounds stand until a tree makes them matter.

    `**options`: of `SearchDriver`.

    Attributes
    ----------
    lazy : bool
        Whether any score is computed lazily.
    """

    def __init__(
        self, layout: SearchInput[DependencyTree], *, start: IntArray | None = None, **options: Any
    ) -> None:
        self.options = {"root_steps": ROOT_STEPS, "root_trend": ROOT_TREND, **options}
        try:
            self._begin(layout, start)
        except ForbiddenScore:
            self._begin_eagerly(layout, start)

    def _begin(self, layout: SearchInput[DependencyTree], start: IntArray | None) -> None:
        self.lazy = layout.known is not None
        super().__init__(layout, start=start, **self.options)

    def _begin_eagerly(self, layout: SearchInput[DependencyTree], start: IntArray | None) -> None:
        # The finite loss that stands for -inf depends on all scores, so none of them can be unknown.
        self._begin(attrs.evolve(layout, lazily=False), start)

    def advance(
        self, seconds: float, nodes: int = ENDLESS, steps: int = ENDLESS, limits: Limits | None = None
    ) -> Stop | None:
        """As `SearchDriver.advance`, but restarts with all scores known once one of them is -inf."""
        try:
            return self._advance(seconds, nodes, steps, limits)
        except ForbiddenScore:
            # A finite loss must stand for -inf from the root on; of the search so far only the incumbent is kept.
            incumbent = self.kernel.on if self.value > -math.inf else None
            self._begin_eagerly(self.layout, incumbent)
        return None

    def _advance(self, seconds: float, nodes: int, steps: int, limits: Limits | None) -> Stop | None:
        """As `SearchDriver.advance`; subclasses override it, and may request a score of -inf as well."""
        return super().advance(seconds, nodes, steps, limits)

    @property
    def extra(self) -> dict[str, Any]:
        """Further counts for `Stats`."""
        return {**super().extra, "lazy": self.lazy}
