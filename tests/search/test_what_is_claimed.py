"""Claims of a search are what its certificate proves, at limits and where the problem itself knows the answer."""

import itertools
import math
from contextlib import nullcontext

import attrs
import numpy as np
import pytest

import gapless
import gapless_kernels
from gapless import Limits, Status, Stop, Verdict
from gapless.certificates.choice_bounds import choice_bounds
from gapless.certificates.split_certificate import SplitCertificate
from gapless.oracles.verifier_bounds import CheckedBounds
from gapless.roles import Certificate, Conjunctions, Fixings, NoCertificate
from gapless.search import layout
from gapless.search.driver import SearchDriver
from gapless.testing.addressed import AddressedTable
from gapless.testing.campaign import enumeration_limit, readable_search
from gapless.testing.choices import Choices
from gapless.testing.enumeration import feasible_structures
from gapless.testing.random_factors import TIERS, TightBudget, random_factors
from gapless_chains.label_maximiser import LabelMaximiser
from gapless_chains.selftest_instances import random_chain
from gapless_linking.selftest_instances import random_linking
from gapless_ordering import OrderingProblem
from gapless_ordering.selftest_instances import best_with_factors, random_ordering_with_factors
from gapless_ordering.walk_maximiser import WalkMaximiser

LOADED = LabelMaximiser, WalkMaximiser  # before the readable search runs: they look whether kernels are compiled
SEARCHES = ["readable", *["compiled"] * gapless_kernels.COMPILED]


def path(*seed):
    """A path with factors: its decisions are in no choice group, and walks bound them."""
    return random_ordering_with_factors(np.random.default_rng(seed))


@pytest.fixture(params=SEARCHES)
def search(request):
    """The search that runs, compiled or readable."""
    with readable_search() if request.param == "readable" and gapless_kernels.COMPILED else nullcontext():
        yield request.param


# Bounds of these rose under more fixings, and the claim was that of the node above.
@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_a_bound_at_a_limit_is_what_is_proved(search, nodes):
    told = []
    for case in (110, 140, 457, 498, 506, 541, 619, 636, 649):
        problem = path(78, case)
        result = gapless.solve(problem, "split-bound", limits=Limits(nodes=nodes))
        verdict = result.verify(problem)
        told.append(result.stop is Stop.NODES and result.bound < math.inf)
        assert verdict or verdict.missing, (case, verdict.reason)
    assert sum(told) > 5


# Too few classes, which walks do not see.
@pytest.mark.parametrize("seed", [(78, 30), (79, 73), (79, 82), (79, 155), (79, 171)])
def test_reasons_for_infeasibility_come_with_evidence(seed):
    problem = path(*seed)
    (reason,) = problem.infeasibility()
    result = gapless.solve(problem, "split-bound")
    verdict = result.verify(problem)
    assert (result.status, result.explanation) == (Status.INFEASIBLE, (reason,))
    assert verdict, verdict.reason
    assert verdict.bound == -math.inf
    several = gapless.solve(problem, "split-bound", k=3)
    assert (several.status, several.explanation) == (Status.INFEASIBLE, (reason,))
    assert several.verify(problem)


@pytest.mark.parametrize("seed", range(12))
def test_paths_that_factors_forbid_are_proved_infeasible(seed):
    rng = np.random.default_rng([seed, 3])
    bare = OrderingProblem(rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=3), 3)
    chosen = {}
    for one in itertools.permutations(range(3)):  # of each path two edges
        chosen[
            tuple(sorted(rng.choice(np.sort(bare.encode(np.array(one))), 2, replace=False).tolist()))
        ] = -math.inf
    for pair in itertools.combinations(range(bare.decisions.count), 2):
        if rng.random() < 0.4:
            chosen.setdefault(pair, float(rng.normal(0, 2)))
    factors = [Conjunctions(list(chosen), list(chosen.values()))]
    problem = OrderingProblem(bare.start, bare.ordering, bare.end, 3, factors=factors)
    with enumeration_limit(0):
        result = gapless.solve(problem, "split-bound")
    assert result.status is Status.INFEASIBLE
    assert result.verify(problem)


