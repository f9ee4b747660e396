"""``python -m benchmarks report``: the page about many answers, beside reading their file at all."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

import gapless as gl
from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import BenchmarkLine, line
from benchmarks.frame.turns import spent
from gapless.report import CHECKED, write_report
from gapless_chains import ChainProblem
from gapless_tasks.run_options import add_number

LABELS = tuple(f"L{label:02}" for label in range(17))
LENGTHS = (6, 28)
"""Words of a sentence: 17 on average, with as many labels as a universal tag set has."""
WORDS = 15_000
WRONG = 0.05
REMARKS = ("drawn chains; the floor is json.loads of every line",)
SECONDS, MEGABYTES = (5.0, 4.0), (3.0, 2.0)
"""Must and aim for 10,000 answers; for others, in proportion."""


def measure(arguments: argparse.Namespace, bench: Bench) -> Iterator[BenchmarkLine]:
    """Measure the page and its size beside the floor."""
    count, what = arguments.answers, f"{arguments.answers:,} answers"
    share = count / 10_000
    with bench.group("report"), tempfile.TemporaryDirectory(prefix="gapless-report-") as folder:
        source, page = Path(folder, "answers.jsonl"), Path(folder, "page.html")
        write_answers(source, count)
        yield line("size of the file", what, source.stat().st_size / 1e6, "MB")
        turns = range(arguments.rounds)
        floor = [spent(_read, source)[1].cpu for _ in turns]
        checked = [spent(write_report, source, page)[1] for _ in turns]
        yield line("json.loads of every line", what, floor, "s")
        cpu, title = [cost.cpu for cost in checked], f"report, {min(CHECKED, count):,} certificates checked"
        yield line(title, what, cpu, "s", (SECONDS[0] * share, SECONDS[1] * share))
        yield line(title, what, [cost.clock for cost in checked], "s by the clock")
        if arguments.check_all:
            _, cost = spent(partial(write_report, source, page, checks=None))
            yield line("report, every certificate checked", what, cost.cpu, "s")
        yield line("report over json.loads", what, [a / b for a, b in zip(cpu, floor, strict=True)], "x")
        size = (MEGABYTES[0] * share, MEGABYTES[1] * share)
        yield line("size of the page", what, page.stat().st_size / 1e6, "MB", size)


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
