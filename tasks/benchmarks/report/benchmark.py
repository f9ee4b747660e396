"""``python -m benchmarks report``: the page about many answers, beside reading their file at all."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import gapless as gl
from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import BenchmarkLine, line
from gapless.cli import Console
from gapless.report import CHECKED, write_report
from gapless_chains import ChainProblem
from gapless_tasks.run_options import add_number

LABELS = tuple(f"L{label:02}" for label in range(17))
LENGTHS = (6, 28)
"""Words of a sentence: 17 on average, with as many labels as a universal tag set has."""
WORDS = 15_000
WRONG = 0.05
SECONDS, MEGABYTES = (5.0, 4.0), (3.0, 2.0)
"""Must and aim for 10,000 answers; for others, in proportion."""


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Measure and report."""
    bench = Bench(console=console, remarks=["drawn chains; the floor is json.loads of every line"])
    return bench.report(_lines(arguments, bench))


def _lines(arguments: argparse.Namespace, bench: Bench) -> Iterator[BenchmarkLine]:
    count, what = arguments.answers, f"{arguments.answers:,} answers"
    share = count / 10_000
    with bench.group("report"), tempfile.TemporaryDirectory(prefix="gapless-report-") as folder:
        source, page = Path(folder, "answers.jsonl"), Path(folder, "page.html")
        write_answers(source, count)
        yield line("size of the file", what, source.stat().st_size / 1e6, "MB")
        floor = [_timed(lambda: _read(source)) for _ in range(arguments.rounds)]
        checked = [_timed(lambda: write_report(source, page)) for _ in range(arguments.rounds)]
        every = [_timed(lambda: write_report(source, page, checks=None))] if arguments.check_all else []
        yield line("json.loads of every line", what, [cpu for cpu, _ in floor], "s")
        marks = SECONDS[0] * share, SECONDS[1] * share
        checks = min(CHECKED, count)
        yield line(f"report, {checks:,} certificates checked", what, [cpu for cpu, _ in checked], "s", marks)
        clock = [seconds for _, seconds in checked]
        yield line(f"report, {checks:,} certificates checked", what, clock, "s by the clock")
        for cpu, _ in every:
            yield line("report, every certificate checked", what, cpu, "s")
        ratios = [mine / least for (mine, _), (least, _) in zip(checked, floor, strict=True)]
        yield line("report over json.loads", what, ratios, "x")
        size = (MEGABYTES[0] * share, MEGABYTES[1] * share)
        yield line("size of the page", what, page.stat().st_size / 1e6, "MB", size)


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of CPU time, and by the clock."""
    cpu, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - clock


def _read(source: Path) -> None:
    with source.open(encoding="utf-8") as file:
        for text in file:
            json.loads(text)


def write_answers(path: Path, count: int) -> None:
    """Solve drawn chains and write their records: words by Zipf's law, some gold labels that are others."""
    draw = np.random.default_rng(0)
    transition = draw.normal(size=(len(LABELS), len(LABELS)))
    with path.open("w", encoding="utf-8") as file:
        for place in range(count):
            length = int(draw.integers(*LENGTHS, endpoint=True))
            problem = ChainProblem(draw.normal(size=(length, len(LABELS))), transition, labels=LABELS)
            result = gl.solve(problem)
            words = [f"word{word}" for word in draw.zipf(1.3, length) % WORDS]
            gold = np.where(draw.random(length) < WRONG, draw.integers(len(LABELS), size=length), result.best)
            names = [LABELS[label] for label in gold]
            file.write(gl.dumps(gl.Record(problem, result, f"sentence {place}", words, gold=names)) + "\n")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_number(parser, "--answers", "answers of the run", 10_000, metavar=None)
    add_number(parser, "--rounds", "turns of each measurement", 3, metavar=None)
    parser.add_argument("--check-all", action="store_true", help="also with every certificate checked")
