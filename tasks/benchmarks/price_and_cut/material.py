"""The sentences to measure, and the faults found on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path

import attrs
import numpy as np

from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import UNJUDGED, Marks
from benchmarks.parsing.measurement import prepared
from gapless import InvalidProblem
from gapless.arrays.sparse import FloatArray
from gapless.cli import Console
from gapless_dependency import ParsingProblem
from gapless_models.parsing.treebank import EMBEDDED, Treebank
from gapless_models.price_and_cut.model import GrandparentModel
from gapless_models.price_and_cut.training import Training, train
from gapless_tasks.parsing.sentence_arrays import SentenceArrays

LONG = (31, 40)
"""Words of the sentences that the marks speak of."""
_SHORT = 11
"""Shorter sentences cost a general solver its start-up only."""
_EVERY = 3
"""Peers that take long solve every third sentence."""
_AGREE = 1e-6


@attrs.frozen(eq=False, slots=False)
class Material:
    """One treebank's test part under a trained grandparent model.

    Parameters
    ----------
    fresh : sequence of callable
        Each builds the problem of one sentence, in which only the arcs are scored.
    """

    name: str
    fresh: Sequence[Callable[[], ParsingProblem]]
    bench: Bench

    @classmethod
    def of(cls, treebank: Treebank, models: Path | None, bench: Bench) -> Material:
        """Load the test part of a treebank with the model of its name in the folder `models`."""
        model = model_of(treebank, models, bench.console)
        return cls(treebank.name, [partial(model.problem, sentence) for sentence in treebank.test], bench)

    @cached_property
    def problems(self) -> list[ParsingProblem]:
        """Problems of all sentences with every score looked up, so that only the search is timed."""
        return [prepared(make()) for make in self.fresh]

    @property
    def long(self) -> list[ParsingProblem]:
        """Those of 31 to 40 words."""
        return between(self.problems, *LONG)

    @property
    def some(self) -> list[ParsingProblem]:
        """Every third of those of 11 to 40 words."""
        return between(self.problems, _SHORT, LONG[1])[::_EVERY]

    @cached_property
    def long_arrays(self) -> list[SentenceArrays]:
        """The scores of `long`."""
        return [SentenceArrays.of(problem) for problem in self.long]

    @cached_property
    def some_arrays(self) -> list[SentenceArrays]:
        """The scores of `some`."""
        return [SentenceArrays.of(problem) for problem in self.some]

    def marks(self, must: float, aim: float) -> Marks:
        """Return the marks; none for the embedded treebank, whose sentences are too short for them."""
        return UNJUDGED if self.name == EMBEDDED else (must, aim)

    def fresh_between(self, shortest: int, longest: int) -> list[Callable[[], ParsingProblem]]:
        """Select the makers of the problems of sentences within a range of lengths."""
        pairs = zip(self.fresh, self.problems, strict=True)
        return [make for make, problem in pairs if shortest <= problem.length <= longest]

    def compare(self, what: str, ours: FloatArray, theirs: FloatArray) -> None:
        """Record values that differ by more than 1e-6 of their size; NaN, a missing value, is no difference."""
        far = np.abs(ours - theirs) > _AGREE * np.maximum(1.0, np.abs(theirs))
        if far.any():
            worst = int(np.nanargmax(np.abs(ours - theirs)))
            self.bench.wrong.append(
                f"{self.name}: {int(far.sum())} of {far.size} {what} differ, one by {ours[worst] - theirs[worst]:g}"
            )


def between(problems: Sequence[ParsingProblem], shortest: int, longest: int) -> list[ParsingProblem]:
    """Select the sentences within a range of lengths."""
    return [problem for problem in problems if shortest <= problem.length <= longest]


def model_of(treebank: Treebank, models: Path | None, console: Console) -> GrandparentModel:
    """Load the model of a treebank from the folder `models`; train one for the embedded treebank if missing.

    Raises
    ------
    InvalidProblem
        There is no stored model.
    """
    stored = None if models is None else models / f"{treebank.name}.npz"
    if stored is not None and stored.exists():
        return GrandparentModel.load(stored)
    if treebank.name != EMBEDDED:
        raise InvalidProblem(
            f"there is no model {stored or f'of {treebank.name}'}: train one by gapless run price-and-cut "
            f"--treebank {treebank.name} --models DIR, and give --models DIR"
        )
    console.info("training on the embedded treebank first")
    training = Training(projective=treebank.projective, single_root=treebank.single_root, epochs=2)
    return train(treebank.train, treebank.dev, training)
