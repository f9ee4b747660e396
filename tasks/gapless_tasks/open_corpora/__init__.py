"""Open corpora by name: which there are, where they are kept, how they get here."""

from gapless_tasks.open_corpora.places import FOLDERS, cache_folder, folder_of, how_to_get, roots
from gapless_tasks.open_corpora.registry import TAGGED, TREEBANK, CorpusFile, OpenCorpus, find, known

__all__ = [
    "FOLDERS",
    "TAGGED",
    "TREEBANK",
    "CorpusFile",
    "OpenCorpus",
    "cache_folder",
    "find",
    "folder_of",
    "how_to_get",
    "known",
    "roots",
]
