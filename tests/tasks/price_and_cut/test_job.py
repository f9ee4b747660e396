"""The task from treebank to tables, with methods that stand in for those of the paper."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import attrs
import numpy as np
import pytest
from jobs import run_job

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless_models.parsing import attachment
from gapless_models.parsing.treebank import embedded_treebank
from gapless_models.price_and_cut import GrandparentModel
from gapless_tasks.parsing import decoding, length_figures
from gapless_tasks.parsing.decoding import Parsed, ParsedSentence
from gapless_tasks.price_and_cut import options, paper, tables
from gapless_tasks.price_and_cut.job import Models, PriceAndCutJob
from gapless_tasks.price_and_cut.measuring import (
    SHIPPED,
    Measured,
    Problems,
    System,
    Systems,
    disagreements,
    measure,
)

pytest.importorskip("conllu")


def stub(name, order, column=None):
    return System(name, "split-bound", (("order", order),), relaxation=False, paper=column)


EXACT = System("exact", "split-bound", relaxation=False)
FULL, LAZY = stub("full", "best-first", "BF"), stub("lazy", "depth-first", "PPC")
LOOSE, SAME = stub("loose", "breadth-first", "GPArc + ArcGP"), stub("all", "best-first", "All")
STUBS = Systems(EXACT, (FULL, LAZY, EXACT), (LOOSE, SAME), ((LAZY, FULL), (EXACT, FULL)))
QUICK = ["--sentences", "6", "--epochs", "2"]


def run(capsys, *asked, systems=STUBS, as_json=True):
    return run_job(PriceAndCutJob(systems).run, options, capsys, [*QUICK, *asked], as_json=as_json, verbose=True)


@pytest.fixture(autouse=True)
def _embedded(monkeypatch):
    monkeypatch.delenv("GAPLESS_DATA", raising=False)


def stored_models(folder):
    return Models(folder, retrain=False, learner="beliefs", epochs=2, seed=0)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Make a folder with the model of the embedded treebank."""
    folder = tmp_path_factory.mktemp("models")
    stored_models(folder).model(embedded_treebank(), Console(as_json=True))
    return str(folder)


def test_the_whole_task(capsys, tmp_path, models):
    out = tmp_path / "out"
    code, found, complaints = run(capsys, "--models", models, "--verify", "--out", str(out), "--explain", "2")
    assert code == exit_codes.PROVED, complaints
    (exact,) = found["treebanks"]
    assert (exact["treebank"], exact["sentences"], exact["left_out"]) == ("embedded", 6, 0)
    assert exact["uas"] > 0.8
    assert exact["proved"] == exact["verified"] == 1.0
    assert sum(part["score"] for part in exact["explained"]["found"])
    assert [entry["system"] for entry in found["table1"]] == ["full", "lazy", "exact"]
    assert [entry["system"] for entry in found["table2"]] == ["loose", "all"]
    assert all(entry["verified"] == 1.0 for entry in found["table1"] + found["table2"])
    assert found["table1"][0]["speed"] == 1.0
    assert found["table1"][1]["objective_relative"] == pytest.approx(1.0)
    # Under another name it is the same run.
    assert found["table2"][1]["sentences_per_second"] == found["table1"][0]["sentences_per_second"]
    assert found["disagreements"] == []
    assert json.loads((out / "summary.json").read_text())["table1"] == found["table1"]
    lines = (out / "embedded" / "answers.jsonl").read_text().splitlines()
    record = gl.loads(lines[0])
    assert len(lines) == 6
    assert record.result.verify(record.problem)
    assert len([ET.parse(tree) for tree in (out / "embedded" / "trees").iterdir()]) == 6
    if length_figures.can_draw():
        assert "parts scored" in (out / "figures.html").read_text()


def test_people_see_both_tables(capsys, models):
    code, printed, _ = run(capsys, "--models", models, as_json=False)
    assert code == exit_codes.PROVED
    assert "embedded: exact parsing of 6 of 6 test sentences" in printed
    assert "Table 1: brute force (BF) against parse, price and cut" in printed
    assert "Table 2: outer bounds of the grandparent polytope" in printed
    assert "the tables are about 6 test sentences of at most 30 words, 0 longer ones are left out" in printed
    assert "parts scored, % of all, against the length of sentences" in printed


def test_long_sentences_are_left_out_of_the_tables_and_counted(capsys, models):
    lengths = [len(sentence) for sentence in embedded_treebank().test[:6]]
    longest = sorted(lengths)[2]
    _, found, _ = run(capsys, "--models", models, "--longest", str(longest))
    short = sum(length <= longest for length in lengths)
    assert found["treebanks"][0]["left_out"] == 6 - short
    assert found["treebanks"][0]["sentences"] == 6
    assert {entry["sentences"] for entry in found["table1"]} == {short}


