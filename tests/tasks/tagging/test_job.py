"""The tagging tasks from corpus to tables, on the embedded sentences."""

import gzip
import json
import os
import signal
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import attrs
import numpy as np
import patience
import pytest
from drawn import long

import gapless_chains
from gapless import Limits
from gapless.cli import Console, exit_codes, main
from gapless_tasks import run_options
from gapless_tasks.tagging import evaluation, options, paper, regularisation
from gapless_tasks.tagging.measuring import cpu_seconds
from gapless_tasks.tagging.regularisation import METHODS, TRANSITION_L2, Point
from gapless_tasks.tagging.tables import available

SVG = "{http://www.w3.org/2000/svg}"
QUICK = ["--epochs", "2", "--shuffles", "1"]


def run_json(capsys, *arguments):
    assert main(["run", *arguments, "--json"]) == exit_codes.PROVED
    document = json.loads(capsys.readouterr().out)
    assert document["all_verified"] is True
    return document


def write_corpus(folder):
    folder.mkdir(parents=True)
    text = "Anna\tNNP\tB-PER\nsings\tVBZ\tO\n\nBonn\tNNP\tB-LOC\nsings\tVBZ\tO\n\n"
    for part in ("train", "dev", "test"):
        (folder / f"{part}.tsv.gz").write_bytes(gzip.compress(3 * text.encode()))
    (folder / "labels.xpos.txt").write_text("NN\nNNP\nVBZ\n")
    (folder / "labels.ner.txt").write_text("B-LOC\nB-PER\nI-PER\nO\n")


def test_joint_tagging_prints_every_score(capsys):
    pytest.importorskip("seqeval")
    assert main(["run", "joint-tagging", "--epochs", "3"]) == exit_codes.PROVED
    printed = capsys.readouterr().out
    for name in ("tag accuracy %", "entity precision %", "entity recall %", "entity f1 %"):
        assert name in printed
    assert "all certificates verified: 15 sentences by each of" in printed


def test_labels_looked_at_are_those_of_each_method(capsys):
    methods = ("viterbi", "viterbi-pruned", "column-generation", "dominance")
    asked = [word for method in methods for word in ("--method", method)]
    rows = run_json(capsys, "joint-tagging", *QUICK, *asked)["methods"]
    found = {row["method"]: row["mean_domain"] for row in rows}
    assert found["viterbi"] == 105
    for method in methods[1:]:
        assert 1 <= found[method] < 105, method


def test_joint_tagging_decodes_over_the_listed_product(tmp_path, capsys):
    write_corpus(tmp_path / "tagging" / "ewt_pos_ner")
    assert main(["run", "joint-tagging", "--data", str(tmp_path), *QUICK]) == exit_codes.PROVED
    assert "with 12 labels" in capsys.readouterr().out
    document = run_json(capsys, "joint-tagging", "--data", str(tmp_path), *QUICK)
    assert {method["accuracy"] for method in document["methods"]} == {1.0}
    assert all(method["scores"]["tag_accuracy"] == 1.0 for method in document["methods"])


@pytest.mark.parametrize(
    ("file", "content", "named"),
    [
        ("dev.tsv.gz", None, "dev.tsv.gz"),
        ("labels.ner.txt", None, "labels.ner.txt"),
        ("labels.ner.txt", "O\n", "B-LOC is not a combination"),
    ],
)
def test_a_wrong_file_of_the_corpus_is_named(tmp_path, capsys, file, content, named):
    folder = tmp_path / "tagging" / "ewt_pos_ner"
    write_corpus(folder)
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_text(content)
    assert main(["run", "joint-tagging", "--data", str(tmp_path)]) == exit_codes.USAGE
    assert named in capsys.readouterr().err


def test_without_seqeval_the_rest_is_scored(monkeypatch, capsys):
    monkeypatch.setattr(evaluation, "find_spec", lambda _: None)
    assert main(["run", "joint-tagging", *QUICK]) == exit_codes.PROVED
    printed = capsys.readouterr()
    assert "pip install 'gapless[tasks]'" in printed.err
    assert "tag accuracy %" in printed.out
    assert "entity" not in printed.out


def test_entities_are_compared_whole():
    pytest.importorskip("seqeval")
    gold = [["N|B-PER", "N|I-PER", "V|O", "N|B-LOC"], ["N|B-ORG"]]
    found = [["N|B-PER", "N|O", "N|O", "N|B-LOC"], ["N|O"]]
    scores = evaluation.joint_scores(gold, found)
    assert scores["tag_accuracy"] == pytest.approx(4 / 5)
    assert scores["entity_precision"] == pytest.approx(1 / 2)
    assert scores["entity_recall"] == pytest.approx(1 / 3)
    assert scores["entity_f1"] == pytest.approx(2 / 5)
    assert evaluation.accuracy(gold, found) == pytest.approx(2 / 5)


