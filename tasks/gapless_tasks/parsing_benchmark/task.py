"""``gapless run parsing-benchmark``: trained scores, measurements, what is to be reached."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless_dependency import ParsingProblem
from gapless_tasks.asked import positive
from gapless_tasks.chain_benchmark.targets import Line
from gapless_tasks.data_folder import add_data_option
from gapless_tasks.dependency_parsing.parser import Parser, Request
from gapless_tasks.dependency_parsing.perceptron_parser import SOURCE
from gapless_tasks.dependency_parsing.treebank import FOLDER, Treebank, embedded_treebank, load_treebank
from gapless_tasks.parsing_benchmark import kernel_timing
from gapless_tasks.parsing_benchmark.lines import UNJUDGED, Marks, line, one, percent, report
from gapless_tasks.parsing_benchmark.measurement import Decoded, decode, prepared, scored
from gapless_tasks.parsing_benchmark.synthetic import peaked
from gapless_tasks.sides import ALONE, FROM_ARRAYS, Compared

FAMILIES = ("grandchild", "sibling")
HEADS_KEPT = 10
EPOCHS = 6
PROJECTIVE, OTHER = "english_wsj", "danish"
_PAPER_EVERY = 6
"""The paper's variant decodes every sixth sentence, and so does ours beside it."""


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do the job."""
    cache = Path(arguments.cache) if arguments.cache else None
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    remarks = [] if kernel_timing.has_peer() else [kernel_timing.UFAL_MISSING]
    return report(_all_lines(arguments, cache, console, wrong), wrong, remarks, console)


def _all_lines(
    arguments: argparse.Namespace, cache: Path | None, console: Console, wrong: list[str]
) -> Iterator[Line | Compared]:
    for treebank in _treebanks(arguments):
        yield from _measured(treebank, cache, arguments, console, wrong)
    yield from _drawn(arguments, console)


def _treebanks(arguments: argparse.Namespace) -> Iterator[Treebank]:
    if arguments.data is None:
        yield embedded_treebank().first(arguments.sentences)
        return
    for name in (PROJECTIVE, OTHER):
        treebank = load_treebank(name, arguments.data)
        yield attrs.evolve(treebank, test=treebank.test[: arguments.sentences])


def _parser(treebank: Treebank, cache: Path | None, arguments: argparse.Namespace, console: Console) -> Parser:
    """The model given, the one of an earlier run, or a new one."""
    given = Path(arguments.model) if arguments.model and treebank.name != OTHER else None
    stored = given or (None if cache is None else cache / f"{treebank.name.replace(' ', '-')}.npz")
    checkpoint = None if stored is None else Path(f"{stored}.epochs")
    request = Request(FAMILIES, arguments.epochs, 0, HEADS_KEPT, checkpoint)
    if stored is not None and stored.exists():
        parser = SOURCE.load(stored)
        different = [] if given else request.differences(parser, treebank)
        if different:
            raise gl.InvalidProblem(
                f"--cache: {stored} was trained in another way ({'; '.join(different)}); give the same options, "
                "remove the file, or name another folder"
            )
        return parser
    console.say(f"{treebank.name}: training on {len(treebank.train)} sentences first; 4,000 take tens of minutes")
    parser = SOURCE.train(treebank, request, console)
    if stored is not None:
        parser.save(stored)
    return parser


def _measured(
    treebank: Treebank, cache: Path | None, arguments: argparse.Namespace, console: Console, wrong: list[str]
) -> Iterator[Line | Compared]:
    """Every number of one treebank's test part."""
    parser = _parser(treebank, cache, arguments, console)
    pruned = scored(parser, treebank.test, HEADS_KEPT)
    name, rounds = treebank.name, arguments.rounds
    main = treebank.name == PROJECTIVE
    found = decode(pruned, console, f"{name}, k = 10", rounds=rounds)
    marks = (12_000, 35_000) if main else (10_000, 30_000) if name == OTHER else UNJUDGED
    yield from _speed(found, "k = 10", name, marks)
    marked = name in (PROJECTIVE, OTHER)
    yield from _search(found, name, judged=main)
    yield line(
        "proved within 10 s each", name, percent(found.proved), "%", ((99.5, 100) if marked else UNJUDGED), True
    )
    some = pruned[::_PAPER_EVERY]
    ours = decode(some, console, f"{name}, every sixth")
    paper = decode(some, console, f"{name}, the paper's variant", options={"variant": "paper"})
    both = np.isclose(ours.values, paper.values, rtol=1e-9, atol=1e-9)
    if ours.proved == paper.proved == 1.0 and not both.all():
        wrong.append(f"{name}: {int((~both).sum())} values differ from those of the paper's variant")
    for how, fast, slow, judged in (
        (FROM_ARRAYS, ours.from_arrays, paper.from_arrays, main),
        (ALONE, ours.words_per_second, paper.words_per_second, False),
    ):
        what = f"over the paper's variant, every sixth sentence, {how}"
        yield line(what, name, one(fast.median / slow.median), "x", ((5, 12) if judged else UNJUDGED), True)
    if paper.oracle_calls is not None:
        calls = one(paper.oracle_calls)
        yield line("oracle calls of the paper's variant", name, calls, "a sentence", UNJUDGED, False)
    whole = scored(parser, treebank.test, None)
    unpruned = decode(whole, console, f"{name}, unpruned")
    yield from _speed(unpruned, "unpruned", name, (800, 6000) if main else UNJUDGED)
    yield line("proved within 10 s each, unpruned", name, percent(unpruned.proved), "%", UNJUDGED, True)
    yield from _kernels(name, treebank.projective, pruned, whole, rounds, wrong)


