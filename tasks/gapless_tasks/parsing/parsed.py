"""Trees of a part, counted one by one: answers, proofs, and costs by length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.arrays.sparse import FloatArray, IntArray
from gapless.cli import Console
from gapless.runs import LoggedAnswer, without_evidence
from gapless_dependency import DependencyTree, ParsingProblem

GROUP = 5
"""Words of length that share a timing."""


def known(share: float) -> float | None:
    """Return the share, or None for NaN, which JSON lacks."""
    return None if np.isnan(share) else share


def group_index(length: int) -> int:
    """Return the longest length of the group that a length belongs to."""
    return -(-length // GROUP) * GROUP


@attrs.frozen
class LengthGroup:
    """Sentences of about one length.

    Parameters
    ----------
    longest : int
        They have more than ``longest - GROUP`` and up to `longest` words.
    seconds : float
        CPU time of decoding them; by the clock with several processes.
    calls : float or None
        Oracle calls, of all of them; None where the method does not count them.
    """

    longest: int
    sentences: int
    words: int
    seconds: float
    calls: float | None


@attrs.frozen
class Parsed:
    """Trees of a part.

    Parameters
    ----------
    heads : mapping of int to int64 (n,)
        The tree of each sentence that was reached and has one.
    values, bounds : float64 (sentences,)
        NaN where there is none.
    proved : bool (sentences,)
        Whether the tree is proved to be the best one.
    verified : bool (sentences,) or None
        Whether it is proved and a check without the solver agreed; None if none was asked for.
    refuted : int
        The number of refused certificates, those of bounds alone included.
    groups : sequence of LengthGroup
        Ascending.
    results : mapping of int to Result
        On request; without their certificates, which can be large.
    arrays : mapping of str to float64 (sentences,)
        Counts of the method for each sentence: ``dp_calls``, ``nodes``, ``root_closed``, ``fixed``.
    reached : int
        The number of decoded sentences, failures included.
    """

    heads: Mapping[int, IntArray]
    values: FloatArray
    bounds: FloatArray
    proved: np.ndarray[Any, np.dtype[np.bool_]]
    verified: np.ndarray[Any, np.dtype[np.bool_]] | None
    refuted: int
    groups: Sequence[LengthGroup]
    results: Mapping[int, gl.Result[DependencyTree]]
    arrays: Mapping[str, FloatArray]
    reached: int
    interrupted: bool

    @property
    def seconds(self) -> float:
        """CPU seconds of all sentences; by the clock with several processes."""
        return sum(group.seconds for group in self.groups)

    @property
    def words_per_second(self) -> float:
        """Words a second of the sentences that were reached."""
        return sum(group.words for group in self.groups) / max(self.seconds, 1e-9)

    def document(self) -> dict[str, Any]:
        """Return what both jobs report of an answer set, as JSON data."""
        count = max(1, self.reached)
        return {
            "sentences": self.reached,
            "words_per_second": self.words_per_second,
            "proved": float(self.proved.sum()) / count,
            "verified": None if self.verified is None else float(self.verified.sum()) / count,
            "oracle_calls": self.mean("dp_calls"),
            "closed_at_root": self.mean("root_closed"),
        }

    def mean(self, name: str) -> float | None:
        """Compute the mean of an array over the sentences that it knows; None if the method does not count it."""
        known = self.arrays.get(name)
        if known is None or np.isnan(known).all():
            return None
        return float(np.nanmean(known))


@attrs.frozen
class ParsedSentence:
    """The answer for one sentence.

    Parameters
    ----------
    value, bound : float
        NaN where there is none.
    heads : int64 (n,) or None
    result : Result or None
        None where the solve failed, and without a request.
    measured : mapping of str to float
        ``seconds``, ``verified`` where that was asked for, and what the method counts.
    """

    value: float
    bound: float
    proved: bool
    heads: IntArray | None
    result: gl.Result[DependencyTree] | None
    measured: Mapping[str, float]

    @classmethod
    def of_batch(
        cls, batch: gl.BatchResult[DependencyTree], place: int, seconds: float, *, results: bool
    ) -> ParsedSentence | None:
        """Return one of several sentences that were decoded together; None where it was not reached.

        Parameters
        ----------
        seconds : float
            Its share of the time.
        results : bool
            Whether its `Result` is asked for.
        """
        status, failed = batch.statuses[place], place in batch.errors
        if status is None and not failed:
            return None
        counts = {name: array[place] for name, array in batch.arrays.items() if array.shape == (len(batch),)}
        if "dp_calls" not in counts and status is not None:
            stats = batch[place].stats
            counts |= {"dp_calls": stats.oracle_calls, "nodes": stats.nodes}
            counts["root_closed"] = stats.extra.get("root_closed", np.nan)
        value = float(batch.values[place])
        return cls(
            value,
            float(batch.bounds[place]),
            status is gl.Status.OPTIMAL,
            batch.structure(place).heads if np.isfinite(value) else None,
            batch[place] if results and status is not None and not failed else None,
            {"seconds": seconds, **{name: float(counted) for name, counted in counts.items()}},
        )

    @classmethod
    def of_stored(cls, answer: gl.Record | LoggedAnswer) -> ParsedSentence:
        """Return an answer that an earlier start of the run has stored."""
        result = answer.result
        best = result.solutions[0] if result.solutions else None
        return cls(
            best.value if best is not None else np.nan,
            result.bound,
            result.status is gl.Status.OPTIMAL,
            best.structure.heads if best is not None else None,
            result,
            answer.measurements,
        )

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended its search."""
        return self.result is not None and self.result.stop is gl.Stop.INTERRUPTED


