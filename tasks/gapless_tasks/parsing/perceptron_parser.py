"""The parsers of `gapless_models.parsing` for the job: trained with the structured decoder in the loop."""

from __future__ import annotations

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
from gapless_models.parsing.treebank import Treebank, is_crossing
from gapless_tasks.parsing.parser import ParserSource, Request
from gapless_tasks.parsing.training_progress import epoch_progress


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
        sentences, dev = (
            [s for s in part if not (projective and is_crossing(s))] for part in (treebank.train, treebank.dev)
        )
        if not sentences:
            raise gl.InvalidProblem(f"--treebank {treebank.name}: no training sentence has a projective tree")
        key = (record["digest"], projective, request.max_heads, request.epochs, request.seed)
        with epoch_progress(console, request.epochs) as progress:
            model = train(
                sentences,
                dev,
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
