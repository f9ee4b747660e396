"""Words, sentences and stored models for own text: exact, whole, and strict about what is read."""

from __future__ import annotations

import itertools
import json
import pickle
from pathlib import Path

import attrs
import numpy as np
import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

import gapless as gl
from gapless.learn import DamagedFile
from gapless.learn.archive import HEADER, read_archive, write_archive
from gapless_models.linking.concepts import Concepts
from gapless_models.linking.readers import LinkingFileError
from gapless_models.tagging.tagger import ChainTagger
from gapless_models.text import TextParser, TextSentence, embedded_parser, embedded_tagger, read_text, tokenise
from gapless_models.text.embedded import _trees
from gapless_models.text.parsing import parse
from gapless_models.text.relations import RelationModel
from gapless_models.text.steps import Solver

pytest.importorskip("nltk", reason="nltk is not installed: pip install 'gapless[tasks]'")
pytest.importorskip("conllu", reason="conllu is not installed: pip install 'gapless[tasks]'")


@examples(200)
@given(line=st.text() | st.text(alphabet="ab\"'`.,() \t\u2028\u00a0"), spaced=st.booleans())
def test_words_are_pieces_of_the_line(line, spaced):
    spans = tokenise(line, spaced=spaced)
    assert all(a < b for a, b in spans)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))
    words = [line[a:b] for a, b in spans]
    assert "".join(words) == "".join(line.split())  # nothing is lost
    assert not any(character.isspace() for word in words for character in word)


def test_the_text_of_a_sentence_is_the_line_again(tmp_path):
    line = 'She said "no", didn\'t she?'
    path = tmp_path / "own.txt"
    path.write_text(line, "utf-8")
    (one,) = read_text(path)
    assert one.text == line
    assert one.conllu(7, {}).splitlines()[:2] == ["# sent_id = 7", f"# text = {line}"]


@pytest.mark.parametrize("number", range(6))
def test_relations_are_the_best_of_all(number):
    trees = [one for one in _trees("train") if len(one.words) <= 7][:12]
    model = RelationModel.train([one.entry.sentence for one in trees], epochs=2)
    assert model is not None
    few = attrs.evolve(model)
    gold = trees[number].entry.sentence
    problem = few.problem(gold, gold.heads)
    result = gl.solve(problem)
    assert result.proved
    assert result.verify(problem)
    rng = np.random.default_rng(number)
    drawn = rng.integers(0, len(model.labels), (500, len(gold)))
    near = np.repeat(result.best[None], len(gold) * len(model.labels), 0)  # every change of one relation
    for row, (word, label) in zip(near, itertools.product(range(len(gold)), range(len(model.labels))), strict=True):
        row[word] = label
    assert max(problem.value(labels) for labels in [*drawn, *near]) <= result.value + 1e-9


def test_a_parser_is_what_it_was_when_it_was_stored(tmp_path):
    path = tmp_path / "parser.npz"
    parser = embedded_parser()
    parser.save(path)
    again = TextParser.load(path)
    sentences = [TextSentence("", one.words) for one in _trees("test")[:5]]
    for a, b in zip(parse(parser, sentences, Solver())[0], parse(again, sentences, Solver())[0], strict=True):
        assert (a.tags, a.heads, a.relations) == (b.tags, b.heads, b.relations)
        assert [p.result.value for p in a.proofs] == [p.result.value for p in b.proofs]


def test_the_embedded_models_know_their_own_language():
    gold = _trees("test")
    found, interrupted = parse(embedded_parser(), [TextSentence("", one.words) for one in gold], Solver())
    assert not interrupted
    right = [
        a == b
        for f, g in zip(found, gold, strict=True)
        for a, b in zip(f.heads, g.entry.sentence.heads, strict=True)
    ]
    labels = [
        (a, x) == (b, y)
        for f, g in zip(found, gold, strict=True)
        for a, b, x, y in zip(f.heads, g.entry.sentence.heads, f.relations, g.entry.sentence.labels, strict=True)
    ]
    assert np.mean(right) > 0.95
    assert np.mean(labels) > 0.93
    assert all(proof.result.proved for one in found for proof in one.proofs)


