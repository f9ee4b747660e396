"""Pairs of a backbone and a kind of factor: what is wrong is found, and forged answers are refused."""

import itertools
import math

import attrs
import numpy as np
import pytest
from drawn import long

import gapless
from gapless import Result, Stop
from gapless.errors import GaplessError
from gapless.plugins import load_plugins
from gapless.roles import BoundCertificate, Method, Registry, SelftestInstances, serialisable
from gapless.search import driver, layout
from gapless.search.solving import solve_problem
from gapless.testing.addressed import AddressedTable
from gapless.testing.campaign import ENUMERATED, enumeration_limit, readable_search, try_pairs
from gapless.testing.choices import Choices, all_choices, named, random_choices
from gapless.testing.conformance import Check, ConformanceError
from gapless.testing.enumeration import feasible_structures
from gapless.testing.forgery import forge
from gapless.testing.listed_instances import KINDS, listed_instance

CHOICES = SelftestInstances(Choices, random_choices, structures=all_choices, named=named)


def specimens():
    plugins = load_plugins()
    return plugins.registry, [one for several in plugins.hook.gapless_selftest_instances() for one in several]


def mistakes(tallies):
    return [(t.backbone, t.factors, m.case, m.reason) for t in tallies for m in t.mistakes]


def summed(tallies, name):
    return sum(getattr(tally, name) for tally in tallies)


@pytest.mark.parametrize(("cases", "scip_cases", "forged_cases"), [(200, 4, 60), long(6000, 100, 1000)])
def test_every_pair(cases, scip_cases, forged_cases):
    registry, every = specimens()
    tallies, interrupted = try_pairs(
        registry, every, cases=cases, seed=3, scip_cases=scip_cases, forged_cases=forged_cases
    )
    assert mistakes(tallies) == []
    assert not interrupted
    assert summed(tallies, "instances") == cases
    assert summed(tallies, "by_scip") == scip_cases
    assert summed(tallies, "forged") == forged_cases
    assert summed(tallies, "refused") > 0.7 * forged_cases
    assert summed(tallies, "verified") >= cases
    assert {tally.factors for tally in tallies} == set(KINDS)
    backbones = {tally.backbone for tally in tallies}
    for words in ("chain", "tree", "segments", "arborescence", "projective parse", "linking", "ordering"):
        assert words in backbones
    assert {"choice groups", "a maximiser in Python", "labelled arborescence"} <= backbones


def registered(run):
    registry = Registry()
    registry.problem("choices", Choices)
    registry.method(Method("split-bound", Choices, run, supports_factors=True, k_best=True))
    return registry


def tried(run, cases=30):
    tallies, _ = try_pairs(registered(run), [CHOICES], cases=cases, seed=0)
    return mistakes(tallies)


def wrong(change):
    def run(problem, solve, *, order="best-first"):
        return change(problem, solve_problem(problem, solve, order=order))

    return run


def second(problem, result):
    ranked = sorted(all_choices(problem), key=problem.value)
    if len(ranked) < 2 or result.stop is not Stop.PROVED:
        return result
    value = problem.value(ranked[-2])
    return Result.of(problem, [ranked[-2]], value, Stop.PROVED, certificate=result.certificate)


def too_low(problem, result):
    if not result.solutions:
        return result
    return Result.of(problem, [], result.value - 1.0, Stop.NODES, certificate=result.certificate)


def nothing_found(problem, result):
    return Result.of(problem, [], -math.inf, Stop.PROVED, certificate=result.certificate)


def gives_up(problem, result):
    return Result.of(problem, [s.structure for s in result.solutions], math.inf, Stop.ERROR)


def slips(problem, result):
    raise ZeroDivisionError("a slip")


@pytest.mark.parametrize("change", [second, too_low, nothing_found, gives_up, slips], ids=lambda c: c.__name__)
def test_a_wrong_answer_is_found(change):
    assert len(tried(wrong(change))) > 5


def test_a_right_answer_is_no_mistake():
    assert not tried(wrong(lambda problem, result: result))