def test_without_tables_only_the_exact_method_runs(capsys, models):
    code, found, _ = run(capsys, "--models", models, "--no-tables")
    assert code == exit_codes.PROVED
    assert (found["table1"], found["table2"], found["figures"]) == ([], [], {})


@pytest.mark.long
def test_models_are_stored_and_used_only_for_the_same_request(capsys, tmp_path):
    asked = ["--models", str(tmp_path), "--no-tables"]
    _, printed, _ = run(capsys, *asked, as_json=False)
    assert "model, embedded, epoch 2" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["embedded.npz"]  # no checkpoint is left
    before = (tmp_path / "embedded.npz").stat().st_mtime_ns
    _, printed, _ = run(capsys, *asked, as_json=False)
    assert "epoch" not in printed
    with pytest.raises(gl.InvalidProblem, match="trained in another way \\(epochs 2, not 3\\)"):
        run(capsys, *asked, "--epochs", "3")
    run(capsys, *asked, "--epochs", "3", "--train")
    assert (tmp_path / "embedded.npz").stat().st_mtime_ns > before
    (tmp_path / "embedded.npz").write_bytes(b"no model")
    with pytest.raises(gl.InvalidProblem, match=r"--models .*embedded\.npz"):
        run(capsys, *asked)


def test_a_path_to_one_file_needs_a_stored_model(capsys, tmp_path, models):
    file = tmp_path / "embedded.conllu"
    lines = ["1\tshe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_", "2\tsleeps\t_\tVERB\tVBZ\t_\t0\troot\t_\t_", "", ""]
    file.write_text("\n".join(lines))
    with pytest.raises(gl.InvalidProblem, match="has no training part"):
        run(capsys, "--treebank", str(file))
    code, found, _ = run(capsys, "--treebank", str(file), "--models", models)
    assert code == exit_codes.PROVED
    assert found["treebanks"][0]["sentences"] == 1


