"""A stored parser is used as it was trained, on new text too; what contradicts it is refused at once."""

import argparse
import json
import re

import pytest

from gapless.cli import Console, exit_codes, main
from gapless_tasks.dependency_parsing import length_figures, training_progress
from gapless_tasks.dependency_parsing.treebank import Treebank, embedded_treebank
from gapless_tasks.parsing import Sentence

pytest.importorskip("conllu")
QUICK = ["--sentences", "6", "--epochs", "1"]


def line(number, form, tag, head):
    return f"{number}\t{form}\tlemma\t_\t{tag}\tA=B\t{head}\tdep\t2:x\tSpaceAfter=No\n"


NEW = (
    "# text = It rains\n1-2\tItrains" + 8 * "\t_" + "\n" + line(1, "It", "PRP", "_") + "1.1\tx" + 8 * "\t_" + "\n"
    + line(2, "rains", "VBZ", "_") + "\n" + line(1, "Stop", "VB", "0") + line(2, "now", "RB", "0") + "\n"
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "m.npz"
    assert main(["run", "dependency-parsing", *QUICK, "--model", str(path), "--json"]) == exit_codes.PROVED
    return str(path)


def run(capsys, *asked):
    capsys.readouterr()
    code = main(["run", "dependency-parsing", *asked])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def summary(capsys, *asked):
    code, out, err = run(capsys, *asked, "--json")
    assert code == exit_codes.PROVED, err
    return json.loads(out)


def test_new_text_is_parsed_and_written_with_its_heads(capsys, model, tmp_path):
    new = tmp_path / "new.conllu"
    new.write_text(NEW.replace("\t0\tdep", "\t_\tdep"))
    found = summary(capsys, "--treebank", str(new), "--model", model, "--out", str(tmp_path / "out"))
    assert (found["scored"], found["uas"], found["whole_trees"]) == (0, None, None)
    written = (tmp_path / "out" / "predicted.conllu").read_text()
    assert "_\tdep" not in written
    for got, given in zip(written.splitlines(), new.read_text().splitlines(), strict=True):
        columns = got.split("\t")
        if columns[0].isdigit():
            assert columns[6] in {"0", "1", "2"}
            columns[6] = "_"
        assert "\t".join(columns) == given
    _, printed, _ = run(capsys, "--treebank", str(new), "--model", model, "--explain", "1")
    assert "2 of 2 test sentences have no gold tree" in printed
    assert "found (no gold tree)" in printed


def test_some_sentences_may_have_gold_trees_and_several_roots_are_announced(capsys, model, tmp_path):
    new = tmp_path / "new.conllu"
    new.write_text(NEW)
    found = summary(capsys, "--treebank", str(new), "--model", model)
    assert (found["sentences"], found["scored"], found["several_roots"]) == (2, 1, 1)
    _, printed, _ = run(capsys, "--treebank", str(new), "--model", model)
    assert "1 of 2 gold test trees have several words under the root" in printed


def test_training_needs_every_head(capsys, tmp_path):
    for part in ("train", "test"):
        (tmp_path / f"{part}.conllu").write_text(NEW)
    code, _, complaint = run(capsys, "--treebank", str(tmp_path))
    assert code == exit_codes.USAGE
    assert "train.conllu, line 3: word 1 (It) has no head" in complaint


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--families", "sibling"], "--families sibling: the parser of --model .* with grandchild,sibling; leave"),
        (["--epochs", "9"], "--epochs 9: .* was trained with 1; leave the option out, or use --train"),
        (["--seed", "4"], "--seed 4: .* was trained with 0"),
        (["--trees", "projective"], "--trees projective: .* was trained with non-projective"),
        (["--method", "first-order"], "--method first-order .*this problem has factors"),
        (["--backbone", "carreras"], "--backbone carreras .*lets arcs cross"),
        (["--backbone", "siblin"], "--backbone siblin .did you mean 'sibling'"),
    ],
)  # fmt: skip
def test_what_contradicts_the_stored_parser_is_refused_before_anything_is_read(capsys, model, asked, message):
    code, _, complaint = run(capsys, "--treebank", "/nowhere", "--model", model, *asked)
    assert code == exit_codes.USAGE
    assert re.search(message, complaint), complaint


