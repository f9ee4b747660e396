"""Templates of grandparent parts, their dense tables of weights, and the folding of tables into one another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import FloatArray, IntArray
from gapless_models.price_and_cut.token_classes import COARSE, FINE, LEVELS, NOTHING, WORD, TokenClasses

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
