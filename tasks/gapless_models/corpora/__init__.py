"""Open corpora by name: which there are, where they are kept, how they get here."""

from gapless_models.corpora.places import FOLDERS, cache_folder, how_to_get, nearest_corpus
from gapless_models.corpora.registry import TREEBANK

__all__ = ["FOLDERS", "TREEBANK", "cache_folder", "how_to_get", "nearest_corpus"]
