"""Scores of a parser for text on sentences with gold trees: with the tags of its own tagger, and with gold tags."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from gapless_models.parsing.evaluation import attachment
from gapless_models.text.parsing import Parsed, parse
from gapless_models.text.sentence import TextSentence
from gapless_models.text.steps import Solver
from gapless_models.text.text_parser import TextParser
from gapless_models.text.training import partial_of, with_gold


@attrs.frozen
class ParserScores:
    """Shares of the words that are right, punctuation included, in [0, 1].

    Parameters
    ----------
    uas, las : float
        Unlabelled and labelled attachment score: right heads; right heads with right relations.
    tags : float or None
        Right tags; None where the parser got gold tags.
    """

    uas: float
    las: float
    tags: float | None = None


def evaluate_parser(
    parser: TextParser, sentences: Sequence[TextSentence], solver: Solver, *, gold_tags: bool
) -> ParserScores:
    """Parse sentences and compare the trees with the gold ones.

    Parameters
    ----------
    sentences : sequence of TextSentence
        At least one, with gold trees and the tags that the parser reads.
    gold_tags : bool
        If True, the parser reads the gold tags; else those of its tagger, as for raw text.

    Raises
    ------
    InvalidProblem
        A sentence has no gold tree or tags.
    KeyboardInterrupt
        Ctrl-C.
    """
    gold = [with_gold(sentence, parser.column) for sentence in sentences]
    parsed, interrupted = parse(parser, sentences, solver, retag=not gold_tags)
    if interrupted:
        raise KeyboardInterrupt
    counts = attachment(gold, [sentence.heads or None for sentence in parsed])
    words = int(counts.words.sum())
    labelled = sum(
        int(
            np.sum((np.array(sentence.heads) == one_gold.heads) & (np.array(sentence.relations) == one_gold.labels))
        )
        for sentence, one_gold in zip(parsed, gold, strict=True)
        if sentence.heads and sentence.relations
    )
    tags = None if gold_tags else sum(_right_tags(parser, sentence) for sentence in parsed) / words
    return ParserScores(counts.uas, labelled / words, tags)


def _right_tags(parser: TextParser, found: Parsed) -> int:
    gold = partial_of(parser.column)(found.given)
    return sum(map(str.__eq__, found.tags, gold.labels)) if gold is not None else 0