class ParsingTally:
    """Counts of answers, sentence by sentence.

    Parameters
    ----------
    lengths : sequence of int
        Words of each sentence.
    console : Console
        Complains about certificates that do not hold.
    verify : bool
        Check every certificate.
    keep : bool
        Keep every result, without its certificate.
    """

    def __init__(self, lengths: Sequence[int], console: Console, *, verify: bool, keep: bool) -> None:
        count = len(lengths)
        self.lengths, self.console, self.verify, self.keep = lengths, console, verify, keep
        self.interrupted = False
        self._values, self._bounds, self._seconds = np.full((3, count), np.nan)
        self._reached, self._proved, self._verified = np.zeros((3, count), bool)
        self._heads: dict[int, IntArray] = {}
        self._results: dict[int, gl.Result[DependencyTree]] = {}
        self._arrays: dict[str, FloatArray] = {}
        self._refuted = 0

    def checked(self, found: ParsedSentence, i: int, problem: Callable[[], ParsingProblem]) -> ParsedSentence:
        """Add the verdict about its certificate, if certificates are to be checked."""
        if not self.verify or found.result is None:
            return found
        verdict = found.result.verify(problem())
        if not verdict:
            self.console.error(f"sentence {i + 1}: {verdict.location}: {verdict.reason}")
        return attrs.evolve(found, measured={**found.measured, "verified": float(bool(verdict))})

    def add(self, found: ParsedSentence, i: int) -> None:
        """Count sentence i."""
        self._reached[i] = True
        self._values[i], self._bounds[i], self._proved[i] = found.value, found.bound, found.proved
        self._seconds[i] = found.measured["seconds"]
        for name, counted in found.measured.items():
            if name not in ("seconds", "verified"):
                self._arrays.setdefault(name, np.full(len(self.lengths), np.nan))[i] = counted
        if found.heads is not None:
            self._heads[i] = found.heads
        if found.result is None:
            return
        if self.keep:
            self._results[i] = without_evidence(found.result)
        if self.verify:
            holds = bool(found.measured["verified"])
            self._verified[i] = holds and found.result.proved
            self._refuted += not holds

    def parsed(self) -> Parsed:
        """Return the answers of all sentences."""
        return Parsed(
            self._heads,
            self._values,
            self._bounds,
            self._proved,
            self._verified if self.verify else None,
            self._refuted,
            self._groups(),
            self._results,
            self._arrays,
            int(self._reached.sum()),
            self.interrupted,
        )

    def _groups(self) -> list[LengthGroup]:
        lengths = np.array(self.lengths, np.int64)
        groups = np.array([group_index(length) for length in self.lengths], np.int64)
        calls = self._arrays.get("dp_calls", np.full(len(lengths), np.nan))
        length_groups = []
        for longest in np.unique(groups[self._reached]).tolist():
            members = self._reached & (groups == longest)
            called = float(calls[members].sum())
            length_groups.append(
                LengthGroup(
                    longest,
                    int(members.sum()),
                    int(lengths[members].sum()),
                    float(self._seconds[members].sum()),
                    None if np.isnan(called) else called,
                )
            )
        return length_groups
