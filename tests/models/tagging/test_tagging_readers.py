"""Reading tagged files, good and bad."""

import gzip

import pytest

from gapless_models.tagging import TaggedFileError, TaggedSentence, iter_tagged, read_tagged

TWO_COLUMNS = "The\tDT\ncat\tNN\n\nIt\tPRP\nsleeps\tVBZ\n.\t.\n\n"
THREE_COLUMNS = "Anna\tNNP\tB-PER\nsings\tVBZ\tO\n\n"


def write(path, text):
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz"])
def test_plain_and_gzip_give_the_same_sentences(tmp_path, name):
    sentences = read_tagged(write(tmp_path / name, TWO_COLUMNS))
    assert sentences == [
        TaggedSentence(("The", "cat"), ("DT", "NN")),
        TaggedSentence(("It", "sleeps", "."), ("PRP", "VBZ", ".")),
    ]


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        (None, ("NNP|B-PER", "VBZ|O")),
        ([1], ("NNP", "VBZ")),
        ([2], ("B-PER", "O")),
        ([2, 1], ("B-PER|NNP", "O|VBZ")),
    ],
)
def test_label_columns_are_selected_and_joined(tmp_path, columns, labels):
    (sentence,) = read_tagged(write(tmp_path / "a.tsv", THREE_COLUMNS), columns)
    assert sentence.labels == labels


@pytest.mark.parametrize(
    "text",
    [
        "\n\nA\tX\n\n\n\nB\tY\n\n\n",
        "A\tX\n\nB\tY",
        "A\tX\r\n\r\nB\tY\r\n\r\n",
        b"\xef\xbb\xbfA\tX\n\nB\tY\n\n",
    ],
    ids=["extra blank lines", "no last line break", "CRLF", "byte order mark"],
)
def test_harmless_variations_are_accepted(tmp_path, text):
    assert [s.words for s in read_tagged(write(tmp_path / "a.tsv", text))] == [("A",), ("B",)]


def test_unusual_spaces_do_not_break_lines(tmp_path):
    (sentence,) = read_tagged(write(tmp_path / "a.tsv", "5\u00a0000\tNUM\na\u2028b\tX\n\n"))
    assert sentence.words == ("5\u00a0000", "a\u2028b")


def test_sentences_are_streamed(tmp_path):
    stream = iter_tagged(write(tmp_path / "a.tsv", "A\tX\n\nbroken\n"))
    assert next(stream).words == ("A",)
    with pytest.raises(TaggedFileError, match="line 3"):
        next(stream)


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("A\tX\nB\n", None, "line 2: only one column in 'B'; write the word, a tab"),
        ("A X\n", None, "line 1: only one column in 'A X'"),
        ("A\tX\nB\tY\tZ\n", None, "line 2: 3 columns where the lines before have 2; use the same number"),
        ("A\tX\n\t\n", None, "line 2: column 0 is empty; fill it in"),
        ("A\tX\nB\t\n", None, "line 2: column 1 is empty"),
        ("A\tX\n", [2], "line 1: label column 2 was asked for, but there are 1; select fewer"),
        ("A\tX|Y\tZ\n", None, "line 1: a label in .* contains '\\|'.*rename the label"),
        ("", None, "line 1: no sentence in the file; expected 'word<TAB>label'"),
        ("\n\n", None, "line 1: no sentence"),
        (b"A\tX\nB\xff\tY\n", None, "line 2: not UTF-8 \\(byte 0xff\\); re-encode"),
    ],
)
def test_bad_content_names_file_line_and_fix(tmp_path, text, columns, message):
    with pytest.raises(TaggedFileError, match=f"bad.tsv, {message}"):
        read_tagged(write(tmp_path / "bad.tsv", text), columns)


def test_a_single_label_column_may_hold_the_joint_separator(tmp_path):
    (sentence,) = read_tagged(write(tmp_path / "a.tsv", "A\tX|Y\n"))
    assert sentence.labels == ("X|Y",)


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_truncated_gzip(tmp_path, keep):
    whole = gzip.compress("".join(f"word{i}\tX\n" for i in range(2000)).encode())
    path = tmp_path / "cut.tsv.gz"
    path.write_bytes(whole[: int(keep * len(whole))])
    with pytest.raises(TaggedFileError, match=r"cut.tsv.gz, line \d+: the gzip data is damaged or cut short"):
        read_tagged(path)


def test_plain_text_named_gz(tmp_path):
    path = tmp_path / "plain.tsv.gz"
    path.write_text(TWO_COLUMNS)
    with pytest.raises(TaggedFileError, match=r"plain.tsv.gz, line 1: the gzip data is damaged"):
        read_tagged(path)


def test_gzip_named_tsv(tmp_path):
    path = tmp_path / "packed.tsv"
    path.write_bytes(gzip.compress(TWO_COLUMNS.encode()))
    with pytest.raises(TaggedFileError, match=r"packed.tsv, line 1: not UTF-8 .*add .gz to the name"):
        read_tagged(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere.tsv: no such file; check the path"):
        read_tagged(tmp_path / "nowhere.tsv")
    with pytest.raises(TaggedFileError, match=r"is a folder; give a \.tsv"):
        read_tagged(tmp_path)


@pytest.mark.parametrize("columns", [[], [0], [1, -1]])
def test_impossible_columns(tmp_path, columns):
    with pytest.raises(ValueError, match="name one label column or more"):
        read_tagged(write(tmp_path / "a.tsv", TWO_COLUMNS), columns)


def test_sentences_need_as_many_labels_as_words():
    with pytest.raises(ValueError, match="2 words but 1 labels"):
        TaggedSentence(("a", "b"), ("X",))
    with pytest.raises(ValueError, match="at least one word"):
        TaggedSentence((), ())
