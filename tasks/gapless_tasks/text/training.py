"""``gapless train tagger`` and ``gapless train parser``: models for own text from CoNLL-U."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

import gapless as gl
from gapless.cli import Console, exit_codes
from gapless.cli.outputs import add_overwrite_option, check_output
from gapless.learn import EpochReport
from gapless.learn.archive import is_archive
from gapless.learn.checkpoint import KIND as CHECKPOINT
from gapless_models.parsing.conllu_reader import ConlluError, iter_entries
from gapless_models.parsing.families import FAMILIES
from gapless_models.parsing.parser_model import KIND as PARSER
from gapless_models.parsing.patterns import PATTERN
from gapless_models.parsing.training import Options
from gapless_models.tagging.decoder import decode
from gapless_models.tagging.readers import TaggedFileError, read_tagged
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.tagger import COLUMNS, UPOS
from gapless_models.tagging.tagger import KIND as TAGGER
from gapless_models.tagging.training import epoch_text
from gapless_models.text import TextSentence, train_parser, train_tagger
from gapless_models.text.reader import of_entry
from gapless_models.text.steps import Solver
from gapless_models.text.training import ParserScores, checkpoints, evaluate_parser, partial_of
from gapless_models.text_lines import said
from gapless_tasks.parsing.options import MAX_HEADS, factors_of, max_heads_of
from gapless_tasks.parsing.training_progress import epoch_progress
from gapless_tasks.run_options import add_number
from gapless_tasks.text.commands import PARSE_SECONDS

EPOCHS = 10


def add_models(parser: argparse.ArgumentParser) -> None:
    """Add the models of ``gapless train``."""
    models = parser.add_subparsers(metavar="MODEL", required=True)

    def add(name: str, summary: str, run: Callable[[argparse.Namespace, Console], int]) -> argparse.ArgumentParser:
        model_parser: argparse.ArgumentParser = models.add_parser(name, help=summary, description=summary)
        model_parser.add_argument(
            "data", metavar="DATA", help="sentences to learn from, CoNLL-U, also .gz; - is standard input"
        )
        model_parser.add_argument(
            "-o", "--out", required=True, metavar="MODEL", help="the model's file; replaced when it is done"
        )
        model_parser.add_argument("--dev", metavar="FILE", help="sentences that choose the best epoch")
        add_number(model_parser, "--epochs", "passes over DATA", EPOCHS)
        model_parser.add_argument("--seed", type=int, default=0, help="shuffles the sentences")
        model_parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        model_parser.add_argument("--verbose", action="store_true", help="report every epoch")
        add_overwrite_option(model_parser)
        model_parser.set_defaults(run=run)
        return model_parser

    tagger = add(
        "tagger", "Train a tagger for `gapless tag`; DATA may also be word<TAB>tag lines, .tsv.", run_tagger
    )
    tagger.add_argument("--column", choices=COLUMNS, default=UPOS, help=f"the tags to learn (default {UPOS})")
    parser = add("parser", "Train a parser for `gapless parse`, with its tagger and relations.", run_parser)
    parser.add_argument(
        "--column", choices=COLUMNS, help="the tags that it reads (default: those that all words have)"
    )
    parser.add_argument(
        "--factors",
        metavar="NAMES",
        default="none",
        help=f"factors over several arcs, with commas: {', '.join([*FAMILIES, PATTERN])} (default none)",
    )
    parser.add_argument(
        "--max-heads",
        type=max_heads_of,
        default=argparse.SUPPRESS,
        metavar="N",
        help=f"candidate heads of a word in training with factors, or all (default {MAX_HEADS})",
    )


def run_tagger(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless train tagger DATA -o MODEL``."""
    _check_out(parsed, TAGGER)
    console.verbose = parsed.verbose
    sentences, dev = _read(parsed.data, gold=False), _read(parsed.dev, gold=False) if parsed.dev else []
    with console.progress("training the tagger", parsed.epochs) as advance:
        tagger = train_tagger(
            sentences,
            parsed.column,
            dev=dev,
            epochs=parsed.epochs,
            seed=parsed.seed,
            progress=_tagger_progress(console, advance),
            checkpoint=parsed.out,
        )
    tagger.save(parsed.out)
    examples = [x for x in map(partial_of(parsed.column), dev) if x is not None]
    right = tagger.accuracy(examples, decode) if examples else None
    text = f"tagger: {len(sentences)} sentences, {len(tagger.labels)} tags"
    if right is None:
        return _end(parsed, console, [text], None)
    lines = [text, f"dev: {100 * right:.2f} % of the words right"]
    return _end(parsed, console, lines, {"words": _words(examples), "tags": right})


