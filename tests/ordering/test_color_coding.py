"""The method ``color-coding``: how many colours and colourings, what it finds and says, and how often it fails."""

import math
import time
from fractions import Fraction

import attrs
import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given
from scipy.stats import binom

import gapless
from gapless import Limits, Status, Stop, UnknownOption
from gapless.roles import OracleError, ProbabilisticCertificate
from gapless_kernels import COMPILED
from gapless_ordering import OrderingProblem
from gapless_ordering.colorful import BLOCK, Colorings, choose_colors, success_probability, trials_for
from gapless_ordering.enumeration import best_paths
from gapless_ordering.random_problems import (
    few_classes,
    metric,
    random_problem,
    small_integers,
    summary_like,
    title_like,
)

pytestmark = pytest.mark.skipif(not COMPILED, reason="GAPLESS_PURE=1: thousands of colourings")
EXTRA = {"colorings", "colors", "success", "found_at"}


def same(value, other):
    return value == pytest.approx(other, rel=1e-9, abs=1e-9)


# --- the formula


def exactly(colors, length):
    """``r! / ((r - k)! r^k)`` as a fraction."""
    return Fraction(math.perm(colors, length), colors**length)


@pytest.mark.parametrize(("length", "colors"), [(1, 1), (3, 3), (5, 6), (8, 10), (10, 12), (13, 16)])
def test_number_of_colors_minimises_the_running_time(length, colors):
    cost = {r: Fraction(2**r) / exactly(r, length) for r in range(length, 2 * length + 1)}
    assert min(cost, key=cost.get) == colors == choose_colors(length, 1000)


@pytest.mark.parametrize("length", range(1, 26))
def test_number_of_colors_with_few_classes(length):
    """With as many colours as classes one colouring is enough, and costs ``2^r``."""
    for classes in range(length, 2 * length + 3):
        cost = {
            r: Fraction(2**r) / (1 if r == classes else exactly(r, length))
            for r in range(length, min(2 * length, classes) + 1)
        }
        assert cost[choose_colors(length, classes)] == min(cost.values())


@pytest.mark.parametrize("length", [1, 2, 5, 13, 25])
def test_success_probability(length):
    for colors in range(length, 2 * length + 1):
        assert success_probability(colors, length) == pytest.approx(float(exactly(colors, length)), rel=1e-12)


