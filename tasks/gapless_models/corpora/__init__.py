"""Open corpora by name: the registry, the folders, the downloads."""

from gapless_models.corpora.places import FOLDERS, cache_folder, how_to_get, nearest_corpus
from gapless_models.corpora.registry import TREEBANK

__all__ = ["FOLDERS", "TREEBANK", "cache_folder", "how_to_get", "nearest_corpus"]
