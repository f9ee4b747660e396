"""The command-line options of the parsing job, and checks that fail before minutes of training."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import gapless as gl
from gapless.arrays.serial import require_folder
from gapless.arrays.spelling_hint import spelling_hint
from gapless.plugins import load_plugins
from gapless_dependency import ParsingProblem
from gapless_dependency.backbones import BACKBONES
from gapless_models.parsing.parser_model import ParserModel
from gapless_tasks.parsing import paper
from gapless_tasks.run_options import add_number, add_run_options, add_time_limit, positive

ANSWER_OPTIONS = (
    *("method", "backbone", "limit_seconds", "sentences"),
    *("model", "trees", "factors", "epochs", "max_heads", "seed"),
)
"""Options by which answers differ."""
PROJECTIVE, OTHER = "projective", "non-projective"
FAMILIES = ("grandchild", "sibling")
MAX_HEADS = 10
EPOCHS = 6
"""As many as the paper found best (section 4.2)."""
EXPLAIN = "draw the gold and the found tree of test sentence N and list the scores of their factors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the job."""
    parser.add_argument(
        "--treebank",
        metavar="NAME|PATH",
        help="a folder below DIR/parsing, a corpus that gapless data has fetched, or a path to train, dev and test "
        "as CoNLL-U, or to one file for a stored model (default: embedded)",
    )
    parser.add_argument("--data", metavar="DIR", help="folder of corpora (default: GAPLESS_DATA)")
    parser.add_argument(
        "--trees",
        choices=(PROJECTIVE, OTHER),
        default=argparse.SUPPRESS,
        help="trees that a new parser chooses among (default: projective if fewer than 1 training tree in 100 has "
        "crossing arcs)",
    )
    parser.add_argument("--method", help="default: the one of parsing problems; see gapless methods")
    parser.add_argument(
        "--factors",
        metavar="NAMES",
        help="factors, with commas, or none: grandchild, sibling, great-grandchild, tri-sibling, comb, pattern "
        "(hand-crafted patterns), and more for projective trees (default grandchild,sibling)",
        default=argparse.SUPPRESS,
    )
    parser.add_argument(
        "--backbone", help="tree oracle of the method (default: the simplest that fits the factors)"
    )
    parser.add_argument("--model", metavar="FILE", help="load this parser; if missing, train and store it there")
    parser.add_argument("--train", action="store_true", help="train although FILE exists, and replace it")
    passes = f"passes over the training part (default {EPOCHS})"
    parser.add_argument("--epochs", type=positive, default=argparse.SUPPRESS, help=passes)
    parser.add_argument(
        "--max-heads",
        type=max_heads_of,
        default=argparse.SUPPRESS,
        metavar="K",
        help="candidate heads a word, an approximation; all keeps every head (default: as the stored parser was "
        f"trained, or {MAX_HEADS})",
    )
    add_time_limit(parser, "for each sentence; then its gap is said", None)
    parser.add_argument(
        "--seed", type=int, default=argparse.SUPPRESS, help="order of the training sentences (default 0)"
    )
    add_number(parser, "--sentences", "only the first N of every part")
    parser.add_argument(
        "--verify", action="store_true", help="check every answer's certificate (not those of the tables)"
    )
    add_run_options(
        parser, "answers with certificates, predicted.conllu, a summary and trees, with --tables figures"
    )
    parser.add_argument(
        "--tables",
        action="store_true",
        help="also train and print tables 2 and 3, figures 4 and 5 of Qian and Liu 2013",
    )
    parser.add_argument(
        "--rows",
        metavar="NAMES",
        help="with --tables: only these rows of table 2, with commas, for instance '+ sibling,all'; table 3 and "
        "the figures are of the row all",
    )
    add_number(parser, "--explain", EXPLAIN)


