"""Options of pricing in both trees: the answer stays, lies are caught, cheap stages come first."""

import itertools
import time

import attrs
import numpy as np
import pytest
import tiny
from agreement import agrees
from drawn import examples, generators, long
from hypothesis import given
from pyscipopt import Model

import gapless as gl
from gapless.column_generation import branch_and_price, reduced_cost_fixing
from gapless.column_generation.master import LinearMaster
from gapless.problems.problem import score_of
from gapless.roles import (
    Batch,
    Columns,
    Decisions,
    Fixings,
    Formulation,
    Generator,
    GeneratorResult,
    InconsistentBound,
    PricingOptions,
    Rows,
    SolveBudget,
    Sparse,
)
from gapless.scip import branch_price_and_cut
from gapless.scip.status import apply_limits

TREES = (branch_and_price, branch_price_and_cut)
SMOOTHED = [
    PricingOptions(smoothing=kind, smoothing_factor=share, initial_prices=prices)
    for kind, share, prices in itertools.product(("wentges", "directional"), (None, 0.9), (None, {0: 3.0, 1: -2.0}))
]
OPTIONS = [*SMOOTHED, PricingOptions(early_branching=True), PricingOptions(tail_off_rounds=1, tail_off_share=0.9)]
OPTIONS += [PricingOptions(column_age_limit=1), PricingOptions(column_age_limit=1, smoothing="wentges")]
OPTIONS += [
    attrs.evolve(SMOOTHED[-1], early_branching=True, tail_off_rounds=2),
    PricingOptions(branch_before_pricing=True),
    PricingOptions(row_age_limit=1),
]
OPTIONS += [PricingOptions(branch_before_pricing=True, row_age_limit=1, column_age_limit=1, smoothing="wentges")]


class Viewed(tiny.Complete):
    """Bounds what it prices by the view; `lie` replaces its claim, and `chunk` limits what it returns."""

    def __init__(self, problem, chunk=1, lie=None):
        super().__init__(problem, chunk)
        self.lie, self.smoothed = lie, 0

    def query(self, view, *, limit=None):
        self.smoothed += view.smoothed
        self.view = view
        return super().query(view, limit=limit)

    def claim(self, gain, missing):
        gap = self.view.lagrangian(gain, self.problem.upper[missing])
        return gap if self.lie is None else self.lie(self.view, gap)


class Fixing(Viewed):
    """Also tells the gain of the best missing column through each quantity."""

    def reduced_cost_bounds(self, view):
        self.read(view)
        best = np.full(self.problem.decisions.quantities, -np.inf)
        missing = self.missing()
        for j, gain in zip(missing, view.reduced_costs(self.columns(missing)), strict=True):
            used = np.flatnonzero(self.problem.uses[j])
            best[used] = np.maximum(best[used], gain)
        return best


class Staged(Viewed):
    """A stage that looks at half of the columns and claims nothing, then the exact one."""

    stages = ("half", "exact")

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.asked = []

    def query(self, view, *, limit=None, stage="exact"):
        self.asked.append(stage)
        answer = super().query(view, limit=limit)
        if stage == "exact":
            return answer
        columns = answer.batch.columns
        return attrs.evolve(
            answer, pricing_gap=None, batch=Batch(columns.take(np.flatnonzero(columns.keys % 2)), answer.batch.rows)
        )


def formulation(problem, generator, **options):
    rows = Rows(np.arange(len(problem.entries)), *problem.sides)
    return Formulation(
        Batch(Columns.none(), rows), (generator,), constant=problem.constant, pricing=PricingOptions(**options)
    )


@examples(5)
@given(rng=generators())
def test_options_leave_the_answer(rng):
    block = int(rng.integers(12))
    for seed in range(20 * block, 20 * block + 20):
        problem = tiny.draw(seed)
        pricing = OPTIONS[seed % len(OPTIONS)]
        kind = (Viewed, Staged, Fixing)[seed % 3]
        for tree in TREES:
            form = attrs.evolve(formulation(problem, kind(problem)), pricing=pricing)
            assert agrees(problem, tree(problem, form)), (seed, pricing, tree)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cases", [8, long(60)])
