"""A stored parser is used as it was trained, on new text too; what contradicts it is refused at once."""

import argparse
import json
import re

import pytest

from gapless.cli import Console, exit_codes, main
from gapless_models.parsing import Sentence
from gapless_models.parsing.treebank import Treebank, embedded_treebank
from gapless_tasks.parsing import length_figures, training_progress

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
    kept = [text for text in new.read_text().splitlines() if not text.startswith("1.1")]
    for got, given in zip(written.splitlines(), kept, strict=True):
        columns, before = got.split("\t"), given.split("\t")
        if columns[0].isdigit():
            assert columns[6] in {"0", "1", "2"}
            assert columns[7:9] == ["_", "_"]
            columns[6:9] = before[6:9] = []
        assert columns == before
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
        (["--factors", "sibling"], "--factors sibling: the parser of --model .* with grandchild,sibling; leave"),
        (["--epochs", "9"], "--epochs 9: .* was trained with 1; leave the option out, or use --train"),
        (["--seed", "4"], "--seed 4: .* was trained with 0"),
        (["--trees", "projective"], "--trees projective: .* was trained with non-projective"),
        (["--method", "first-order"], "--method first-order .*this ParsingProblem has factors"),
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
    assert "--factors grandchild,sibling: " in complaint
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
    described = [found[name] for name in ("method", "model", "max_heads", "epochs", "limit_seconds")]
    assert described == ["split-bound", model, 10, 1, 9.0]


@pytest.mark.parametrize("asked", [["--jobs", "2"], ["--limit-seconds", "9"]])
def test_closed_at_the_root_is_counted_however_sentences_are_decoded(capsys, model, asked):
    if "--jobs" in asked:
        pytest.importorskip("joblib")
    plain = summary(capsys, "--sentences", "6", "--model", model)
    found = summary(capsys, "--sentences", "6", "--model", model, *asked)
    assert found["closed_at_root"] == plain["closed_at_root"] is not None


@pytest.mark.long
def test_models_of_the_tables_are_used_again_only_for_the_same_request(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(length_figures, "find_spec", lambda _: None)
    stored = tmp_path / "m.npz"
    asked = [*QUICK, "--factors", "none", "--tables", "--model", str(stored), "--out", str(tmp_path / "out")]
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
    entry = treebank.entries[0]
    for heads in (treebank.test[0].heads, None):
        for got, given in zip(entry.with_heads(heads).splitlines()[:-1], entry.lines, strict=True):
            columns, before = got.split("\t"), given.split("\t")
            if columns[0].isdigit():
                before[6:9] = [before[6] if heads else "_", "_", "_"]
            assert columns == before


def scored(gold, predicted):
    """Words with the right head, with the right relation, and with both, as an evaluator counts them."""
    conllu = pytest.importorskip("conllu")
    counts = [0, 0, 0, 0]
    for right, found in zip(conllu.parse(gold), conllu.parse(predicted), strict=True):
        pairs = zip(right.filter(id=lambda i: isinstance(i, int)), found, strict=True)
        for one, other in pairs:
            assert all(
                one[name] == other[name] for name in ("id", "form", "lemma", "upos", "xpos", "feats", "misc")
            )
            assert other["deps"] is None
            head, relation = one["head"] == other["head"], one["deprel"] == other["deprel"]
            counts = [n + more for n, more in zip(counts, (1, head, relation, head and relation), strict=True)]
    return counts


def test_an_evaluator_finds_the_heads_that_were_found_and_no_relation(capsys, model, tmp_path):
    """Neither relations nor enhanced dependencies of the gold trees are in what was predicted."""
    words = [["The", "dog", "barks"], ["Dogs", "bark", "and", "sleep"]]
    heads = [[2, 3, 0], [2, 0, 4, 2]]
    lines = []
    for sentence, above in zip(words, heads, strict=True):
        lines += [
            f"{m}\t{word}\t{word.lower()}\tNOUN\tNN\tA=B\t{h}\t{'root' if h == 0 else 'nsubj'}\t{h}:x\t_"
            for m, (word, h) in enumerate(zip(sentence, above, strict=True), 1)
        ]
        lines += [f"{len(sentence)}.1\tto\tto\tPART\t_\t_\t_\t_\t1:mark\t_", ""]
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(lines) + "\n")
    found = summary(capsys, "--treebank", str(gold), "--model", model, "--out", str(tmp_path / "out"))
    predicted = (tmp_path / "out" / "predicted.conllu").read_text()
    count, right, relations, both = scored(gold.read_text(), predicted)
    assert (count, right / count) == (7, found["uas_with_punctuation"])
    assert (relations, both) == (0, 0)
    assert right < count  # so that there is a wrong arc to look at
    for place, (above, tree) in enumerate(zip(heads, predicted.split("\n\n"), strict=False), 1):
        chosen = [int(text.split("\t")[6]) for text in tree.splitlines()]
        drawn = (tmp_path / "out" / "trees" / f"{place}.svg").read_text()
        assert drawn.count(">nsubj<") == sum(h == g > 0 for h, g in zip(chosen, above, strict=True))


@pytest.mark.parametrize(("wrong", "said"), [(1, "1 sentence wrong"), (2, "2 sentences wrong")])
def test_one_sentence_is_no_plural(capsys, wrong, said):
    report = argparse.Namespace(score=None, wrong=wrong)
    with training_progress.epoch_progress(Console(verbose=True), 1) as tell:
        tell("parser", argparse.Namespace(kind="epoch", epoch=1, count=5, done=5, report=report))
    assert f"epoch 1: {said}" in capsys.readouterr().out
