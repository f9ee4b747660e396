"""The evidence of ``exact``: multipliers, in the order in which they rule out vertices at places, or all paths."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any, ClassVar

import attrs
import numpy as np

from gapless import InvalidProblem, Problem
from gapless.arrays.sparse import FloatArray, IntArray, float_array, int_array
from gapless.arrays.tolerance import score_tolerance
from gapless.limits.work import CALL
from gapless.roles import BoundCertificate, Fixings, charge_work, serialisable
from gapless_kernels import PathSearchResult
from gapless_ordering.path_problem import PathProblem
from gapless_ordering.proofs.labels import best_labels
from gapless_ordering.proofs.walks import WalkTables


@serialisable("gapless_ordering.WalkCertificate")
@attrs.frozen(eq=False)
class WalkCertificate(BoundCertificate):
    """A bound on all paths, true whatever the fields hold; good multipliers make it tight and the check short.

    In each stage, a vertex is ruled out at a place when no penalised walk through it there, together with the sum
    of the multipliers, exceeds `level`: no path that does is lost. The bound is `level`, or what the walks that are
    left score under the last multipliers if that is more. With a `memory`, these walks are gone through by label
    setting and must not visit a class that they remember; with `exhaustive`, they remember all, and are paths.

    Parameters
    ----------
    level : float
        The value of a known path, or -inf.
    claim : float
        The bound that is claimed: labels that do not exceed it are dropped.
    first : int64 (stages + 1,)
        Start of the entries of each stage.
    classes : int64 (entries,)
    multipliers : float64 (entries,)
        Not negative; classes that are not named have 0.
    memory : int64 (m, 2), optional
        Pairs (vertex, class): what a walk that comes to the vertex goes on remembering.
    """

    kind: ClassVar[str] = "walks with multipliers"
    level: float
    claim: float
    first: IntArray = attrs.field(converter=int_array)
    classes: IntArray = attrs.field(converter=int_array)
    multipliers: FloatArray = attrs.field(converter=float_array)
    memory: IntArray | None = attrs.field(default=None, converter=attrs.converters.optional(int_array))
    exhaustive: bool = False

    @classmethod
    def of(cls, found: PathSearchResult, wanted: int = 1) -> WalkCertificate:
        """Convert the evidence that a search for `wanted` paths recorded."""
        sizes = [0, *(names.size for names, _ in found.stages)]
        # With fewer paths than requested, no score limits what the list can still receive.
        known = found.values[-1] if found.values.size == wanted else -math.inf
        return cls(
            found.bound if found.proved else float(known),
            found.bound,
            list(accumulate(sizes)),
            _joined([names for names, _ in found.stages]),
            _joined([prices for _, prices in found.stages]),
            found.memory,
            found.proved and found.memory is None,
        )

    def upper_bound(self, problem: Any, fixings: Fixings) -> float:
        """Return `level` plus rounding, or the score that remains possible above it."""
        if not isinstance(problem, PathProblem):
            raise InvalidProblem(f"this evidence is for an OrderingProblem, not for a {type(problem).__name__}")
        if math.isnan(self.level) or math.isnan(self.claim):
            raise InvalidProblem("level and claim must be numbers")
        # Half of the tolerance absorbs rounding; the other half remains for comparing the bound with the value.
        level = self.level + score_tolerance(self.level) / 2
        tables = WalkTables.under(problem, fixings)
        prices, bound = np.zeros(problem.class_count), math.inf
        for stage in range(self.first.size - 1):
            prices = self._prices(stage, problem.class_count)
            bound = tables.rule_out(prices, level)
            if bound <= level:
                return level
        if self.memory is None and not self.exhaustive:
            return bound
        memory = None if self.memory is None else self._memory(problem)
        claim = max(level, self.claim + score_tolerance(self.claim) / 2)
        return max(claim, best_labels(tables, prices, memory, claim))

    def work_to_verify(self, problem: Any) -> float:
        """Estimate the work that is seen beforehand: the stages, not the labels that they leave."""
        if not isinstance(problem, PathProblem):
            return super().work_to_verify(problem)
        stage = 4.0 * problem.length * problem.vertices**2 + 40 * CALL * problem.length
        return super().work_to_verify(problem) + max(0, self.first.size - 1) * stage

    def _prices(self, stage: int, count: int) -> FloatArray:
        names = self.classes[self.first[stage] : self.first[stage + 1]]
        prices = self.multipliers[self.first[stage] : self.first[stage + 1]]
        if names.shape != prices.shape or not np.all((names >= 0) & (names < count)):
            raise InvalidProblem(f"stage {stage} names classes that are not among the {count}")
        if not np.all(np.isfinite(prices)) or np.any(prices < 0):
            raise InvalidProblem(f"stage {stage} holds multipliers that are not numbers of at least 0")
        dense = np.zeros(count)
        dense[names] = prices
        return dense

    def _memory(self, problem: PathProblem) -> IntArray:
        pairs = self.memory
        if pairs is None or pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InvalidProblem("memory must hold pairs of a vertex and a class")
        limits = np.array([problem.vertices, problem.class_count])
        if pairs.size and not np.all((pairs >= 0) & (pairs < limits)):
            raise InvalidProblem("memory names a vertex or a class that is not there")
        return pairs


def _joined(parts: list[Any]) -> Any:
    # A single stage is the rule, and needs no copy.
    if len(parts) == 1:  # as nearly always; this is a part of every solve
        return parts[0]
    return np.concatenate(parts) if parts else ()


MOST = 1 << 18
"""Candidates for paths of one length; more are refused, so that no certificate makes its checker work for hours."""


@serialisable("gapless_ordering.EnumeratedPaths")
@attrs.frozen
class EnumeratedPaths(BoundCertificate):
    """The fixings leave so few paths that a checker goes through all of them.

    There is nothing to hold: the bound is the score of the best path along edges that the fixings leave. Of the
    choices of edges that `EnumeratedChoices` would score one by one, few are paths.
    """

    kind: ClassVar[str] = "enumerated paths"
    factors: ClassVar[bool] = True

    def upper_bound(self, problem: Problem[Any], fixings: Fixings) -> float:
        """Return the score of the best path of `problem` that agrees with `fixings`; -inf if there is none.

        Raises
        ------
        InvalidProblem
            Not an ordering problem, or too many paths are left.
        """
        if not isinstance(problem, PathProblem):
            raise InvalidProblem(f"enumerated paths speak of an OrderingProblem, not of a {type(problem).__name__}")
        from gapless.testing import SpaceTooLarge  # noqa: PLC0415  the testing kit, needed if fixings leave little
        from gapless_ordering.enumeration import all_paths  # noqa: PLC0415

        # Charged before the enumeration, whose size is not known beforehand.
        charge_work(float(MOST), 20 * problem.length)
        try:
            paths, scores = all_paths(problem.restricted(fixings), limit=MOST)
        except SpaceTooLarge as error:
            raise InvalidProblem(f"too many paths are left to enumerate: {error}") from error
        best = -math.inf
        for path, score in zip(paths, scores.tolist(), strict=True):
            charge_work(problem.decisions.count, 20)
            if np.isin(fixings.on, problem.encode(path)).all():
                best = max(best, score + problem.factor_value(path) if problem.factors else score)
        return best
