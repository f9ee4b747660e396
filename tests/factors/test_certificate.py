"""Bounds of the split certificate over any backbone against enumeration, forged ones included."""

import attrs
import numpy as np
import pytest
from drawn import mostly_long
from plain_backbones import Listed, PlainChain, listing

import gapless as gl
from gapless.arrays.serial import dumps, loads
from gapless.certificates.enumerated_choices import EnumeratedChoices
from gapless.certificates.split_certificate import SplitCertificate
from gapless.factors import Budget
from gapless.factors.configuration_bound import configuration_bound
from gapless.roles import Backbone, CheckedBounds, Fixings
from gapless.testing import feasible_structures
from gapless.testing.conformance import sample_fixings
from gapless.testing.random_factors import EXACT_TIERS, random_factors, random_scores
from gapless_chains import ChainProblem

KINDS = ["ties", "normal", "cancel"]
FORGED = [np.nan, np.inf, -np.inf, 1e300, -1e300, 1e16, 1.0, 0.0, -1.0]


class CheckedListing(type(listing(np.random.default_rng(0)))):
    """A listing with a verifier of its own."""

    def verifier_backbone_bounds(self, weights, fixings):
        maximiser = self.backbone().maximiser
        worth = maximiser.worth(weights, fixings)
        on = np.where(maximiser.on, worth[:, None], -np.inf).max(axis=0, initial=-np.inf)
        off = np.where(maximiser.on, -np.inf, worth[:, None]).max(axis=0, initial=-np.inf)
        size = 1e-9 * float(np.abs(weights).sum() + np.abs(maximiser.own).sum())
        return CheckedBounds(worth.max(initial=-np.inf) + size, on + size, off + size)


def problems(rng, kind):
    if rng.random() < 0.5:
        n, k = (int(v) for v in rng.integers(1, 4, 2))
        chain = PlainChain(random_scores(rng, (n, k), kind), random_scores(rng, (k, k), kind))
        return attrs.evolve(chain, factors=random_factors(rng, chain.decisions, tiers=EXACT_TIERS, kind=kind))
    made = listing(rng, loose=int(rng.integers(0, 3)), scores=lambda n: random_scores(rng, n, kind, 0.0))
    cls = CheckedListing if rng.random() < 0.5 else type(made)
    fields = {a.name: getattr(made, a.name) for a in attrs.fields(type(made))}
    return cls(**{**fields, "factors": random_factors(rng, made.decisions, tiers=EXACT_TIERS, kind=kind)})


def slots(problem, orientation, alone=()):
    """The number of multipliers of a certificate: it says when they are too few or too many."""
    size = 0
    while size < 10_000:
        verdict = SplitCertificate(orientation, np.zeros(size), alone).verify(problem)
        if verdict or "multipliers" not in verdict.reason:
            return size
        size += 1
    raise AssertionError(problem)


def certificate(rng, problem, forged=0.2):
    conjunctions = problem.factor_set.conjunctions
    way = tuple(int(rng.integers(0, 3)) if c.scopes.shape[1] == 2 else 0 for c in conjunctions)
    total = sum(len(c.scopes) for c in conjunctions)
    alone = np.flatnonzero(rng.random(total) < 0.3)
    values = rng.normal(0, 2, slots(problem, way, alone))
    values = np.where(rng.random(values.size) < forged, rng.choice(FORGED, values.size), values)
    return SplitCertificate(way, values, alone, loss=float(rng.choice([0.0, 5.0, 1e6, np.nan, -1.0, np.inf])))


@pytest.mark.parametrize("count", mostly_long([20, 120], quick=[0]))
@pytest.mark.parametrize("kind", KINDS)
def test_no_multipliers_bound_too_little(kind, count):
    rng = np.random.default_rng(KINDS.index(kind))
    tight = 0
    for _ in range(count):
        problem = problems(rng, kind)
        found = feasible_structures(problem)
        evidence = certificate(rng, problem)
        evidence = loads(dumps(evidence))
        for fixings in sample_fixings(problem.decisions, [f.on_ids for f in found], 4, int(rng.integers(1 << 30))):
            best = max((f.score for f in found if fixings.allows(f.on_ids)), default=-np.inf)
            verdict = evidence.verify(problem, fixings)
            assert verdict, verdict.reason
            assert verdict.bound >= best - 1e-9 * max(1.0, abs(best)), (problem.factors, fixings, best)
            tight += verdict.bound <= best + 1e-6 * max(1.0, abs(best))
    assert tight > 0.6 * count


