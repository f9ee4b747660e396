"""Templates of grandparent parts with dense tables of weights: folded, looked up, and bounded by their maxima."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_models.price_and_cut.token_classes import COARSE, FINE, LEVELS, NOTHING, ROOT, WORD, TokenClasses

Weights = NDArray[np.floating]

DISTANCES = np.array([1, 2, 3, 6])
"""First distances of the bins: beside each other, one word between, two to four, more."""
_ORDERS = (2, 2, 2)
AXES = ("g > p", "g > c", "p > c", "distance of g and p", "distance of p and c", "g", "p", "c")
"""The axes of a table. The first three are the relation of the paper's equation 6."""


@attrs.frozen
class Template:
    """A template: the properties of grandparent g, parent p and child c that index one table of weights.

    Parameters
    ----------
    grandparent, parent, child : int
        Levels of the token classes.
    above, below : bool
        Whether it knows the binned distance of g and p, and of p and c. It always knows how the three are ordered.

    Notes
    -----
    Equations 4 to 6 of the paper: the attributes h of the tokens and their relation d, with an indicator for each
    of their combinations.
    """

    grandparent: int
    parent: int
    child: int
    above: bool = False
    below: bool = False

    @property
    def levels(self) -> tuple[int, int, int]:
        """Levels of g, p and c."""
        return self.grandparent, self.parent, self.child

    @property
    def name(self) -> str:
        """Readable name, for output and files."""
        tokens = " ".join(LEVELS[level] for level in self.levels)
        return tokens + " above" * self.above + " below" * self.below

    def shape(self, classes: TokenClasses) -> tuple[int, ...]:
        """Return the shape of its table, along `AXES`."""
        distances = (len(DISTANCES) if known else 1 for known in (self.above, self.below))
        return (*_ORDERS, *distances, *map(classes.size, self.levels))

    def refines(self, other: Template) -> bool:
        """Return whether it distinguishes everything that the other one does."""
        finer = all(mine >= theirs for mine, theirs in zip(self.levels, other.levels, strict=True))
        return finer and self.above >= other.above and self.below >= other.below


LEARNT = (
    Template(FINE, FINE, FINE),
    Template(FINE, NOTHING, FINE),
    Template(COARSE, COARSE, COARSE),
    Template(COARSE, COARSE, COARSE, above=True, below=True),
    Template(COARSE, COARSE, COARSE, below=True),
    Template(WORD, COARSE, COARSE),
    Template(WORD, NOTHING, COARSE),
    Template(COARSE, WORD, COARSE),
    Template(COARSE, COARSE, WORD),
    Template(COARSE, NOTHING, WORD),
)
"""The templates that training gives weights; few look at words, so that bounds by template are tight."""


def coarsest_cover(templates: Sequence[Template]) -> tuple[Template, ...]:
    """Select the templates that no other one refines."""
    return tuple(
        template
        for template in dict.fromkeys(templates)
        if not any(other != template and other.refines(template) for other in templates)
    )


def table_slices(templates: Sequence[Template], classes: TokenClasses) -> list[slice]:
    """Compute the offsets of the templates' tables in the vector of all weights."""
    ends = np.cumsum([0, *(math.prod(template.shape(classes)) for template in templates)]).tolist()
    return [slice(start, stop) for start, stop in pairwise(ends)]


def folded(
    weights: Weights, templates: Sequence[Template], into: Sequence[Template], classes: TokenClasses
) -> FloatArray:
    """Compute the weights of `into` that give every part the score it has under `weights`.

    A table is added to that of the first template that refines its own, for each finer class the weight of the
    coarser one that it lies in. So a part needs fewer lookups, and the largest weight of a folded table is smaller
    than the sum of the largest weights of its parts: bounds become tighter and stay exact maxima.

    Parameters
    ----------
    weights : (W,) array
        As `table_slices` lays out those of `templates`.
    templates, into : sequence of Template
        Each of the first is refined by one of the second.

    Returns
    -------
    float64 (V,)
        As `table_slices` lays out those of `into`.
    """
    places = table_slices(into, classes)
    target_weights = np.zeros(places[-1].stop)
    for template, part in zip(templates, table_slices(templates, classes), strict=True):
        number = next(i for i, finer in enumerate(into) if finer.refines(template))
        finer = into[number]
        table = weights[part].reshape(template.shape(classes))
        for axis, (mine, theirs) in enumerate(zip(finer.levels, template.levels, strict=True), start=5):
            table = table.take(classes.within(mine, theirs), axis=axis)
        target = target_weights[places[number]].reshape(finer.shape(classes))
        target += table  # a distance that only the finer template knows is broadcast
    return target_weights


def distance_bins(positions: IntArray) -> IntArray:
    """Compute the bin of the distance of each pair of positions, int64 (positions, positions)."""
    bins: IntArray = np.searchsorted(DISTANCES[1:], np.abs(positions[:, None] - positions), side="right")
    return bins


@attrs.frozen(eq=False)
class PartPlaces:
    """Indices of the weights of one sentence's parts: a sum over the three pairs of positions.

    Parameters
    ----------
    above, below : int64 (positions, positions, templates)
        The terms of the pairs (g, p) and (p, c) in the index of each template's weight.
    around : int64 (2, templates)
        The term for a grandparent behind its grandchild.
    """

    above: IntArray
    below: IntArray
    around: IntArray

    @classmethod
    def of(cls, templates: Sequence[Template], classes: TokenClasses, tokens: IntArray) -> PartPlaces:
        """Compute the indices of a sentence.

        Parameters
        ----------
        tokens : int64 (4, positions)
            As `TokenClasses.of_sentence` gives them.
        """
        positions = np.arange(tokens.shape[1])
        behind = (positions[:, None] > positions).astype(np.int64)
        bins = distance_bins(positions)
        above, below, around = [], [], []
        for template, block in zip(templates, table_slices(templates, classes), strict=True):
            shape = template.shape(classes)
            steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
            g, p, c = (tokens[level] for level in template.levels)
            upper = block.start + steps[0] * behind + steps[5] * g[:, None] + steps[6] * p
            lower = steps[2] * behind + steps[7] * c
            above.append(upper + steps[3] * bins if template.above else upper)
            below.append(lower + steps[4] * bins if template.below else np.broadcast_to(lower, behind.shape))
            around.append([0, steps[1]])
        return cls(np.stack(above, axis=-1), np.stack(below, axis=-1), np.array(around, np.int64).T.copy())

    def lookup(self, g: IntArray, p: IntArray, c: IntArray) -> IntArray:
        """Look up the index of every template's weight for each part, int64 (parts, templates)."""
        size, width = len(self.above), self.above.shape[-1]
        indices = self.above.reshape(-1, width).take(g * size + p, axis=0)
        indices += self.below.reshape(-1, width).take(p * size + c, axis=0)
        indices += self.around.take(g > c, axis=0)
        return indices


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
