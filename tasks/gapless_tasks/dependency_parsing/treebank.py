"""Treebanks in three parts: named folders, paths, or the small one that comes with gapless."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

import attrs
import numpy as np

import gapless as gl
from gapless_dependency.shape import crossing
from gapless_tasks.dependency_parsing.conllu_reader import ConlluError, read_conllu
from gapless_tasks.parsing import Sentence

PARTS = ("train", "dev", "test")
FOLDER = "parsing"
"""Below the folder of all corpora."""
EMBEDDED = "embedded treebank"
_SUFFIXES = (".conllu", ".conllu.gz")


@attrs.frozen
class Treebank:
    """Sentences with gold trees; any part may be empty but `test`.

    Parameters
    ----------
    name : str
    train, dev, test : sequence of Sentence
    """

    name: str
    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    test: Sequence[Sentence]

    def first(self, count: int | None) -> Treebank:
        """At most `count` sentences of every part, for a quick look."""
        return attrs.evolve(self, train=self.train[:count], dev=self.dev[:count], test=self.test[:count])

    @property
    def projective(self) -> bool:
        """Whether so few training trees have crossing arcs that a projective parser loses next to nothing.

        Below 1 % of the trees: conversions from phrase structure have a handful by mistake.
        """
        trees = self.train or self.test
        return sum(is_crossing(sentence) for sentence in trees) < 0.01 * len(trees)

    @property
    def single_root(self) -> bool:
        """Whether every training tree has exactly one word that is headed by the root."""
        return all(sentence.heads.count(0) == 1 for sentence in self.train or self.test)


def is_crossing(sentence: Sentence) -> bool:
    """Whether two arcs of the gold tree cross."""
    return crossing(np.array(sentence.heads)) is not None


def embedded_treebank() -> Treebank:
    """The treebank that comes with gapless.

    Short English sentences, written for this project through a small grammar, with universal and Penn-like tags
    and relations in the manner of Universal Dependencies; every tenth tree has crossing arcs.
    """
    with as_file(files("gapless_tasks.dependency_parsing") / "data") as folder:
        return Treebank(EMBEDDED, *(read_conllu(folder / f"{part}.conllu") for part in PARTS))


def load_treebank(name: str | None, data: str | None) -> Treebank:
    """Read a treebank.

    Parameters
    ----------
    name : str or None
        A folder below ``DATA/parsing``; or a path, to a folder with ``train``, ``dev`` and ``test`` or to one file,
        which is then the test part; or None for the embedded treebank.
    data : str or None
        The folder of corpora; by default what the environment variable GAPLESS_DATA names.

    Raises
    ------
    InvalidProblem
        There is no such treebank, or it is damaged; the message names the file and the line.
    """
    if name is None:
        return embedded_treebank()
    place = _place(name, data or os.environ.get("GAPLESS_DATA"))
    try:
        if place.is_file():
            return Treebank(name, (), (), read_conllu(place))
        parts = [_part(place, part) for part in PARTS]
        if parts[2] is None:
            wanted = " or ".join(f"test{suffix}" for suffix in _SUFFIXES)
            raise gl.InvalidProblem(f"--treebank {name}: {place} does not hold {wanted}")
        return Treebank(name, *(read_conllu(path) if path is not None else () for path in parts))
    except (ConlluError, OSError) as error:
        raise gl.InvalidProblem(str(error)) from error


def _place(name: str, data: str | None) -> Path:
    """The folder or file that a name or path stands for."""
    named = None if data is None else Path(data) / FOLDER / name
    for candidate in (named, Path(name)):
        if candidate is not None and candidate.exists():
            return candidate
    if data is None:
        raise gl.InvalidProblem(
            f"--treebank {name}: no such path; for the name of a treebank give --data, or set GAPLESS_DATA, to the "
            f"folder that holds {FOLDER}/"
        )
    root = Path(data) / FOLDER
    there = sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    listed = f"it holds {', '.join(there)}" if there else f"{root} holds no treebank"
    raise gl.InvalidProblem(f"--treebank {name}: neither in {root} nor a path; {listed}")


def _part(folder: Path, part: str) -> Path | None:
    for suffix in _SUFFIXES:
        if (folder / f"{part}{suffix}").exists():
            return folder / f"{part}{suffix}"
    return None
