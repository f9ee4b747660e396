"""The benchmark runs on the embedded treebank, and says what it could not measure."""

import json
import sys

import attrs
import pytest

from benchmarks.__main__ import main
from benchmarks.frame.marks import ALONE, FROM_ARRAYS, UNJUDGED
from benchmarks.price_and_cut import agreement, endurance, highs_peer, material
from gapless.cli import Console, exit_codes
from gapless_models.parsing.treebank import embedded_treebank


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    console = Console(as_json=True)
    first = attrs.evolve(embedded_treebank(), test=())
    material.model_of(first, None, console).save(folder / "embedded.npz")
    options = ["--models", str(folder), "--sentences", "12", "--memory", "50", "--json"]
    return ["price-and-cut", *options]


@pytest.fixture(autouse=True)
def _easy(monkeypatch):
    monkeypatch.setattr(endurance, "WORDS", 10)


@pytest.mark.long
def test_it_runs_on_the_embedded_treebank(capsys, asked):
    pytest.importorskip("highspy")
    assert main(asked) == exit_codes.PROVED
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["disagreements"] == []
    assert "not compared with AD3" in err
    values = {(line["what"], line["scores"]): line["value"]["median"] for line in found["lines"]}
    for how in (FROM_ARRAYS, ALONE):
        assert values[f"lagrangian-cut, whole test set, {how}", "embedded"] > 0
        assert values[f"lagrangian-cut over HiGHS, lazy cut-sets, n = 11-40, {how}", "embedded"] > 0
    pairs = {(pair["ours"], pair["peer"]): pair for pair in found["compared"]}
    pair = pairs["lagrangian-cut", "HiGHS, lazy cut-sets"]
    for side in ("ours", "peer"):
        assert 0 < pair[f"{side}_alone_ms"]["median"] < pair[f"{side}_from_arrays_ms"]["median"]
    assert values["proved within 10 s each", "embedded"] == 100
    assert 0 <= values["integral over cut-sets, n <= 40", "embedded"] <= 100
    assert values["memory growth of price-and-cut, 5 sentences", "embedded"] < 50
    assert 0 < values["branch-price-and-cut, 10 words, limit of 2 s", "drawn"] < 60


def test_a_missing_peer_is_said(capsys, monkeypatch, asked):
    monkeypatch.setitem(sys.modules, "highspy", None)
    assert main(asked) == exit_codes.PROVED
    assert "not compared with HiGHS: pip install" in capsys.readouterr().err


def test_values_that_differ_fail_the_run(capsys, monkeypatch, asked):
    pytest.importorskip("highspy")
    right = agreement.solve_relaxation

    def wrong(problem, *, flow=False):
        found = right(problem, flow=flow)
        return highs_peer.LeanOptimum(found.objective - 1.0, found.point, found.rounds)

    monkeypatch.setattr(agreement, "solve_relaxation", wrong)
    assert main(asked) == exit_codes.FAILED
    found = json.loads(capsys.readouterr().out)
    assert any("above the relaxation's differ" in what for what in found["disagreements"])


def test_a_method_that_fails_costs_its_own_lines_only(capsys, monkeypatch, asked):
    def broken(treebank, must, aim):
        if must == 99.5:
            raise IndexError("index 7 is out of bounds")
        return UNJUDGED

    monkeypatch.setattr(material.Material, "marks", broken)
    assert main(asked) == exit_codes.FAILED
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert "embedded: IndexError: index 7 is out of bounds" in found["disagreements"]
    assert "in broken" in err
    named = [line["what"] for line in found["lines"]]
    assert f"lagrangian-cut, whole test set, {FROM_ARRAYS}" in named
    assert "proved within 10 s each" not in named
    assert "memory growth of price-and-cut, 5 sentences" in named


def test_a_treebank_without_its_model_is_refused(capsys, tmp_path):
    folder = tmp_path / "parsing" / "danish"
    folder.mkdir(parents=True)
    (folder / "test.conllu").write_text("1\ta\t_\tX\tX\t_\t0\t_\t_\t_\n\n")
    options = ["--data", str(tmp_path), "--models", str(tmp_path)]
    assert main(["price-and-cut", *options]) == exit_codes.USAGE
    assert "gapless run price-and-cut --treebank danish --models DIR" in capsys.readouterr().err
