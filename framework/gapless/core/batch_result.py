"""Answers to many problems as arrays; each `Result` is built on access."""

from __future__ import annotations

import bisect
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.errors import InvalidProblem, SolveError, UnknownName, UnknownOption
from gapless.core.limits import Stop
from gapless.core.nearest import nearest
from gapless.core.problem import Problem
from gapless.core.problem_batch import ProblemBatch
from gapless.core.result import NoSolution, Result, Status
from gapless.core.results.notebook import html_repr, remember
from gapless.core.sparse import BoolArray, FloatArray
from gapless.core.tolerance import meets

S = TypeVar("S")
P = TypeVar("P")
OFFSETS = "offsets"


@attrs.frozen(eq=False, repr=False)
class BatchResult(Generic[S]):
    """Values, bounds and statuses of many solves.

    Parameters
    ----------
    values, bounds : float64 (n,)
        NaN where a problem has no solution, or was not reached.
    statuses : sequence of Status or None, (n,)
        None where a problem was not reached (Ctrl-C).
    structure : callable
        ``structure(problems, i)`` is the best structure of problem i, 0 <= i < n.
    make : callable
        ``make(problems, i)`` builds the `Result` of problem i, 0 <= i < n. Neither callable should hold the
        problems: both may come from another process, and the problems are in this one already.
    errors : dict of int to SolveError
    arrays : mapping of str to array
        Data of all problems, under names that the method documents: concatenated structures, iteration counts,
        and the like. ``offsets`` (n + 1 integers) marks where each problem's entries begin in the arrays longer
        than n; the first of these holds the best structures.
    problems : sequence of Problem
        The solved problems; passed to the callables.

    Examples
    --------
    >>> import gapless as gl
    >>> from gapless_chains import ChainProblem
    >>> problem = ChainProblem([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.0]])
    >>> found = gl.solve_many([problem, problem])
    >>> len(found), found.proved
    (2, 1.0)
    >>> found.values
    array([2., 2.])
    >>> found[1].best
    array([1, 1])
    """

    values: FloatArray
    bounds: FloatArray
    statuses: Sequence[Status | None]
    _structure: Callable[[Any, int], S]
    _make: Callable[[Any, int], Result[S]]
    errors: dict[int, SolveError] = attrs.field(factory=dict)
    arrays: Mapping[str, NDArray[Any]] = attrs.field(factory=dict)
    problems: Sequence[Problem[S]] = ()
    _repr_html_ = html_repr

    @classmethod
    def from_results(cls, results: Sequence[Result[S] | SolveError], total: int) -> BatchResult[S]:
        """A batch of `total` problems from the finished results of the first ones."""
        held: list[Result[S] | None] = [r.result if isinstance(r, SolveError) else r for r in results]
        held += [None] * (total - len(held))

        def result(_: object, i: int) -> Result[S]:
            found = held[i]
            if found is None:
                raise NoSolution(f"problem {i} has no result: it failed or was not reached")
            return found

        return cls(
            np.array([r.value if r is not None and r.solutions else np.nan for r in held], np.float64),
            np.array([r.bound if r is not None else np.nan for r in held], np.float64),
            [r.status if r is not None else None for r in held],
            lambda _, i: result(_, i).best,
            result,
            {i: r for i, r in enumerate(results) if isinstance(r, SolveError)},
        )

    @classmethod
    def one_by_one(
        cls,
        problems: Sequence[P],
        solve: Callable[[P], Result[S] | SolveError],
        interrupt: Callable[[], None] = lambda: None,
    ) -> BatchResult[S]:
        """Solve problems in turn. A failure is an outcome like others; Ctrl-C keeps what is finished.

        `interrupt` is called when Ctrl-C comes, as `Budget.interrupt`.
        """
        finished: list[Result[S] | SolveError] = []
        try:
            for problem in problems:
                try:
                    finished.append(solve(problem))
                except SolveError as error:
                    finished.append(error)
                if interrupted(finished[-1]):
                    break
        except KeyboardInterrupt:
            interrupt()
        return cls.from_results(finished, total=len(problems))

    @classmethod
    def from_rows(
        cls,
        problems: Sequence[Problem[S]],
        values: FloatArray,
        bounds: FloatArray,
        arrays: Mapping[str, NDArray[Any]],
        make: Callable[[Any, int], Result[S]],
        *,
        proved: BoolArray | None = None,
        errors: Mapping[int, SolveError] | None = None,
        method: str = "",
        structure_of: Callable[[Any, NDArray[Any]], Any] | None = None,
    ) -> BatchResult[S]:
        """From the arrays of a method that solves many problems together.

        Parameters
        ----------
        problems : sequence of Problem
        values : float64 (n,)
            NaN or minus infinity where no structure is held.
        bounds : float64 (n,)
            NaN where a problem was not reached. Set last: Ctrl-C may come between any two assignments, and a row
            with a bound counts as complete.
        arrays : mapping of str to array
            As in the class. The first holds the best structures one after another, ``offsets`` their beginnings.
        make : callable
            As in the class; called only for problems that were reached and did not fail.
        proved : bool (n,), optional
            By default, where the bound meets the value, or is minus infinity.
        errors : mapping of int to SolveError, optional
        method : str
            Name in the results of problems that were not reached or failed.
        structure_of : callable, optional
            ``structure_of(problem, row)`` makes a structure of a row of the first array; by default it is the row.
        """
        failed = dict(errors or {})
        held = values > -np.inf
        rows, offsets = next(iter(arrays.values())), arrays[OFFSETS]
        # Structures are views: whoever changed one would change what the others are checked against.
        rows.flags.writeable = False

        def result(problems: Any, i: int) -> Result[S]:
            if i in failed or np.isnan(bounds[i]):
                stop = Stop.ERROR if i in failed else Stop.INTERRUPTED
                return Result.of(problems[i], [], math.inf, stop, method=method)
            return make(problems, i)

        def structure(problems: Any, i: int) -> S:
            if not held[i]:
                return result(problems, i).best  # raises: there is none
            row: Any = rows[offsets[i] : offsets[i + 1]]
            best: S = row if structure_of is None else structure_of(problems[i], row)
            return best

        # One sentence takes tens of microseconds: whatever is optimal is looked at once.
        every = bool(held.all())
        same = proved is None and values is bounds
        statuses: list[Status | None] = [Status.OPTIMAL] * len(values)
        if not (every and same):
            statuses = _statuses(values, bounds, held, proved)
        for i in failed:
            statuses[i] = Status.NO_SOLUTION
        shown = values if every else np.where(held, values, np.nan)
        return cls(shown, bounds, statuses, structure, result, failed, arrays, problems)

    @classmethod
    def joined(cls, parts: Mapping[int, BatchResult[S]], problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """The union of partial results.

        Parameters
        ----------
        parts : mapping of int to BatchResult
            Answers to consecutive problems, keyed by the number of the first. Problems in no part count as not
            reached, and `arrays` is then empty.
        problems : sequence of Problem
            All problems.
        """
        total = len(problems)
        values, bounds = np.full(total, np.nan), np.full(total, np.nan)
        statuses: list[Status | None] = [None] * total
        errors: dict[int, SolveError] = {}
        starts = sorted(parts)
        for start in starts:
            part = parts[start]
            here = slice(start, start + len(part))
            values[here], bounds[here], statuses[here] = part.values, part.bounds, part.statuses
            errors.update({start + i: error for i, error in part.errors.items()})

        def part_of(problems: Sequence[Problem[S]], i: int) -> tuple[BatchResult[S], int]:
            start = starts[bisect.bisect_right(starts, i) - 1] if starts and starts[0] <= i else total
            if start == total or i >= start + len(parts[start]):
                raise NoSolution(f"problem {i} has no result: it was not reached")
            part = parts[start]
            return attrs.evolve(part, problems=problems[start : start + len(part)]), i - start

        def result(problems: Sequence[Problem[S]], i: int) -> Result[S]:
            part, at = part_of(problems, i)
            return part[at]

        def structure(problems: Sequence[Problem[S]], i: int) -> S:
            part, at = part_of(problems, i)
            return part.structure(at)

        complete = sum(map(len, parts.values())) == total
        arrays = _joined_arrays([parts[start] for start in starts]) if complete else {}
        return cls(values, bounds, statuses, structure, result, errors, arrays, problems)

    def __len__(self) -> int:
        return len(self.statuses)

    def __getitem__(self, i: int) -> Result[S]:
        at = self._number(i)
        result = self._make(self.problems, at)
        if isinstance(self.problems, ProblemBatch):
            remember(result, self.problems, at)
        elif at < len(self.problems):
            remember(result, self.problems[at])
        return result

    def structure(self, i: int) -> S:
        """The best structure of problem i, without its `Result`; negative numbers count from the end.

        Raises
        ------
        NoSolution
            There is none.
        IndexError
            There is no problem i.
        """
        return self._structure(self.problems, self._number(i))

    def _number(self, i: int) -> int:
        at = operator.index(i)
        if not -len(self) <= at < len(self):
            raise IndexError(f"batch of {len(self)} has no problem {i}")
        return at % len(self)

    def __iter__(self) -> Iterator[Result[S]]:
        return (self[i] for i in range(len(self)))

    def padded(self, name: str | None = None, *, fill: float = -1, width: int | None = None) -> NDArray[Any]:
        """The best structures, or another of `arrays`, as rows of one array.

        Parameters
        ----------
        name : str, optional
            An array of `arrays` with one entry per place of each problem, such as ``k_best_labels``; by default the
            best structures, which must then have one entry per place.
        fill : number
            Padding after each problem's entries, and in all places of a problem without a solution.
        width : int, optional
            Places per row; by default the width of the padded scores that made up the problems, else of the longest
            problem.

        Returns
        -------
        array (n, width), or (n, width, ...) where an entry is an array

        Raises
        ------
        UnknownName
            There is no such array.
        UnknownOption
            `width` is less than the number of places of a problem.
        InvalidProblem
            The structures are not arrays.
        """
        held = ~np.isnan(self.values)
        entries, offsets = self._entries(name, held)
        counts = np.diff(offsets)
        longest = int(np.max(counts, where=held, initial=0))
        known = getattr(self.problems, "padded_to", None) if width is None else operator.index(width)
        places = longest if known is None else known
        if places < longest:
            raise UnknownOption(f"width is {places}, problem {int(np.argmax(counts * held))} has {longest} places")
        kind = np.result_type(entries.dtype, np.min_scalar_type(fill))
        rows = np.full((len(self), places, *entries.shape[1:]), fill, kind)
        rows[np.arange(places) < np.where(held, counts, 0)[:, None]] = entries[np.repeat(held, counts)]
        return rows

    def to_frame(self, backend: str | None = None, *, stats: bool = True) -> Any:
        """A data frame with one row for each problem.

        Columns: ``problem`` (its number), ``status`` (None where it was not reached), ``value``, ``bound``,
        ``proved``, ``stop``, ``gap``, ``seconds``, ``nodes``, ``iterations``, ``certified``, ``method``, ``error``,
        and those of `arrays` that hold one number for each problem.

        Parameters
        ----------
        backend : str, optional
            ``"pandas"`` or ``"polars"``; by default the first of them that is installed.
        stats : bool
            False leaves out ``stop`` to ``method``, for which each `Result` is made: some 50 microseconds.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        MissingDependency
            The library is not installed; the message holds the command that installs it.
        UnknownOption
            No such backend.
        """
        from gapless.core.results.frame import columns_of, framed  # noqa: PLC0415  for those who ask

        return framed(lambda: columns_of(self, stats), backend)

    def _entries(self, name: str | None, held: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        """An array with one entry per place, and the offset of each problem in it."""
        offsets = self.arrays.get(OFFSETS)
        known = {
            n: a for n, a in self.arrays.items() if n != OFFSETS and offsets is not None and len(a) == offsets[-1]
        }
        if name is not None and name not in known:
            raise UnknownName(
                f"no array {name!r} has entries for each place{nearest(name, known)}; "
                f"these have: {', '.join(known) or 'none'}"
            )
        if offsets is not None and known:
            return known[name or next(iter(known))], offsets
        found: list[Any] = [self.structure(i) if solved else np.empty(0, np.int64) for i, solved in enumerate(held)]
        for i, structure in enumerate(found):
            if not isinstance(structure, np.ndarray) or not structure.ndim:
                raise InvalidProblem(
                    f"the structure of problem {i} is a {type(structure).__name__}, not an array of entries"
                )
        ends = np.cumsum([0, *map(len, found)])
        return np.concatenate([np.empty(0, np.int64), *found]), ends

    @property
    def proved(self) -> float:
        """Share of the problems proved OPTIMAL or INFEASIBLE."""
        proved = sum(s in (Status.OPTIMAL, Status.INFEASIBLE) for s in self.statuses)
        return proved / len(self) if len(self) else 1.0

    @property
    def reached(self) -> bool:
        """Whether every problem was worked on; False after Ctrl-C."""
        return all(status is not None or i in self.errors for i, status in enumerate(self.statuses))

    def __repr__(self) -> str:
        return f"<BatchResult of {len(self)}: {self.proved:.1%} proved>" if len(self) else "<BatchResult of 0>"


def interrupted(outcome: Result[S] | SolveError) -> bool:
    """Whether Ctrl-C came: a solve turns it into a result, and whoever pressed it meant all of them."""
    result = outcome.result if isinstance(outcome, SolveError) else outcome
    return result is not None and result.stop is Stop.INTERRUPTED


def row_offsets(lengths: Iterable[int]) -> NDArray[np.int64]:
    """Beginnings of rows of these lengths that lie one after another, and their common end: int64 (n + 1,)."""
    return np.cumsum([0, *lengths], dtype=np.int64)


def _statuses(
    values: FloatArray, bounds: FloatArray, held: BoolArray, proved: BoolArray | None
) -> list[Status | None]:
    if bool((held & (values == bounds if proved is None else proved)).all()):
        return [Status.OPTIMAL] * len(values)
    if proved is None:
        proved = np.where(held, values == bounds, bounds == -np.inf)
        for i in np.flatnonzero(held & ~proved):
            proved[i] = meets(float(bounds[i]), float(values[i]))
    codes = np.where(np.isnan(bounds), 0, 1 + 2 * held + proved)
    meaning = (None, Status.NO_SOLUTION, Status.INFEASIBLE, Status.FEASIBLE, Status.OPTIMAL)
    return [meaning[code] for code in codes.tolist()]


def _as_wide(parts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Tables padded to equal width: the k best of a part have no more columns than its problems have structures."""
    width = max(part.shape[1] for part in parts)
    none = -np.inf if parts[0].dtype.kind == "f" else -1
    return [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=none) for part in parts]


def _joined_arrays(parts: Sequence[BatchResult[Any]]) -> dict[str, NDArray[Any]]:
    """Concatenated arrays. An array that a part lacks (nothing was counted there) is zero for that part."""
    kinds = {name: array for part in parts for name, array in part.arrays.items()}
    joined: dict[str, NDArray[Any]] = {}
    for name, kind in kinds.items():
        if name == OFFSETS:
            sizes = [np.diff(part.arrays[name]) for part in parts]
            joined[name] = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(kind.dtype)
            continue
        filled = [part.arrays.get(name, np.zeros((len(part), *kind.shape[1:]), kind.dtype)) for part in parts]
        joined[name] = np.concatenate(_as_wide(filled) if kind.ndim == 2 else filled)
    # Structures are views of the parts' arrays, which another process may have sent, writeable.
    for array in (*joined.values(), *(array for part in parts for array in part.arrays.values())):
        array.flags.writeable = False
    return joined