def test_a_search_for_evidence_that_ends_early_leaves_the_reasons():
    problem = path(79, 155)
    result = gapless.solve(problem, "split-bound", limits=Limits(nodes=1))
    assert (result.status, result.explanation) == (Status.INFEASIBLE, tuple(problem.infeasibility()))
    assert isinstance(result.certificate, NoCertificate)
    assert "ended early (nodes)" in result.certificate.missing


def test_ctrl_c_in_a_search_for_evidence_is_heard(monkeypatch):
    problem = path(79, 155)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SearchDriver, "run", interrupted)
    result = gapless.solve(problem, "split-bound")
    assert result.stop is Stop.INTERRUPTED
    assert result.explanation[0] == problem.infeasibility()[0]


def test_no_search_where_even_scores_are_evidence(monkeypatch):
    monkeypatch.setattr(layout.SearchInput, "evenly", lambda _: Always())
    result = gapless.solve(path(79, 155), "split-bound")
    assert (result.status, result.stats.nodes) == (Status.INFEASIBLE, 0)


def test_relaxed_diagrams_are_bounds_for_the_readable_search():
    """Their best configuration need not be worth what they promise; that ended in an error."""
    relaxed = 0
    for case in range(40):
        rng = np.random.default_rng([2, case])
        bare = random_chain(rng)
        problem = attrs.evolve(
            bare, factors=random_factors(rng, bare.decisions, tiers=("relaxed diagram", "pairs"))
        )
        relaxed += sum(isinstance(factor, TightBudget) for factor in problem.factors)
        with readable_search():
            result = gapless.solve(problem, "split-bound")
        best = max((f.score for f in feasible_structures(problem)), default=-math.inf)
        assert result.proved
        assert result.bound == pytest.approx(best, rel=1e-9, abs=1e-9)
        assert result.verify(problem)
    assert relaxed > 20


# A walk passed by an edge that was on, and counted as a path that scores more than any; that ended in an error.
@pytest.mark.parametrize("seed", [(91, 154), (78, 506)])
def test_a_walk_that_is_no_path_is_no_answer(search, seed, monkeypatch):
    monkeypatch.setattr(layout, "CHOICES", 0)
    problem = path(*seed)
    result = gapless.solve(problem, "split-bound")
    (best,) = best_with_factors(problem, 1)
    assert result.proved
    assert result.value == pytest.approx(best.value, rel=1e-9)
    assert result.verify(problem)


class Always(gapless.roles.BoundCertificate):
    """Evidence for anything."""

    factors = True

    def upper_bound(self, problem, fixings):
        return -math.inf


def test_large_scores_that_no_structure_has_cost_no_rounding():
    weights = np.array([-1.0, -3e7, -2e7, 5.0, -4e7])
    problem = Choices(weights, ((0, 1),), factors=[Conjunctions([(0, 2, 3)], [-1.5])])
    bounds = choice_bounds(problem.decisions, weights, Fixings.none(5))
    assert 4.0 <= bounds.best <= 4.0 + 1e-13
    assert -1.0 <= bounds.off[3] <= -1.0 + 1e-13
    assert bounds.on[2] >= 4.0 - 2e7


def test_nothing_more_than_nothing_is_nothing():
    some = CheckedBounds(-math.inf, np.array([-math.inf, 1.0]), np.array([2.0, -math.inf])).plus(np.array([3.0]))
    assert some.best == some.on[0] == some.off[1] == -math.inf
    assert some.on[1] == pytest.approx(4.0)
    assert some.off[0] == pytest.approx(5.0)
    assert some.on[1] >= 4.0


