"""Changes of the scores whose effect on the optimum is known."""

import numpy as np
import pytest

import gapless
from gapless_chains import ChainProblem

METHODS = ["viterbi", "dominance", "column-generation"]


def value(problem, method):
    result = gapless.solve(problem, method)
    assert result.verify(problem)
    return result.value


@pytest.fixture(params=range(8))
def scores(request):
    rng = np.random.default_rng(request.param)
    n, k = int(rng.integers(2, 12)), int(rng.integers(2, 9))
    transition = rng.normal(size=(n - 1, k, k) if request.param % 2 else (k, k))
    transition[rng.random(transition.shape) < 0.1] = -np.inf
    return {
        "unary": rng.normal(size=(n, k)),
        "transition": transition,
        "initial": rng.normal(size=k),
        "final": rng.normal(size=k),
    }


@pytest.mark.parametrize("method", METHODS)
def test_constants_add_up(scores, method):
    before = value(ChainProblem(**scores), method)
    edges = len(scores["unary"]) - 1
    after = ChainProblem(
        scores["unary"] + np.arange(edges + 1)[:, None],
        scores["transition"] + 0.25,
        initial=scores["initial"] + 3,
        final=scores["final"] - 1,
    )
    assert value(after, method) == pytest.approx(before + edges * (edges + 1) / 2 + 0.25 * edges + 2, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_renaming_labels_changes_nothing(scores, method):
    new = np.random.default_rng(1).permutation(len(scores["initial"]))
    renamed = ChainProblem(
        scores["unary"][:, new],
        scores["transition"][..., new, :][..., new],
        initial=scores["initial"][new],
        final=scores["final"][new],
    )
    assert value(renamed, method) == pytest.approx(value(ChainProblem(**scores), method), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [1e-6, 0.5, 1e6, 1e12])
def test_scaling_scales(scores, method, factor):
    scaled = ChainProblem(**{name: array * factor for name, array in scores.items()})
    assert value(scaled, method) == pytest.approx(value(ChainProblem(**scores), method) * factor, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_reversing_changes_nothing(scores, method):
    transition = scores["transition"].swapaxes(-1, -2)
    mirrored = ChainProblem(
        scores["unary"][::-1],
        transition if transition.ndim == 2 else transition[::-1],
        initial=scores["final"],
        final=scores["initial"],
    )
    assert value(mirrored, method) == pytest.approx(value(ChainProblem(**scores), method), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_moving_scores_from_transitions_to_labels_changes_nothing(scores, method):
    """Another gauge of the same model: outgoing scores billed to the source."""
    shift = np.arange(len(scores["initial"])) * 0.5
    unary = scores["unary"].copy()
    unary[:-1] += shift
    moved = {**scores, "unary": unary, "transition": scores["transition"] - shift[:, None]}
    assert value(ChainProblem(**moved), method) == pytest.approx(value(ChainProblem(**scores), method), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_label_that_no_transition_allows_changes_nothing(scores, method):
    n, k = scores["unary"].shape
    transition = scores["transition"]
    padded = np.zeros((*transition.shape[:-2], k + 1, k + 1))
    padded[..., :k, :k] = transition
    wider = ChainProblem(
        np.hstack([scores["unary"], np.full((n, 1), -np.inf)]),
        padded,
        initial=np.append(scores["initial"], 9.0),
        final=np.append(scores["final"], 9.0),
    )
    assert value(wider, method) == pytest.approx(value(ChainProblem(**scores), method), abs=1e-9)
