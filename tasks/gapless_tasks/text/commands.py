"""Options of ``gapless tag``, ``parse``, ``link`` and ``title``, and what each of them runs."""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import gapless as gl
from gapless.cli import Console
from gapless.cli.outputs import add_overwrite_option, check_output, is_record
from gapless_models.parsing.conllu_reader import ConlluError
from gapless_models.text import TextSentence, read_text
from gapless_models.text.reader import TextFileError
from gapless_models.text.steps import Solver
from gapless_models.text_lines import STDIN
from gapless_tasks.run_options import add_number, add_time_limit
from gapless_tasks.text.stream import CONLLU, FORMATS, JSON, MOST, TEXT, annotate

PARSE_SECONDS, TITLE_SECONDS = 60.0, 10.0
"""A search that takes longer is not worth its proof to most; `--time` gives it more."""
TITLE_WORDS = 3


def add_tag(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless tag``."""
    _add_shared(parser, "tagger (default: the embedded one, English with universal tags)")
    parser.set_defaults(run=run_tag)


def add_parse(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless parse``."""
    _add_shared(parser, "parser (default: the embedded one, for short English sentences)", PARSE_SECONDS)
    parser.add_argument("--retag", action="store_true", help="tag anew what came with tags")
    parser.set_defaults(run=run_parse)


def add_link(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless link``."""
    _add_shared(parser, "concepts: title, other names and links on each line (default: 300 embedded ones)")
    parser.set_defaults(run=run_link)


def add_title(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``gapless title``."""
    _add_shared(parser, "sections with titles to learn from, .jsonl (default: the embedded ones)", TITLE_SECONDS)
    add_number(parser, "--length", "content words of a title", TITLE_WORDS)
    parser.set_defaults(run=run_title)


def _add_shared(parser: argparse.ArgumentParser, model: str, seconds: float | None = None) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        default="-",
        metavar="FILE",
        help="raw text, one sentence a line, or CoNLL-U, also .gz; - is standard input (default)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document; the same as --format json")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="of the answers (default: text; conllu for CoNLL-U); jsonl is a JSON document for each, as they come",
    )
    parser.add_argument(
        "--from",
        choices=("auto", "text", "conllu"),
        default="auto",
        dest="kind",
        help="format of FILE (default: auto)",
    )
    parser.add_argument("--tokens", action="store_true", help="words of raw text are separated by spaces already")
    parser.add_argument("--model", metavar="FILE", help=model)
    parser.add_argument(
        "--certificates", metavar="FILE.jsonl", help="keep the proofs as records, for `gapless verify`"
    )
    add_overwrite_option(parser)
    parser.add_argument("--method", help="by default the problem type's own")
    add_time_limit(parser, "seconds, for each answer", seconds, "--time")
    add_number(parser, "--jobs", "processes", 1)


def run_tag(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless tag``."""
    from gapless_tasks.text.tagging import Tagging, stored_tagger  # noqa: PLC0415  for the command that is named

    return _run(parsed, console, lambda solver: Tagging(stored_tagger(parsed.model), solver))


def run_parse(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless parse``."""
    from gapless_tasks.text.parsing import Parsing, stored_parser  # noqa: PLC0415

    return _run(parsed, console, lambda solver: Parsing(stored_parser(parsed.model), solver, retag=parsed.retag))


def run_link(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless link``."""
    from gapless_tasks.text.linking import Linking, stored_concepts  # noqa: PLC0415

    return _run(parsed, console, lambda solver: Linking(stored_concepts(parsed.model), solver))


def run_title(parsed: argparse.Namespace, console: Console) -> int:
    """Run ``gapless title``."""
    from gapless_tasks.text.titling import Titling, learnt, texts  # noqa: PLC0415

    def made(solver: Solver) -> Titling:
        return Titling(*learnt(parsed.model), solver, parsed.length)

    return _run(parsed, console, made, texts, len)


def _run(
    parsed: argparse.Namespace,
    console: Console,
    make: Callable[[Solver], Any],
    units: Callable[[Iterator[TextSentence]], Iterator[Any]] | None = None,
    size: Callable[[Any], int] = lambda unit: 1,
) -> int:
    path = Path(parsed.file)
    if path != STDIN and not path.is_file():
        why = "is a folder; give a file" if path.is_dir() else "no such file; check the path"
        raise gl.InvalidProblem(f"{path}: {why}, or - for standard input")
    if parsed.certificates:
        reads = [parsed.file, parsed.model]
        check_output(parsed.certificates, is_record, overwrite=parsed.overwrite, reads=reads)
    typed = path == STDIN and sys.stdin.isatty()
    if typed:
        console.notice("gapless: reading sentences from the terminal; Ctrl-D ends them")
    annotator = make(Solver(gl.Limits(time=parsed.time), parsed.jobs, parsed.method))
    try:
        sentences, form = _opened(parsed)
        return annotate(
            sentences if units is None else units(sentences),
            annotator,
            console,
            form=form,
            certificates=parsed.certificates,
            total=_count(path, form) if units is None and console.draws_progress else None,
            chunk_size=1 if typed else MOST,
            size=size,
        )
    except (TextFileError, ConlluError) as error:
        raise gl.InvalidProblem(str(error)) from error


def _opened(parsed: argparse.Namespace) -> tuple[Iterator[TextSentence], str]:
    """Open the sentences, and choose the format of the answers."""
    sentences = read_text(parsed.file, parsed.kind, spaced=parsed.tokens)
    if parsed.json or parsed.format:
        if parsed.json and parsed.format not in (None, JSON):
            raise gl.UnknownOption(f"--json is --format json: leave it out, or --format {parsed.format}")
        return sentences, JSON if parsed.json else parsed.format
    first = next(sentences, None)
    if first is None:
        return sentences, TEXT
    return chain([first], sentences), CONLLU if first.entry is not None else TEXT


def _count(place: Path, form: str) -> int | None:
    """Estimate how many sentences a file has, for the progress: its non-empty lines, or empty ones of CoNLL-U."""
    if place == STDIN:
        return None
    with gzip.open(place, "rb") if place.suffix == ".gz" else place.open("rb") as stream:
        if ".conllu" in place.suffixes:
            return sum(not line.strip() for line in stream)
        return sum(bool(line.strip()) for line in stream)
