"""Subset rows: cuts over three item types (Jepsen, Petersen, Spoorendonk and Pisinger 2008), in covering form.

Half of the demand rows of three types, rounded up. With a(p) items of the types S in pattern p, and d ordered ones,
every plan satisfies ``sum of ceil(a(p) / 2) * z_p >= ceil(d / 2)``: a Chvatal-Gomory cut of rank one. Only an odd d
makes it one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.roles import LinearView, Rows, Sparse

ENTERING = 1e-6
"""Value above which a column counts as part of the point."""
VIOLATED = 0.02
"""Least violation of a row that is worth its labels in pricing."""
AT_ONCE, IN_ALL, PER_TYPE = 8, 48, 2
"""Limits on rows: of one round, in a master, and of one round on one type."""
REACH = 0.1
"""Rows lift a bound by hundredths: they are sought so far below the next whole number of rolls."""
INTEGRAL = 1e-6


def _whole(values: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(values, np.int64)


@attrs.frozen(eq=False)
class SubsetRows:
    """Rows over three item types, which are their keys; it has no state.

    Parameters
    ----------
    demands : int64 (types,)
    reach : float, default 0.1
        Rows are sought where the bound is at most so far below a whole number of rolls; 0 seeks none.
    """

    demands: NDArray[np.int64] = attrs.field(converter=_whole)
    reach: float = REACH

    def held(self, view: LinearView) -> NDArray[np.int64]:
        """Return the keys of the subset rows of a master."""
        keys = view.row_keys
        return keys[keys >= self.demands.size]

    def keys(self, triples: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number each triple of types, beyond the numbers of the demand rows."""
        types = self.demands.size
        return types + (triples[:, 0] * types + triples[:, 1]) * types + triples[:, 2]

    def triples(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the types of each row, int64 (rows, 3)."""
        types = self.demands.size
        rest = keys - types
        return np.stack([rest // (types * types), rest // types % types, rest % types], axis=1)

    def sides(self, triples: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the left-hand side of each row: half the demand, rounded up."""
        return _whole((self.demands[triples].sum(axis=1) + 1) // 2)

    def coefficients(self, counts: NDArray[np.int64], triples: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return entries (patterns, rows) of patterns given by counts of their items, int64 (patterns, types)."""
        return _whole((counts[:, triples].sum(axis=2) + 1) // 2)

    def separate(self, view: LinearView, counts_of: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> Rows:
        """Find the rows that the point of `view` violates most, where they may matter.

        Parameters
        ----------
        view : LinearView
        counts_of : callable
            Items of each type in columns, int64 (columns, types), by their keys.
        """
        held, values = self.held(view), view.column_values
        if values is None or held.size >= IN_ALL:
            return Rows.none()
        if not INTEGRAL < np.ceil(-view.objective) + view.objective <= self.reach:
            return Rows.none()
        known, used = view.column_keys, values > ENTERING
        counts = counts_of(known)
        triples = self._violated(counts[used], values[used])
        triples = triples[~np.isin(self.keys(triples), held)]
        chosen = triples[_spread(triples, self.demands.size)[: min(AT_ONCE, IN_ALL - held.size)]]
        entries = self.coefficients(counts, chosen)
        nonzero = [np.flatnonzero(column) for column in entries.T]
        return Rows(
            keys=self.keys(chosen),
            lower=self.sides(chosen).astype(float),
            upper=np.full(len(chosen), np.inf),
            coefficients=Sparse.from_rows(
                [known[at].tolist() for at in nonzero],
                [column[at].tolist() for column, at in zip(entries.T, nonzero, strict=True)],
            ),
        )

    def _violated(self, counts: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Triples of violated rows, the most violated first, where one type shares rolls with the two others."""
        held = (counts > 0).astype(np.float32)
        together = held.T @ held > 0
        np.fill_diagonal(together, False)
        found = [np.zeros((0, 3), np.int64)]
        for middle, beside in enumerate(together):
            others = np.flatnonzero(beside)
            one, other = np.triu_indices(others.size, 1)
            found.append(np.stack([others[one], np.full(one.size, middle), others[other]], axis=1))
        triples = self.triples(np.unique(self.keys(np.sort(np.concatenate(found), axis=1))))
        triples = triples[self.demands[triples].sum(axis=1) % 2 == 1]
        violation = self.sides(triples) - values @ self.coefficients(counts, triples)
        order = np.argsort(-violation, kind="stable")
        return _whole(triples[order[violation[order] > VIOLATED]])


def _spread(triples: NDArray[np.int64], types: int) -> list[int]:
    """Numbers of triples, in their order, such that few rows share a type."""
    times, chosen = [0] * types, []
    for number, triple in enumerate(triples[: 50 * AT_ONCE].tolist()):
        if max(times[i] for i in triple) < PER_TYPE:
            chosen.append(number)
            for i in triple:
                times[i] += 1
    return chosen


def counted(patterns: Sequence[Sequence[int]], types: int) -> NDArray[np.int64]:
    """Count the items of each type on each pattern, int64 (patterns, types)."""
    counts = np.zeros((len(patterns), types), np.int64)
    number = np.repeat(np.arange(len(patterns)), [len(pattern) for pattern in patterns])
    np.add.at(counts, (number, np.array([i for pattern in patterns for i in pattern], np.int64)), 1)
    return counts
