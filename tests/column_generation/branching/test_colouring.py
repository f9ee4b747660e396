"""Graph colouring by branch and price: Ryan and Foster's pairs, dives and restricted masters in both trees."""

import itertools

import attrs
import numpy as np
import pytest
from drawn import examples, generators
from hypothesis import given

import gapless as gl
from benchmarks.colouring.certificate import StableSetPrices
from benchmarks.colouring.formulation import formulation
from benchmarks.colouring.graphs import myciel, queen
from benchmarks.colouring.problem import Colouring, ordered
from benchmarks.colouring.stable_sets import StableSets
from gapless.column_generation import branch_and_price
from gapless.column_generation.branching import Phase, RyanFoster, StrongBranching, diving, restricted_master
from gapless.column_generation.master import LinearMaster
from gapless.column_generation.price_and_cut import PricedRelaxation
from gapless.roles import (
    Batch,
    Branch,
    Decisions,
    Fixings,
    PricingOptions,
    Relaxation,
    RelaxationResult,
    SolveBudget,
    UncoveredBranching,
)
from gapless.scip import branch_price_and_cut
from gapless.testing import ConformanceError, check_brancher, check_certificate, check_generator
from gapless.tree_search.relaxation import Probe

TREES = (branch_and_price, branch_price_and_cut)


def draw(rng, vertices=7):
    some = np.argwhere(np.triu(rng.random((vertices, vertices)) < 0.45, 1))
    return Colouring(vertices, some)


def partitions(vertices):
    """All partitions of vertices 0, 1, ... into classes."""
    if not vertices:
        yield []
        return
    for rest in partitions(vertices - 1):
        yield [*rest, [vertices - 1]]
        for place in range(len(rest)):
            yield [one if n != place else [*one, vertices - 1] for n, one in enumerate(rest)]


def colourings(problem):
    every = map(ordered, partitions(problem.vertices))
    return [one for one in every if not problem.violations(one)]


OPTIONS = {
    "plain": {},
    "strong": {"brancher": lambda pairs: StrongBranching(pairs, phases=(Phase(4), Phase(2, 1), Phase(2, None)))},
    "dives": {"rounding": diving(discrepancies=1)},
    "plainly priced": {"pricing": PricingOptions()},
    "best of all bounds": {
        "pricing": PricingOptions(
            branch_before_pricing=True, column_age_limit=1, row_age_limit=1, smoothing="wentges"
        )
    },
    "restricted master": {"rounding": restricted_master(nodes=10), "rounding_frequency": 2},
}


@pytest.mark.parametrize("solve", TREES)
@pytest.mark.parametrize("options", OPTIONS)
@examples(5)
@given(rng=generators())
def test_equals_enumeration(rng, options, solve):
    problem = draw(rng)
    result = solve(problem, formulation(problem, **OPTIONS[options]))
    assert result.status is gl.Status.OPTIMAL
    assert result.value == min(len(one) for one in colourings(problem))
    if solve is branch_and_price:
        verdict = result.verify(problem)
        assert verdict, verdict.reason


@pytest.mark.parametrize("solve", TREES)
@pytest.mark.parametrize(("graph", "colours"), [(myciel(3), 4), (queen(5, 5), 5), (queen(4, 4), 5)])
def test_known_graphs(graph, colours, solve):
    problem = Colouring(*graph)
    result = solve(problem, formulation(problem))
    assert result.status is gl.Status.OPTIMAL
    assert result.value == colours
    assert solve is branch_price_and_cut or result.verify(problem)


def test_the_generated_graphs_have_the_sizes_of_the_challenge():
    assert [(n, len(edges)) for n, edges in (myciel(3), myciel(4), myciel(5), queen(8, 8))] == [
        (11, 20), (23, 71), (47, 236), (64, 728),
    ]  # fmt: skip


