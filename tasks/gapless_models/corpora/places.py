"""Folders of corpora: one folder for each kind, and in it one for each corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from gapless import InvalidProblem
from gapless.arrays.spelling_hint import spelling_hint
from gapless_models.corpora import registry
from gapless_models.corpora.registry import TAGGED, TREEBANK, OpenCorpus

FOLDERS = {TREEBANK: "parsing", TAGGED: "tagging"}
"""The kinds of corpora of texts, and the folders for them below a folder of corpora."""


def named_folder() -> str | None:
    """Return the folder that the environment variable GAPLESS_DATA names; None if it is unset or empty."""
    return os.environ.get("GAPLESS_DATA") or None


def cache_folder() -> Path:
    """Return the folder for downloaded corpora: that of GAPLESS_CACHE, or the user's cache folder (XDG)."""
    own = os.environ.get("GAPLESS_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME", "").strip() or Path.home() / ".cache") / "gapless"


def roots() -> Sequence[Path]:
    """Return the folders of corpora to look into: that of GAPLESS_DATA, and then the cache."""
    folder = named_folder()
    return [*([Path(folder)] if folder else []), cache_folder()]


def folder_of(corpus: OpenCorpus, root: Path) -> Path:
    """Return the folder of a corpus below a folder of corpora."""
    return root / FOLDERS.get(corpus.kind, corpus.kind) / corpus.name


def root_of(corpus: OpenCorpus) -> Path:
    """Return the first of `roots` that holds the corpus; the cache where none does."""
    return next((root for root in roots() if folder_of(corpus, root).is_dir()), cache_folder())


def state(corpus: OpenCorpus, root: Path) -> str:
    """Return "yes" or "no" for a corpus that is there or not, "damaged" if a file is missing or too short.

    No file is read.
    """
    folder = folder_of(corpus, root)
    if not folder.is_dir():
        return "no"
    complete = all(
        (folder / f.name).is_file() and (folder / f.name).stat().st_size == f.bytes for f in corpus.files
    )
    return "yes" if complete else "damaged"


def nearest_corpus(name: str, here: Iterable[str], *kinds: str) -> str:
    """Return a hint for a misspelt corpus, to append to a sentence; prefer corpora that are present."""
    known = [corpus.name for corpus in registry.known().values() if corpus.kind in kinds]
    names = list(here)
    return spelling_hint(name, [*names, *known], cutoff=0.75) or spelling_hint(name, names)


def how_to_get(name: str) -> str:
    """Return a hint for a corpus that is known but not here, to append to a sentence; else an empty text."""
    return f"; to download it: gapless data fetch {name}" if name in registry.offered() else ""


def not_a_corpus(error: Exception, data: str | Path, folder: str | Path, inside: bool) -> InvalidProblem:
    """Build the error for ``data/folder`` with what ``--data`` names; `inside`: it names the folder itself."""
    hint = f"; did you mean --data {Path(data).absolute().parent}?" if inside else ""
    return InvalidProblem(f"{error} (--data names the folder that holds {folder}/{hint})")
