"""The places of weights, and tables folded into finer ones."""

import numpy as np
import pytest

from gapless_models.parsing.treebank import embedded_treebank
from gapless_models.price_and_cut import TokenClasses
from gapless_models.price_and_cut.templates import (
    AXES,
    DISTANCES,
    LEARNT,
    PartPlaces,
    Template,
    coarsest_cover,
    folded,
    table_slices,
)
from gapless_models.price_and_cut.token_classes import COARSE, FINE, NOTHING, WORD

TREEBANK = embedded_treebank()
CLASSES = TokenClasses.of(TREEBANK.train, fine=4, words=5, least=3)
SENTENCE = max(TREEBANK.test, key=len)


def some_parts(length, count=400, seed=0):
    rng = np.random.default_rng(seed)
    g = rng.integers(0, length + 1, count)
    p, c = rng.integers(1, length + 1, (2, count))
    apart = (g != p) & (g != c) & (p != c)
    return g[apart], p[apart], c[apart]


def bin_of(distance):
    return max(i for i, start in enumerate(DISTANCES.tolist()) if distance >= start)


def test_places_are_those_of_the_tables():
    tokens = CLASSES.of_sentence(SENTENCE)
    g, p, c = some_parts(len(SENTENCE))
    found = PartPlaces.of(LEARNT, CLASSES, tokens).lookup(g, p, c)
    for number, (template, place) in enumerate(zip(LEARNT, table_slices(LEARNT, CLASSES), strict=True)):
        assert len(template.shape(CLASSES)) == len(AXES)
        for part, (a, b, d) in enumerate(zip(g.tolist(), p.tolist(), c.tolist(), strict=True)):
            index = (
                *(int(a > b), int(a > d), int(b > d)),
                bin_of(abs(a - b)) if template.above else 0,
                bin_of(abs(b - d)) if template.below else 0,
                *(tokens[level, position] for level, position in zip(template.levels, (a, b, d), strict=True)),
            )
            assert found[part, number] == place.start + np.ravel_multi_index(index, template.shape(CLASSES))


def test_folded_tables_score_every_part_as_before():
    rng = np.random.default_rng(1)
    weights = rng.normal(size=table_slices(LEARNT, CLASSES)[-1].stop)
    into = coarsest_cover(LEARNT)
    assert len(into) < len(LEARNT)
    tables = folded(weights, LEARNT, into, CLASSES)
    for sentence in TREEBANK.test[:5]:
        tokens = CLASSES.of_sentence(sentence)
        parts = some_parts(len(sentence))
        before = weights[PartPlaces.of(LEARNT, CLASSES, tokens).lookup(*parts)].sum(axis=1)
        after = tables[PartPlaces.of(into, CLASSES, tokens).lookup(*parts)].sum(axis=1)
        np.testing.assert_allclose(after, before, atol=1e-12)


def test_what_no_other_template_refines_is_kept():
    tags, pair = Template(FINE, FINE, FINE), Template(FINE, NOTHING, FINE)
    word, far = Template(WORD, COARSE, COARSE), Template(COARSE, COARSE, COARSE, below=True)
    assert coarsest_cover((pair, tags, tags, word, far)) == (tags, word, far)
    assert tags.refines(pair)
    assert not pair.refines(tags)
    assert not word.refines(far)
    assert far.name == "coarse coarse coarse below"


def test_folding_needs_a_finer_template():
    with pytest.raises(StopIteration):
        folded(np.zeros(10**6), (Template(WORD, COARSE, COARSE),), (Template(FINE, FINE, FINE),), CLASSES)
