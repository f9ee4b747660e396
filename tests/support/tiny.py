"""Tiny column problems whose every answer can be written down, with a generator that knows all columns."""

import itertools

import numpy as np
from drawn import numbers

from gapless import Problem
from gapless.problems.problem import score_of
from gapless.roles import (
    Batch,
    Columns,
    Decisions,
    Formulation,
    Generator,
    GeneratorResult,
    LinearModel,
    Rows,
    Sense,
    Sparse,
)

KEY = 1000  # column j has the key KEY + j, row r the key r, hidden row h the key -1 - h


def sparse(dense):
    return Sparse.from_rows(
        [np.flatnonzero(row) for row in dense], [np.asarray(row)[np.flatnonzero(row)] for row in dense]
    )


class Tiny(Problem):
    """Numbers z_j <= upper_j of copies of each column; a structure is the tuple of counts.

    Decisions speak of quantities only, so several structures may share one answer: `decode` names the best.
    """

    def __init__(self, score, upper, entries, column_side, upper_side, uses, weights, limits, constant=0, seed=0):
        self.gain = np.asarray(score, float)
        self.upper = np.asarray(upper)
        self.entries = np.asarray(entries)  # (rows, columns)
        self.sides = np.asarray(column_side, float), np.asarray(upper_side, float)
        self.uses = np.asarray(uses)  # (columns, quantities)
        self.weights, self.limits = (
            np.asarray(weights),
            np.asarray(limits, float),
        )  # hidden: weights @ use <= limits
        self.constant, self.seed = constant, seed
        most = self.upper @ self.uses
        self.quantity = np.repeat(np.arange(most.size), most)
        self.threshold = np.concatenate([[0], *(np.arange(m) + 1 for m in most)]).astype(int)[1:]
        self._decisions = Decisions(self.quantity.size, quantity=self.quantity, threshold=self.threshold)
        self.granularity = 1.0
        self.known = {}
        for z in itertools.product(*(range(u + 1) for u in self.upper)):
            if not self.violations(z):
                ids = tuple(self.encode(z))
                if ids not in self.known or score_of(self, z) > score_of(self, self.known[ids]):
                    self.known[ids] = z

    @property
    def decisions(self):
        return self._decisions

    def value(self, structure):
        return self.sense.sign * (float(self.gain @ np.asarray(structure)) + self.constant)

    def violations(self, structure):
        if structure is None:
            return ["no counts use the quantities like this"]
        z = np.asarray(structure)
        load, use = self.entries @ z, z @ self.uses
        broken = [f"row {r}" for r in np.flatnonzero((load < self.sides[0]) | (load > self.sides[1]))]
        broken += [f"column {j}" for j in np.flatnonzero(z > self.upper)]
        return broken + [f"hidden row {h}" for h in np.flatnonzero(self.weights @ use > self.limits)]

    def encode(self, structure):
        use = np.asarray(structure) @ self.uses
        return np.flatnonzero(use[self.quantity] >= self.threshold)

    def decode(self, on_ids):
        return self.known.get(tuple(np.asarray(on_ids).tolist()))

    def best_score(self):
        return max((score_of(self, z) for z in self.known.values()), default=-np.inf)

    def linear_model(self):
        _, columns = self.entries.shape
        count = self.quantity.size
        total = columns + count
        dense, lower, upper = [], [], []
        hidden = self.weights @ self.uses.T
        for row, low, high in (
            *zip(self.entries, *self.sides, strict=True),
            *((h, -np.inf, limit) for h, limit in zip(hidden, self.limits, strict=True)),
        ):
            dense.append(np.concatenate([row, np.zeros(count)]))
            lower.append(low)
            upper.append(high)
        for d, (q, t) in enumerate(zip(self.quantity, self.threshold, strict=True)):
            most = self.upper @ self.uses[:, q]
            for factor, low, high in ((-t, 0, np.inf), (-(most - t + 1), -np.inf, t - 1)):
                row = np.zeros(total)
                row[:columns], row[columns + d] = self.uses[:, q], factor
                dense.append(row)
                lower.append(low)
                upper.append(high)
        return LinearModel(
            np.concatenate([self.gain, np.zeros(count)]),
            np.zeros(total),
            np.concatenate([self.upper, np.ones(count)]),
            np.ones(total, bool),
            sparse(np.array(dense).reshape(-1, total)),
            lower,
            upper,
            columns + np.arange(count),
            constant=self.constant,
        )


