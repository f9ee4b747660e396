"""Large terms that cancel: honest roles are not blamed for what float64 loses, and wrong ones are still caught."""

import itertools
import math
from contextlib import nullcontext
from fractions import Fraction

import attrs
import numpy as np
import pytest
from drawn import examples, generators, long
from hypothesis import given

import gapless
import gapless_kernels
from gapless import Limits, Status, Stop
from gapless.arrays.tolerance import rounding, score_tolerance
from gapless.errors import InconsistentBound, InvalidProblem, OracleError
from gapless.factors import Cardinality
from gapless.factors.configuration_bound import configuration_bound
from gapless.roles import ConfigurationFactor, DecisionDiagram, StructureFactor
from gapless.search import layout
from gapless.testing import check_factor, check_maximiser
from gapless.testing.campaign import readable_search
from gapless_chains import ChainProblem
from gapless_chains.label_maximiser import LabelMaximiser

LOADED = (LabelMaximiser,)  # before the readable search runs: it looks whether kernels are compiled
SEARCHES = ["readable", *["compiled"] * gapless_kernels.COMPILED]
WORDS, LABELS = 5, 3


@pytest.fixture(params=SEARCHES)
def search(request):
    """The search that runs, compiled or readable."""
    with readable_search() if request.param == "readable" and gapless_kernels.COMPILED else nullcontext():
        yield request.param


@pytest.fixture(autouse=True)
def _multipliers_alone(monkeypatch):
    """Neither search nor verifier lists structures: what is left then is exact."""
    monkeypatch.setattr(layout, "CHOICES", 0)
    monkeypatch.setattr("gapless.certificates.trusted_maximiser.ENUMERATION_LIMIT", 0)


def small(rng, *shape):
    return rng.choice([1e-3, -1e-3, 1.0, 0.0, 0.7], shape)


class Steps(DecisionDiagram):
    """A score for each word, label and state."""

    name = "steps"

    def __init__(self, scores):
        self.scores = scores

    def layers(self, decisions):
        return np.arange(WORDS * LABELS).reshape(WORDS, LABELS).tolist()

    def step(self, layer, choice, states):
        return (states * 3 + choice + 1) % 4, self.scores[layer, choice, states]


class Weights(ConfigurationFactor):
    """A weight for each decision; `best` adds them up from the other end, and claims `more`."""

    name = "weights"

    def __init__(self, weights, more=0.0, *, tells=True):
        self.weights, self.more, self.tells = np.ravel(weights), more, tells

    def scope(self, decisions):
        return np.arange(self.weights.size)

    def value(self, on):
        return float(np.cumsum(self.weights[on])[-1]) if on.any() else 0.0

    def best(self, weights):
        total = weights + self.weights
        on = total > 0
        return (float(np.cumsum(total[on][::-1])[-1]) if on.any() else 0.0) + self.more, on

    def largest_term(self, decisions):
        return float(self.weights.max(initial=0.0)) if self.tells else 0.0


class OneEach(Weights):
    """One label of each word."""

    def value(self, on):
        return super().value(on) if (on.reshape(WORDS, LABELS).sum(axis=1) == 1).all() else -math.inf

    def best(self, weights):
        total = weights.reshape(WORDS, LABELS) + self.weights.reshape(WORDS, LABELS)
        on = np.arange(LABELS) == total.argmax(axis=1)[:, None]
        value = float(np.cumsum(total[on][::-1])[-1])
        return value + self.more, on.ravel() & (value > -math.inf)


class PythonChain(ChainProblem):
    """A chain whose maximiser has no compiled code."""

    more = 0.0

    def backbone(self):
        bare = super().backbone()
        role = type(bare.maximiser)

        class Slow(role):
            more = self.more

            def compiled(self):
                return None

            def solve(self, weights, fixings):
                found = super().solve(weights, fixings)
                return attrs.evolve(found, value=found.value + self.more)

        return attrs.evolve(bare, maximiser=Slow(self))


def levels(rng, size):
    """A large score for each word, whatever its label; together they are 0, and what is left is small."""
    drawn = rng.normal(0.0, size, WORDS - 1)
    return np.append(drawn, -drawn.sum())[:, None] + small(rng, WORDS, LABELS)


def structure(rng, size):
    chain = ChainProblem(levels(rng, size), small(rng, LABELS, LABELS))
    return StructureFactor(chain.backbone().maximiser, np.arange(WORDS * LABELS), np.ravel(chain.unary))


def diagram(rng, size):
    return Steps(levels(rng, size)[:, :, None] + small(rng, WORDS, LABELS, 4))


def in_python(rng, size):
    return OneEach(levels(rng, size))


TIERS = {"structure": structure, "diagram": diagram, "python": in_python}


def best_value(problem):
    labellings = (np.array(labels) for labels in itertools.product(range(LABELS), repeat=WORDS))
    return max(problem.value(labels) for labels in labellings if not problem.violations(labels))


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("chain", [ChainProblem, PythonChain])
@pytest.mark.parametrize("size", [1e7, long(1e8), 1e9])
def test_honest_factors_are_not_blamed_for_rounding(tier, chain, size):
    """Nine of ten ended in `OracleError` or `InconsistentBound`: small sums were compared, of large terms."""
    for case in range(2):
        rng = np.random.default_rng([int(size), case])
        problem = chain(small(rng, WORDS, LABELS), small(rng, LABELS, LABELS), factors=[TIERS[tier](rng, size)])
        check_claims(problem, gapless.solve(problem, "split-bound", limits=Limits(nodes=12)))


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("chain", [ChainProblem, PythonChain])
@pytest.mark.parametrize("size", [1e7, long(1e9), 1e11])
def test_honest_maximisers_are_not_blamed_for_rounding(chain, size):
    for case in range(2):
        rng = np.random.default_rng([int(size), case])
        steps = rng.normal(0.0, size, WORDS - 2)
        steps = np.append(steps, -steps.sum())[:, None, None] + small(rng, WORDS - 1, LABELS, LABELS)
        counted = Cardinality(range(0, WORDS * LABELS, 2), small(rng, 9))
        problem = chain(small(rng, WORDS, LABELS), steps, factors=[counted])
        check_claims(problem, gapless.solve(problem, "split-bound", limits=Limits(nodes=12)))


