"""Reading entity tags as Universal NER gives them: CoNLL with numbered words and comments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gapless_models.tagging.readers import TaggedFileError
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.text_lines import numbered_lines


def read_iob2(path: str | Path) -> list[TaggedSentence]:
    """Read every sentence of an ``.iob2`` file.

    Parameters
    ----------
    path : str or Path
        A UTF-8 file, gzip-compressed if its name ends in ``.gz``: the number of a word in its sentence, the word,
        its tag, and whatever follows, separated by tabs; a blank line after each sentence; comments begin with
        ``#``.

    Returns
    -------
    list of TaggedSentence
        At least one sentence.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    TaggedFileError
        If the file is empty or damaged; the message names the line.
    """
    sentences = list(_sentences(Path(path)))
    if not sentences:
        raise TaggedFileError(f"{path}, line 1: no sentence in the file; expected 'number<TAB>word<TAB>tag' lines")
    return sentences


def _sentences(path: Path) -> Iterator[TaggedSentence]:
    words: list[str] = []
    tags: list[str] = []
    for number, line in numbered_lines(path, TaggedFileError, ".iob2"):
        if line.startswith("#"):
            continue
        if line.strip():
            fields = line.split("\t")
            if len(fields) < 3 or fields[0] != str(len(words) + 1) or not (fields[1] and fields[2]):
                raise TaggedFileError(
                    f"{path}, line {number}: {line!r:.60}: expected the number {len(words) + 1}, a word and its "
                    "tag, separated by tabs"
                )
            words.append(fields[1])
            tags.append(fields[2])
        elif words:
            yield TaggedSentence(tuple(words), tuple(tags))
            words, tags = [], []
    if words:
        yield TaggedSentence(tuple(words), tuple(tags))
