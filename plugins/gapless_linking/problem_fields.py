"""The fields of a linking problem, read and checked one by one; messages name the place."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.array_input import as_array, given_sequence
from gapless.arrays.score_array import LARGEST, bracketed, check_scores, score_array
from gapless.arrays.sparse import FloatArray, IntArray, frozen_array


def candidate_sets(values: Any) -> tuple[IntArray, ...]:
    """Read candidate sets, each without repetitions."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise InvalidProblem(f"candidates is {values!r}, expected one set of vertices for each mention")
    sets = tuple(_vertices(f"candidates[{i}]", members) for i, members in enumerate(values))
    if not sets:
        raise InvalidProblem("candidates is empty: there is nothing to link")
    return sets


def _vertices(location: str, values: Any) -> IntArray:
    listed = list(values) if isinstance(values, Iterable) and not isinstance(values, str | np.ndarray) else values
    try:
        array = np.asarray(listed)
    except ValueError as error:
        raise InvalidProblem(f"{location} is {values!r}, expected vertices, that is integers: {error}") from error
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidProblem(f"{location} is {values!r}, expected vertices, that is integers")
    if not array.size:
        raise InvalidProblem(f"{location} is empty; leave out mentions without candidates")
    _, first = np.unique(array, return_index=True)
    if first.size < array.size:
        repeated = array[np.setdiff1d(np.arange(array.size), first)[0]]
        raise InvalidProblem(f"{location} names vertex {repeated} twice")
    return frozen_array(array, np.int64)


def mention_names(values: Iterable[str] | None) -> tuple[str, ...] | None:
    """Read the names of the sets, or None."""
    return None if values is None else given_sequence(values, "mentions")


def vertex_names(values: Any) -> tuple[str, ...] | None:
    """Read the names of the vertices, or None."""
    if values is None:
        return None
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidProblem(f"names is {values!r}, expected a sequence of text, one for each vertex")
    names = tuple(values)
    for name in names:
        if not isinstance(name, str):
            raise InvalidProblem(f"names holds {name!r}, expected text")
    return names


def check_names(names: tuple[str, ...], distances: FloatArray | None) -> None:
    """Raise `InvalidProblem` unless there is a name for each row of given distances."""
    if distances is None:
        raise InvalidProblem("names are for given distances: a graph brings its own names (Graph(..., names=...))")
    if len(names) != len(distances):
        raise InvalidProblem(
            f"names holds {len(names)} names, expected {len(distances)}, one for each row of the distances"
        )


def anchor_pairs(values: Any) -> tuple[tuple[int, float], ...]:
    """Read anchors with their weights; a vertex may be listed several times."""
    if values is None:
        return ()
    pairs = values.items() if isinstance(values, Mapping) else values
    listed = []
    try:
        for vertex, weight in pairs:
            listed.append((vertex, weight))
    except (TypeError, ValueError) as error:
        raise InvalidProblem("anchors must be pairs of a vertex and a weight, or a mapping of them") from error
    # After unpacking, so that a bad vertex or weight gets its own message.
    for vertex, weight in listed:
        if isinstance(vertex, bool) or not isinstance(vertex, int | np.integer):
            raise InvalidProblem(f"anchors names the vertex {vertex!r}, expected an integer")
        if not isinstance(weight, int | float | np.number) or not abs(float(weight)) <= LARGEST:
            raise InvalidProblem(
                f"the weight of anchor {vertex} is {weight!r}, expected a number up to {LARGEST:g}"
            )
    return tuple((int(vertex), float(weight)) for vertex, weight in listed)


def prior_scores(values: Any) -> tuple[FloatArray, ...] | None:
    """Read one array of scores for each set, or None."""
    if values is None:
        return None
    arrays = []
    for i, scores in enumerate(given_sequence(values, "prior")):
        array = score_array(scores, f"prior[{i}]: the scores")
        check_scores(array, bracketed(f"prior[{i}]"))
        arrays.append(frozen_array(array, np.float64))
    return tuple(arrays)


def prior_weight(value: Any) -> float:
    """Read the cost of one unit of the prior."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= LARGEST:
        raise InvalidProblem(f"prior_weight is {value!r}, expected a number of at least 0")
    return float(value)


def distance_matrix(values: Any) -> FloatArray | None:
    """Read distances; they must be symmetric, non-negative, and zero on the diagonal."""
    if values is None:
        return None
    array = as_array(values, "distances are")
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.dtype.kind not in "iuf":
        raise InvalidProblem(f"distances must be a square array of numbers, got {array.dtype} {array.shape}")
    lengths = array.astype(np.float64)
    wrong = ~((lengths >= 0) & ((lengths <= LARGEST) | np.isinf(lengths)))
    for bad, requirement in (
        (wrong, f"must be at least 0, at most {LARGEST:g}, or inf"),
        (np.diag(np.diag(lengths) != 0), "must be 0, a vertex's distance from itself"),
        (lengths != lengths.T, "differs from the way back"),
    ):
        if bad.any():
            u, v = np.argwhere(bad)[0].tolist()
            raise InvalidProblem(f"distances[{u}, {v}] is {array[u, v]}; it {requirement}")
    lengths.flags.writeable = False
    return lengths


def check_rows(vertices: IntArray, location: str, matrix: Any) -> None:
    """Refuse vertices that given distances have no row for."""
    rows = 0 if matrix is None else len(matrix)
    unknown = vertices[(vertices < 0) | (vertices >= rows)]
    if unknown.size:
        raise InvalidProblem(f"{location}: there is no vertex {unknown[0]}, distances has {rows} rows")


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
