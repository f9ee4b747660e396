"""Bounds by template: true for every part, the exact maxima of the tables, and used to score less."""

import itertools

import numpy as np
import pytest

import gapless as gl
from gapless_dependency import Grandchild, ParsingProblem
from gapless_models.parsing.treebank import embedded_treebank
from gapless_models.price_and_cut import FoldedTables, TokenClasses
from gapless_models.price_and_cut.templates import DISTANCES, LEARNT, coarsest_cover, table_slices
from gapless_models.price_and_cut.token_classes import ROOT

TREEBANK = embedded_treebank()
CLASSES = TokenClasses.of(TREEBANK.train, fine=4, words=5, least=3)
TEMPLATES = coarsest_cover(LEARNT)


def tables(seed, shift=0.0):
    """Random weights; `shift` moves all of them, so that bounds come to lie below 0 as well."""
    rng = np.random.default_rng(seed)
    size = table_slices(TEMPLATES, CLASSES)[-1].stop
    return FoldedTables(TEMPLATES, CLASSES, rng.normal(shift, 1.0, size).astype(np.float32))


def all_parts(length):
    triples = itertools.permutations(range(length + 1), 3)
    return np.array([t for t in triples if t[1] and t[2]]).T


@pytest.mark.parametrize(("seed", "shift"), [(0, 0.0), (1, -5.0), (2, 3.0)])
def test_no_part_scores_more_than_its_bound(seed, shift):
    found = tables(seed, shift)
    for sentence in TREEBANK.test[:6]:
        scorer = found.scorer(CLASSES.of_sentence(sentence))
        parts = all_parts(len(sentence))
        scores, bounds = scorer(*parts), scorer.upper_bound(*parts)
        assert scores.shape == bounds.shape == parts[0].shape
        assert (bounds >= scores - 1e-9).all()
        assert bounds.min() < bounds.max()


def bin_of(first, second, known):
    return sum(abs(first - second) >= DISTANCES[1:]) if known else 0


def largest(found, tokens, pair, positions):
    """The sum over the templates of the largest weight that any part with these two positions could have."""
    total = 0.0
    for template, place in zip(found.templates, table_slices(found.templates, found.classes), strict=True):
        shape = template.shape(found.classes)
        table = found.weights[place].reshape(shape)
        given = {i: tokens[template.levels[i], position] for i, position in zip(pair, positions, strict=True)}
        choices = [[given[i]] if i in given else range(shape[5 + i]) for i in range(3)]
        best = -np.inf
        for index in itertools.product(*map(range, shape[:5]), *choices):
            gp, gc, pc, above, below, *classes = index
            if (gp, gc, pc) in {(0, 1, 0), (1, 0, 1)}:
                continue  # g < p < c < g
            if any(template.levels[i] and classes[i] == ROOT for i in (1, 2)):
                continue
            if template.levels[0] and classes[0] == ROOT and (gp or gc):
                continue
            order = {(0, 1): gp, (1, 2): pc, (0, 2): gc}[pair]
            here, known = {(0, 1): (above, template.above), (1, 2): (below, template.below), (0, 2): (0, False)}[
                pair
            ]
            if order == (positions[0] > positions[1]) and here == bin_of(*positions, known):
                best = max(best, float(table[index]))
        total += best
    return total


def test_bounds_of_pairs_are_the_exact_maxima():
    small = TokenClasses.of(TREEBANK.train[:4], fine=1, words=1, least=2)
    assert small.size(1) < 12
    templates = TEMPLATES[1:2]  # distances above and below, coarse tags
    rng = np.random.default_rng(3)
    weights = rng.normal(-1.0, 1.0, table_slices(templates, small)[-1].stop).astype(np.float32)
    found = FoldedTables(templates, small, weights)
    tokens = small.of_sentence(TREEBANK.train[0])
    bounds = found.scorer(tokens).pair_bounds
    for pair, matrix in zip([(0, 1), (1, 2), (0, 2)], bounds, strict=True):
        for positions in [(0, 1), (2, 5), (5, 2), (3, 4), (4, 3)]:
            if pair != (1, 2) or positions[0]:  # the root is no parent with a grandparent
                assert matrix[positions] == pytest.approx(largest(found, tokens, pair, positions))


def test_scores_are_the_same_whatever_else_is_asked():
    sentence = TREEBANK.test[0]
    scorer = tables(4).scorer(CLASSES.of_sentence(sentence))
    parts = all_parts(len(sentence))
    alone = [float(scorer(*(column[[i]] for column in parts))[0]) for i in range(0, parts.shape[1], 50)]
    np.testing.assert_array_equal(scorer(*parts)[::50], alone)


def test_a_problem_looks_at_bounds_first():
    sentence = TREEBANK.test[0]
    scorer = tables(5).scorer(CLASSES.of_sentence(sentence))
    size = len(sentence) + 1
    problem = ParsingProblem(np.zeros((size, size)), factors=[Grandchild(scorer)])
    (conjunction,) = problem.conjunctions
    assert conjunction.factor.bounded
    bounds = conjunction.all_bounds()
    assert conjunction.scored == 0
    scores = conjunction.scores(np.arange(7))
    assert conjunction.scored == 7
    assert (scores <= bounds[:7]).all()
    assert np.array_equal(conjunction.all_bounds()[:7], scores)


def test_a_bound_below_a_score_is_refused():
    sentence = TREEBANK.test[0]
    honest = tables(6)
    lying = FoldedTables(honest.templates, honest.classes, honest.weights - 3.0)
    scorer = honest.scorer(CLASSES.of_sentence(sentence))
    scorer.__dict__["pair_bounds"] = lying.scorer(CLASSES.of_sentence(sentence)).pair_bounds
    size = len(sentence) + 1
    (conjunction,) = ParsingProblem(np.zeros((size, size)), factors=[Grandchild(scorer)]).conjunctions
    conjunction.all_bounds()
    with pytest.raises(gl.InvalidProblem, match="promised at most"):
        conjunction.all_scores()
