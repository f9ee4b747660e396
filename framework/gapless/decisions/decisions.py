"""The named 0/1 decisions of a problem, and fixings of some of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from weakref import WeakKeyDictionary

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import BoolArray, FloatArray, IntArray, Sparse, int_array
from gapless.decisions.branch_row import BranchRow, intersect_rows
from gapless.errors import InvalidProblem
from gapless.limits.work import charge_work

FREE, OFF, ON = -1, 0, 1


@attrs.frozen(eq=False)
class Decisions:
    """The 0/1 decisions of a structure.

    A decision is on when the structure's *use* of a quantity reaches a threshold. Usually each decision has its own
    quantity and the threshold 1 ("arc 3 -> 5 is in the tree"); an integer quantity takes several decisions ("at
    least t rolls hold an item at offset a", t = 1, 2, ...).

    Parameters
    ----------
    count : int
    name : callable
        ``name(d)`` describes decision `d` for people.
    quantity : int64 (count,), optional
        Quantity of each decision; by default the decision itself.
    threshold : int64 (count,), optional
        A decision is on exactly when the use of its quantity is at least its threshold; by default 1.
    exactly_one : sequence of sequences of int
        Groups with exactly one decision on in every feasible structure. Branching may rely on them.

    Examples
    --------
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> problem.decisions.count, problem.decisions.name(1)
    (4, 'token 0 has label 1')
    """

    count: int
    name: Callable[[int], str] = attrs.field(default="decision {}".format, repr=False)
    quantity: IntArray | None = attrs.field(
        default=None, converter=attrs.converters.optional(int_array), repr=False
    )
    threshold: IntArray | None = attrs.field(
        default=None, converter=attrs.converters.optional(int_array), repr=False
    )
    exactly_one: Sequence[Sequence[int]] = attrs.field(default=(), repr=False)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.count, (int, np.integer)) or isinstance(self.count, bool):
            raise InvalidProblem(f"Decisions: count is {self.count!r:.80}, expected the number of decisions")
        if self.count < 0:
            raise InvalidProblem(f"Decisions: count is {self.count}, it cannot be negative")
        if not callable(self.name):
            raise InvalidProblem(f"Decisions: name is {self.name!r:.80}, expected a function that names a decision")
        for label in ("quantity", "threshold"):
            array = getattr(self, label)
            if array is not None and array.shape != (self.count,):
                raise InvalidProblem(f"Decisions: {label} has shape {array.shape}, expected ({self.count},)")
        if not isinstance(self.exactly_one, (Sequence, np.ndarray)) or isinstance(self.exactly_one, (str, bytes)):
            raise InvalidProblem(
                f"Decisions: exactly_one is {self.exactly_one!r:.60}, expected groups of decisions"
            )
        if self.quantity is not None and self.count and self.quantity.min() < 0:
            raise InvalidProblem(f"Decisions: quantity {self.quantity.min()} is negative, expected numbers from 0")
        if self.threshold is not None and self.count and self.threshold.min() < 1:
            raise InvalidProblem("Decisions: a threshold below 1 would be on in every structure")

    @property
    def quantities(self) -> int:
        """Number of quantities."""
        if self.quantity is None:
            return self.count
        return int(self.quantity.max()) + 1 if self.count else 0

    def quantity_index(self) -> IntArray:
        """Return the quantity of each decision."""
        return np.arange(self.count) if self.quantity is None else self.quantity

    def thresholds(self) -> IntArray:
        """Return the threshold of each decision."""
        return np.ones(self.count, np.int64) if self.threshold is None else self.threshold

    def _group(self, number: int) -> IntArray:
        """Return the decisions of a group, int64. Raises `InvalidProblem`: there are no such decisions."""
        group = self.exactly_one[number]
        # A range contains integers only; the checks of other input would dominate the layout of small problems.
        if (
            isinstance(group, range)
            and group
            and min(group[0], group[-1]) >= 0
            and max(group[0], group[-1]) < self.count
        ):
            return np.arange(group.start, group.stop, group.step, dtype=np.int64)
        try:
            members = int_array(group)
        except InvalidProblem as error:
            raise InvalidProblem(f"Decisions: exactly_one[{number}] is no group of decisions: {error}") from error
        if members.ndim != 1 or (members.size and not 0 <= members.min() <= members.max() < self.count):
            raise InvalidProblem(
                f"Decisions: exactly_one[{number}] is {group!r:.80}, expected numbers below {self.count}"
            )
        return members

    def choice_groups(self) -> Sequence[IntArray]:
        """Return the groups of `exactly_one`, int64 each; of groups that share a decision, the first one only."""
        return _disjoint_groups(self)[0]

    def choice_groups_csr(self) -> tuple[IntArray, IntArray]:
        """Return the choice groups as two int64 arrays, first and members.

        Group g is ``members[first[g]:first[g + 1]]``.
        """
        # Consecutive ranges, as of chains, are disjoint: no need to build an array for each of many small groups.
        ranges = [group for group in self.exactly_one if isinstance(group, range) and group.step == 1]
        if len(ranges) == len(self.exactly_one):
            ends = [0, *(group.stop for group in ranges)]
            if ends[-1] <= self.count and all(g.start == end for g, end in zip(ranges, ends, strict=False)):
                return np.array(ends, np.int64), np.arange(ends[-1], dtype=np.int64)
        groups = self.choice_groups()
        sizes = [0, *(group.size for group in groups)]
        return np.cumsum(sizes), np.concatenate([np.zeros(0, np.int64), *groups])

    def group_index(self) -> IntArray:
        """Return each decision's group in `choice_groups`, int64 (count,); -1 for an ungrouped decision."""
        return _disjoint_groups(self)[1]


@attrs.frozen(eq=False)
class _Groups:
    """The exactly-one groups, concatenated.

    Parameters
    ----------
    members : int64
    starts : int64 (groups,)
    disjoint : bool
        Whether the groups are disjoint and none is empty; each can then be treated separately.
    """

    members: IntArray
    starts: IntArray
    disjoint: bool

    @classmethod
    def of(cls, decisions: Decisions) -> _Groups:
        groups = [decisions._group(number) for number in range(len(decisions.exactly_one))]
        sizes = np.array([group.size for group in groups], np.int64)
        members = np.concatenate([np.zeros(0, np.int64), *groups])
        counts = np.bincount(members, minlength=1)  # minlength: without members there is still a maximum
        return cls(members, np.cumsum(sizes) - sizes, bool(np.all(sizes > 0) and counts.max() <= 1))

    def imply(self, state: NDArray[np.int8]) -> bool:
        """Write the implications of disjoint groups into `state`; return False on a contradiction."""
        if not self.members.size:
            return True
        values = state[self.members]
        starts = self.starts.astype(np.intp, copy=False)  # int64 is too wide for 32 bits, where browsers run
        on = np.add.reduceat(values == ON, starts, dtype=np.int64)
        free = np.add.reduceat(values == FREE, starts, dtype=np.int64)
        if np.any(on > 1) or np.any(on + free == 0):
            return False
        implied = np.where(on == 1, OFF, np.where(free == 1, ON, FREE)).astype(np.int8)
        spread = np.repeat(implied, np.diff(np.append(self.starts, self.members.size)))
        state[self.members] = np.where(values == FREE, spread, values)
        return True


# Cached outside of `Decisions`, which are frozen; by weak keys, so that a cache keeps no problem alive.
_groups_cache: WeakKeyDictionary[Decisions, _Groups] = WeakKeyDictionary()
_disjoint_cache: WeakKeyDictionary[Decisions, tuple[Sequence[IntArray], IntArray]] = WeakKeyDictionary()


def _groups_of(decisions: Decisions) -> _Groups:
    """Return the groups of `Decisions`, cached."""
    groups = _groups_cache.get(decisions)
    if groups is None:
        groups = _groups_cache[decisions] = _Groups.of(decisions)
    return groups


def _disjoint_groups(decisions: Decisions) -> tuple[Sequence[IntArray], IntArray]:
    """Return groups of which no two share a decision, and the group of each decision or -1; cached."""
    cached = _disjoint_cache.get(decisions)
    if cached is None:
        group_index = np.full(decisions.count, -1, np.int64)
        disjoint: list[IntArray] = []
        for number in range(len(decisions.exactly_one)):
            group = decisions._group(number)
            if group.size and np.all(group_index[group] < 0):
                group_index[group] = len(disjoint)
                disjoint.append(group)
        group_index.flags.writeable = False
        cached = _disjoint_cache[decisions] = tuple(disjoint), group_index
    return cached


def _state(values: object) -> NDArray[np.int8]:
    try:
        array = np.array(values, dtype=np.int8)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise InvalidProblem(f"Fixings: state is {values!r:.80}, expected -1, 0 or 1 for each decision") from error
    array.flags.writeable = False
    return array


@attrs.frozen(eq=False)
class Fixings:
    """Decisions forced on or off: int8 per decision, -1 free, 0 off, 1 on. Immutable.

    `rows` limit sums of decisions, one row for each sum, in any order. A relaxation that ignores `rows` bounds a
    superset of the structures, so its bounds stay valid.

    Examples
    --------
    >>> from gapless.roles import Fixings
    >>> fixings = Fixings.none(3).fix(on=[1], off=[0])
    >>> fixings.state
    array([ 0,  1, -1], dtype=int8)
    """

    state: NDArray[np.int8] = attrs.field(converter=_state)
    rows: tuple[BranchRow, ...] = ()

    @classmethod
    def none(cls, count: int) -> Fixings:
        """Leave all decisions free."""
        return cls(np.full(count, FREE, np.int8))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fixings) or set(self.rows) != set(other.rows):
            return False
        return np.array_equal(self.state, other.state)

    def __hash__(self) -> int:
        return hash((self.state.tobytes(), frozenset(self.rows)))

    def __repr__(self) -> str:
        rows = f", rows=[{', '.join(row.words() for row in self.rows)}]" if self.rows else ""
        return f"Fixings(on={self.on.tolist()}, off={self.off.tolist()}{rows})"

    @property
    def on(self) -> IntArray:
        """Decisions forced on."""
        return np.flatnonzero(self.state == ON)

    @property
    def off(self) -> IntArray:
        """Decisions forced off."""
        return np.flatnonzero(self.state == OFF)

    @property
    def free(self) -> IntArray:
        """Decisions not fixed."""
        return np.flatnonzero(self.state == FREE)

    def fix(
        self, on: Iterable[int] = (), off: Iterable[int] = (), rows: Sequence[BranchRow] = ()
    ) -> Fixings | None:
        """Add fixings and rows; None if the new ones contradict the old ones or each other."""
        charge_work(self.state.size)
        state = self.state.copy()
        for ids, value in ((on, ON), (off, OFF)):
            fixed = np.fromiter(ids, np.int64) if not isinstance(ids, np.ndarray) else ids
            # After `on` is written, a decision in both lists is found here.
            if fixed.size and np.any((state[fixed] != FREE) & (state[fixed] != value)):
                return None
            state[fixed] = value
        return self._with_state(state, rows)

    def _with_state(self, state: NDArray[np.int8], rows: Sequence[BranchRow] = ()) -> Fixings | None:
        """Make fixings of a state with these rows and more; None if the state contradicts a row."""
        if not self.rows and not rows:
            return Fixings(state)
        charge_work(sum(10.0 * len(row.decisions) for row in (*self.rows, *rows)), 4)
        combined = intersect_rows(self.rows, rows)
        if combined is None or not all(row.is_satisfiable(state) for row in combined):
            return None
        return Fixings(state, combined)

    def implied(self, decisions: Decisions) -> Fixings | None:
        """Add the implications of the exactly-one groups; None on a contradiction."""
        groups = _groups_of(decisions)
        state = self.state.copy()
        if groups.disjoint:
            charge_work(state.size + 4 * groups.members.size, 2)
            return self._with_state(state) if groups.imply(state) else None
        # Groups that overlap: one after another, once. More passes could imply more; bounds are valid without it.
        charge_work(state.size + groups.members.size, len(decisions.exactly_one))
        for group in decisions.exactly_one:
            ids = np.asarray(group, np.int64)
            values = state[ids]
            if (values == ON).sum() > 1 or (values == OFF).all():
                return None
            if (values == ON).any():
                state[ids[values == FREE]] = OFF
            elif (values == FREE).sum() == 1:
                state[ids[values == FREE]] = ON
        return self._with_state(state)

    def allows(self, on_ids: IntArray) -> bool:
        """Return whether a structure that turns on exactly `on_ids` agrees with the fixings and their rows."""
        on = np.zeros(self.state.size, bool)
        on[on_ids] = True
        if not np.all(on[self.state == ON]) or np.any(on[self.state == OFF]):
            return False
        return all(row.allows(row.value(on_ids)) for row in self.rows)

    def rows_bound(self, prices: FloatArray) -> float:
        """Bound the price sum of `rows`, float64 (rows,): the part of a dual bound due to them.

        Infinite if a row has a price, and no limit on the side that the price bounds.
        """
        total = 0.0
        for row, price in zip(self.rows, prices.tolist(), strict=True):
            side = row.upper if price > 0 else row.lower
            if price:  # 0 times a missing limit counts nothing
                total += math.inf if side is None else price * side
        return total

    def banned(self, decisions: Decisions) -> BoolArray:
        """Mark the quantities that must not be used: their decision with threshold 1 is off."""
        mask = np.zeros(decisions.quantities, bool)
        off = self.off
        first = off[decisions.thresholds()[off] == 1]
        mask[decisions.quantity_index()[first]] = True
        return mask

    def uses_banned(self, uses: Sparse, decisions: Decisions) -> BoolArray:
        """Mark the rows of `uses` (quantities with multiplicities) that use a banned quantity."""
        if not (len(uses) and np.any(self.state == OFF)):
            return np.zeros(len(uses), bool)
        return uses.dot(self.banned(decisions).astype(np.float64)) > 0