@pytest.mark.parametrize("density", [0.15, 0.6])
@examples(25)
@given(rng=generators())
def test_the_heaviest_stable_set(rng, density):
    n = int(rng.integers(1, 9))
    adjacent = np.triu(rng.random((n, n)) < density, 1)
    adjacent |= adjacent.T
    weights = rng.integers(-2, 6, n).astype(float)
    stable = [
        weights[list(one)].sum()
        for size in range(1, n + 1)
        for one in itertools.combinations(range(n), size)
        if not adjacent[np.ix_(one, one)].any()
    ]
    found = StableSets(weights, adjacent, 0.0)
    assert found.best == max([0.0, *stable])
    for weight, one in found.sets():
        assert weights[one].sum() == weight
        assert not adjacent[np.ix_(one, one)].any()


def test_the_kit_agrees():
    rng = np.random.default_rng(0)
    for _ in range(3):
        problem = draw(rng, 5)
        made, every = formulation(problem), colourings(problem)
        check_generator(
            made.generators, lambda p=problem, m=made: LinearMaster(p, m), problem, structures=every, samples=4
        )
        relaxation = PricedRelaxation(LinearMaster(problem, made), made.generators, problem.decisions)
        pairs = RyanFoster(problem.vertices, problem.pairs)
        for brancher in (pairs, StrongBranching(pairs)):
            check_brancher(brancher, problem, relaxation, structures=every, samples=6)
        prices = StableSetPrices(rng.integers(0, 9, problem.vertices))
        check_certificate(prices, problem, structures=every, samples=4, forgeries=5)


def test_pairs_that_are_together_need_no_rows():
    """Sets that hold one of the two leave; the optimum below is that of a master with rows."""
    rng = np.random.default_rng(1)
    improved = 0
    for _ in range(20):
        problem = draw(rng, 6)
        made = formulation(problem)
        rows = attrs.evolve(made, forbidden_columns=None)
        masters = [LinearMaster(problem, one) for one in (made, rows)]
        relaxations = [
            PricedRelaxation(master, one.generators, problem.decisions)
            for master, one in zip(masters, (made, rows), strict=True)
        ]
        count = len(problem.pairs)
        for _ in range(4):
            fixings = Fixings(rng.choice([-1, -1, -1, 0, 1], count))
            without, with_rows = (r.solve(fixings, SolveBudget()).bound for r in relaxations)
            assert without == pytest.approx(with_rows, abs=1e-6)
            improved += bool(fixings.on.size and without > -np.inf)
        assert masters[0]._lp.rows == problem.vertices
    assert improved > 10


def test_too_much_excluded_is_caught():
    problem = Colouring(5, np.zeros((0, 2)))
    made = formulation(problem)
    wrong = attrs.evolve(made, forbidden_columns=lambda fixings, keys: np.ones(keys.size, bool))
    with pytest.raises(ConformanceError):
        check_generator(
            wrong.generators,
            lambda: LinearMaster(problem, wrong),
            problem,
            structures=colourings(problem),
            samples=4,
        )


def test_a_mask_of_another_size_is_named():
    problem = Colouring(3, np.zeros((0, 2)))
    wrong = attrs.evolve(formulation(problem), forbidden_columns=lambda fixings, keys: np.zeros(1, bool))
    with pytest.raises(gl.InvalidProblem, match=r"forbidden_columns returned shape \(1,\) for 3 columns"):
        LinearMaster(problem, wrong).solve(Fixings.none(3), SolveBudget())


def test_merged_is_what_pricing_heeds():
    pairs = RyanFoster(5, [(0, 1), (1, 2), (0, 2), (3, 4), (2, 3)])
    none = Fixings.none(5)
    merged = pairs.merged(none.fix(on=[0, 1], off=[3]))
    assert merged.group.tolist() == [0, 0, 0, 1, 2]
    assert [one.tolist() for one in merged.members()] == [[0, 1, 2], [3], [4]]
    assert merged.apart.tolist() == [[False, True, True], [True, False, True], [True, True, False]]  # 0-4 never
    assert not pairs.merged(none).apart[2, 3]
    assert pairs.merged(none.fix(on=[0, 1], off=[2])) is None  # together is transitive
    assert pairs.merged(none.fix(on=[0, 4, 1])) is None  # 0 and 3 have no decision
    for wrong in [(0, 5)], [(2, 2)], [(-1, 0)]:
        with pytest.raises(gl.InvalidProblem, match="pair 0"):
            RyanFoster(5, wrong)


