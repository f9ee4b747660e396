"""Rows of branches beside options of pricing, in both trees against enumeration."""

import attrs
import knapsacks
import numpy as np
import pytest
from drawn import examples, generators, mostly_long, seeing
from hypothesis import given

import gapless as gl
from gapless.column_generation import PricedRelaxation, branch_and_price
from gapless.column_generation.branching import Expressions, StrongBranching, Sum
from gapless.column_generation.master import LinearMaster
from gapless.roles import Batch, BranchRow, Fixings, GeneratorResult, PricingOptions, SolveBudget, TreeCertificate
from gapless.scip import branch_price_and_cut
from gapless.scip.probing_master import ProbingMaster
from gapless.tree_search.relaxation import Probe

ITEMS = 8
OPTIONS = {
    "fixing": {},
    "wentges": {"smoothing": "wentges"},
    "directional": {"smoothing": "directional", "initial_columns_priceable": True},
    "constant": {"smoothing": "wentges", "smoothing_factor": 0.6, "fixing": False},
    "early": {"early_branching": True, "tail_off_rounds": 2},
    "ages": {"column_age_limit": 1},
    "lazy": {"branch_before_pricing": True, "row_age_limit": 1},
    "all": {"smoothing": "directional", "early_branching": True, "tail_off_rounds": 3, "column_age_limit": 2},
}


class Staged(knapsacks.Items):
    """Light items first; says what missing items gain."""

    stages = ("light", "exact")

    def query(self, view, *, limit=None, stage="exact"):
        answer = super().query(view)
        if stage == "exact":
            return answer
        light = self.problem.weights[0][answer.batch.columns.keys] < 5
        return GeneratorResult(Batch(answer.batch.columns.take(np.flatnonzero(light))), None)

    def reduced_cost_bounds(self, view):
        gain = view.reduced_costs(self.columns(range(self.problem.worth.size)))
        gain[view.column_keys] = -np.inf
        return gain


def sums():
    return Expressions([Sum(range(ITEMS), "items"), Sum(range(0, ITEMS, 2), coefficients=range(1, 1 + ITEMS // 2))])


# In the quick run each option meets both trees, and each tree probes with half the options.
COMBINATIONS = [
    (solve, options, looks)
    for solve in (branch_and_price, branch_price_and_cut)
    for options in OPTIONS
    for looks in (False, True)
]
QUICK = [
    place
    for place, (solve, options, looks) in enumerate(COMBINATIONS)
    if looks == ((list(OPTIONS).index(options) + (solve is branch_and_price)) % 2 == 0)
]


@pytest.mark.parametrize(("solve", "options", "looks"), mostly_long(COMBINATIONS, QUICK))
@seeing("below rows", "below rows, as the options say")
@examples(6)
@given(rng=generators())
def test_equals_enumeration(seen, rng, looks, options, solve):
    problem = knapsacks.draw(rng)
    below = []

    class Watched(Staged):
        def query(self, view, *, limit=None, stage="exact"):
            below.append((bool(view.fixings.rows), view.smoothed))
            return super().query(view, limit=limit, stage=stage)

    brancher = StrongBranching(sums()) if looks else sums()
    made = knapsacks.formulation(problem, brancher, pricing=PricingOptions(**OPTIONS[options]))
    result = solve(problem, attrs.evolve(made, generators=[Watched(problem)]))
    seen["below rows"] += any(rows for rows, _ in below)
    seen["below rows, as the options say"] += ("smoothing" in OPTIONS[options], True) in {
        (smooth, rows) for rows, smooth in below
    }
    assert result.status is gl.Status.OPTIMAL
    assert result.value == problem.best()
    if solve is branch_and_price:
        verdict = result.verify(problem)
        assert verdict, verdict.reason


@examples(40)
@given(rng=generators())
def test_smoothed_prices_of_rows_prove_bounds(rng):
    """Also where the centre knows none of the rows, or others; the view prices a sum as its quantities do."""
    problem = knapsacks.draw(rng)
    master = LinearMaster(
        problem, knapsacks.formulation(problem, sums(), pricing=PricingOptions(initial_columns_priceable=True))
    )
    master.extend(Batch(knapsacks.Items(problem).columns(range(ITEMS))))
    rows = [BranchRow(range(ITEMS), upper=3), BranchRow(range(0, ITEMS, 2), lower=1)]
    nodes = [Fixings.none(ITEMS).fix(rows=some) for some in ([], rows[:1], rows)]
    views = []
    for node in nodes:
        master.solve(node, SolveBudget())
        views.append(master.view())
    allowed = [
        problem.value(s)
        for bits in np.ndindex(*(2,) * ITEMS)
        if not problem.violations(s := tuple(np.flatnonzero(bits).tolist())) and nodes[-1].allows(np.array(s, int))
    ]
    share = float(rng.uniform(0.05, 0.95))
    for centre in views:
        between = master.smoothed(views[-1], centre, share)
        missing = np.setdiff1d(np.arange(ITEMS), between.column_keys)
        columns = knapsacks.Items(problem).columns(range(ITEMS))
        gain = between.reduced_costs(columns)
        assert np.all(gain[between.column_keys] <= 1e-9)
        bound = between.bound + float(np.maximum(gain[missing], 0.0).sum())
        assert bound >= max(allowed, default=-np.inf) - 1e-9
        if centre is views[-1]:
            assert np.allclose(between.branch_prices(), centre.branch_prices())
            assert bound == pytest.approx(centre.bound)
        paid = between.usage_prices()
        for row, price in zip(nodes[-1].rows, between.branch_prices(), strict=True):
            paid[list(row.decisions)] -= price
        assert np.allclose(paid, 0.0)


def test_reduced_costs_fix_below_rows():
    """From the best structure on, and the verifier accepts each fixing."""
    rng, below = np.random.default_rng(0), 0
    for _ in range(8):
        problem = knapsacks.draw(rng)
        every = (tuple(np.flatnonzero(bits).tolist()) for bits in np.ndindex(*(2,) * ITEMS))
        best = max((s for s in every if not problem.violations(s)), key=problem.value)
        made = attrs.evolve(knapsacks.formulation(problem, sums()), generators=[Staged(problem)])
        result = branch_and_price(problem, made, start=[best])
        assert result.value == problem.value(best)
        verdict = result.verify(problem)
        assert verdict, verdict.reason
        tree = result.certificate
        for node in tree.tightenings if isinstance(tree, TreeCertificate) else ():
            above = int(node)
            while above and not tree.branches[above].rows:
                above = tree.parents[above]
            below += above > 0
    assert below


@pytest.mark.parametrize("shadow", [False, True], ids=["own tree", "SCIP's tree"])
def test_a_look_fixes_nothing(shadow):
    """A probe drops tightenings, so no generator is asked for reduced-cost bounds."""
    problem, asked = knapsacks.draw(np.random.default_rng(0)), []

    class Watched(Staged):
        def reduced_cost_bounds(self, view):
            asked.append(view)
            return super().reduced_cost_bounds(view)

    made = attrs.evolve(knapsacks.formulation(problem, sums()), generators=[Watched(problem)])
    relaxation = PricedRelaxation(LinearMaster(problem, made), made.generators, problem.decisions)
    none, worst = Fixings.none(ITEMS), problem.best() - 1.0
    full = relaxation.solve(none, SolveBudget(), incumbent=worst)
    assert len(asked) == 1
    probe = Probe(problem, ProbingMaster(problem, made, None) if shadow else relaxation, none, SolveBudget(), worst)
    assert probe.relax(none).bound == pytest.approx(full.bound)
    assert len(asked) == 1
