"""The loop: dev, patience, progress, checkpoints, kill -9, Ctrl-C."""

import json
import os
import signal
import sys
import textwrap

import numpy as np
import patience
import pytest
from drawn import long

import gapless as gl
from gapless.learn import (
    DamagedFile,
    SampleRank,
    StructuredPerceptron,
    StructuredSVM,
    Weights,
    read_archive,
    write_archive,
)


@pytest.fixture(params=["perceptron", "svm", "samplerank"])
def trainer(request, task):
    def make(features):
        if request.param == "perceptron":
            return StructuredPerceptron(features, task.solver, margin=1.0)
        if request.param == "svm":
            return StructuredSVM(features, task.solver, oracle=task.oracle, l2=0.3)
        return SampleRank(features, task.solver, proposals=20)

    return make


def test_a_seed_decides_everything(task, trainer):
    features, examples = task.make(12, noise=0.3)
    first, second, third = (trainer(features).fit(examples, epochs=2, seed=s).weights for s in (3, 3, 4))
    np.testing.assert_array_equal(first.values, second.values)
    assert not np.array_equal(first.values, third.values)


def test_a_resumed_training_gives_the_same_weights(task, trainer, tmp_path):
    features, examples = task.make(10, noise=0.3)
    dev = examples[:3]
    path = tmp_path / "training.npz"
    whole = trainer(features).fit(examples, dev, epochs=5, seed=1, patience=9)
    parts = None
    events = []
    for epochs in (1, 2, 4, 5, 5):
        parts = trainer(features).fit(
            examples, dev, epochs=epochs, seed=1, patience=9, checkpoint=path, progress=events.append
        )
    assert parts is not None
    np.testing.assert_array_equal(whole.weights.values, parts.weights.values)
    assert parts.history == whole.history
    assert parts.epoch == whole.epoch
    assert [e.epoch for e in events if e.kind == "resumed"] == [1, 2, 4, 5][: len(whole.history)]
    assert [e.epoch for e in events if e.kind == "epoch"] == list(range(1, len(whole.history) + 1))
    assert [entry.name for entry in tmp_path.iterdir()] == ["training.npz"]


KILLED = textwrap.dedent("""
    import json, os, signal, sys
    import numpy as np
    from gapless.learn import Blocks, FeatureMap, StructuredPerceptron, StructuredSVM

    class Signs(FeatureMap):
        blocks = Blocks({"w": (5, 3), "bias": (3,)})
        def gold(self, example): return example[1]
        def problem(self, weights, example): return example[0] @ weights["w"] + weights["bias"]
        def loss(self, example, structure): return float(structure != example[1])
        def features(self, example, structure):
            return self.blocks.vector(
                w=((np.arange(5), np.full(5, structure)), example[0]), bias=(np.array([structure]), 1.0))

    def oracle(scores, gold, margin):
        others = np.where(np.arange(3) == gold, -np.inf, scores)
        found = int(others.argmax())
        return found if others[found] >= scores[gold] - margin else None

    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(60, 5))
    examples = [(x, int(rng.integers(3))) for x in inputs]
    name, path, kill = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    trainer = {
        "perceptron": lambda: StructuredPerceptron(Signs(), lambda scores: int(scores.argmax())),
        "svm": lambda: StructuredSVM(Signs(), lambda scores: int(scores.argmax()), oracle=oracle, l2=0.5),
    }[name]()

    def progress(event):
        if kill and [event.kind, event.epoch, event.done] == kill:
            os.kill(os.getpid(), signal.SIGKILL)

    fitted = trainer.fit(examples, examples[:20], epochs=6, patience=6, seed=8,
                         checkpoint=path or None, progress=progress)
    print(json.dumps([fitted.weights.values.tolist(), fitted.epoch, len(fitted.history)]))
""")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
@pytest.mark.parametrize("name", ["perceptron", long("svm")])
def test_kill_9_loses_the_unfinished_epoch_only(tmp_path, name):
    script = tmp_path / "train.py"
    script.write_text(KILLED)
    path = tmp_path / "checkpoint.npz"

    def run(checkpoint, kill):
        command = [sys.executable, str(script), name, checkpoint, json.dumps(kill)]
        return patience.run(command)

    whole = run("", None)
    assert whole.returncode == 0, whole.stderr
    for epoch in (1, 3, 5):
        killed = run(str(path), ["examples", epoch, 30])
        assert killed.returncode == -signal.SIGKILL
        assert killed.stdout == ""
        if epoch > 1:
            _, data = read_archive(path, "checkpoint")
            assert len(data["history"]) == epoch - 1
    ended = run(str(path), None)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == whole.stdout


