"""Everything that is measured on the scores of one model."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import numpy as np

from benchmarks.chains import contenders, memory, one_call, single_call, stopwatch, synthetic
from benchmarks.chains.contenders import FROM_ARRAYS, Contender
from benchmarks.chains.loops import Compiled
from benchmarks.chains.one_call import Call
from benchmarks.chains.score_set import ScoreSet
from benchmarks.chains.stopwatch import Seconds
from benchmarks.frame.marks import Spread
from gapless_kernels import viterbi_batch


@attrs.frozen
class Effort:
    """The amount of measuring.

    Parameters
    ----------
    rounds : int
        Turns of each contender.
    budget : float
        Seconds of a turn, for those that would take longer.
    cold_bytes : int
        The streamed scores are at least that large: a few times what caches hold.
    warm_bytes : int
        The cycled ones at most that: half of what a core's own cache holds.
    call_tokens : int
        Of one call whose cost is measured beside its kernel's.
    """

    rounds: int = 7
    budget: float = 0.4
    cold_bytes: int = 96 << 20
    warm_bytes: int = 512 << 10
    call_tokens: int = 10_000

    @classmethod
    def quick(cls) -> Effort:
        """Return the least effort that runs every measurement."""
        return cls(rounds=2, budget=0.01, cold_bytes=0, warm_bytes=64 << 10, call_tokens=200)


@attrs.frozen
class Measured:
    """The measurements on one model's scores.

    Parameters
    ----------
    streamed, cycled : mapping of str to array of float64, shape (rounds,)
        CPU seconds a token of each contender's search alone, with the scores coming from memory or staying in the
        caches.
    from_arrays : mapping of str to array of float64, shape (rounds,)
        CPU seconds a token from arrays, with the scores coming from memory.
    calls : tuple of Call
        The cost of one call of `solve_many` beside its kernel, for each instruction set that may be used.
    unprunable : mapping of str to mapping
        For scores that pruning helps little with: seconds a token of the kernels.
    tables : Spread
        CPU seconds to make the dominance tables of the model.
    overhead : Spread or None
        CPU seconds that one call of `gapless.solve` takes beyond the kernel's work.
    memory : Memory
        Of the default method.
    accuracy : float or None
        Share of gold labels that the optimum has; None for drawn scores.
    disagreements : tuple of str
        Contenders whose values were not the optimal ones; empty, or something is broken.
    """

    scores: ScoreSet
    streamed: Mapping[str, Seconds]
    cycled: Mapping[str, Seconds]
    from_arrays: Mapping[str, Seconds]
    calls: tuple[Call, ...]
    unprunable: Mapping[str, Mapping[str, Seconds]]
    tables: Spread
    overhead: Spread | None
    memory: memory.Memory
    accuracy: float | None
    disagreements: tuple[str, ...]


def measure_scores(
    scores: ScoreSet, loops: Compiled | None, effort: Effort, say: Callable[[str], None]
) -> Measured:
    """Measure one model's scores.

    Parameters
    ----------
    loops : Compiled, optional
        The baselines that numba compiles; None leaves their rows out.
    say : callable
        Called with a description of each step.
    """
    say(f"{scores.name}: comparing the values")
    everyone = {**contenders.kernels(scores), **contenders.public(scores), **contenders.today(scores, loops)}
    disagreements, accuracy = _check(scores, everyone, effort)
    floors = contenders.floors(loops)
    decoders: dict[str, stopwatch.Decode] = {name: one.decode for name, one in everyone.items()}
    decoders |= {f"{floor} ({way})": one.decode for floor, ways in floors.items() for way, one in ways.items()}

    size = scores.unary.nbytes
    cold = scores.repeated(max(1, -(-effort.cold_bytes // size)))
    say(f"{scores.name}: streaming {cold.unary.nbytes >> 20} MB")
    anew = {f"{FROM_ARRAYS}{name}": one.from_arrays for name, one in everyone.items() if one.from_arrays}
    both = stopwatch.cold_cache_seconds(decoders | anew, cold, effort.rounds, effort.budget)
    from_arrays = {name.removeprefix(FROM_ARRAYS): both.pop(name) for name in anew}
    streamed = _floor_of(both, floors)
    say(f"{scores.name}: cycling {effort.warm_bytes >> 10} kB")
    warm = _a_few(scores, effort.warm_bytes)
    cycled = _floor_of(stopwatch.warm_cache_seconds(decoders, warm, effort.rounds), floors)

    unprunable = {}
    part = cold.holding(max(200, int(effort.budget * 2e7 / scores.label_count)))
    for name, change in synthetic.UNPRUNABLE.items():
        say(f"{scores.name}: {name} scores")
        changed = change(part)
        ours = {key: one.decode for key, one in contenders.kernels(changed).items()}
        unprunable[name] = stopwatch.cold_cache_seconds(ours, changed, effort.rounds, effort.budget)

    say(f"{scores.name}: single calls, memory")
    with tempfile.TemporaryDirectory() as folder:
        stored = Path(folder) / "scores.npz"
        cold.save(stored)
        used = memory.measured(cold, None, stored)
        calls = one_call.measured(stored, effort.call_tokens, effort.rounds)
    return Measured(
        scores,
        streamed,
        cycled,
        from_arrays,
        calls,
        unprunable,
        contenders.tables_seconds(scores),
        single_call.overhead(scores, 10 * effort.rounds),
        used,
        accuracy if (scores.gold >= 0).any() else None,
        disagreements,
    )


def _check(scores: ScoreSet, everyone: Mapping[str, Contender], effort: Effort) -> tuple[tuple[str, ...], float]:
    """Compare every contender's values with float64 Viterbi on as many sentences as the slow ones can do."""
    labels, best = np.empty(scores.tokens, np.int64), np.empty(scores.sentences)
    unary, status = scores.unary.astype(np.float64), np.empty(scores.sentences, np.uint8)
    viterbi_batch(unary, scores.offsets, scores.transition, scores.initial, scores.final, labels, best, status)
    part = scores.holding(max(64, int(effort.budget * 4e7 / scores.label_count**2)))
    best = best[: part.sentences]
    # The value may be that of another path whose score rounds to the same in float32.
    lost = 1e-5 * (1 + float(np.abs(best).max()))
    wrong = []
    for name, one in everyone.items():
        for decode in filter(None, (one.decode, one.from_arrays)):
            values = decode(part)
            if (np.abs(values - best) > lost).any() if one.exact else (values > best + lost).any():
                wrong.append(name)
                break
    return tuple(wrong), float((labels == scores.gold).mean())


def _a_few(scores: ScoreSet, size: int) -> ScoreSet:
    """Select at least two sentences of about `size` bytes together, if there are two."""
    few = scores.holding(size // (4 * scores.label_count))
    return few if few.sentences > 1 else scores.between(0, min(2, scores.sentences))


def _floor_of(seen: dict[str, Seconds], floors: Mapping[str, Mapping[str, Contender]]) -> dict[str, Seconds]:
    """Keep the fastest way for each floor."""
    for floor, ways in floors.items():
        times = [seen.pop(f"{floor} ({way})") for way in ways]
        seen[floor] = min(times, key=lambda one: float(np.median(one)))
    return seen


def ratio(seconds: Mapping[str, Seconds], slower: str, faster: str) -> Spread | None:
    """Compute the ratio of the times of `slower` and `faster` per round; None if either was not measured."""
    if slower not in seconds or faster not in seconds:
        return None
    return Spread.of(seconds[slower] / seconds[faster])