def _speed(found: Decoded, what: str, name: str, marks: Marks) -> Iterator[Line]:
    """Words a second, as users have it and by the search alone, of which the marks spoke once."""
    for how, rate in ((FROM_ARRAYS, found.from_arrays), (ALONE, found.words_per_second)):
        yield line(f"{what}, {how}", name, rate, "words/s", marks, True)


def _search(found: Decoded, name: str, *, judged: bool) -> Iterator[Line]:
    """Calls, nodes."""
    if found.oracle_calls is not None:
        calls = one(found.oracle_calls)
        yield line("oracle calls", name, calls, "a sentence", ((90, 35) if judged else UNJUDGED), False)
    if found.closed_at_root is not None:
        closed = percent(found.closed_at_root)
        yield line("closed at the root", name, closed, "%", ((70, 90) if judged else UNJUDGED), True)


def _kernels(
    name: str,
    projective: bool,
    pruned: Sequence[ParsingProblem],
    whole: Sequence[ParsingProblem],
    rounds: int,
    wrong: list[str],
) -> Iterator[Line | Compared]:
    """The tree oracles alone, and beside a peer from arrays to a certificate."""
    turns = max(3, rounds)
    if projective:
        short = kernel_timing.eisner_microseconds(kernel_timing.weights_of(pruned, 19, 21), turns)
        long = kernel_timing.eisner_microseconds(kernel_timing.weights_of(whole, 38, 42), turns)
        yield line("Eisner's inside pass, n = 19-21, k = 10", name, short, "us", (8, 4), False)
        yield line("Eisner's inside pass, n = 38-42, all", name, long, "us", (40, 22), False)
    else:
        weights = kernel_timing.weights_of(whole, 31, 40)
        reduced, exact = kernel_timing.arborescence_timing(weights, turns)
        peer = kernel_timing.beside_ufal(weights, turns)
        if peer is not None:
            yield Compared("Chu-Liu-Edmonds", "ufal's", "n = 31-40", name, peer, (4, 10))
        yield line("best tree and all reduced costs, n = 31-40", name, reduced, "us", (15, 8), False)
        yield line("best tree and all max-marginals, n = 31-40", name, exact, "us", UNJUDGED, False)
        different = kernel_timing.disagreements(weights)
        if different:
            wrong.append(f"{name}: {different} best arborescences differ in value from ufal's")


def _drawn(arguments: argparse.Namespace, console: Console) -> Iterator[Line]:
    """Drawn scores, which are easier than any model's."""
    problems = [prepared(problem) for problem in peaked(arguments.sentences or 100)]
    found = decode(problems, console, "peaked", rounds=arguments.rounds)
    name = "drawn, peaked (easier)"
    yield from _speed(found, "k = 10", name, UNJUDGED)
    yield from _search(found, name, judged=False)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the task."""
    add_data_option(parser, f"{FOLDER}/{PROJECTIVE}", "the embedded treebank")
    parser.add_argument(
        "--model", metavar="FILE", help=f"a parser for {PROJECTIVE}, as dependency-parsing stores it"
    )
    parser.add_argument("--cache", metavar="DIR", help="keep the trained parsers here for the next run")
    parser.add_argument("--epochs", type=positive, default=EPOCHS, help=f"of training (default {EPOCHS})")
    parser.add_argument("--sentences", type=positive, metavar="N", help="only the first N test sentences")
    parser.add_argument("--rounds", type=positive, default=1, help="decode so often (default 1)")


TASK = gl.Task(
    "parsing-benchmark",
    "How fast trees are found and proved, next to the paper's variant, a peer and what is to be reached.",
    add_arguments,
    run,
)
