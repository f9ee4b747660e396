"""Sections are read, and bad files refused with file, line and fix."""

import gzip
import json

import pytest

from gapless import InvalidProblem
from gapless_models.titles.corpus import load_corpus
from gapless_models.titles.section import Section
from gapless_models.titles.section_reader import SectionFileError, read_auxiliary_words, read_sections

GOOD = {"id": "a-1", "book": "a", "title": "Binary Search", "body": ["Search is binary .", "It halves ."]}


def written(tmp_path, *lines, name="sections.jsonl"):
    path = tmp_path / name
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def test_a_section_is_read_as_tokens(tmp_path):
    (found,) = read_sections(written(tmp_path, GOOD))
    assert found == Section("a-1", ("Binary", "Search"), (("Search", "is", "binary", "."), ("It", "halves", ".")))


def test_compressed_files_are_read(tmp_path):
    path = tmp_path / "sections.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode()))
    assert read_sections(path)[0].name == "a-1"


def test_empty_sentences_are_passed_over(tmp_path):
    (found,) = read_sections(written(tmp_path, GOOD | {"body": ["", "Search ."]}))
    assert found.body == (("Search", "."),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON .*write one object"),
        ("[1]", "a list, expected an object"),
        ("", "not JSON"),
        ({k: v for k, v in GOOD.items() if k != "title"}, "no field 'title'; it has id, book, body"),
        (GOOD | {"title": 3}, "title is 3, expected a string"),
        (GOOD | {"title": " "}, "title is empty; fill it in"),
        (GOOD | {"id": ""}, "id is empty"),
        (GOOD | {"body": "Search ."}, "body is 'Search .', expected a list of strings"),
        (GOOD | {"body": []}, "body is empty"),
        (GOOD | {"body": ["."]}, "body has no word"),
        (GOOD | {"body": ["Search", None]}, "body\\[1\\] is None, expected a string"),
        (GOOD, "the id 'a-1' is that of line 1, too"),
    ],
)
def test_a_bad_line_is_refused_with_its_place(tmp_path, line, message):
    with pytest.raises(SectionFileError, match=f"sections.jsonl, line 2: {message}"):
        read_sections(written(tmp_path, GOOD, line))


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(SectionFileError, match="line 1: no section in the file"):
        read_sections(written(tmp_path))


def test_a_cut_archive_is_refused_with_its_line(tmp_path):
    path = tmp_path / "sections.jsonl.gz"
    packed = gzip.compress((json.dumps(GOOD) + "\n").encode() * 50)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(SectionFileError, match="line 1: the gzip data is damaged or cut short"):
        read_sections(path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ((), "line 1: no word"),
        (("the", "of a"), "line 2: 'of a' is not one word"),
        (("the", ","), "line 2: ',' is not one word"),
        (("the", "The"), "line 2: 'The' is there twice"),
    ],
)
def test_bad_auxiliary_words_are_refused(tmp_path, lines, message):
    with pytest.raises(SectionFileError, match=message):
        read_auxiliary_words(written(tmp_path, *lines, name="words.txt"))


def test_the_message_names_the_missing_file_and_the_folder_meant(tmp_path):
    with pytest.raises(InvalidProblem, match=r"train.jsonl.gz: no such file.*--data names the folder"):
        load_corpus(tmp_path)
    written(tmp_path, "the", name="auxiliary_words.txt")
    with pytest.raises(InvalidProblem, match="did you mean --data"):
        load_corpus(tmp_path)


def test_the_embedded_sections_are_short_essays():
    corpus = load_corpus(None)
    sections = (*corpus.train, *corpus.test)
    assert len(sections) >= 40
    assert len(corpus.train) == round(0.7 * len(sections))
    assert len(corpus.content.auxiliary) == 24
    assert {len(set(section.title)) == len(section.title) for section in sections} == {True}
    lengths = [len(corpus.content.of(section.title)) for section in sections]
    assert (min(lengths), max(lengths)) == (1, 3)
    assert all(60 <= sum(map(len, section.body)) <= 130 for section in sections)


def test_a_folder_of_corpora_is_read(tmp_path):
    folder = tmp_path / "title_generation"
    folder.mkdir()
    for part in ("train", "test", "extra"):
        line = json.dumps(GOOD | {"id": part}) + "\n"
        (folder / f"{part}.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    written(folder, "the", "of", name="auxiliary_words.txt")
    found = load_corpus(tmp_path, extra=True)
    assert [section.name for section in (*found.train, *found.test, *found.extra)] == ["train", "test", "extra"]
    assert found.content.auxiliary == ("the", "of")
    assert load_corpus(tmp_path).extra == ()


def test_the_embedded_sections_have_no_extra_part():
    with pytest.raises(InvalidProblem, match="--extra needs --data"):
        load_corpus(None, extra=True)