@pytest.mark.parametrize("failure", [0.5, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize(("colors", "length"), [(2, 2), (3, 3), (6, 5), (10, 8)])
def test_number_of_colorings(failure, colors, length):
    """The smallest that is enough, in exact arithmetic."""
    miss = 1 - exactly(colors, length)
    trials = trials_for(failure, success_probability(colors, length))
    assert miss**trials <= Fraction(failure) < miss ** (trials - 1)
    assert trials <= math.ceil(math.log(1 / failure) / float(1 - miss))


def test_colorings_depend_on_seed_and_number():
    colorings = Colorings(5, 3, 7)
    assert colorings.block(4).shape == (BLOCK, 5)
    np.testing.assert_array_equal(colorings.block(4), Colorings(5, 3, 7).block(4))
    assert (colorings.block(4) != colorings.block(5)).any()
    assert (colorings.block(4) != Colorings(5, 3, 8).block(4)).any()
    drawn = np.concatenate([colorings.block(number) for number in range(300)]).ravel()
    counts = np.bincount(drawn, minlength=3)
    assert counts.size == 3
    assert np.abs(counts - drawn.size / 3).max() < 6 * math.sqrt(drawn.size * 2 / 9)


# --- what it finds


@seeing("OPTIMAL", "LIKELY_OPTIMAL", "INFEASIBLE")
@examples(80)
@given(rng=generators())
def test_small_instances(seen, rng):
    """With bounds and without: the best path, but for the stated failure, and true bounds."""
    problem = random_problem(rng)
    best = best_paths(problem)
    for options in ({}, {"bounds": False}):
        result = gapless.solve(problem, "color-coding", seed=int(rng.integers(1000)), failure=1e-9, **options)
        seen[result.status.name] += 1
        assert set(result.stats.extra) == EXTRA
        if not best:
            assert not result.solutions
            assert result.explanation
            continue
        assert problem.violations(result.best) == []
        assert same(result.value, best[0].value)
        assert result.bound >= best[0].value - 1e-9 * max(1.0, abs(best[0].value))
        assert result.verify(problem)
        if result.status is Status.LIKELY_OPTIMAL:
            assert result.stop is Stop.ITERATIONS
            assert result.certificate.failure_probability <= 1e-9


def test_each_class_of_its_own_colour_is_a_proof():
    problem = few_classes(100, 9, 0)
    result = gapless.solve(problem, "color-coding", bounds=False)
    assert (result.status, result.stop) == (Status.OPTIMAL, Stop.PROVED)
    assert result.stats.extra["colors"] == problem.class_count == 14
    assert (result.stats.extra["success"], result.stats.iterations) == (1.0, 1)
    assert same(gapless.solve(problem, "color-coding", colors=30).value, result.value)


def test_instances_with_walks_and_without_paths():
    """Every second vertex of the only walk is of one class: infeasible where that is proved, else nothing found."""
    edges = np.where(np.subtract.outer(np.arange(9), np.arange(9)) == -1, 0.0, -np.inf)
    problem = OrderingProblem(np.zeros(9), edges, np.zeros(9), 4, classes=[0, 1, 0, 2, 0, 3, 0, 4, 0])
    result = gapless.solve(problem, "color-coding", bounds=False)
    assert (result.status, result.stats.extra["colors"]) == (Status.INFEASIBLE, 5)
    assert result.explanation == ("no colourful path in 1 colouring: each class had a colour of its own",)
    assert result.verify(problem)
    bounded = gapless.solve(problem, "color-coding")
    assert bounded.status is Status.INFEASIBLE
    assert bounded.explanation == ("no walk of 4 vertices visits each class at most once",)
    assert bounded.verify(problem)
    result = gapless.solve(problem, "color-coding", trials=5, colors=4, bounds=False)
    assert (result.status, result.stop) == (Status.NO_SOLUTION, Stop.ITERATIONS)
    assert result.explanation == ("no colourful path in 5 colourings",)


def test_infeasible_instances_say_why():
    problem = OrderingProblem(np.zeros(2), np.zeros((2, 2)), np.zeros(2), 3)
    for options in ({}, {"bounds": False}):
        result = gapless.solve(problem, "color-coding", **options)
        assert result.status is Status.INFEASIBLE
        assert "fewer than the length 3" in result.explanation[0]


# --- seeds, jobs, limits


@pytest.mark.parametrize("options", [{"bounds": False}, {}])
def test_answers_do_not_depend_on_the_number_of_threads(options):
    """Also where bounds leave something to be found: distances in the plane."""
    improved = 0
    for problem in (title_like(40, 6, 1), small_integers(25, 5, 3), metric(40, 8, 0), metric(40, 8, 1)):
        alone, many = (
            gapless.solve(problem, "color-coding", seed=0, jobs=jobs, trials=100, **options) for jobs in (1, 3)
        )
        assert (alone.status, alone.stop, alone.value) == (many.status, many.stop, many.value)
        np.testing.assert_array_equal(alone.best, many.best)
        assert alone.stats.extra == many.stats.extra
        improved += alone.stats.extra["found_at"] > 1
    assert improved > 0


def test_bounds_change_no_answer():
    """The answer of the plain algorithm is found in the same colouring, unless it was known before."""
    later = 0
    for seed in range(20):
        problem = title_like(25, 5, seed)
        plain = gapless.solve(problem, "color-coding", seed=seed, bounds=False, failure=1e-6)
        bounded = gapless.solve(problem, "color-coding", seed=seed, failure=1e-6)
        assert same(bounded.value, plain.value)
        later += plain.stats.extra["found_at"] > 1
    assert later > 5


def test_seeds_change_the_colorings():
    problem = title_like(40, 6, 0)
    found = {
        gapless.solve(problem, "color-coding", seed=seed, bounds=False).stats.extra["found_at"]
        for seed in range(10)
    }
    assert len(found) > 3


@pytest.mark.parametrize("iterations", [0, 1, 7, 40])
@pytest.mark.parametrize("jobs", [1, 2])
def test_iterations_are_colorings(iterations, jobs):
    problem = title_like(40, 6, 0)
    limits = Limits(iterations=iterations)
    result = gapless.solve(problem, "color-coding", bounds=False, limits=limits, jobs=jobs)
    assert result.stop is Stop.ITERATIONS
    assert result.stats.extra["colorings"] == iterations
    if result.solutions:
        # So few colourings make nothing likely; how likely is said.
        assert result.status is Status.FEASIBLE
        missed = ProbabilisticCertificate(iterations, 7, 6).failure_probability
        assert f"stopped after {iterations} of" in result.explanation[-1]
        assert result.explanation[-1].endswith(f"{missed:.2g}")
        assert result.verify(problem)
    else:
        assert result.status is Status.NO_SOLUTION


@pytest.mark.parametrize("jobs", [1, 2])
def test_limits_are_heard_inside_a_colouring(jobs):
    """One colouring of these takes seconds."""
    problem = metric(250, 15, 0)
    began = time.process_time()
    result = gapless.solve(problem, "color-coding", bounds=False, limits=Limits(time=0.2), jobs=jobs)
    assert time.process_time() - began < 4
    assert result.stop is Stop.TIME


def test_a_likely_answer_has_evidence_for_its_bound():
    problem = metric(60, 9, 1)
    result = gapless.solve(problem, "color-coding", trials=3)
    assert result.status is Status.LIKELY_OPTIMAL
    assert result.bound < math.inf
    assert result.verify(problem)
    assert "optimal except with probability" in result.verify(problem).reason
    again = gapless.Result.from_json(result.to_json())
    assert again.verify(problem)
    lower = attrs.evolve(again, bound=(result.value + result.bound) / 2)
    assert not lower.verify(problem)
    without = attrs.evolve(result, certificate=attrs.evolve(result.certificate, evidence=None))
    assert not without.verify(problem)


def test_every_limit_leaves_the_best_so_far():
    problem = title_like(40, 6, 0)
    best = gapless.solve(problem, "color-coding", bounds=False, failure=1e-9).value
    nothing = gapless.solve(problem, "color-coding", bounds=False, limits=Limits(time=0.0))
    assert (nothing.status, nothing.stop) == (Status.NO_SOLUTION, Stop.TIME)
    target = gapless.solve(problem, "color-coding", bounds=False, limits=Limits(target=best - 2.0))
    assert target.stop is Stop.TARGET
    assert best - 2.0 <= target.value <= best
    assert target.stats.iterations == BLOCK
    near = gapless.solve(summary_like(60, 10, 3), "color-coding", limits=Limits(relative_gap=0.5))
    assert near.stop in (Stop.GAP, Stop.PROVED)
    assert near.gap <= 0.5 * abs(near.value)


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_leaves_the_best_so_far(jobs):
    def press(event):
        if event.kind == "round" and event.details["colorings"] >= 2 * BLOCK:
            raise KeyboardInterrupt

    problem = title_like(40, 6, 0)
    result = gapless.solve(problem, "color-coding", bounds=False, jobs=jobs, observers=[press])
    assert (result.status, result.stop) == (Status.FEASIBLE, Stop.INTERRUPTED)
    assert f"stopped after {2 * BLOCK} of" in result.explanation[-1]


@pytest.mark.parametrize("kind", ["incumbent", "round"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_observer_that_fails_leaves_the_best_so_far(kind, jobs):
    def fail(event):
        if event.kind == kind and event.value > -math.inf:
            raise RuntimeError("no room on the disk")

    with pytest.raises(OracleError, match="no room on the disk") as caught:
        gapless.solve(title_like(40, 6, 0), "color-coding", bounds=False, jobs=jobs, observers=[fail])
    held = caught.value.result
    assert (held.status, held.stop) == (Status.FEASIBLE, Stop.ERROR)


def test_observers_see_better_and_better_paths():
    seen = []
    result = gapless.solve(title_like(40, 6, 0), "color-coding", bounds=False, observers=[seen.append])
    better = [event for event in seen if event.kind == "incumbent"]
    values = [event.value for event in better]
    assert values == sorted(set(values))
    assert same(values[-1], result.value)
    assert better[-1].details["coloring"] == result.stats.extra["found_at"]
    assert seen[-1].kind == "stop"


# --- options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"failure": 0.0}, "failure is 0.0"),
        ({"failure": 1}, "failure is 1"),
        ({"failure": "small"}, "failure is 'small'"),
        ({"trials": 0}, "trials is 0"),
        ({"trials": 1.5}, "trials is 1.5"),
        ({"colors": 2}, "colors is 2, it must be from the length of the path, 3, to 32"),
        ({"colors": 33}, "colors is 33"),
        ({"jobs": 0}, "jobs is 0"),
        ({"seed": -1, "bounds": False}, "seed is -1"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(UnknownOption, match=message):
        gapless.solve(title_like(10, 3, 0), "color-coding", **options)


def test_states_that_do_not_fit_end_the_search(monkeypatch):
    """The best so far is returned when neither the listed states nor the table fit."""
    monkeypatch.setattr("gapless_ordering.colorful.MOST_BYTES", 0)
    monkeypatch.setattr("gapless_ordering.colorful._MOST_STATES", 20)
    problem = metric(40, 8, 0)
    result = gapless.solve(problem, "color-coding")
    assert (result.status, result.stop, result.stats.iterations) == (Status.FEASIBLE, Stop.NODES, 0)
    assert result.explanation == ("one colouring has more states than fit: stopped before it",)
    assert result.value <= gapless.solve(problem).value <= result.bound


def test_no_memory_is_an_error(monkeypatch):
    def full(*arguments):
        raise MemoryError("no room")

    monkeypatch.setattr("gapless_ordering.colorful.color_coding_search", full)
    with pytest.raises(gapless.SolveError, match="no room; give fewer colors"):
        gapless.solve(title_like(10, 3, 0), "color-coding", bounds=False)


def test_tables_that_do_not_fit_are_refused():
    problem = title_like(60, 20, 0)
    with pytest.raises(UnknownOption, match=r"28 colours and 60 vertices takes .* GiB, more than 8"):
        gapless.solve(problem, "color-coding", bounds=False, colors=28)
    with pytest.raises(UnknownOption, match="at most 32 colours, a path of 33 vertices needs more"):
        gapless.solve(small_integers(60, 33, 0), "color-coding", bounds=False)


# --- how often it fails


def instances_with_one_optimum(length):
    """Instances with more classes than colours, each with the value of its only best path."""
    rng = np.random.default_rng(11)
    while True:
        problem = random_problem(rng, 7, length, scores="normal", forbidden=0.1, layered=0.0)
        best = best_paths(problem, 2)
        if problem.class_count > length and len(best) == 2 and best[0].value - best[1].value > 1e-6:
            yield problem, best[0].value


@pytest.mark.parametrize(("failure", "length"), [(0.05, 3), (0.2, 4)])
def test_failures_are_as_frequent_as_stated(failure, length):
    """2,500 runs for each probability: no more failures than it allows, and as many as the formula says."""
    runs, failed = 2500, 0
    instances = instances_with_one_optimum(length)
    for seed in range(runs):
        if seed % 25 == 0:
            problem, best = next(instances)
        result = gapless.solve(problem, "color-coding", seed=seed, failure=failure, bounds=False, colors=length)
        failed += not (result.solutions and same(result.value, best))
    success = result.stats.extra["success"]
    stated = (1.0 - success) ** trials_for(failure, success)
    assert stated <= failure
    assert binom.sf(failed - 1, runs, failure) > 1e-6
    assert binom.sf(failed - 1, runs, stated) > 1e-6
    assert binom.cdf(failed, runs, stated) > 1e-6