def factors_of(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Parse the factors of ``--factors``.

    Raises
    ------
    InvalidProblem
        A name is none of `known`.
    """
    names = [name.strip() for name in text.split(",")]
    names = [name for name in names if name and name != "none"]
    for name in names:
        if name not in known:
            hint = spelling_hint(name, [*known, "none"])
            raise gl.InvalidProblem(f"--factors {name}{hint}: expected some of {', '.join(known)}, or none")
    return tuple(dict.fromkeys(names))


def rows(text: str | None) -> tuple[str, ...]:
    """Parse the rows of table 2 in ``--rows``, in the paper's order; all by default.

    Raises
    ------
    InvalidProblem
        There is no such row.
    """
    known = [row.name for row in paper.MODELS]
    names = known if text is None else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise gl.InvalidProblem(
                f"--rows {name}{spelling_hint(name, known)}: expected some of {', '.join(known)}"
            )
    return tuple(name for name in known if name in names)


def prepare(arguments: argparse.Namespace) -> None:
    """Check the names of method, backbone and rows, and the model's folder.

    Raises
    ------
    InvalidProblem, UnknownName
        The options contradict each other, or something that they need is missing.
    """
    load_plugins().registry.find_method(ParsingProblem, arguments.method)
    if arguments.backbone is not None and arguments.backbone not in BACKBONES:
        near = spelling_hint(arguments.backbone, BACKBONES)
        raise gl.InvalidProblem(f"--backbone {arguments.backbone}{near}: expected one of {', '.join(BACKBONES)}")
    if arguments.rows is not None and not arguments.tables:
        raise gl.InvalidProblem("--rows: says which rows of --tables to make; give both")
    rows(arguments.rows)
    if arguments.model:
        require_folder(arguments.model)


def effective(
    arguments: argparse.Namespace, known: Sequence[str], stored: ParserModel | None
) -> argparse.Namespace:
    """Complete the options by the training of the stored parser, else by the defaults.

    Parameters
    ----------
    known : sequence of str
        Families that can be trained.
    stored : ParserModel or None
        The parser of ``--model``, where it is to be used.

    Returns
    -------
    Namespace
        `projective` is None where only the treebank can say.

    Raises
    ------
    InvalidProblem
        An unknown family, or an option that the stored parser was not trained with.
    """
    values = vars(arguments)
    requested: dict[str, Any] = {name: values[name] for name in ("epochs", "seed", "max_heads") if name in values}
    if "factors" in values:
        requested["factors"] = factors_of(values["factors"], known)
    if "trees" in values:
        requested["projective"] = values["trees"] == PROJECTIVE
    settings: dict[str, Any] = {
        "factors": FAMILIES,
        "epochs": EPOCHS,
        "seed": 0,
        "max_heads": MAX_HEADS,
        "projective": None,
    }
    if stored is not None:
        trained = {**stored.training, "factors": tuple(stored.families), "projective": stored.projective}
        _refuse_others(requested, trained, arguments.model)
        settings.update((name, trained[name]) for name in settings if name in trained)
    settings.update(requested)
    if arguments.tables and settings["max_heads"] is None:
        raise gl.InvalidProblem(
            "--tables: table 3 keeps 3 to 20 heads a word, and --max-heads all trains no pruner; give a number"
        )
    return argparse.Namespace(**{**values, **settings})


def _refuse_others(requested: dict[str, Any], trained: dict[str, Any], model: str) -> None:
    """Refuse options that the stored parser would silently ignore."""
    for name, value in requested.items():
        option = "--trees" if name == "projective" else "--" + name.replace("_", "-")
        instead = "leave the option out, or use --train to train a new parser in its place"
        if name not in trained:
            if name == "max_heads":  # says only how to decode: the model itself knows whether it can
                continue
            raise gl.InvalidProblem(f"{option}: the parser of --model {model} does not say its own; {instead}")
        setting = trained[name]
        same = set(setting) == set(value) if name == "factors" else setting == value
        if name == "max_heads":  # any number can be kept where there is a pruner
            same = value is None or setting is not None
        if not same:
            raise gl.InvalidProblem(
                f"{option} {_option_text(name, value)}: the parser of --model {model} was trained with "
                f"{_option_text(name, setting)}; {instead}"
            )


def _option_text(name: str, value: Any) -> str:
    """Format a setting as its option takes it."""
    if name == "factors":
        return ",".join(value) or "none"
    if name == "projective":
        return kind(value)
    return "all" if value is None else str(value)


def method_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the method."""
    return {"backbone": arguments.backbone} if arguments.backbone else {}


def method_of(arguments: argparse.Namespace) -> str:
    """Return the method's name."""
    return load_plugins().registry.find_method(ParsingProblem, arguments.method).name


def kind(projective: bool) -> str:
    """Return the name that ``--trees`` has for the set of trees."""
    return PROJECTIVE if projective else OTHER


def check_method(
    arguments: argparse.Namespace, trial: Callable[[tuple[str, ...], bool], ParsingProblem], names: tuple[str, ...]
) -> None:
    """Solve a short problem with the factors of the sentences to come.

    Raises
    ------
    InvalidProblem
        Method or backbone do not fit it.
    """
    try:
        gl.solve(trial(names, arguments.projective), arguments.method, **method_options(arguments))
    except gl.GaplessError as error:
        values = {
            "--method": arguments.method,
            "--backbone": arguments.backbone,
            "--trees": kind(arguments.projective),
            "--factors": _option_text("factors", names),
        }
        named = " ".join(f"{option} {value}" for option, value in values.items() if value)
        raise gl.InvalidProblem(f"{named}: {error}") from error


def max_heads_of(text: str) -> int | None:
    """Parse ``--max-heads``: a positive number, or None for "all"."""
    return None if text == "all" else positive(text)