def test_no_entity_at_all_is_no_error():
    pytest.importorskip("seqeval")
    assert evaluation.joint_scores([["N|O"]], [["N|O"]])["entity_f1"] == 0.0


@pytest.mark.long
@pytest.mark.parametrize(("task", "tables"), [("pos-tagging", paper.POS), ("joint-tagging", paper.JOINT)])
def test_the_tables_hold_every_row_that_is_installed(task, tables, capsys):
    document = run_json(capsys, task, *QUICK, "--tables", "--sentences", "12")["tables"]
    known = {row.name: row for row in tables.decoders}
    for row in document["table1"]:
        assert row["paper_speed"] == known[row["name"]].speed
        assert row["speed"] > 0
        assert row["mean_gap"] <= row["max_gap"]
        if not row["name"].startswith(("beam", "CG-DG")):
            assert row["exact"] == 100.0
            assert row["max_gap"] == pytest.approx(0.0, abs=1e-6)
    assert [row["name"] for row in document["table2a"]] == [row.name for row in tables.oracles]
    assert len({row["violated"] for row in document["table2a"]}) == 1
    assert 0 < document["search"]["domain_of_one"] <= document["search"]["domain_of_three"] <= 100
    assert document["search"]["one_round"] <= document["search"]["three_rounds"] <= 100


def test_oracles_that_disagree_fail(monkeypatch, capsys):
    def asked(batch, gold, margin, *, method):
        found = gapless_chains.margin_violation(batch, gold, margin, method=method)
        return attrs.evolve(found, found=found.found & (method != "viterbi"))

    monkeypatch.setattr("gapless_tasks.tagging.tables.margin_violation", asked)
    asked_for = ["run", "pos-tagging", *QUICK, "--tables", "--sentences", "12"]
    assert main(asked_for) == exit_codes.FAILED
    printed = capsys.readouterr()
    assert "disagree on the number of violations" in printed.err
    assert "margin 1, " in printed.out
    assert "structured SVM with 0/1 loss, l2 0.1, 5 epochs" in printed.out


@pytest.mark.parametrize(
    ("task", "trainer"),
    [
        *(long("pos-tagging", trainer) for trainer in ("perceptron", "svm")),
        ("pos-tagging", "samplerank"),
        ("joint-tagging", "svm"),
    ],
)
def test_the_console_says_who_trained(task, trainer, tmp_path, capsys):
    asked = ["run", task, *QUICK, "--sentences", "8", "--trainer", trainer, "--model", str(tmp_path / "m.npz")]
    assert main(asked) == exit_codes.PROVED
    printed = capsys.readouterr().out
    assert f"{options.TRAINERS[trainer]} with" in printed
    assert "sentences/s: CPU time" in printed
    assert main(asked) == exit_codes.PROVED
    assert f"tagger of {tmp_path / 'm.npz'} with" in capsys.readouterr().out


def test_rows_name_methods_and_gaps_of_the_paper():
    for tables in (paper.POS, paper.JOINT):
        names = [row.name for row in tables.decoders]
        assert len(set(names)) == len(names)
        assert sum(row.method == "beam" for row in tables.decoders) == 4


def test_reduced_costs_are_compared_in_one_implementation():
    for tables in (paper.POS, paper.JOINT):
        assert len({row.limits for row in tables.reduced_costs}) == 1
        assert tables.reduced_costs[0].limits != Limits()  # the fused kernel would take the first row only


