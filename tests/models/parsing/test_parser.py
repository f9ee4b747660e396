"""The parser's model: parts, features, pruning, training, archive, evaluation."""

from __future__ import annotations

from collections import Counter
from typing import Any

import attrs
import numpy as np
import pytest
from tiny_treebanks import BITS, PATTERNED, PLAIN, by_enumeration, fit, sentence, table_of

from gapless import InvalidProblem, NoSolution
from gapless.learn import DamagedFile, StructuredPerceptron
from gapless_dependency import DependencyTree, ParsingProblem
from gapless_dependency.enumeration import all_trees
from gapless_models.parsing import (
    FAMILIES,
    FirstOrder,
    Options,
    ParserModel,
    Sentence,
    arc_marginals,
    attachment,
    bootstrap_p_value,
    prune_mask,
    train,
)
from gapless_models.parsing.features import TABLE, ParsingFeatures
from gapless_models.parsing.parser_model import part_scorer
from gapless_models.parsing.parts import BACKBONES, CONJUNCTIONS, factor_of, parts_of_tree
from gapless_models.parsing.patterns import PATTERN
from gapless_models.parsing.templates import ATOMS, PAD, Templates, atoms_of
from gapless_models.parsing.training import exact_tree, training_sentence, whole_multiples

EVERY = (*CONJUNCTIONS, *BACKBONES)


CASES = [(PLAIN, ()), (PLAIN, ("grandchild", "sibling")), (PLAIN, EVERY), (PATTERNED, (PATTERN,))]


@pytest.mark.parametrize(("treebank", "families"), CASES)
@pytest.mark.parametrize("projective", [True, False])
def test_a_tiny_treebank_is_learnt(treebank, families, projective):
    model = fit(treebank, families=families, projective=projective)
    for s in treebank:
        assert by_enumeration(model.problem(s)).heads.tolist() == list(s.heads)


@pytest.mark.parametrize(
    ("treebank", "families", "projective", "margin"),
    [
        (PLAIN, EVERY, True, 0.0),
        (PLAIN, EVERY, True, 5.0),
        (PATTERNED, (PATTERN, "grandchild"), True, 7.0),
        (PATTERNED, (PATTERN, "grandchild"), False, 7.0),
    ],
)
def test_scores_are_whole_multiples_and_those_of_the_features(treebank, families, projective, margin):
    """Weights of a tree's features are its score; so training moves what the decoder maximises."""
    model = fit(treebank, families=families, projective=projective, margin=margin, epochs=6)
    features = ParsingFeatures(families, projective=projective, bits=BITS)
    fires = 0
    for s in treebank:
        example = training_sentence(s, Options(max_heads=None, families=families), None, keep_gold=True)
        problem, bare = model.problem(s), model.problem(s, families[1:])
        for heads in all_trees(len(s), projective, True)[::7]:
            tree = DependencyTree(heads)
            value = problem.value(tree)
            assert value == float(model.table.astype(float) @ table_of(features.features(example, tree)))
            assert (value / model.granularity).is_integer()
            fires += value != bare.value(tree)
    assert fires > 10


@pytest.mark.parametrize(("treebank", "families"), [(PLAIN, EVERY), (PATTERNED, (PATTERN,))])
def test_differences_are_those_of_the_features(treebank, families):
    features = ParsingFeatures(families, projective=True, bits=BITS)
    for s in treebank:
        example = training_sentence(s, Options(max_heads=None, families=families), None, keep_gold=True)
        gold = features.gold(example)
        for tree in map(DependencyTree, all_trees(len(s), True, True)[::7]):
            apart = features.features(example, gold) - features.features(example, tree)
            np.testing.assert_array_equal(table_of(features.difference(example, gold, tree)), table_of(apart))


def test_averaging_is_the_naive_average():
    options = Options(epochs=3, max_heads=None, bits=12, families=("sibling",), margin=0.0)
    model = train(PLAIN, (), options, solver=by_enumeration)
    features = ParsingFeatures(("sibling",), projective=True, bits=12)
    examples = [training_sentence(s, options, None, keep_gold=True) for s in PLAIN]
    seen = []

    class Recording(StructuredPerceptron[Any, Any, Any]):
        def step(self, weights: Any, example: Any, rng: Any, count: int) -> Any:
            done = super().step(weights, example, rng, count)
            seen.append(weights[TABLE].copy())
            return done

    Recording(features, by_enumeration).fit(examples, epochs=3)
    steps = len(seen)
    power = 2.0 ** np.floor(np.log2(steps))
    np.testing.assert_array_equal(model.table, np.sum(seen, axis=0) / power)
    assert model.granularity == 1 / power


