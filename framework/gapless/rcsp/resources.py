"""Resources of routes: sums, visits, states of diagrams, rank-1 cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike

from gapless.arrays.sparse import FloatArray
from gapless.errors import InvalidProblem
from gapless.factors.diagrams.diagram import DecisionDiagram


def floats(values: Any) -> FloatArray:
    """Return a read-only copy."""
    array = np.array(values, np.float64)
    array.flags.writeable = False
    return array


@attrs.frozen(eq=False)
class Additive:
    """A quantity that adds up along a route: load, time, distance.

    It begins at 0, which must be within the window of the source. Along an arc the arc's `use` is added; the sum
    must be within the window of the vertex that is reached. With `waits`, a sum below the window, at the source as
    well, rises to its lower end; without, it is outside.

    Integers, and other multiples of one power of two, are taken exactly. Other numbers are rounded to 2^-40 of the
    largest of them, and a window that is missed by no more than such roundings counts as kept (4e-9 of the largest
    number at most). Where there is no limit, give inf: a large number in its place is left out if no sum can come
    to it, and refused if uses would be rounded away beside it.

    Parameters
    ----------
    use : float64 (arcs,)
        Finite; may be negative.
    lower, upper : float64 (vertices,), or a number for all
        Windows; -inf and inf where there is no limit.
    waits : bool
    """

    use: FloatArray = attrs.field(converter=floats)
    lower: FloatArray = attrs.field(converter=floats, default=0.0)
    upper: FloatArray = attrs.field(converter=floats, default=np.inf)
    waits: bool = False

    def windows(self, arcs: int, vertices: int, place: str) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper ends for each vertex, float64 (vertices,); raises for wrong shapes."""
        if self.use.shape != (arcs,) or not np.isfinite(self.use).all():
            raise InvalidProblem(
                f"{place}: use must be {arcs} finite numbers, one for each arc; got {self.use.shape}"
            )
        for name in ("lower", "upper"):
            array = getattr(self, name)
            if array.shape not in {(), (vertices,)} or np.isnan(array).any():
                raise InvalidProblem(
                    f"{place}: {name} must be a number, or {vertices}, one for each vertex; got {array.shape}"
                )
        lower, upper = np.full(vertices, self.lower), np.full(vertices, self.upper)
        if (lower == np.inf).any() or (upper == -np.inf).any():
            raise InvalidProblem(f"{place}: lower must be less than inf, upper more than -inf")
        return lower, upper


def _neighbourhoods(values: Any) -> tuple[tuple[int, ...], ...] | None:
    return None if values is None else tuple(tuple(sorted({int(u) for u in one})) for one in values)


@attrs.frozen
class Visits:
    """A rule that no vertex is visited again while it is remembered (ng-sets).

    Parameters
    ----------
    neighbourhoods : sequence of sequences of int, optional
        For each vertex v, the vertices that a route at v still remembers to have visited; v itself is one of them.
        A route may come back to a vertex only by way of one that forgets it (ng-routes: Baldacci, Mingozzi,
        Roberti, *New route relaxation and pricing strategies for the vehicle routing problem*, 2011, section 4).
        None, the default, forgets nothing: routes are elementary.
    """

    neighbourhoods: tuple[tuple[int, ...], ...] | None = attrs.field(converter=_neighbourhoods, default=None)

    @classmethod
    def nearest(cls, distances: ArrayLike, size: int) -> Visits:
        """Make neighbourhoods of the `size` nearest, v included, by distances float64 (vertices, vertices)."""
        d = np.array(distances, np.float64)
        if d.ndim != 2 or d.shape[0] != d.shape[1] or np.isnan(d).any() or size < 1:
            raise InvalidProblem(f"Visits: distances must be square, size at least 1; got {d.shape} and {size}")
        # A vertex is its own nearest neighbour, whatever the diagonal says: it must remember itself.
        np.fill_diagonal(d, -np.inf)
        return cls(np.argsort(d, axis=1, kind="stable")[:, :size].tolist())


def _is_diagram(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, DecisionDiagram):
        raise InvalidProblem(f"DiagramResource: diagram must be a DecisionDiagram, got {type(value).__name__}")


