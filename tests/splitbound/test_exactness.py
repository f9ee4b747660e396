"""Every way to ask for the best tree, on random short sentences, against the scores of all trees.

``GAPLESS_RANDOM_SENTENCES`` sets the count; the default is what every test run can afford, and --long draws ten
times as many. Only scores are unique, so values are compared, never trees.
"""

import os

import numpy as np
import pytest
from drawn import examples, generators, seeded
from hypothesis import given, note
from hypothesis import strategies as st
from parsing_cases import best_scores, check_solved, random_case

import gapless
from gapless import InvalidProblem, Limits, Status, Stop
from gapless.arrays.tolerance import meets, round_bound, score_tolerance
from gapless.scip import solve_monolithic
from gapless.search import layout
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.random_problems import FAMILIES, random_problem

SENTENCES = int(os.environ.get("GAPLESS_RANDOM_SENTENCES", "90"))
LONGER = int(os.environ.get("GAPLESS_LONGER_SENTENCES", "6"))
LENGTHS = [*[7] * 18, *[8] * 15, *[9] * 10, *[10] * 4, 11, 11, 12]
"""Of the longer sentences; of 12 words, one takes the integer program seconds."""
ORDERS = ("best-first", "depth-first", "breadth-first")
A_MINUTE = Limits(time=60.0)
"""For ways that are here for comparison: a few of 50,000 sentences keep the paper's steps busy for hours."""


class Judged:
    """A problem with what enumeration says of it: allowed scores, largest first, and heads in the same order."""

    def __init__(self, problem):
        heads, scores = tree_scores(problem)
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] > -np.inf]
        self.problem, self.heads, self.scores = problem, heads[order], scores[order]

    @property
    def best(self):
        return self.scores[0] if self.scores.size else -np.inf

    def optimal(self, result, k=1):
        """The result is proved, right, and its certificate proves it again."""
        assert result.status is (Status.OPTIMAL if self.scores.size else Status.INFEASIBLE), result
        values = [solution.value for solution in result.solutions]
        assert values == pytest.approx(self.scores[:k].tolist(), rel=1e-9, abs=1e-9)
        assert len({solution.structure.heads.tobytes() for solution in result.solutions}) == len(values)
        verdict = result.verify(self.problem)
        assert verdict, verdict
        self.bounded(verdict.bound)
        if k == 1:
            assert meets(round_bound(verdict.bound, self.problem.granularity), self.best)

    def optimal_if_done(self, result):
        """For what may run out of time: then the truth still lies between value and bound."""
        if result.stop is Stop.TIME:
            self.valid(result)
        else:
            self.optimal(result)

    def bounded(self, bound):
        assert bound >= self.best - score_tolerance(self.best)

    def valid(self, result):
        """Stopped early or not: the truth lies between value and bound."""
        self.bounded(result.bound)
        for solution, score in zip(result.solutions, self.scores, strict=False):
            assert solution.value <= score + score_tolerance(score)
        assert len(result.solutions) <= self.scores.size
        if result.status is Status.OPTIMAL:
            assert result.value == pytest.approx(self.best, rel=1e-9, abs=1e-9)
        if result.status is Status.INFEASIBLE:
            assert not self.scores.size


def solve(judged, **options):
    return gapless.solve(judged.problem, "split-bound", **options)


def in_another_order(judged, number):
    judged.optimal(solve(judged, order=ORDERS[number % 3]))


def as_in_the_paper(judged, number):
    judged.optimal_if_done(solve(judged, variant="paper", order=ORDERS[number % 3], limits=A_MINUTE))


