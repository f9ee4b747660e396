"""The command-line options of the task."""

from __future__ import annotations

import argparse

from gapless_models.titles.corpus import FOLDER
from gapless_tasks.run_options import (
    add_data_option,
    add_method_option,
    add_number,
    add_run_options,
    add_time_limit,
    not_negative,
)
from gapless_tasks.titles.decoders import INTEGER_PROGRAMS, METHODS

ANSWER_OPTIONS = ("extra", "limit_seconds", "ilp_seconds", "seed")
"""Options by which answers differ; with other methods or more sections a run goes on."""
SECONDS = 60.0
ILP_TITLES = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the task."""
    add_data_option(parser, FOLDER, "embedded essays")
    parser.add_argument(
        "--extra", action="store_true", help="more text for the language model: the extra sections of DIR"
    )
    add_method_option(parser, METHODS)
    add_number(parser, "--limit", "only the first N test sections")
    add_time_limit(parser, "for each title and decoder", SECONDS)
    programs = f"compare {' and '.join(INTEGER_PROGRAMS)}, too, with this limit in seconds for each title"
    add_time_limit(parser, programs, None, "--ilp-seconds")
    add_number(parser, "--ilp-titles", "they get N titles, spread evenly over the test part", ILP_TITLES)
    add_number(parser, "--seed", "of the colourings", 0, metavar=None, kind=not_negative)
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
