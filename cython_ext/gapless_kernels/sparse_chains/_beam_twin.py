"""NumPy twin of the compiled beam search: same signature, same sums in the same order, same answers."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gapless_kernels._status import DECIDED, INFEASIBLE, INVALID
from gapless_kernels.chains._batch_arguments import check_batch
from gapless_kernels.chains._path_value import path_value

__all__ = ["beam_batch"]

Array = npt.NDArray[Any]


def beam_batch(
    unary: Array,
    offsets: npt.NDArray[np.int64],
    transition: npt.NDArray[np.float64],
    initial: npt.NDArray[np.float64] | None,
    final: npt.NDArray[np.float64] | None,
    width: int,
    labels: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    status: npt.NDArray[np.uint8],
) -> None:
    """Decode each of many chains by beam search: only the best `width` prefixes go on at each position.

    Prefixes that end in the same label are recombined, so that a beam as wide as the number of labels is Viterbi's
    search. Among equals the lower label stays. The search is made in the type of `unary`.

    Parameters
    ----------
    unary : (N, K) array of float32 or float64
        Label scores of all sentences, one below the other; finite or ``-inf``.
    offsets : (S+1,) array of int64
        Sentence ``s`` is made of the rows ``offsets[s]`` to ``offsets[s+1] - 1``; rises strictly from 0 to N.
    transition : (K, K) array of float64
        Pair scores, source first, finite or ``-inf``.
    initial, final : (K,) array of float64, or None
        Scores of the first and of the last label.
    width : int
        At least 1.
    labels : (N,) array of int64
        Overwritten with the paths found; -1 for a sentence without one.
    values : (S,) array of float64
        Overwritten with the paths' scores, summed in float64; ``-inf`` where the beam ran dry.
    status : (S,) array of uint8
        Overwritten. DECIDED: a path was found, of unknown quality. INFEASIBLE: the beam ran dry, which proves
        nothing. INVALID: a label score is NaN or plus infinity, and the value is NaN.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If an argument has the wrong shape, `offsets` does not rise from 0 to N, `width` is below 1, or an output
        is read-only.
    """
    check_batch(unary, offsets, transition, initial, final, labels, values, status)
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    pairs = transition.astype(unary.dtype)
    first, last = (None if scores is None else scores.astype(unary.dtype) for scores in (initial, final))
    for s, (begin, end) in enumerate(pairwise(offsets)):
        here = unary[begin:end]
        if not (here < np.inf).all():
            labels[begin:end], values[s], status[s] = -1, np.nan, INVALID
            continue
        path = _search(here, pairs, first, last, width)
        if path is None:
            labels[begin:end], values[s], status[s] = -1, -np.inf, INFEASIBLE
            continue
        labels[begin:end] = path
        values[s], status[s] = path_value(here, transition, initial, final, labels[begin:end]), DECIDED


def _search(
    unary: Array, transition: Array, initial: Array | None, final: Array | None, width: int
) -> list[int] | None:
    beams: list[tuple[Array, Array]] = []
    last = len(unary) - 1
    for i, local in enumerate(unary):
        row = local
        if i == 0 and initial is not None:
            row = local + initial
        if i == last and final is not None:
            row = row + final
        if i > 0:
            members, scores = beams[-1]
            row = row + (scores[:, None] + transition[members]).max(axis=0)
        order = np.argsort(-row, kind="stable")[: 1 if i == last else width]
        retained = np.sort(order[row[order] > -np.inf])
        if not retained.size:
            return None
        beams.append((retained, row[retained]))
    path = [int(beams[-1][0][0])]
    for members, scores in beams[-2::-1]:
        path.append(int(members[(scores + transition[members, path[-1]]).argmax()]))
    return path[::-1]
