"""The named 0/1 decisions of a problem, and fixings of some of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from weakref import WeakKeyDictionary

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.branch_row import BranchRow, meet
from gapless.core.errors import InvalidProblem
from gapless.core.sparse import BoolArray, FloatArray, IntArray, Sparse, int_array
from gapless.core.work import spend_work

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

    def quantity_of(self) -> IntArray:
        """Quantity of each decision."""
        return np.arange(self.count) if self.quantity is None else self.quantity

    def threshold_of(self) -> IntArray:
        """Threshold of each decision."""
        return np.ones(self.count, np.int64) if self.threshold is None else self.threshold

    def _group(self, number: int) -> IntArray:
        """The decisions of one of `exactly_one`, int64. Raises `InvalidProblem`: there are no such decisions."""
        given = self.exactly_one[number]
        # A range holds whole numbers already; the checks of other input would dominate the layout of small ones.
        if (
            isinstance(given, range)
            and given
            and min(given[0], given[-1]) >= 0
            and max(given[0], given[-1]) < self.count
        ):
            return np.arange(given.start, given.stop, given.step, dtype=np.int64)
        try:
            members = int_array(given)
        except InvalidProblem as error:
            raise InvalidProblem(f"Decisions: exactly_one[{number}] is no group of decisions: {error}") from error
        if members.ndim != 1 or (members.size and not 0 <= members.min() <= members.max() < self.count):
            raise InvalidProblem(
                f"Decisions: exactly_one[{number}] is {given!r:.80}, expected numbers below {self.count}"
            )
        return members

    def choice_groups(self) -> Sequence[IntArray]:
        """The groups of `exactly_one`, each int64; of those that share a decision, the first in the order given."""
        return _apart(self)[0]

    def choice_rows(self) -> tuple[IntArray, IntArray]:
        """The same one after another, group g at ``members[first[g]:first[g + 1]]``: first and members, int64."""
        given = [group for group in self.exactly_one if isinstance(group, range) and group.step == 1]
        if len(given) == len(self.exactly_one):
            ends = [0, *(group.stop for group in given)]
            if ends[-1] <= self.count and all(g.start == end for g, end in zip(given, ends, strict=False)):
                return np.array(ends, np.int64), np.arange(ends[-1], dtype=np.int64)
        apart = self.choice_groups()
        sizes = [0, *(group.size for group in apart)]
        return np.cumsum(sizes), np.concatenate([np.zeros(0, np.int64), *apart])

    def group_of(self) -> IntArray:
        """Number of each decision's group in `choice_groups`, int64 (count,); -1 for a decision in none."""
        return _apart(self)[1]


@attrs.frozen(eq=False)
class _Groups:
    """The exactly-one groups, concatenated.

    Parameters
    ----------
    members : int64
    starts : int64 (groups,)
    disjoint : bool
        Whether the groups are disjoint and none is empty; each can then be treated alone.
    """

    members: IntArray
    starts: IntArray
    disjoint: bool

    @classmethod
    def of(cls, decisions: Decisions) -> _Groups:
        groups = [decisions._group(number) for number in range(len(decisions.exactly_one))]
        sizes = np.array([group.size for group in groups], np.int64)
        members = np.concatenate([np.zeros(0, np.int64), *groups])
        counts = np.bincount(members, minlength=1) if not members.size or members.min() >= 0 else np.array([2])
        return cls(members, np.cumsum(sizes) - sizes, bool(np.all(sizes > 0) and counts.max() <= 1))

    def imply(self, state: NDArray[np.int8]) -> bool:
        """Write the implications of disjoint groups into `state`; False on a contradiction."""
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


_grouped: WeakKeyDictionary[Decisions, _Groups] = WeakKeyDictionary()


def _groups_of(decisions: Decisions) -> _Groups:
    """Groups of `Decisions`, cached: decisions are immutable."""
    found = _grouped.get(decisions)
    if found is None:
        found = _grouped[decisions] = _Groups.of(decisions)
    return found


_chosen: WeakKeyDictionary[Decisions, tuple[Sequence[IntArray], IntArray]] = WeakKeyDictionary()


