"""The method exact beyond small instances: limits, Ctrl-C, observers, k best, starts, and its certificates."""

import itertools
import math
import time

import attrs
import numpy as np
import patience
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless
from gapless import InvalidProblem, Limits, SolveError, Status, Stop, UnknownOption
from gapless.arrays.tolerance import score_tolerance
from gapless.roles import Fixings, OracleError
from gapless_kernels import COMPILED, color_coding_search
from gapless_ordering import OrderingProblem
from gapless_ordering.certificate import WalkCertificate
from gapless_ordering.enumeration import all_paths
from gapless_ordering.random_problems import FAMILIES, metric, random_problem, summary_like, title_like

compiled = pytest.mark.skipif(not COMPILED, reason="the NumPy twin has no such passes, or takes minutes")


def hard():
    """Takes more than ten seconds: long paths among points of a square."""
    return metric(40, 25, 1)


def checked(problem, result):
    """Value and certificate hold, whatever the status."""
    verdict = result.verify(problem)
    assert verdict, verdict
    assert not result.solutions or result.value <= result.bound + score_tolerance(result.bound)
    return result


@compiled
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_is_proved_and_verified(family):
    problem = FAMILIES[family](60, 8, 1)
    assert checked(problem, gapless.solve(problem)).status is Status.OPTIMAL


@compiled
@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"few-classes"}))
@pytest.mark.parametrize(("n", "length"), [(420, 13), (600, 6), (700, 5)])
def test_large_graphs_are_read_in_part_then_coarsely_then_whole(family, n, length):
    """The judge gives each of a dozen classes a colour of its own: no bounds, no multipliers."""
    drawn = FAMILIES[family](n, length, 2)
    groups = np.random.default_rng(n).integers(0, 14, n)
    groups[:14] = np.arange(14)
    problem = OrderingProblem(drawn.start, drawn.ordering, drawn.end, min(length, 6), classes=groups)
    values, _ = color_coding_search(
        problem.start,
        problem.ordering,
        problem.end,
        problem.classes,
        problem.length,
        np.arange(14, dtype=np.uint8)[None],
        14,
    )
    for result in (checked(problem, gapless.solve(problem)), gapless.solve(drawn)):
        assert result.status is Status.OPTIMAL
    assert gapless.solve(problem).value == pytest.approx(values[0], rel=1e-12, abs=1e-12)


@compiled
def test_walks_that_remember_close_what_multipliers_leave():
    problem = metric(100, 12, 0)
    result = checked(problem, gapless.solve(problem))
    assert result.status is Status.OPTIMAL
    assert result.stats.extra["passes"] > 5
    # Read from both ends, the scores are the same.
    turned = OrderingProblem(problem.end, problem.ordering.T, problem.start, problem.length)
    assert gapless.solve(turned).value == pytest.approx(result.value, rel=1e-12)


@compiled
@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.1])
def test_a_time_limit_keeps_the_best_path_and_a_bound_that_can_be_checked(seconds):
    problem = hard()
    began = time.process_time()
    result = gapless.solve(problem, limits=Limits(time=seconds))
    assert time.process_time() - began < seconds + 2
    assert result.stop is Stop.TIME
    checked(problem, result)
    assert math.isfinite(result.bound)
    assert result.gap > 0  # infinite when there was no time for a path


@compiled
def test_longer_limits_do_not_give_worse_bounds():
    problem = hard()
    bounds = [gapless.solve(problem, limits=Limits(iterations=n)).bound for n in (1, 20, 60, 120)]
    assert bounds == sorted(bounds, reverse=True)


@compiled
def test_gap_target_and_memory_limits():
    problem = hard()
    near = checked(problem, gapless.solve(problem, limits=Limits(relative_gap=0.9)))
    assert near.stop is Stop.GAP
    assert near.gap <= 0.9 * max(1.0, abs(near.value))
    goal = near.value - 0.3
    reached = gapless.solve(problem, limits=Limits(target=goal))
    assert reached.stop is Stop.TARGET
    assert reached.value >= goal
    small = checked(problem, gapless.solve(problem, memory_limit=1e5))
    assert small.stop is Stop.NODES
    assert "memory_limit" in small.explanation[0]


@compiled
def test_ctrl_c_returns_the_best_path_so_far():
    problem = hard()
    with patience.ctrl_c_after(0.1):
        result = gapless.solve(problem)
    assert result.stop is Stop.INTERRUPTED
    assert result.solutions
    checked(problem, result)


@compiled
def test_ctrl_c_in_a_batch_keeps_what_is_finished():
    easy = [title_like(40, 4, seed) for seed in range(3)]
    with patience.ctrl_c_after(0.3):
        batch = gapless.solve_many([*easy, hard(), *easy])
    assert [batch.statuses[i] for i in range(3)] == [Status.OPTIMAL] * 3
    assert batch.statuses[4:] == [None] * 3
    assert batch[3].stop is Stop.INTERRUPTED
    assert batch[5].stop is Stop.INTERRUPTED