def test_a_margin_counts_wrong_heads():
    features = ParsingFeatures(("grandchild",), projective=True, bits=12)
    example = training_sentence(PLAIN[0], Options(max_heads=None), None, keep_gold=True)
    weights = StructuredPerceptron(features, by_enumeration).fit([example], epochs=1).weights
    plain, augmented = features.problem(weights, example), features.augmented_problem(weights, example, 3.0)
    for heads in all_trees(4, True, True):
        tree = DependencyTree(heads)
        assert augmented.value(tree) == pytest.approx(plain.value(tree) + 3.0 * features.loss(example, tree))


def test_large_totals_are_rounded_to_what_a_float32_holds():
    table, granularity = whole_multiples(np.array([2.0**25 + 1, -3.0, 0.0]), 4)
    assert (table / granularity == np.rint(table / granularity)).all()
    assert table[0] == pytest.approx(2.0**25 + 1, rel=1e-7)
    table, granularity = whole_multiples(np.array([1.25, -0.75]), 12)
    assert granularity == 1 / 8
    assert table.tolist() == [15 / 8, -9 / 8]


@pytest.mark.parametrize("family", EVERY)
@pytest.mark.parametrize("projective", [True, False])
def test_factors_and_trees_name_the_same_parts(family, projective):
    """The parts that the factor scores in a tree are those that the tree lists."""
    s, model = PLAIN[2], fit(families=(), epochs=1)
    rng = np.random.default_rng(4)
    weights = attrs.evolve(model, table=rng.integers(-9, 10, 1 << 14).astype(np.float32))
    problem, bare = weights.problem(s, [family]), weights.problem(s, [])
    atoms, templates = atoms_of(s), FAMILIES[family]
    for heads in all_trees(5, projective, True)[::13]:
        tree = DependencyTree(heads)
        own = part_scorer(atoms, templates, weights.table)(parts_of_tree(family, heads)).sum()
        assert problem.value(tree) - bare.value(tree) == own


@pytest.mark.parametrize("single_root", [True, False])
def test_marginals_are_enumeration(single_root):
    rng = np.random.default_rng(1)
    for n in (1, 2, 4):
        scores = rng.normal(size=(n + 1, n + 1))
        if n == 4:
            scores[2, 3] = -np.inf
        heads = all_trees(n, False, single_root)
        weights = np.exp(scores[heads, np.arange(1, n + 1)].sum(axis=1))
        expected = np.zeros((n + 1, n + 1))
        for tree, weight in zip(heads, weights / weights.sum(), strict=True):
            expected[tree, np.arange(1, n + 1)] += weight
        np.testing.assert_allclose(arc_marginals(scores, single_root), expected, atol=1e-12)


def test_pruning_keeps_the_best_heads_the_root_and_gold():
    marginals = np.random.default_rng(2).random((7, 7))
    mask = prune_mask(marginals, 2, np.array([3, 3, 0, 3, 6, 3]))
    assert mask[0, 1:].all()
    assert not mask.diagonal().any()
    assert not mask[:, 0].any()
    assert mask[[3, 3, 0, 3, 6, 3], np.arange(1, 7)].all()
    for word in range(1, 7):
        others = np.delete(np.arange(7), word)
        assert mask[others[np.argsort(-marginals[others, word])[:2]], word].all()
    assert (prune_mask(marginals, 2).sum(axis=0)[1:] <= 3).all()
    assert prune_mask(marginals, None).sum() == 36


def test_a_pruner_is_trained_saved_and_used(tmp_path):
    model = fit(max_heads=2, families=("grandchild",))
    assert model.pruner is not None
    path = tmp_path / "model.npz"
    model.save(path)
    read = ParserModel.load(path)
    np.testing.assert_array_equal(read.table, model.table)
    np.testing.assert_array_equal(read.pruner.table, model.pruner.table)  # type: ignore[union-attr]
    fields = ("families", "projective", "single_root", "granularity")
    assert all(getattr(read, name) == getattr(model, name) for name in fields)
    for s in PLAIN:
        problem = read.problem(s, max_heads=2)
        assert (np.isfinite(problem.scores).sum(axis=0)[1:] <= 3).all()
        np.testing.assert_array_equal(problem.scores, model.problem(s, max_heads=2).scores)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DamagedFile):
        ParserModel.load(path)