def check_claims(problem, result):
    """A bound that no labelling exceeds, and a proof only of the best one."""
    best = best_value(problem)
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert best - score_tolerance(best) <= result.bound < math.inf
    if result.proved:
        assert result.value == pytest.approx(best, rel=1e-8, abs=1e-8)
    else:
        assert result.stop in (Stop.GAP, Stop.NODES)


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("size", [1.0, 1e7, 1e9])
@pytest.mark.parametrize("wrong", [1e-2, -1e-2])
def test_a_factor_that_claims_another_value_than_it_has_is_caught(size, wrong):
    rng = np.random.default_rng(3)
    wrong_one = OneEach(levels(rng, size), wrong)
    problem = ChainProblem(small(rng, WORDS, LABELS), small(rng, LABELS, LABELS), factors=[wrong_one])
    with pytest.raises((OracleError, InconsistentBound), match=r"best\(\) (gave the value|promises)"):
        gapless.solve(problem, limits=Limits(nodes=12))


@pytest.mark.skipif(
    not gapless_kernels.COMPILED, reason="the readable search does not compare claims above the sum"
)
@pytest.mark.parametrize("size", [1.0, 1e6, 1e9])
@pytest.mark.parametrize("wrong", [1e-2, -1e-2])
def test_a_maximiser_that_claims_another_value_than_its_structure_has_is_caught(size, wrong):
    rng = np.random.default_rng(3)
    problem = PythonChain(levels(rng, size), small(rng, LABELS, LABELS))
    PythonChain.more = wrong * max(1.0, 1e-6 * size)
    try:
        with pytest.raises((OracleError, InconsistentBound), match="but its structure has"):
            gapless.solve(problem, "split-bound")
    finally:
        PythonChain.more = 0.0


@pytest.mark.parametrize("tells", [True, False])
def test_a_verifier_counts_the_terms_of_a_claim(tells):
    """A claim that is less than a value by rounding refuted honest factors; one that is less by more is refuted."""
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(40):
        terms = rng.normal(0.0, 1e8, 12)
        weights, free = small(rng, 12) - terms, np.full(12, -1, np.int8)
        decisions = ChainProblem(np.zeros((4, 3)), np.zeros((3, 3))).decisions
        factor = Weights(terms, tells=tells)
        true = sum(max(Fraction(0), Fraction(a) + Fraction(b)) for a, b in zip(terms, weights, strict=True))
        try:
            bound = configuration_bound(factor, decisions, weights, free)
        except InvalidProblem:
            refused += 1
        else:
            assert Fraction(bound) >= true
        with pytest.raises(InvalidProblem, match="promises"):
            configuration_bound(Weights(terms, -1e-2, tells=tells), decisions, weights, free)
    assert refused == 0


@examples(40)
@given(rng=generators())
def test_rounding_covers_two_sums_of_the_same_terms(rng):
    decisions = int(rng.integers(1, 40))
    size = 10.0 ** rng.integers(0, 12)
    weights, terms = rng.normal(0.0, size, decisions), rng.normal(0.0, size, decisions)
    every = np.concatenate([weights, terms])
    one, two = float(np.cumsum(every)[-1]), float(np.cumsum(np.sort(every))[-1])
    lost = rounding(decisions, float(np.abs(weights).sum()), float(np.abs(terms).max()))
    assert abs(one - two) <= lost
    assert abs(Fraction(one) - sum(map(Fraction, every))) <= lost
    assert lost <= 1e-10 * decisions**2 * float(np.abs(every).max())


def test_the_kit_forgives_what_honest_roles_round():
    rng = np.random.default_rng(0)
    role = ChainProblem(np.zeros((3, 2)), rng.normal(0.0, 1e9, (2, 2))).backbone().maximiser
    decisions = role.problem.decisions
    sets = [role.problem.encode(np.array(labels)) for labels in itertools.product(range(2), repeat=3)]
    check_maximiser(
        role, decisions, sets, internal_score=lambda on: role.internal_score_of(np.isin(np.arange(6), on))
    )
    weights = rng.normal(0.0, 1e9, 6)
    weights -= weights.mean()
    check_factor(Weights(weights), decisions)
    with pytest.raises(gapless.testing.ConformanceError):
        check_factor(Weights(weights, 1e3), decisions)


@pytest.mark.parametrize("size", [-1.0, math.nan, math.inf, 1e13])
def test_a_largest_term_is_a_number_that_scores_may_be(size):
    factor = Weights(np.zeros(15))
    factor.largest_term = lambda decisions: size
    with pytest.raises(InvalidProblem, match=r"largest_term\(\) gave .*, expected a number from 0"):
        gapless.solve(ChainProblem(np.zeros((5, 3)), np.zeros((3, 3)), factors=[factor]))
