"""Jobs in shifts: columns are shifts, rows limit jobs and shifts, and subset-row cuts come with time.

Pricing lists all shifts, and can be told to make one of the mistakes that people make.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.roles import (
    Batch,
    Columns,
    Decisions,
    Fixings,
    Formulation,
    Generator,
    GeneratorResult,
    LinearView,
    Rows,
    Sparse,
)

IntArray, BoolArray = np.ndarray[Any, Any], np.ndarray[Any, Any]

Shift = tuple[int, ...]
FLEET, FIRST_CUT = 0, 100


@attrs.frozen(eq=False)
class Shifts(gl.Problem[tuple[Shift, ...]]):
    """Each job in one shift at most, `most` shifts of `hours` at most; succession of jobs pays.

    Decision (i, j), i < j: job j follows job i in its shift, or begins one where i is 0. Jobs count from 1.
    """

    lengths: np.ndarray
    pay: np.ndarray
    hours: int
    most: int

    @property
    def jobs(self) -> int:
        return self.lengths.size - 1

    @property
    def arcs(self) -> list[tuple[int, int]]:
        return [*itertools.combinations(range(self.jobs + 1), 2)]

    @property
    def decisions(self) -> Decisions:
        return Decisions(len(self.arcs))

    def along(self, shift: Shift) -> list[int]:
        return [self.arcs.index(arc) for arc in itertools.pairwise((0, *shift))]

    def worth(self, shift: Shift) -> float:
        return float(sum(self.pay[arc] for arc in itertools.pairwise((0, *shift))))

    def value(self, structure: tuple[Shift, ...]) -> float:
        return sum(map(self.worth, structure))

    def violations(self, structure: tuple[Shift, ...]) -> list[str]:
        done = [job for shift in structure for job in shift]
        broken = [f"job {job} is done twice" for job in set(done) if done.count(job) > 1]
        broken += [f"shift {s} is too long" for s in structure if self.lengths[list(s)].sum() > self.hours]
        return broken + ["there are too many shifts"] * (len(structure) > self.most)

    def encode(self, structure: tuple[Shift, ...]) -> np.ndarray:
        return np.array(sorted(d for shift in structure for d in self.along(shift)), np.int64)

    def decode(self, on_ids: np.ndarray) -> tuple[Shift, ...]:
        follows: dict[int, int] = {}
        for i, j in (self.arcs[d] for d in on_ids.tolist()):
            if j in follows or (i and i in follows.values()):
                raise ValueError("a job is done twice")
            follows[j] = i
        shifts = {}
        for j in sorted(follows):
            if follows[j] and follows[j] not in shifts:
                raise ValueError("a shift has no beginning")
            shifts[j] = (*shifts.pop(follows[j], ()), j)
        return tuple(sorted(shifts.values()))

    def structures(
        self, left: frozenset[int] | None = None, most: int | None = None
    ) -> Iterator[tuple[Shift, ...]]:
        """All feasible structures."""
        left = frozenset(range(1, self.jobs + 1)) if left is None else left
        most = self.most if most is None else most
        yield ()
        for size in range(1, len(left) + 1 if most else 1):
            for shift in itertools.combinations(sorted(left), size):
                if self.lengths[list(shift)].sum() <= self.hours:
                    later = frozenset(job for job in left if job > shift[0]) - set(shift)
                    for others in self.structures(later, most - 1):
                        yield tuple(sorted((shift, *others)))


class ShiftPricing(Generator[LinearView]):
    """Shifts of positive gain, and subset-row cuts once there are none.

    Parameters
    ----------
    problem : Shifts
    mistake : {"", "fleet row", "job rows", "cuts", "dominance", "resource", "known"}
        One thing to forget: the price of a row, that shorter labels may go further, the hours (it allows one
        more), or to leave out what the master has.
    """

    def __init__(self, problem: Shifts, mistake: str = "") -> None:
        self.problem, self.mistake, self.keys = problem, mistake, dict[Shift, int]()
        self.triples = [*itertools.combinations(range(1, problem.jobs + 1), 3)]

    def query(self, view: LinearView, *, limit: int | None = None) -> GeneratorResult:
        cuts = [key for key in view.row_keys.tolist() if key >= FIRST_CUT]
        found = sorted(self.gains(view, cuts), key=lambda pair: (-pair[0], pair[1]))
        best = max([gain for gain, _ in found], default=0.0)
        slack = view.lagrangian(best, self.problem.most)
        improving = [shift for gain, shift in found if gain > 1e-9][:3]
        if self.mistake == "known" and view.column_keys.size:
            improving += [shift for shift, key in self.keys.items() if key == view.column_keys[-1]]
        if improving or view.column_values is None:
            return GeneratorResult(Batch(self.columns(improving, cuts)), slack)
        return GeneratorResult(Batch(rows=self.cuts(view)), slack)

    def gains(self, view: LinearView, cuts: Sequence[int]) -> list[tuple[float, Shift]]:
        problem, mistake = self.problem, self.mistake
        jobs = view.prices(np.arange(problem.jobs + 1)) * (mistake != "job rows")
        jobs[FLEET] = 0.0
        start = float(view.prices(np.array([FLEET]))[0]) * (mistake != "fleet row")
        dues = {k: p for k, p in zip(cuts, view.prices(np.array(cuts, np.int64)).tolist(), strict=True) if p}
        arcs = dict(zip(problem.arcs, view.usage_prices().tolist(), strict=True))
        hours = problem.hours + (mistake == "resource")
        labels: list[tuple[float, int, Shift]] = [(-start, 0, ())]
        ends: list[tuple[float, Shift]] = []
        for job in range(1, problem.jobs + 1):
            made = []
            for gain, time, shift in labels:
                if time + problem.lengths[job] <= hours:
                    arc = (shift[-1] if shift else 0, job)
                    more = view.objective_weight * problem.pay[arc] - arcs[arc] - jobs[job]
                    made.append((gain + float(more), time + int(problem.lengths[job]), (*shift, job)))
            if mistake == "dominance" and made:
                made = [max(made)]
            labels += made
            ends += [(gain, shift) for gain, _, shift in made]
        charged = {} if mistake == "cuts" else dues
        return [(gain - sum(p * self.entry(k, shift) for k, p in charged.items()), shift) for gain, shift in ends]

    def entry(self, cut: int, shift: Shift) -> int:
        return len(set(self.triples[cut - FIRST_CUT]) & set(shift)) // 2

    def columns(self, shifts: Sequence[Shift], cuts: Sequence[int]) -> Columns:
        entries = [
            {FLEET: 1, **dict.fromkeys(shift, 1), **{k: self.entry(k, shift) for k in cuts if self.entry(k, shift)}}
            for shift in shifts
        ]
        return Columns(
            np.array([self.keys.setdefault(shift, len(self.keys)) for shift in shifts], np.int64),
            np.array([self.problem.worth(shift) for shift in shifts]),
            Sparse.from_rows([[*e] for e in entries], [[*e.values()] for e in entries]),
            Sparse.from_rows([self.problem.along(shift) for shift in shifts]),
        )

    def cuts(self, view: LinearView) -> Rows:
        """Of three jobs, no two shifts do two."""
        held = view.column_keys.tolist()
        names = {key: shift for shift, key in self.keys.items()}
        entries = {
            FIRST_CUT + c: {key: self.entry(FIRST_CUT + c, names[key]) for key in held}
            for c in range(len(self.triples))
        }
        values = dict(zip(held, view.column_values.tolist(), strict=True))
        load = {k: sum(values[key] * e for key, e in entry.items()) for k, entry in entries.items()}
        violated = [k for k in load if load[k] > 1 + 1e-6 and k not in view.row_keys][:2]
        kept = [{key: e for key, e in entries[k].items() if e} for k in violated]
        return Rows(
            violated,
            np.full(len(violated), -np.inf),
            np.ones(len(violated)),
            Sparse.from_rows([[*e] for e in kept], [[*e.values()] for e in kept]),
        )


def draw(rng, jobs=5, *, pairs=False):
    """A problem with whole numbers; of shifts of two jobs, which need cuts, on request."""
    pay = rng.integers(1, 10, (jobs + 1, jobs + 1))
    if pairs:
        pay[0] = 0
        return Shifts(np.array([0, *[2] * jobs]), pay, 5, 3)
    lengths = np.concatenate([[0], rng.integers(2, 6, jobs)])
    return Shifts(lengths, pay, int(lengths.sum()) // 2, 3)


def formulation(problem, mistake="", *, excludes=False):
    """Rows of the fleet and of the jobs; no columns.

    `excludes`: takes out the shifts that contradict arcs that are on, of which pricing knows nothing.
    """
    upper = np.array([float(problem.most), *([1.0] * problem.jobs)])
    rows = Rows(np.arange(problem.jobs + 1), np.full(upper.size, -np.inf), upper)
    pricing = ShiftPricing(problem, mistake)

    def excluded(fixings: Fixings, keys: IntArray) -> BoolArray:
        names = {key: shift for shift, key in pricing.keys.items()}
        on = [problem.arcs[d] for d in fixings.on.tolist()]

        def parted(shift: Shift) -> bool:
            along = [*itertools.pairwise((0, *shift))]
            return any((j in shift or (i and i in shift)) and (i, j) not in along for i, j in on)

        return np.array([parted(names[key]) for key in keys.tolist()], bool)

    return Formulation(Batch(rows=rows), [pricing], forbidden_columns=excluded if excludes else None)