@pytest.mark.parametrize("count", mostly_long([15, 60], quick=[0]))
@pytest.mark.parametrize("kind", KINDS)
def test_flips_in_one_pass(kind, count):
    rng = np.random.default_rng(10 + KINDS.index(kind))
    for _ in range(count):
        problem = problems(rng, kind)
        found = feasible_structures(problem)
        evidence = certificate(rng, problem)
        fixings = Fixings.none(problem.decisions.count)
        on = np.flatnonzero(rng.random(problem.decisions.count) < 0.2)
        off = np.flatnonzero(rng.random(problem.decisions.count) < 0.2)
        scores = [f.score for f in found if not set(on) <= set(f.on_ids) or set(off) & set(f.on_ids)]
        best = max(scores, default=-np.inf)
        verdict = evidence.verify_flips(problem, fixings, on, off)
        assert verdict, verdict.reason
        assert verdict.bound >= best - 1e-9 * max(1.0, abs(best))


@pytest.mark.parametrize("count", mostly_long([25, 60], quick=[0]))
def test_a_node_with_everything_decided_is_exact(count):
    rng = np.random.default_rng(5)
    for _ in range(count):
        problem = problems(rng, "normal")
        evidence = certificate(rng, problem)
        for f in feasible_structures(problem)[:5]:
            fixings = Fixings(np.isin(np.arange(problem.decisions.count), f.on_ids).astype(np.int8))
            assert evidence.verify(problem, fixings).bound == pytest.approx(f.score, abs=1e-6)
            assert EnumeratedChoices().verify(problem, fixings).bound == f.score


@pytest.mark.parametrize("change", [1, -1])
def test_a_wrong_length_is_refused(change):
    rng = np.random.default_rng(2)
    for _ in range(20):
        problem = problems(rng, "ties")
        evidence = certificate(rng, problem)
        if evidence.multipliers.size:
            wrong = attrs.evolve(evidence, multipliers=np.zeros(evidence.multipliers.size + change))
            verdict = wrong.verify(problem)
            assert not verdict
            assert "multipliers" in verdict.reason


class Low(Listed):
    """Promises too little as soon as weights are not its first."""

    def solve(self, weights, fixings):
        found = super().solve(weights, fixings)
        return found if weights[0] < 50 else attrs.evolve(found, value=found.value - 20.0)


def test_a_word_that_is_refuted_proves_nothing():
    problem = listing(np.random.default_rng(1), groups=5, size=4, loose=0, share=1.0)
    plain = SplitCertificate((), np.zeros(0)).verify(problem)
    assert plain
    assert plain.assumptions == "the bound on the backbone rests on the word of Listed.solve"
    assert "rests on the word of Listed" in repr(plain)

    class Lying(type(problem)):
        def backbone(self):
            kept = problem.backbone()
            return Backbone(Low(problem.on_sets, problem.own, len(problem.weights)), kept.weights + 100.0, -500.0)

    lying = Lying(**{a.name: getattr(problem, a.name) for a in attrs.fields(type(problem))})
    verdict = SplitCertificate((), np.zeros(0)).verify(lying)
    assert not verdict
    assert "Low.solve promises that no structure is worth more than" in verdict.reason


def test_a_checked_backbone_takes_nothing_on_trust():
    chain = PlainChain(np.zeros((2, 2)), np.zeros((2, 2)))
    verdict = SplitCertificate((), np.zeros(0)).verify(chain)
    assert verdict
    assert verdict.assumptions == ""


def test_few_choices_are_enumerated():
    rng = np.random.default_rng(3)
    for _ in range(40):
        problem = problems(rng, "ties")
        found = feasible_structures(problem)
        for fixings in sample_fixings(problem.decisions, [f.on_ids for f in found], 3, int(rng.integers(1 << 30))):
            best = max((f.score for f in found if fixings.allows(f.on_ids)), default=-np.inf)
            verdict = loads(dumps(EnumeratedChoices())).verify(problem, fixings)
            assert verdict.bound == best
    many = listing(rng, groups=2, size=2, loose=14, share=0.0)
    assert "too many to enumerate" in EnumeratedChoices().verify(many).reason


class Whole(ChainProblem):
    """A chain whose bounds are rounded down, so that flips are fixed at bounds above all that leaves need."""

    granularity = 1.0


def test_flips_beside_a_diagram_are_verified_in_one_pass(monkeypatch):
    """Each flip of this tree took a run over the diagram's steps: 132."""
    n = 120
    rng = np.random.default_rng(5)
    worth, price = rng.integers(1, 20, n).astype(float), rng.integers(1, 10, n)
    transition = np.array([[0.0, 0.0], [0.0, -np.inf]])
    factors = [Budget(2 * np.arange(n) + 1, price, round(1.125 * n))]
    problem = Whole(np.stack([np.zeros(n), worth], axis=1), transition, factors=factors)
    tree = gl.solve(problem, "split-bound").certificate
    runs, run = 0, configuration_bound.__globals__["_all_steps"]

    def counted(*arguments):
        nonlocal runs
        runs += 1
        return run(*arguments)

    monkeypatch.setitem(configuration_bound.__globals__, "_all_steps", counted)
    assert tree.verify(problem)
    steps = [step for several in tree.tightenings.values() for step in several]
    assert sum(len(step.on) + len(step.off) for step in steps) > 100
    assert runs <= 2 + len(tree.leaves) + 8 * len(steps)