@pytest.mark.parametrize("solve", TREES)
def test_a_brancher_that_loses_structures_is_caught(solve):
    class Together(RyanFoster):
        def split(self, fixings, relaxed):
            return [Branch(on=b.on) for b in super().split(fixings, relaxed) if b.on]

    problem = Colouring(*myciel(3))
    with pytest.raises(UncoveredBranching, match="no child covers") as caught:
        solve(problem, formulation(problem, brancher=lambda _: Together(problem.vertices, problem.pairs)))
    assert caught.value.result.status is not gl.Status.OPTIMAL


@pytest.mark.parametrize("solve", TREES)
@pytest.mark.parametrize(("rule", "colours"), [(diving(), 4), (restricted_master(nodes=100), 5)])
def test_a_rule_finds_a_structure_at_the_root(rule, colours, solve):
    """Without it the root of this graph has none: its point is fractional."""
    problem = Colouring(*myciel(3))
    nothing = formulation(problem, rounding=lambda relaxed: None)
    assert not solve(problem, nothing, SolveBudget(gl.Limits(nodes=1))).solutions
    made = formulation(problem, rounding=rule, rounding_frequency=0)
    result = solve(problem, made, SolveBudget(gl.Limits(nodes=1)))
    assert 4 <= result.value <= colours
    assert result.bound <= 4


@pytest.mark.parametrize("on", [(), (0, 5)])
def test_the_restricted_master_of_all_columns_is_the_problem(on):
    problem = Colouring(*myciel(3))
    made = formulation(problem)
    master = LinearMaster(problem, made)
    every = [
        one
        for size in range(1, 6)
        for one in itertools.combinations(range(problem.vertices), size)
        if not problem.adjacent[np.ix_(one, one)].any()
    ]
    master.extend(Batch(made.generators[0].columns.write(every)))
    fixings = Fixings.none(problem.decisions.count).fix(on=on)
    found = master.integral(fixings, SolveBudget())
    assert len(found) == branch_and_price(problem, made).value == 4
    assert fixings.allows(problem.encode(found))
    assert master.integral(fixings, SolveBudget(), incumbent=-4.0) is None  # nothing is better


def test_a_dive_passes_over_what_leads_nowhere():
    """The decision that the point likes best leads to no structure; the next one does."""

    class Pairs(gl.Problem):
        decisions = Decisions(2)

        def value(self, structure):
            return 1.0

        def violations(self, structure):
            return []

        def encode(self, structure):
            return np.array([1])

        def decode(self, on_ids):
            return "found"

    class Misleading(Relaxation):
        def solve(self, fixings, budget, *, incumbent=-np.inf, state=None):
            if fixings.state[0] == 1:
                return RelaxationResult(-np.inf)
            on = fixings.state[1] == 1
            return RelaxationResult(2.0, np.array([0.7, 0.6]), "found" if on else None)

    def found(discrepancies):
        relaxation, fixings, budget = Misleading(), Fixings.none(2), SolveBudget()
        probe = Probe(Pairs(), relaxation, fixings, budget)
        relaxed = attrs.evolve(relaxation.solve(fixings, budget), probe=probe)
        return diving(discrepancies=discrepancies)(relaxed)

    assert found(0) is None
    assert found(1) == "found"


@pytest.mark.parametrize(
    "make", [lambda: diving(discrepancies=-1), lambda: restricted_master(nodes=0), lambda: Phase(0)]
)
def test_options_are_checked(make):
    with pytest.raises(gl.InvalidProblem):
        make()


def test_threads_that_share_a_brancher_get_their_own_groups():
    """Another thread asks between the write and the read of what is remembered."""
    none = Fixings.none(1)
    together = none.fix(on=[0])

    class Interrupted(RyanFoster):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if name == "_last" and value is not None and value[0] is not none:
                self.merged(none)

    assert len(Interrupted(2, [[0, 1]]).merged(together)) == 1
