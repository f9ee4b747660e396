"""Taggers and parsers with the habits of scikit-learn (extra ``tasks``)."""

from gapless import MissingDependency

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise MissingDependency("gapless_models.estimators needs scikit-learn: pip install 'gapless[tasks]'") from error

from gapless_models.estimators.chain_tagger import ChainTagger
from gapless_models.estimators.dependency_parser import DependencyParser
from gapless_models.estimators.token_scorer import token_scorer

__all__ = ["ChainTagger", "DependencyParser", "token_scorer"]
