"""Dependency parsing: sentences, hashed features, training, and the parser."""

from gapless_models.parsing.evaluation import Attachment, attachment, bootstrap_p_value
from gapless_models.parsing.families import FAMILIES
from gapless_models.parsing.hand_crafted import HAND_CRAFTED
from gapless_models.parsing.parser_model import FirstOrder, ParserModel
from gapless_models.parsing.pruning import arc_marginals, prune_mask, pruning_recall
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.training import Options, train, train_pruner

__all__ = [
    "FAMILIES",
    "HAND_CRAFTED",
    "Attachment",
    "FirstOrder",
    "Options",
    "ParserModel",
    "Sentence",
    "arc_marginals",
    "attachment",
    "bootstrap_p_value",
    "prune_mask",
    "pruning_recall",
    "train",
    "train_pruner",
]
