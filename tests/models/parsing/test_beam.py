"""The beam parser: it scores as the problem does, beats no best tree, and finds it when nothing is cut away."""

import math

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

import gapless as gl
from gapless_dependency import ParsingProblem
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.factors import Valency
from gapless_dependency.random_problems import CONJUNCTIVE, random_problem
from gapless_models.parsing.beam import BeamParser

EVERYTHING = 10**6


def drawn(rng):
    return random_problem(
        rng,
        int(rng.integers(1, 5)),
        projective=bool(rng.integers(2)),
        single_root=bool(rng.integers(2)),
        families=CONJUNCTIVE[: int(rng.integers(len(CONJUNCTIVE) + 1))],
        ties=bool(rng.integers(2)),
        forbidden=0.2,
        forbidden_parts=0.1,
    )


@seeing("trees", "dry")
@examples(40)
@given(rng=generators())
def test_a_beam_that_cuts_nothing_finds_the_best_of_all_trees(rng, seen):
    problem = drawn(rng)
    _, scores = tree_scores(problem)
    best = float(scores.max(initial=-math.inf))
    score, tree = BeamParser(problem).parse(EVERYTHING)
    if best == -math.inf:
        assert (score, tree) == (-math.inf, None)
        seen["dry"] += 1
        return
    seen["trees"] += 1
    assert tree is not None
    assert score == pytest.approx(best)
    assert problem.value(tree) == pytest.approx(score)


@examples(40)
@given(rng=generators())
def test_a_narrow_beam_finds_a_tree_of_the_score_that_it_says(rng):
    problem = drawn(rng)
    best = float(tree_scores(problem)[1].max(initial=-math.inf))
    for width in (1, 2, 5):
        score, tree = BeamParser(problem).parse(width)
        assert score <= best + 1e-9
        if tree is not None:
            assert not problem.violations(tree)
            assert problem.value(tree) == pytest.approx(score)


def test_a_beam_of_one_takes_the_best_head_of_each_word():
    scores = np.zeros((3, 3))
    scores[2, 1], scores[0, 1], scores[0, 2], scores[1, 2] = 3, 2, 1, 9  # 2 -> 1, then 1 -> 2 would be a cycle
    assert BeamParser(ParsingProblem(scores)).parse(1)[0] == 4
    assert gl.solve(ParsingProblem(scores)).value == 11


def test_a_factor_that_is_no_conjunction_is_refused():
    problem = ParsingProblem(np.zeros((3, 3)), factors=[Valency(1, np.zeros(2))])
    with pytest.raises(gl.InvalidProblem, match="conjunctions"):
        BeamParser(problem)
