"""Beliefs against enumeration, and against derivatives of the Bethe approximation that they are those of."""

import itertools

import numpy as np
import pytest
from drawn import long

import gapless_kernels
from gapless_dependency import Grandchild, ParsingProblem
from gapless_dependency.enumeration import tree_scores
from gapless_models.price_and_cut.likelihood import propagate


def sentence(n, seed, size):
    """Arc scores, the parts of all arcs, and their scores."""
    rng = np.random.default_rng(seed)
    arcs = rng.normal(size=(n + 1, n + 1))
    np.fill_diagonal(arcs, -np.inf)
    arcs[:, 0] = -np.inf
    parts = [t for t in itertools.permutations(range(n + 1), 3) if t[1] and t[2]]
    return arcs, np.array(parts, np.int64).reshape(-1, 3).T, rng.normal(scale=size, size=len(parts))


def exact(arcs, parts, scores, single_root, projective=False):
    """Marginals of arcs and parts by enumeration."""
    table = np.zeros((len(arcs),) * 3)
    table[tuple(parts)] = scores
    problem = ParsingProblem(arcs, factors=[Grandchild(table)], single_root=single_root, projective=projective)
    heads, values = tree_scores(problem)
    shares = np.exp(values - values.max())
    shares /= shares.sum()
    above = np.concatenate([np.full((len(heads), 1), -1), heads], axis=1)
    of_arcs = np.zeros(arcs.shape)
    for m in range(1, len(arcs)):
        np.add.at(of_arcs[:, m], above[:, m], shares)
    g, p, c = parts
    return of_arcs, shares @ ((above[:, p] == g) & (above[:, c] == p))


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("projective", [True, False])
def test_beliefs_are_exact_without_parts_and_where_parts_score_nothing(n, single_root, projective):
    arcs, parts, scores = sentence(n, n, 0.0)
    for chosen in (parts, parts[:, :0]):
        found = propagate(arcs, *chosen, scores[: chosen.shape[1]], single_root=single_root, projective=projective)
        wanted, _ = exact(arcs, parts, scores, single_root, projective)
        np.testing.assert_allclose(found.arcs, wanted, atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("single_root", [True, False])
def test_beliefs_are_close_to_marginals(seed, single_root):
    arcs, parts, scores = sentence(4, seed, 0.5)
    found = propagate(arcs, *parts, scores, single_root=single_root, rounds=8)
    of_arcs, of_parts = exact(arcs, parts, scores, single_root)
    plain, _ = exact(arcs, parts, 0.0 * scores, single_root)
    assert np.abs(found.arcs - of_arcs).max() < 0.1
    # What parts say must help: without them arcs are further off.
    assert np.abs(found.arcs - of_arcs).sum() < 0.6 * np.abs(plain - of_arcs).sum()
    # A part knows of its two arcs only; that no other head goes with them, in sentences this short, it does not.
    assert np.corrcoef(found.parts, of_parts)[0, 1] > 0.9


def bethe(arcs, parts, scores, single_root):
    """The Bethe approximation of the log-partition where the messages have converged.

    Every factor's log-partition under its incoming messages, less what is counted twice; here all but that of the
    tree and one term for each part cancels.
    """
    found = propagate(arcs, *parts, scores, single_root=single_root, rounds=400, damping=0.3)
    surplus = np.expm1(scores)
    # From b = x e^s / (1 + x (e^s - 1)), the belief of a part whose arcs are on with x without it.
    both = found.parts / (1.0 + surplus - found.parts * surplus)
    tree, _ = gapless_kernels.arborescence_marginals(found.weights, single_root)
    return tree - np.log1p(both * surplus).sum(), found


@pytest.mark.parametrize("seed", [0, long(1), long(2)])
@pytest.mark.parametrize("single_root", [True, False])
def test_beliefs_are_the_gradient_of_the_bethe_approximation(seed, single_root):
    arcs, parts, scores = sentence(4, 10 + seed, 0.4)
    _, found = bethe(arcs, parts, scores, single_root)
    step = 1e-4

    def slope(arc_step, part_step):
        up, _ = bethe(arcs + arc_step, parts, scores + part_step, single_root)
        down, _ = bethe(arcs - arc_step, parts, scores - part_step, single_root)
        return (up - down) / (2 * step)

    for h, m in [(0, 1), (2, 3), (4, 1), (3, 4)]:
        change = np.zeros(arcs.shape)
        change[h, m] = step
        assert found.arcs[h, m] == pytest.approx(slope(change, 0.0), abs=1e-5)
    for number in range(0, len(scores), 7):
        change = np.zeros(len(scores))
        change[number] = step
        assert found.parts[number] == pytest.approx(slope(0.0, change), abs=1e-5)


def test_extreme_scores_give_finite_beliefs():
    arcs, parts, scores = sentence(4, 0, 1.0)
    found = propagate(40 * arcs, *parts, 1000 * scores, single_root=True)
    assert np.isfinite(found.arcs).all()
    assert np.isfinite(found.parts).all()
    assert 0.0 <= found.parts.min() <= found.parts.max() <= 1.0
