"""Answers of a user's conjunctions: scopes and scores are checked, and asked again by `verify`."""

import itertools
import math

import numpy as np
import pytest

import gapless as gl
from gapless.factors.factor import ScoredFactor
from gapless.roles import Factor
from gapless_dependency import Arcs, Grandchild, ParsingProblem


def factor_of(scopes, score=None, name="mine"):
    def scopes_(self, decisions):
        return scopes(decisions) if callable(scopes) else scopes

    def score_(self, given, decisions):
        return np.ones(len(given)) if score is None else score(given, decisions)

    return type("Mine", (Factor,), {"name": name, "scopes": scopes_, "score": score_})()


def arcs(n=3):
    candidates = ~np.eye(n + 1, dtype=bool)
    candidates[:, 0] = False
    return Arcs(candidates)


@pytest.mark.parametrize(
    ("scopes", "words"),
    [
        ([(0.5, 7)], r"factor mine: scopes\(\) gave the scope \(0\.5, 7\), expected a sequence of decisions"),
        (["ab"], "gave the scope 'ab'"),
        ([None], "gave the scope None"),
        ([3, 4], "gave the scope 3"),
        (None, r"scopes\(\) gave None, expected sequences"),
        ("ab", r"scopes\(\) gave 'ab', expected sequences"),
        ([()], "gave an empty scope"),
        (np.zeros((2, 0), int), "gave an empty scope"),
        ([(0, 7), (7, 0)], r"the scope \[7, 0\] is listed twice, also as \[0, 7\]; add up"),
        ([(0, 7), (0, 7)], r"the scope \[0, 7\] is listed twice; add up"),
        ([(0, 1), (2,)], r"one length; \[0, 1\] and \[2\] do not"),
        ([(3, 3)], r"scope \[3, 3\] \(arc 0 -> 2, arc 0 -> 2\) names a decision twice"),
        (np.array([[0, 1, 2], [4, 3, 4]]), r"scope \[4, 3, 4\] .* names a decision twice"),
        ([(0, 9)], r"the scope \[0, 9\] names a decision outside 0\.\.8"),
        ([(-1, 0)], r"the scope \[-1, 0\] names a decision outside"),
    ],
)
def test_scopes_that_are_no_sets_of_decisions(scopes, words):
    with pytest.raises(gl.InvalidProblem, match=words):
        ScoredFactor(factor_of(scopes), arcs())


def test_scopes_without_a_repeat_are_taken():
    assert ScoredFactor(factor_of([(7, 0), (0, 1)]), arcs()).scopes.tolist() == [[7, 0], [0, 1]]
    assert ScoredFactor(factor_of(iter([np.array([0, 7])])), arcs()).scopes.tolist() == [[0, 7]]
    assert ScoredFactor(factor_of([]), arcs()).scopes.shape == (0, 0)
    assert ScoredFactor(factor_of(np.array([[0, 1], [1, 0]])), arcs()).all_scores().tolist() == [1, 1]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (["1.0"], "factor mine: scores are not an array of numbers"),
        (np.array(["1.0"], object), "factor mine: scores are not an array of numbers"),
        ([1j], "factor mine: scores are not an array of numbers"),
        (np.ma.masked_all(1), "factor mine: scores are a masked array"),
        ([math.nan], r"the score of scope \[0, 7\] \(arc 0 -> 1, arc 1 -> 3\) is nan; expected a number"),
        ([math.inf], r"the score of scope \[0, 7\] .* is inf"),
        ([1e300], r"is 1e\+300; expected a number of at most 1e\+12 in size, or -inf"),
        ([-1.1e12], "at most 1e"),
        ([1.0, 2.0], r"score\(\) returned shape \(2,\) for 1 scopes, expected \(1,\)"),
        (1.0, r"score\(\) returned shape \(\)"),
        (None, "factor mine: scores are|shape"),
    ],
)
def test_scores_that_are_none(scores, words):
    scored = ScoredFactor(factor_of([(0, 7)], lambda *_: scores), arcs())
    with pytest.raises(gl.InvalidProblem, match=words):
        scored.all_scores()


def test_minus_infinity_and_the_largest_scores_are_taken():
    scored = ScoredFactor(factor_of([(0,), (1,), (2,)], lambda *_: [-math.inf, 1e12, -1e12]), arcs())
    assert scored.all_scores().tolist() == [-math.inf, 1e12, -1e12]


def test_errors_of_users_code_say_which_factor():
    def fails(*_):
        raise KeyError("lexicon")

    def generator(_):
        yield (0, 1)
        raise KeyError("lexicon")

    for factor in (factor_of(fails), factor_of(generator), factor_of([(0, 1)], fails)):
        with pytest.raises(KeyError) as caught:
            ScoredFactor(factor, arcs()).all_scores()
        assert "of the factor 'mine'" in caught.value.__notes__[0]
    with pytest.raises(gl.InvalidProblem, match="factor Mine: scopes"):
        ScoredFactor(factor_of(None, name=""), arcs())


# --- scores that are not what they were


def by_batch(scopes, _):
    return np.full(len(scopes), 1.0 if len(scopes) > 1 else -5.0)


def test_scores_that_depend_on_the_batch_are_not_verified():
    factor = factor_of(lambda a: [(d, e) for d, e in itertools.combinations(range(a.count), 2)], by_batch)
    problem = ParsingProblem(np.random.default_rng(0).normal(size=(5, 5)), factors=[factor])
    verdict = gl.solve(problem).verify(problem)
    assert not verdict
    assert verdict.location == "solutions[0]"
    assert "factor mine: the score of scope [" in verdict.reason
    assert "was 1.0, and is -5.0 when scored again, alone" in verdict.reason


def test_scores_that_change_are_not_verified():
    weights = [1.0]
    problem = ParsingProblem(np.zeros((5, 5)), factors=[Grandchild(lambda g, h, m: weights[0] * (g + h - m))])
    result = gl.solve(problem)
    assert result.verify(problem)
    weights[0] = 1.0 + 1e-12  # the last digits of a product of matrices
    assert result.verify(problem)
    weights[0] = 1.1
    assert not result.verify(problem)


def test_scopes_that_change_are_not_verified():
    calls = itertools.count()

    def scopes(a):
        listed = [(d,) for d in range(a.count)]
        return listed if next(calls) == 0 else listed[::-1][:2]

    problem = ParsingProblem(np.zeros((4, 4)), factors=[factor_of(scopes)])
    result = gl.solve(problem)
    assert "lists other scopes" in result.verify(problem).reason


@pytest.mark.parametrize("call", ["score", "upper_bound", "later"])
def test_nobody_can_change_the_scopes_that_were_checked(call):
    """A compiled search reads memory at the arcs that they name."""
    given = np.array([[0, 4], [1, 5]])

    class Meddling(Factor):
        name = "meddling"

        def scopes(self, decisions):
            return given

        def score(self, scopes, decisions):
            if call == "score":
                scopes += 1_000_000
            return np.ones(len(scopes))

        def upper_bound(self, scopes, decisions):
            if call == "upper_bound":
                scopes += 1_000_000
            return np.full(len(scopes), 2.0)

    scored = ScoredFactor(Meddling(), arcs())
    if call == "later":
        given += 1_000_000
    if call == "upper_bound":
        with pytest.raises(ValueError, match="read-only") as caught:
            scored.all_bounds()
        assert "upper_bound() of the factor 'meddling'" in "".join(caught.value.__notes__)
    else:
        scored.all_bounds(), scored.all_scores()
    assert scored.scopes.tolist() == [[0, 4], [1, 5]]