@compiled
@pytest.mark.parametrize("limits", [Limits(), Limits(nodes=10)])
def test_a_batch_says_of_each_problem_why_it_ended(limits):
    problems = [title_like(30, 4, 0), hard(), title_like(30, 4, 1)]
    batch = gapless.solve_many(problems, limits=limits, memory_limit=1e5)
    assert batch.statuses == [Status.OPTIMAL, Status.FEASIBLE, Status.OPTIMAL]
    single = gapless.solve(problems[1], limits=limits, memory_limit=1e5)
    assert (batch[1].stop, batch[1].explanation) == (single.stop, single.explanation)
    assert batch[1].stop is Stop.NODES


@compiled
@pytest.mark.parametrize("k", [2**61, 2**62, 2**64])
def test_more_paths_than_memory_can_hold(k):
    with pytest.raises(SolveError, match="no memory"):
        gapless.solve(title_like(12, 2, 0), k=k)


@compiled
def test_an_observer_that_fails_never_ends_as_optimal():
    def fail(event):
        if event.kind == "bound":
            raise RuntimeError("no room on the disk")

    problem = hard()
    with pytest.raises(OracleError, match="no room on the disk") as caught:
        gapless.solve(problem, observers=[fail])
    held = caught.value.result
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert (held.status, held.stop) == (Status.FEASIBLE, Stop.ERROR)
    assert math.isfinite(checked(problem, held).bound)


def test_starts():
    problem = title_like(30, 5, 4)
    best = gapless.solve(problem)
    again = gapless.solve(problem, start=best.best)
    assert again.value == best.value
    assert again.stats.warm_start_used
    with pytest.raises(InvalidProblem, match="start: the structure is infeasible: the path has 2 vertices"):
        gapless.solve(problem, start=np.array([0, 1]))


@examples(3)
@given(rng=generators())
def test_lists_longer_than_there_are_paths(rng):
    """Paths of 4 of 7 vertices with ties: 840, of which lists of 840 and of 1000 leave out none."""
    problem = OrderingProblem(
        rng.integers(-2, 3, 7).astype(float),
        rng.normal(size=(7, 7)).round(1),
        rng.integers(-1, 2, 7).astype(float),
        4,
    )
    every = sorted((problem.value(np.array(p)) for p in itertools.permutations(range(7), 4)), reverse=True)
    for k in (25, 840, 1000):
        result = checked(problem, gapless.solve(problem, k=k))
        assert [s.value for s in result.solutions] == pytest.approx(every[:k])
        assert len({tuple(s.structure) for s in result.solutions}) == min(k, 840)


@compiled
def test_k_best_of_a_large_graph_begins_with_the_best():
    problem = summary_like(300, 9, 0)
    result = checked(problem, gapless.solve(problem, k=20))
    assert result.value == gapless.solve(problem).value
    assert len(result.solutions) == 20


def test_infeasible_although_walks_exist():
    ordering = np.full((3, 3), -np.inf)
    ordering[0, 1] = ordering[1, 0] = 1.0
    ordering[0, 2] = 0.0
    problem = OrderingProblem([0.0, -np.inf, -np.inf], ordering, [0.0, 0.0, -np.inf], 3)
    result = gapless.solve(problem)
    assert result.status is Status.INFEASIBLE
    assert any("classes" in line or "visits a class twice" in line for line in result.explanation)
    assert result.verify(problem)


@pytest.mark.parametrize("shift", [1e3, -1e6])
def test_a_constant_on_every_edge_changes_nothing(shift):
    problem = summary_like(30, 5, 8)
    moved = OrderingProblem(
        problem.start + shift, problem.ordering + shift, problem.end, problem.length, classes=problem.classes
    )
    result, other = gapless.solve(problem), gapless.solve(moved)
    assert other.value == pytest.approx(result.value + shift * problem.length, rel=1e-12)
    assert checked(moved, other).status is Status.OPTIMAL


def test_masks_beside_small_scores():
    problem = title_like(40, 6, 5)
    masked = np.where(problem.ordering > -np.inf, problem.ordering, -1e9)
    finite = OrderingProblem(problem.start, masked, problem.end, 6, classes=problem.classes)
    assert gapless.solve(finite).value == gapless.solve(problem).value


