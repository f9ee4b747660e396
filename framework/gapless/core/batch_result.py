"""Answers to many problems as arrays; a `Result` is made only when one is asked for."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.core.errors import SolveError
from gapless.core.result import NoSolution, Result, Status
from gapless.core.sparse import FloatArray

S = TypeVar("S")
STATUSES: tuple[Status, ...] = tuple(Status)


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
        ``structure(i)`` is the best structure of problem i, 0 <= i < n.
    make : callable
        ``make(i)`` builds the `Result` of problem i, 0 <= i < n.
    errors : dict of int to SolveError
    arrays : mapping of str to array
        What the method knows of all problems at once, under names that the method documents: the structures one
        after another, counts of rounds, and the like.
    """

    values: FloatArray
    bounds: FloatArray
    statuses: Sequence[Status | None]
    _structure: Callable[[int], S]
    make: Callable[[int], Result[S]]
    errors: dict[int, SolveError] = attrs.field(factory=dict)
    arrays: Mapping[str, NDArray[Any]] = attrs.field(factory=dict)

    @classmethod
    def from_results(cls, results: Sequence[Result[S] | SolveError], total: int) -> BatchResult[S]:
        """From finished results, the first of `total`."""
        held: list[Result[S] | None] = [r.result if isinstance(r, SolveError) else r for r in results]
        held += [None] * (total - len(held))

        def result(i: int) -> Result[S]:
            found = held[i]
            if found is None:
                raise NoSolution(f"problem {i} has no result: it failed or was not reached")
            return found

        return cls(
            np.array([r.value if r is not None and r.solutions else np.nan for r in held], np.float64),
            np.array([r.bound if r is not None else np.nan for r in held], np.float64),
            [r.status if r is not None else None for r in held],
            lambda i: result(i).best,
            result,
            {i: r for i, r in enumerate(results) if isinstance(r, SolveError)},
        )

    def __len__(self) -> int:
        return len(self.statuses)

    def __getitem__(self, i: int) -> Result[S]:
        return self.make(self._number(i))

    def structure(self, i: int) -> S:
        """The best structure of problem i, without its `Result`; negative numbers count from the end.

        Raises
        ------
        NoSolution
            There is none.
        IndexError
            There is no problem i.
        """
        return self._structure(self._number(i))

    def _number(self, i: int) -> int:
        at = operator.index(i)
        if not -len(self) <= at < len(self):
            raise IndexError(f"batch of {len(self)} has no problem {i}")
        return at % len(self)

    def __iter__(self) -> Iterator[Result[S]]:
        return (self.make(i) for i in range(len(self)))

    @property
    def proved(self) -> float:
        """Share of the problems that are settled: OPTIMAL or INFEASIBLE."""
        settled = sum(s in (Status.OPTIMAL, Status.INFEASIBLE) for s in self.statuses)
        return settled / len(self) if len(self) else 1.0

    def __repr__(self) -> str:
        return f"<BatchResult of {len(self)}: {self.proved:.1%} proved>"
