"""The two best labellings, and the 0/1-loss margin oracle: another labelling within a margin of the gold one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import attrs
import numpy as np

from gapless import InvalidProblem, UnknownName
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray
from gapless.arrays.spelling_hint import spelling_hint
from gapless_chains.batch import ChainBatch, path_values
from gapless_chains.batch_decoding import KBestLabellings
from gapless_chains.column_generation.method import two_best_in_domains
from gapless_chains.k_best import k_best_of, k_best_of_batch
from gapless_chains.problem import ChainProblem
from gapless_chains.pruning import by_bounds, by_dominance, by_nothing

# A round costs a decoding, and few sentences need the later ones. The last keeps every label.
_MARGINS = (*(4.0**power for power in range(-1, 10)), 1e300)
# Shares of a finite reach. Most sentences show a second labelling early, when few pairs have to be priced.
_SHARES = (1 / 1024, 1 / 256, 1 / 64, 1 / 16, 1 / 4, 1.0)
_FEW = 8
"""With at most this many open sentences, the next round uses the whole reach: more rounds would not pay."""

TwoBest = Callable[[ChainBatch, FloatArray | None, float, IntArray | None], KBestLabellings]
"""Maps a batch, thresholds (S,) or None, a reach, and gold labels (N,) or None to the two best labellings.

