"""The command-line options of the task."""

from __future__ import annotations

import argparse

from gapless_models.titles.corpus import FOLDER
from gapless_tasks.run_options import add_data_option, add_run_options, not_negative, positive, positive_seconds
from gapless_tasks.titles.decoders import INTEGER_PROGRAMS, METHODS

ANSWER_OPTIONS = ("extra", "limit_seconds", "ilp_seconds", "seed")
"""Options by which answers differ; with other methods or more sections a run goes on."""
SECONDS = 60.0
ILP_TITLES = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data_option(parser, FOLDER, "embedded essays")
    parser.add_argument(
        "--extra", action="store_true", help="more text for the language model: the extra sections of DIR"
    )
    parser.add_argument("--method", action="append", help=f"default: {', '.join(METHODS)}; may be repeated")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N test sections")
    parser.add_argument(
        "--limit-seconds",
        type=positive_seconds,
        metavar="S",
        default=SECONDS,
        help=f"for each title and decoder (default {SECONDS:g})",
    )
    parser.add_argument(
        "--ilp-seconds",
        type=positive_seconds,
        metavar="S",
        help=f"compare {' and '.join(INTEGER_PROGRAMS)}, too, with this limit in seconds for each title",
    )
    parser.add_argument(
        "--ilp-titles",
        type=positive,
        metavar="N",
        default=ILP_TITLES,
        help=f"they get N titles, spread evenly over the test part (default {ILP_TITLES})",
    )
    parser.add_argument("--seed", type=not_negative, default=0, help="of the colourings (default 0)")
    parser.add_argument("--no-figure", action="store_true", help="leave figure 2 out")
    add_run_options(
        parser,
        "every answer that has a certificate (about half a megabyte a title and method), a summary, figure2.svg "
        "and, with --explain, graph.svg",
        "processes over the sections for integer programs; the other decoders take a millisecond a title",
    )
    parser.add_argument(
        "--explain", metavar="ID", help="draw the graph of one test section, with its best path and its scores"
    )
