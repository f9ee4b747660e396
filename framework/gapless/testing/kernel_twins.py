"""Comparison of compiled kernels with their NumPy twins, bit by bit, on every instruction set of the processor."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

import gapless_kernels

_INPUTS = 20
Kernel = Callable[[Any, np.random.Generator], Sequence[Any]]
"""Function of a kernel's module and a random generator that returns the kernel's output."""


@attrs.define
class TwinTally:
    """Comparison of a kernel with its twin."""

    kernel: str
    compared: int = 0
    different: int = 0
    reason: str = ""


def instruction_sets() -> Sequence[str]:
    """Return the instruction sets available to the kernels, best last; none if the NumPy twins run."""
    if not gapless_kernels.COMPILED:
        return ()
    sets: Sequence[str] = importlib.import_module("gapless_kernels.lanes._sets").instruction_sets()
    return sets


def _scores(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Draw scores with ties, or normal numbers."""
    return rng.integers(-2, 3, shape).astype(np.float64) if rng.random() < 0.5 else rng.normal(size=shape)


def _arcs(rng: np.random.Generator) -> Any:
    words = int(rng.integers(1, 20))
    weights = np.where(rng.random((words + 1, words + 1)) < 0.1, -np.inf, _scores(rng, (words + 1, words + 1)))
    weights[0, 1:] = _scores(rng, (words,))  # finite arcs from the root: some tree exists
    np.fill_diagonal(weights, -np.inf)
    weights[:, 0] = -np.inf
    return weights


def _viterbi(module: Any, rng: np.random.Generator) -> Sequence[Any]:
    n, k = int(rng.integers(1, 12)), int(rng.integers(1, 40))
    labels = np.zeros(n, np.int64)
    return module.viterbi(_scores(rng, (n, k)), _scores(rng, (k, k)), labels), labels


def _dominance(module: Any, rng: np.random.Generator) -> Sequence[Any]:
    n, k = int(rng.integers(1, 12)), int(rng.integers(1, 40))
    unary, transition = _scores(rng, (n, k)), _scores(rng, (k, k))
    labels = np.zeros(n, np.int64)
    tables = module.dominance_tables(transition, np.float64)
    allowed, dominators = np.zeros((n, k), bool), np.zeros(n, np.int64)
    return (module.dominance(unary, tables, None, None, labels, allowed, dominators),)


def _eisner(module: Any, rng: np.random.Generator) -> Sequence[Any]:
    return (module.eisner(_arcs(rng), False)[0],)  # the value only: equally good trees may differ


def _arborescence(module: Any, rng: np.random.Generator) -> Sequence[Any]:
    return (module.arborescence(_arcs(rng), False)[0],)


def _edge_lines(module: Any, rng: np.random.Generator) -> Sequence[Any]:
    text = "".join(
        f"{u}\t{v} {w:.3g}\n" for u, v, w in zip(*rng.integers(0, 99, (2, 9)), rng.random(9), strict=True)
    )
    return tuple(module.parse_edges(text.encode(), 3))


_KERNELS: dict[str, tuple[str, Kernel]] = {
    "Viterbi": ("chains._viterbi", _viterbi),
    "dominance": ("chains._dominance", _dominance),
    "Eisner": ("parsing._eisner", _eisner),
    "Chu-Liu-Edmonds": ("arborescences._arborescence", _arborescence),
    "edge lists": ("graphs._edge_lines", _edge_lines),
}


def compare_kernels(seed: int) -> list[TwinTally]:
    """Compare kernels with their twins; return nothing if the twins themselves run."""
    if not gapless_kernels.COMPILED:
        return []
    return [_compare(name, module, kernel, seed) for name, (module, kernel) in _KERNELS.items()]


def _compare(name: str, module: str, kernel: Kernel, seed: int) -> TwinTally:
    tally = TwinTally(name)
    compiled = importlib.import_module(f"gapless_kernels.{module}")
    twin = importlib.import_module(f"gapless_kernels.{module}_twin")
    choose = importlib.import_module("gapless_kernels.lanes._sets").choose_instruction_set
    for instructions in instruction_sets():
        previous = choose(instructions)
        try:
            for number in range(_INPUTS):
                outputs, expected = (kernel(m, np.random.default_rng([seed, number])) for m in (compiled, twin))
                tally.compared += 1
                if not all(np.array_equal(a, b) for a, b in zip(outputs, expected, strict=True)):
                    tally.different += 1
                    tally.reason = (
                        tally.reason or f"input {number} {instructions}: {outputs[0]!r}, not {expected[0]!r}"
                    )
        finally:
            choose(previous)
    return tally
