"""Progress and messages of a training."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from gapless import InvalidProblem
from gapless.cli import Console
from gapless.cli.outputs import check_output
from gapless.learn import Progress
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.training import PRUNER_EPOCHS, Stage
from gapless_models.parsing.treebank import Treebank
from gapless_models.price_and_cut import GrandparentModel

Model = TypeVar("Model", ParserModel, GrandparentModel)
TITLES: Mapping[Stage, str] = {"pruner": "pruner", "parser": "parser"}


def forget_checkpoints(model: Path) -> None:
    """Remove the finished epochs of a training whose model is stored.

    By name: a pattern would take the checkpoints of a neighbour, parser.npz2, too.
    """
    for suffix in (".epochs", ".pruner.epochs"):
        Path(f"{model}{suffix}").unlink(missing_ok=True)


def check_training(
    option: str,
    path: Path,
    training: Mapping[str, Any],
    requested: Mapping[str, Any],
    otherwise: str = "use --train to train all anew",
) -> None:
    """Refuse a stored model whose training is not the one requested.

    Parameters
    ----------
    training, requested : mapping of str to JSON data
        The settings that the model was trained with, and those that it should have been trained with.
    otherwise : str
        The last remedy of the message.

    Raises
    ------
    InvalidProblem
        The message names the settings that differ.
    """
    different = [
        f"{name} {training.get(name, 'unknown')}, not {value}"
        for name, value in requested.items()
        if name not in training or training[name] != value
    ]
    if different:
        raise InvalidProblem(
            f"{option}: {path} was trained in another way ({'; '.join(different)}); give the same options and "
            f"treebank, remove the file, or {otherwise}"
        )


def load_stored(
    load: Callable[[Path], Model], option: str, path: Path | None, *, retrain: bool, overwrite: bool
) -> Model | None:
    """Load the model of a file; return None if there is none, or if a new one is to replace it.

    Parameters
    ----------
    load : callable
        ``load(path)``; raises ValueError for what is no stored model.
    option : str
        The option that names the file, for the message.
    retrain : bool
        Whether a new model is to replace the stored one.
    overwrite : bool
        Whether it may replace a file that holds no model, too.

    Raises
    ------
    InvalidProblem
        The file is no stored model, or must not be replaced.
    """
    if path is None or not path.exists():
        return None
    if retrain:
        check_output(path, partial(_is_model, load), overwrite=overwrite)
        return None
    try:
        return load(path)
    except ValueError as error:
        raise InvalidProblem(f"{option} {error}") from error


def _is_model(load: Callable[[Path], object], path: Path) -> bool:
    try:
        load(path)
    except ValueError as error:
        return isinstance(error, InvalidProblem)  # a model, but of templates that this version does not have
    return True


def train_and_store(
    train: Callable[[Path | None], Model], treebank: Treebank, path: Path | None, otherwise: str
) -> tuple[Model, float]:
    """Train a model and store it if it has a file.

    Parameters
    ----------
    train : callable
        ``train(checkpoint)``; finished epochs are kept there until the model is stored.
    otherwise : str
        The option that makes training needless, for the message.

    Returns
    -------
    Model, float
        The model, and the CPU seconds of its training.

    Raises
    ------
    InvalidProblem
        The treebank has no training part.
    """
    if not treebank.train:
        raise InvalidProblem(f"--treebank {treebank.name} has no training part: give {otherwise}")
    start = time.process_time()
    model = train(None if path is None else Path(f"{path}.epochs"))
    if path is not None:
        model.save(path)
        forget_checkpoints(path)
    return model, time.process_time() - start


@contextlib.contextmanager
def epoch_progress(
    console: Console, epochs: int, titles: Mapping[Stage, str] = TITLES, *, mistakes: bool = True
) -> Iterator[Callable[[Stage, Progress], None]]:
    """Draw the progress of a training, a bar for each stage; with ``--verbose`` report each epoch.

    Parameters
    ----------
    epochs : int
        Passes of the parser; those of the pruner are `PRUNER_EPOCHS`.
    titles : mapping of {"pruner", "parser"} to str
        The names of the stages.
    mistakes : bool
        Whether the parser's loss counts mistakes, so that a sentence with a loss is a wrong one.
    """
    current: Stage | None = None
    shown = 0
    advance: Callable[[int], object] = int  # until the first event opens a bar
    with contextlib.ExitStack() as bars:

        def report(stage: Stage, event: Progress) -> None:
            nonlocal current, shown, advance
            if stage != current:
                bars.close()
                current, shown = stage, 0
                total = event.count * (PRUNER_EPOCHS if stage == "pruner" else epochs)
                advance = bars.enter_context(console.progress(f"training the {titles[stage]}", total))
            done = (event.epoch if event.kind == "resumed" else event.epoch - 1) * event.count + event.done
            advance(done - shown)
            shown = done
            if event.kind == "epoch":
                details = _score(stage, event.report.score)
                if stage == "parser" and mistakes:
                    wrong = event.report.wrong
                    details.append(f"{wrong} sentence{'' if wrong == 1 else 's'} wrong")
                console.detail(f"{titles[stage]}, epoch {event.epoch}: {', '.join(details) or 'done'}")

        yield report


def _score(stage: Stage, score: float | None) -> list[str]:
    if score is None:
        return []
    if stage == "pruner":
        return [f"log-likelihood {score:.3f} a dev word"]
    return [f"{100 * score:.2f} % of the dev heads right"]