def test_ctrl_c_gives_the_best_finished_epoch(task, trainer):
    features, examples = task.make(12, noise=0.3)

    def press(event):
        if event.kind == "examples" and event.epoch == 3 and event.done >= 6:
            raise KeyboardInterrupt

    cut = trainer(features).fit(examples, epochs=9, progress=press)
    assert cut.reason == "interrupted"
    assert len(cut.history) == cut.epoch == 2
    two = trainer(features).fit(examples, epochs=2)
    np.testing.assert_array_equal(cut.weights.values, two.weights.values)


def test_ctrl_c_by_a_signal_inside_a_solver(toy):
    features, examples = toy(10, noise=0.3)
    calls = []

    def solver(problem):
        calls.append(1)
        if len(calls) == 25:
            os.kill(os.getpid(), signal.SIGINT)
        return gl.solve(problem).best

    cut = StructuredPerceptron(features, solver).fit(examples, epochs=50)
    assert cut.reason == "interrupted"
    assert len(cut.history) == 2


def test_ctrl_c_before_the_first_epoch_ended(toy):
    features, examples = toy(3)

    def solver(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        StructuredPerceptron(features, solver).fit(examples)


def test_the_best_epoch_on_dev_is_kept_and_patience_ends(toy):
    features, examples = toy(8, noise=0.5)
    scores = iter([1.0, 3.0, 2.0, 3.0, 0.0])
    fitted = StructuredPerceptron(features).fit(
        examples, ["dev"], scorer=lambda _weights, _dev: next(scores), epochs=9, patience=3
    )
    assert fitted.reason == "patience"
    assert fitted.epoch == 2
    assert [r.score for r in fitted.history] == [1.0, 3.0, 2.0, 3.0, 0.0]
    two = StructuredPerceptron(features).fit(examples, epochs=2)
    np.testing.assert_array_equal(fitted.weights.values, two.weights.values)


def test_scores_that_are_not_numbers_do_not_lose_the_model(toy):
    features, examples = toy(4, noise=0.5)
    fitted = StructuredPerceptron(features).fit(examples, [1], scorer=lambda *_: float("nan"), epochs=2)
    assert fitted.epoch == 1


def test_the_default_score_is_minus_the_mean_loss(toy):
    features, examples = toy(8, noise=0.5)
    fitted = StructuredPerceptron(features).fit(examples, examples[:4], epochs=1)
    losses = [features.loss(x, gl.solve(features.problem(fitted.weights, x)).best) for x in examples[:4]]
    assert fitted.history[0].score == -sum(losses) / 4


def test_progress_counts_up_inside_each_epoch(toy):
    features, examples = toy(45, noise=0.5)
    events = []
    StructuredPerceptron(features).fit(examples, epochs=2, progress=events.append)
    first = [e for e in events if e.epoch == 1]
    assert [e.kind for e in first[-2:]] == ["examples", "epoch"]
    assert len(first) > 15
    done = [e.done for e in first]
    assert done == sorted(done)
    assert done[-1] == 45
    assert first[-2].report.updates <= first[-1].report.updates


def test_an_error_in_a_callback_is_not_hidden(toy):
    features, examples = toy(3)

    def progress(_):
        raise RuntimeError("my own")

    with pytest.raises(RuntimeError, match="my own"):
        StructuredPerceptron(features).fit(examples, progress=progress)


@pytest.fixture
def stored(toy, tmp_path):
    features, examples = toy(6, noise=0.4)
    path = tmp_path / "c.npz"
    StructuredPerceptron(features).fit(examples, epochs=3, checkpoint=path)
    return features, examples, path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 1}, "seed"),
        ({"dev": 2}, "dev"),
        ({"fewer": 2}, "examples"),
        ({"margin": 1.0}, "margin"),
        ({"average": False}, "average"),
        ({"dtype": np.float32}, "dtype"),
        ({"others": True}, "sampled features"),
        ({"svm": True}, "trainer"),
    ],
)
def test_a_checkpoint_of_another_training_is_refused(stored, change, words):
    features, examples, path = stored
    kept = dict(change)
    seed, dev = kept.pop("seed", 0), examples[: kept.pop("dev", 0)]
    examples = examples[kept.pop("fewer", 0) :]
    if kept.pop("others", False):
        examples = [(words, (gold + 1) % 3) for words, gold in examples]
    made = StructuredSVM(features) if kept.pop("svm", False) else StructuredPerceptron(features, **kept)
    with pytest.raises(gl.InvalidProblem, match=rf"another training, which differs in: .*{words}.*resume=False"):
        made.fit(examples, dev, epochs=4, seed=seed, checkpoint=path)


