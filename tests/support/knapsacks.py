"""Knapsacks of several dimensions, priced by a generator that knows all items."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

import gapless as gl
from gapless.roles import (
    Batch,
    BoundCertificate,
    Columns,
    Decisions,
    Fixings,
    Formulation,
    Generator,
    GeneratorResult,
    LinearView,
    Rows,
    Sparse,
    serialisable,
)


@serialisable("tests.Knapsacks")
@attrs.frozen(eq=False)
class Knapsacks(gl.Problem[tuple[int, ...]]):
    """Items of most worth, within every capacity."""

    worth: np.ndarray
    weights: np.ndarray
    capacities: np.ndarray
    granularity = 1.0

    @property
    def decisions(self) -> Decisions:
        return Decisions(self.worth.size)

    def value(self, structure: tuple[int, ...]) -> float:
        return float(self.worth[list(structure)].sum())

    def violations(self, structure: tuple[int, ...]) -> list[str]:
        over = self.weights[:, list(structure)].sum(axis=1) > self.capacities
        return [f"capacity {row} is exceeded" for row in np.flatnonzero(over)]

    def encode(self, structure: tuple[int, ...]) -> np.ndarray:
        return np.array(sorted(structure), np.int64)

    def decode(self, on_ids: np.ndarray) -> tuple[int, ...]:
        return tuple(on_ids.tolist())

    def best(self) -> float:
        every = (np.array(bits) for bits in itertools.product((0, 1), repeat=self.worth.size))
        return max(float(self.worth @ bits) for bits in every if np.all(self.weights @ bits <= self.capacities))


@serialisable("tests.KnapsackPrices")
@attrs.frozen(eq=False)
class KnapsackPrices(BoundCertificate):
    """Prices of capacities and of the rows of branches; of weight 0 where they prove that nothing is feasible."""

    rows: tuple[float, ...]
    branches: tuple[float, ...]
    weight: float

    def upper_bound(self, problem: gl.Problem[Any], fixings: Fixings) -> float:
        if not isinstance(problem, Knapsacks) or min(self.rows, default=0.0) < 0:
            raise gl.InvalidProblem("these prices are none for knapsacks")
        prices = np.array(self.rows)
        gain = self.weight * problem.worth - prices @ problem.weights
        branch = np.zeros(len(fixings.rows))
        branch[: len(self.branches)] = self.branches[: branch.size]  # a leaf may inherit the prices of its parent
        for row, price in zip(fixings.rows, branch, strict=True):
            gain[list(row.decisions)] -= price * np.array(row.coefficients)
        gain = np.where(fixings.state == 1, gain, np.where(fixings.state == 0, 0.0, np.maximum(gain, 0.0)))
        bound = float(prices @ problem.capacities + gain.sum()) + fixings.rows_bound(branch)
        if self.weight not in (0, 1) or (not self.weight and bound >= 0):
            raise gl.InvalidProblem("these prices prove nothing")
        return bound if self.weight else -math.inf


class Items(Generator[LinearView]):
    """The best missing item, one at a time."""

    def __init__(self, problem: Knapsacks) -> None:
        self.problem = problem

    def columns(self, items: Sequence[int]) -> Columns:
        chosen = np.array(items, np.int64)
        rows = [np.flatnonzero(self.problem.weights[:, i]).tolist() for i in items]
        values = [self.problem.weights[r, i].tolist() for r, i in zip(rows, items, strict=True)]
        return Columns(
            chosen, self.problem.worth[chosen].astype(float), Sparse.from_rows(rows, values),
            Sparse.from_rows([[i] for i in items]), np.ones(chosen.size),
        )  # fmt: skip

    def query(self, view: LinearView, *, limit: int | None = None) -> GeneratorResult:
        missing = np.setdiff1d(np.arange(self.problem.worth.size), view.column_keys)
        missing = missing[view.fixings.state[missing] != 0]
        gain = view.reduced_costs(self.columns(missing.tolist())) if missing.size else np.zeros(0)
        good = missing[gain > 1e-9]
        best = [int(missing[np.argmax(gain)])] if good.size else []
        return GeneratorResult(Batch(self.columns(best)), float(np.maximum(gain, 0.0).sum()))


def draw(rng, items=8, rows=2):
    weights = rng.integers(1, 9, (rows, items))
    capacities = weights.sum(axis=1) * 45 // 100
    return Knapsacks(rng.integers(5, 12, items).astype(float), weights.astype(float), capacities.astype(float))


def formulation(problem, brancher, **options):
    count = problem.capacities.size
    rows = Rows(np.arange(count), np.full(count, -math.inf), problem.capacities)

    def certify(view: LinearView, answers: Sequence[GeneratorResult]) -> KnapsackPrices:
        prices = np.maximum(view.prices(np.arange(count)), 0.0)
        return KnapsackPrices(tuple(prices.tolist()), tuple(view.branch_prices().tolist()), view.objective_weight)

    return Formulation(Batch(rows=rows), [Items(problem)], brancher, certify=certify, **options)
