"""Trained parsers as the job sees them, and their sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from gapless.cli import Console
from gapless_dependency import ParsingProblem
from gapless_models.parsing.parser_model import ParserModel
from gapless_models.parsing.treebank import Treebank


@attrs.frozen
class Request:
    """A training to be done.

    Parameters
    ----------
    families : tuple of str
        Names among `ParserSource.families`.
    heads_kept : int or None
        Candidate heads in training; gold ones are always among them.
    checkpoint : Path or None
        The file for finished epochs until the parser is stored.
    projective : bool or None
        The trees to choose among; None: those of the treebank.
    """

    families: tuple[str, ...]
    epochs: int
    seed: int
    heads_kept: int | None
    checkpoint: Path | None = None
    projective: bool | None = None

    def record(self, treebank: Treebank) -> dict[str, Any]:
        """The settings of the training, as JSON data: stored with the parser, so that no other request takes it."""
        return {
            "families": list(self.families),
            "epochs": self.epochs,
            "seed": self.seed,
            "heads_kept": self.heads_kept,
            "projective": treebank.projective if self.projective is None else self.projective,
            "sentences": len(treebank.train),
            "digest": treebank.digest,
        }

    def differences(self, parser: ParserModel, treebank: Treebank) -> list[str]:
        """Differences between a stored parser's training and this one; empty if there are none."""
        return [
            f"{name} {parser.training.get(name, 'unknown')}, not {wanted}"
            for name, wanted in self.record(treebank).items()
            if name not in parser.training or parser.training[name] != wanted
        ]


@attrs.frozen
class ParserSource:
    """A source of trained parsers.

    Parameters
    ----------
    train : callable
        ``train(treebank, request, console)``; draws progress, and with ``--verbose`` says how each epoch went.
    load : callable
        ``load(path)``; raises ValueError for what is no stored parser.
    families : sequence of str
        Those that it can train.
    trial : callable
        ``trial(families, projective)``: a short problem with these factors and no scores; a method that does not
        fit it fits no sentence.
    """

    train: Callable[[Treebank, Request, Console], ParserModel]
    load: Callable[[Path], ParserModel]
    families: Sequence[str]
    trial: Callable[[tuple[str, ...], bool], ParsingProblem]
