"""What a training says while it runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from gapless.cli import Console
from gapless.learn import Progress
from gapless_tasks.parsing.training import Stage


@contextlib.contextmanager
def told(console: Console, title: str, total: int) -> Iterator[Callable[[Stage, Progress], None]]:
    """Say how each epoch went, and draw how far it is."""
    with console.progress(f"training the {title}", total) as advance:
        shown = 0

        def tell(stage: Stage, event: Progress) -> None:
            nonlocal shown
            done = (event.epoch if event.kind == "resumed" else event.epoch - 1) * event.count + event.done
            advance(done - shown)
            shown = done
            if event.kind == "epoch":
                report = event.report
                console.say(
                    f"{title}, epoch {event.epoch}: {_score(stage, report.score)}{report.wrong} "
                    f"sentence{'' if report.wrong == 1 else 's'} wrong"
                )

        yield tell


def _score(stage: Stage, score: float | None) -> str:
    if score is None:
        return ""
    if stage == "pruner":
        return f"log-likelihood {score:.3f} a dev word, "
    return f"{100 * score:.2f} % of the dev heads right, "