class TinyMinimised(Tiny):
    sense = Sense.MINIMISE


class Complete(Generator):
    """Prices all columns by looking at each, and separates hidden rows. Honest, until a test overrides it."""

    def __init__(self, problem, chunk=2):
        self.problem, self.chunk = problem, chunk
        self.priced, self.rows = set(), set()

    def columns(self, chosen):
        p = self.problem
        entries = [
            {
                **{r: p.entries[r, j] for r in range(len(p.entries))},
                **{-1 - h: self.weight(h)[j] for h in self.rows},
            }
            for j in chosen
        ]
        entries = [{key: a for key, a in column.items() if a} for column in entries]
        return Columns(
            KEY + np.asarray(chosen, int),
            p.gain[list(chosen)],
            Sparse.from_rows([list(e) for e in entries], [list(e.values()) for e in entries]),
            sparse(p.uses[list(chosen)].reshape(-1, p.uses.shape[1])),
            p.upper[list(chosen)],
        )

    def weight(self, h):
        return self.problem.uses @ self.problem.weights[h]

    def separate(self, view):
        if view.point is None:
            return []
        p = self.problem
        use = np.bincount(p.quantity, view.point, p.uses.shape[1])
        violated = np.flatnonzero(p.weights @ use > p.limits + 1e-6)
        return [h for h in violated.tolist() if h not in self.rows]

    def missing(self):
        return [j for j in range(self.problem.gain.size) if j not in self.priced]

    def claim(self, gain, missing):
        usable = gain > 0
        return float(gain[usable] @ self.problem.upper[missing][usable])

    def read(self, view):
        """Take columns and rows from the view, whatever was returned before."""
        self.priced = {key - KEY for key in view.column_keys.tolist()}
        self.rows = {-1 - key for key in view.row_keys.tolist() if key < 0}

    def query(self, view, *, limit=None):
        self.read(view)
        violated = self.separate(view)
        known = sorted(self.priced)
        rows = Rows(
            [-1 - h for h in violated],
            np.full(len(violated), -np.inf),
            self.problem.limits[violated],
            Sparse.from_rows(
                [[KEY + j for j in known if self.weight(h)[j]] for h in violated],
                [[self.weight(h)[j] for j in known if self.weight(h)[j]] for h in violated],
            ),
        )
        missing = self.missing()
        gain = view.reduced_costs(self.columns(missing))
        # Entries in the rows just separated cost nothing yet, so the gains above stay as they are.
        self.rows.update(violated)
        order = np.argsort(-gain, kind="stable")
        chosen = [missing[i] for i in order[: self.chunk] if gain[i] > 1e-9]
        slack = self.claim(gain, missing)
        self.priced.update(chosen)
        return GeneratorResult(Batch(self.columns(chosen), rows), pricing_gap=slack, scored=len(missing))


def formulation(problem, generator=None, start=(), **more):
    """A restricted master with the columns `start` only."""
    generator = generator or Complete(problem)
    generator.priced.update(start)
    rows = Rows(np.arange(len(problem.entries)), *problem.sides)
    return Formulation(Batch(generator.columns(list(start)), rows), (generator,), constant=problem.constant, **more)


def draw(seed, columns=5):
    """A random problem: partition-like and cover-like rows, ties, negative scores, thresholds above 1."""
    rng = numbers(seed)
    n, quantities, rows = int(rng.integers(1, columns + 1)), int(rng.integers(1, 4)), int(rng.integers(0, 4))
    partition = rng.random() < 0.4
    entries = rng.integers(0, 2 if partition else 3, (rows, n))
    lower = rng.integers(0, 4, rows).astype(float)
    upper = lower + rng.integers(0, 3, rows)
    if partition:
        lower, upper = np.ones(rows), np.ones(rows)
    open_side = rng.random(rows)
    lower[open_side < 0.25] = -np.inf
    upper[open_side > 0.75] = np.inf
    uses = rng.integers(0, 3, (n, quantities)) * (rng.random((n, quantities)) < 0.6)
    hidden = int(rng.integers(0, 3))
    weights = rng.integers(0, 3, (hidden, quantities))
    kind = TinyMinimised if rng.random() < 0.5 else Tiny
    return kind(
        rng.integers(-4, 5, n),
        rng.integers(1, 3, n),
        entries,
        lower,
        upper,
        uses,
        weights,
        rng.integers(0, 5, hidden),
        constant=int(rng.integers(-3, 4)),
        seed=seed,
    )