def test_a_resumed_training_gives_the_same_model(tmp_path):
    options = Options(epochs=4, max_heads=2, bits=12, families=("sibling",), patience=9)
    events = Counter()
    finished = Counter()
    whole = train(
        PLAIN,
        PLAIN[:2],
        options,
        solver=by_enumeration,
        progress=lambda stage, event: finished.update([(stage, event.kind)]),
    )
    for epochs in (1, 3, 4):
        parts = train(
            PLAIN,
            PLAIN[:2],
            attrs.evolve(options, epochs=epochs),
            solver=by_enumeration,
            checkpoint=tmp_path / "training.npz",
            progress=lambda stage, event: events.update([(stage, event.kind)]),
        )
    np.testing.assert_array_equal(whole.table, parts.table)
    assert events["parser", "resumed"] == 2
    assert events["parser", "epoch"] == finished["parser", "epoch"] > 1


def test_atoms_are_padded_and_counted():
    atoms = atoms_of(PLAIN[0])
    assert atoms.shape == (5 + 2 * PAD, len(ATOMS))
    verbs, marks = ATOMS.index("verbs"), ATOMS.index("marks")
    assert atoms[PAD:, verbs].tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert atoms[PAD:, marks].tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert len(set(atoms[[0, PAD, PAD + 5], 0].tolist())) == 3
    np.testing.assert_array_equal(atoms, atoms_of(PLAIN[0]))


@pytest.mark.parametrize("text", ["h.colour", "x.tag", "h+9.tag", "between", "verbs(h,x)", "each(h,m).colour"])
def test_wrong_templates_are_named(text):
    with pytest.raises(ValueError, match="template"):
        Templates.of("arc", 0, "h m", "h m", [text])


def test_wrong_sentences_and_families_are_named():
    for arguments, message in (
        (((), (), ()), "at least one word"),
        ((("a",), (), ("_",)), "0 tags"),
        ((("a",), ("X",), ("_",), (1,)), "word 1 has head 1"),
        ((("a",), ("X",), ("_",), (0, 0)), "2 heads"),
    ):
        with pytest.raises(ValueError, match=message):
            Sentence(*arguments)
    with pytest.raises(InvalidProblem, match="'cousin' is no family"):
        fit(families=("cousin",))
    with pytest.raises(InvalidProblem, match="comes twice"):
        fit(families=("sibling", "sibling"))
    with pytest.raises(InvalidProblem, match="no pruner"):
        fit(epochs=1).problem(PLAIN[0], max_heads=3)
    with pytest.raises(InvalidProblem, match="no heads"):
        train([sentence("a/X", ())], (), Options(), solver=by_enumeration)


def test_attachment_with_and_without_punctuation():
    found = attachment(PLAIN[:1], [(2, 3, 0, 1)])
    assert (found.uas, found.uas_without_punctuation) == (0.75, 1.0)
    with pytest.raises(InvalidProblem, match="shape"):
        attachment(PLAIN[:1], [(2, 3)])


@pytest.mark.parametrize("tag", [".", "``", "PU", "XP", "PUNCT"])
def test_every_treebanks_punctuation_is_left_out(tag):
    """XP is the Danish Dependency Treebank's: without it both scores were the same there."""
    found = attachment([sentence(f"a/X ,/{tag}", (0, 1))], [(0, 0)])
    assert (found.uas, found.uas_without_punctuation) == (0.5, 1.0)


def test_the_bootstrap_counts_the_words_that_the_score_counts():
    """A lead in punctuation is none without it."""
    gold, found, baseline = sentence("a/X ,/,", (0, 1)), [np.array([0, 1])] * 20, [np.array([0, 0])] * 20
    assert bootstrap_p_value([gold] * 20, found, baseline, samples=99) < 0.05
    assert bootstrap_p_value([gold] * 20, found, baseline, samples=99, punctuation=False) == 1.0


