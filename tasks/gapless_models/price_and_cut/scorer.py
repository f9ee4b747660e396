"""Scores of a sentence's grandparent parts, and bounds on them from the maxima of each template's table."""

from __future__ import annotations

from functools import cached_property

import attrs
import numpy as np

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_models.price_and_cut.templates import PartPlaces, Template, Weights, distance_bins, table_slices
from gapless_models.price_and_cut.token_classes import ROOT, TokenClasses

_KEPT = ((0, 3, 5, 6), (2, 4, 6, 7), (1, 5, 7))
"""For the pairs (g, p), (p, c) and (g, c) the axes of a table that a bound about the pair keeps."""
_POSITIONS = ((0, 1), (1, 2), (0, 2))
"""The pair among g, p and c."""


@attrs.frozen(eq=False, slots=False)
class FoldedTables:
    """The weights of a trained model as decoding uses them, and their maxima.

    Parameters
    ----------
    templates : tuple of Template
    classes : TokenClasses
    weights : float32 or float64 (W,)
        As `table_slices` lays out the tables of the templates.
    """

    templates: tuple[Template, ...]
    classes: TokenClasses
    weights: Weights

    @cached_property
    def maxima(self) -> tuple[tuple[FloatArray, ...], ...]:
        """For (g, p), (p, c) and (g, c), and each template, its largest weights.

        Each an array (2, distance bins, classes, classes): by whether the first of the pair stands behind the
        second, by their distance where the template knows it, and by both classes.

        Notes
        -----
        Equation 13 of the paper, computed once from the weights: ``max over c of s(g, p, c)`` is at most the sum
        over the templates of their largest weight for g and p, whatever c is and wherever it stands. The same for
        the other two pairs.
        """
        tables = [
            _possible(self.weights[part].reshape(template.shape(self.classes)))
            for template, part in zip(self.templates, table_slices(self.templates, self.classes), strict=True)
        ]
        return tuple(tuple(_largest(table, axes) for table in tables) for axes in _KEPT)

    def scorer(self, tokens: IntArray) -> GrandparentScorer:
        """Build the scorer of a sentence whose classes are `tokens`, int64 (4, n + 1)."""
        _ = self.maxima  # before the first sentence, not in the middle of it
        return GrandparentScorer(self, tokens)


def _possible(table: Weights) -> FloatArray:
    """Copy a table with -inf where there is no part: g < p < c < g and the like, roots that are not first."""
    scores = np.array(table, np.float64)
    scores[0, 1, 0] = scores[1, 0, 1] = -np.inf
    by_g, by_p, by_c = (np.moveaxis(scores, axis, -1) for axis in (5, 6, 7))
    for classes in (by_p, by_c):
        if classes.shape[-1] > 1:
            classes[..., ROOT] = -np.inf
    if by_g.shape[-1] > 1:
        by_g[1, ..., ROOT] = by_g[:, 1, ..., ROOT] = -np.inf
    return scores


def _largest(table: FloatArray, kept: tuple[int, ...]) -> FloatArray:
    """Compute maxima over all axes except those kept, float64 (2, distances, classes, classes)."""
    maxima = table.max(axis=tuple(axis for axis in range(table.ndim) if axis not in kept))
    return np.ascontiguousarray(maxima if maxima.ndim == 4 else maxima[:, None])


class GrandparentScorer:
    """Scorer of the grandparent parts of one sentence; `gapless_dependency.Grandchild` takes it as its scores.

    Parameters
    ----------
    tables : FoldedTables
    tokens : int64 (4, n + 1)
        The classes of the positions.
    """

    def __init__(self, tables: FoldedTables, tokens: IntArray) -> None:
        self.tables, self.tokens = tables, tokens

    @cached_property
    def _places(self) -> PartPlaces:
        return PartPlaces.of(self.tables.templates, self.tables.classes, self.tokens)

    def __call__(self, g: IntArray, p: IntArray, c: IntArray) -> FloatArray:
        """Score parts, float64 (parts,), by sums over the templates (equation 4)."""
        scores: FloatArray = self.tables.weights.take(self._places.lookup(g, p, c)).sum(axis=1, dtype=np.float64)
        return scores

    def upper_bound(self, g: IntArray, p: IntArray, c: IntArray) -> FloatArray:
        """Bound scores, float64 (parts,), by the least that a pair of positions allows (equation 11)."""
        size = self.tokens.shape[1]
        first = g * size
        by_parent, by_child, by_skip = (bounds.ravel() for bounds in self.pair_bounds)
        limits: FloatArray = by_parent.take(first + p)
        np.minimum(limits, by_child.take(p * size + c), out=limits)
        np.minimum(limits, by_skip.take(first + c), out=limits)
        return limits

    @cached_property
    def pair_bounds(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Bounds on every part with (g, p), with (p, c), and with (g, c), float64 (n + 1, n + 1) each."""
        positions = np.arange(self.tokens.shape[1])
        behind = (positions[:, None] > positions).astype(np.int64)
        bins = distance_bins(positions)
        all_bounds = []
        for maxima, pair in zip(self.tables.maxima, _POSITIONS, strict=True):
            bounds = np.zeros(behind.shape)
            for table, template in zip(maxima, self.tables.templates, strict=True):
                first, second = (self.tokens[template.levels[position]] for position in pair)
                relation = behind * table.shape[1] + bins if table.shape[1] > 1 else behind
                places = (relation * table.shape[2] + first[:, None]) * table.shape[3] + second
                bounds += table.take(places)
            all_bounds.append(bounds)
        return all_bounds[0], all_bounds[1], all_bounds[2]
