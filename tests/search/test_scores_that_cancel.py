"""Large terms that cancel: honest roles are not blamed for what float64 loses, and wrong ones are still caught."""

import itertools
import math
from contextlib import nullcontext
from fractions import Fraction

import attrs
import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless
import gapless_kernels
from gapless import Limits, Status, Stop
from gapless.core.configuration_bound import configuration_bound
from gapless.core.errors import InconsistentBound, InvalidProblem, OracleError
from gapless.core.tolerance import margin, rounding
from gapless.roles import ConfigurationFactor, Diagram, StructureFactor
from gapless.search import layout
from gapless.selftest.pairs import readable_search
from gapless.testing import check_factor, check_maximiser
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
    monkeypatch.setattr("gapless.core.proofs.taken_on_trust.FEW", 0)


def small(rng, *shape):
    return rng.choice([1e-3, -1e-3, 1.0, 0.0, 0.7], shape)


class Steps(Diagram):
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
        self.weights, self.more, self.tells = weights, more, tells

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


def scores(rng, size):
    return rng.normal(0.0, size, (WORDS, LABELS)), rng.normal(0.0, size, (LABELS, LABELS))


def second_chain(rng, size):
    """A chain, and another one over its labels that takes back all but small scores."""
    unary, transition = scores(rng, size)
    other = ChainProblem(small(rng, WORDS, LABELS) - unary, small(rng, LABELS, LABELS) - transition)
    role = other.backbone().maximiser
    return unary, transition, StructureFactor(role, np.arange(WORDS * LABELS), np.asarray(other.unary).ravel())


def diagram(rng, size):
    unary, _ = scores(rng, size)
    back = np.repeat((small(rng, WORDS, LABELS) - unary)[:, :, None], 4, axis=2) + small(rng, WORDS, LABELS, 4)
    return unary, small(rng, LABELS, LABELS), Steps(back)


def in_python(rng, size):
    unary, _ = scores(rng, size)
    return unary, small(rng, LABELS, LABELS), Weights((small(rng, WORDS, LABELS) - unary).ravel())


TIERS = {"second structure": second_chain, "diagram": diagram, "python": in_python}


def best_value(problem):
    labellings = (np.array(labels) for labels in itertools.product(range(LABELS), repeat=WORDS))
    return max(problem.value(labels) for labels in labellings if not problem.violations(labels))


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("chain", [ChainProblem, PythonChain])
@pytest.mark.parametrize("size", [1e6, 1e8, 1e9])
def test_honest_roles_are_not_blamed_for_rounding(tier, chain, size):
    """These ended in `OracleError` or `InconsistentBound`: what was compared was small, what was summed was not."""
    for case in range(2):
        unary, transition, factor = TIERS[tier](np.random.default_rng([int(size), case]), size)
        problem = chain(unary, transition, factors=[factor])
        result = gapless.solve(problem, limits=Limits(nodes=12))
        best = best_value(problem)
        assert result.status in (Status.OPTIMAL, Status.FEASIBLE)
        assert result.bound >= best - margin(best)
        if result.proved:
            assert result.value == pytest.approx(best, rel=1e-8, abs=1e-8)
        else:
            assert result.stop in (Stop.GAP, Stop.NODES)


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("size", [1.0, 1e6, 1e9])
@pytest.mark.parametrize("wrong", [1e-2, -1e-2])
def test_a_factor_that_claims_another_value_than_it_has_is_caught(size, wrong):
    unary, transition, factor = in_python(np.random.default_rng(3), size)
    problem = ChainProblem(unary, transition, factors=[Weights(factor.weights, wrong)])
    with pytest.raises((OracleError, InconsistentBound), match=r"best\(\) (gave the value|promises)"):
        gapless.solve(problem, limits=Limits(nodes=40))


@pytest.mark.skipif(
    not gapless_kernels.COMPILED, reason="the readable search does not compare claims above the sum"
)
@pytest.mark.parametrize("size", [1.0, 1e6, 1e9])
@pytest.mark.parametrize("wrong", [1e-2, -1e-2])
def test_a_maximiser_that_claims_another_value_than_its_structure_has_is_caught(size, wrong):
    unary, transition = scores(np.random.default_rng(3), size)
    problem = PythonChain(unary, transition)
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
    check_maximiser(role, decisions, sets, own=lambda on: role.own_score(np.isin(np.arange(6), on)))
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
