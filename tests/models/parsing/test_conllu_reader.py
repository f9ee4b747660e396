"""Reading CoNLL-U files and treebanks, good and bad."""

import gzip
import os

import pytest

from gapless import InvalidProblem
from gapless_models.parsing import Sentence
from gapless_models.parsing.conllu_reader import (
    ConlluError,
    MissingBlankLine,
    iter_conllu,
    read_conllu,
    read_entries,
)
from gapless_models.parsing.treebank import embedded_treebank, is_crossing, load_treebank

pytest.importorskip("conllu")


def word(number, form, head, *, upos="X", xpos="Y", relation="dep"):
    return f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t{head}\t{relation}\t_\t_\n"


GOOD = word(1, "Anna", 2) + word(2, "sings", 0) + "\n"


def write(path, text):
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz"])
def test_plain_and_gzip_give_the_same_sentences(tmp_path, name):
    assert read_conllu(write(tmp_path / name, GOOD + GOOD)) == 2 * [
        Sentence(("Anna", "sings"), ("Y", "Y"), ("X", "X"), (2, 0), ("dep", "dep"), ("_", "_"))
    ]


def test_comments_multiword_tokens_and_empty_nodes_are_left_out(tmp_path):
    text = (
        "# text = vámonos\n1-2\tvámonos" + 8 * "\t_" + "\n"
        + word(1, "vamos", 0) + "1.1\tx" + 8 * "\t_" + "\n" + word(2, "nos", 1) + "\n"
    )  # fmt: skip
    (sentence,) = read_conllu(write(tmp_path / "a.conllu", text))
    assert sentence.words == ("vamos", "nos")
    assert sentence.heads == (0, 1)


def test_a_missing_tag_column_is_made_up_from_the_other(tmp_path):
    text = word(1, "a", 0, upos="_", xpos="NNP") + word(2, "b", 1, upos="NOUN", xpos="_") + "\n"
    (sentence,) = read_conllu(write(tmp_path / "a.conllu", text))
    assert sentence.tags == ("NNP", "NOUN")
    assert sentence.coarse == ("NN", "NOUN")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (word(1, "a", 2) + word(2, "b", 0) + word(3, "c", 4) + word(4, "d", 3) + "\n", "line 3: the heads run"),
        (word(1, "a", 2) + word(2, "b", 1) + "\n", "line 1: no word of this sentence is headed by the root"),
        (GOOD + word(1, "a", 0) + word(2, "b", 3) + "\n", "line 5: word 2 \\(b\\) has head 3, but"),
        (word(1, "a", -1) + "\n", "line 1: "),
        (word(1, "a", "_") + "\n", "line 1: word 1 \\(a\\) has no head"),
        (word(1, "a", "x") + "\n", "line 1: "),
        (word(1, "a", 1) + "\n", "line 1: no word of this sentence"),
        (word(1, "a", 0) + word(2, "b", 2) + "\n", "line 2: the heads run in a circle: 2 -> 2"),
        (word(1, "a", 0) + word(1, "b", 1) + "\n", "line 2: word number 1, expected 2"),
        (word(1, "a", 0) + word(2, "b", "x") + "\n", "line 2: the head .column 7. is 'x', expected a number"),
        (word(1, "a", 0) + word(2, "b", -1) + "\n", "line 2: the head .column 7. is '-1', expected a number"),
        (word(1, "a", "1.1") + "\n", "line 1: "),
        (word(1, "a", 0) + word(3, "b", 1) + "\n", "line 2: word number 3, expected 2"),
        (word("one", "a", 0) + "\n", "line 1: "),
        (GOOD + word(1, "a", 0).replace("\t", "  ") + "\n", "line 4: no tab in the line; columns must be"),
        (GOOD + "1\ta\t_\n\n", "line 4: 3 columns, expected 10"),
        (GOOD + word(1, "a", 0)[:-3], "line 4: 9 columns, expected 10"),
        (GOOD + word(1, "a", 0)[:-2], "line 4: the file ends inside a row"),
        (GOOD + word(1, "a", 0) + word(2, "b", 3), "line 5: word 2 \\(b\\) has head 3, but"),
        ("1-2\tvámonos" + 8 * "\t_" + "\n\n", "line 1: a sentence without words"),
        ("", "line 1: no sentence in the file"),
        ("# nothing\n\n", "line 1: no sentence in the file"),
        (GOOD.encode() + b"1\t\xff", "line 4: not UTF-8"),
    ],
)  # fmt: skip
def test_what_is_no_tree_is_refused_with_file_and_line(tmp_path, text, message):
    with pytest.raises(ConlluError, match=f"bad.conllu, {message}"):
        read_conllu(write(tmp_path / "bad.conllu", text))


