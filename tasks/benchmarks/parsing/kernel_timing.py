"""CPU time of the tree kernels on trained arc scores, beside a peer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import gapless as gl
import gapless_kernels
from benchmarks.frame.marks import Spread
from benchmarks.frame.peers import UFAL
from benchmarks.frame.turns import Both, cpu_seconds, measure_rounds
from gapless.arrays.sparse import FloatArray
from gapless_dependency import ParsingProblem

_SHORTEST = 0.02
"""Seconds of a turn; shorter work is repeated."""


Kernel = Callable[[FloatArray], object]


def weights_of(problems: Sequence[ParsingProblem], shortest: int, longest: int) -> list[FloatArray]:
    """Select arc scores of the sentences within a range of lengths, each (n + 1, n + 1)."""
    return [np.ascontiguousarray(p.scores) for p in problems if shortest <= p.length <= longest]


def seconds(kernels: dict[str, tuple[Kernel, Sequence[FloatArray]]], rounds: int) -> dict[str, FloatArray]:
    """Measure CPU seconds a call of each kernel, (rounds,), calls from Python included."""
    works: dict[str, Callable[[], float]] = {}
    for name, (kernel, weights) in kernels.items():
        once = _turn(kernel, weights, 1)
        works[name] = partial(_turn, kernel, weights, max(1, int(_SHORTEST / max(once * len(weights), 1e-9))))
    return measure_rounds(works, rounds)


def _turn(kernel: Kernel, weights: Sequence[FloatArray], repeats: int) -> float:
    def work() -> None:
        for _ in range(repeats):
            for one in weights:
                kernel(one)

    return cpu_seconds(work) / (repeats * len(weights))


def eisner_microseconds(weights: Sequence[FloatArray], rounds: int) -> Spread | None:
    """Time Eisner's inside pass with its tree."""
    if not weights:
        return None
    times = seconds({"eisner": (lambda w: gapless_kernels.eisner(w, True), weights)}, rounds)
    return Spread.of(times["eisner"] * 1e6)


def arborescence_timing(weights: Sequence[FloatArray], rounds: int) -> tuple[Spread | None, Spread | None]:
    """Time the best tree with reduced costs, and with max-marginals, in microseconds; None where there is nothing.

    Several roots are allowed, as ufal allows them. Reduced costs bound the max-marginals of all arcs; a threshold
    that no tree reaches leaves it at them.
    """
    if not weights:
        return None, None
    kernels: dict[str, tuple[Kernel, Sequence[Any]]] = {
        "reduced": (lambda w: gapless_kernels.arborescence_max_marginals(w, False, np.inf), weights),
        "exact": (lambda w: gapless_kernels.arborescence_max_marginals(w, False), weights),
    }
    times = seconds(kernels, rounds)
    return Spread.of(times["reduced"] * 1e6), Spread.of(times["exact"] * 1e6)


def beside_ufal(weights: Sequence[FloatArray], rounds: int) -> tuple[Both[None], Both[None]] | None:
    """Measure ours and ufal's times for the best tree, over the rounds; None where it cannot be measured.

    From arrays, ours is a `ParsingProblem` solved to a certificate, ufal's the array turned as it wants it; the
    searches alone are the kernels.
    """
    if not UFAL.installed or not weights:
        return None
    ufal_parse = UFAL.load().chu_liu_edmonds
    turned = [_ufal(w) for w in weights]
    times = seconds(
        {
            "ours": (lambda w: gl.solve(ParsingProblem(w, single_root=False)), weights),
            "ufal": (lambda w: ufal_parse(_ufal(w)), weights),
            "our kernel": (lambda w: gapless_kernels.arborescence(w, False), weights),
            "ufal's kernel": (ufal_parse, turned),
        },
        rounds,
    )
    return Both.of(times["ours"], times["our kernel"]), Both.of(times["ufal"], times["ufal's kernel"])


def disagreements(weights: Sequence[FloatArray]) -> int:
    """Count the trees whose values by our oracle and by ufal's differ by more than rounding."""
    if not UFAL.installed:
        return 0
    ufal_parse = UFAL.load().chu_liu_edmonds
    wrong = 0
    for one in weights:
        heads, _ = ufal_parse(_ufal(one))
        theirs = sum(one[h, m] for m, h in enumerate(heads) if m)
        ours, _ = gapless_kernels.arborescence(one, False)
        wrong += abs(ours - theirs) > 1e-9 * max(1.0, abs(ours))
    return int(wrong)


def _ufal(weights: FloatArray) -> FloatArray:
    """As ufal wants it: [modifier, head], and large negative numbers for what is forbidden."""
    finite = np.where(np.isfinite(weights), weights, -1e9)
    return np.ascontiguousarray(finite.T)
