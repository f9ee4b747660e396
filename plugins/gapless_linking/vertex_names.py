"""Names of vertices in messages and drawings."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence

import attrs

from gapless.arrays.sparse import IntArray


@attrs.frozen(eq=False, slots=False)
class VertexNames:
    """Vertices in words.

    Parameters
    ----------
    given : sequence of str, optional
        The name of each vertex.
    points : int64 (p,)
        The vertices among which a name should be clear.
    """

    given: Sequence[str] | None
    points: IntArray

    def bare(self, vertex: int) -> str:
        """Return the name, or the number if there is none."""
        names = self.given or ()
        return names[vertex] if 0 <= vertex < len(names) else str(vertex)

    def clear(self, vertex: int) -> str:
        """Return the name, with the number if several of `points` have that name."""
        name = self.bare(vertex)
        return f"{name} (vertex {vertex})" if name in self._ambiguous else name

    @functools.cached_property
    def _ambiguous(self) -> frozenset[str]:
        counts = Counter(map(self.bare, self.points.tolist()))
        return frozenset(name for name, count in counts.items() if count > 1)
