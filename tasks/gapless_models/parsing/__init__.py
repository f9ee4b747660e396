"""Dependency parsing: sentences, hashed features, training, and the parser."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gapless_models.parsing.evaluation import (
        Attachment as Attachment,
        attachment as attachment,
        bootstrap_p_value as bootstrap_p_value,
    )
    from gapless_models.parsing.families import FAMILIES as FAMILIES
    from gapless_models.parsing.families import HAND_CRAFTED as HAND_CRAFTED
    from gapless_models.parsing.parser_model import FirstOrder as FirstOrder, ParserModel as ParserModel
    from gapless_models.parsing.pruning import arc_marginals as arc_marginals, prune_mask as prune_mask
    from gapless_models.parsing.sentence import Sentence as Sentence
    from gapless_models.parsing.training import Options as Options, train as train, train_pruner as train_pruner
else:
    from gapless.lazy import lazy_names

    __getattr__, __dir__, __all__ = lazy_names(__name__)