@pytest.mark.parametrize("end", ["\n", "", "\r\n", "\n# a comment", "\n# a comment\n"])
@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz"])
def test_a_complete_last_line_without_blank_line_is_read_with_a_remark(tmp_path, name, end):
    text = GOOD + GOOD.removesuffix("\n\n") + end
    with pytest.warns(MissingBlankLine, match=rf"{name}, line \d: no blank line after the last .* 2 words"):
        found = read_entries(write(tmp_path / name, text))
    assert [entry.sentence.heads for entry in found] == [(2, 0), (2, 0)]
    assert found[0].lines == found[1].lines[:2]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            word(1, "caf\xe9", 0).encode("latin-1"),
            "line 1: not UTF-8 .byte 0xe9.; re-encode .* like Latin-1 .*is 'é'",
        ),
        (word(1, "a\xa0", 0).encode("latin-1"), "line 1: not UTF-8 .byte 0xa0.; re-encode .* like Latin-1 .*1252:"),
        (GOOD.encode("utf-16"), "line 1: not UTF-8 .byte 0xff.; re-encode the file, which looks like UTF-16"),
        (
            gzip.compress(GOOD.encode(), mtime=0),
            "line 1: not UTF-8 .byte 0x8b.; it is compressed: add .gz to the name",
        ),
    ],
)
def test_another_encoding_is_recognised(tmp_path, content, words):
    with pytest.raises(ConlluError, match=words):
        read_conllu(write(tmp_path / "bad.conllu", content))


def test_heads_may_be_missing_from_whole_sentences_of_new_text(tmp_path):
    bare = word(1, "a", "_") + word(2, "b", "_") + "\n"
    found = read_conllu(write(tmp_path / "new.conllu", GOOD + bare), gold=False)
    assert [sentence.heads for sentence in found] == [(2, 0), ()]
    with pytest.raises(ConlluError, match=r"line 2: word 2 .b. has no head"):
        read_conllu(write(tmp_path / "half.conllu", word(1, "a", 0) + word(2, "b", "_") + "\n"), gold=False)


@pytest.mark.parametrize("change", [lambda t: t.replace("\n", "\r\n"), "\ufeff{}".format, "\n\n{}\n\n".format])
def test_line_ends_byte_order_marks_and_blank_lines_do_not_matter(tmp_path, change):
    text = change("# one\n" + GOOD + GOOD)
    assert [s.heads for s in read_conllu(write(tmp_path / "a.conllu", text))] == [(2, 0), (2, 0)]


def test_odd_spaces_inside_a_word_are_part_of_it(tmp_path):
    forms = ["5\u00a0000", "a\u2028b", "a\x85b", "_", "#"]
    text = "".join(word(1, form, 0) + "\n" for form in forms)
    assert [s.words for s in read_conllu(write(tmp_path / "a.conllu", text))] == [(form,) for form in forms]


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_truncated_gzip(tmp_path, keep):
    whole = gzip.compress("".join(word(1, f"w{i}", 0) + "\n" for i in range(2000)).encode())
    (tmp_path / "cut.conllu.gz").write_bytes(whole[: int(keep * len(whole))])
    with pytest.raises(ConlluError, match=r"cut.conllu.gz, line \d+: the gzip data is damaged or cut short"):
        read_conllu(tmp_path / "cut.conllu.gz")


def test_sentences_are_streamed(tmp_path):
    stream = iter_conllu(write(tmp_path / "a.conllu", GOOD + "broken\n"))
    assert next(stream).words == ("Anna", "sings")
    with pytest.raises(ConlluError, match="line 4"):
        next(stream)


def test_a_treebank_is_named_or_a_path(tmp_path, monkeypatch):
    folder = tmp_path / "parsing" / "mini"
    folder.mkdir(parents=True)
    for part in ("train", "test"):
        write(folder / f"{part}.conllu.gz", GOOD)
    by_name = load_treebank("mini", str(tmp_path))
    assert (len(by_name.train), len(by_name.dev), len(by_name.test)) == (1, 0, 1)
    assert by_name.single_root
    assert by_name.projective
    assert load_treebank(str(folder), None).test == by_name.test
    assert load_treebank(str(folder / "test.conllu.gz"), None).train == ()
    monkeypatch.setenv("GAPLESS_DATA", str(tmp_path))
    assert load_treebank("mini", None).test == by_name.test


def test_a_treebank_that_is_not_there_is_refused_with_what_there_is(tmp_path, monkeypatch):
    monkeypatch.delenv("GAPLESS_DATA", raising=False)
    (tmp_path / "parsing" / "mini").mkdir(parents=True)
    with pytest.raises(InvalidProblem, match=r"neither in .* nor a path \(did you mean 'mini'\?\); it holds mini"):
        load_treebank("maxi", str(tmp_path))
    with pytest.raises(InvalidProblem, match=r"does not hold test.conllu or"):
        load_treebank("mini", str(tmp_path))
    with pytest.raises(InvalidProblem, match="set GAPLESS_DATA"):
        load_treebank("maxi", None)


def test_the_embedded_treebank_is_whole():
    treebank = embedded_treebank()
    everything = [*treebank.train, *treebank.dev, *treebank.test]
    assert len(everything) >= 120
    assert len({sentence.words for sentence in everything}) == len(everything)
    assert treebank.single_root
    assert not treebank.projective
    for part in (treebank.train, treebank.dev, treebank.test):
        assert 0 < sum(map(is_crossing, part)) < len(part) / 4


@pytest.mark.long
@pytest.mark.corpus
@pytest.mark.parametrize("name", ["english_wsj", "chinese", "danish"])
def test_the_treebanks_are_read(name):
    data = os.environ.get("GAPLESS_DATA")
    if not data or not os.path.isdir(f"{data}/parsing/{name}"):
        pytest.skip(f"GAPLESS_DATA does not name a folder with parsing/{name}")
    treebank = load_treebank(name, data)
    assert treebank.projective == (name != "danish")
    assert len(treebank.train) > 3000
    assert treebank.single_root == (name != "danish")
