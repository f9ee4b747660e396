"""Progress and messages of a training."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from gapless import InvalidProblem
from gapless.cli import Console
from gapless.learn import Progress
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.training import Stage
from gapless_models.parsing.treebank import Treebank
from gapless_models.price_and_cut import GrandparentModel

Model = TypeVar("Model", ParserModel, GrandparentModel)


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
    console: Console, title: str, total: int, *, mistakes: bool = True
) -> Iterator[Callable[[Stage, Progress], None]]:
    """Draw the progress of a training; with ``--verbose`` report each epoch.

    Parameters
    ----------
    total : int
        Examples of all epochs.
    mistakes : bool
        Whether the trainer's loss counts mistakes, so that a sentence with a loss is a wrong one.
    """
    with console.progress(f"training the {title}", total) as advance:
        shown = 0

        def report(stage: Stage, event: Progress) -> None:
            nonlocal shown
            done = (event.epoch if event.kind == "resumed" else event.epoch - 1) * event.count + event.done
            advance(done - shown)
            shown = done
            if event.kind == "epoch":
                report = event.report
                wrong = f"{report.wrong} sentence{'' if report.wrong == 1 else 's'} wrong"
                details = [*_score(stage, report.score), *([wrong] if mistakes else [])]
                console.detail(f"{title}, epoch {event.epoch}: {', '.join(details) or 'done'}")

        yield report


def _score(stage: Stage, score: float | None) -> list[str]:
    if score is None:
        return []
    if stage == "pruner":
        return [f"log-likelihood {score:.3f} a dev word"]
    return [f"{100 * score:.2f} % of the dev heads right"]
