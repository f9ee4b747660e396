"""Changes that must not change the answer, or change it by a known amount."""

import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless
from gapless_dependency import Grandchild, ParsingProblem, Sibling, TriSibling

TABLES = {"grandchild": Grandchild, "sibling": Sibling, "tri-sibling": TriSibling}


class Sentence:
    """Dense scores of arcs and tables, from which changed problems are made."""

    def __init__(self, rng, projective, ties):
        self.n = int(rng.integers(2, 7))
        self.projective, self.single_root = projective, bool(rng.integers(2))
        size = self.n + 1

        def draw(*shape):
            drawn = rng.integers(-3, 4, shape).astype(float) if ties else rng.normal(size=shape)
            return np.where(rng.random(shape) < 0.04, -np.inf, drawn)

        self.arcs = draw(size, size)
        self.grandchild, self.sibling = 0.5 * draw(size, size, size), 0.5 * draw(size, size, size)
        # Of two modifiers only the ordered half counts: a symmetric table survives any renaming of words.
        self.sibling = np.maximum(self.sibling, self.sibling.transpose(0, 2, 1))

    def factors(self):
        return [Grandchild(self.grandchild), Sibling(self.sibling)]

    def problem(self, arcs=None, factors=None):
        return ParsingProblem(
            self.arcs if arcs is None else arcs,
            factors=self.factors() if factors is None else factors,
            projective=self.projective,
            single_root=self.single_root,
        )

    def renamed(self, order):
        """The same sentence with word ``order[i]`` at place i."""
        three = np.ix_(order, order, order)
        return self.problem(
            self.arcs[np.ix_(order, order)], [Grandchild(self.grandchild[three]), Sibling(self.sibling[three])]
        )


def value(problem):
    """The proved optimum, -inf if there is no tree."""
    result = gapless.solve(problem, "split-bound")
    assert result.proved or result.status is gapless.Status.INFEASIBLE
    assert result.verify(problem)
    return result.value if result.solutions else -np.inf


pytestmark = [pytest.mark.parametrize("projective", [False, True]), pytest.mark.parametrize("ties", [False, True])]


@examples(6)
@given(rng=generators())
def test_a_constant_for_all_arcs_into_a_word(rng, projective, ties):
    sentence = Sentence(rng, projective, ties)
    more = sentence.arcs.copy()
    more[:, 1] += 2.5
    more[:, -1] -= 1.25
    assert value(sentence.problem(more)) == pytest.approx(
        value(sentence.problem()) + (1.25 if sentence.n > 1 else 0.0), abs=1e-9
    )


@examples(6)
@given(rng=generators())
def test_the_order_of_words_or_the_mirror_image(rng, projective, ties):
    sentence = Sentence(rng, projective, ties)
    words = np.arange(1, sentence.n + 1)
    order = words[::-1] if sentence.projective else rng.permutation(words)
    assert value(sentence.renamed(np.append(0, order))) == pytest.approx(value(sentence.problem()), abs=1e-9)


@examples(6)
@given(rng=generators())
def test_a_factor_that_scores_nothing(rng, projective, ties):
    sentence = Sentence(rng, projective, ties)
    nothing = TriSibling(np.zeros((sentence.n + 1,) * 4))
    more = sentence.problem(factors=[*sentence.factors(), nothing, Sibling(np.zeros((sentence.n + 1,) * 3))])
    assert value(more) == pytest.approx(value(sentence.problem()), abs=1e-9)


@pytest.mark.parametrize("power", [-40, -3, 3, 30])
@examples(4)
@given(rng=generators())
def test_scores_times_a_power_of_two(rng, projective, ties, power):
    sentence = Sentence(rng, projective, ties)
    by = 2.0**power
    scaled = sentence.problem(
        sentence.arcs * by, [Grandchild(sentence.grandchild * by), Sibling(sentence.sibling * by)]
    )
    assert value(scaled) == pytest.approx(value(sentence.problem()) * by, rel=1e-8, abs=1e-8)


@examples(6)
@given(rng=generators())
def test_one_factor_as_two(rng, projective, ties):
    sentence = Sentence(rng, projective, ties)
    drawn = rng.normal(size=sentence.sibling.shape)
    part = np.where(np.isfinite(sentence.sibling), drawn, 0.0)
    split = sentence.problem(
        factors=[Grandchild(sentence.grandchild), Sibling(part), Sibling(sentence.sibling - part)]
    )
    assert value(split) == pytest.approx(value(sentence.problem()), abs=1e-9)
