"""Changes of the scores whose effect on the optimum is known."""

import numpy as np
import pytest
from drawn import mostly_long

import gapless
from gapless_chains import ChainProblem

METHODS = ["viterbi", "dominance", "column-generation"]


def scores(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 12)), int(rng.integers(2, 9))
    transition = rng.normal(size=(n - 1, k, k) if seed % 2 else (k, k))
    transition[rng.random(transition.shape) < 0.1] = -np.inf
    return {
        "unary": rng.normal(size=(n, k)),
        "transition": transition,
        "initial": rng.normal(size=k),
        "final": rng.normal(size=k),
    }


def add_constants(unary, transition, initial, final):
    steps = np.arange(len(unary))
    return ChainProblem(unary + steps[:, None], transition + 0.25, initial=initial + 3, final=final - 1)


def rename_labels(unary, transition, initial, final):
    new = np.random.default_rng(1).permutation(initial.size)
    renamed = transition[..., new, :][..., new]
    return ChainProblem(unary[:, new], renamed, initial=initial[new], final=final[new])


def reverse(unary, transition, initial, final):
    mirrored = transition.swapaxes(-1, -2)
    return ChainProblem(
        unary[::-1], mirrored if mirrored.ndim == 2 else mirrored[::-1], initial=final, final=initial
    )


def move_scores_to_labels(unary, transition, initial, final):
    """Charge outgoing scores to their source: another reparametrisation of the same model."""
    shift = np.arange(initial.size) * 0.5
    moved = np.vstack([unary[:-1] + shift, unary[-1:]])
    return ChainProblem(moved, transition - shift[:, None], initial=initial, final=final)


def add_an_unreachable_label(unary, transition, initial, final):
    k = initial.size
    padded = np.zeros((*transition.shape[:-2], k + 1, k + 1))
    padded[..., :k, :k] = transition
    wider = np.hstack([unary, np.full((len(unary), 1), -np.inf)])
    return ChainProblem(wider, padded, initial=np.append(initial, 9.0), final=np.append(final, 9.0))


def scale(factor):
    def change(**given):
        return ChainProblem(**{name: array * factor for name, array in given.items()})

    return change


CHANGES = {
    "constants add up": (add_constants, lambda value, edges: value + edges * (edges + 1) / 2 + 0.25 * edges + 2),
    **{change.__name__: (change, lambda value, _: value)
       for change in (rename_labels, reverse, move_scores_to_labels, add_an_unreachable_label)},
    **{f"scaled by {factor}": (scale(factor), lambda value, _, factor=factor: value * factor)
       for factor in (1e-6, 0.5, 1e6, 1e12)},
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seed", mostly_long(range(8), quick=[0, 1]))
def test_a_change_of_the_scores_has_its_known_effect(seed, change, method):
    given, (changed, expected) = scores(seed), CHANGES[change]
    before, after = ChainProblem(**given), changed(**given)
    results = [gapless.solve(problem, method) for problem in (before, after)]
    assert all(result.verify(problem) for result, problem in zip(results, (before, after), strict=True))
    wanted = expected(results[0].value, len(given["unary"]) - 1)
    assert results[1].value == pytest.approx(wanted, rel=1e-9, abs=0.0 if "scaled" in change else 1e-9)
