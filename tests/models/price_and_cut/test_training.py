"""Training: the right gradient, the same weights each time, stored whole or not at all."""

import zipfile

import attrs
import numpy as np
import pytest
from drawn import mostly_long

import gapless as gl
from gapless.learn import DamagedFile, TrainingWeights, Weights
from gapless_dependency import ParsingProblem
from gapless_dependency.enumeration import tree_scores
from gapless_dependency.tree import crossing
from gapless_models.parsing import Sentence, attachment
from gapless_models.parsing.parser_model import all_arcs
from gapless_models.parsing.templates import atoms_of
from gapless_models.parsing.treebank import embedded_treebank
from gapless_models.price_and_cut import GrandparentModel, TokenClasses, Training, train, training
from gapless_models.price_and_cut.likelihood import (
    ARCS,
    GRANDPARENTS,
    BeliefLikelihood,
    Example,
    GrandparentFeatures,
    parts_among,
)
from gapless_models.price_and_cut.model import GRANULARITY

TREEBANK = embedded_treebank().first(30)
QUICK = Training(epochs=3, fine=6, words=10, least=3)
SHORT = Sentence(
    ("she", "sees", "him", "."), ("PRP", "VBZ", "PRP", "."), ("PRON", "VERB", "PRON", "PUNCT"), (2, 0, 2, 2)
)


@pytest.fixture(scope="module")
def model():
    return train(TREEBANK.train, TREEBANK.dev, QUICK, record={"said": "so"})


def features_and_example(bits=12):
    classes = TokenClasses.of(TREEBANK.train, fine=4, words=5, least=3)
    features = GrandparentFeatures(classes, projective=False, single_root=True, bits=bits)
    example = Example(
        atoms_of(SHORT), np.array(SHORT.heads), all_arcs(len(SHORT)), tokens=classes.of_sentence(SHORT)
    )
    return features, example


def random_weights(features, arcs=0.1, parts=0.0):
    weights = TrainingWeights(features.blocks, average=False)
    rng = np.random.default_rng(0)
    for name, size in ((ARCS, arcs), (GRANDPARENTS, parts)):
        (length,) = features.blocks[name]
        values = rng.normal(scale=size, size=length)
        weights.add(features.blocks.vector(**{name: (np.arange(length), values)}))
    return weights


def log_likelihood(features, example, weights, margin=0.0):
    problem = features.augmented_problem(weights, example, margin)
    heads, scores = tree_scores(problem)
    gold = np.flatnonzero((heads == example.heads).all(axis=1))
    top = scores.max()
    return float(scores[gold[0]] - top - np.log(np.exp(scores - top).sum()))


@pytest.mark.parametrize("margin", [0.0, 2.0])
def test_a_step_follows_the_gradient_of_the_likelihood_where_parts_score_nothing(margin):
    features, example = features_and_example()
    weights = random_weights(features)
    before = Weights.of({name: weights[name].copy() for name in features.blocks})
    trainer = BeliefLikelihood(features, rate=1e-3, l2=0.0, margin=margin)
    trainer.step(weights, example, np.random.default_rng(0), 1)
    moved = (weights[ARCS] - before[ARCS]) / 1e-3
    assert np.abs(moved).max() > 0.1
    for place in np.argsort(-np.abs(moved))[:12].tolist():
        sides = []
        for sign in (1, -1):
            table = before[ARCS].copy()
            table[place] += sign * 1e-4
            nearby = Weights.of({ARCS: table, GRANDPARENTS: before[GRANDPARENTS]})
            sides.append(log_likelihood(features, example, nearby, margin))
        # Arcs whose probability is right within 0.001 are passed over, in each of a few features of one place.
        assert moved[place] == pytest.approx((sides[0] - sides[1]) / 2e-4, abs=0.01)


def test_steps_raise_the_likelihood_and_make_the_gold_tree_the_best():
    features, example = features_and_example()
    weights = random_weights(features, parts=0.2)
    trainer = BeliefLikelihood(features)
    start = log_likelihood(features, example, weights)
    losses = []
    for _ in range(30):
        losses.append(trainer.step(weights, example, np.random.default_rng(0), 1).loss)
        weights.end_step()
    assert log_likelihood(features, example, weights) > start
    assert losses[-1] < 0.1 * losses[0]
    assert gl.solve(features.problem(weights, example)).best == features.gold(example)


def test_the_penalty_shrinks_the_weights_of_parts_only():
    features, example = features_and_example()
    norms = []
    for l2 in (0.0, 50.0):
        weights = random_weights(features, parts=0.2)
        BeliefLikelihood(features, l2=l2).step(weights, example, np.random.default_rng(0), 1)
        norms.append([float(np.square(weights[name]).sum()) for name in (ARCS, GRANDPARENTS)])
    assert norms[1][1] < 0.1 * norms[0][1]
    assert norms[1][0] == norms[0][0]


def test_the_parts_of_training_are_those_of_the_candidate_arcs():
    _, example = features_and_example()
    few = all_arcs(len(SHORT))
    few[3] = False
    g, p, _ = parts_among(attrs.evolve(example, candidates=few))
    assert 3 not in p
    assert 3 not in g
    assert len(g) == sum(
        few[a, b] and few[b, d] and a != d for a in range(5) for b in range(1, 5) for d in range(1, 5)
    )


