"""Corpora of sections: a folder of corpora, or the embedded ones."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import attrs

import gapless as gl
from gapless_models.corpora.places import not_a_corpus
from gapless_models.titles.content_words import ContentWords
from gapless_models.titles.section import Section
from gapless_models.titles.section_reader import SectionFileError, read_auxiliary_words, read_sections

FOLDER = "title_generation"
_TRAIN_SHARE = 0.7


@attrs.frozen
class Corpus:
    """Sections to train on and to test on.

    Parameters
    ----------
    extra : tuple of Section
        More text for the language model.
    """

    name: str
    train: tuple[Section, ...]
    test: tuple[Section, ...]
    extra: tuple[Section, ...]
    content: ContentWords


def load_corpus(data: str | Path | None, *, extra: bool = False) -> Corpus:
    """Read the embedded sections, or ``DATA/title_generation``.

    Parameters
    ----------
    data : path or None
        The folder of all corpora; below it ``title_generation/{train,test,extra}.jsonl.gz`` and
        ``auxiliary_words.txt``. None for the embedded sections, the first 70 % of which are for training.
    extra : bool
        Read the extra sections, too.

    Raises
    ------
    InvalidProblem
        The folder does not hold the corpus, or a file of it cannot be read; the message names file, line and fix.
    """
    if data is None:
        if extra:
            raise gl.InvalidProblem(
                "--extra needs --data, or GAPLESS_DATA: the embedded sections have no extra part"
            )
        return _embedded()
    root = Path(data) / FOLDER
    try:
        train, test = (tuple(read_sections(root / f"{part}.jsonl.gz")) for part in ("train", "test"))
        more = tuple(read_sections(root / "extra.jsonl.gz")) if extra else ()
        content = ContentWords(read_auxiliary_words(root / "auxiliary_words.txt"))
    except (SectionFileError, OSError) as error:
        raise not_a_corpus(error, data, FOLDER, (Path(data) / "auxiliary_words.txt").is_file()) from error
    return Corpus(str(root), train, test, more, content)


def _embedded() -> Corpus:
    """Load short essays written for this project."""
    with as_file(files("gapless_models.titles") / "data") as folder:
        sections = tuple(read_sections(folder / "sections.jsonl"))
        content = ContentWords(read_auxiliary_words(folder / "auxiliary_words.txt"))
    cut = round(_TRAIN_SHARE * len(sections))
    return Corpus("embedded sections", sections[:cut], sections[cut:], (), content)
