"""Corpora by name or path, in whichever format: tab-separated, CoNLL-U, or IOB2 with numbered words."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import gapless as gl
from gapless_models.corpora import FOLDERS, cache_folder, how_to_get, nearest_corpus
from gapless_models.corpora.places import named_folder
from gapless_models.parsing.conllu_reader import ConlluError, read_conllu
from gapless_models.tagging import TaggedFileError, TaggedSentence, read_tagged
from gapless_models.tagging.iob2 import read_iob2
from gapless_tasks.tagging.corpus import PARTS, Corpus

UPOS, XPOS = "upos", "xpos"
_BETWEEN_DOCUMENTS = ("-DOCSTART-",)
"""The line that begins a document in the place of a sentence."""
Reader = Callable[[Path], Sequence[TaggedSentence]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a corpus."""
    parser.add_argument(
        "--corpus",
        metavar="NAME|PATH",
        help="a corpus that gapless data has fetched, a folder below DIR/tagging or DIR/parsing, or a path to a "
        "folder with train, dev and test as .tsv, .conllu or .iob2, also .gz",
    )
    parser.add_argument(
        "--tags",
        choices=(UPOS, XPOS),
        default=UPOS,
        help=f"of a treebank: universal tags, or its own (default {UPOS})",
    )


def load_named(name: str, data: str | None, tags: str) -> Corpus:
    """Read a corpus.

    Parameters
    ----------
    name : str
        As ``--corpus`` takes it.
    data : str or None
        The folder of corpora to look into first; by default what GAPLESS_DATA names.
    tags : {"upos", "xpos"}
        The column of CoNLL-U files.

    Raises
    ------
    InvalidProblem
        There is no such corpus, it has no test part, or a file is damaged; the message names file and line.
    """
    folder = _folder(name, data or named_folder())
    readers: Mapping[str, Reader] = {
        ".tsv": read_tagged,
        ".conllu": partial(_read_tags, tags=tags),
        ".iob2": read_iob2,
    }
    try:
        train, dev, test = (_part(folder, part, readers) for part in PARTS)
    except (TaggedFileError, ConlluError, OSError) as error:
        raise gl.InvalidProblem(str(error)) from error
    if not test:
        raise gl.InvalidProblem(f"--corpus {name}: {folder} holds no test part ({', '.join(readers)}, or with .gz)")
    return Corpus(name, train, dev, test)


def _folder(name: str, data: str | None) -> Path:
    roots = [*([Path(data)] if data else []), cache_folder()]
    places = [Path(name), *(root / kind / name for root in roots for kind in FOLDERS.values())]
    for folder in places:
        if folder.is_dir():
            return folder
    present = [path.name for root in roots for kind in FOLDERS.values() for path in (root / kind).glob("[!.]*")]
    near = nearest_corpus(name, sorted({*present}), *FOLDERS)
    hint = how_to_get(name) or f"{near}; gapless data list names what can be downloaded"
    raise gl.InvalidProblem(f"--corpus {name}: not here{hint}")


def _part(folder: Path, part: str, readers: Mapping[str, Reader]) -> Sequence[TaggedSentence]:
    for suffix, read in readers.items():
        for packed in ("", ".gz"):
            path = folder / f"{part}{suffix}{packed}"
            if path.exists():
                return [sentence for sentence in read(path) if sentence.words != _BETWEEN_DOCUMENTS]
    return ()


def _read_tags(path: Path, tags: str) -> Sequence[TaggedSentence]:
    """Read the words of a treebank with one column of its tags; trees are not needed."""
    return [
        TaggedSentence(sentence.words, sentence.coarse if tags == UPOS else sentence.tags)
        for sentence in read_conllu(path, gold=False)
    ]
