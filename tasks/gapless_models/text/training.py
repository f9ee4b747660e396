"""Training taggers and parsers for text on CoNLL-U, and scoring them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import numpy as np

from gapless import InvalidProblem
from gapless.learn import EpochReport
from gapless_models.parsing.evaluation import attachment
from gapless_models.parsing.sentence import Sentence
from gapless_models.parsing.training import Options, Tell
from gapless_models.parsing.training import train as train_trees
from gapless_models.parsing.treebank import Treebank
from gapless_models.tagging.decoder import decode
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.tagger import BOTH, UPOS, XPOS, ChainTagger
from gapless_models.tagging.training import train as train_chains
from gapless_models.text.parsing import Parsed, parse
from gapless_models.text.relations import RelationModel
from gapless_models.text.sentence import TextSentence
from gapless_models.text.steps import Solver
from gapless_models.text.text_parser import TextParser, with_tags


def train_tagger(
    sentences: Sequence[TextSentence],
    column: str = UPOS,
    *,
    dev: Sequence[TextSentence] = (),
    epochs: int = 10,
    seed: int = 0,
    progress: Callable[[EpochReport], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ChainTagger:
    """Train a tagger; equal arguments give equal taggers.

    Parameters
    ----------
    sentences : sequence of TextSentence
        With tags; those without are passed over.
    column : {"upos", "xpos", "upos|xpos"}
    dev : sequence of TextSentence
        If there are any, the epoch that tags them best is kept.
    epochs, seed, progress
        See `gapless_models.tagging.train`.
    checkpoint : path, optional
        The file that the tagger is meant for: finished epochs are kept beside it, and training goes on from there.

    Raises
    ------
    InvalidProblem
        No sentence has tags of this kind on all of its words.
    KeyboardInterrupt
        Ctrl-C; finished epochs are beside `checkpoint`.
    """
    examples, held_out = ([x for x in map(partial_of(column), part) if x is not None] for part in (sentences, dev))
    if not examples:
        raise InvalidProblem(
            f"no sentence has the tags {column.upper()} on every word; fill that column, or choose another one"
        )
    epochs_file = None if checkpoint is None else checkpoints(checkpoint)[0]
    tagger = train_chains(
        examples, decode, epochs, seed, held_out or None, progress=progress, checkpoint=epochs_file
    )
    assert isinstance(tagger, ChainTagger)
    tagger.column = column
    return tagger


def checkpoints(model: str | os.PathLike[str]) -> tuple[Path, Path, Path]:
    """Name the files of finished epochs beside a model: of the tagger, the parser, and its pruner."""
    location = os.fspath(model)
    return Path(f"{location}.tagger.epochs"), Path(f"{location}.epochs"), Path(f"{location}.pruner.epochs")


def partial_of(column: str) -> Callable[[TextSentence], TaggedSentence | None]:
    """Build a function that makes examples for a tagger of some column."""

    def example(sentence: TextSentence) -> TaggedSentence | None:
        tags_of = {
            UPOS: sentence.upos,
            XPOS: sentence.xpos,
            BOTH: tuple(f"{u}|{x}" for u, x in zip(sentence.upos, sentence.xpos, strict=False)),
        }[column]
        return TaggedSentence(sentence.words, tags_of) if tags_of else None

    return example


def train_parser(
    sentences: Sequence[TextSentence],
    *,
    dev: Sequence[TextSentence] = (),
    column: str | None = None,
    options: Options | None = None,
    tagger: ChainTagger | None = None,
    progress: Tell | None = None,
    tagging: Callable[[EpochReport], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> TextParser:
    """Train a parser with its tagger and its relations; equal arguments give equal parsers.

    Parameters
    ----------
    sentences : sequence of TextSentence
        Read from CoNLL-U with gold trees.
    dev : sequence of TextSentence
        If there are any, the epochs are kept that do best on them.
    column : {"upos", "xpos", "upos|xpos"}, optional
        The tags that the parser reads; by default those that every word has.
    options : Options, optional
        ``projective`` and ``single_root`` are those of the trees, whatever it says.
    tagger : ChainTagger, optional
        By default one that is trained on the same sentences.
    progress, tagging : callable, optional
        See `gapless_models.parsing.train` and `train_tagger`.
    checkpoint : path, optional
        See `train_tagger`.

    Raises
    ------
    InvalidProblem
        No sentence, or one without tree or tags.
    KeyboardInterrupt
        Ctrl-C; finished epochs are beside `checkpoint`.
    """
    if not sentences:
        raise InvalidProblem("no sentence to learn from")
    columns = column or (tagger.column if tagger is not None else _columns(sentences))
    trees, held_out = ([with_gold(sentence, columns) for sentence in part] for part in (sentences, dev))
    treebank = Treebank("", trees, held_out, ())
    projective, single_root = treebank.projective, treebank.single_root
    settled = attrs.evolve(options or Options(), projective=projective, single_root=single_root)
    learnt = treebank.without_crossing() if projective else treebank
    if tagger is None:
        tagger = train_tagger(
            sentences,
            columns,
            dev=dev,
            epochs=settled.epochs,
            seed=settled.seed,
            progress=tagging,
            checkpoint=checkpoint,
        )
    epochs_file = None if checkpoint is None else checkpoints(checkpoint)[1]
    parser = train_trees(learnt.train, learnt.dev, settled, progress=progress, checkpoint=epochs_file)
    record = {"epochs": settled.epochs, "seed": settled.seed, "sentences": len(trees)}
    relations = RelationModel.train(trees, seed=settled.seed)
    return TextParser(attrs.evolve(parser, training=record), tagger, relations)


def _columns(sentences: Sequence[TextSentence]) -> str:
    """Find the tag columns that every word has."""
    upos, xpos = all(sentence.upos for sentence in sentences), all(sentence.xpos for sentence in sentences)
    if not upos and not xpos:
        bare = next(sentence for sentence in sentences if not sentence.upos)
        raise InvalidProblem(
            f"{bare.place}: a word without a tag; fill UPOS or XPOS (columns 4 and 5) of all words"
        )
    return BOTH if upos and xpos else UPOS if upos else XPOS


def with_gold(sentence: TextSentence, column: str) -> Sentence:
    """Return the sentence as the parser will read it, with its gold tree."""
    tagged = with_tags(sentence.words, column, sentence.upos, sentence.xpos, strict=True)
    gold = sentence.entry.sentence if sentence.entry is not None else None
    if tagged is None:
        raise InvalidProblem(f"{sentence.place}: a word without {column.upper()}; fill that column of all words")
    if gold is None or not gold.heads:
        raise InvalidProblem(f"{sentence.place}: no tree to learn from; the heads are column 7 of CoNLL-U")
    return Sentence(tagged.words, tagged.tags, tagged.coarse, gold.heads, gold.labels)


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
