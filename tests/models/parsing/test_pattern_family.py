"""The family of hand-crafted patterns: where they match, what they weigh, and that trees are found exactly."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import attrs
import numpy as np
import pytest
from drawn import long
from tiny_treebanks import BITS, PATTERNED, fit, sentence

import gapless as gl
from gapless import InvalidProblem
from gapless.arrays.serial import dumps, loads
from gapless.roles import Factor
from gapless.search import driver
from gapless.testing import check_factor
from gapless_dependency import Arcs, DependencyTree, ParsingProblem, PatternNode
from gapless_dependency.enumeration import all_trees, tree_scores
from gapless_models.parsing import FAMILIES, ParserModel
from gapless_models.parsing.families import ARC, HAND_CRAFTED
from gapless_models.parsing.parser_model import all_arcs, pattern_matches, template_digests
from gapless_models.parsing.parts import BACKBONES, CONJUNCTIONS
from gapless_models.parsing.patterns import PATTERN, PatternFactor, PatternMatches
from gapless_models.parsing.training import exact_tree
from gapless_tasks.parsing import paper
from gapless_tasks.parsing.explaining import fired
from gapless_tasks.parsing.parser import SOURCE, trial
from gapless_tasks.parsing.tables import models

PAPER = sentence(
    "regulation/NN occurs/VBZ through/IN inaction/NN ,/, rather/RB than/IN through/IN action/NN",
    (2, 0, 2, 3, 3, 7, 3, 7, 8),
)
"""Qian and Liu 2013, figure 3."""
BOTH = pytest.mark.parametrize("projective", [True, False])


def drawn(seed, families=(PATTERN,), **changes):
    """A parser whose weights are whole numbers, drawn: small, so that there are ties."""
    table = np.random.default_rng(seed).integers(-3, 4, 1 << BITS).astype(np.float32)
    return attrs.evolve(
        fit(PATTERNED, epochs=1, families=(PATTERN,)), table=table, families=families, granularity=1.0, **changes
    )


def by_hand(template, s, heads):
    """Matches in a tree, from the definition: every choice of words is tried."""
    found = []
    for places in itertools.permutations(range(1, len(s) + 1), len(template.nodes)):
        at = dict(zip(template.nodes, places, strict=True))
        fits = all(
            (node.word is None or re.fullmatch(node.word, s.words[at[name] - 1]))
            and (node.tag is None or re.fullmatch(node.tag, s.tags[at[name] - 1]))
            for name, node in template.nodes.items()
        )
        fits = fits and all(heads[at[b] - 1] == (0 if a == "root" else at[a]) for a, b in template.arcs)
        fits = fits and all(at[a] < at[b] for a, b in template.before)
        fits = fits and all(at[a] + 1 == at[b] for a, b in template.adjacent)
        fits = fits and all(s.words[at[a] - 1].lower() == s.words[at[b] - 1].lower() for a, b in template.same_word)
        if fits:
            found.append(places)
    return found


def test_the_papers_example_matches_where_the_paper_draws_it():
    matches = pattern_matches([PATTERN], PAPER, all_arcs(9))
    assert matches is not None
    found = matches.in_tree(np.array(PAPER.heads))
    assert found["pattern rather than"].tolist() == [[3, 6, 7, 8]]
    other = matches.in_tree(np.array((2, 0, 2, 3, 3, 7, 2, 7, 8)))  # "occurs" heads "than"
    assert not len(other["pattern rather than"])
    assert len(matches.positions[0]) == 1  # the first "through" stands before "rather", never the second
    unlike = replace(PAPER, words=(*PAPER.words[:7], "by", "action"))  # another preposition
    assert not len(PatternMatches.of(HAND_CRAFTED, unlike, all_arcs(9)).positions[0])


@pytest.mark.parametrize("s", PATTERNED, ids=lambda s: s.words[0])
def test_matches_are_those_of_the_definition(s):
    matches = pattern_matches([PATTERN], s, all_arcs(len(s)))
    assert matches is not None
    some = 0
    for heads in all_trees(len(s), False, True)[:: max(1, 7 ** (len(s) - 3))]:
        found = matches.in_tree(heads)
        for template in HAND_CRAFTED:
            rows = sorted(map(tuple, found[template.name].tolist()))
            assert rows == by_hand(template, s, heads), template.name
            some += len(rows)
    assert some or s is PATTERNED[-1]


@BOTH
@pytest.mark.parametrize("families", [(PATTERN,), (PATTERN, "grandchild", "sibling", "comb")])
@pytest.mark.parametrize("seed", [0, 1, long(2), long(3)])
def test_trees_are_found_exactly_and_proved(seed, families, projective):
    """By every way: the compiled search, its roles in Python, training's decoder; ties included."""
    model = drawn(seed, families, projective=projective)
    for s in PATTERNED:
        problem = model.problem(s)
        best = float(tree_scores(problem)[1].max())
        for method in ("split-bound", None):
            result = gl.solve(problem, method)
            assert result.proved
            assert result.value == best
            assert result.bound == best
            assert result.verify(problem)
        assert problem.value(exact_tree(problem)) == best


