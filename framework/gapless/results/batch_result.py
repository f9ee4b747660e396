"""Results of many problems as arrays; each `Result` is built on access."""

from __future__ import annotations

import bisect
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.arrays.sparse import BoolArray, FloatArray
from gapless.arrays.spelling_hint import spelling_hint
from gapless.arrays.tolerance import meets
from gapless.errors import InvalidProblem, SolveError, UnknownName, UnknownOption
from gapless.limits.limits import Stop
from gapless.notebook import html_repr, remember
from gapless.problems.problem import Problem
from gapless.problems.problem_batch import ProblemBatch
from gapless.results.result import NoSolution, Result, Status

S = TypeVar("S")
P = TypeVar("P")
OFFSETS = "offsets"


@attrs.frozen(eq=False, repr=False)
class BatchResult(Generic[S]):
    """Values, bounds and statuses of many solves.

    Parameters
    ----------
    values, bounds : float64 (n,)
        NaN for problems without a solution, or that were not reached.
    statuses : sequence of Status or None, (n,)
        None for problems that were not reached (Ctrl-C).
    structure : callable
        ``structure(problems, i)`` is the best structure of problem i, 0 <= i < n.
    make : callable
        ``make(problems, i)`` builds the `Result` of problem i, 0 <= i < n. Neither callable should store
        the problems: both may come from another process, and this process has the problems already.
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
    >>> batch = gl.solve_many([problem, problem])
    >>> len(batch), batch.proved_share
    (2, 1.0)
    >>> batch.values
    array([2., 2.])
    >>> batch[1].best
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
        """Make a batch of `total` problems from the finished results of the first ones."""
        finished: list[Result[S] | None] = [r.result if isinstance(r, SolveError) else r for r in results]
        finished += [None] * (total - len(finished))

        def make(_: object, i: int) -> Result[S]:
            if (result := finished[i]) is None:
                raise NoSolution(f"problem {i} has no result: it failed or was not reached")
            return result

        return cls(
            np.array([r.value if r is not None and r.solutions else np.nan for r in finished], np.float64),
            np.array([r.bound if r is not None else np.nan for r in finished], np.float64),
            [r.status if r is not None else None for r in finished],
            lambda _, i: make(_, i).best,
            make,
            {i: r for i, r in enumerate(results) if isinstance(r, SolveError)},
        )

    @classmethod
    def one_by_one(
        cls,
        problems: Sequence[P],
        solve: Callable[[P], Result[S] | SolveError],
        interrupt: Callable[[], None] = lambda: None,
    ) -> BatchResult[S]:
        """Solve problems in turn, storing the error of each that fails; after Ctrl-C, return the finished ones.

        `interrupt` is called at Ctrl-C, such as `SolveBudget.interrupt`.
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
        """Make a batch from the arrays of a method that solves many problems together.

        Parameters
        ----------
        problems : sequence of Problem
        values : float64 (n,)
            NaN or minus infinity for problems without a structure.
        bounds : float64 (n,)
            NaN for problems that were not reached. Kernels must set the bound last: Ctrl-C may come between any
            two assignments, and a row with a bound counts as complete.
        arrays : mapping of str to array
            As in the class. The first holds the concatenated best structures, ``offsets`` their first indices.
        make : callable
            As in the class; called only for problems that were reached and did not fail.
        proved : bool (n,), optional
            Whether the bound meets the value, or is minus infinity, by default.
        errors : mapping of int to SolveError, optional
        method : str
            Name in the results of problems that were not reached or failed.
        structure_of : callable, optional
            ``structure_of(problem, row)`` makes a structure of a row of the first array; by default it is the row.
        """
        failed = dict(errors or {})
        has_solution = values > -np.inf
        rows, offsets = next(iter(arrays.values())), arrays[OFFSETS]
        # Structures are views of this array: a caller that wrote to one would change what `verify` checks.
        rows.flags.writeable = False

        def result(problems: Any, i: int) -> Result[S]:
            if i in failed or np.isnan(bounds[i]):
                stop = Stop.ERROR if i in failed else Stop.INTERRUPTED
                return Result.of(problems[i], [], math.inf, stop, method=method)
            return make(problems, i)

        def structure(problems: Any, i: int) -> S:
            if not has_solution[i]:
                return result(problems, i).best  # raises: there is none
            row: Any = rows[offsets[i] : offsets[i + 1]]
            best: S = row if structure_of is None else structure_of(problems[i], row)
            return best

        # A sentence is decoded in tens of microseconds, so the common case must not test each problem: exact
        # decoders pass one array for values and bounds.
        all_solved = bool(has_solution.all())
        statuses: list[Status | None] = [Status.OPTIMAL] * len(values)
        if not (all_solved and proved is None and values is bounds):
            statuses = _statuses(values, bounds, has_solution, proved)
        for i in failed:
            statuses[i] = Status.NO_SOLUTION
        public_values = values if all_solved else np.where(has_solution, values, np.nan)
        return cls(public_values, bounds, statuses, structure, result, failed, arrays, problems)

    @classmethod
    def joined(cls, parts: Mapping[int, BatchResult[S]], problems: Sequence[Problem[S]]) -> BatchResult[S]:
        """Join partial results.

        Parameters
        ----------
        parts : mapping of int to BatchResult
            Results of consecutive problems, keyed by the number of the first. Problems in no part count as not
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
            rows = slice(start, start + len(part))
            values[rows], bounds[rows], statuses[rows] = part.values, part.bounds, part.statuses
            errors.update({start + i: error for i, error in part.errors.items()})

        def part_of(problems: Sequence[Problem[S]], i: int) -> tuple[BatchResult[S], int]:
            start = starts[bisect.bisect_right(starts, i) - 1] if starts and starts[0] <= i else total
            if start == total or i >= start + len(parts[start]):
                raise NoSolution(f"problem {i} has no result: it was not reached")
            part = parts[start]
            return attrs.evolve(part, problems=problems[start : start + len(part)]), i - start

        def result(problems: Sequence[Problem[S]], i: int) -> Result[S]:
            part, index = part_of(problems, i)
            return part[index]

        def structure(problems: Sequence[Problem[S]], i: int) -> S:
            part, index = part_of(problems, i)
            return part.structure(index)

        # Offsets of a batch with gaps would not fit its problems.
        complete = sum(map(len, parts.values())) == total
        arrays = _joined_arrays([parts[start] for start in starts]) if complete else {}
        return cls(values, bounds, statuses, structure, result, errors, arrays, problems)

    def __len__(self) -> int:
        return len(self.statuses)

    def __getitem__(self, i: int) -> Result[S]:
        index = self._index(i)
        result = self._make(self.problems, index)
        # Notebooks draw a result with its problem. A batch makes its problems on demand: store its index instead.
        if isinstance(self.problems, ProblemBatch):
            remember(result, self.problems, index)
        elif index < len(self.problems):
            remember(result, self.problems[index])
        return result

    def structure(self, i: int) -> S:
        """Return the best structure of problem i, without its `Result`; negative numbers count from the end.

        Raises
        ------
        NoSolution
            Problem i has no solution.
        IndexError
            There is no problem i.
        """
        return self._structure(self.problems, self._index(i))

    def _index(self, i: int) -> int:
        index = operator.index(i)
        if not -len(self) <= index < len(self):
            raise IndexError(f"batch of {len(self)} has no problem {i}")
        return index % len(self)

    def __iter__(self) -> Iterator[Result[S]]:
        return (self[i] for i in range(len(self)))

    def padded(self, name: str | None = None, *, fill: float = -1, width: int | None = None) -> NDArray[Any]:
        """Return the best structures, or another of `arrays`, as rows of one array.

        Parameters
        ----------
        name : str, optional
            An array of `arrays` with one entry per position of each problem, such as ``k_best_labels``; by default
            the best structures, which must then have one entry per position.
        fill : number
            Padding after each problem's entries, and in the whole row of a problem without a solution.
        width : int, optional
            Positions per row; by default the width of the padded scores from which the problems were made, or
            else of the longest problem.

        Returns
        -------
        array (n, width), or (n, width, ...) where an entry is an array

        Raises
        ------
        UnknownName
            There is no such array.
        UnknownOption
            `width` is less than the number of positions of a problem.
        InvalidProblem
            The structures are not arrays.
        """
        has_solution = ~np.isnan(self.values)
        entries, offsets = self._entries(name, has_solution)
        counts = np.diff(offsets)
        longest = int(np.max(counts, where=has_solution, initial=0))
        if width is None:
            width = getattr(self.problems, "padded_length", None)
        width = longest if width is None else operator.index(width)
        if width < longest:
            problem = int(np.argmax(counts * has_solution))
            raise UnknownOption(f"width is {width}, problem {problem} has {longest} places")
        kind = np.result_type(entries.dtype, np.min_scalar_type(fill))
        rows = np.full((len(self), width, *entries.shape[1:]), fill, kind)
        rows[np.arange(width) < np.where(has_solution, counts, 0)[:, None]] = entries[
            np.repeat(has_solution, counts)
        ]
        return rows

    def to_frame(self, backend: str | None = None, *, stats: bool = True) -> Any:
        """Make a data frame with one row for each problem.

        Columns: ``problem`` (its number), ``status`` (None if it was not reached), ``value``, ``bound``,
        ``proved``, ``stop``, ``gap``, ``seconds``, ``nodes``, ``iterations``, ``certified``, ``method``,
        ``error``, and those of `arrays` that hold one number for each problem.

        Parameters
        ----------
        backend : str, optional
            ``"pandas"`` or ``"polars"``; by default the first of them that is installed.
        stats : bool
            If False, leave out ``stop`` to ``method``, which require each `Result`: some 50 microseconds.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        MissingDependency
            The library is not installed; the message states the command that installs it.
        UnknownOption
            No such backend.
        """
        from gapless.results.frame import columns_of, framed  # noqa: PLC0415  most callers need no frame

        return framed(lambda: columns_of(self, stats), backend)

    def _entries(self, name: str | None, has_solution: BoolArray) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return an array with one entry per position, and the offset of each problem in it."""
        offsets = self.arrays.get(OFFSETS)
        # An array has an entry per position if it is as long as all problems together.
        known = {
            n: a for n, a in self.arrays.items() if n != OFFSETS and offsets is not None and len(a) == offsets[-1]
        }
        if name is not None and name not in known:
            raise UnknownName(
                f"no array {name!r} has entries for each place{spelling_hint(name, known)}; "
                f"these have: {', '.join(known) or 'none'}"
            )
        if offsets is not None and known:
            return known[name or next(iter(known))], offsets
        # Methods without arrays: collect the structures one by one.
        structures: list[Any] = [
            self.structure(i) if solved else np.empty(0, np.int64) for i, solved in enumerate(has_solution)
        ]
        for i, structure in enumerate(structures):
            if not isinstance(structure, np.ndarray) or not structure.ndim:
                raise InvalidProblem(
                    f"the structure of problem {i} is a {type(structure).__name__}, not an array of entries"
                )
        return np.concatenate([np.empty(0, np.int64), *structures]), row_offsets(map(len, structures))

    @property
    def proved_share(self) -> float:
        """Share of the problems proved OPTIMAL or INFEASIBLE."""
        proved = sum(s in (Status.OPTIMAL, Status.INFEASIBLE) for s in self.statuses)
        return proved / len(self) if len(self) else 1.0

    @property
    def is_complete(self) -> bool:
        """Whether every problem was attempted; False after Ctrl-C."""
        return all(status is not None or i in self.errors for i, status in enumerate(self.statuses))

    def __repr__(self) -> str:
        return (
            f"<BatchResult of {len(self)}: {self.proved_share:.1%} proved>" if len(self) else "<BatchResult of 0>"
        )