def run_parser(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless train parser DATA -o MODEL``."""
    _check_out(parsed, PARSER)
    console.verbose = parsed.verbose
    families = factors_of(parsed.factors, [*FAMILIES, PATTERN])
    options = Options(
        families=families,
        epochs=parsed.epochs,
        seed=parsed.seed,
        max_heads=getattr(parsed, "max_heads", MAX_HEADS if families else None),
    )
    sentences, dev = _read(parsed.data, gold=True), _read(parsed.dev, gold=True) if parsed.dev else []
    with (
        console.progress("training the tagger", parsed.epochs) as advance,
        epoch_progress(console, parsed.epochs) as progress,
    ):
        model = train_parser(
            sentences,
            dev=dev,
            column=parsed.column,
            options=options,
            progress=progress,
            tagging=_tagger_progress(console, advance),
            checkpoint=parsed.out,
        )
    model.save(parsed.out)
    solver = Solver(gl.Limits(time=PARSE_SECONDS))
    scores = {
        key: evaluate_parser(model, dev, solver, gold_tags=gold)
        for key, gold in (("predicted_tags", False), ("gold_tags", True))
        if dev
    }
    kind = "projective" if model.parser.projective else "all"
    relations = 0 if model.relations is None else len(model.relations.labels)
    text = f"parser: {len(sentences)} sentences, {kind} trees, {relations} relations"
    score_lines = [_score_line(score) for score in scores.values()]
    known = {key: attrs.asdict(score, filter=lambda _, value: value is not None) for key, score in scores.items()}
    return _end(parsed, console, [text, *score_lines], {"words": _words(dev), **known} if dev else None)


def _check_out(parsed: argparse.Namespace, kind: str) -> None:
    """Refuse names of model and checkpoints under which other files lie, before the training."""
    for file, archive_kind in (
        (parsed.out, kind),
        *((checkpoint, CHECKPOINT) for checkpoint in checkpoints(parsed.out)),
    ):
        check_output(
            file,
            partial(is_archive, kind=archive_kind),
            overwrite=parsed.overwrite,
            reads=[parsed.data, parsed.dev],
        )


def _end(parsed: argparse.Namespace, console: Console, lines: Sequence[str], dev: dict[str, Any] | None) -> int:
    for file in checkpoints(parsed.out):
        file.unlink(missing_ok=True)
    for line in lines:
        console.info(line)
    console.info(f"wrote {parsed.out}")
    console.data({"written": parsed.out, "trained": lines[0], "dev": dev})
    return exit_codes.PROVED


def _score_line(scores: ParserScores) -> str:
    tags = "gold tags" if scores.tags is None else f"the tagger's tags ({100 * scores.tags:.2f} % of them right)"
    return f"dev, with {tags}: UAS {100 * scores.uas:.2f} %, LAS {100 * scores.las:.2f} %"


def _words(sentences: Sequence[TextSentence | TaggedSentence]) -> int:
    return sum(len(sentence.words) for sentence in sentences)


def _tagger_progress(console: Console, advance: Callable[[int], None]) -> Callable[[EpochReport], None]:
    def tell(epoch: EpochReport) -> None:
        advance(1)
        console.detail(f"tagger, {epoch_text(epoch)}")

    return tell


def _read(path: str, *, gold: bool) -> list[TextSentence]:
    """Read the sentences of a file, at least one."""
    file = Path(path)
    try:
        if not gold and ".tsv" in file.suffixes:
            return [
                TextSentence(f"{file}, sentence {i}", sentence.words, sentence.labels, sentence.labels)
                for i, sentence in enumerate(read_tagged(file), 1)
            ]
        sentences = [
            of_entry(entry, f"{said(file)}, sentence {i}")
            for i, entry in enumerate(iter_entries(file, gold=True if gold else None), 1)
        ]
    except (ConlluError, TaggedFileError) as error:
        raise gl.InvalidProblem(str(error)) from error
    if not sentences:
        raise gl.InvalidProblem(
            f"{said(file)}, line 1: no sentence in the file; expected CoNLL-U, ten columns a word"
        )
    return sentences