@BOTH
def test_the_compiled_search_takes_patterns(projective, monkeypatch):
    if not driver.gapless_kernels.COMPILED:
        pytest.skip("there is no compiled search here: the kernels are not built")
    taken = []
    real = driver.NodeSearch

    def counted(*arguments: Any, **options: Any) -> Any:
        taken.append(options["factors"])
        return real(*arguments, **options)

    monkeypatch.setattr(driver, "NodeSearch", counted)
    assert gl.solve(drawn(0, projective=projective).problem(PAPER), "split-bound").proved
    assert taken == [[]]


@pytest.mark.parametrize("seed", range(3))
def test_patterns_that_forbid(seed):
    """Scores of -inf go the same way."""
    rng = np.random.default_rng(seed)
    s = PATTERNED[1]
    model = drawn(seed)
    [*factors] = model.problem(s).factors
    harsh = []
    for factor in factors:
        arcs = Arcs(all_arcs(len(s)))
        scopes = factor.scopes(arcs)
        scores = factor.score(scopes, arcs)
        scores[rng.random(len(scores)) < 0.3] = -np.inf
        pairs = np.stack([arcs.heads[scopes], arcs.modifiers[scopes]], axis=2)
        harsh.append(PatternFactor(pairs, scores))
    problem = ParsingProblem(rng.integers(-4, 5, (7, 7)).astype(float), factors=harsh, projective=True)
    result = gl.solve(problem, "split-bound")
    assert result.proved
    assert result.value == tree_scores(problem)[1].max()
    assert result.verify(problem)


def test_the_factors_keep_the_contract_and_are_stored():
    problem = drawn(1).problem(PATTERNED[1])
    assert {factor.name for factor in problem.factors} == {PATTERN}
    assert len({scored.scopes.shape[1] for scored in problem.conjunctions}) == len(problem.factors)
    for factor in problem.factors:
        assert isinstance(factor, Factor)
        check_factor(factor, problem.decisions)
    again = loads(dumps(problem))
    for heads in all_trees(6, True, True)[::50]:
        assert again.value(DependencyTree(heads)) == problem.value(DependencyTree(heads))
    assert gl.solve(problem, "split-bound").verify(again)


def test_what_fires_is_named_by_its_pattern():
    problem = drawn(2).problem(PAPER)
    told = fired(problem, np.array(PAPER.heads))
    arcs_of = {name: set(arcs) for name, arcs, _ in told}
    assert arcs_of["pattern rather than + pattern rather than between any words"] == {(3, 7), (7, 6), (7, 8)}
    assert sum(score for _, _, score in told) == problem.value(problem.tree(PAPER.heads))
    again = loads(dumps(problem))  # as a file holds it, it knows the scores only
    assert {name for name, _, _ in fired(again, np.array(PAPER.heads))} == {"arc", "conjunction"}


def test_one_set_of_arcs_by_two_patterns_scores_both():
    """The scores of what fires add up, whichever pattern they come from."""
    nodes = {"a": PatternNode(), "b": PatternNode(), "c": PatternNode()}
    twice = [
        attrs.evolve(
            HAND_CRAFTED[i], nodes=nodes, arcs=(("a", "b"), ("b", "c")), before=(), adjacent=(), same_word=()
        )
        for i in (0, 1)
    ]
    s = PATTERNED[3]
    [factor] = PatternMatches.of(twice, s, all_arcs(5)).factors(
        lambda templates, parts: np.full(len(parts), 1.0 if templates is twice[0].features else 10.0)
    )
    arcs = Arcs(all_arcs(5))
    assert set(factor.score(factor.scopes(arcs), arcs).tolist()) == {11.0}
    assert len(np.unique(factor.scopes(arcs), axis=0)) == len(factor.scopes(arcs))


