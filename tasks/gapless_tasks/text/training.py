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
from gapless.learn import Progress
from gapless.learn.archive import is_archive
from gapless.learn.checkpoint import KIND as CHECKPOINT
from gapless_models.parsing.conllu_reader import ConlluError, iter_entries
from gapless_models.parsing.families import FAMILIES
from gapless_models.parsing.parser_model import KIND as PARSER
from gapless_models.parsing.patterns import PATTERN
from gapless_models.parsing.training import PRUNER_EPOCHS, Options, Stage
from gapless_models.tagging.decoder import decode
from gapless_models.tagging.readers import TaggedFileError, read_tagged
from gapless_models.tagging.sentence import TaggedSentence
from gapless_models.tagging.tagger import COLUMNS, UPOS
from gapless_models.tagging.tagger import KIND as TAGGER
from gapless_models.tagging.training import EpochReport
from gapless_models.text import TextSentence, train_parser, train_tagger
from gapless_models.text.evaluation import ParserScores, evaluate_parser
from gapless_models.text.reader import of_entry
from gapless_models.text.steps import Solver
from gapless_models.text.training import checkpoints, partial_of
from gapless_models.text_lines import said
from gapless_tasks.parsing.training_progress import told
from gapless_tasks.run_options import add_number
from gapless_tasks.text.commands import PARSE_SECONDS

EPOCHS = 10
_KEPT = 10
"""Candidate heads of a word, where there are factors."""
_ALL = "all"


def add_models(parser: argparse.ArgumentParser) -> None:
    """Add the models of ``gapless train``."""
    models = parser.add_subparsers(metavar="MODEL", required=True)

    def add(name: str, summary: str, run: Callable[[argparse.Namespace, Console], int]) -> argparse.ArgumentParser:
        one: argparse.ArgumentParser = models.add_parser(name, help=summary, description=summary)
        one.add_argument(
            "data", metavar="DATA", help="sentences to learn from, CoNLL-U, also .gz; - is standard input"
        )
        one.add_argument(
            "-o", "--out", required=True, metavar="MODEL", help="the model's file; replaced when it is done"
        )
        one.add_argument("--dev", metavar="FILE", help="sentences that choose the best epoch")
        add_number(one, "--epochs", "passes over DATA", EPOCHS)
        one.add_argument("--seed", type=int, default=0, help="shuffles the sentences")
        one.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        one.add_argument("--verbose", action="store_true", help="report every epoch")
        add_overwrite_option(one)
        one.set_defaults(run=run)
        return one

    tagger = add(
        "tagger", "Train a tagger for `gapless tag`; DATA may also be word<TAB>tag lines, .tsv.", run_tagger
    )
    tagger.add_argument("--column", choices=COLUMNS, default=UPOS, help=f"the tags to learn (default {UPOS})")
    parser = add("parser", "Train a parser for `gapless parse`, with its tagger and relations.", run_parser)
    parser.add_argument(
        "--column", choices=COLUMNS, help="the tags that it reads (default: those that all words have)"
    )
    parser.add_argument(
        "--factor",
        action="append",
        choices=[*FAMILIES, PATTERN],
        metavar="FAMILY",
        help=f"score parts of several arcs: {', '.join([*FAMILIES, PATTERN])}; repeatable (default: none)",
    )
    parser.add_argument(
        "--heads-kept",
        metavar="N",
        help=f"candidate heads of a word in training with factors, or {_ALL} (default {_KEPT})",
    )