Labellings below the threshold are left out. A second labelling may be missing if it scores less than the best minus
the reach, or if the best is not the gold one and so violates the margin itself."""


def _by_column_generation(
    batch: ChainBatch, thresholds: FloatArray | None, reach: float, gold: IntArray | None
) -> KBestLabellings:
    """Find the two best inside domains that keep labels of small negative reduced cost (appendix A.3).

    The necessary allowance is not known, and every label kept must be priced. So the allowance grows for the
    sentences that are still open: those without a second labelling whose best labelling is the gold one.
    """
    pairs = KBestLabellings.none(2, batch.offsets)
    for start, chunk in batch.chunks():
        todo = np.arange(len(chunk))
        margins = list(_MARGINS if reach == np.inf else [share * reach for share in _SHARES])
        while todo.size and margins:
            margin = margins.pop(0)
            if todo.size <= _FEW and reach < np.inf:
                margin = reach
                margins.clear()
            # A later round decodes only the sentences that are still open.
            part = chunk if len(todo) == len(chunk) else batch.model.batch_of([chunk.rows(int(s)) for s in todo])
            labels, values = two_best_in_domains(part, margin)
            for s in np.flatnonzero(np.isnan(values[:, 0])):
                chunk[int(todo[s])]  # raises, with the place
            sentences = start + todo
            moved = np.repeat(batch.offsets[sentences] - part.offsets[:-1], np.diff(part.offsets))
            columns = moved + np.arange(part.tokens)
            pairs.labels[:, columns] = labels
            pairs.values[sentences] = values
            still = (values[:, 1] == -np.inf) & (values[:, 0] > -np.inf)
            if gold is not None:
                still &= np.logical_and.reduceat(labels[0] == gold[columns], part.offsets[:-1])
            todo = todo[still]
    has_solution = pairs.values > (-np.inf if thresholds is None else np.nextafter(thresholds, -np.inf)[:, None])
    has_solution &= pairs.values > -np.inf
    pairs.counts[:] = has_solution.sum(axis=1)
    pairs.values[~has_solution] = -np.inf
    pairs.labels[~np.repeat(has_solution, np.diff(batch.offsets), axis=0).T] = -1
    return pairs


methods: dict[str, TwoBest] = {
    "viterbi": lambda batch, thresholds, _, __: k_best_of_batch(batch, 2, by_nothing, thresholds=thresholds),
    "viterbi-pruned": lambda batch, thresholds, _, __: k_best_of_batch(batch, 2, by_bounds, thresholds=thresholds),
    "dominance": lambda batch, thresholds, _, __: k_best_of_batch(batch, 2, by_dominance, thresholds=thresholds),
    "column-generation": _by_column_generation,
}
"""Ways to find the two best labellings, by the names of the methods for one."""


@attrs.frozen(eq=False)
class MarginViolations:
    """For each sentence of a batch the best labelling within the margin that is not the gold one.

    Parameters
    ----------
    found : bool (S,)
        Whether there is one.
    labels : int64 (N,)
        The labellings, one after another; -1 where there is none.
    values : float64 (S,)
        Their values; minus infinity where there is none.
    gold_values : float64 (S,)
        Values of the gold labellings; minus infinity where they are forbidden.
    offsets : int64 (S+1,)

    Examples
    --------
    >>> import numpy as np
    >>> from gapless_chains import ChainModel, margin_violation
    >>> batch = ChainModel([[0.0, -3.0], [0.0, 0.0]]).batch(np.array([[1.0, 0.0], [0.0, 2.0]]), [2])
    >>> margin_violation(batch, np.array([0, 0]), 1.0).labels
    array([1, 1])
    """

    found: BoolArray
    labels: IntArray
    values: FloatArray
    gold_values: FloatArray
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, sentence: int) -> IntArray | None:
        if not self.found[sentence]:
            return None
        return self.labels[self.offsets[sentence] : self.offsets[sentence + 1]]


def two_best(problem: ChainProblem | ChainBatch, method: str = "dominance") -> KBestLabellings:
    """Find the best and the second best labelling.

    Parameters
    ----------
    problem : ChainProblem or ChainBatch
        One chain counts as a batch of one.
    method : {"dominance", "viterbi-pruned", "viterbi", "column-generation"}
        Method of the search; the values are the same.

    Returns
    -------
    KBest

    Raises
    ------
    UnknownName
        No such method; the message names the nearest.
    InvalidProblem
        Neither a chain nor a batch, or a score is NaN or plus infinity.
    """
    search = _method(method)
    _check_chains(problem)
    if isinstance(problem, ChainBatch):
        return search(problem, None, np.inf, None)
    if problem.transition.ndim == 2:
        return search(ChainBatch.of(problem), None, np.inf, None)
    return _varying(problem)


@overload
def margin_violation(
    problem: ChainProblem, gold: IntArray, margin: float, *, method: str = ...
) -> IntArray | None: ...
@overload
def margin_violation(
    problem: ChainBatch, gold: IntArray, margin: float | FloatArray, *, method: str = ...
) -> MarginViolations: ...
def margin_violation(
    problem: ChainProblem | ChainBatch, gold: IntArray, margin: float | FloatArray, *, method: str = "dominance"
) -> IntArray | MarginViolations | None:
    """Find the best labelling other than `gold` that scores at least ``value(gold) - margin``.

    This is the most violated constraint of a structured SVM with 0/1 loss (Belanger, Passos, Riedel, McCallum
    2012, section 5 and appendix A.3). The answer "no" costs little more than one decoding: one look along the best
    path gives the score of the second best labelling, which is traced only if it is within the margin.

    Parameters
    ----------
    problem : ChainProblem or ChainBatch
    gold : (n,) or (N,) integers
        The labelling, of a batch those of all sentences one after another. A forbidden one scores minus infinity,
        and everything is within its margin.
    margin : float, or float64 (S,) for a batch
        At least 0.
    method : str
        See `two_best`.

    Returns
    -------
    int64 (n,) or None, for a batch `MarginViolations`

    Raises
    ------
    UnknownName
        No such method.
    InvalidProblem
        Neither a chain nor a batch; the gold labelling is none of this problem; the margin is negative, NaN or of
        another shape; or a score is NaN or plus infinity.
    """
    search = _method(method)
    _check_chains(problem)
    _check_margin(problem, margin)
    if isinstance(problem, ChainBatch):
        golden = np.asarray(gold)
        gold_values = path_values(problem, golden)
        pairs = search(problem, gold_values - margin, _reach(margin), golden)
        return _violations(pairs, golden, gold_values)
    lower_limit = problem.value(gold) - float(margin)
    if problem.transition.ndim == 2:
        pair = search(ChainBatch.of(problem), np.array([lower_limit]), _reach(margin), np.asarray(gold))
    else:
        pair = _varying(problem)
    # Best first: the first other labelling within the margin is the most violated constraint (section 5).
    for labels, value in zip(pair.of(0), pair.values[0], strict=False):
        if value >= lower_limit and not np.array_equal(labels, gold):
            return labels
    return None


def _check_chains(problem: Any) -> None:
    if not isinstance(problem, ChainProblem | ChainBatch):
        raise InvalidProblem(f"got a {type(problem).__name__}, expected a ChainProblem or a ChainBatch")


def _check_margin(problem: ChainProblem | ChainBatch, margin: Any) -> None:
    array = np.asarray(margin)
    if array.dtype.kind not in "biuf":
        raise InvalidProblem(f"the margin has dtype {array.dtype}, expected real numbers")
    if array.shape and not (isinstance(problem, ChainBatch) and array.shape == (len(problem),)):
        fits = f"a number or shape {(len(problem),)}" if isinstance(problem, ChainBatch) else "a number"
        raise InvalidProblem(f"the margin has shape {array.shape}, expected {fits}")
    if not np.all(array >= 0):
        raise InvalidProblem(f"the margin is {margin}, it cannot be negative")


def _reach(margin: float | FloatArray) -> float:
    """Return how far below a best labelling that is gold a second best is searched; includes ties."""
    largest = float(np.max(margin, initial=0.0))
    return largest + 1e-6 * (1.0 + largest)


def _violations(pairs: KBestLabellings, gold: IntArray, gold_values: FloatArray) -> MarginViolations:
    lengths = np.diff(pairs.offsets)
    starts = pairs.offsets[:-1]
    if not len(pairs):
        return MarginViolations(np.zeros(0, bool), gold, gold_values, gold_values, pairs.offsets)
    first_is_gold = np.logical_and.reduceat(pairs.labels[0] == gold, starts)
    rank = first_is_gold.astype(np.int64)
    is_violated = pairs.counts > rank
    of_token = np.repeat(rank, lengths)
    labels = np.where(np.repeat(is_violated, lengths), pairs.labels[of_token, np.arange(gold.size)], -1)
    values = np.where(is_violated, pairs.values[np.arange(len(pairs)), rank], -np.inf)
    return MarginViolations(is_violated, labels, values, gold_values, pairs.offsets)


def _varying(problem: ChainProblem) -> KBestLabellings:
    """Find the two best labellings of a chain whose transitions vary; no pruning applies."""
    best, values = k_best_of(problem.local, problem.transition, 2, {})
    labels, scores = np.full((2, problem.positions), -1), np.full((1, 2), -np.inf)
    labels[: len(best)], scores[0, : len(best)] = best, values
    return KBestLabellings(labels, scores, np.array([len(best)]), np.array([0, problem.positions]))


def _method(name: str) -> TwoBest:
    if name not in methods:
        raise UnknownName(f"two best labellings cannot be found by {name!r}{spelling_hint(name, methods)}")
    return methods[name]
