"""The command-line options of the task."""

from __future__ import annotations

import argparse

from gapless_models.linking.corpora import CORPORA, FOLDER
from gapless_tasks.linking.measuring import CONNECTIONS, MAXIMAL, METHODS, MINIMAL
from gapless_tasks.run_options import (
    add_data_option,
    add_method_option,
    add_number,
    add_run_options,
    add_time_limit,
    not_negative,
)

ANSWER_OPTIONS = ("method", "limit_seconds", "seed")
"""Options by which answers differ; with other corpora, connections or more documents a run goes on."""
SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the job."""
    add_data_option(parser, FOLDER, "embedded documents")
    named = f"corpora to link (default: all): {', '.join(CORPORA)}"
    parser.add_argument("--corpora", type=_names, metavar="NAME,...", help=named)
    parser.add_argument(
        "--connection",
        action="append",
        choices=CONNECTIONS,
        help=f"edges added within each set of candidates; may be repeated (default: {MAXIMAL} and {MINIMAL})",
    )
    add_method_option(parser, METHODS)
    add_number(parser, "--limit", "only the first N documents of each corpus")
    add_time_limit(parser, "for each document and method", SECONDS)
    add_number(parser, "--seed", "of the greedy method", 0, metavar=None, kind=not_negative)
    parser.add_argument("--no-prior", action="store_true", help="leave the combination with a prior out")
    add_run_options(
        parser,
        "the exact answers with their proofs, a summary, prior.svg, and neighbourhood.svg with --explain",
        "processes for linking",
    )
    parser.add_argument(
        "--explain", metavar="ID", help="draw one document's candidates, those chosen and the paths between them"
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
