"""Small random chains, trees, paths and links."""

import numpy as np

from gapless_chains import ChainProblem, TreeProblem
from gapless_linking import LinkingProblem
from gapless_ordering import OrderingProblem


def chain(rng):
    n, k = (int(v) for v in rng.integers(2, 4, 2))
    return ChainProblem(rng.integers(-2, 3, (n, k)), rng.integers(-2, 3, (k, k)))


def tree(rng):
    return TreeProblem(rng.integers(-2, 3, (3, 2)), rng.integers(-2, 3, (2, 2)), [-1, 0, int(rng.integers(0, 2))])


def ordering(rng):
    return OrderingProblem(rng.integers(-2, 3, 3), rng.integers(-2, 3, (3, 3)), rng.integers(-2, 3, 3), 2)


def linking(rng):
    apart = rng.integers(1, 5, (6, 6)).astype(float)
    apart = np.triu(apart, 1) + np.triu(apart, 1).T
    return LinkingProblem.from_distances(apart, [[0, 1], [2, 3], [4, 5]])


KINDS = {"chain": chain, "tree": tree, "ordering": ordering, "linking": linking}