def test_runs_take_turns():
    calls = []
    seconds = cpu_seconds({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=1)
    assert calls[:3] == ["a", "b", "a"]
    assert all(value > 0 for value in seconds.values())


@pytest.mark.long
def test_figure_2_is_swept_and_drawn(tmp_path, capsys):
    path = tmp_path / "figure.svg"
    document = run_json(capsys, "pos-tagging", *QUICK, "--sentences", "15", "--figure", str(path))
    assert [point["transition_l2"] for point in document["figure2"]] == list(TRANSITION_L2)
    drawn = ET.parse(path).getroot()
    assert drawn.tag == f"{SVG}svg"
    assert len(drawn.findall(f"{SVG}polyline")) == 1 + len(METHODS)
    assert main(["run", "pos-tagging", *QUICK, "--sentences", "15", "--figure2"]) == exit_codes.PROVED
    assert "Figure 2: L2 penalty on transitions" in capsys.readouterr().out


POINTS = [
    Point(0.1, 0.96, 9.0, dict.fromkeys(METHODS, 1000.0)),
    Point(10.0, 0.9, 1.0, dict.fromkeys(METHODS, 4000.0)),
]


def test_a_page_holds_drawing_and_numbers_and_loads_nothing(tmp_path):
    path = tmp_path / "figure.html"
    regularisation.write_figure(POINTS, "<corpus> & more", str(path))
    page = path.read_text("utf-8")
    assert "<polyline" in page
    assert "&lt;corpus&gt; &amp; more" in page
    assert "<td>90.00</td>" in page
    assert "src=" not in page
    assert "href=" not in page


def test_points_lie_inside_the_frame(tmp_path):
    path = tmp_path / "figure.svg"
    regularisation.write_figure([POINTS[0], POINTS[0]], "equal values", str(path))
    for line in ET.parse(path).getroot().findall(f"{SVG}polyline"):
        places = np.array([pair.split(",") for pair in line.get("points", "").split()], float)
        assert places.shape == (2, 2)
        assert ((places > [70, 40]) & (places < [560, 345])).all()


def test_a_figure_that_cannot_be_drawn_is_refused_before_the_work(tmp_path, capsys):
    for name, message in (
        ("figure.png", "must end in .svg or .html"),
        ("nowhere/figure.svg", "there is no folder"),
    ):
        assert main(["run", "pos-tagging", "--figure", str(tmp_path / name)]) == exit_codes.USAGE
        printed = capsys.readouterr()
        assert message in printed.err
        assert printed.out == ""


def test_jobs_without_joblib_are_refused_before_the_training(monkeypatch, capsys):
    monkeypatch.setattr(run_options, "find_spec", lambda _: None)
    assert main(["run", "pos-tagging", *QUICK, "--verbose", "--jobs", "2"]) != exit_codes.PROVED
    printed = capsys.readouterr()
    assert "pip install 'gapless[distributed]'" in printed.err
    assert "epoch" not in printed.out


def test_a_stored_product_tagger_is_used_again(tmp_path, capsys):
    stored = str(tmp_path / "tagger.npz")
    assert main(["run", "joint-tagging", *QUICK, "--verbose", "--model", stored]) == exit_codes.PROVED
    first = capsys.readouterr().out
    assert main(["run", "joint-tagging", *QUICK, "--verbose", "--model", stored]) == exit_codes.PROVED
    second = capsys.readouterr().out
    assert "epoch 1" in first
    assert "epoch 1" not in second
    assert main(["run", "pos-tagging", "--model", stored]) == exit_codes.USAGE
    assert "save it again" in capsys.readouterr().err


def test_a_row_whose_method_is_missing_is_left_out_with_a_word(capsys):
    rows = [paper.Row("known", "viterbi"), paper.Row("typo", "viterbo"), paper.Row("option", "viterbi", {"x": 1})]
    assert available(rows, Console()) == rows[:1]
    complaints = capsys.readouterr().err
    assert "typo is left out" in complaints
    assert "option is left out" in complaints


KILLED = """
import os, signal, sys
from gapless.cli import Console, main

say = Console.info

def killing(console, text):
    say(console, text)
    if text.startswith(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)

Console.info = killing
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_a_killed_training_goes_on_after_its_last_finished_epoch(tmp_path, capsys):
    write_corpus(tmp_path / "tagging" / "wsj_pos")
    asked = ["run", "pos-tagging", "--data", str(tmp_path)]
    asked += ["--epochs", "3", "--shuffles", "2", "--use-dev", "--verbose"]
    assert main([*asked, "--model", str(tmp_path / "whole.npz")]) == exit_codes.PROVED
    whole = capsys.readouterr().out
    model = tmp_path / "killed.npz"
    for line in ("shuffle 1, epoch 1", "shuffle 2, epoch 1", "training again"):
        command = [sys.executable, "-c", KILLED, line, *asked, "--model", str(model)]
        ended = patience.run(command)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        assert not model.exists()
    assert main([*asked, "--model", str(model)]) == exit_codes.PROVED
    rest = capsys.readouterr().out
    assert whole.count("shuffle 1, epoch 1") == 2
    assert rest.count("shuffle 1, epoch 1") == 1  # on training and dev part, which was not begun
    assert model.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"tagging", "whole.npz", "killed.npz"}


@pytest.mark.long
@pytest.mark.corpus
@pytest.mark.parametrize(("task", "folder"), [("pos-tagging", "wsj_pos"), ("joint-tagging", "ewt_pos_ner")])
def test_a_few_sentences_of_the_corpora(task, folder, capsys):
    data = os.environ.get("GAPLESS_DATA")
    if not data or not (Path(data) / "tagging" / folder).is_dir():
        pytest.skip(f"GAPLESS_DATA does not name a folder with tagging/{folder}")
    document = run_json(capsys, task, "--data", data, *QUICK, "--sentences", "60")
    assert document["sentences"] == 60
    assert document["all_verified"]
