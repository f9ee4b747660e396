"""Subset-row cuts, which no price of a quantity can express, written by a user with public names, in both trees.

Teams from pairs and triples: each member is in one team at most, and teams score. Of three members, at most one
team holds two: the sum over columns of floor(members / 2) is at most 1 (Jepsen, Petersen, Spoorendonk, Pisinger,
2008).
"""

import itertools

import attrs
import numpy as np
import pytest
from drawn import long

import gapless as gl
from gapless.column_generation import branch_and_price
from gapless.roles import (
    Batch,
    Columns,
    Decisions,
    Formulation,
    Generator,
    GeneratorResult,
    PricingOptions,
    Rows,
    Sparse,
)
from gapless.scip import branch_price_and_cut

TREES = (branch_and_price, branch_price_and_cut)


@attrs.frozen(eq=False)
class Teams(gl.Problem):
    """Decision t: team t is formed."""

    members: int
    score: np.ndarray

    @property
    def teams(self):
        sizes = (2, 3)
        return [team for size in sizes for team in itertools.combinations(range(self.members), size)]

    @property
    def decisions(self):
        return Decisions(len(self.teams))

    def value(self, structure):
        return float(self.score[list(structure)].sum())

    def violations(self, structure):
        chosen = [m for t in structure for m in self.teams[t]]
        return [f"{m} is in two teams" for m in set(chosen) if chosen.count(m) > 1]

    def encode(self, structure):
        return np.array(sorted(structure), np.int64)

    def decode(self, on_ids):
        return tuple(int(d) for d in on_ids)

    def best(self):
        def of(free):
            if not free:
                return 0.0
            first, *others = sorted(free)
            with_first = [(t, team) for t, team in enumerate(self.teams) if first in team and set(team) <= free]
            return max([of(set(others)), *(self.score[t] + of(free - set(team)) for t, team in with_first)])

        return of(set(range(self.members)))


class TeamsAndCuts(Generator):
    """One generator that prices teams and separates subset-row cuts; key of a cut: its number plus 1000."""

    def __init__(self, problem):
        self.problem, self.teams = problem, problem.teams
        self.triples = list(itertools.combinations(range(problem.members), 3))
        self.halves = np.array([[len(set(t) & set(c)) // 2 for t in self.teams] for c in self.triples])
        self.seen = {"cut prices": 0}

    def columns(self, chosen, cuts):
        entries = [
            {**dict.fromkeys(self.teams[t], 1), **{1000 + c: self.halves[c, t] for c in cuts if self.halves[c, t]}}
            for t in chosen
        ]
        return Columns(
            np.asarray(chosen, np.int64),
            self.problem.score[list(chosen)],
            Sparse.from_rows([list(e) for e in entries], [list(e.values()) for e in entries]),
            Sparse.from_rows([[t] for t in chosen]),
            np.ones(len(chosen)),
        )

    def query(self, view, *, limit=None):
        cuts = [key - 1000 for key in view.row_keys.tolist() if key >= 1000]
        self.seen["cut prices"] += bool(np.any(view.prices(1000 + np.array(cuts, np.int64)) > 1e-9))
        held = view.column_keys
        missing = np.setdiff1d(np.arange(len(self.teams)), held)
        gains = view.reduced_costs(self.columns(missing, cuts))
        improving = missing[np.argsort(-gains, kind="stable")][: int((gains > 1e-9).sum())][:2]
        if improving.size or view.column_values is None:
            return GeneratorResult(Batch(self.columns(improving, cuts)), view.lagrangian(gains, 1.0))
        load = self.halves[:, held] @ view.column_values
        violated = [c for c in np.flatnonzero(load > 1 + 1e-6).tolist() if c not in cuts][:3]
        rows = Rows(
            [1000 + c for c in violated],
            np.full(len(violated), -np.inf),
            np.ones(len(violated)),
            Sparse.from_rows(
                [held[self.halves[c, held] > 0] for c in violated],
                [self.halves[c, held][self.halves[c, held] > 0] for c in violated],
            ),
        )
        return GeneratorResult(Batch(rows=rows), view.lagrangian(gains, 1.0))


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize(
    "pricing",
    [
        PricingOptions(),
        long(PricingOptions(smoothing="wentges")),
        PricingOptions(smoothing="directional", column_age_limit=2),
        long(PricingOptions(tail_off_rounds=3)),
    ],
)
def test_subset_rows(tree, pricing):
    priced = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        members = 7
        teams = len(Teams(members, np.zeros(0)).teams)
        problem = Teams(members, rng.integers(1, 9, teams).astype(float))
        generator = TeamsAndCuts(problem)
        once = Rows(np.arange(members), np.full(members, -np.inf), np.ones(members))
        result = tree(problem, Formulation(Batch(rows=once), [generator], pricing=pricing))
        assert (result.status, result.value) == (gl.Status.OPTIMAL, problem.best()), seed
        priced += generator.seen["cut prices"]
    assert priced > 2, "pricing met prices of subset-row cuts"
