"""``python -m benchmarks parsing``: trees under trained scores."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np

from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.marks import ALONE, FROM_ARRAYS, UNJUDGED, BenchmarkLine, Marks, both_ways, line
from benchmarks.frame.peers import UFAL
from benchmarks.frame.turns import Compared
from benchmarks.parsing import kernel_timing
from benchmarks.parsing.measurement import Decoded, decode, prepared, scored
from benchmarks.parsing.synthetic import peaked
from gapless.cli import Console
from gapless_dependency import ParsingProblem
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.treebank import FOLDER, Treebank, embedded_treebank, load_treebank
from gapless_tasks.parsing.options import EPOCHS, FAMILIES, MAX_HEADS
from gapless_tasks.parsing.parser import SOURCE, Request
from gapless_tasks.parsing.training_progress import check_training
from gapless_tasks.run_options import add_data_option, add_number

PROJECTIVE, OTHER = "english_wsj", "danish"
PEERS = (UFAL,)
_PAPER_EVERY = 6
"""The paper's variant decodes every sixth sentence, and so does ours beside it."""


def measure(arguments: argparse.Namespace, bench: Bench) -> Iterator[Measurement]:
    """Measure every treebank, and drawn sentences."""
    cache = Path(arguments.cache) if arguments.cache else None
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
    for treebank in _treebanks(arguments):
        yield from _measured(treebank, cache, arguments, bench)
    yield from _drawn(arguments, bench.console)


def _treebanks(arguments: argparse.Namespace) -> Iterator[Treebank]:
    if arguments.data is None:
        yield embedded_treebank().first(arguments.sentences)
        return
    for name in (PROJECTIVE, OTHER):
        treebank = load_treebank(name, arguments.data)
        yield attrs.evolve(treebank, test=treebank.test[: arguments.sentences])


def _parser(treebank: Treebank, cache: Path | None, arguments: argparse.Namespace, console: Console) -> ParserModel:
    """Load the model of ``--model`` or of an earlier run, or train a new one."""
    given = Path(arguments.model) if arguments.model and treebank.name != OTHER else None
    stored = given or (None if cache is None else cache / f"{treebank.name.replace(' ', '-')}.npz")
    checkpoint = None if stored is None else Path(f"{stored}.epochs")
    request = Request(FAMILIES, arguments.epochs, 0, MAX_HEADS, checkpoint)
    if stored is not None and stored.exists():
        parser = SOURCE.load(stored)
        if not given:
            check_training("--cache", stored, parser.training, request.record(treebank), "name another folder")
        return parser
    console.info(f"{treebank.name}: training on {len(treebank.train)} sentences first; 4,000 take tens of minutes")
    parser = SOURCE.train(treebank, request, console)
    if stored is not None:
        parser.save(stored)
    return parser


def _measured(
    treebank: Treebank, cache: Path | None, arguments: argparse.Namespace, bench: Bench
) -> Iterator[Measurement]:
    """Measure everything on one treebank's test part."""
    console = bench.console
    parser = _parser(treebank, cache, arguments, console)
    pruned = scored(parser, treebank.test, MAX_HEADS)
    name, rounds = treebank.name, arguments.rounds
    main = treebank.name == PROJECTIVE
    found = decode(pruned, console, f"{name}, k = 10", rounds=rounds)
    marks = (12_000, 35_000) if main else (10_000, 30_000) if name == OTHER else UNJUDGED
    yield from _speed(found, "k = 10", name, marks)
    marked = name in (PROJECTIVE, OTHER)
    yield from _search(found, name, judged=main)
    yield line(
        "proved within 10 s each", name, 100 * found.proved, "%", (99.5, 100) if marked else UNJUDGED, more=True
    )
    some = pruned[::_PAPER_EVERY]
    ours = decode(some, console, f"{name}, every sixth")
    paper = decode(some, console, f"{name}, the paper's variant", options={"variant": "paper"})
    both = np.isclose(ours.values, paper.values, rtol=1e-9, atol=1e-9)
    if ours.proved == paper.proved == 1.0 and not both.all():
        bench.wrong.append(f"{name}: {int((~both).sum())} values differ from those of the paper's variant")
    for how, fast, slow, judged in (
        (FROM_ARRAYS, ours.from_arrays, paper.from_arrays, main),
        (ALONE, ours.words_per_second, paper.words_per_second, False),
    ):
        what = f"over the paper's variant, every sixth sentence, {how}"
        yield line(what, name, fast.median / slow.median, "x", (5, 12) if judged else UNJUDGED, more=True)
    if paper.oracle_calls is not None:
        calls = paper.oracle_calls
        yield line("oracle calls of the paper's variant", name, calls, "a sentence")
    whole = scored(parser, treebank.test, None)
    unpruned = decode(whole, console, f"{name}, unpruned")
    yield from _speed(unpruned, "unpruned", name, (800, 6000) if main else UNJUDGED)
    yield line("proved within 10 s each, unpruned", name, 100 * unpruned.proved, "%", more=True)
    yield from _kernels(name, treebank.projective, pruned, whole, rounds, bench.wrong)


