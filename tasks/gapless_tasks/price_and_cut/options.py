"""The command-line options of the task."""

from __future__ import annotations

import argparse

from gapless_models.parsing.treebank import FOLDER
from gapless_models.price_and_cut import LEARNERS, Training
from gapless_tasks.parsing.options import EXPLAIN
from gapless_tasks.run_options import add_data_option, add_number, add_run_options, add_time_limit, not_negative

TREEBANKS = ("italian", "hungarian", "danish")
"""Those of the paper, in its order."""
ANSWER_OPTIONS = ("models", "learner", "epochs", "seed", "longest", "limit_seconds", "verify")
"""Options by which answers differ; with more sentences or treebanks a run goes on after those that it has."""
LONGEST = 30
SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the task."""
    training = Training()
    parser.add_argument(
        "--treebank",
        metavar="NAME|PATH",
        action="append",
        help="a folder below DIR/parsing, or a path to train, dev and test as CoNLL-U, or to one file for a stored "
        f"model; may be given several times (default: {', '.join(TREEBANKS)}; without DIR the embedded treebank)",
    )
    add_data_option(parser, f"{FOLDER}/{TREEBANKS[0]}", "the embedded treebank")
    parser.add_argument(
        "--models", metavar="DIR", help="load the treebanks' models from here; if missing, train and store them"
    )
    parser.add_argument("--train", action="store_true", help="train although DIR holds a model, and replace it")
    parser.add_argument(
        "--learner",
        choices=LEARNERS,
        default=training.learner,
        help=f"gradient of the likelihood by belief propagation, or the perceptron (default {training.learner})",
    )
    add_number(parser, "--epochs", "passes over the training part, at most", training.epochs, metavar=None)
    add_number(parser, "--seed", "order of the training sentences", 0, metavar=None, kind=not_negative)
    add_number(parser, "--sentences", "only the first N test sentences")
    longer = "the tables leave longer sentences out; brute force takes seconds for 40 words"
    add_number(parser, "--longest", longer, LONGEST)
    parser.add_argument("--no-tables", action="store_true", help="only parse exactly, the long sentences included")
    add_time_limit(parser, "for each sentence and method; then its gap is said", SECONDS)
    parser.add_argument("--verify", action="store_true", help="check every certificate, those of the tables too")
    add_run_options(
        parser,
        "a summary, figures, and for each treebank answers with certificates (about 1 MB a sentence), "
        "predicted.conllu and trees",
    )
    add_number(parser, "--explain", EXPLAIN)
