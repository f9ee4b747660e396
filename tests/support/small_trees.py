"""Small random trees and their best values by enumeration, vectorised over instances."""

from itertools import product

import attrs
import numpy as np
from drawn import numbers
from label_scores import FORBIDDEN, KINDS, draw

from gapless_chains import TreeProblem

SIZES = [(1, 1), (1, 3), (2, 2), (2, 4), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3), (5, 2), (5, 3), (6, 2), (7, 2)]


@attrs.frozen(eq=False)
class Batch:
    """B trees of one size and one transition matrix; `best` is -inf where every labelling is forbidden."""

    unary: np.ndarray
    transition: np.ndarray
    parents: np.ndarray
    best: np.ndarray

    def problems(self):
        return TreeProblem.many(self.unary, self.transition, self.parents)

    def values(self, chosen, labels):
        """Scores of one labelling (n,) of each of the chosen trees."""
        below = self.unary[chosen[:, None], np.arange(labels.shape[1]), labels]
        parents = self.parents[chosen]
        pairs = self.transition[np.take_along_axis(labels, np.maximum(parents, 0), axis=1), labels]
        return (below + np.where(parents >= 0, pairs, 0.0)).sum(axis=1)

    def forest(self):
        """The trees that can be labelled as one problem, their numbers, and None if there is none."""
        chosen = np.flatnonzero(self.best > -np.inf)
        n = self.unary.shape[1]
        starts = np.arange(chosen.size)[:, None] * n
        parents = np.where(self.parents[chosen] >= 0, self.parents[chosen] + starts, -1)
        if not chosen.size:
            return None, chosen
        unary = self.unary[chosen].reshape(chosen.size * n, -1)
        return TreeProblem(unary, self.transition, parents.ravel()), chosen


def draw_parents(rng, n, roots=0.15):
    """Any tree or forest; stars and paths among them."""
    shape = rng.integers(4)
    if shape == 0:
        return np.arange(-1, n - 1)
    if shape == 1:
        return np.where(np.arange(n) > 0, 0, -1)
    parents = np.array([-1, *(int(rng.integers(i)) for i in range(1, n))])
    parents[rng.random(n) < (roots if shape == 2 else 0.0)] = -1
    return parents


def best_values(unary, transition, parents):
    """Maximum over all K ** n labellings, float64 (B,)."""
    _, n, k = unary.shape
    labellings = np.array(list(product(range(k), repeat=n)))
    values = unary[:, np.arange(n), labellings].sum(axis=2)
    for i in range(1, n):
        pairs = transition[labellings[:, parents[:, i]], labellings[:, i, None]].T
        values += np.where(parents[:, i, None] >= 0, pairs, 0.0)
    return values.max(axis=1)


def batches(seed, each):
    """156 kinds of small trees, `each` instances of every kind."""
    rng = numbers(seed)
    for (n, k), kind, forbidden in product(SIZES, KINDS, FORBIDDEN):
        unary = draw(rng, kind, (each, n, k), forbidden / 2)
        transition = draw(rng, kind, (k, k), forbidden)
        parents = np.array([draw_parents(rng, n) for _ in range(each)])
        yield Batch(unary, transition, parents, best_values(unary, transition, parents))


def drawn_tree(rng):
    """Draw a small tree of any kind; return it with its best value."""
    (n, k), kind = (some[int(rng.integers(len(some)))] for some in (SIZES, KINDS))
    forbidden = float(rng.choice([*FORBIDDEN, 0.9]))
    unary, transition = draw(rng, kind, (1, n, k), forbidden / 2), draw(rng, kind, (k, k), forbidden)
    parents = draw_parents(rng, n)[None]
    batch = Batch(unary, transition, parents, best_values(unary, transition, parents))
    return next(iter(batch.problems())), batch.best[0]


def random_tree(seed, n=7, k=5, *, forbidden=0.0, varying=False, integers=False, sharpness=1.0, parents=None):
    """Draw one tree."""
    rng = numbers(seed)
    kind = "ties" if integers else "floats"
    return TreeProblem(
        sharpness * draw(rng, kind, (n, k), 0.0),
        draw(rng, kind, (n, k, k) if varying else (k, k), forbidden),
        draw_parents(rng, n) if parents is None else parents,
    )
