"""The grandparent models of the treebanks: stored ones, or new ones."""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any

import attrs

import gapless as gl
from gapless.cli import Console
from gapless.cli.outputs import check_output
from gapless.learn.archive import is_archive
from gapless.runs import Fingerprint
from gapless_models.parsing.training import PRUNER_EPOCHS
from gapless_models.parsing.treebank import Treebank
from gapless_models.price_and_cut import PERCEPTRON, GrandparentModel, Training, train, train_pruner
from gapless_models.price_and_cut.model import KIND
from gapless_tasks.parsing.training_progress import forget_checkpoints, told


def short_name(treebank: str) -> str:
    """The name of a treebank, which may be a path, in file names of models and answers."""
    return Path(treebank).name.removesuffix(".gz").removesuffix(".conllu")


@attrs.frozen
class Models:
    """The source of trained models.

    Parameters
    ----------
    folder : Path or None
        Each model is stored here under the name of its treebank.
    anew : bool
        Train although there is a stored one, and replace it.
    epochs, seed : int
        See `Training`.
    overwrite : bool
        Whether `anew` replaces a file that holds no model.
    """

    folder: Path | None
    anew: bool
    learner: str
    epochs: int
    seed: int
    overwrite: bool = False

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Models:
        """As the options say; the folder is made if it is missing.

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
        """The file of a treebank's model."""
        return None if self.folder is None else self.folder / f"{short_name(treebank.name)}.npz"

    def model(self, treebank: Treebank, console: Console) -> GrandparentModel:
        """The model of a treebank: the stored one, or a new one, which is then stored.

        Raises
        ------
        InvalidProblem
            The stored file is none, or was trained in another way; or there is nothing to train on.
        """
        place = self.place(treebank)
        if place is not None and place.exists() and not self.anew:
            return self._stored(place, treebank, console)
        if place is not None:
            self.check(place)
        if not treebank.train:
            raise gl.InvalidProblem(
                f"--treebank {treebank.name} has no training part: give --models a folder with {place or 'a model'}"
            )
        return self._trained(place, treebank, console)

    def check(self, place: Path) -> None:
        """Raise `InvalidProblem` if a model must not be stored in `place`; see `check_output`."""
        check_output(place, partial(is_archive, kind=KIND), overwrite=self.overwrite)

    def _record(self, treebank: Treebank) -> dict[str, Any]:
        """The settings of the training, as JSON data."""
        options = attrs.asdict(self._training(treebank))
        return {"treebank": treebank.name, "digest": treebank.digest, **options}

    def _training(self, treebank: Treebank) -> Training:
        return Training(single_root=treebank.single_root, learner=self.learner, epochs=self.epochs, seed=self.seed)

    def _stored(self, place: Path, treebank: Treebank, console: Console) -> GrandparentModel:
        try:
            model = GrandparentModel.load(place)
        except ValueError as error:
            raise gl.InvalidProblem(f"--models {error}") from error
        record = self._record(treebank) if treebank.train else {}
        different = [
            f"{name} {model.training.get(name, 'unknown')}, not {wanted}"
            for name, wanted in record.items()
            if name != "treebank" and model.training.get(name) != wanted
        ]
        if different:
            raise gl.InvalidProblem(
                f"--models: {place} was trained in another way ({'; '.join(different)}); give the same options, "
                "remove the file, or use --train"
            )
        console.say(f"{treebank.name}: model of {place}")
        return model

    def _trained(self, place: Path | None, treebank: Treebank, console: Console) -> GrandparentModel:
        checkpoint = None if place is None else Path(f"{place}.epochs")
        training = self._training(treebank)
        start = time.process_time()
        parts = treebank.train, treebank.dev
        count = len(treebank.train)
        with told(console, f"pruner, {treebank.name}", PRUNER_EPOCHS * count, mistakes=False) as progress:
            pruner = train_pruner(*parts, training, checkpoint=checkpoint, progress=progress)
        counted = self.learner == PERCEPTRON
        with told(console, f"model, {treebank.name}", training.epochs * count, mistakes=counted) as progress:
            model = train(
                *parts,
                training,
                pruner=pruner,
                record=self._record(treebank),
                checkpoint=checkpoint,
                progress=progress,
            )
        if place is not None:
            model.save(place)
            forget_checkpoints(place)
        console.say(f"{treebank.name}: trained in {time.process_time() - start:.0f} s of CPU time")
        return model


def model_fingerprint(model: GrandparentModel, name: str) -> Fingerprint:
    """A digest of the weights: a run continues under the same ones only."""
    return Fingerprint.of(name, [model.arcs, model.tables.weights, model.projective, model.single_root])
