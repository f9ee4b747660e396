"""What the job asks of a trained parser, and how it comes by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import attrs

from gapless.cli import Console
from gapless_dependency import ParsingProblem
from gapless_tasks.dependency_parsing.treebank import Treebank
from gapless_tasks.parsing import Sentence


class Parser(Protocol):
    """A trained model: from a sentence to a problem that any exact method can solve."""

    @property
    def families(self) -> Sequence[str]:
        """Names of the factors that the model has weights for."""

    def problem(self, sentence: Sentence, *, heads_kept: int | None = None) -> ParsingProblem:
        """Score a sentence; with `heads_kept`, only so many candidate heads a word, and the root."""

    def save(self, path: Path) -> None:
        """Store the model."""


@attrs.frozen
class Request:
    """What to train.

    Parameters
    ----------
    families : tuple of str
        Names among `ParserSource.families`.
    epochs : int
    seed : int
    heads_kept : int or None
        Candidate heads in training; gold ones are always among them.
    checkpoint : Path or None
        Where finished epochs are kept until the parser is stored.
    """

    families: tuple[str, ...]
    epochs: int
    seed: int
    heads_kept: int | None
    checkpoint: Path | None = None


@attrs.frozen
class ParserSource:
    """Where parsers come from.

    Parameters
    ----------
    train : callable
        ``train(treebank, request, console)``; says how each epoch went, and draws progress.
    load : callable
        ``load(path)``; raises ValueError for what is no stored parser.
    families : sequence of str
        Those that it can train.
    """

    train: Callable[[Treebank, Request, Console], Parser]
    load: Callable[[Path], Parser]
    families: Sequence[str]