@pytest.mark.parametrize("mask", [-1e9, -1e12])
@examples(10)
@given(rng=generators())
def test_masks_do_not_make_unequal_paths_equal(rng, mask):
    ordering = rng.integers(0, 2, (9, 9)) + 1e-6 * rng.integers(0, 5, (9, 9))
    ordering[rng.random((9, 9)) < 0.3] = mask
    problem = OrderingProblem(rng.integers(0, 2, 9), ordering, np.zeros(9), 6)
    result = checked(problem, gapless.solve(problem))
    assert result.value == pytest.approx(all_paths(problem)[1].max(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("method", ["exact", "color-coding", "beam"])
@pytest.mark.parametrize("size", [1e6, 1e9, 1e11])
@examples(6)
@given(rng=generators())
def test_large_scores_that_cancel_along_every_path(rng, size, method):
    height = np.round(size * rng.normal(size=7))
    ordering = rng.normal(size=(7, 7)) + height - height[:, None]
    problem = OrderingProblem(rng.normal(size=7) + height, ordering, -height, 5)
    result = checked(problem, gapless.solve(problem, method))
    best = max(problem.value(path) for path in all_paths(problem)[0])
    assert result.bound >= best - score_tolerance(best)
    if method != "beam":
        assert result.status is Status.OPTIMAL
        assert result.value == pytest.approx(best, abs=1e-15 * size)


class TestCertificates:
    @examples(25)
    @given(rng=generators())
    def test_claims_below_the_best_value_are_refused(self, rng):
        problem = random_problem(rng)
        result = gapless.solve(problem)
        evidence = result.certificate
        if not result.solutions:
            return
        lower = attrs.evolve(evidence, level=result.value - 1e-3, claim=result.value - 1e-3)
        verdict = lower.verify(problem)
        assert not verdict or verdict.bound >= result.value - 1e-9
        low = attrs.evolve(evidence, level=-math.inf, claim=-math.inf)
        assert low.verify(problem).bound >= result.value - 1e-9

    @examples(25)
    @given(rng=generators())
    def test_any_multipliers_give_a_true_bound(self, rng):
        problem = random_problem(rng)
        result = gapless.solve(problem)
        if not result.solutions:
            return
        m = problem.class_count
        count = int(rng.integers(0, 6))
        memory = np.stack([rng.integers(problem.vertices, size=count), rng.integers(m, size=count)], axis=1)
        forged = WalkCertificate(
            result.value - rng.exponential(),
            result.value - rng.exponential(),
            [0, m, 2 * m],
            np.tile(np.arange(m), 2),
            rng.exponential(2.0, 2 * m),
            memory if rng.random() < 0.5 else None,
            bool(rng.random() < 0.5),
        )
        assert forged.upper_bound(problem, Fixings.none(problem.decisions.count)) >= result.value - 1e-9

    @pytest.mark.parametrize("size", [1e14, 1e17, 1e20, 1e300])
    @pytest.mark.parametrize("exhaustive", [False, True])
    def test_huge_multipliers_hide_no_scores(self, size, exhaustive):
        problem = OrderingProblem([5, 1, 2], np.ones((3, 3)), np.zeros(3), 3)
        for level in (-math.inf, 3.0):
            forged = WalkCertificate(level, 3.0, [0, 3, 6], [0, 1, 2] * 2, np.full(6, size), None, exhaustive)
            assert forged.verify(problem).bound >= 7.0

    @examples(25)
    @given(rng=generators())
    def test_it_bounds_paths_under_fixings(self, rng):
        problem = random_problem(rng)
        result = gapless.solve(problem)
        if not result.solutions:
            return
        edges = problem.encode(result.best)
        chosen = rng.choice(edges)
        free = Fixings.none(problem.decisions.count)
        kept = result.certificate.verify(problem, free.fix(on=[chosen]))
        assert kept.bound >= result.value - 1e-9

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"classes": [99], "multipliers": [1.0], "first": [0, 1]}, "classes"),
            ({"classes": [0], "multipliers": [-1.0], "first": [0, 1]}, "at least 0"),
            ({"classes": [0], "multipliers": [math.nan], "first": [0, 1]}, "not numbers"),
            ({"classes": [0, 1], "multipliers": [1.0], "first": [0, 2]}, "classes"),
            ({"first": [0], "memory": [[0, 99]]}, "memory"),
            ({"first": [0], "memory": [0, 1]}, "memory"),
            ({"level": math.nan}, "numbers"),
            ({"claim": math.nan}, "numbers"),
        ],
    )
    def test_evidence_that_cannot_be_read(self, change, why):
        problem = title_like(12, 3, 0)
        evidence = attrs.evolve(gapless.solve(problem).certificate, **{"level": -1e6, "claim": -1e6, **change})
        verdict = evidence.verify(problem)
        assert not verdict
        assert why in verdict.reason


@pytest.mark.parametrize("limit", ["2GB", None, True, -1, float("nan")])
def test_a_memory_limit_is_a_number_of_bytes(limit):
    problem = random_problem(np.random.default_rng(0))
    with pytest.raises(UnknownOption, match=r"memory_limit is .*, it must be a number of bytes"):
        gapless.solve(problem, memory_limit=limit)
    with pytest.raises(UnknownOption, match="memory_limit"):
        gapless.solve_many([problem], memory_limit=limit)


@pytest.mark.parametrize("length", [4, 5, 2**31, 2**63])
def test_more_vertices_than_classes_are_infeasible_whatever_the_number(length):
    problem = OrderingProblem(
        start=np.zeros(6), ordering=np.ones((6, 6)), end=np.zeros(6), classes=np.arange(6) % 3, length=length
    )
    for limits in (gapless.Limits(), gapless.Limits(iterations=1)):
        result = gapless.solve(problem, "exact", limits=limits)
        assert (result.status, result.bound) == (gapless.Status.INFEASIBLE, -np.inf)
