"""Corpora of a tagging job: a folder of corpora, the embedded ones, or any by name or path in several formats."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import attrs

import gapless as gl
from gapless_models.corpora import FOLDERS, cache_folder, how_to_get, nearest_corpus
from gapless_models.corpora.places import named_folder, not_a_corpus
from gapless_models.parsing.conllu_reader import ConlluError, read_conllu
from gapless_models.tagging import TaggedFileError, TaggedSentence, read_tagged
from gapless_models.tagging.product_labels import ProductLabels
from gapless_models.tagging.readers import read_iob2

PARTS = ("train", "dev", "test")


@attrs.frozen
class Corpus:
    """A tagged corpus in its parts; `dev` may be empty.

    Parameters
    ----------
    product : ProductLabels or None
        The combinations to decode over, where labels are joint ones.
    """

    name: str
    train: Sequence[TaggedSentence]
    dev: Sequence[TaggedSentence]
    test: Sequence[TaggedSentence]
    product: ProductLabels | None = None

    def first(self, count: int | None) -> Corpus:
        """Cut every part to at most `count` sentences, for a quick look."""
        return attrs.evolve(self, train=self.train[:count], dev=self.dev[:count], test=self.test[:count])


@attrs.frozen
class CorpusSource:
    """Reader of a corpus.

    Parameters
    ----------
    folder : Path
        Below the folder of all corpora; holds ``{train,dev,test}.tsv.gz``.
    embedded : callable
        ``embedded("train")`` and ``embedded("test")`` are the parts of the corpus that comes with gapless.
    columns : sequence of str
        Names of the label columns, for joint labels; ``labels.COLUMN.txt`` lists the labels of each.
    """

    folder: Path
    embedded: Callable[..., Sequence[TaggedSentence]]
    columns: Sequence[str] = ()

    def load(self, data: str | None) -> Corpus:
        """Read the embedded corpus, or ``DATA/{folder}/{train,dev,test}.tsv.gz``.

        Raises
        ------
        InvalidProblem
            The folder does not hold the corpus; the message names the missing file.
        """
        if data is None:
            train, test = self.embedded("train"), self.embedded("test")
            labels = (label for sentence in train for label in sentence.labels)
            return Corpus("embedded corpus", train, (), test, ProductLabels.seen(labels) if self.columns else None)
        root = Path(data) / self.folder
        try:
            train, dev, test = (read_tagged(root / f"{part}.tsv.gz") for part in PARTS)
            return Corpus(str(root), train, dev, test, self._product(root) if self.columns else None)
        except (TaggedFileError, OSError) as error:
            raise not_a_corpus(error, data, self.folder, (Path(data) / self.folder.name).is_dir()) from error

    def _product(self, root: Path) -> ProductLabels:
        lists = [(root / f"labels.{column}.txt").read_text("utf-8").split("\n") for column in self.columns]
        try:
            return ProductLabels([[label for label in labels if label] for labels in lists])
        except ValueError as error:
            raise TaggedFileError(f"{root}/labels.*.txt: {error}") from error


UPOS, XPOS = "upos", "xpos"
_BETWEEN_DOCUMENTS = ("-DOCSTART-",)
"""The line that begins a document in the place of a sentence."""
Reader = Callable[[Path], Sequence[TaggedSentence]]


def add_corpus_options(parser: argparse.ArgumentParser) -> None:
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
