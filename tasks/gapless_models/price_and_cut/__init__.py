"""A grandparent model for dependency parsing, with bounds on its scores from the largest weights."""

from gapless_models.price_and_cut.model import GrandparentModel
from gapless_models.price_and_cut.templates import FoldedTables, GrandparentScorer
from gapless_models.price_and_cut.token_classes import TokenClasses
from gapless_models.price_and_cut.training import LEARNERS, PERCEPTRON, Training, train

__all__ = [
    "LEARNERS",
    "PERCEPTRON",
    "FoldedTables",
    "GrandparentModel",
    "GrandparentScorer",
    "TokenClasses",
    "Training",
    "train",
]
