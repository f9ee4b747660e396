"""The parsing benchmark runs, and what it times is right."""

import json
import sys
import types

import numpy as np
import pytest

import gapless as gl
from benchmarks.__main__ import main
from benchmarks.frame.marks import ALONE, FROM_ARRAYS
from benchmarks.parsing import kernel_timing
from benchmarks.parsing.measurement import prepared
from benchmarks.parsing.synthetic import peaked
from gapless.cli import exit_codes
from gapless_dependency import ArcConjunctions, GreatGrandchild, ParsingProblem
from gapless_kernels import INSTRUCTION_SET
from gapless_tasks.parsing.sentence_arrays import SentenceArrays


def test_it_runs_on_the_embedded_treebank(capsys, tmp_path):
    pytest.importorskip("conllu")
    asked = ["parsing", "--sentences", "4", "--epochs", "1", "--cache", str(tmp_path), "--json"]
    assert main(asked) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    values = {(line["what"], line["scores"]): line["value"] for line in found["lines"]}
    for what in ("k = 10", "unpruned"):
        whole, alone = (values[f"{what}, {how}", "embedded"]["median"] for how in (FROM_ARRAYS, ALONE))
        assert 0 < whole < alone
    assert found["machine"]["instruction_set"] == INSTRUCTION_SET
    assert values["proved within 10 s each", "embedded"]["median"] == 100
    assert (f"k = 10, {FROM_ARRAYS}", "drawn, peaked (easier)") in values
    assert found["disagreements"] == []
    stored = (tmp_path / "embedded.npz").read_bytes()
    assert main(asked) == exit_codes.PROVED
    assert (tmp_path / "embedded.npz").read_bytes() == stored
    assert main(["parsing", "--sentences", "4", "--epochs", "2", "--cache", str(tmp_path)]) == 2
    assert "embedded.npz was trained in another way (epochs 1, not 2)" in capsys.readouterr().err


def test_drawn_sentences_are_projective_problems_with_a_tree():
    for problem in peaked(5, seed=1):
        result = gl.solve(prepared(problem))
        assert result.proved
        assert result.verify(problem)
        assert 8 <= problem.length <= 40
        assert all(factor.scored == len(factor.scopes) for factor in problem.conjunctions)


def test_all_heads_can_be_kept():
    assert all(p.decisions.count == p.length**2 for p in peaked(3, max_heads=None))


def test_kernels_take_turns_and_agree():
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(12, 12)) for _ in range(5)]
    times = kernel_timing.seconds({"a": (np.sum, weights), "b": (np.max, weights)}, 3)
    assert all(found.shape == (3,) and (found > 0).all() for found in times.values())
    assert kernel_timing.disagreements(weights) == 0
    assert kernel_timing.eisner_microseconds([], 1) is None


def test_the_arrays_of_a_sentence_make_the_same_problem():
    for problem in peaked(2, seed=2):
        arrays = SentenceArrays.of(prepared(problem))
        again = arrays.problem()
        assert all(factor.scored == 0 for factor in again.conjunctions), (
            "nothing is looked up before the clock runs"
        )
        result = gl.solve(again)
        assert result.value == gl.solve(problem).value
        assert result.verify(problem)


def test_factors_that_are_no_dense_arrays_stay_in_the_problem():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(5,) * 4)
    asked = []

    def score(*positions):
        asked.append(len(positions[0]))
        return scores[positions]

    pair = ArcConjunctions([[[0, 1], [1, 2]]], [1.0])
    problem = ParsingProblem(rng.normal(size=(5, 5)), factors=[GreatGrandchild(score), pair])
    arrays = SentenceArrays.of(problem)
    best = gl.solve(problem).value
    asked.clear()
    assert gl.solve(arrays.problem()).value == best
    assert asked == [], "the model is not asked while the clock runs"


def test_ufal_is_timed_from_the_same_arrays(monkeypatch):
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(9, 9)) for _ in range(3)]
    given = []

    def peer(turned):
        given.append(turned)
        return [-1, *([0] * 8)], 0.0

    module = types.SimpleNamespace(chu_liu_edmonds=peer)
    monkeypatch.setitem(sys.modules, "ufal", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "ufal.chu_liu_edmonds", module)
    found = kernel_timing.beside_ufal(weights, 2)
    assert all((times.seconds > 0).all() for both in found for times in (both.from_arrays, both.alone))
    assert all(np.array_equal(turned, weights[0].T) for turned in given[:1])
    assert kernel_timing.beside_ufal([], 2) is None
