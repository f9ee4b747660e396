"""Small random chains and their best values by enumeration, vectorised over instances."""

from itertools import product

import attrs
import numpy as np
import pytest
from drawn import numbers
from label_scores import FORBIDDEN, KINDS, draw

from gapless_chains import ChainProblem

SIZES = [(1, 1), (1, 3), (2, 1), (2, 2), (2, 4), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3), (5, 2), (5, 3), (6, 2)]


@attrs.frozen(eq=False)
class Batch:
    """B chains of one size; `best` is -inf where every path is forbidden."""

    unary: np.ndarray
    transition: np.ndarray
    initial: np.ndarray | None
    final: np.ndarray | None
    best: np.ndarray

    def problems(self):
        for b in range(len(self.unary)):
            yield ChainProblem(
                self.unary[b],
                self.transition[b],
                initial=None if self.initial is None else self.initial[b],
                final=None if self.final is None else self.final[b],
            )


def best_values(unary, transition, initial, final):
    """Maximum over all K ** n paths, float64 (B,)."""
    _, n, k = unary.shape
    paths = np.array(list(product(range(k), repeat=n)))
    values = unary[:, np.arange(n), paths].sum(axis=2)
    if n > 1:
        here, there = paths[:, :-1], paths[:, 1:]
        if transition.ndim == 3:
            values += transition[:, here, there].sum(axis=2)
        else:
            values += transition[:, np.arange(n - 1), here, there].sum(axis=2)
    if initial is not None:
        values += initial[:, paths[:, 0]]
    if final is not None:
        values += final[:, paths[:, -1]]
    return values.max(axis=1)


def batches(seed, each):
    rng = numbers(seed)
    for (n, k), kind, forbidden, varying, ends in product(SIZES, KINDS, FORBIDDEN, (False, True), (False, True)):
        unary = draw(rng, kind, (each, n, k), forbidden / 2)
        transition = draw(rng, kind, (each, n - 1, k, k) if varying else (each, k, k), forbidden)
        initial = draw(rng, kind, (each, k), forbidden / 2) if ends else None
        final = draw(rng, kind, (each, k), forbidden / 2) if ends else None
        yield Batch(unary, transition, initial, final, best_values(unary, transition, initial, final))


@pytest.fixture(scope="session")
def drawn_chain():
    """``drawn_chain(rng)``: a small chain of any kind and its best value."""

    def make(rng):
        (n, k), kind = (some[int(rng.integers(len(some)))] for some in (SIZES, KINDS))
        forbidden = float(rng.choice([*FORBIDDEN, 0.9]))
        shape = (1, n - 1, k, k) if rng.integers(2) else (1, k, k)
        unary, transition = draw(rng, kind, (1, n, k), forbidden / 2), draw(rng, kind, shape, forbidden)
        ends = [draw(rng, kind, (1, k), forbidden / 2) for _ in range(2)] if rng.integers(2) else [None, None]
        batch = Batch(unary, transition, *ends, best_values(unary, transition, *ends))
        return next(batch.problems()), batch.best[0]

    return make


@pytest.fixture(scope="session")
def chain_batches():
    """``chain_batches(seed, each)``: 624 kinds of small chains, `each` instances of every kind."""
    return batches


@pytest.fixture(scope="session")
def random_chain():
    """``random_chain(seed, n, k)``: one chain of floats; more arguments as in the code."""

    def make(seed, n=7, k=5, *, forbidden=0.0, ends=True, varying=False, integers=False):
        rng = numbers(seed)
        kind = "ties" if integers else "floats"
        return ChainProblem(
            draw(rng, kind, (n, k), 0.0),
            draw(rng, kind, (n - 1, k, k) if varying else (k, k), forbidden),
            initial=draw(rng, kind, k, 0.0) if ends else None,
            final=draw(rng, kind, k, 0.0) if ends else None,
        )

    return make