@attrs.frozen(eq=False)
class DiagramResource:
    """A state that the arcs of a route change: the steps of a `DecisionDiagram`, one layer for each arc.

    A route reads the layers of its arcs, in its own order, each with choice 0; arcs that it does not take are not
    read. ``step(arc, 0, states)`` gives the next states, -1 forbids; its scores are subtracted from the cost of the
    route, and so is the score that `final` gives the state at the sink. The states that can be reached are written
    down when a `LabelSetting` is made; which state can stand in for which is found out there.

    Parameters
    ----------
    diagram : DecisionDiagram
    limit : int
        Limit on the number of states.
    """

    diagram: DecisionDiagram = attrs.field(validator=_is_diagram)
    limit: int = 1024


@attrs.frozen(eq=False)
class RankOneCuts:
    """Rank-1 cuts with limited memory, whose prices a route is charged.

    A visit to a vertex of row i adds its multiplier to the row's state; when the sum reaches 1, it falls by 1 and
    the route is charged ``charges[i]``. The start at the source is a visit. A visit to a vertex outside the row's
    memory sets the state to 0 (Pecin, Pessoa, Poggi, Uchoa, *Improved branch-cut-and-price for capacitated
    vehicle routing*, 2017, section 3.3). Subset rows of three customers have multipliers 1/2 (Jepsen, Petersen,
    Spoorendonk, Pisinger, 2008).

    Parameters
    ----------
    memories : sequence of sequences of int, or None
        For each row, the vertices where its state is kept, the row's own set among them. None keeps all states
        everywhere.
    multipliers : sequence of (int, int), or sequence of sequences of them
        Numerator and denominator, less than 1: one for each row, or one for each vertex of each row, all of a row
        with one denominator of at most 255.
    sets : sequence of sequences of int
        The vertices of each row.
    """

    memories: Sequence[Sequence[int]] | None
    multipliers: Sequence[Any]
    sets: Sequence[Sequence[int]]

    def states(self, vertices: int, place: str) -> tuple[Any, Any, Any]:
        """Return numerators (vertices, rows), memory masks (vertices, rows), denominators (rows,), all uint8."""
        rows = len(self.sets)
        memories = [range(vertices)] * rows if self.memories is None else self.memories
        if len(memories) != rows or len(self.multipliers) != rows:
            raise InvalidProblem(
                f"{place}: {len(memories)} memories and {len(self.multipliers)} multipliers for {rows} sets"
            )
        rise = np.zeros((vertices, rows), np.uint8)
        stay, wrap = np.zeros((vertices, rows), np.uint8), np.zeros(rows, np.uint8)
        for i, (memory, given, members) in enumerate(zip(memories, self.multipliers, self.sets, strict=True)):
            parts = [given] * len(members) if np.ndim(given) == 1 else list(given)
            if len(parts) != len(members) or any(len(part) != 2 for part in parts):
                raise InvalidProblem(f"{place}: row {i} has {len(members)} vertices and {len(parts)} multipliers")
            if any(not 0 <= v < vertices for v in [*memory, *members]) or len(set(members)) < len(members):
                raise InvalidProblem(f"{place}: row {i} names a vertex twice, or one that is not in the network")
            if not set(members) <= set(memory):
                raise InvalidProblem(
                    f"{place}: row {i} must remember at its own vertices; add its set to its memory"
                )
            denominators = {int(part[1]) for part in parts} or {2}
            if len(denominators) > 1 or not 2 <= min(denominators) <= 255:
                raise InvalidProblem(
                    f"{place}: row {i} must have one denominator from 2 to 255, got {sorted(denominators)}"
                )
            if any(not 0 < part[0] < part[1] for part in parts):
                raise InvalidProblem(f"{place}: multipliers of row {i} must be between 0 and 1")
            # A mask of bits: the kernel keeps the state by "and" and resets it outside of the memory.
            stay[list(memory), i] = 255
            wrap[i] = min(denominators)
            for v, part in zip(members, parts, strict=True):
                rise[v, i] = part[0]
        return rise, stay, wrap