def test_what_cannot_work_is_said_before_anything_is_trained(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(Models, "model", lambda *_: pytest.fail("trained"))
    with pytest.raises(gl.InvalidProblem, match="--explain 7: embedded has 6 test sentences"):
        run(capsys, "--explain", "7")
    with pytest.raises(gl.InvalidProblem, match="--treebank nowhere"):
        run(capsys, "--treebank", "embedded", "--treebank", "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(gl.InvalidProblem, match="--models"):
        run(capsys, "--models", str(tmp_path / "file"))


def test_a_certificate_that_does_not_hold_fails_the_run(capsys, monkeypatch, models):
    def refuse(self, problem):
        return gl.Verdict(False, "planted", "bound")

    monkeypatch.setattr(gl.Result, "verify", refuse)
    code, found, complaints = run(capsys, "--models", models, "--no-tables", "--verify")
    assert code == exit_codes.FAILED
    assert found["treebanks"][0]["verified"] == 0.0
    assert found["disagreements"] == ["embedded, exact: 6 certificates were refused"]
    assert "planted" in complaints


def test_a_sentence_that_fails_fails_the_run(capsys, monkeypatch, models):
    problem = GrandparentModel.problem

    def scored_beyond_bounds(self, sentence):
        found = problem(self, sentence)
        monkeypatch.setattr(type(found.factors[0].scores.given), "__call__", lambda *_: np.nan)
        return found

    monkeypatch.setattr(GrandparentModel, "problem", scored_beyond_bounds)
    code, found, complaints = run(capsys, "--models", models, "--no-tables")
    assert code == exit_codes.FAILED
    assert found["disagreements"] == ["embedded, exact: 6 sentences failed"]
    assert "sentence 1:" in complaints


def test_a_limit_that_comes_first_is_said(capsys, models):
    code, found, _ = run(capsys, "--models", models, "--no-tables", "--limit-seconds", "1e-9")
    assert code == exit_codes.STOPPED_EARLY
    assert found["treebanks"][0]["proved"] < 1.0
    assert found["treebanks"][0]["unfinished"] > 0


def test_interrupted_tables_show_what_is_finished(capsys, monkeypatch, models):
    solve_many, seen = gl.solve_many, []

    def impatient(chosen, *args, **kwargs):
        seen.append(kwargs.get("order"))
        if kwargs.get("order") == "depth-first":
            raise KeyboardInterrupt
        return solve_many(chosen, *args, **kwargs)

    monkeypatch.setattr(decoding.gl, "solve_many", impatient)
    code, found, complaints = run(capsys, "--models", models)
    assert code == exit_codes.INTERRUPTED
    assert [entry["system"] for entry in found["table1"]] == ["full"]
    assert "interrupted: the tables show the finished part" in complaints


def measured(system, objectives):
    objective = np.array(objectives)
    count = len(objective)
    return Measured(system, Parsed([3] * count), None, *np.ones((3, count)), objective, np.ones(count, bool))


def test_objectives_that_cannot_both_be_right_are_told():
    at_most = [(EXACT, FULL), (FULL, LAZY), (LAZY, FULL)]
    right = {
        EXACT: measured(EXACT, [1.0, 2.0]),
        FULL: measured(FULL, [1.0, 2.5]),
        LAZY: measured(LAZY, [1.0, np.nan]),
    }
    assert disagreements(right, at_most) == []
    wrong = {**right, LAZY: measured(LAZY, [1.0, 2.4])}
    (said,) = disagreements(wrong, at_most)
    assert said == ("test sentence 2 of those in the tables: full has the objective 2.5, lazy only 2.4")
    (said,) = disagreements({**right, EXACT: measured(EXACT, [1.1, 2.0])}, at_most)
    assert "sentence 1" in said


def test_shares_are_of_all_parts_and_by_length():
    system = System("x", "x")
    scored, added, total = np.array([[5.0, 10.0, np.nan], [1.0, 2.0, np.nan], [10.0, 90.0, np.nan]])
    one = Measured(system, Parsed([4, 7, 8]), None, scored, added, total, total, np.ones(3, bool))
    assert one.share(one.scored) == pytest.approx(0.15)
    assert one.share(one.added) == pytest.approx(0.03)
    points = one.points(one.scored)
    assert {length: point.value for length, point in points.items()} == {5: 50.0, 10: pytest.approx(100 / 9)}


def test_every_system_is_given_unscored_problems(models):
    treebank = embedded_treebank()
    found = stored_models(Path(models)).model(treebank, Console(as_json=True))
    problems = Problems(found, treebank.test)
    assert len(problems[:3]) == 3
    assert problems[0] is not problems[0]
    problems[0].conjunctions[0].all_scores()
    assert problems[0].conjunctions[0].scored == 0
    one = measure(EXACT, found, treebank.test[:4], Console(as_json=True), title="x", limits=gl.Limits())
    values = [gl.solve(problem).value for problem in problems[:4]]
    np.testing.assert_allclose(one.objective, values)
    assert one.document()["uas"] > 0.5


def test_the_shipped_methods_agree_and_their_certificates_hold(capsys, models):
    code, found, complaints = run(capsys, "--models", models, "--verify", systems=SHIPPED)
    assert code == exit_codes.PROVED, complaints
    full, lazy, ours, exact = found["table1"]
    assert lazy["objective_relative"] == pytest.approx(1.0, abs=1e-6)
    assert full["scopes_scored"] == full["scopes_added"] == 1.0
    assert max(one["scopes_scored"] for one in (lazy, ours, exact)) < 0.6
    assert exact["uas"] == found["treebanks"][0]["uas"]
    assert all(one["unfinished"] == one["refuted"] == 0 for one in found["table1"] + found["table2"])
    by_rows = {one["system"]: one["integral"] for one in found["table2"]}
    assert by_rows["lean, cut-sets"] >= by_rows["all"] >= by_rows["OneGP + NoGP"]


def test_the_shipped_systems_are_those_of_the_paper():
    assert [system.paper for system in SHIPPED.table_1] == ["BF", "PPC", None, None]
    assert [system.paper for system in SHIPPED.table_2] == [*paper.TABLE_2["italian"], None]
    compared = {system for pair in SHIPPED.at_most for system in pair}
    assert compared <= {SHIPPED.exact, *SHIPPED.table_1, *SHIPPED.table_2}


def test_the_papers_numbers_stand_beside_those_of_its_languages(capsys):
    one = measured(System("x", "x", paper="PPC"), [1.0])
    one.parsed.add(ParsedSentence(1.0, 1.0, True, None, None, {"seconds": 0.5}), 0)
    one = attrs.evolve(one, accuracy=attachment([], []))
    tables.table_1([("danish", [one]), ("other", [one])], Console())
    printed = capsys.readouterr().out
    ours, other = (line for line in printed.splitlines() if " x " in line)
    assert "(390)" in ours
    assert "(13)" in ours
    assert "(" not in other


def test_treebanks_of_one_name_are_told_apart(capsys, tmp_path, models):
    """Their models and answers would lie in the same files."""
    text = "1\tshe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tsleeps\t_\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
    paths = [tmp_path / name / "short" for name in ("one", "two")]
    for path in paths:
        path.mkdir(parents=True)
        for part in ("train", "test"):
            (path / f"{part}.conllu").write_text(text)
    asked = [word for path in paths for word in ("--treebank", str(path))]
    said = rf"--treebank {paths[0]} and --treebank {paths[1]} are both called short, .* give them different names"
    with pytest.raises(gl.InvalidProblem, match=said):
        run(capsys, *asked, "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    with pytest.raises(gl.InvalidProblem, match=said):
        run(capsys, *asked, "--models", str(tmp_path / "models"))
    code, found, _ = run(capsys, *asked, "--no-tables")
    assert code == exit_codes.PROVED
    assert [one["treebank"] for one in found["treebanks"]] == [str(path) for path in paths]
