"""``python -m benchmarks price-and-cut``: trees under trained grandparent models."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import attrs

from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.peers import HIGHS
from benchmarks.price_and_cut.ad3_peer import Ad3
from benchmarks.price_and_cut.agreement import check_agreement
from benchmarks.price_and_cut.comparisons import ad3_lines, exact_lines, highs_lines, program_lines, scoring_lines
from benchmarks.price_and_cut.endurance import limit_lines, memory_lines
from benchmarks.price_and_cut.material import Material
from gapless_models.parsing.treebank import FOLDER, Treebank, load_treebank
from gapless_tasks.run_options import add_data_option, add_number

TREEBANKS = ("danish", "italian", "hungarian")
PEERS = (HIGHS,)
EXACT = "lagrangian-cut"
MEMORY = 10_000


def measure(arguments: argparse.Namespace, bench: Bench) -> Iterator[Measurement]:
    """Measure every treebank, and the limits on a drawn sentence."""
    ad3 = Ad3(Path(arguments.ad3)) if arguments.ad3 else None
    if ad3 is None:
        bench.remarks.append("not compared with AD3: no library is given by --ad3")
    models = Path(arguments.models) if arguments.models else None
    method = arguments.method
    for number, treebank in enumerate(_treebanks(arguments)):
        material = Material.of(treebank, models, bench)
        groups: list[Iterator[Measurement]] = [
            exact_lines(material, method, arguments.rounds),
            *([highs_lines(material, method)] if HIGHS.installed else []),
            *([] if ad3 is None else [ad3_lines(material, method, ad3)]),
            program_lines(material),
            scoring_lines(material, method),
            *([] if number else [memory_lines(material, method, arguments.memory)]),
        ]
        for measured in groups:
            with bench.group(material.name):
                yield from measured
        if HIGHS.installed:
            with bench.group(material.name):
                check_agreement(material, method)
    with bench.group("drawn"):
        yield from limit_lines(method, bench)


def _treebanks(arguments: argparse.Namespace) -> Iterator[Treebank]:
    names = arguments.treebanks if arguments.data is not None else [None]
    for name in names:
        treebank = load_treebank(name, arguments.data)
        yield attrs.evolve(treebank, test=treebank.test[: arguments.sentences])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_data_option(parser, f"{FOLDER}/{TREEBANKS[0]}", "the embedded treebank")
    parser.add_argument(
        "--treebanks", metavar="TREEBANK", nargs="+", default=TREEBANKS, help=f"default: {' '.join(TREEBANKS)}"
    )
    parser.add_argument(
        "--models", metavar="DIR", help="the models that gapless run price-and-cut --models DIR has trained"
    )
    parser.add_argument("--method", default=EXACT, help=f"the exact method (default {EXACT})")
    add_number(parser, "--sentences", "only the first N test sentences")
    add_number(parser, "--rounds", "turns of each measurement", 1, metavar=None)
    add_number(parser, "--memory", "sentences in one process", MEMORY)
    library = "a shared library that runs AD3, see benchmarks.price_and_cut.ad3_peer"
    parser.add_argument("--ad3", metavar="FILE", help=library)
