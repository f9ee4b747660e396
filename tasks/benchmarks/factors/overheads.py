"""The price of a factor, a limit, an observer: parses with it over the same parses without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

import gapless as gl
from benchmarks.frame.bench import Bench, Measurement
from benchmarks.frame.marks import Marks, line
from benchmarks.frame.turns import Side, time_interleaved
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.roles import ConfigurationFactor, Decisions
from gapless_dependency import AnyOf, Arcs, Grandchild, ParsingProblem, Sibling, Valency

LENGTHS = (14, 20)
FACTOR: Marks = (2.0, 1.2)
PYTHON: Marks = (5.0, 2.0)
LIMIT: Marks = (1.3, 1.05)
HEAD = 1
"""The word whose modifiers the factors look at."""


@attrs.frozen(eq=False)
class Arrays:
    """Scores of arcs (n + 1, n + 1), of grandchildren and siblings (n + 1,) * 3; no problem is made of them yet."""

    arcs: FloatArray
    grandchildren: FloatArray
    siblings: FloatArray

    def problem(self, *more: Any) -> ParsingProblem:
        """Build a new problem with further factors."""
        parts = [Grandchild(self.grandchildren), Sibling(self.siblings)]
        return ParsingProblem(self.arcs, factors=[*parts, *more], projective=True)


class NothingInPython(ConfigurationFactor):
    """Scores 0 whatever the head's modifiers are, and maximises in Python."""

    name: ClassVar[str] = "nothing"

    def scope(self, decisions: Decisions) -> IntArray:
        """Return the arcs from the head as one scope."""
        assert isinstance(decisions, Arcs)
        return np.flatnonzero(decisions.heads == HEAD)

    def value(self, on: BoolArray) -> float:
        """Return 0."""
        return 0.0

    def best(self, weights: FloatArray) -> tuple[float, BoolArray]:
        """Choose every arc of positive weight."""
        on = weights > 0
        return float(weights[on].sum()), on


def sentences(count: int, n: int, seed: int = 0) -> list[Arrays]:
    """Draw scores, without the structure that makes trained models' easy."""
    rng = np.random.default_rng(seed)
    return [
        Arrays(rng.normal(size=(n + 1,) * 2), *rng.normal(scale=0.3, size=(2, n + 1, n + 1, n + 1)))
        for _ in range(count)
    ]


def _factors(n: int) -> dict[str, tuple[Side[Arrays, gl.Result[Any]], Marks]]:
    others = [(HEAD, m) for m in range(1, n + 1) if m != HEAD]
    return {
        "a valency of score 0": (_side(lambda: Valency(HEAD, np.zeros(n + 1))), FACTOR),
        "an OR of score 0": (_side(lambda: AnyOf(others, 0.0)), FACTOR),
        "a Python best of score 0": (_side(NothingInPython), PYTHON),
    }


def _settings() -> dict[str, tuple[Side[Arrays, gl.Result[Any]], Marks]]:
    settings: dict[str, dict[str, Any]] = {
        "limits on iterations": {"limits": gl.Limits(iterations=10**6)},
        "limits on nodes": {"limits": gl.Limits(nodes=10**6)},
        "limits on time": {"limits": gl.Limits(time=1e6)},
        "a gap": {"limits": gl.Limits(relative_gap=1e-12)},
        "a target": {"limits": gl.Limits(target=1e6)},
        "an observer": {"observers": (lambda event: None,)},
        "a trace": {"trace": True},
    }
    return {name: (_side(**options), LIMIT) for name, options in settings.items()}


def _side(make: Callable[[], Any] | None = None, **options: Any) -> Side[Arrays, gl.Result[Any]]:
    def problem(arrays: Arrays) -> ParsingProblem:
        return arrays.problem() if make is None else arrays.problem(make())

    return Side.of(lambda ready: gl.solve(ready, "split-bound", **options), problem)


def overhead_lines(bench: Bench, lengths: Sequence[int] = LENGTHS) -> Iterator[Measurement]:
    """Yield ratios of CPU time from arrays to the certified answer."""
    for n in lengths:
        instances, scores = sentences(bench.seeds, n), f"{n} words"
        for judged in (_factors(n), _settings()):
            sides = {"plain": _side(), **{name: side for name, (side, _) in judged.items()}}
            found = time_interleaved(sides, instances, bench.console, f"{scores}: {len(sides)} ways")
            plain = found.pop("plain").from_arrays
            yield line("grandchildren and siblings", scores, plain.milliseconds, "ms")
            for name, both in found.items():
                for one, other in zip(plain.answers, both.from_arrays.answers, strict=True):
                    if abs(one.value - other.value) > 1e-9:
                        bench.wrong.append(f"{scores}, {name}: {other.value} instead of {one.value}")
                ratio = both.from_arrays.times(plain)
                yield line(f"with {name}, over without", scores, ratio, "x", judged[name][1])