def test_no_tree_is_no_head_right():
    scores = attachment([PLAIN[0], PLAIN[0]], [(2, 3, 0, 1), None])
    assert (scores.uas, scores.uas_without_punctuation, scores.whole_trees) == (0.375, 0.5, 0.5)
    assert np.isnan(attachment([], []).uas)


def test_the_bootstrap_tells_a_lead_from_chance():
    gold = [np.array(s.heads) for s in PLAIN] * 10
    wrong = [np.full(len(heads), -1) for heads in gold]
    mixed = [heads if i % 2 else other for i, (heads, other) in enumerate(zip(gold, wrong, strict=True))]
    others = [other if i % 2 else heads for i, (heads, other) in enumerate(zip(gold, wrong, strict=True))]
    many = PLAIN * 10
    assert bootstrap_p_value(many, gold, wrong, samples=999) == 0.001
    assert bootstrap_p_value(many, wrong, gold, samples=99) == 1.0
    assert bootstrap_p_value(many, mixed, others, samples=999) > 0.05


def test_a_first_order_model_gives_marginals():
    atoms = atoms_of(PLAIN[0])
    for projective in (True, False):
        marginals = FirstOrder(np.zeros(16, np.float32), projective).marginals(atoms)
        np.testing.assert_allclose(marginals.sum(axis=0), [0, 1, 1, 1, 1], atol=1e-12)


def test_pruning_always_leaves_a_tree():
    """The two likeliest heads of each of these words hold no projective tree, nor a single tree with one root."""
    marginals = np.zeros((7, 7))
    for m, pair in enumerate([(4, 5), (5, 6), (6, 5), (1, 2), (1, 2), (2, 1)], start=1):
        marginals[pair, m] = 0.6, 0.4
    for projective in (True, False):
        mask = prune_mask(marginals, 2, projective=projective)
        heads = exact_tree(ParsingProblem(np.where(mask, 0.0, -np.inf), projective=projective)).heads
        assert (heads == 0).sum() == 1


@pytest.mark.parametrize("families", [(), ("adjacent-sibling",), ("grandchild", "sibling", "comb")])
@pytest.mark.parametrize("projective", [True, False])
def test_training_decodes_exactly(families, projective):
    if not projective and "adjacent-sibling" in families:
        families = ("sibling",)
    model = fit(families=families, projective=projective, epochs=2)
    for s in PLAIN:
        problem = model.problem(s)
        assert problem.value(exact_tree(problem)) == problem.value(by_enumeration(problem))


def test_training_says_where_no_tree_is():
    scores = np.full((3, 3), -np.inf)
    scores[1, 2] = scores[2, 1] = 0.0
    with pytest.raises(NoSolution):
        exact_tree(ParsingProblem(scores, projective=True))


def test_long_sentences_are_refused_before_the_memory_is_full():
    candidates = prune_mask(np.zeros((77, 77)), None)
    with pytest.raises(InvalidProblem, match=r"76 words is too long for grand-sibling.* at most 75 words"):
        factor_of("grand-sibling", candidates, lambda parts: np.zeros(len(parts)))


def test_a_model_of_other_templates_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "model.npz"
    fit(families=("grandchild", "sibling"), epochs=1).save(path)
    other = Templates.of("sibling", 2000, "h a b", "a b", ["order h.tag a.tag b.tag"])
    monkeypatch.setitem(FAMILIES, "sibling", other)
    with pytest.raises(InvalidProblem, match=r"model\.npz: trained with other templates of sibling than"):
        ParserModel.load(path)


@pytest.mark.parametrize("stage", ["pruner", "parser"])
def test_an_interrupted_training_gives_no_parser_but_goes_on_later(stage, tmp_path):
    """It gave the half-trained one, which the job stored while it removed the checkpoint."""
    options = Options(projective=False, epochs=2, max_heads=2, bits=12)
    checkpoint = tmp_path / "m.epochs"

    def impatient(now: str, event: Any) -> None:
        if now == stage and event.kind == "epoch" and event.epoch == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(PLAIN, (), options, solver=by_enumeration, checkpoint=checkpoint, progress=impatient)
    assert list(tmp_path.iterdir())
    resumed = train(PLAIN, (), options, solver=by_enumeration, checkpoint=checkpoint)
    np.testing.assert_array_equal(resumed.table, train(PLAIN, (), options, solver=by_enumeration).table)
