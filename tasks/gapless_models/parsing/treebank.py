"""Treebanks in three parts: named folders, paths, or the small one that comes with gapless."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path

import attrs
import numpy as np

import gapless as gl
from gapless_dependency.tree import crossing
from gapless_models.corpora import FOLDERS, TREEBANK, cache_folder, how_to_get, nearest_corpus
from gapless_models.corpora.places import named_folder
from gapless_models.parsing import Sentence
from gapless_models.parsing.conllu_reader import ConlluError, Entry, read_conllu, read_entries

PARTS = ("train", "dev", "test")
FOLDER = FOLDERS[TREEBANK]
"""Below the folder of all corpora."""
EMBEDDED = "embedded"
"""The name of the treebank that comes with gapless."""
_SUFFIXES = (".conllu", ".conllu.gz")


@attrs.frozen
class Treebank:
    """Sentences with gold trees; any part may be empty but `test`.

    Parameters
    ----------
    name : str
        As ``--treebank`` takes it.
    train, dev, test : sequence of Sentence
        Those of `test` may be without a tree.
    entries : sequence of Entry
        The file of `test`; empty if it was not read from a file.
    whole : Treebank or None
        The treebank that this one is the beginning of.
    """

    name: str
    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    test: Sequence[Sentence]
    entries: Sequence[Entry] = attrs.field(default=(), repr=False)
    whole: Treebank | None = attrs.field(default=None, repr=False)

    def first(self, count: int | None) -> Treebank:
        """Cut every part to `count` sentences, for a quick look; the whole still determines the set of trees."""
        return attrs.evolve(
            self,
            train=self.train[:count],
            dev=self.dev[:count],
            test=self.test[:count],
            entries=self.entries[:count],
            whole=self.whole or self,
        )

    def without_crossing(self) -> Treebank:
        """Leave out training and development trees with crossing arcs, which a projective parser cannot find."""
        train, dev = ([s for s in part if not is_crossing(s)] for part in (self.train, self.dev))
        return attrs.evolve(self, train=train, dev=dev)

    @property
    def digest(self) -> str:
        """Digest of the training part, from which a parser learns, and the development part, which chooses it."""
        digest = sha256()
        for part in (self.train, self.dev):
            digest.update(f"{len(part)}\n".encode())
            for sentence in part:
                digest.update(repr((sentence.words, sentence.tags, sentence.coarse, sentence.heads)).encode())
        return digest.hexdigest()[:16]

    @property
    def projective(self) -> bool:
        """Whether so few training trees have crossing arcs that a projective parser loses next to nothing.

        Below 1 % of the trees: conversions from phrase structure have a handful by mistake.
        """
        trees = self._trees
        return sum(map(is_crossing, trees)) < max(0.01 * len(trees), 1)

    @property
    def single_root(self) -> bool:
        """Whether every training tree has exactly one word that is headed by the root."""
        return all(sentence.heads.count(0) == 1 for sentence in self._trees)

    @property
    def _trees(self) -> Sequence[Sentence]:
        """Gold trees that determine the set of trees."""
        treebank = self.whole or self
        return treebank.train or [sentence for sentence in treebank.test if sentence.heads]


def is_crossing(sentence: Sentence) -> bool:
    """Return whether two arcs of the gold tree cross."""
    return crossing(np.array(sentence.heads)) is not None


def embedded_treebank() -> Treebank:
    """Load the treebank that comes with gapless.

    Short English sentences, written for this project through a small grammar, with universal and Penn-like tags
    and relations in the manner of Universal Dependencies; every tenth tree has crossing arcs.
    """
    with as_file(files("gapless_models.parsing") / "data") as folder:
        train, dev, test = (folder / f"{part}.conllu" for part in PARTS)
        return _treebank(EMBEDDED, read_conllu(train), read_conllu(dev), read_entries(test))


def load_treebank(name: str | None, data: str | None) -> Treebank:
    """Read a treebank.

    Parameters
    ----------
    name : str or None
        A folder below ``DATA/parsing``; or a path, to a folder with ``train``, ``dev`` and ``test`` or to one file,
        which is then the test part; or what ``gapless data fetch`` has fetched; or None or "embedded" for the
        embedded treebank. The test part may hold sentences whose heads are all ``_``: they can be parsed, not
        scored.
    data : str or None
        The folder of corpora; by default what the environment variable GAPLESS_DATA names.

    Raises
    ------
    InvalidProblem
        There is no such treebank, or it is damaged; the message names the file and the line.
    """
    if name is None and data:
        raise gl.InvalidProblem(
            f"--data {data} needs --treebank NAME, a folder below {Path(data) / FOLDER}; the embedded treebank is "
            f"parsed without --data, or with --treebank {EMBEDDED}"
        )
    if name is None or name == EMBEDDED:
        return embedded_treebank()
    location = _place(name, data or named_folder())
    try:
        if location.is_file():
            return _treebank(name, (), (), read_entries(location, gold=False))
        train, dev, test = (_part(location, part) for part in PARTS)
        if test is None:
            expected = " or ".join(f"test{suffix}" for suffix in _SUFFIXES)
            raise gl.InvalidProblem(f"--treebank {name}: {location} does not hold {expected}")
        learnt = [() if path is None else read_conllu(path) for path in (train, dev)]
        return _treebank(name, learnt[0], learnt[1], read_entries(test, gold=False))
    except (ConlluError, OSError) as error:
        raise gl.InvalidProblem(str(error)) from error


def _treebank(name: str, train: Sequence[Sentence], dev: Sequence[Sentence], test: Sequence[Entry]) -> Treebank:
    return Treebank(name, train, dev, [entry.sentence for entry in test], test)


def _place(name: str, data: str | None) -> Path:
    """Return the folder or file that a name or path stands for."""
    named = None if data is None else Path(data) / FOLDER / name
    for candidate in (named, Path(name), cache_folder() / FOLDER / name):
        if candidate is not None and candidate.exists():
            return candidate
    if how_to_get(name):
        raise gl.InvalidProblem(f"--treebank {name}: not here yet{how_to_get(name)}")
    folders = [] if data is None else _folders(Path(data) / FOLDER)
    hint = nearest_corpus(name, [*folders, *_folders(cache_folder() / FOLDER), EMBEDDED], TREEBANK)
    if data is None:
        raise gl.InvalidProblem(
            f"--treebank {name}: no such path{hint}; for the name of a treebank give --data, or set GAPLESS_DATA, "
            f"to the folder that holds {FOLDER}/"
        )
    root = Path(data) / FOLDER
    listed = f"it holds {', '.join(folders)}" if folders else f"{root} holds no treebank"
    raise gl.InvalidProblem(f"--treebank {name}: neither in {root} nor a path{hint}; {listed}")


def _folders(root: Path) -> list[str]:
    """List the names of the folders in a folder, which may be missing."""
    return sorted(path.name for path in root.glob("[!.]*") if path.is_dir()) if root.is_dir() else []


def _part(folder: Path, part: str) -> Path | None:
    for suffix in _SUFFIXES:
        if (folder / f"{part}{suffix}").exists():
            return folder / f"{part}{suffix}"
    return None