def run_tagger(parsed: argparse.Namespace, console: Console) -> int:
    """``gapless train tagger DATA -o MODEL``."""
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
            progress=_told_tagger(console, advance),
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
    """``gapless train parser DATA -o MODEL``."""
    _check_out(parsed, PARSER)
    console.verbose = parsed.verbose
    families = tuple(dict.fromkeys(parsed.factor or ()))
    options = Options(
        families=families,
        epochs=parsed.epochs,
        seed=parsed.seed,
        heads_kept=_heads_kept(parsed.heads_kept, families),
    )
    sentences, dev = _read(parsed.data, gold=True), _read(parsed.dev, gold=True) if parsed.dev else []
    count = len(sentences)
    with (
        console.progress("training the tagger", parsed.epochs) as advance,
        told(console, "pruner", PRUNER_EPOCHS * count, mistakes=False) as tell_pruner,
        told(console, "parser", parsed.epochs * count) as tell_parser,
    ):

        def tell(stage: Stage, event: Progress) -> None:
            (tell_pruner if stage == "pruner" else tell_parser)(stage, event)

        model = train_parser(
            sentences,
            dev=dev,
            column=parsed.column,
            options=options,
            progress=tell,
            tagging=_told_tagger(console, advance),
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
    told_scores = [_told_scores(one) for one in scores.values()]
    known = {key: attrs.asdict(one, filter=lambda _, value: value is not None) for key, one in scores.items()}
    return _end(parsed, console, [text, *told_scores], {"words": _words(dev), **known} if dev else None)


def _check_out(parsed: argparse.Namespace, kind: str) -> None:
    """Refuse names of model and checkpoints under which other files lie, before the training."""
    for file, held in ((parsed.out, kind), *((one, CHECKPOINT) for one in checkpoints(parsed.out))):
        check_output(
            file,
            partial(is_archive, kind=held),
            overwrite=parsed.overwrite,
            reads=[parsed.data, parsed.dev],
        )


def _end(parsed: argparse.Namespace, console: Console, lines: Sequence[str], dev: dict[str, Any] | None) -> int:
    for file in checkpoints(parsed.out):
        file.unlink(missing_ok=True)
    for line in lines:
        console.say(line)
    console.say(f"wrote {parsed.out}")
    console.data({"written": parsed.out, "trained": lines[0], "dev": dev})
    return exit_codes.PROVED


def _told_scores(scores: ParserScores) -> str:
    tags = "gold tags" if scores.tags is None else f"the tagger's tags ({100 * scores.tags:.2f} % of them right)"
    return f"dev, with {tags}: UAS {100 * scores.uas:.2f} %, LAS {100 * scores.las:.2f} %"


def _words(sentences: Sequence[TextSentence | TaggedSentence]) -> int:
    return sum(len(one.words) for one in sentences)


def _told_tagger(console: Console, advance: Callable[[int], None]) -> Callable[[EpochReport], None]:
    def tell(epoch: EpochReport) -> None:
        advance(1)
        right = "" if epoch.dev_accuracy is None else f", {100 * epoch.dev_accuracy:.2f} % of the dev words right"
        console.detail(f"tagger, epoch {epoch.epoch}: {epoch.updates} sentences wrong{right}")

    return tell


def _heads_kept(given: str | None, families: Sequence[str]) -> int | None:
    if given is None:
        return _KEPT if families else None
    if given == _ALL:
        return None
    if not given.isdecimal() or not int(given):
        raise gl.UnknownOption(f"--heads-kept {given}: give a positive whole number, or {_ALL}")
    return int(given)


def _read(path: str, *, gold: bool) -> list[TextSentence]:
    """The sentences of a file, at least one."""
    file = Path(path)
    try:
        if not gold and ".tsv" in file.suffixes:
            return [
                TextSentence(f"{file}, sentence {i}", one.words, one.labels, one.labels)
                for i, one in enumerate(read_tagged(file), 1)
            ]
        found = [
            of_entry(entry, f"{said(file)}, sentence {i}")
            for i, entry in enumerate(iter_entries(file, gold=True if gold else None), 1)
        ]
    except (ConlluError, TaggedFileError) as error:
        raise gl.InvalidProblem(str(error)) from error
    if not found:
        raise gl.InvalidProblem(
            f"{said(file)}, line 1: no sentence in the file; expected CoNLL-U, ten columns a word"
        )
    return found
