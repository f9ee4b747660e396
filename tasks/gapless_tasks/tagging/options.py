"""The command-line options of a tagging job, and checks that fail before minutes of training."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gapless.arrays.serial import require_folder
from gapless.cli.outputs import begins_with, check_output
from gapless.plugins import load_plugins
from gapless_chains import ChainProblem
from gapless_tasks.run_options import add_data_option, add_method_option, add_number, add_run_options
from gapless_tasks.tagging.regularisation import SUFFIXES, TITLE, check_figure

ANSWER_OPTIONS = ("epochs", "trainer", "shuffles", "use_dev", "seed", "sentences", "model")
"""Options by which answers differ; which methods are asked for is none, each has a file of its own."""
METHODS = ("viterbi", "column-generation", "dominance")
TRAINERS = {
    "perceptron": "averaged perceptron",
    "svm": "structured SVM with 0/1 loss",
    "samplerank": "SampleRank",
}


def add_arguments(parser: argparse.ArgumentParser, folder: Path, epochs: int, shuffles: int) -> None:
    """Add the options; `folder` is the corpus below ``--data``, `epochs` and `shuffles` are the defaults."""
    add_data_option(parser, folder, "embedded sentences")
    add_method_option(parser, METHODS)
    add_number(parser, "--epochs", "passes over the training part", epochs, metavar=None)
    parser.add_argument(
        "--trainer",
        choices=tuple(TRAINERS),
        default="perceptron",
        help="averaged perceptron, structured SVM with 0/1 loss, or SampleRank (default perceptron)",
    )
    averaged = "trainings in different orders whose weights are averaged"
    add_number(parser, "--shuffles", averaged, shuffles, metavar=None)
    parser.add_argument(
        "--use-dev",
        action="store_true",
        help="when the dev part has chosen the epochs, train again on the training and the dev part",
    )
    parser.add_argument(
        "--model",
        metavar="FILE",
        help="load this tagger; if missing, train and store it there (a training that was killed goes on after its "
        "last finished epoch, kept in FILE.epochs)",
    )
    add_number(parser, "--seed", "order of the training sentences", 0, metavar=None, kind=int)
    add_number(parser, "--sentences", "only the first N of every part")
    add_run_options(parser, "every answer with its certificate and the whole model, and a summary")
    parser.add_argument("--tables", action="store_true", help="also print the paper's tables 1 and 2 beside ours")
    parser.add_argument(
        "--figure2",
        action="store_true",
        help="also train with five penalties on transitions (the paper's figure 2)",
    )
    parser.add_argument(
        "--figure", metavar="FILE", help=f"draw figure 2 there ({' or '.join(SUFFIXES)}); implies --figure2"
    )


def methods(arguments: argparse.Namespace) -> Sequence[str]:
    """Select the methods to decode with: those requested, or those of `METHODS` that are installed."""
    known = load_plugins().registry.methods_for(ChainProblem)
    return arguments.method or [name for name in METHODS if name in known]


def prepare(arguments: argparse.Namespace) -> None:
    """Check the methods, the model's folder and the figure.

    Raises
    ------
    InvalidProblem, UnknownName
        The options contradict each other, or something that they need is missing.
    """
    registry = load_plugins().registry
    for method in methods(arguments):
        registry.find_method(ChainProblem, method)
    if arguments.model:
        require_folder(arguments.model)
    if arguments.figure:
        check_output(arguments.figure, begins_with(TITLE), overwrite=arguments.overwrite)
        check_figure(arguments.figure)