def interrupted(outcome: Result[S] | SolveError) -> bool:
    """Return True if Ctrl-C stopped the solve, which returns a result then: the caller must stop, too."""
    result = outcome.result if isinstance(outcome, SolveError) else outcome
    return result is not None and result.stop is Stop.INTERRUPTED


def row_offsets(lengths: Iterable[int]) -> NDArray[np.int64]:
    """Return the first indices of concatenated rows of these lengths, and the end: int64 (n + 1,)."""
    return np.cumsum([0, *lengths], dtype=np.int64)


def _statuses(
    values: FloatArray, bounds: FloatArray, has_solution: BoolArray, proved: BoolArray | None
) -> list[Status | None]:
    if bool((has_solution & (values == bounds if proved is None else proved)).all()):
        return [Status.OPTIMAL] * len(values)
    if proved is None:
        proved = np.where(has_solution, values == bounds, bounds == -np.inf)
        # Equality first: the tolerance of `meets` is needed for the few rows with a real difference.
        for i in np.flatnonzero(has_solution & ~proved):
            proved[i] = meets(float(bounds[i]), float(values[i]))
    codes = np.where(np.isnan(bounds), 0, 1 + 2 * has_solution + proved)
    meaning = (None, Status.NO_SOLUTION, Status.INFEASIBLE, Status.FEASIBLE, Status.OPTIMAL)
    return [meaning[code] for code in codes.tolist()]


