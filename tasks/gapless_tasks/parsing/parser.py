"""Trained parsers as the job sees them, and their sources: those of `gapless_models.parsing`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.cli import Console
from gapless_dependency import ParsingProblem
from gapless_models.parsing.families import FAMILIES
from gapless_models.parsing.parser_model import FirstOrder, ParserModel, all_arcs
from gapless_models.parsing.parts import factor_of
from gapless_models.parsing.patterns import PATTERN, PatternFactor
from gapless_models.parsing.training import Options, train
from gapless_models.parsing.treebank import Treebank
from gapless_tasks.parsing.training_progress import check_training, epoch_progress, load_stored, train_and_store


@attrs.frozen
class Request:
    """Settings of a training to be done.

    Parameters
    ----------
    families : tuple of str
        Names among `ParserSource.families`.
    max_heads : int or None
        Candidate heads in training; gold ones are always among them.
    checkpoint : Path or None
        The file for finished epochs until the parser is stored.
    projective : bool or None
        The trees to choose among; None: those of the treebank.
    """

    families: tuple[str, ...]
    epochs: int
    seed: int
    max_heads: int | None
    checkpoint: Path | None = None
    projective: bool | None = None

    @classmethod
    def of(cls, arguments: argparse.Namespace, families: tuple[str, ...]) -> Request:
        """Build the request of the final options."""
        return cls(families, arguments.epochs, arguments.seed, arguments.max_heads, projective=arguments.projective)

    def record(self, treebank: Treebank) -> dict[str, Any]:
        """Return the settings of the training as JSON data, by which stored parsers are compared with requests."""
        return {
            "families": list(self.families),
            "epochs": self.epochs,
            "seed": self.seed,
            "max_heads": self.max_heads,
            "projective": treebank.projective if self.projective is None else self.projective,
            "sentences": len(treebank.train),
            "digest": treebank.digest,
        }


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

    def stored(self, place: Path | None, arguments: argparse.Namespace, console: Console) -> ParserModel | None:
        """Load the parser of a file; return None if there is none, or if a new one is to replace it.

        Raises
        ------
        InvalidProblem
            The file is no stored parser.
        """
        loaded = load_stored(self.load, "--model", place, retrain=arguments.train, overwrite=arguments.overwrite)
        if loaded is not None:
            console.info(f"parser of {place}: {_named(loaded.families)}")
        return loaded

    def trained(self, treebank: Treebank, request: Request, place: Path | None, console: Console) -> ParserModel:
        """Train a parser, and store it if it has a file.

        Raises
        ------
        InvalidProblem
            There is nothing to train on.
        """

        def train(checkpoint: Path | None) -> ParserModel:
            return self.train(treebank, attrs.evolve(request, checkpoint=checkpoint), console)

        parser, seconds = train_and_store(train, treebank, place, "--model a stored parser")
        console.info(f"trained with {_named(request.families)} in {seconds:.0f} s of CPU time")
        return parser

    def parser(
        self,
        treebank: Treebank,
        request: Request,
        place: Path | None,
        arguments: argparse.Namespace,
        console: Console,
    ) -> ParserModel:
        """Load the parser of a request from its file, if it was trained in that way, or train a new one.

        Raises
        ------
        InvalidProblem
            The file is no stored parser, or one that was trained in another way; there is nothing to train on.
        """
        stored = self.stored(place, arguments, console)
        if stored is None:
            return self.trained(treebank, request, place, console)
        assert place is not None
        check_training("--model", place, stored.training, request.record(treebank))
        return stored


def _named(families: Sequence[str]) -> str:
    return ", ".join(families) if families else "arcs only"


class Trainer:
    """Trainer of parsers; all of one treebank share a pruner."""

    def __init__(self) -> None:
        self._pruners: dict[tuple[object, ...], FirstOrder] = {}

    def __call__(self, treebank: Treebank, request: Request, console: Console) -> ParserModel:
        """Train one parser.

        A projective parser learns from the trees without crossing arcs. The epoch that parses the development part
        best is kept.

        Raises
        ------
        InvalidProblem
            There is nothing to learn from.
        """
        record = request.record(treebank)
        projective = record["projective"]
        options = Options(
            families=request.families,
            projective=projective,
            single_root=treebank.single_root,
            epochs=request.epochs,
            seed=request.seed,
            max_heads=request.max_heads,
        )
        learnt = treebank.without_crossing() if projective else treebank
        if not learnt.train:
            raise gl.InvalidProblem(f"--treebank {treebank.name}: no training sentence has a projective tree")
        key = (record["digest"], projective, request.max_heads, request.epochs, request.seed)
        with epoch_progress(console, request.epochs) as progress:
            model = train(
                learnt.train,
                learnt.dev,
                options,
                pruner=self._pruners.get(key),
                checkpoint=request.checkpoint,
                progress=progress,
            )
        if model.pruner is not None:
            self._pruners[key] = model.pruner
        return attrs.evolve(model, training=record)


def trial(families: tuple[str, ...], projective: bool) -> ParsingProblem:
    """Build a problem of five words with these factors and no scores."""
    candidates = all_arcs(5)
    a_pattern = PatternFactor(np.array([[[0, 1], [1, 2]]]), np.zeros(1))
    return ParsingProblem(
        np.where(candidates, 0.0, -np.inf),
        factors=[
            a_pattern if name == PATTERN else factor_of(name, candidates, lambda parts: np.zeros(len(parts)))
            for name in families
        ],
        projective=projective,
    )


SOURCE = ParserSource(Trainer(), ParserModel.load, (*FAMILIES, PATTERN), trial)
