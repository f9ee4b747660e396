"""``python -m benchmarks linking``: proofs and distances of drawn and real documents."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.marks import BenchmarkLine
from benchmarks.frame.peers import NETWORKIT, TOULBAR2
from benchmarks.linking.decomposable_rows import SIZES, TITLE, draw_scaling, measure_scaling, scaling_lines
from benchmarks.linking.distance_rows import distance_lines
from benchmarks.linking.document_rows import document_lines
from benchmarks.linking.instances import CANDIDATES, VERTICES, Synthetic
from benchmarks.linking.proof_rows import LinkingBench, proof_lines
from gapless.cli.outputs import begins_with, check_output
from gapless_models.linking.corpora import FOLDER
from gapless_tasks.run_options import add_data_option, add_number, add_time_limit, not_negative

SEEDS = 5
SECONDS = 60.0
PEER_SECONDS = 20
PEERS = (NETWORKIT,)
GROUPS = ("proofs", "documents", "distances", "decomposable")


def measure(arguments: argparse.Namespace, bench: Bench) -> Iterator[Measurement]:
    """Measure the chosen groups."""
    if arguments.plot:
        check_output(arguments.plot, begins_with(TITLE), overwrite=arguments.overwrite)
    peer = arguments.peer_seconds if TOULBAR2.installed else 0
    if not peer:
        bench.remarks.append(f"{TOULBAR2.absent}, and --peer-seconds above 0")
    linking = LinkingBench(bench, Synthetic(arguments.vertices, arguments.candidates), peer)
    groups: dict[str, Callable[[], Iterator[Measurement]]] = {
        "proofs": lambda: proof_lines(linking),
        "documents": lambda: document_lines(linking, arguments.data, arguments.limit),
        "distances": lambda: distance_lines(arguments.vertices, arguments.candidates, large=arguments.large),
        "decomposable": lambda: _decomposable_lines(linking, arguments.plot),
    }
    for name in arguments.only or GROUPS:
        with bench.group(name):
            yield from groups[name]()


def _decomposable_lines(bench: LinkingBench, plot: str | None) -> Iterator[BenchmarkLine]:
    """Up to a million edges; with smaller drawn graphs than usual, up to as many as those have."""
    largest = max(SIZES[1], bench.synthetic.vertices * SIZES[-1] // VERTICES)
    scaling = measure_scaling([size for size in SIZES if size <= largest])
    bench.bench.wrong.extend(scaling.wrong)
    yield from scaling_lines(scaling)
    if plot:
        Path(plot).write_text(draw_scaling(scaling), "utf-8")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark."""
    add_data_option(parser, FOLDER, "embedded documents")
    parser.add_argument(
        "--only", action="append", choices=GROUPS, help="one group of measurements; may be repeated (default: all)"
    )
    add_number(parser, "--seeds", "drawn documents of each kind", SEEDS)
    add_number(parser, "--limit", "only the first N documents of each corpus")
    add_number(parser, "--vertices", "of the largest drawn graphs", VERTICES)
    add_number(parser, "--candidates", "of a mention", CANDIDATES)
    parser.add_argument(
        "--large", action="store_true", help="distances on a graph of the size of Wikipedia, too (minutes, 4 GB)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the time of method decomposable against edges, as SVG")
    add_time_limit(parser, "for each drawn document", SECONDS)
    peers = "for each document and setting of toulbar2, 0 to leave it out"
    add_number(parser, "--peer-seconds", peers, PEER_SECONDS, metavar="S", kind=not_negative)
