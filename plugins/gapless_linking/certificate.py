"""The evidence of ``exact``: costs moved from pairs to candidates, floors of nested searches, splits."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless import InvalidProblem
from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, float_array, int_array
from gapless.arrays.tolerance import score_tolerance
from gapless.certificates.certificate import BoundCertificate
from gapless.limits.work import CALL
from gapless.roles import Fixings, charge_work, serialisable
from gapless_kernels import LinkingRecord
from gapless_linking.problem import LinkingProblem
from gapless_linking.proofs.reparametrised_costs import ReparametrisedCosts, fixed_cost
from gapless_linking.proofs.suffix_bounds import verified_suffix_bounds

STAGE, RUSSIAN_DOLL, SPLIT, END, DOMINATED = 1, 2, 3, 4, 5

LARGEST = 1e100
"""No sum of such costs becomes inf."""


@serialisable("gapless_linking.SearchCertificate")
@attrs.frozen(eq=False)
class SearchCertificate(BoundCertificate):
    """A bound on all choices, true whatever the fields hold; good ones make it tight and the check short.

    The script is gone through from its start. A *stage* moves costs from pairs of members to the members: what is
    left of each pair and each member at its cheapest bounds all choices, and members with which that exceeds
    `level` are dropped. *Russian doll* steps order the sets that are left: all choices of the sets from the t-th
    on cost at least the t-th floor, which is checked by a search of the verifier's own.
    A *split* looks at the choices with
    one member, up to its *end*, and then at those without. A member is *dominated* by another of its set when that
    one costs no more whatever is chosen elsewhere (Goldstein's dead-end elimination); it is dropped.

    Parameters
    ----------
    level : float
        The cost that no choice is claimed to stay below.
    unit : float
        Cost of 1 in `moved` and `floors`.
    script : int64
        Operations and their arguments: 1, sets s, members m, the s sets, the m members; 2, sets s, the s sets; 3,
        a member; 4; 5, a number n, then n pairs of a member and the one that dominates it.
    moved : array of numbers
        For each stage (m, s) numbers: what each member takes over from its pair with each set.
    floors : float64
        For each nested search s + 1 numbers.
    """

    kind: ClassVar[str] = "moved costs"
    level: float
    unit: float
    script: IntArray = attrs.field(converter=int_array)
    moved: NDArray[Any] = attrs.field(converter=np.asarray)
    floors: FloatArray = attrs.field(converter=float_array)

    @classmethod
    def of(cls, record: LinkingRecord, level: float) -> SearchCertificate:
        """Convert the evidence that a search recorded."""
        return cls(level, record.unit, record.script, record.moved, record.floors)

    def upper_bound(self, problem: Any, fixings: Fixings) -> float:
        """Return minus the minimum cost that the script leaves possible."""
        if not isinstance(problem, LinkingProblem):
            raise InvalidProblem(f"this evidence is for a LinkingProblem, not for a {type(problem).__name__}")
        if not math.isfinite(self.level) and self.level != math.inf:
            raise InvalidProblem("level must be a number or inf")
        if not (math.isfinite(self.unit) and self.unit > 0):
            raise InvalidProblem("unit must be a number above 0")
        for name, values in (("moved", self.moved), ("floors", self.floors)):
            if (
                values.ndim != 1
                or values.dtype.kind not in "if"
                or not np.all(np.abs(values) <= LARGEST / self.unit)
            ):
                raise InvalidProblem(f"{name} must hold numbers, none that stands for more than {LARGEST:g}")
        return -_Check(self, problem, fixings).run()

    def work_to_verify(self, problem: Any) -> float:
        """Estimate the work that is seen beforehand: stages and dead ends, not the nested searches."""
        members = int(problem.decisions.count)
        return super().work_to_verify(problem) + 20 * CALL * self.script.size + 15 * members * self.moved.size


class _Check:
    """One way through a script."""

    def __init__(self, evidence: SearchCertificate, problem: LinkingProblem, fixings: Fixings) -> None:
        self.evidence, self.problem = evidence, problem
        self.set_of = problem.set_of
        self.step = problem.granularity or 0.0
        self.level = evidence.level
        if math.isfinite(self.level):
            # Costs are multiples of the step: below one multiple, the next lower one follows.
            down = math.floor(self.level / self.step) * self.step if self.step else self.level
            self.level = down if self.step else down - score_tolerance(down) / 2
        self.alive = self._under(fixings)
        self.at = {"script": 0, "moved": 0, "floors": 0}
        lengths = problem.lengths()
        self.farthest = float(lengths[np.isfinite(lengths)].max(initial=0.0))
        self.forgiven = 0.0  # how much the least cost may have risen where rounding let a member go

    def _under(self, fixings: Fixings) -> BoolArray:
        alive: BoolArray = np.isfinite(self.problem.unary_costs)
        alive[fixings.off] = False
        for member in fixings.on:
            others = self.set_of == self.set_of[member]
            others[member] = False
            alive &= ~others
        return alive

    def run(self) -> float:
        """Run the script; return the minimum over all parts that were not closed, and the level."""
        lowest, bound = math.inf, -math.inf
        parts: list[tuple[BoolArray, float, int]] = []
        alive, stage = self.alive, None
        if np.any(np.bincount(self.set_of[alive], minlength=self.problem.k) == 0):
            return math.inf
        while self.at["script"] < self.evidence.script.size:
            charge_work(alive.size, 20)
            operation = self._take("script", 1)[0]
            if operation == STAGE:
                stage = self._stage(alive)
                if stage is not None:
                    bound = max(bound, stage.bound)
                    alive = stage.drop(self._closes)
            elif operation == RUSSIAN_DOLL:
                floor = self._dolls(alive, stage)
                bound = max(bound, floor)
            elif operation == DOMINATED:
                alive, stage = self._dominated(alive), None
            elif operation == SPLIT:
                member = self._member(self._take("script", 1)[0])
                # A forged script could otherwise split without end.
                if len(parts) >= max(1000, alive.size):  # each is held in memory
                    raise InvalidProblem("the script splits more often than there are members")
                parts.append((alive.copy(), bound, member))
                alive, stage = alive.copy(), None
                alive[(self.set_of == self.set_of[member]) & (np.arange(alive.size) != member)] = False
            elif operation == END and parts:
                lowest = min(lowest, self._finish(alive, bound))
                alive, bound, member = parts.pop()
                alive[member], stage = False, None
            else:
                raise InvalidProblem(f"the script has the operation {operation} where none such can be")
        lowest = min(lowest, self._finish(alive, bound))
        for alive, bound, member in parts:  # the script ends inside: what would have followed stays open
            alive[member] = False
            lowest = min(lowest, self._finish(alive, bound))
        return math.inf if lowest > self._most() else lowest - self.forgiven

    def _most(self) -> float:
        """Return a cost above that of any choice whose candidates are connected."""
        k, largest = self.problem.k, self.farthest
        own, offset = self.problem.centred_costs
        return float(1.5 * k * (k - 1) * largest + 1.5 * own[np.isfinite(own)].sum() + 1.0) + offset

    def _closes(self, bound: Any) -> Any:
        """Return whether bounds exclude choices below the level; costs are multiples of the granularity."""
        return bound > self.level - self.step * (1 - 1e-6) if self.step else bound >= self.level

    def _finish(self, alive: BoolArray, bound: float) -> float:
        """Bound the choices of one part from below, as far as it matters."""
        counts = np.bincount(self.set_of[alive], minlength=self.problem.k)
        if np.any(counts == 0):
            return self.level
        if np.all(counts == 1):
            bound = max(bound, fixed_cost(self.problem, np.flatnonzero(alive)))
        return self.level if self._closes(bound) else bound

    def _stage(self, alive: BoolArray) -> ReparametrisedCosts | None:
        count, size = self._take("script", 2).tolist()
        if count < 0 or size < 0:
            raise InvalidProblem("a stage with fewer than no sets or members")
        sets, members = self._take("script", count), self._take("script", size)
        moved = self._take("moved", count * size).reshape(size, count) * self.evidence.unit
        if not np.all(np.isfinite(moved)):
            raise InvalidProblem("what is moved is too large")
        if np.any((sets < 0) | (sets >= self.problem.k)) or np.unique(sets).size != count:
            raise InvalidProblem("a stage names sets that are not there, or one twice")
        if np.any((members < 0) | (members >= alive.size)) or np.unique(members).size != size:
            raise InvalidProblem("a stage names members that are not there, or one twice")
        inside = int(np.count_nonzero(alive))
        charge_work(15 * inside**2 + 4 * count * size, 100)
        return ReparametrisedCosts.of(self.problem, alive, self.set_of, sets, members, moved)

    def _dolls(self, alive: BoolArray, stage: ReparametrisedCosts | None) -> float:
        count = int(self._take("script", 1)[0])
        order = self._take("script", max(0, count))
        floors = self._take("floors", max(0, count) + 1) * self.evidence.unit
        if stage is None or np.any(np.bincount(self.set_of[alive], minlength=self.problem.k) == 0):
            return -math.inf
        return stage.base + verified_suffix_bounds(stage, alive, order, floors) - stage.rounding

    def _dominated(self, alive: BoolArray) -> BoolArray:
        """Drop candidates that cost no less than another of their set, whatever is chosen elsewhere.

        What rounding leaves of a difference is forgiven, and taken off the bound.
        """
        alive, own = alive.copy(), self.problem.centred_costs[0]
        for _ in range(max(0, int(self._take("script", 1)[0]))):
            charge_work(6 * alive.size, 30)
            worse, better = (self._member(number) for number in self._take("script", 2))
            # Not an error: a pair that no longer applies drops nothing and proves nothing.
            if worse == better or self.set_of[worse] != self.set_of[better] or not (alive[worse] and alive[better]):
                continue
            more = own[better] - own[worse] + self._farther(alive, worse, better)
            # Rounding of sums of this size; what is forgiven is taken off the bound in the end.
            if more <= 2.0**-40 * (own[worse] + self.farthest):
                alive[worse] = False
                self.forgiven += max(0.0, more)
        return alive

    def _farther(self, alive: BoolArray, worse: int, better: int) -> float:
        """Bound the excess of the others' distances from one candidate over those from another; -inf if none."""
        others = np.flatnonzero(alive & (self.set_of != self.set_of[worse]))
        if not others.size:
            return 0.0
        to_better, to_worse = 2.0 * self.problem.lengths(
            self.problem.slots[[better, worse]], self.problem.slots[others]
        )
        disconnected = np.isinf(to_worse)
        farther = np.where(disconnected, -np.inf, to_better - np.where(disconnected, 0.0, to_worse))
        maxima = np.maximum.reduceat(farther, np.flatnonzero(np.diff(self.set_of[others], prepend=-1)))
        return -math.inf if maxima.min() == -math.inf else float(maxima.sum())

    def _member(self, number: int) -> int:
        if not 0 <= number < self.alive.size:
            raise InvalidProblem(f"the script splits on member {number}, which is not there")
        return int(number)

    def _take(self, name: str, count: int) -> Any:
        """Read the next numbers of an array."""
        given = getattr(self.evidence, name)
        begin = self.at[name]
        if count > given.size - begin:
            raise InvalidProblem(f"{name} ends in the middle of an operation")
        self.at[name] = begin + count
        return given[begin : begin + count]