def test_smoothed_views_are_asked(tree, cases):
    """Otherwise the test above compares nothing."""
    asked = 0
    for seed in range(cases):
        problem = tiny.draw(seed)
        generator = Viewed(problem)
        tree(problem, formulation(problem, generator, smoothing="wentges"))
        asked += generator.smoothed
    assert asked > cases / 3


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cases", [20, long(80)])
def test_a_slack_too_small_at_smoothed_prices_is_caught(tree, cases):
    """One that cuts off the optimum: claims at smoothed prices are tested by the columns like all others."""
    caught = wrong = 0
    for seed in range(cases):
        problem = tiny.draw(seed)
        generator = Viewed(problem, lie=lambda view, slack: 0.0 if view.smoothed else slack)
        try:
            result = tree(problem, formulation(problem, generator, smoothing="wentges", smoothing_factor=0.9))
        except InconsistentBound:
            caught += 1
        else:
            wrong += not agrees(problem, result)
    assert caught
    assert wrong <= caught, "a lie below the incumbent prunes before its columns come, in every method"


@pytest.mark.parametrize("tree", TREES)
def test_cheap_stages_come_first(tree):
    problem = next(p for p in map(tiny.draw, range(100)) if p.known and p.gain.size == 5 and (p.gain > 0).sum() > 3)
    generator = Staged(problem)
    result = tree(problem, formulation(problem, generator))
    assert agrees(problem, result)
    assert generator.asked[0] == "half"
    assert "exact" in generator.asked
    one_node = generator.asked[: generator.asked.index("exact")]
    assert set(one_node) == {"half"}


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cases", [24, long(90)])
def test_fixing_by_reduced_costs_leaves_the_answer(tree, monkeypatch, cases):
    """A start makes an incumbent, which is what the reduced costs are compared with."""
    nodes = {False: 0, True: 0}
    fixed = []
    made = reduced_cost_fixing.Tightening
    monkeypatch.setattr(reduced_cost_fixing, "Tightening", lambda *a: fixed.append(a) or made(*a))
    for seed in range(cases):
        problem = tiny.draw(seed, 7)
        ranked = sorted(problem.known.values(), key=lambda z: score_of(problem, z))
        start = ranked[-2:-1] if seed % 2 else ranked[-1:]
        for fixing in nodes:
            form = formulation(problem, Fixing(problem), fixing=fixing)
            result = tree(problem, form, start=start)
            assert agrees(problem, result), seed
            nodes[fixing] += result.stats.nodes
    assert fixed
    assert nodes[True] <= nodes[False]


@pytest.mark.parametrize("gains", [lambda g: g + np.nan, long(lambda g: g[:-1])])
@pytest.mark.parametrize("tree", TREES)
def test_bad_usage_gains_are_named(tree, gains):
    class Bad(Fixing):
        def reduced_cost_bounds(self, view):
            return gains(np.zeros(self.problem.decisions.quantities))

    def solve_all():
        for problem in map(tiny.draw, range(60)):
            tree(problem, formulation(problem, Bad(problem)))

    with pytest.raises(InconsistentBound, match="reduced_cost_bounds returned shape"):
        solve_all()


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cases", [20, long(60)])
def test_a_limit_within_a_round_leaves_a_true_bound(tree, cases):
    """The clock runs out at a question at smoothed prices, after which others would come in the same round."""
    stopped = 0
    for seed in range(cases):
        problem, seconds = tiny.draw(seed), [0.0]

        class Late(Viewed):
            def query(self, view, *, limit=None, seconds=seconds):
                seconds[0] = 5.0 if view.smoothed else seconds[0]
                return super().query(view, limit=limit)

        budget = SolveBudget(gl.Limits(time=4.0), clock=lambda seconds=seconds: seconds[0])
        generator = Late(problem)
        result = tree(problem, formulation(problem, generator, smoothing="wentges", smoothing_factor=0.9), budget)
        assert generator.smoothed <= 1
        stopped += result.stop is gl.Stop.TIME
        assert problem.sense.turn(result.bound) >= problem.best_score() - 1e-9
    assert stopped