def test_resume_false_begins_anew(stored):
    features, examples, path = stored
    fitted = StructuredPerceptron(features).fit(examples, epochs=1, seed=5, checkpoint=path, resume=False)
    assert len(fitted.history) == 1
    with pytest.raises(gl.InvalidProblem, match="differs in: seed"):
        StructuredPerceptron(features).fit(examples, epochs=4, checkpoint=path)


def test_a_checkpoint_with_more_epochs_than_asked(stored):
    features, examples, path = stored
    _, data = read_archive(path, "checkpoint")
    if len(data["history"]) > 1:
        with pytest.raises(gl.InvalidProblem, match="more than epochs=1"):
            StructuredPerceptron(features).fit(examples, epochs=1, checkpoint=path)


def test_damaged_checkpoints(stored):
    features, examples, path = stored
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedFile, match="damaged"):
        StructuredPerceptron(features).fit(examples, epochs=4, checkpoint=path)
    path.write_bytes(whole)
    arrays, data = read_archive(path, "checkpoint")
    for broken in ({"best_epoch": 99}, {"random": {}}, {"weights": {}}, {"history": [{"epoch": 1}]}):
        write_archive(path, "checkpoint", arrays, data | broken)
        with pytest.raises(DamagedFile, match="contradicts itself"):
            StructuredPerceptron(features).fit(examples, epochs=4, checkpoint=path)
    Weights(features.blocks).save(path)
    with pytest.raises(DamagedFile, match="expected 'checkpoint'"):
        StructuredPerceptron(features).fit(examples, epochs=4, checkpoint=path)


@pytest.mark.parametrize("options", [{"epochs": 0}, {"patience": 0}])
def test_bad_arguments(toy, options):
    features, examples = toy(2)
    with pytest.raises(gl.InvalidProblem, match="at least 1"):
        StructuredPerceptron(features).fit(examples, **options)
    with pytest.raises(gl.InvalidProblem, match="no training examples"):
        StructuredPerceptron(features).fit([])


def test_other_dev_examples_of_the_same_number_are_another_training(toy, tmp_path):
    features, examples = toy(8, noise=0.4)
    path = tmp_path / "c.npz"
    trainer = StructuredPerceptron(features)
    trainer.fit(examples[:4], examples[4:6], epochs=1, checkpoint=path)
    with pytest.raises(gl.InvalidProblem, match="differs in: dev"):
        trainer.fit(examples[:4], examples[6:], epochs=2, checkpoint=path)
    named = {"scorer": lambda *_: 1.0, "epochs": 2, "checkpoint": tmp_path / "named.npz"}
    trainer.fit(examples[:4], [1], dev_identity="a", **named)
    with pytest.raises(gl.InvalidProblem, match="differs in: dev"):
        trainer.fit(examples[:4], [1], dev_identity="b", **named)


def test_a_solver_may_return_a_result(toy):
    features, examples = toy(6, noise=0.4)
    plain = StructuredPerceptron(features).fit(examples, epochs=2)
    whole = StructuredPerceptron(features, gl.solve).fit(examples, epochs=2)
    np.testing.assert_array_equal(plain.weights.values, whole.weights.values)
    with pytest.raises(gl.InvalidProblem, match="a solver returns a structure; write lambda"):
        StructuredPerceptron(features, lambda _: None).fit(examples)


def test_generators_are_examples(toy):
    features, examples = toy(6, noise=0.4)
    listed = StructuredPerceptron(features).fit(examples, examples[:2], epochs=2)
    drawn = StructuredPerceptron(features).fit(iter(examples), iter(examples[:2]), epochs=2)
    np.testing.assert_array_equal(listed.weights.values, drawn.weights.values)


def test_classes_and_broken_numbers_are_named(toy):
    features, examples = toy(2)
    for trainer in (StructuredPerceptron, StructuredSVM, SampleRank):
        with pytest.raises(gl.InvalidProblem, match="is the class Chains; pass an instance"):
            trainer(type(features))
    for options in ({"epochs": 2.5}, {"epochs": True}, {"patience": "3"}):
        with pytest.raises(gl.InvalidProblem, match="must be a whole number"):
            StructuredPerceptron(features).fit(examples, **options)
