"""Whatever survivors and dominators it names, the certificate bounds the optimum; honest ones meet it."""

import numpy as np
import pytest
from all_labellings import all_labellings
from drawn import examples, generators, seeing
from hypothesis import given

import gapless as gl
from gapless_chains import ChainProblem
from gapless_chains.proofs.survivors import DominanceCertificate

INTEGERS = (-2, 3)


def random_chain(rng, forbidden=0.2):
    n, k = int(rng.integers(1, 6)), int(rng.integers(1, 5))

    def draw(*shape):
        scores = rng.integers(*INTEGERS, size=shape) if rng.random() < 0.5 else rng.normal(size=shape)
        return np.where(rng.random(shape) < forbidden * rng.random(), -np.inf, scores)

    return ChainProblem(draw(n, k), draw(k, k), initial=draw(k), final=draw(k))


def optimum(problem):
    return max(map(problem.value, all_labellings(problem)))


def honest(problem):
    """Survivors by the definition, in plain loops."""
    t, k = problem.transition, problem.label_count
    m, positions, labels, dominators = problem.local[0], [], [], []
    for i in range(problem.positions):
        if i:
            kept = [x for p, x in zip(positions, labels, strict=True) if p == i - 1]
            offers = [max((m[x] + t[x, r] for x in kept), default=-np.inf) for r in range(k)]
            m = problem.local[i] + np.array(offers)
        best = int(np.argmax(m))
        dominators.append(best)
        for x in range(k):
            lead = max((np.inf if t[best, r] == -np.inf else t[x, r] - t[best, r] for r in range(k)
                        if t[x, r] > -np.inf), default=-np.inf)  # fmt: skip
            if m[x] > -np.inf and (x == best or m[x] + lead >= m[best] - 1e-12):
                positions.append(i)
                labels.append(x)
    return DominanceCertificate(positions, labels, dominators)


@seeing("dropped")
@examples(30)
@given(rng=generators())
def test_honest_survivors_prove_the_optimum(seen, rng):
    problem = random_chain(rng)
    certificate = honest(problem)
    seen["dropped"] += problem.unary.size - len(certificate.labels)
    bound, best = certificate.verify(problem).bound, optimum(problem)
    assert bound == best or bound == pytest.approx(best, abs=1e-12)
    assert bound >= best - 1e-12 * (1 + abs(best))


@seeing("weak")
@examples(100)
@given(rng=generators())
def test_any_survivors_bound_the_optimum(seen, rng):
    problem = random_chain(rng)
    n, k = problem.unary.shape
    some = np.argwhere(rng.random((n, k)) < rng.random())
    certificate = DominanceCertificate(some[:, 0], some[:, 1], rng.integers(0, k, n))
    verdict, best = certificate.verify(problem), optimum(problem)
    assert verdict
    assert verdict.bound >= best - 1e-12 * (1 + abs(best) if np.isfinite(best) else 0)
    seen["weak"] += verdict.bound > best + 1e-6


def test_dropping_the_best_label_proves_nothing():
    problem = ChainProblem([[0.0, 1.0], [0.0, 0.0]], np.zeros((2, 2)))
    assert DominanceCertificate([0, 1], [0, 0], [0, 0]).verify(problem).bound == pytest.approx(1.0)
    result = gl.solve(problem, "viterbi")
    assert result.value == 1.0


@pytest.mark.parametrize("mask", [1e9, 1e12])
def test_large_scores_that_cancel_do_not_spoil_the_proof(mask):
    rng = np.random.default_rng(2)
    unary = rng.normal(size=(12, 4))
    unary[::2] += mask
    unary[1::2] -= mask
    problem = ChainProblem(unary, rng.normal(size=(4, 4)))
    everything = np.argwhere(np.ones((12, 4)))
    certificate = DominanceCertificate(everything[:, 0], everything[:, 1], np.argmax(unary, axis=1))
    best = gl.solve(problem, "viterbi").value
    assert certificate.verify(problem).bound == pytest.approx(best, abs=mask * 1e-14)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (([0], [5], [0, 0]), "labels must lie in 0..1"),
        (([2], [0], [0, 0]), "positions must lie in 0..1"),
        (([0], [0], [0, -1]), "dominators must lie in 0..1"),
        (([0], [0], [0]), "dominators one for each of 2"),
        (([0, 1], [0], [0, 0]), "survivors must be pairs"),
    ],
)
def test_what_does_not_fit_is_refused(fields, message):
    problem = ChainProblem(np.zeros((2, 2)), np.zeros((2, 2)))
    verdict = DominanceCertificate(*fields).verify(problem)
    assert not verdict
    assert message in verdict.reason


@given(rng=generators())
def test_varying_transitions_bound_too(rng):
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    problem = ChainProblem(rng.normal(size=(n, k)), rng.normal(size=(n - 1, k, k)))
    some = np.argwhere(rng.random((n, k)) < 0.7)
    certificate = DominanceCertificate(some[:, 0], some[:, 1], rng.integers(0, k, n))
    assert certificate.verify(problem).bound >= optimum(problem) - 1e-12
    assert DominanceCertificate.everything(problem).verify(problem).bound == pytest.approx(optimum(problem))


def test_it_survives_json():
    problem = random_chain(np.random.default_rng(5), forbidden=0)
    certificate = honest(problem)
    assert gl.loads(gl.dumps(certificate)).verify(problem).bound == certificate.verify(problem).bound
