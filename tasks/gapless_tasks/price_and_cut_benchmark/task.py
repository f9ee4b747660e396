"""``gapless run price-and-cut-benchmark``: trained grandparent models, measurements, what is to be reached."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import attrs

import gapless as gl
from gapless.cli import Console
from gapless_tasks.asked import positive
from gapless_tasks.chain_benchmark.targets import Line
from gapless_tasks.data_folder import add_data_option
from gapless_tasks.dependency_parsing.treebank import FOLDER, Treebank, load_treebank
from gapless_tasks.parsing_benchmark.lines import failures, report
from gapless_tasks.price_and_cut_benchmark.ad3_peer import Ad3
from gapless_tasks.price_and_cut_benchmark.agreement import check_agreement
from gapless_tasks.price_and_cut_benchmark.comparisons import (
    ad3_lines,
    exact_lines,
    highs_lines,
    program_lines,
    scoring_lines,
)
from gapless_tasks.price_and_cut_benchmark.endurance import limit_lines, memory_lines
from gapless_tasks.price_and_cut_benchmark.highs_peer import HIGHS_MISSING, has_highs
from gapless_tasks.price_and_cut_benchmark.material import Material
from gapless_tasks.sides import Compared

TREEBANKS = ("danish", "italian", "hungarian")
EXACT = "lagrangian-cut"
MEMORY = 10_000


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do the job."""
    ad3 = Ad3(Path(arguments.ad3)) if arguments.ad3 else None
    wrong: list[str] = []
    remarks = [] if has_highs() else [f"not compared with HiGHS: {HIGHS_MISSING}"]
    if ad3 is None:
        remarks.append("not compared with AD3: no library is given by --ad3")
    return report(_measured(arguments, ad3, console, wrong), wrong, remarks, console)


def _measured(
    arguments: argparse.Namespace, ad3: Ad3 | None, console: Console, wrong: list[str]
) -> Iterator[Line | Compared]:
    models = Path(arguments.models) if arguments.models else None
    method = arguments.method
    for number, treebank in enumerate(_treebanks(arguments)):
        material = Material.of(treebank, models, console, wrong)
        with failures(material.name, console, wrong):
            yield from exact_lines(material, method, arguments.rounds)
        with failures(material.name, console, wrong):
            if has_highs():
                yield from highs_lines(material, method)
                check_agreement(material, method)
        with failures(material.name, console, wrong):
            if ad3 is not None:
                yield from ad3_lines(material, method, ad3)
        with failures(material.name, console, wrong):
            yield from program_lines(material)
        with failures(material.name, console, wrong):
            yield from scoring_lines(material, method)
        with failures(material.name, console, wrong):
            if number == 0:
                yield from memory_lines(material, method, arguments.memory)
    with failures("drawn", console, wrong):
        yield from limit_lines(method, console, wrong)


def _treebanks(arguments: argparse.Namespace) -> Iterator[Treebank]:
    names = arguments.treebanks if arguments.data is not None else [None]
    for name in names:
        treebank = load_treebank(name, arguments.data)
        yield attrs.evolve(treebank, test=treebank.test[: arguments.sentences])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the task."""
    add_data_option(parser, f"{FOLDER}/{TREEBANKS[0]}", "the embedded treebank")
    parser.add_argument(
        "--treebanks", metavar="TREEBANK", nargs="+", default=TREEBANKS, help=f"default: {' '.join(TREEBANKS)}"
    )
    parser.add_argument(
        "--models", metavar="DIR", help="the models that gapless run price-and-cut --models DIR has trained"
    )
    parser.add_argument("--method", default=EXACT, help=f"the exact method (default {EXACT})")
    parser.add_argument("--sentences", type=positive, metavar="N", help="only the first N test sentences")
    parser.add_argument("--rounds", type=positive, default=1, help="decode so often (default 1)")
    parser.add_argument(
        "--memory",
        type=positive,
        metavar="N",
        default=MEMORY,
        help=f"sentences in one process (default {MEMORY:,})",
    )
    parser.add_argument(
        "--ad3",
        metavar="FILE",
        help="a shared library that runs AD3, see gapless_tasks.price_and_cut_benchmark.ad3_peer",
    )


TASK = gl.Task(
    "price-and-cut-benchmark",
    "How fast grandparent trees are found and proved, next to HiGHS, AD3, the paper's variant and what is to be "
    "reached.",
    add_arguments,
    run,
)
