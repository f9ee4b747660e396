"""What a search claims is what its certificate proves, at limits and where the problem itself knows the answer."""

import math

import attrs
import numpy as np
import pytest

import gapless
import gapless_kernels
from gapless import Limits, Status, Stop
from gapless.core.proofs.checked_bounds import CheckedBounds
from gapless.engine import search as readable
from gapless.roles import NoCertificate
from gapless.search import driver, layout
from gapless.testing.enumeration import feasible_structures
from gapless.testing.random_factors import TightBudget, random_factors
from gapless_chains.specimens import random_chain
from gapless_ordering.specimens import random_ordering_with_factors

SEARCHES = ["readable", *["compiled"] * gapless_kernels.COMPILED]


def path(*seed):
    """A path with factors: its decisions are in no choice group, and walks bound them."""
    return random_ordering_with_factors(np.random.default_rng(seed))


@pytest.fixture(params=SEARCHES)
def search(request, monkeypatch):
    """The search that runs, compiled or readable."""
    if request.param == "readable" and gapless_kernels.COMPILED:
        monkeypatch.setattr(driver, "kernels", readable)
        monkeypatch.setattr(gapless_kernels, "COMPILED", False)
    return request.param


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

    monkeypatch.setattr(driver, "advance", interrupted)
    result = gapless.solve(problem, "split-bound")
    assert result.stop is Stop.INTERRUPTED
    assert result.explanation[0] == problem.infeasibility()[0]


def test_no_search_where_even_scores_are_evidence(monkeypatch):
    monkeypatch.setattr(layout.Layout, "evenly", lambda _: Always())
    result = gapless.solve(path(79, 155), "split-bound")
    assert (result.status, result.stats.nodes) == (Status.INFEASIBLE, 0)


def test_relaxed_diagrams_are_bounds_for_the_readable_search(monkeypatch):
    """Their best configuration need not be worth what they promise; that ended in an error."""
    monkeypatch.setattr(driver, "kernels", readable)
    monkeypatch.setattr(gapless_kernels, "COMPILED", False)
    relaxed = 0
    for case in range(40):
        rng = np.random.default_rng([2, case])
        bare = random_chain(rng)
        problem = attrs.evolve(
            bare, factors=random_factors(rng, bare.decisions, tiers=("relaxed diagram", "pairs"))
        )
        relaxed += sum(isinstance(factor, TightBudget) for factor in problem.factors)
        result = gapless.solve(problem, "split-bound")
        best = max((f.score for f in feasible_structures(problem)), default=-math.inf)
        assert result.proved
        assert result.bound == pytest.approx(best, rel=1e-9, abs=1e-9)
        assert result.verify(problem)
    assert relaxed > 20


class Always(gapless.roles.BoundCertificate):
    """Evidence for anything."""

    factors = True

    def upper_bound(self, problem, fixings):
        return -math.inf


def test_nothing_more_than_nothing_is_nothing():
    some = CheckedBounds(-math.inf, np.array([-math.inf, 1.0]), np.array([2.0, -math.inf])).plus(np.array([3.0]))
    assert some.best == some.on[0] == some.off[1] == -math.inf
    assert some.on[1] == pytest.approx(4.0)
    assert some.off[0] == pytest.approx(5.0)
    assert some.on[1] >= 4.0