def with_a_higher_backbone(judged, number):
    name, variant = ("sibling", "carreras", "grand-sibling")[number % 3], ("default", "paper")[number // 3 % 2]
    if not judged.problem.projective or not all(name in f.backbones for f in judged.problem.backbone_factors):
        with pytest.raises(InvalidProblem, match="backbone"):
            solve(judged, backbone=name)
        return
    judged.optimal_if_done(solve(judged, backbone=name, variant=variant, limits=A_MINUTE))


def k_best(judged, number):
    k = 2 + number % 6
    judged.optimal(solve(judged, k=k, order=ORDERS[number % 3]), k)


def warm_started(judged, number):
    if not judged.scores.size:
        return
    start = judged.problem.tree(judged.heads[(0, -1, number)[number % 3] % len(judged.heads)])
    judged.optimal_if_done(solve(judged, start=start, variant=("default", "paper")[number % 2], limits=A_MINUTE))


def stopped_early(judged, number):
    limits = (
        Limits(nodes=number % 4),
        Limits(iterations=number % 7),
        Limits(time=0.0),
        Limits(relative_gap=0.3),
        Limits(target=judged.best - 1.0 if judged.scores.size else 0.0),
    )[number % 5]
    options = {"k": 3} if number % 11 == 0 else {"order": ORDERS[number % 3]}
    result = solve(judged, limits=limits, variant=("default", "paper")[number // 5 % 2], **options)
    judged.valid(result)
    verdict = result.verify(judged.problem)
    if result.bound < np.inf:
        assert verdict, verdict
        judged.bounded(verdict.bound)


def with_few_heads(judged, number):
    result = solve(judged, max_heads=1 + number % 3)
    judged.valid(result)
    if result.bound < np.inf:
        assert result.verify(judged.problem)


def first_order(judged, number):
    if judged.problem.factors:
        return
    k = 1 + number % 5
    judged.optimal(gapless.solve(judged.problem, "first-order", k=k), k)


WAYS = (
    in_another_order,
    as_in_the_paper,
    with_a_higher_backbone,
    k_best,
    warm_started,
    stopped_early,
    with_few_heads,
)


@pytest.fixture(params=[0, 30, None], ids=["bounded only", "enumerated at the end", "enumerated at once"])
def enumerating(request, monkeypatch):
    """The number of choices of heads that are enumerated."""
    if request.param is not None:
        monkeypatch.setattr(layout, "CHOICES", request.param)


@pytest.mark.usefixtures("enumerating")
@examples(SENTENCES // 3)
@given(rng=generators())
def test_agrees_with_every_tree(rng, random_sentence):
    """The default way for each sentence, first order where there are no factors, and one of the others."""
    way, number = WAYS[rng.integers(len(WAYS))], int(rng.integers(2520))
    judged = Judged(random_sentence(rng))
    note(f"{judged.problem!r}, {way.__name__}, {number}")
    judged.optimal(solve(judged))
    first_order(judged, number)
    way(judged, number)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("projective", [False, True])
@examples(4)
@given(rng=generators())
def test_every_family(rng, family, projective):
    problem = random_problem(rng, int(rng.integers(1, 6)), projective=projective, families=[family], strength=2.0)
    check_solved(problem, best_scores(problem))


@examples(3)
@given(rng=generators())
def test_many_sentences_at_once(rng, random_sentence):
    problems = [random_sentence(rng) for _ in range(rng.integers(1, 21))]
    batch = gapless.solve_many(problems, "split-bound")
    for i, problem in enumerate(problems):
        alone = gapless.solve(problem, "split-bound")
        assert batch.statuses[i] is alone.status
        assert batch[i].verify(problem)
        if alone.solutions:
            assert batch.values[i] == pytest.approx(alone.value, rel=1e-12)
            assert problem.value(batch.structure(i)) == pytest.approx(alone.value, rel=1e-12)


@examples(LONGER)
@given(rng=seeded(), length=st.sampled_from(LENGTHS))
def test_agrees_with_an_integer_program(rng, length):
    """Longer sentences, by SCIP, which knows nothing of trees. ``GAPLESS_LONGER_SENTENCES`` sets the count."""
    families, ties = rng.choice(FAMILIES, size=2, replace=False), bool(rng.integers(2))
    shares = {"forbidden": [0.5], "forbidden_parts": [0.0, 0.05]}
    problem = random_case(rng, length, families, ties=ties, strength=0.5, **shares)
    judge = solve_monolithic(problem)
    result = gapless.solve(problem, "split-bound", order=ORDERS[rng.integers(3)])
    assert result.status is judge.status
    verdict = result.verify(problem)
    # A search of thousands of nodes may have a record too long to keep, and says so.
    assert verdict or "outgrew its memory" in verdict.reason, verdict
    assert result.stop is Stop.PROVED
    if judge.solutions:
        assert result.value == pytest.approx(judge.value, rel=1e-7, abs=1e-6)
