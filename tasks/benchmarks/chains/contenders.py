"""The decoders that take turns: our kernels, our public interface, what people use today, and the floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import gapless as gl
from benchmarks.chains.loops import Compiled
from benchmarks.chains.score_set import ScoreSet
from benchmarks.frame import peers
from benchmarks.frame.marks import Spread
from benchmarks.frame.turns import cpu_seconds
from gapless.plugins import load_plugins
from gapless_chains import ChainProblem
from gapless_kernels import DOUBTFUL, dominance, dominance_batch, dominance_tables, viterbi, viterbi_batch

Values = NDArray[np.float64]

VITERBI = "SIMD Viterbi"
DOMINANCE = "dominance"
NUMBA = "numba Viterbi"
HMMLEARN = "hmmlearn Viterbi"
READING = "floor: read the scores once"
ARGMAX = "floor: best label of each token"
PUBLIC = "solve_many, "
"""Begins the names of what runs through the public interface."""
FROM_ARRAYS = "from arrays: "
"""Begins the names of the same decoders with nothing prepared."""
BEAM_WIDTHS = (1, 2, 3, 4, 5)
_LARGEST_EXPONENT = 300.0


@attrs.frozen
class Contender:
    """A decoder of one model's sentences.

    Parameters
    ----------
    decode : callable
        ``decode(scores)`` gives the value of each sentence, (S,); a floor gives nothing. The search alone: what can
        be made of the model's scores is there.
    exact : bool
        Whether the values are the optimal ones.
    from_arrays : callable, optional
        The same from arrays: what is made of the model's scores is made anew, and so is the room to write to. Ours
        leaves a batch of results, whose certificates can be asked for.
    """

    decode: Callable[[ScoreSet], Any]
    exact: bool = True
    from_arrays: Callable[[ScoreSet], Any] | None = None


def kernels(scores: ScoreSet) -> dict[str, Contender]:
    """Make the batch kernels by themselves, in float32."""
    return {VITERBI: Contender(_viterbi_kernel(scores)), DOMINANCE: Contender(_dominance_kernel(scores))}


def public(scores: ScoreSet) -> dict[str, Contender]:
    """Make the methods through `gapless.solve_many`: from arrays of scores to a `BatchResult`."""
    model = scores.model()
    known = load_plugins().registry.methods_for(ChainProblem)

    def through(method: str, *, exact: bool = True, **options: Any) -> Contender:
        def decode(part: ScoreSet) -> Values:
            return gl.solve_many(model.batch(part.unary, part.lengths), method, **options).values

        def from_arrays(part: ScoreSet) -> Values:
            return gl.solve_many(part.model().batch(part.unary, part.lengths), method, **options).values

        return Contender(decode, exact, from_arrays)

    found = {
        f"{PUBLIC}{name}": through(name)
        for name in ("dominance", "viterbi", "viterbi-pruned", "column-generation")
        if name in known and known[name].run_many is not None
    }
    if "beam" in known:
        for width in BEAM_WIDTHS:
            found[beam(width)] = through("beam", exact=False, width=width, bound=False)
    return found


def beam(width: int) -> str:
    """Return the name of beam search of that width."""
    return f"{PUBLIC}beam {width}"


def tables_seconds(scores: ScoreSet) -> Spread:
    """Measure CPU seconds to make the tables that dominance keeps with a model."""
    return Spread.of([cpu_seconds(dominance_tables, scores.transition, np.float32) for _ in range(5)])


def today(scores: ScoreSet, loops: Compiled | None) -> dict[str, Contender]:
    """Make the peers that are installed."""
    found = {}
    if loops is not None:
        found[NUMBA] = Contender(_numba(scores, loops), from_arrays=lambda part: _numba(part, loops)(part))
    if peers.HMMLEARN.installed:
        found[HMMLEARN] = Contender(_hmmlearn(scores), from_arrays=lambda part: _hmmlearn(part)(part))
    return found


def floors(loops: Compiled | None) -> dict[str, Mapping[str, Contender]]:
    """Make the work that no decoder can do without, each in the ways of doing it that are to be compared."""
    reading: dict[str, Contender] = {"numpy": Contender(lambda part: part.unary.max(), exact=False)}
    argmax: dict[str, Contender] = {"numpy": Contender(lambda part: part.unary.argmax(axis=1), exact=False)}
    if loops is not None:
        room, places = np.empty(0, np.float32), np.empty(0, np.int64)

        def read(part: ScoreSet) -> None:
            nonlocal room
            room = _at_least(room, part.tokens)
            loops.row_sums(part.unary, room)

        def choose(part: ScoreSet) -> None:
            nonlocal places
            places = _at_least(places, part.tokens)
            loops.row_argmaxima(part.unary.view(np.int32), places)

        reading["numba"] = Contender(read, exact=False)
        argmax["numba"] = Contender(choose, exact=False)
    return {READING: reading, ARGMAX: argmax}


def _viterbi_kernel(scores: ScoreSet) -> Callable[[ScoreSet], Values]:
    def batch(part: ScoreSet, *found: Any) -> None:
        viterbi_batch(part.unary, part.offsets, scores.transition, scores.initial, scores.final, *found)

    def again(problem: ChainProblem, labels: NDArray[np.int64]) -> float:
        return viterbi(problem.local, problem.transition, labels)

    return _settling(scores, batch, again)


def _dominance_kernel(scores: ScoreSet) -> Callable[[ScoreSet], Values]:
    tables, double_tables = (dominance_tables(scores.transition, dtype) for dtype in (np.float32, np.float64))

    def batch(part: ScoreSet, *found: Any) -> None:
        dominance_batch(part.unary, part.offsets, tables, scores.initial, scores.final, *found)

    def again(problem: ChainProblem, labels: NDArray[np.int64]) -> float:
        kept, dominators = np.empty(problem.unary.shape, bool), np.empty(len(labels), np.int64)
        ends = scores.initial, scores.final
        return dominance(problem.unary, double_tables, *ends, labels, kept, dominators)

    return _settling(scores, batch, again)


def _settling(
    scores: ScoreSet, batch: Callable[..., None], again: Callable[[ChainProblem, NDArray[np.int64]], float]
) -> Callable[[ScoreSet], Values]:
    """Run a float32 kernel, and the float64 one for the sentences that it leaves in doubt."""
    model = scores.model()
    labels = np.empty(0, np.int64)

    def decode(part: ScoreSet) -> Values:
        nonlocal labels
        labels = _at_least(labels, part.tokens)
        values, status = np.empty(part.sentences), np.empty(part.sentences, np.uint8)
        batch(part, labels[: part.tokens], values, status)
        for s in np.flatnonzero(status == DOUBTFUL):
            begin, end = part.offsets[s], part.offsets[s + 1]
            values[s] = again(model.problem(part.unary[begin:end]), labels[begin:end])
        return values

    return decode


def _numba(scores: ScoreSet, loops: Compiled) -> Callable[[ScoreSet], Values]:
    shared = [a.astype(np.float32) for a in (scores.transition, scores.initial, scores.final)]
    messages = np.empty((int(scores.lengths.max()), scores.label_count), np.float32)
    labels = np.empty(0, np.int64)

    def decode(part: ScoreSet) -> Values:
        nonlocal labels
        labels = _at_least(labels, part.tokens)
        values = np.empty(part.sentences, np.float32)
        loops.viterbi(part.unary, part.offsets, *shared, messages, labels, values)
        return values.astype(np.float64)

    return decode


def _hmmlearn(scores: ScoreSet) -> Callable[[ScoreSet], Values]:
    """Make the compiled decoder of hmmlearn.

    It knows no scores of ending, so these are added to the last row; and it takes the logarithms of probabilities,
    so the scores are divided by a number that lets their exponentials exist.
    """
    hmmc = peers.HMMLEARN.load()
    largest = max(float(np.abs(scores.initial).max()), float(np.abs(scores.transition).max()))
    scale = max(1.0, largest / _LARGEST_EXPONENT)
    start, pairs = np.exp(scores.initial / scale), np.exp(scores.transition / scale)

    def decode(part: ScoreSet) -> Values:
        values = np.empty(part.sentences)
        for s in range(part.sentences):
            rows = part.unary[part.offsets[s] : part.offsets[s + 1]].astype(np.float64)
            rows[-1] += scores.final
            values[s], _ = hmmc.viterbi(start, pairs, rows / scale)
        return scale * values

    return decode


def _at_least(room: NDArray[Any], size: int) -> NDArray[Any]:
    """Return room that is used again: fresh memory would be counted page by page."""
    return room if len(room) >= size else np.empty(size, room.dtype)