def test_a_pattern_parser_is_stored_and_others_are_refused(tmp_path, monkeypatch):
    model, path = fit(PATTERNED, max_heads=2, epochs=2, families=(PATTERN,)), tmp_path / "model.npz"
    model.save(path)
    read = ParserModel.load(path)
    assert read.families == (PATTERN,)
    for s in PATTERNED:
        one, two = model.problem(s, max_heads=2), read.problem(s, max_heads=2)
        assert gl.solve(one).value == gl.solve(two).value
    fewer = (attrs.evolve(HAND_CRAFTED[0], before=(("a", "b"),)), *HAND_CRAFTED[1:])
    monkeypatch.setattr("gapless_models.parsing.parser_model.HAND_CRAFTED", fewer)
    with pytest.raises(InvalidProblem, match=r"model\.npz: trained with other templates of pattern than"):
        ParserModel.load(path)


def test_parsers_stored_before_there_were_patterns_are_still_read():
    """Digests of the other templates, as the first version stored them."""
    assert template_digests(FAMILIES) == OLD_DIGESTS


OLD_DIGESTS = {
    "arc": "dca25f2855c49a60",
    "grandchild": "b3d391a70be1de39",
    "sibling": "db73b0731f112948",
    "great-grandchild": "7b7fd5d7f624cd45",
    "tri-sibling": "542570d63f040c53",
    "comb": "368f52cfe77f236d",
    "adjacent-sibling": "e8f55f19e28e8364",
    "outermost-grandchild": "703c76e1df9b4966",
    "grand-sibling": "b2ca009e83b198c0",
}


def test_pruned_candidates_leave_only_their_matches():
    mask = all_arcs(9)
    mask[3, 7] = False
    matches = pattern_matches([PATTERN], PAPER, mask)
    assert matches is not None
    assert not len(matches.positions[0])
    assert pattern_matches(["sibling"], PAPER, mask) is None
    few = PatternMatches.of(HAND_CRAFTED, PAPER, np.eye(10, k=1, dtype=bool))
    assert few.in_tree(np.arange(9))["pattern rather than"].shape == (0, 4)


def test_families_and_patterns_hash_from_seeds_of_their_own():
    every = (ARC, *FAMILIES.values(), *(pattern.features for pattern in HAND_CRAFTED))
    seeds = [set(templates.rows[:, 0].tolist()) for templates in every]
    assert all(not a & b for a, b in itertools.combinations(seeds, 2))
    assert len({templates.name for templates in every}) == len(every)
    assert set(FAMILIES) == {*CONJUNCTIONS, *BACKBONES}


def test_table_2_has_all_rows():
    for projective in (True, False):
        rows = {row.name: (row, families) for row, families in models(SOURCE.families, projective)}
        row, families = rows["+ hand craft"]
        assert (row.english, row.chinese, families) == (92.89, None, (PATTERN,))
        assert rows[paper.FULL][1] == ("grandchild", "sibling", "comb", PATTERN)
        assert [one.name for one in paper.MODELS if one.name not in rows] == [] if projective else ["second order"]


@BOTH
def test_a_trial_with_patterns_has_their_factors(projective):
    with pytest.raises(gl.GaplessError):
        gl.solve(trial((PATTERN,), projective), "first-order")
    assert gl.solve(trial((PATTERN, "grandchild"), projective)).proved


def test_sets_of_arcs_are_grouped_the_same_way_in_long_sentences(monkeypatch):
    """Rows are compared when a set of arcs does not fit one number."""
    one = pattern_matches([PATTERN], PATTERNED[2], all_arcs(5))
    monkeypatch.setattr("gapless_models.parsing.patterns._LARGEST", 0)
    two = pattern_matches([PATTERN], PATTERNED[2], all_arcs(5))
    assert one is not None
    assert two is not None
    for a, b in zip(one.sets, two.sets, strict=True):
        np.testing.assert_array_equal(a.arcs, b.arcs)
        np.testing.assert_array_equal(a.set_of, b.set_of)


def test_long_sentences_are_parsed_pruned_and_unpruned_up_to_a_length():
    """Conjuncts alone have 300,000 matches among all arcs of 60 words; what is too much is said."""
    words = 20 * ["fish/NN", "and/CC", "bread/NN"]
    unpruned = pattern_matches([PATTERN], sentence(" ".join(words[:42])), all_arcs(42))
    assert unpruned is not None
    assert max(map(len, unpruned.positions)) > 50_000
    long, mask = sentence(" ".join(8 * words)), np.zeros((481, 481), bool)
    mask[0, 1:] = True
    for distance in range(1, 5):
        mask |= np.eye(481, k=distance, dtype=bool) | np.eye(481, k=-distance, dtype=bool)
    mask[:, 0] = False
    assert pattern_matches([PATTERN], long, mask) is not None
    with pytest.raises(
        InvalidProblem, match="a sentence of 480 words has too many candidate arcs for the pattern "
    ):
        pattern_matches([PATTERN], long, all_arcs(480))
