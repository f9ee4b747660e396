"""``gapless run linking-benchmark``: drawn and real documents, measurements, what is to be reached."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import gapless as gl
from gapless.cli import Console
from gapless_tasks.asked import not_negative, positive, positive_seconds
from gapless_tasks.chain_benchmark.targets import Line
from gapless_tasks.data_folder import add_data_option
from gapless_tasks.entity_linking.corpora import FOLDER
from gapless_tasks.linking_benchmark import toulbar2_peer
from gapless_tasks.linking_benchmark.decomposable_rows import SIZES, draw_scaling, measure_scaling, scaling_lines
from gapless_tasks.linking_benchmark.distance_rows import distance_lines
from gapless_tasks.linking_benchmark.document_rows import document_lines
from gapless_tasks.linking_benchmark.instances import CANDIDATES, VERTICES, Synthetic
from gapless_tasks.linking_benchmark.proof_rows import Bench, proof_lines
from gapless_tasks.parsing_benchmark.lines import failures, report
from gapless_tasks.sides import Compared

SEEDS = 5
SECONDS = 60.0
PEER_SECONDS = 20
GROUPS = ("proofs", "documents", "distances", "decomposable")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do the job."""
    peer = arguments.peer_seconds if toulbar2_peer.installed() else 0
    remarks = [] if peer else ["not compared with toulbar2: pip install pytoulbar2, and --peer-seconds above 0"]
    if find_spec("networkit") is None:
        remarks.append("not compared with networkit: pip install networkit")
    synthetic = Synthetic(arguments.vertices, arguments.candidates)
    bench = Bench(synthetic, arguments.seeds, gl.Limits(time=arguments.limit_seconds), peer, console, [])
    return report(_all_lines(arguments, bench), bench.wrong, remarks, console)


def _all_lines(arguments: argparse.Namespace, bench: Bench) -> Iterator[Line | Compared]:
    groups: dict[str, Callable[[], Iterator[Line | Compared]]] = {
        "proofs": lambda: proof_lines(bench),
        "documents": lambda: document_lines(bench, arguments.data, arguments.limit),
        "distances": lambda: distance_lines(arguments.vertices, arguments.candidates, large=arguments.large),
        "decomposable": lambda: _decomposable_lines(bench, arguments.plot),
    }
    for name in arguments.only or GROUPS:
        with failures(name, bench.console, bench.wrong):
            yield from groups[name]()


def _decomposable_lines(bench: Bench, plot: str | None) -> Iterator[Line]:
    """Up to a million edges; with smaller drawn graphs than usual, up to as many as those have."""
    largest = max(SIZES[1], bench.synthetic.vertices * SIZES[-1] // VERTICES)
    scaling = measure_scaling([size for size in SIZES if size <= largest])
    bench.wrong.extend(scaling.wrong)
    yield from scaling_lines(scaling)
    if plot:
        Path(plot).write_text(draw_scaling(scaling), "utf-8")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the task."""
    add_data_option(parser, FOLDER, "embedded documents")
    parser.add_argument(
        "--only", action="append", choices=GROUPS, help="one group of measurements; may be repeated (default: all)"
    )
    parser.add_argument(
        "--seeds", type=positive, metavar="N", default=SEEDS, help=f"drawn documents of each kind (default {SEEDS})"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N documents of each corpus")
    parser.add_argument(
        "--vertices",
        type=positive,
        metavar="N",
        default=VERTICES,
        help=f"of the largest drawn graphs (default {VERTICES})",
    )
    parser.add_argument(
        "--candidates", type=positive, metavar="N", default=CANDIDATES, help=f"of a mention (default {CANDIDATES})"
    )
    parser.add_argument(
        "--large", action="store_true", help="distances on a graph of the size of Wikipedia, too (minutes, 4 GB)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the time of method decomposable against edges, as SVG")
    parser.add_argument(
        "--limit-seconds",
        type=positive_seconds,
        metavar="S",
        default=SECONDS,
        help=f"for each drawn document (default {SECONDS:g})",
    )
    parser.add_argument(
        "--peer-seconds",
        type=not_negative,
        metavar="S",
        default=PEER_SECONDS,
        help=f"for each document and setting of toulbar2, 0 to leave it out (default {PEER_SECONDS})",
    )


TASK = gl.Task(
    "linking-benchmark",
    "How fast links are found and proved, next to toulbar2 and networkit, and what is to be reached.",
    add_arguments,
    run,
)
