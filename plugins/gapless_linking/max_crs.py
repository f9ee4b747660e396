"""Maximum Capacity Representative Set as entity linking (Blanco et al. 2013, lemma 1 and appendix A)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.arrays.score_array import score_array
from gapless_linking.graph import Graph
from gapless_linking.problem import LinkingProblem


@attrs.frozen(eq=False)
class MaxCRS:
    """A linking problem whose optima are those of MaxCRS.

    MaxCRS asks for one element of each of k disjoint sets such that the capacities between them, over ordered
    pairs, have the largest sum h. With alpha twice the largest capacity, an edge of length ``alpha - c(x, y)``
    joins each pair of elements of different sets. As these lengths lie between alpha / 2 and alpha, no detour is
    shorter than an edge, and a choice of capacity h costs ``k (k - 1) alpha - h``. `problem`: vertices are the
    elements 0..n-1, numbered as in the capacities.
    """

    problem: LinkingProblem
    alpha: float

    def capacity_of(self, structure: Any) -> float:
        """Return the capacity h of a choice, over ordered pairs."""
        k = self.problem.k
        return k * (k - 1) * self.alpha - self.problem.value(np.asarray(structure, np.int64))


def from_max_crs(sets: Sequence[Any], capacity: Any) -> MaxCRS:
    """Reduce MaxCRS to entity linking.

    Raises `InvalidProblem`: sets that overlap, or capacities of another kind. `sets`: disjoint; elements are rows
    of `capacity`. `capacity` ((n, n) array of numbers): symmetric, finite, at least 0; within a set not looked at.
    """
    table = score_array(capacity, "capacity: the numbers")
    members = [np.asarray(elements_of_set, np.int64) for elements_of_set in sets]
    elements = np.concatenate(members) if members else np.zeros(0, np.int64)
    owner = np.repeat(np.arange(len(members)), [elements_of_set.size for elements_of_set in members])
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise InvalidProblem(f"capacity has shape {table.shape}, expected as many rows as columns")
    if np.any((elements < 0) | (elements >= len(table))):
        raise InvalidProblem(f"an element of the sets is not among the {len(table)} rows of capacity")
    if np.unique(elements).size < elements.size:
        raise InvalidProblem("MaxCRS needs disjoint sets, and an element is named twice")
    # Each pair of elements of different sets once.
    rows, columns = np.nonzero(owner[:, None] < owner[None, :])
    x, y = elements[rows], elements[columns]
    between = table[x, y]
    if not np.all((between >= 0) & (between < np.inf)) or np.any(between != table[y, x]):
        raise InvalidProblem("capacities between sets must be finite, at least 0 and the same both ways")
    # Where all capacities are 0, twice the largest would leave edges of length 0: any length serves.
    alpha = 2.0 * float(between.max(initial=0.0)) or 1.0
    if not between.size:
        return MaxCRS(LinkingProblem.from_distances(np.zeros(table.shape), members), alpha)
    return MaxCRS(LinkingProblem(Graph.from_edges(np.column_stack([x, y]), alpha - between), members), alpha)
