"""One call of `solve_many` on some thousands of tokens beside its kernel, for each instruction set."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np

import gapless as gl
from benchmarks.chains.contenders import DOMINANCE, VITERBI, kernels
from benchmarks.chains.score_set import ScoreSet
from benchmarks.chains.stopwatch import Seconds
from benchmarks.frame.fresh_process import in_new_process
from benchmarks.frame.turns import cpu_seconds
from gapless_kernels import INSTRUCTION_SET

SETS = ("avx512", "avx2")
"""Best first."""
_VARIABLE = "GAPLESS_SIMD"
_CALLS = 5
"""Calls of each in a round; their median counts."""

try:
    import resource
except ImportError:  # not on this system: page faults are not counted
    resource = None  # type: ignore[assignment]


@attrs.frozen(eq=False)
class Call:
    """The cost of one call, and its parts.

    Parameters
    ----------
    instruction_set : str
        That the kernels used.
    call, kernel, viterbi : float64 (rounds,)
        CPU seconds of ``solve_many(batch, "dominance")``, of the dominance kernel, and of the Viterbi kernel, which
        write to memory that they used before.
    page_faults : float or None
        Pages of fresh memory that one call touches, whose results are kept, median; None without a count.
    """

    instruction_set: str
    tokens: int
    call: Seconds
    kernel: Seconds
    viterbi: Seconds
    page_faults: float | None


def measured(stored: Path, tokens: int, rounds: int) -> tuple[Call, ...]:
    """Measure on the scores of a file, in a process of its own for each instruction set that may be used."""
    calls = []
    for name in SETS[SETS.index(INSTRUCTION_SET) :] if INSTRUCTION_SET in SETS else (INSTRUCTION_SET,):
        before = os.environ.get(_VARIABLE)
        if name in SETS:
            os.environ[_VARIABLE] = name
        try:
            calls.append(in_new_process(one_call, stored, tokens, rounds))
        finally:
            if before is None:
                os.environ.pop(_VARIABLE, None)
            else:
                os.environ[_VARIABLE] = before
    return tuple(calls)


def one_call(stored: Path, tokens: int, rounds: int) -> Call:
    """Time other sentences in every round; the scores come from memory."""
    scores = ScoreSet.load(stored)
    model, begin = scores.model(), 0
    decoders = kernels(scores)
    call, kernel, viterbi = np.empty((3, rounds))
    faults: list[int] = []
    kept: list[object] = []
    for number in range(-1, rounds):
        seen: dict[str, list[float]] = {"call": [], "kernel": [], "viterbi": []}
        for _ in range(_CALLS):
            part = scores.holding(tokens, begin)
            begin = (begin + part.sentences) % scores.sentences
            batch = model.batch(part.unary, part.lengths)
            works: dict[str, Callable[[], object]] = {
                "call": lambda batch=batch: gl.solve_many(batch, "dominance"),  # type: ignore[misc]
                "kernel": lambda part=part: decoders[DOMINANCE].decode(part),  # type: ignore[misc]
                "viterbi": lambda part=part: decoders[VITERBI].decode(part),  # type: ignore[misc]
            }
            for name, work in works.items():
                float(part.unary.sum())  # all find the scores in the same caches
                before = _faults()
                seen[name].append(cpu_seconds(lambda work=work: kept.append(work())) / part.tokens)
                if name == "call" and number >= 0:
                    faults.append(_faults() - before)
        if number >= 0:
            for name, row in (("call", call), ("kernel", kernel), ("viterbi", viterbi)):
                row[number] = np.median(seen[name])
        kept.clear()
    return Call(
        INSTRUCTION_SET, tokens, call, kernel, viterbi, None if resource is None else float(np.median(faults))
    )


def _faults() -> int:
    return 0 if resource is None else int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