@attrs.frozen(eq=False)
class Parcels(gl.Problem):
    """Parcels go by van, or by post: any number, for a price that the generator of vans knows nothing of."""

    post: float = 1.5
    count: int = 4

    @property
    def decisions(self):
        return Decisions(2 * self.count)  # parcel i by van, by post

    sense = gl.roles.Sense.MINIMISE

    def value(self, structure):
        vans = sum(d < self.count for d in structure)
        return 2.0 * vans + self.post * (len(structure) - vans)

    def violations(self, structure):
        return [] if sorted(d % self.count for d in structure) == list(range(self.count)) else ["not each once"]

    def encode(self, structure):
        return np.array(sorted(structure), np.int64)

    def decode(self, on_ids):
        return tuple(int(d) for d in on_ids)


class Vans(Generator):
    """Vans with one parcel each, by their cost of 2: the slack is Farley's."""

    def __init__(self, count):
        self.count = count

    def columns(self, chosen):
        single = [[i] for i in chosen]
        return Columns(chosen, -2.0 * np.ones(len(chosen)), Sparse.from_rows(single), Sparse.from_rows(single))

    def query(self, view, *, limit=None):
        gains = view.reduced_costs(self.columns(range(self.count)))
        best = int(np.argmax(gains))
        if gains[best] <= 1e-9:
            return GeneratorResult(pricing_gap=0.0)
        return GeneratorResult(Batch(self.columns([best])), view.farley(float(gains[best]), cost=2.0))


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("pricing", SMOOTHED)
@pytest.mark.parametrize("post", [0.5, 1.5, 2.5])
def test_first_columns_that_no_generator_knows_stay_in_the_bound(tree, pricing, post):
    problem = Parcels(post)
    n = problem.count
    entries = Sparse.from_rows([[i] for i in range(n)])
    by_post = Columns(100 + np.arange(n), np.full(n, -post), entries, Sparse.from_rows([[n + i] for i in range(n)]))
    form = Formulation(
        Batch(by_post, Rows(np.arange(n), np.ones(n), np.full(n, np.inf))), [Vans(n)], pricing=pricing
    )
    result = tree(problem, form)
    assert result.status is gl.Status.OPTIMAL
    assert result.value == n * min(post, 2.0)


@pytest.mark.parametrize("smoothing", ["none", "wentges", "directional"])
@pytest.mark.parametrize("cases", [12, long(40)])
def test_every_round_bounds_the_node(smoothing, cases):
    """The restricted master and the claims of all rounds lie on either side of the complete master."""
    for seed in range(cases):
        problem = tiny.draw(seed)
        form = formulation(problem, Viewed(problem), smoothing=smoothing)
        whole = LinearMaster(problem, form)
        every = Viewed(problem).columns(range(problem.gain.size))
        whole.extend(Batch(every))
        complete = whole.solve(Fixings.none(problem.decisions.count), SolveBudget())
        bounds = []
        budget = SolveBudget(
            gl.Limits(nodes=1), observers=[lambda e, b=bounds: b.append(e) if e.kind == "round" else 0]
        )
        branch_and_price(problem, attrs.evolve(form, generators=[_NoRows(problem)]), budget)
        for event in bounds:
            bound = problem.sense.turn(event.bound)
            assert bound >= complete.bound - 1e-7


class _NoRows(Viewed):
    def separate(self, view):
        return []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smoothing": "neame"}, "smoothing is 'neame', expected one of none, wentges, directional"),
        ({"smoothing_factor": 1.0}, "smoothing_factor is 1.0, expected a number of at least 0, less than 1"),
        (
            {"initial_prices": {0: np.inf}},
            "initial_prices is {0: inf}, expected a mapping of row keys to finite prices",
        ),
        ({"early_branching": 1}, "early_branching is 1, expected True or False"),
        ({"tail_off_rounds": -1}, "tail_off_rounds is -1, expected a number of rounds, 0 for never"),
        ({"tail_off_rounds": True}, "tail_off_rounds is True"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(gl.InvalidProblem, match=message):
        PricingOptions(**options)


def test_scip_counts_the_time_that_the_budget_counts():
    for clock, kind in ((time.process_time, 1), (time.perf_counter, 2)):
        model = Model()
        apply_limits(model, SolveBudget(gl.Limits(time=3.0), clock=clock))
        assert model.getParam("timing/clocktype") == kind
