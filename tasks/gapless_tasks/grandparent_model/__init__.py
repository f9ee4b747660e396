"""A grandparent model for dependency parsing, with bounds on its scores from the largest weights."""

from gapless_tasks.grandparent_model.model import GrandparentModel
from gapless_tasks.grandparent_model.scorer import FoldedTables, GrandparentScorer
from gapless_tasks.grandparent_model.token_classes import TokenClasses
from gapless_tasks.grandparent_model.training import LEARNERS, PERCEPTRON, Training, train, train_pruner

__all__ = [
    "LEARNERS",
    "PERCEPTRON",
    "FoldedTables",
    "GrandparentModel",
    "GrandparentScorer",
    "TokenClasses",
    "Training",
    "train",
    "train_pruner",
]