def test_a_damaged_model_is_refused_before_anything_is_read(capsys, tmp_path):
    (tmp_path / "m.npz").write_text("{")
    code, _, complaint = run(capsys, "--treebank", "/nowhere", "--model", str(tmp_path / "m.npz"))
    assert code == exit_codes.USAGE
    assert "damaged" in complaint


@pytest.mark.parametrize("asked", [["--method", "first-order"], ["--backbone", "grand-sibling"]])
def test_a_method_that_does_not_fit_is_refused_before_the_training(capsys, asked):
    code, out, complaint = run(capsys, *QUICK, *asked)
    assert code == exit_codes.USAGE
    assert "--families grandchild,sibling: " in complaint
    assert "epoch" not in out


def test_which_trees_is_said_by_the_whole_training_part():
    straight, crossed = (2, 0, 2, 2), (3, 0, 2, 1)
    part = [Sentence(tuple("abcd"), tuple("ABCD"), tuple("ABCD"), heads) for heads in (straight, crossed)]
    treebank = Treebank("x", part, (), part)
    assert not treebank.first(1).projective
    assert not treebank.first(1).first(1).projective
    assert treebank.first(1).digest != treebank.digest


def test_which_trees_can_be_chosen(capsys):
    found = summary(capsys, *QUICK, "--trees", "projective", "--backbone", "grand-sibling")
    assert found["projective"]
    assert found["backbone"] == "grand-sibling"


def test_the_summary_says_what_was_run(capsys, model):
    found = summary(capsys, "--treebank", "embedded", "--sentences", "6", "--model", model, "--limit-seconds", "9")
    assert found["treebank"] == "embedded"
    assert found["verified"] is None
    assert not found["projective"]
    described = [found[name] for name in ("method", "model", "heads_kept", "epochs", "limit_seconds")]
    assert described == ["split-bound", model, 10, 1, 9.0]


@pytest.mark.parametrize("asked", [["--jobs", "2"], ["--limit-seconds", "9"]])
def test_closed_at_the_root_is_counted_however_sentences_are_decoded(capsys, model, asked):
    if "--jobs" in asked:
        pytest.importorskip("joblib")
    plain = summary(capsys, "--sentences", "6", "--model", model)
    found = summary(capsys, "--sentences", "6", "--model", model, *asked)
    assert found["closed_at_root"] == plain["closed_at_root"] is not None


def test_models_of_the_tables_are_used_again_only_for_the_same_request(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(length_figures, "find_spec", lambda _: None)
    stored = tmp_path / "m.npz"
    asked = [*QUICK, "--families", "none", "--tables", "--model", str(stored), "--out", str(tmp_path / "out")]
    code, printed, complaint = run(capsys, *asked)
    assert code == exit_codes.PROVED, complaint
    for speed in ("words/s, from arrays", "words/s, search alone"):
        assert speed in printed
    assert "the rows with a + add their factors to the first-order model" in printed
    assert "UAS points (without punctuation) from first order" in printed
    assert complaint.index("figures.html will not be written") >= 0
    assert "trained" not in run(capsys, *asked)[1].replace("was trained", "")
    code, _, complaint = run(capsys, "--sentences", "5", *asked[2:-1], str(tmp_path / "other"))
    assert code == exit_codes.USAGE
    assert "m.first-order.npz was trained in another way (sentences 6, not 5; digest" in complaint


def test_lines_keep_their_place_when_the_embedded_treebank_is_cut():
    treebank = embedded_treebank().first(3)
    assert [entry.sentence for entry in treebank.entries] == list(treebank.test)
    assert treebank.entries[0].with_heads(treebank.test[0].heads).splitlines()[:-1] == list(
        treebank.entries[0].lines
    )
    words = [text for text in treebank.entries[0].with_heads(None).splitlines() if text[:1].isdigit()]
    assert all(text.split("\t")[6] == "_" for text in words)


@pytest.mark.parametrize(("wrong", "said"), [(1, "1 sentence wrong"), (2, "2 sentences wrong")])
def test_one_sentence_is_no_plural(capsys, wrong, said):
    report = argparse.Namespace(score=None, wrong=wrong)
    with training_progress.told(Console(), "parser", 5) as tell:
        tell("parser", argparse.Namespace(kind="epoch", epoch=1, count=5, done=5, report=report))
    assert f"epoch 1: {said}" in capsys.readouterr().out