def test_instances_depend_on_seed_and_number():
    def scores(cases, seed):
        seen = []

        def run(problem, solve, *, order="best-first"):
            seen.append(problem.weights.tobytes())
            return solve_problem(problem, solve, order=order)

        try_pairs(registered(run), [CHOICES], cases=cases, seed=seed)
        return list(dict.fromkeys(seen))

    few, more = scores(5, 0), scores(9, 0)
    assert more[: len(few)] == few
    assert scores(5, 1) != few


def test_ctrl_c_keeps_what_was_done():
    count = itertools.count()

    def run(problem, solve, *, order="best-first"):
        if next(count) > 20:
            raise KeyboardInterrupt
        return solve_problem(problem, solve, order=order)

    tallies, interrupted = try_pairs(registered(run), [CHOICES], cases=99, seed=0)
    assert interrupted
    assert 0 < summed(tallies, "instances") <= 21


def test_specimens_that_cannot_be_drawn_are_named():
    broken = attrs.evolve(CHOICES, draw=lambda rng: 1 / 0)
    with pytest.raises(GaplessError, match="specimens of Choices with none, case 0: ZeroDivisionError"):
        try_pairs(registered(solve_problem), [broken], cases=3, seed=0)


def test_a_problem_that_scores_otherwise_than_its_parts_is_found():
    class Off(Choices):
        def value(self, structure):
            return super().value(structure) + (1.0 if self.factors else 0.0)

    problem = Off(np.zeros(2), factors=[gapless.factors.Or((0, 1), 2.0)])
    structures = list(all_choices(problem))
    known = listed_instance(problem, structures, np.array([0.0, 2.0, 2.0, 2.0]))
    with pytest.raises(ConformanceError, match="a structure scores what its parts do"):
        known.check_scores()


@serialisable("tests.Trusting")
@attrs.frozen
class Trusting(BoundCertificate):
    """Believes its own field, as no certificate should."""

    factors = True
    claimed: float

    def upper_bound(self, problem, fixings):
        return self.claimed


def test_a_certificate_that_trusts_its_fields_is_found():
    problem = Choices(np.array([1.0, 2.0]))
    known = listed_instance(problem, list(all_choices(problem)), np.array([0.0, 1.0, 2.0, 3.0]))
    best = np.array([0, 1])
    honest = gapless.solve(problem, "split-bound")
    trusting = Result.of(problem, [], 3.0, Stop.NODES, certificate=Trusting(3.0))
    assert problem.value(best) == known.best
    rng, check = np.random.default_rng(0), Check("forged")
    refused = [forge(check, known, known, honest, rng) for _ in range(200)]
    assert 0.5 < np.mean(refused) < 1.0
    with pytest.raises(ConformanceError, match=r"but 3\.0 is feasible"):
        np.mean([forge(check, known, known, trusting, rng) for _ in range(200)])


def test_an_answer_to_another_problem_is_refused():
    small, large = Choices(np.array([1.0, 2.0])), Choices(np.array([5.0, 5.0]))
    one = listed_instance(small, [np.array([0, 1])], np.array([3.0]))
    other = listed_instance(large, [np.array([0, 1])], np.array([10.0]))
    answer = gapless.solve(small, "split-bound")
    assert not answer.verify(large)
    rng = np.random.default_rng(1)
    assert np.mean([forge(Check("forged"), one, other, answer, rng) for _ in range(100)]) > 0.5


def test_the_switches_are_put_back():
    before = layout.CHOICES, driver.NodeSearch
    with enumeration_limit(ENUMERATED[0]), readable_search():
        assert (layout.CHOICES, driver.NodeSearch) != before
    assert (layout.CHOICES, driver.NodeSearch) == before


def test_a_factor_by_address_is_its_table():
    scores = np.array([0.0, 1.0, -math.inf, 4.0])
    problem = Choices(np.array([0.5, -3.0, 1.0]), factors=[AddressedTable([0, 2], scores)])
    best = max(feasible_structures(problem), key=lambda f: f.score)
    result = gapless.solve(problem, "split-bound")
    assert result.best.tolist() == best.on_ids.tolist() == [0, 2]
    assert result.value == 5.5
    assert result.verify(problem)
    on = np.array([True, True])
    assert problem.factors[0].best(np.array([0.5, 1.0]))[0] == problem.factors[0].value(on) + 1.5
