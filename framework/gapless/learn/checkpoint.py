"""The state of a training between two epochs, in a file from which it continues bit by bit."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.errors import InvalidProblem
from gapless.learn.archive import DamagedFile, read_archive, write_archive
from gapless.learn.feature_map import FeatureMap
from gapless.learn.progress import EpochReport
from gapless.learn.training_weights import TrainingWeights
from gapless.learn.weights import Weights

KIND = "checkpoint"
_BEST = "best"
_SAMPLED = 16


def fingerprint(
    features: FeatureMap[Any, Any, Any], examples: Sequence[Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Collect the properties that a continued training must share: settings, blocks and (sampled) examples."""
    blocks = {name: list(shape) for name, shape in features.blocks.items()}
    sampled = sampled_features(features, examples)
    return {**settings, "blocks": blocks, "examples": len(examples), "sampled features": sampled}


def sampled_features(features: FeatureMap[Any, Any, Any], examples: Sequence[Any]) -> str:
    """Compute a digest of the gold features of a sample of the examples."""
    digest = hashlib.sha256()
    # Evenly spread over the examples, first and last included: a full pass could take as long as an epoch.
    for i in np.unique(np.linspace(0, len(examples) - 1, _SAMPLED).astype(int)).tolist():
        vector = features.features(examples[i], features.gold(examples[i])).merged()
        for name, (indices, values) in sorted(vector.parts.items()):
            digest.update(name.encode() + indices.tobytes() + values.tobytes())
    return digest.hexdigest()


@attrs.frozen(eq=False)
class Checkpoint:
    """A training after a completed epoch.

    `data`: JSON data: settings, history, random state, number of the best epoch. `arrays`: the current weights, and
    those of the best epoch.
    """

    data: dict[str, Any]
    arrays: dict[str, NDArray[Any]]

    @classmethod
    def of(
        cls,
        settings: Mapping[str, Any],
        weights: TrainingWeights,
        rng: np.random.Generator,
        history: Sequence[EpochReport],
        best: Weights | None,
        best_epoch: int,
    ) -> Checkpoint:
        """Make the input of `restore`; it shares the arrays of the weights, so write it before they change."""
        arrays, scales = weights.state()
        data = {
            "settings": settings,
            "weights": scales,
            "random": rng.bit_generator.state,
            "history": [attrs.asdict(report) for report in history],
            "best_epoch": best_epoch,
        }
        # The average after the last epoch follows from the rest and need not be stored twice.
        extra = {} if best is None or best_epoch == len(history) else {_BEST: best.values}
        return cls(data, {**arrays, **extra})

    def write(self, path: str | os.PathLike[str]) -> None:
        """Replace the file atomically."""
        write_archive(path, KIND, self.arrays, self.data)

    @classmethod
    def read(cls, path: str | os.PathLike[str], settings: Mapping[str, Any]) -> Checkpoint | None:
        """Read the stored training; None if there is no file.

        Raises `DamagedFile`: the file cannot be read. `InvalidProblem`: the file was made under other settings; the
        message names them.
        """
        if not Path(path).exists():
            return None
        arrays, data = read_archive(path, KIND)
        stored = data.get("settings", {})
        # Refused, not replaced: the file may be the only copy of another training.
        different = sorted(k for k in {*stored, *settings} if stored.get(k) != settings.get(k))
        if different:
            raise InvalidProblem(
                f"{os.fspath(path)}: this checkpoint is of another training, which differs in: "
                f"{', '.join(different)}; "
                "use another file, or start again with resume=False"
            )
        return cls(data, arrays)

    def restore(
        self, weights: TrainingWeights, rng: np.random.Generator
    ) -> tuple[tuple[EpochReport, ...], Weights, int]:
        """Set the weights and the random state; return history, best weights and the best epoch."""
        try:
            weights.restore(self.arrays, self.data["weights"])
            rng.bit_generator.state = self.data["random"]
            history = tuple(EpochReport(**report) for report in self.data["history"])
            best_epoch = int(self.data["best_epoch"])
            if not 1 <= best_epoch <= len(history):
                raise ValueError(f"epoch {best_epoch} of {len(history)} cannot be the best")
            best = weights.average() if best_epoch == len(history) else Weights(weights.blocks, self.arrays[_BEST])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise DamagedFile(f"this checkpoint contradicts itself ({error}); use resume=False") from error
        return history, best, best_epoch