@pytest.mark.parametrize("cut", [0, 10, 0.5, -20])
def test_a_cut_model_is_refused(cut, tmp_path):
    path = tmp_path / "tagger.npz"
    embedded_tagger().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * cut) if isinstance(cut, float) else cut])
    with pytest.raises(ValueError, match=r"tagger\.npz"):
        ChainTagger.load(path)
    with pytest.raises(DamagedFile, match=r"tagger\.npz"):
        TextParser.load(path)


def test_a_pickle_is_no_model(tmp_path):
    ran = tmp_path / "ran"

    class Bad:
        def __reduce__(self) -> tuple[object, ...]:
            return Path.touch, (ran,)

    path = tmp_path / "bad.npz"
    path.write_bytes(pickle.dumps(Bad()))
    header = {"format": "gapless.learn", "version": 1, "kind": "parser", "arrays": [], "metadata": {}}
    named = np.frombuffer(json.dumps(header).encode(), np.uint8)
    inside = tmp_path / "inside.npz"
    np.savez(inside, **{HEADER: named, "values0": np.array([Bad()], object)})  # type: ignore[arg-type]
    for file in (path, inside):
        with pytest.raises(DamagedFile):
            TextParser.load(file)
        with pytest.raises(ValueError, match=file.name):
            ChainTagger.load(file)
    assert not ran.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arrays, data: data["tagger"].pop("labels"), "labels"),
        (lambda arrays, data: data["tagger"].update(column="lemma"), "column"),
        (lambda arrays, data: data["relations"]["features"].pop(), "shape"),
        (lambda arrays, data: arrays.pop("relations.final"), "relations|final"),
        (lambda arrays, data: arrays.pop("table"), "table"),
        (lambda arrays, data: data.update(tagger=3), "no consistent parser"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, words, tmp_path):
    path = tmp_path / "parser.npz"
    embedded_parser().save(path)
    arrays, data = read_archive(path, "parser")
    change(arrays, data)  # type: ignore[operator]
    write_archive(path, "parser", arrays, data)
    with pytest.raises(DamagedFile, match=words):
        TextParser.load(path)


def test_a_tagger_of_an_earlier_version_is_read(tmp_path):
    path = tmp_path / "tagger.npz"
    embedded_tagger().save(path)
    arrays, data = read_archive(path, "chain tagger")
    del data["column"]
    write_archive(path, "chain tagger", arrays, data)
    assert ChainTagger.load(path).column == "upos"


def test_another_version_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "tagger.npz"
    monkeypatch.setattr("gapless.learn.archive.VERSION", 2)
    embedded_tagger().save(path)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="version 2; expected 'chain tagger', version 1"):
        ChainTagger.load(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a\tb\n", "line 1: .* is no concept"),
        ("a\t\tb\nb\t\t\nb\t\t\n", "line 3: 'b' is also the title of line 2"),
        ("a\t\tc\n", "line 1: links to 'c'"),
        ("a\t\tb\nb\t\t\nc\t\t\n", "line 3: no chain of links joins 'c'"),
        ("", "no concept"),
    ],
)
def test_bad_concepts_are_named_by_their_line(content, words, tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text(content, "utf-8")
    with pytest.raises(LinkingFileError, match=words):
        Concepts.read(path)


def test_concepts_are_written_as_they_were_read(tmp_path):
    concepts = Concepts.embedded()
    concepts.write(tmp_path / "own.tsv")
    again = Concepts.read(tmp_path / "own.tsv")
    assert again.lines == concepts.lines
    words = ["Jaguar", "lives", "in", "the", "jungle"]
    assert [(m.first, m.end) for m in again.mentions(words)] == [(0, 1), (3, 5)]


def test_the_longest_name_is_meant(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text("New York\tBig Apple\tYork\nYork\t\t\nApple\t\tNew York\n", "utf-8")
    concepts = Concepts.read(path)
    spelled = [
        (m.first, m.end)
        for m in concepts.mentions(["the", "Big", "Apple", "is", "new", "york", ",", "not", "York"])
    ]
    assert spelled == [(1, 3), (4, 6), (8, 9)]