def test_a_problem_scores_what_the_features_say():
    features, example = features_and_example()
    weights = random_weights(features, parts=0.2)
    problem = features.problem(weights, example)
    for heads in ((2, 0, 2, 2), (0, 1, 2, 3), (4, 1, 1, 0)):
        tree = problem.tree(heads)
        assert problem.value(tree) == pytest.approx(weights.dot(features.features(example, tree)))
        wrong = sum(a != b for a, b in zip(heads, SHORT.heads, strict=True))
        augmented = features.augmented_problem(weights, example, 3.0)
        assert augmented.value(tree) == pytest.approx(problem.value(tree) + 3.0 * wrong)


@pytest.mark.parametrize("learner", mostly_long(training.LEARNERS, quick=[0]))
def test_models_parse_what_they_learnt(learner):
    found = train(TREEBANK.train, TREEBANK.dev, attrs.evolve(QUICK, learner=learner))
    heads = [gl.solve(found.problem(sentence)).best.heads for sentence in TREEBANK.train]
    assert attachment(TREEBANK.train, heads).uas > 0.95


def test_a_projective_model_learns_from_projective_trees():
    found = train(TREEBANK.train, (), attrs.evolve(QUICK, projective=True, epochs=1))
    tree = gl.solve(found.problem(TREEBANK.test[0])).best
    assert crossing(tree.heads) is None
    crossed = [sentence for sentence in TREEBANK.train if crossing(np.array(sentence.heads)) is not None]
    assert crossed
    with pytest.raises(gl.InvalidProblem, match="without crossing arcs"):
        train(crossed, (), attrs.evolve(QUICK, projective=True))


@pytest.mark.long
def test_the_same_arguments_give_the_same_weights_resumed_or_not(tmp_path, model):
    stopped = tmp_path / "m.npz.epochs"

    def stop(stage, event):
        if stage == "parser" and event.kind == "epoch" and event.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TREEBANK.train, TREEBANK.dev, QUICK, checkpoint=stopped, progress=stop)
    assert stopped.exists()
    seen = []
    again = train(
        TREEBANK.train, TREEBANK.dev, QUICK, checkpoint=stopped, progress=lambda *event: seen.append(event)
    )
    assert any(stage == "parser" and event.kind == "resumed" for stage, event in seen)
    assert np.array_equal(again.arcs, model.arcs)
    assert np.array_equal(again.tables.weights, model.tables.weights)


def test_stored_models_score_as_before(tmp_path, model):
    model.save(tmp_path / "m.npz")
    again = GrandparentModel.load(tmp_path / "m.npz")
    assert again.training == {"said": "so"}
    assert (again.projective, again.single_root) == (model.projective, model.single_root)
    for sentence in TREEBANK.test[:3]:
        one, other = model.problem(sentence), again.problem(sentence)
        assert np.array_equal(one.scores, other.scores)
        assert np.array_equal(one.conjunctions[0].all_scores(), other.conjunctions[0].all_scores())


def test_scores_are_multiples_of_the_granularity(model):
    problem = model.problem(TREEBANK.test[0])
    assert problem.granularity == GRANULARITY
    scores = np.concatenate([problem.arc_weights, problem.conjunctions[0].all_scores()]) / GRANULARITY
    assert np.array_equal(scores, np.rint(scores))


def test_heads_may_be_left_out(model):
    sentence = TREEBANK.test[0]
    few = all_arcs(len(sentence))
    few[2, 1] = False
    problem = model.problem(sentence, heads=few)
    assert problem.scores[2, 1] == -np.inf
    assert problem.scores[1, 2] > -np.inf


def test_damaged_files_are_refused(tmp_path, model):
    path = tmp_path / "m.npz"
    model.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedFile, match="m\\.npz"):
        GrandparentModel.load(path)
    weights = attrs.evolve(model.tables, weights=model.tables.weights[:-1])
    attrs.evolve(model, tables=weights).save(path)
    with pytest.raises(DamagedFile, match="weights of grandparent parts"):
        GrandparentModel.load(path)
    np.savez(path, a=np.zeros(3))
    assert zipfile.is_zipfile(path)
    with pytest.raises(DamagedFile):
        GrandparentModel.load(path)


def test_models_of_other_templates_are_refused(tmp_path, model, monkeypatch):
    model.save(tmp_path / "m.npz")
    monkeypatch.setattr("gapless_models.parsing.parser_model.template_digests", lambda families: {"arc": "other"})
    with pytest.raises(gl.InvalidProblem, match="other templates of arc"):
        GrandparentModel.load(tmp_path / "m.npz")


def test_bad_options_are_refused():
    with pytest.raises(gl.InvalidProblem, match="learner='guess'"):
        train(TREEBANK.train, (), attrs.evolve(QUICK, learner="guess"))
    with pytest.raises(gl.InvalidProblem, match="at most 1 words"):
        train(TREEBANK.train, (), attrs.evolve(QUICK, longest=1))
    features, _ = features_and_example()
    for wrong in ({"rate": 0.0}, {"pace": np.inf}, {"l2": -1.0}, {"margin": -1.0}, {"rounds": 0}):
        with pytest.raises(gl.InvalidProblem, match=next(iter(wrong))):
            BeliefLikelihood(features, **wrong)


def test_a_problem_is_of_all_arcs(model):
    problem = model.problem(TREEBANK.test[0])
    assert isinstance(problem, ParsingProblem)
    assert problem.decisions.count == problem.length**2
    assert problem.conjunctions[0].scored == 0
