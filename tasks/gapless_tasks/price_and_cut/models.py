"""The grandparent models of the treebanks: stored ones, or new ones."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import attrs

import gapless as gl
from gapless.cli import Console
from gapless.runs import Fingerprint
from gapless_models.parsing.training import Stage
from gapless_models.parsing.treebank import Treebank
from gapless_models.price_and_cut import PERCEPTRON, GrandparentModel, Training, train
from gapless_tasks.parsing.training_progress import check_training, epoch_progress, load_stored, train_and_store


def short_name(treebank: str) -> str:
    """Return the name of a treebank, which may be a path, in file names of models and answers."""
    return Path(treebank).name.removesuffix(".gz").removesuffix(".conllu")


@attrs.frozen
class Models:
    """The source of trained models.

    Parameters
    ----------
    folder : Path or None
        Each model is stored here under the name of its treebank.
    retrain : bool
        Train although there is a stored one, and replace it.
    epochs, seed : int
        See `Training`.
    overwrite : bool
        Whether `retrain` replaces a file that holds no model.
    """

    folder: Path | None
    retrain: bool
    learner: str
    epochs: int
    seed: int
    overwrite: bool = False

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Models:
        """Read the options; create the folder if it is missing.

        Raises
        ------
        InvalidProblem
            It cannot be made.
        """
        folder = Path(arguments.models) if arguments.models else None
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise gl.InvalidProblem(f"--models {folder}: cannot be used as a folder ({error})") from error
        settings = arguments.learner, arguments.epochs, arguments.seed
        return cls(folder, arguments.train, *settings, overwrite=arguments.overwrite)

    def place(self, treebank: Treebank) -> Path | None:
        """Return the file of a treebank's model."""
        return None if self.folder is None else self.folder / f"{short_name(treebank.name)}.npz"

    def model(self, treebank: Treebank, console: Console) -> GrandparentModel:
        """Load the model of a treebank, or train and store a new one.

        Raises
        ------
        InvalidProblem
            The stored file is none, or was trained in another way; or there is nothing to train on.
        """
        path = self.place(treebank)
        stored = load_stored(
            GrandparentModel.load, "--models", path, retrain=self.retrain, overwrite=self.overwrite
        )
        if stored is not None:
            assert path is not None
            if treebank.train:
                # JSON has lists for the tuples of the options.
                record = json.loads(json.dumps(self._record(treebank)))
                check_training("--models", path, {**stored.training, "treebank": treebank.name}, record)
            console.info(f"{treebank.name}: model of {path}")
            return stored
        model, seconds = train_and_store(
            partial(self._train, treebank, console), treebank, path, f"--models a folder with {path or 'a model'}"
        )
        console.info(f"{treebank.name}: trained in {seconds:.0f} s of CPU time")
        return model

    def _record(self, treebank: Treebank) -> dict[str, Any]:
        """Return the settings of the training as JSON data."""
        options = attrs.asdict(self._training(treebank))
        return {"treebank": treebank.name, "digest": treebank.digest, **options}

    def _training(self, treebank: Treebank) -> Training:
        return Training(single_root=treebank.single_root, learner=self.learner, epochs=self.epochs, seed=self.seed)

    def _train(self, treebank: Treebank, console: Console, checkpoint: Path | None) -> GrandparentModel:
        titles: dict[Stage, str] = {"pruner": f"pruner, {treebank.name}", "parser": f"model, {treebank.name}"}
        with epoch_progress(console, self.epochs, titles, mistakes=self.learner == PERCEPTRON) as progress:
            return train(
                treebank.train,
                treebank.dev,
                self._training(treebank),
                record=self._record(treebank),
                checkpoint=checkpoint,
                progress=progress,
            )


def model_fingerprint(model: GrandparentModel, name: str) -> Fingerprint:
    """Compute a digest of the weights: a run continues only with the same ones."""
    return Fingerprint.of(name, [model.arcs, model.tables.weights, model.projective, model.single_root])
