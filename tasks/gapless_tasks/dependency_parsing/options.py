"""The command-line options of the parsing job, and what can be known to fail before minutes of training."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import gapless as gl
from gapless.core.serial import require_folder
from gapless.plugins import load_plugins
from gapless_dependency import ParsingProblem
from gapless_tasks.asked import answers_folder, check_jobs, positive

HEADS_KEPT = 10
EPOCHS = 6
"""As many as the paper found best (section 4.2)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--treebank",
        metavar="NAME|PATH",
        help="a folder below DIR/parsing, or a path to train, dev and test as CoNLL-U, or to one file for a "
        "stored model (default: embedded)",
    )
    parser.add_argument("--data", metavar="DIR", help="folder of corpora (default: what GAPLESS_DATA names)")
    parser.add_argument("--method", help="default: the one of parsing problems; see gapless methods")
    parser.add_argument(
        "--families",
        metavar="NAMES",
        help="factors, with commas, or none (default grandchild,sibling)",
        default="grandchild,sibling",
    )
    parser.add_argument(
        "--backbone", help="tree oracle of the method (default: the simplest that fits the factors)"
    )
    parser.add_argument("--model", metavar="FILE", help="load this parser; if missing, train and store it there")
    parser.add_argument("--train", action="store_true", help="train although FILE exists, and replace it")
    parser.add_argument(
        "--epochs", type=positive, default=EPOCHS, help=f"passes over the training part (default {EPOCHS})"
    )
    parser.add_argument(
        "--heads-kept",
        type=_kept,
        default=HEADS_KEPT,
        metavar="K",
        help=f"candidate heads a word, an approximation; all keeps every head (default {HEADS_KEPT})",
    )
    parser.add_argument(
        "--limit-seconds", type=_seconds, metavar="S", help="for each sentence; then its gap is said"
    )
    parser.add_argument("--seed", type=int, default=0, help="order of the training sentences (default 0)")
    parser.add_argument("--jobs", type=positive, default=1, help="processes for decoding (default 1)")
    parser.add_argument("--sentences", type=positive, metavar="N", help="only the first N of every part")
    parser.add_argument("--verify", action="store_true", help="check every answer's certificate")
    parser.add_argument("--out", metavar="DIR", help="keep answers with certificates, a summary, figures and trees")
    parser.add_argument(
        "--tables", action="store_true", help="also train and print the paper's tables 2 and 3, figures 4 and 5"
    )
    parser.add_argument(
        "--explain",
        type=positive,
        metavar="N",
        help="draw the gold and the found tree of test sentence N and list what scores in them",
    )


def families(arguments: argparse.Namespace, known: Sequence[str]) -> tuple[str, ...]:
    """The factors asked for.

    Raises
    ------
    InvalidProblem
        A name is none of `known`.
    """
    names = [name.strip() for name in arguments.families.split(",")]
    names = [name for name in names if name and name != "none"]
    for name in names:
        if name not in known:
            raise gl.InvalidProblem(f"--families {name}: expected some of {', '.join(known)}, or none")
    return tuple(dict.fromkeys(names))


def prepare(arguments: argparse.Namespace) -> Path | None:
    """Look at the method, what ``--jobs`` needs, the model's folder and the answers' folder.

    Returns
    -------
    Path or None
        The folder for the answers; it exists.

    Raises
    ------
    InvalidProblem, UnknownName, MissingDependency
        What cannot work.
    """
    load_plugins().registry.find_method(ParsingProblem, arguments.method)
    if arguments.tables and arguments.heads_kept is None:
        raise gl.InvalidProblem(
            "--tables: table 3 keeps 3 to 20 heads a word, and --heads-kept all trains no pruner; give a number"
        )
    check_jobs(arguments.jobs)
    if arguments.model:
        require_folder(arguments.model)
    return answers_folder(arguments.out)


def _kept(text: str) -> int | None:
    return None if text == "all" else positive(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number of seconds")
    return seconds