def test_reasons_of_a_problem_that_minimises_come_with_evidence(monkeypatch):
    """Costs of plus infinity; scores spread evenly over a large table prove nothing."""
    monkeypatch.setattr(layout, "CHOICES", 0)
    rng = np.random.default_rng([8, 3167])
    bare = random_linking(rng)
    scope = np.arange(min(3, bare.decisions.count))
    scores = 1e6 * rng.normal(size=1 << scope.size)
    scores[0] = -math.inf
    problem = attrs.evolve(bare, factors=[AddressedTable(scope, scores)])
    result = gapless.solve(problem, "split-bound")
    assert result.status is Status.INFEASIBLE
    assert result.explanation == tuple(problem.infeasibility())
    assert result.verify(problem), result.certificate


# What is forbidden is no single label.
@pytest.mark.parametrize("case", [624, 3378])
def test_a_loss_that_no_structure_can_make_good_proves_infeasibility(case, monkeypatch):
    """Transitions are no weights, so a verifier has to know by itself how little a labelling can score."""
    monkeypatch.setattr(layout, "CHOICES", 0)
    rng = np.random.default_rng([7, case])
    bare = random_chain(rng)
    problem = attrs.evolve(bare, factors=[TIERS["stars"](rng, bare.decisions, "ties")])
    result = gapless.solve(problem, "split-bound")
    assert result.status is Status.INFEASIBLE
    assert not problem.infeasibility()
    verdict = result.verify(problem)
    assert verdict, verdict.reason
    assert verdict.bound == -math.inf


@pytest.mark.parametrize("certificate", [True, False])
@pytest.mark.parametrize("own", [-1e11, -1e13, -1e100])
def test_structures_that_score_less_than_a_loss_are_not_denied(own, certificate, monkeypatch):
    """A user's maximiser may give own scores of any size: they are not known to be less than the loss."""
    listed = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]], bool)
    forbidden = Conjunctions([(0, 2), (0, 3)], [-math.inf, -math.inf])
    problem = Choices(np.zeros(4), ((0, 1), (2, 3)), listed, np.array([0.0, own, 0.0]), factors=[forbidden])
    monkeypatch.setattr(layout, "CHOICES", 0)
    result = gapless.solve(problem, "split-bound", certificate=certificate)
    assert result.status is (Status.OPTIMAL if own > -3.2e13 else Status.NO_SOLUTION)
    assert result.bound >= own
    assert not certificate or result.verify(problem)


class Checked(Choices):
    """Bounds of its own on what is listed."""

    def verifier_backbone_bounds(self, weights, fixings):
        allowed = [
            float(weights[row].sum() + own)
            for row, own in zip(self.listed, self.own, strict=True)
            if fixings.allows(np.flatnonzero(row))
        ]
        return CheckedBounds(max(allowed, default=-math.inf))


def test_a_verifier_knows_no_limit_of_own_scores_that_nobody_promised():
    listed = np.array([[1, 0, 1, 0], [0, 1, 0, 1]], bool)
    few = Conjunctions([(0, 3)], [-1.0])
    problem = Checked(np.zeros(4), ((0, 1), (2, 3)), listed, np.array([-1e14, -2e14]), factors=[few])
    assert SplitCertificate.even(problem).verify(problem).bound >= -1e14
    assert gapless.solve(problem).value == -1e14


def test_evidence_beyond_which_a_held_solution_lies_is_refused():
    problem = random_chain(np.random.default_rng(3))
    result = gapless.solve(problem, "split-bound")
    assert result.verify(problem)
    forged = attrs.evolve(result, certificate=Denial())
    verdict = forged.verify(problem)
    assert not verdict
    assert "beyond which solutions[0] lies" in verdict.reason


@attrs.frozen
class Denial(Certificate):
    """Proves that there is nothing, whatever there is."""

    kind = "denial"

    def verify(self, problem, fixings=None):
        return Verdict(True, "nothing is feasible", "", -math.inf)
