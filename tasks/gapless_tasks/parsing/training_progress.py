"""Progress and messages of a training."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from gapless.cli import Console
from gapless.learn import Progress
from gapless_models.parsing.training import Stage


def forget_checkpoints(model: Path) -> None:
    """Remove the finished epochs of a training whose model is stored.

    By name: a pattern would take the checkpoints of a neighbour, parser.npz2, too.
    """
    for kept in (".epochs", ".pruner.epochs"):
        Path(f"{model}{kept}").unlink(missing_ok=True)


@contextlib.contextmanager
def told(
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

        def tell(stage: Stage, event: Progress) -> None:
            nonlocal shown
            done = (event.epoch if event.kind == "resumed" else event.epoch - 1) * event.count + event.done
            advance(done - shown)
            shown = done
            if event.kind == "epoch":
                report = event.report
                wrong = f"{report.wrong} sentence{'' if report.wrong == 1 else 's'} wrong"
                said = [*_score(stage, report.score), *([wrong] if mistakes else [])]
                console.detail(f"{title}, epoch {event.epoch}: {', '.join(said) or 'done'}")

        yield tell


def _score(stage: Stage, score: float | None) -> list[str]:
    if score is None:
        return []
    if stage == "pruner":
        return [f"log-likelihood {score:.3f} a dev word"]
    return [f"{100 * score:.2f} % of the dev heads right"]