def _as_wide(parts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Pad tables to equal width: the k best of a part have no more columns than its problems have structures."""
    width = max(part.shape[1] for part in parts)
    # The values with which kernels mark a missing structure: -inf for scores, -1 for labels.
    none = -np.inf if parts[0].dtype.kind == "f" else -1
    return [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=none) for part in parts]


def _joined_arrays(parts: Sequence[BatchResult[Any]]) -> dict[str, NDArray[Any]]:
    """Concatenate arrays by name; an array that a part lacks (it counted nothing) is zero for that part."""
    kinds = {name: array for part in parts for name, array in part.arrays.items()}
    joined: dict[str, NDArray[Any]] = {}
    for name, kind in kinds.items():
        if name == OFFSETS:
            sizes = [np.diff(part.arrays[name]) for part in parts]
            joined[name] = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(kind.dtype)
            continue
        filled = [part.arrays.get(name, np.zeros((len(part), *kind.shape[1:]), kind.dtype)) for part in parts]
        joined[name] = np.concatenate(_as_wide(filled) if kind.ndim == 2 else filled)
    # Structures are views of the parts' arrays, which pickling from another process made writeable again.
    for array in (*joined.values(), *(array for part in parts for array in part.arrays.values())):
        array.flags.writeable = False
    return joined
