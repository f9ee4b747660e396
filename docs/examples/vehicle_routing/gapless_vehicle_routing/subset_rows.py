"""Subset rows: of three customers, at most one route visits two (Jepsen, Petersen, Spoorendonk and Pisinger 2008).

Half of the rows of some customers S, rounded down: ``sum of floor(visits(p) / 2) * z_p <= floor(|S| / 2)``, a
Chvatal-Gomory cut of rank one. A row of one customer forbids walks that come back to it. Rows have a limited memory
(Pecin, Pessoa, Poggi and Uchoa 2017): a visit outside it forgets half a unit that is waiting for the other half.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from gapless.roles import LinearView, Rows, Sparse
from gapless_vehicle_routing.network import Ints
from gapless_vehicle_routing.problem import Route

Floats = NDArray[np.float64]

LAST_KEY = -2
"""Key of the first row; the others have smaller ones."""
ENTERING = 1e-6
"""Value above which a column counts as part of the point."""
VIOLATED = 0.03
"""Least violation of a row that is worth its states in pricing."""
AT_ONCE, PER_CUSTOMER = 20, 4
"""Limits on rows of one round: in all, and on one customer."""


@attrs.frozen
class SubsetRow:
    """One subset row with its memory.

    Parameters
    ----------
    members : tuple of int
        One customer or three, ascending.
    memory : tuple of int
        Customers at which half a unit is not forgotten; the members are among them.
    """

    members: tuple[int, ...]
    memory: tuple[int, ...]

    @property
    def most(self) -> int:
        """Right-hand side."""
        return len(self.members) // 2


class SubsetRows:
    """Registry and separation of subset rows.

    Parameters
    ----------
    places : int
        Customers and the depot.
    most : int
        Rows with a price beside which no more are sought; 0 for none.
    """

    def __init__(self, places: int, most: int) -> None:
        self.places, self.most = places, most
        self.rows: list[SubsetRow] = []
        self._keys: dict[SubsetRow, int] = {}

    def key(self, row: SubsetRow) -> int:
        """Return the row key; keys fall in order of first appearance."""
        if row not in self._keys:
            self._keys[row] = LAST_KEY - len(self.rows)
            self.rows.append(row)
        return self._keys[row]

    def held(self, view: LinearView) -> Ints:
        """Return the keys of the subset rows of a master."""
        keys = view.row_keys
        return np.asarray(keys[keys <= LAST_KEY])

    def of(self, keys: Ints) -> list[SubsetRow]:
        """Return the rows of some keys."""
        return [self.rows[LAST_KEY - key] for key in keys.tolist()]

    def coefficients(self, walks: Sequence[Route], rows: Sequence[SubsetRow]) -> Ints:
        """Compute the payments of walks to rows, int64 (walks, rows)."""
        inside, kept = np.zeros((2, self.places, len(rows)), bool)
        for number, row in enumerate(rows):
            inside[list(row.members), number] = True
            kept[list(row.memory), number] = True
        half, paid = np.zeros((len(walks), len(rows)), bool), np.zeros((len(walks), len(rows)), np.int64)
        for stops in _padded(walks).T:
            here = inside[stops]
            half &= kept[stops]
            paid += half & here
            half ^= here
        return paid

    def separate(self, view: LinearView, walks_of: Callable[[Ints], list[Route]]) -> Rows:
        """Find the rows that the point of `view` violates most."""
        values, held = view.column_values, self.held(view)
        room = self.most - int(np.count_nonzero(view.prices(held) > ENTERING))
        if values is None or room <= 0:
            return Rows.none()
        used = np.flatnonzero(values > ENTERING)
        walks, weight = walks_of(view.column_keys[used]), values[used]
        known = {row.members: row.memory for row in self.of(held)}
        violated = self._violated(walks, weight, lambda: not view.time_left)
        found = [self._remembering(members, walks, known) for members in violated]
        chosen = [row for row in _spread(found) if row not in self._keys or self._keys[row] not in held]
        return self._written(chosen[: min(AT_ONCE, room)], view, walks_of)

    def _written(self, rows: list[SubsetRow], view: LinearView, walks_of: Callable[[Ints], list[Route]]) -> Rows:
        columns = view.column_keys
        entries = self.coefficients(walks_of(columns), rows)
        nonzero = [np.flatnonzero(column) for column in entries.T]
        return Rows(
            keys=np.array([self.key(row) for row in rows], np.int64),
            lower=np.full(len(rows), -np.inf),
            upper=np.array([row.most for row in rows], float),
            coefficients=Sparse.from_rows(
                [columns[at].tolist() for at in nonzero],
                [column[at].tolist() for column, at in zip(entries.T, nonzero, strict=True)],
            ),
        )

    def _violated(self, walks: Sequence[Route], weight: Floats, stop: Callable[[], bool]) -> list[tuple[int, ...]]:
        """Members of violated rows, the most violated first, under the memory of all customers."""
        visits = np.zeros((len(walks), self.places))
        for number, walk in enumerate(walks):
            np.add.at(visits[number], list(walk), 1.0)
        alone = weight @ (visits // 2)
        found: list[tuple[tuple[int, ...], float]] = [
            ((c,), float(alone[c])) for c in np.flatnonzero(alone > VIOLATED).tolist()
        ]
        held = (visits > 0).astype(float)
        pairs = held.T @ (weight[:, None] * held)
        for i in range(1, self.places - 2):
            if stop():
                break
            beside = pairs[i, i + 1 :]
            joint = beside[:, None] + beside[None] + pairs[i + 1 :, i + 1 :]
            j, k = np.nonzero(np.triu(joint > 1 + VIOLATED, 1))
            if not j.size:
                continue
            j, k = j + i + 1, k + i + 1
            over = weight @ ((visits[:, [i]] + visits[:, j] + visits[:, k]) // 2) - 1
            good = np.flatnonzero(over > VIOLATED)
            triples = zip(j[good].tolist(), k[good].tolist(), over[good].tolist(), strict=True)
            found += [((i, a, b), violation) for a, b, violation in triples]
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        return [members for members, _ in found[: 50 * AT_ONCE]]

    def _remembering(
        self, members: tuple[int, ...], walks: Sequence[Route], known: dict[tuple[int, ...], tuple[int, ...]]
    ) -> SubsetRow:
        """A row with the memory that the walks of the point need, and that of a row over the same customers."""
        memory = {*members, *known.get(members, ())}
        for walk in walks:
            stops = [at for at, place in enumerate(walk) if place in members]
            while len(stops) > 1:
                gaps = [(len({*walk[a:b]} - memory), at) for at, (a, b) in enumerate(itertools.pairwise(stops))]
                if len(stops) % 2 == 0:
                    gaps = gaps[::2]  # with an even number of visits, each has its partner
                _, first = min(gaps)
                memory |= {*walk[stops[first] : stops[first + 1]]}
                del stops[first : first + 2]
        return SubsetRow(members, tuple(sorted(memory)))


def _padded(walks: Sequence[Route]) -> Ints:
    """Stops of each walk, int64 (walks, longest), with the depot behind its end."""
    stops = np.zeros((len(walks), max(map(len, walks), default=0)), np.int64)
    for number, walk in enumerate(walks):
        stops[number, : len(walk)] = walk
    return stops


def _spread(rows: Sequence[SubsetRow]) -> list[SubsetRow]:
    """Rows in their order such that few share a customer."""
    times: dict[int, int] = {}
    chosen = []
    for row in rows:
        if max(times.get(c, 0) for c in row.members) < PER_CUSTOMER:
            chosen.append(row)
            times.update((c, times.get(c, 0) + 1) for c in row.members)
    return chosen