def _speed(found: Decoded, what: str, name: str, marks: Marks) -> Iterator[BenchmarkLine]:
    """Yield words per second, from arrays and of the search."""
    return both_ways(what, name, (found.from_arrays, found.words_per_second), "words/s", marks, more=True)


def _search(found: Decoded, name: str, *, judged: bool) -> Iterator[BenchmarkLine]:
    """Yield oracle calls and the share of sentences that are closed at the root."""
    if found.oracle_calls is not None:
        calls = found.oracle_calls
        yield line("oracle calls", name, calls, "a sentence", (90, 35) if judged else UNJUDGED)
    if found.closed_at_root is not None:
        closed = 100 * found.closed_at_root
        yield line("closed at the root", name, closed, "%", (70, 90) if judged else UNJUDGED, more=True)


def _kernels(
    name: str,
    projective: bool,
    pruned: Sequence[ParsingProblem],
    whole: Sequence[ParsingProblem],
    rounds: int,
    wrong: list[str],
) -> Iterator[Measurement]:
    """Time the tree oracles, and compare them with a peer from arrays to a certificate."""
    turns = max(3, rounds)
    if projective:
        short = kernel_timing.eisner_microseconds(kernel_timing.weights_of(pruned, 19, 21), turns)
        long = kernel_timing.eisner_microseconds(kernel_timing.weights_of(whole, 38, 42), turns)
        yield line("Eisner's inside pass, n = 19-21, k = 10", name, short, "us", (8, 4))
        yield line("Eisner's inside pass, n = 38-42, all", name, long, "us", (40, 22))
    else:
        weights = kernel_timing.weights_of(whole, 31, 40)
        reduced, exact = kernel_timing.arborescence_timing(weights, turns)
        peer = kernel_timing.beside_ufal(weights, turns)
        if peer is not None:
            yield Compared("Chu-Liu-Edmonds", "ufal's", "n = 31-40", name, peer, (4, 10))
        yield line("best tree and all reduced costs, n = 31-40", name, reduced, "us", (15, 8))
        yield line("best tree and all max-marginals, n = 31-40", name, exact, "us")
        different = kernel_timing.disagreements(weights)
        if different:
            wrong.append(f"{name}: {different} best arborescences differ in value from ufal's")


def _drawn(arguments: argparse.Namespace, console: Console) -> Iterator[BenchmarkLine]:
    """Drawn scores, which are easier than any model's."""
    problems = [prepared(problem) for problem in peaked(arguments.sentences or 100)]
    found = decode(problems, console, "peaked", rounds=arguments.rounds)
    name = "drawn, peaked (easier)"
    yield from _speed(found, "k = 10", name, UNJUDGED)
    yield from _search(found, name, judged=False)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_data_option(parser, f"{FOLDER}/{PROJECTIVE}", "the embedded treebank")
    parser.add_argument(
        "--model", metavar="FILE", help=f"a parser for {PROJECTIVE}, as dependency-parsing stores it"
    )
    parser.add_argument("--cache", metavar="DIR", help="keep the trained parsers here for the next run")
    add_number(parser, "--epochs", "of training", EPOCHS, metavar=None)
    add_number(parser, "--sentences", "only the first N test sentences")
    add_number(parser, "--rounds", "turns of each measurement", 1, metavar=None)
