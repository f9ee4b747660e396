"""The parsing benchmark runs, and what it times is right."""

import json

import numpy as np
import pytest

import gapless as gl
from gapless.cli import exit_codes, main
from gapless_tasks.parsing_benchmark import kernel_timing
from gapless_tasks.parsing_benchmark.measurement import prepared
from gapless_tasks.parsing_benchmark.synthetic import peaked


def test_it_runs_on_the_embedded_treebank(capsys, tmp_path):
    pytest.importorskip("conllu")
    asked = ["run", "parsing-benchmark", "--sentences", "4", "--epochs", "1", "--cache", str(tmp_path), "--json"]
    assert main(asked) == exit_codes.PROVED
    found = json.loads(capsys.readouterr().out)
    values = {(line["what"], line["scores"]): line["value"] for line in found["lines"]}
    assert values["decode only, k = 10", "embedded"]["median"] > 0
    assert values["proved within 10 s each", "embedded"]["median"] == 100
    assert ("decode only, k = 10", "drawn, peaked (easier)") in values
    assert found["disagreements"] == []
    stored = (tmp_path / "embedded.npz").read_bytes()
    assert main(asked) == exit_codes.PROVED
    assert (tmp_path / "embedded.npz").read_bytes() == stored


def test_drawn_sentences_are_projective_problems_with_a_tree():
    for problem in peaked(5, seed=1):
        result = gl.solve(prepared(problem))
        assert result.proved
        assert result.verify(problem)
        assert 8 <= problem.length <= 40
        assert all(factor.scored == len(factor.scopes) for factor in problem.conjunctions)


def test_all_heads_can_be_kept():
    assert all(p.decisions.count == p.length**2 for p in peaked(3, heads_kept=None))


def test_kernels_take_turns_and_agree():
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(12, 12)) for _ in range(5)]
    times = kernel_timing.seconds({"a": (np.sum, weights), "b": (np.max, weights)}, 3)
    assert all(found.shape == (3,) and (found > 0).all() for found in times.values())
    assert kernel_timing.disagreements(weights) == 0
    assert kernel_timing.eisner_microseconds([], 1) is None
