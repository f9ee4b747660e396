"""Tagging jobs that take a corpus by name or path, in every format."""

import gzip
import json

import pytest

from gapless.cli import exit_codes, main
from gapless.errors import InvalidProblem
from gapless_models.tagging import TaggedFileError, TaggedSentence
from gapless_models.tagging.readers import read_iob2
from gapless_tasks.tagging.corpus import load_named
from gapless_tasks.tagging.evaluation import are_entities, entity_scores

IOB2 = "# text = Anna sings\n1\tAnna\tB-PER\t-\tx\n2\tsings\tO\t-\tx\n\n1\tHello\tO\t-\tx\n\n"
TSV = "-DOCSTART-\tO\n\nAnna\tB-PER\nsings\tO\n\nHello\tO\n\n"
CONLLU = (
    "1\tAnna\tAnna\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\n2\tsings\tsing\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
    "1\tHello\thello\tINTJ\tUH\t_\t0\troot\t_\t_\n\n"
)
COMMON = ["--method", "dominance", "--epochs", "2", "--shuffles", "1"]
ANNA = TaggedSentence(("Anna", "sings"), ("B-PER", "O"))


@pytest.fixture(autouse=True)
def nothing_of_the_user(tmp_path, monkeypatch):
    monkeypatch.delenv("GAPLESS_DATA", raising=False)
    monkeypatch.setenv("GAPLESS_CACHE", str(tmp_path / "cache"))


def put(folder, suffix, text, parts=("train", "test")):
    folder.mkdir(parents=True)
    for part in parts:
        content = text.encode()
        (folder / f"{part}{suffix}").write_bytes(gzip.compress(content) if suffix.endswith(".gz") else content)
    return folder


@pytest.mark.parametrize(("suffix", "text"), [(".tsv", TSV), (".tsv.gz", TSV), (".iob2", IOB2), (".iob2.gz", IOB2)])
def test_formats_of_tagged_text_give_the_same(tmp_path, suffix, text):
    corpus = load_named(str(put(tmp_path / "mine", suffix, text)), None, "upos")
    assert corpus.train == corpus.test == [ANNA, TaggedSentence(("Hello",), ("O",))]
    assert corpus.dev == ()


@pytest.mark.parametrize(("tags", "labels"), [("upos", ("PROPN", "VERB")), ("xpos", ("NNP", "VBZ"))])
def test_a_treebank_is_a_tagged_corpus(tmp_path, tags, labels):
    corpus = load_named(str(put(tmp_path / "mine", ".conllu", CONLLU)), None, tags)
    assert corpus.test[0] == TaggedSentence(("Anna", "sings"), labels)


def test_names_are_looked_up_in_the_folder_of_corpora_then_in_the_cache(tmp_path, monkeypatch):
    put(tmp_path / "cache" / "tagging" / "mine", ".iob2", IOB2)
    assert load_named("mine", None, "upos").test[0].labels == ("B-PER", "O")
    put(tmp_path / "data" / "parsing" / "mine", ".conllu", CONLLU)
    assert load_named("mine", str(tmp_path / "data"), "upos").test[0].labels == ("PROPN", "VERB")
    monkeypatch.setenv("GAPLESS_DATA", str(tmp_path / "data"))
    assert load_named("mine", None, "upos").test[0].labels == ("PROPN", "VERB")


def test_what_is_not_there_is_refused_with_the_way_to_it(tmp_path):
    with pytest.raises(
        InvalidProblem, match="uner-danish-ddt: not here; to download it: gapless data fetch uner-danish"
    ):
        load_named("uner-danish-ddt", None, "upos")
    with pytest.raises(InvalidProblem, match="nothing: not here; gapless data list"):
        load_named("nothing", None, "upos")
    with pytest.raises(InvalidProblem, match="holds no test part"):
        load_named(str(put(tmp_path / "mine", ".tsv", TSV, ["train"])), None, "upos")


def test_a_damaged_part_is_refused_with_its_line(tmp_path):
    with pytest.raises(InvalidProblem, match=r"train\.iob2, line 3"):
        load_named(str(put(tmp_path / "mine", ".iob2", IOB2.replace("2\tsings", "4\tsings"))), None, "upos")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no sentence"),
        ("# only a comment\n", "no sentence"),
        ("1 Anna B-PER\n", "line 1: .*separated by tabs"),
        ("1\tAnna\n", "line 1"),
        ("1\tAnna\t\n", "line 1"),
        ("2\tAnna\tO\n", "line 1: .*expected the number 1"),
        ("1\tA\tO\n\n2\tB\tO\n", "line 3: .*expected the number 1"),
    ],
)
def test_a_damaged_iob2_file_is_refused(tmp_path, text, words):
    path = tmp_path / "a.iob2"
    path.write_text(text)
    with pytest.raises(TaggedFileError, match=words):
        read_iob2(path)


def test_the_last_sentence_needs_no_blank_line(tmp_path):
    path = tmp_path / "a.iob2"
    path.write_text(IOB2.rstrip("\n"))
    assert len(read_iob2(path)) == 2


def test_labels_are_known_to_be_entities():
    assert are_entities([ANNA])
    assert not are_entities([TaggedSentence(("a", "b"), ("B-PER", "VERB"))])
    assert not are_entities([TaggedSentence(("a",), ("O",))])


def test_entities_are_right_as_wholes():
    pytest.importorskip("seqeval", reason="entities are scored by seqeval")
    scores = entity_scores([("B-PER", "I-PER", "O", "B-LOC")], [("B-PER", "O", "O", "B-LOC")])
    assert scores == {"entity_precision": 0.5, "entity_recall": 0.5, "entity_f1": 0.5}


def test_the_task_tags_a_corpus_by_path_and_scores_entities(tmp_path, capsys):
    pytest.importorskip("seqeval", reason="entities are scored by seqeval")
    corpus = put(tmp_path / "mine", ".iob2", IOB2)
    assert main(["run", "pos-tagging", "--corpus", str(corpus), *COMMON, "--json"]) == exit_codes.PROVED
    (outcome,) = json.loads(capsys.readouterr().out)["methods"]
    assert outcome["accuracy"] == outcome["scores"]["entity_f1"] == 1.0


def test_a_corpus_without_training_part_needs_a_stored_tagger(tmp_path, capsys):
    whole = put(tmp_path / "whole", ".iob2", IOB2)
    alone = put(tmp_path / "alone", ".iob2", IOB2, ["test"])
    common = [*COMMON, "--model", str(tmp_path / "model.npz")]
    assert main(["run", "pos-tagging", "--corpus", str(alone), *common]) == exit_codes.USAGE
    assert "no training part" in capsys.readouterr().err
    assert main(["run", "pos-tagging", "--corpus", str(whole), *common]) == exit_codes.PROVED
    assert main(["run", "pos-tagging", "--corpus", str(alone), *common]) == exit_codes.PROVED