def _apart(decisions: Decisions) -> tuple[Sequence[IntArray], IntArray]:
    """Groups of which no two share a decision, and the number of each decision's; cached."""
    found = _chosen.get(decisions)
    if found is None:
        group_of = np.full(decisions.count, -1, np.int64)
        apart: list[IntArray] = []
        for number in range(len(decisions.exactly_one)):
            group = decisions._group(number)
            if group.size and np.all(group_of[group] < 0):
                group_of[group] = len(apart)
                apart.append(group)
        group_of.flags.writeable = False
        found = _chosen[decisions] = tuple(apart), group_of
    return found


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

    `rows` limit sums of decisions, one row for each sum, in any order. Who heeds only `state` bounds more
    structures than needed, which keeps every bound true.

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
        """All decisions free."""
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
        """These fixings and more; None when the new ones contradict the old or each other."""
        spend_work(self.state.size)
        state = self.state.copy()
        for ids, value in ((on, ON), (off, OFF)):
            chosen = np.fromiter(ids, np.int64) if not isinstance(ids, np.ndarray) else ids
            if chosen.size and np.any((state[chosen] != FREE) & (state[chosen] != value)):
                return None
            state[chosen] = value
        return self._limited(state, rows)

    def _limited(self, state: NDArray[np.int8], rows: Sequence[BranchRow] = ()) -> Fixings | None:
        """Fixings of this state with the rows of these and more; None when a sum cannot keep within them."""
        if not self.rows and not rows:
            return Fixings(state)
        spend_work(sum(10.0 * len(row.decisions) for row in (*self.rows, *rows)), 4)
        met = meet(self.rows, rows)
        if met is None or not all(row.possible(state) for row in met):
            return None
        return Fixings(state, met)

    def implied(self, decisions: Decisions) -> Fixings | None:
        """These fixings with the implications of the exactly-one groups; None on a contradiction."""
        groups = _groups_of(decisions)
        state = self.state.copy()
        if groups.disjoint:
            spend_work(state.size + 4 * groups.members.size, 2)
            return self._limited(state) if groups.imply(state) else None
        spend_work(state.size + groups.members.size, len(decisions.exactly_one))
        for group in decisions.exactly_one:
            ids = np.asarray(group, np.int64)
            values = state[ids]
            if (values == ON).sum() > 1 or (values == OFF).all():
                return None
            if (values == ON).any():
                state[ids[values == FREE]] = OFF
            elif (values == FREE).sum() == 1:
                state[ids[values == FREE]] = ON
        return self._limited(state)

    def allow(self, on_ids: IntArray) -> bool:
        """Whether a structure that turns on exactly `on_ids` agrees with the fixings and their rows."""
        chosen = np.zeros(self.state.size, bool)
        chosen[on_ids] = True
        if not np.all(chosen[self.state == ON]) or np.any(chosen[self.state == OFF]):
            return False
        return all(row.within(row.value(on_ids)) for row in self.rows)

    def rows_bound(self, prices: FloatArray) -> float:
        """Largest worth of `rows` at these prices, float64 (rows,): what a certificate owes for them.

        Infinite where a price meets a side without a limit.
        """
        total = 0.0
        for row, price in zip(self.rows, prices.tolist(), strict=True):
            side = row.upper if price > 0 else row.lower
            if price:
                total += math.inf if side is None else price * side
        return total

    def banned(self, decisions: Decisions) -> BoolArray:
        """Mask of the quantities that may not be used: a decision on them with threshold 1 is off."""
        mask = np.zeros(decisions.quantities, bool)
        off = self.off
        first = off[decisions.threshold_of()[off] == 1]
        mask[decisions.quantity_of()[first]] = True
        return mask

    def forbids(self, uses: Sparse, decisions: Decisions) -> BoolArray:
        """Mask of the rows of `uses` (quantities with multiplicities) that use a banned quantity."""
        if not (len(uses) and np.any(self.state == OFF)):
            return np.zeros(len(uses), bool)
        return uses.dot(self.banned(decisions).astype(np.float64)) > 0
