"""Training loop of all trainers: passes over the examples, the best epoch on dev, checkpoints, Ctrl-C."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Generic, Literal, TypeVar, cast

import attrs
import numpy as np
from numpy.typing import DTypeLike

from gapless.errors import InvalidProblem
from gapless.learn.checkpoint import Checkpoint, fingerprint, sampled_features
from gapless.learn.feature_map import FeatureMap
from gapless.learn.progress import EpochReport, Progress
from gapless.learn.solvers import best_structure, structure_of
from gapless.learn.training_weights import TrainingWeights
from gapless.learn.weights import Weights

X = TypeVar("X")
P = TypeVar("P")
S = TypeVar("S")

Reason = Literal["epochs", "patience", "clean", "interrupted"]
_EVENTS_PER_EPOCH = 20


@attrs.frozen
class Step:
    """Outcome of one example.

    Parameters
    ----------
    loss : float
        Loss of the decoded structure as the trainer measures it; 0 for a right one.
    updates : int
        Number of updates of the weights.
    """

    loss: float = 0.0
    updates: int = 0


RIGHT = Step()


@attrs.frozen(eq=False)
class TrainingResult:
    """The result of a training.

    Parameters
    ----------
    weights : Weights
        Weights of the best epoch on dev; without dev, of the last completed epoch.
    epoch : int
        Number of that epoch, from 1.
    history : tuple of EpochReport
        One report per completed epoch.
    reason : {"epochs", "patience", "clean", "interrupted"}
        Reason for the end: all epochs done; no better dev score for `patience` epochs; an epoch without a mistake;
        Ctrl-C.
    """

    weights: Weights
    epoch: int
    history: tuple[EpochReport, ...]
    reason: Reason


@attrs.frozen(eq=False)
class _PastEpochs:
    """Summary of the completed epochs; replaced as a whole, so that it is consistent on Ctrl-C."""

    history: tuple[EpochReport, ...] = ()
    weights: Weights | None = None
    epoch: int = 0

    @property
    def score(self) -> float:
        score = self.history[self.epoch - 1].score if self.epoch else None
        return -np.inf if score is None else score

    def after(self, report: EpochReport, weights: Weights) -> _PastEpochs:
        history = (*self.history, report)
        # Without a dev score the last epoch counts; of equal scores the first, so that `patience` sees no
        # improvement.
        if report.score is None or report.score > self.score or self.weights is None:
            return _PastEpochs(history, weights, report.epoch)
        return _PastEpochs(history, self.weights, self.epoch)


class Trainer(ABC, Generic[X, P, S]):
    """A learner of weights from examples, by a feature map and a solver only.

    Parameters
    ----------
    features : FeatureMap
    solver : callable, optional
        ``solver(problem) -> structure``, or a `Result` whose best structure is used; by default `gapless.solve`
        with the problem type's default method.
    average : bool
        Whether to return the mean of the weights over all steps (nearly always better) or the last ones.
    dtype : float32 or float64
        Type of the weights during training; float32 halves the memory.
    """

    ends_when_clean: ClassVar[bool] = False
    """Whether an epoch without a mistake implies that no later epoch changes anything."""

    def __init__(
        self,
        features: FeatureMap[X, P, S],
        solver: Callable[[P], S] | None = None,
        *,
        average: bool = True,
        dtype: DTypeLike = np.float64,
    ) -> None:
        if isinstance(features, type):
            raise InvalidProblem(f"features is the class {features.__name__}; pass an instance of it")
        self.features = features
        self.solver = cast("Callable[[P], S]", best_structure) if solver is None else structure_of(solver)
        self.average = average
        self.dtype = np.dtype(dtype)

    @abstractmethod
    def step(self, weights: TrainingWeights, example: X, rng: np.random.Generator, count: int) -> Step:
        """Learn from one example.

        Parameters
        ----------
        weights : TrainingWeights
            Weights to update; `fit` calls `end_step`.
        example : X
        rng : numpy.random.Generator
            The only source of randomness.
        count : int
            Number of training examples.
        """

    def settings(self) -> dict[str, Any]:
        """Return the options that a resumed training must share, as JSON data. Extend it in subclasses."""
        return {"trainer": type(self).__name__, "average": self.average, "dtype": self.dtype.name}

    def fit(
        self,
        examples: Iterable[X],
        dev: Iterable[X] | None = None,
        *,
        scorer: Callable[[Weights, Sequence[X]], float] | None = None,
        epochs: int = 10,
        seed: int = 0,
        patience: int = 3,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = True,
        progress: Callable[[Progress], None] | None = None,
        dev_identity: str | None = None,
    ) -> TrainingResult:
        """Train; the same arguments give the same weights, even after an interruption.

        Parameters
        ----------
        examples : iterable
        dev : iterable, optional
            If given, the epoch with the best score on it is kept.
        scorer : callable, optional
            ``scorer(weights, dev)``, higher is better; by default minus the mean loss of the solver's answers.
        epochs : int
            Limit on the passes over the examples, in random order.
        seed : int
        patience : int
            Number of epochs without a better score on `dev` after which training stops.
        checkpoint : path, optional
            File written atomically after each epoch: a killed training loses only its unfinished epoch.
        resume : bool
            Continue from `checkpoint` if the file exists; False starts again and replaces it.
        progress : callable, optional
            Receives a `Progress` about 20 times per epoch, at its end, and after reading a checkpoint.
        dev_identity : str, optional
            Identity of `dev`, where the examples do not determine it (a scorer that uses other data): a checkpoint
            is continued only with the same identity. By default a digest of features of some `dev` examples if
            there is no scorer, else the length of `dev`.

        Returns
        -------
        TrainingResult
            After Ctrl-C, the best completed epoch.

        Raises
        ------
        InvalidProblem
            There are no examples, `epochs` or `patience` is below 1, or the checkpoint belongs to another training.
        DamagedFile
            The checkpoint cannot be read.
        KeyboardInterrupt
            Ctrl-C came before the first epoch was complete.
        """
        examples = _sequence(examples)
        dev = None if dev is None else _sequence(dev)
        if not len(examples):
            raise InvalidProblem("no training examples: give at least one")
        for name, number in (("epochs", epochs), ("patience", patience)):
            if not isinstance(number, int | np.integer) or isinstance(number, bool):
                raise InvalidProblem(f"{name}={number!r}: must be a whole number")
        if epochs < 1 or patience < 1:
            raise InvalidProblem(f"epochs={epochs}, patience={patience}: both must be at least 1")
        rng = np.random.default_rng(seed)
        weights = TrainingWeights(self.features.blocks, average=self.average, dtype=self.dtype)
        score = self._mean_score if scorer is None else scorer
        report_progress = progress or (lambda _: None)
        past = _PastEpochs()
        settings: dict[str, Any] = {}
        if checkpoint is not None:
            # The best epoch depends on dev, so a checkpoint of another dev set must not be continued.
            identity = sampled_features(self.features, dev) if dev and scorer is None else ""
            if dev_identity is not None:
                identity = hashlib.sha256(dev_identity.encode()).hexdigest()  # it may be a long text
            run_settings = {"seed": seed, "dev": [len(dev or ()), identity]}
            settings = fingerprint(self.features, examples, {**self.settings(), **run_settings})
            stored = Checkpoint.read(checkpoint, settings) if resume else None
            if stored is not None:
                past = _PastEpochs(*stored.restore(weights, rng))
                if len(past.history) > epochs:
                    raise InvalidProblem(
                        f"{os.fspath(checkpoint)}: {len(past.history)} epochs are complete, more than "
                        f"epochs={epochs}; start again with resume=False"
                    )
                report_progress(Progress("resumed", len(past.history), 0, len(examples), past.history[-1]))
        reason: Reason | None = None
        try:
            while (reason := self._reason_to_end(past, epochs, patience)) is None:
                report, average = self._epoch(len(past.history) + 1, weights, examples, rng, report_progress)
                if dev:
                    report = attrs.evolve(report, score=float(score(average, dev)))
                past = past.after(report, average)
                if checkpoint is not None:
                    done = Checkpoint.of(settings, weights, rng, past.history, past.weights, past.epoch)
                    done.write(checkpoint)
                report_progress(Progress("epoch", report.epoch, len(examples), len(examples), report))
        except KeyboardInterrupt:
            # Before the first complete epoch there are no weights to return.
            if past.weights is None:
                raise
            reason = "interrupted"
        assert past.weights is not None
        return TrainingResult(past.weights, past.epoch, past.history, reason)

    def _epoch(
        self,
        epoch: int,
        weights: TrainingWeights,
        examples: Sequence[X],
        rng: np.random.Generator,
        report_progress: Callable[[Progress], None],
    ) -> tuple[EpochReport, Weights]:
        count = len(examples)
        every = max(1, count // _EVENTS_PER_EPOCH)
        updates = wrong = 0
        loss = 0.0
        for done, i in enumerate(rng.permutation(count).tolist(), 1):
            step = self.step(weights, examples[i], rng, count)
            weights.end_step()
            updates += step.updates
            wrong += step.loss > 0
            loss += step.loss
            if done % every == 0 and done < count:
                report_progress(Progress("examples", epoch, done, count, EpochReport(epoch, wrong, updates, loss)))
        return EpochReport(epoch, wrong, updates, loss), weights.average()

    def _reason_to_end(self, past: _PastEpochs, epochs: int, patience: int) -> Reason | None:
        done = len(past.history)
        # Without mistakes no later epoch changes the weights, so patience does not matter.
        if done and self.ends_when_clean and not past.history[-1].wrong:
            return "clean"
        if done and past.history[-1].score is not None and done - past.epoch >= patience:
            return "patience"
        return "epochs" if done >= epochs else None

    def _mean_score(self, weights: Weights, dev: Sequence[X]) -> float:
        losses = (self.features.loss(x, self.solver(self.features.problem(weights, x))) for x in dev)
        return -sum(losses) / len(dev)


def _sequence(examples: Iterable[X]) -> Sequence[X]:
    """Return generators as a list; indexable collections unchanged, so that examples may be read on access."""
    indexed = hasattr(examples, "__getitem__") and hasattr(examples, "__len__")
    return cast("Sequence[X]", examples) if indexed else list(examples)
