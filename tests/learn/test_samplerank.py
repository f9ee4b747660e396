"""SampleRank: proposals, corrections, and what it learns without decoding."""

import numpy as np
import pytest

import gapless as gl
from gapless.learn import SampleRank, TrainingWeights, change_one
from gapless.testing.examples import Selection
from gapless_chains import ChainProblem


def never(_):
    raise AssertionError("SampleRank does not decode")


def test_it_learns_without_decoding(task):
    features, examples = task.make(40)
    train, test = examples[:30], examples[30:]
    fitted = SampleRank(features, never, proposals=30).fit(train, epochs=6)
    assert fitted.history[-1].loss < 0.5 * fitted.history[0].loss

    def wrong(weights, examples):
        return sum(features.loss(x, task.solver(features.problem(weights, x))) for x in examples)

    untrained = TrainingWeights(features.blocks).current()
    assert wrong(fitted.weights, test) < 0.35 * wrong(untrained, test)


def test_a_correction_is_that_of_the_paper(toy):
    features, _ = toy(1)
    example = (np.array([1, 2]), np.array([0, 1]))
    worse = np.array([0, 2])
    asked = []

    def proposal(problem, structure, rng):
        del problem, rng
        asked.append(structure)
        return worse

    trainer = SampleRank(features, proposal=proposal, proposals=1, rate=0.25, temperature=0.0)
    weights = TrainingWeights(features.blocks)
    step = trainer.step(weights, example, np.random.default_rng(0), 1)
    assert step.updates == step.loss == 1
    np.testing.assert_array_equal(asked[0], example[1])
    wanted = features.difference(example, example[1], worse).merged().parts
    for name, (places, values) in wanted.items():
        np.testing.assert_array_equal(weights[name].ravel()[places], 0.25 * values)
        assert np.count_nonzero(weights[name]) == places.size
    # Now gold wins by 0.25 * 6, more than the difference in loss: nothing is left to correct.
    assert trainer.step(weights, example, np.random.default_rng(0), 1).updates == 0


def test_ties_in_loss_teach_nothing(toy):
    features, _ = toy(1)
    example = (np.array([1]), np.array([0]))
    walk = iter([np.array([1]), np.array([2])])
    trainer = SampleRank(features, proposal=lambda *_: next(walk), proposals=2, temperature=1e9)
    weights = TrainingWeights(features.blocks)
    assert trainer.step(weights, example, np.random.default_rng(0), 1).updates == 1


def test_acceptance_follows_the_temperature(toy):
    features, _ = toy(1)
    rng = np.random.default_rng(0)
    cold, warm = SampleRank(features, temperature=0.0), SampleRank(features, temperature=2.0)
    assert cold._accepts(0.0, rng)
    assert not cold._accepts(-1e-9, rng)
    assert warm._accepts(0.0, rng)
    assert not warm._accepts(-1e9, rng)
    share = np.mean([warm._accepts(-2.0, rng) for _ in range(20_000)])
    assert share == pytest.approx(np.exp(-1.0), abs=0.02)


def test_change_one_reaches_every_neighbour_and_nothing_else():
    rng = np.random.default_rng(1)
    chain = ChainProblem(np.zeros((3, 3)), np.zeros((3, 3)))
    here = np.array([0, 1, 2])
    seen = {tuple(change_one(chain, here, rng)) for _ in range(300)}
    assert len(seen) == 6
    assert all(np.count_nonzero(np.array(s) != here) == 1 for s in seen)

    loose = Selection([1.0] * 4, [[1.0] * 4], [2.0])
    drawn = [change_one(loose, (0, 2), rng) for _ in range(300)]
    assert {s for s in drawn if s is not None} == {(0,), (2,)}  # the capacity has no room for a third
    assert None in drawn
    grouped = Selection([1.0] * 3, [[1.0] * 3], [3.0], ((0, 1), (2,)))
    drawn = [change_one(grouped, (0, 2), rng) for _ in range(100)]
    assert {s for s in drawn if s is not None} == {(1, 2)}


def test_the_number_of_proposals_may_depend_on_the_structure(toy):
    features, examples = toy(4)
    counts = []

    def proposal(problem, structure, rng):
        counts.append(len(structure))
        return change_one(problem, structure, rng)

    SampleRank(features, never, proposal=proposal, proposals=lambda gold: 3 * len(gold)).fit(examples, epochs=1)
    assert len(counts) == 3 * sum(len(gold) for _, gold in examples)


@pytest.mark.parametrize("options", [{"margin": -1.0}, {"rate": 0.0}, {"temperature": float("nan")}])
def test_bad_options(toy, options):
    with pytest.raises(gl.InvalidProblem, match="finite"):
        SampleRank(toy(1)[0], **options)
