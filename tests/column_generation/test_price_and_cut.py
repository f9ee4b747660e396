"""`price_and_cut`: every way in which a master or a generator can fail, alone and inside a tree."""

import math

import attrs
import numpy as np
import pytest
from drawn import mostly_long
from role_mocks import BadGenerator, BadRestricted, Clock, Sabotage, change, check_stopped, raiser, returning

from gapless import Limits, Status, Stop
from gapless.column_generation import PricedRelaxation, price_and_cut
from gapless.roles import (
    Batch,
    Columns,
    FixedColumn,
    Fixings,
    GeneratorResult,
    InconsistentBound,
    MissingBound,
    MostFractional,
    OracleError,
    PricingOptions,
    Rows,
    SolveBudget,
    Sparse,
)
from gapless.testing.example_pricing import ItemGenerator, KnownItems
from gapless.testing.examples import OptimisticBound
from gapless.tree_search import tree_search


def run(problem, *, generator=None, restricted=None, fixings=None, budget=None, **how):
    return price_and_cut(
        restricted or KnownItems(problem, (0, 2, 4)),
        [generator or ItemGenerator(problem)],
        problem.decisions,
        fixings or Fixings.none(problem.decisions.count),
        budget or SolveBudget(),
        **how,
    )


def bad_generator(problem, trick, at=1, ever_after=True):
    return BadGenerator(ItemGenerator(problem), Sabotage(trick, at, ever_after))


def in_tree(problem, error, message, **how):
    """The same failure inside a tree: named, with a true result."""
    relaxation = PricedRelaxation(
        how.get("restricted") or KnownItems(problem, (0, 2, 4)),
        [how.get("generator") or ItemGenerator(problem)],
        problem.decisions,
    )
    with pytest.raises(error, match=message) as caught:
        tree_search(problem, relaxation, MostFractional())
    check_stopped(problem, caught.value.result, caught.value)
    return caught.value


@pytest.mark.parametrize("known", mostly_long([[0], [], [0, 2, 4], range(6)], quick=[0]), ids=str)
def test_honest_roles_reach_the_complete_bound(grouped, known):
    """Starting from few items, every relaxed value equals that of the complete relaxation."""
    for state in np.ndindex(*(3,) * 6):
        fixings = Fixings(np.array(state) - 1)
        whole = OptimisticBound(grouped).solve(fixings, SolveBudget())
        relaxed = run(grouped, restricted=KnownItems(grouped, known), fixings=fixings)
        assert relaxed.bound == whole.bound


@pytest.mark.parametrize("at", [1, 2, 3])
def test_generator_that_raises(grouped, at):
    bad = bad_generator(grouped, raiser(ZeroDivisionError("boom")), at)
    error = in_tree(grouped, OracleError, "BadGenerator.query raised ZeroDivisionError: boom", generator=bad)
    assert isinstance(error.__cause__, ZeroDivisionError)


def test_generator_that_forgets_to_return(grouped):
    bad = bad_generator(grouped, returning(None))
    in_tree(
        grouped,
        OracleError,
        "BadGenerator.query returned NoneType, expected a GeneratorResult",
        generator=bad,
    )


@pytest.mark.parametrize("slack", [-1.0, -1e-300, math.nan, -math.inf])
def test_slack_that_is_no_number_from_zero_on(grouped, slack):
    bad = bad_generator(grouped, change(pricing_gap=slack))
    in_tree(grouped, InconsistentBound, "claimed a pricing gap of", generator=bad)


def test_nothing_and_no_slack(grouped):
    bad = bad_generator(grouped, returning(GeneratorResult(pricing_gap=None)))
    in_tree(grouped, MissingBound, "BadGenerator returned nothing and claimed no pricing gap", generator=bad)


@pytest.mark.parametrize("slack", [None, math.inf])
def test_known_columns_only_and_no_slack(grouped, slack):
    """A batch is no excuse when nothing in it is new."""
    known = ItemGenerator(grouped).columns([0, 2])
    bad = bad_generator(grouped, returning(GeneratorResult(Batch(known), slack)))
    in_tree(grouped, MissingBound, "found nothing new and claimed no finite pricing gap", generator=bad)


def test_known_columns_with_a_slack_give_a_weak_bound(grouped):
    known = ItemGenerator(grouped).columns([0, 2])
    bad = bad_generator(
        grouped, returning(GeneratorResult(Batch(known), 2.5, {"prices": np.array([3.0, 5.0, 0.0])}))
    )
    relaxed = run(grouped, generator=bad)
    assert relaxed.bound == 10.5


@pytest.mark.parametrize("slack", [0.0, 0.5, 2.9])
def test_slack_too_small(grouped, slack):
    """Item 1 of group 0 is missing and item 0 would add 2: a claim of less is refuted by its own column."""
    restricted = KnownItems(grouped, (1, 3, 5))
    bad = bad_generator(grouped, change(pricing_gap=slack), ever_after=False)
    with pytest.raises(InconsistentBound, match="a pricing gap was too small"):
        run(grouped, generator=bad, restricted=restricted)
    again = bad_generator(grouped, change(pricing_gap=slack), ever_after=False)
    in_tree(
        grouped,
        InconsistentBound,
        "pricing gap was too small",
        generator=again,
        restricted=KnownItems(grouped, (1, 3, 5)),
    )


def test_honest_slack_closes_after_one_more_solve(grouped):
    """Zero slack beside columns that change nothing: one solve to test the claim, then done."""
    calls = Sabotage(None, at=0)
    restricted = BadRestricted(KnownItems(grouped, (0, 2, 4)), solve=calls)
    useless = GeneratorResult(
        Batch(ItemGenerator(grouped).columns([5])), 0.0, {"prices": np.array([3.0, 5.0, 0.0])}
    )
    relaxed = run(grouped, restricted=restricted, generator=bad_generator(grouped, returning(useless)))
    assert (relaxed.bound, calls.calls) == (8.0, 2)


def test_column_that_the_fixings_forbid(grouped):
    columns = ItemGenerator(grouped).columns([1])
    bad = bad_generator(grouped, returning(GeneratorResult(Batch(columns), 0.0)))
    with pytest.raises(FixedColumn, match="returned column 1 although the fixings forbid it"):
        run(grouped, generator=bad, fixings=Fixings.none(6).fix(off=[1]))
    relaxed = bad_generator(grouped, lambda answer: attrs.evolve(answer(), batch=Batch(columns)))
    in_tree(grouped, FixedColumn, "forbid it", generator=relaxed)


@pytest.mark.parametrize("field", ["objective", "uses", "coefficients", "upper"])
def test_column_with_nan(grouped, field):
    nan = Sparse([0, 1], [0], [math.nan])
    values = {
        "objective": np.array([1.0]),
        "uses": Sparse([0, 1], [0], [1.0]),
        "coefficients": Sparse.empty(1),
        "upper": np.array([1.0]),
    }
    values[field] = nan if field in ("uses", "coefficients") else np.array([math.nan])
    bad = bad_generator(grouped, returning(GeneratorResult(Batch(Columns(np.array([0]), **values)), 1.0)))
    in_tree(grouped, InconsistentBound, "returned a column or row with NaN in it", generator=bad)


def test_row_with_nan(grouped):
    rows = Rows([7], [math.nan], [1.0])
    bad = bad_generator(grouped, returning(GeneratorResult(Batch(rows=rows), 1.0)))
    in_tree(grouped, InconsistentBound, "NaN", generator=bad)


@pytest.mark.parametrize(
    ("method", "at"),
    [(m, at) for m in ("solve", "extend", "view", "certify") for at in (1, 2) if (m, at) != ("extend", 2)],
)
def test_master_that_raises(grouped, method, at):
    sabotage = Sabotage(raiser(OSError("licence expired")), at)
    bad = BadRestricted(KnownItems(grouped, (1, 3, 5)), **{method: sabotage})
    in_tree(grouped, OracleError, f"BadRestricted.{method} raised OSError: licence expired", restricted=bad)


@pytest.mark.parametrize("at", [1, 2])
def test_master_with_nan(grouped, at):
    bad = BadRestricted(KnownItems(grouped, (1, 3, 5)), solve=Sabotage(change(bound=math.nan), at))
    in_tree(grouped, InconsistentBound, "BadRestricted returned NaN", restricted=bad)


def test_bound_never_goes_up_again(grouped):
    """A restricted value of 90 in a later round cannot worsen what is proved."""
    bad = BadRestricted(KnownItems(grouped, (1, 3, 5)), solve=Sabotage(change(bound=90.0), 2, ever_after=True))
    seen = []
    relaxed = run(grouped, restricted=bad, budget=SolveBudget(observers=[lambda e: seen.append(e.bound)]))
    assert relaxed.bound == 8.0
    assert seen == sorted(seen, reverse=True)


@pytest.mark.parametrize(
    ("method", "at"),
    [(m, at) for m in ("solve", "extend", "view", "certify") for at in (1, 2) if (m, at) != ("extend", 2)],
)
def test_control_c_in_the_master(grouped, method, at):
    sabotage = Sabotage(raiser(KeyboardInterrupt()), at)
    bad = BadRestricted(KnownItems(grouped, (1, 3, 5)), **{method: sabotage})
    budget = SolveBudget()
    relaxed = run(grouped, restricted=bad, budget=budget)
    assert budget.interrupted
    assert relaxed.bound >= 8.0
    again = BadRestricted(KnownItems(grouped, (1, 3, 5)), **{method: Sabotage(raiser(KeyboardInterrupt()), at)})
    relaxation = PricedRelaxation(again, [ItemGenerator(grouped)], grouped.decisions)
    result = check_stopped(grouped, tree_search(grouped, relaxation, MostFractional(), start=[(1, 3, 5)]))
    assert (result.stop, result.status) == (Stop.INTERRUPTED, Status.FEASIBLE)


@pytest.mark.parametrize("where", ["generator", "observer"])
def test_control_c_elsewhere(grouped, where):
    def interrupt(*_):
        raise KeyboardInterrupt

    bad = bad_generator(grouped, interrupt, at=2) if where == "generator" else None
    budget = SolveBudget(observers=[interrupt] if where == "observer" else [])
    relaxed = run(grouped, generator=bad, restricted=KnownItems(grouped, (1, 3, 5)), budget=budget)
    assert budget.interrupted
    assert math.isfinite(relaxed.bound)
    assert relaxed.bound >= 8.0


def test_time_in_a_pricing_round(grouped):
    clock = Clock()

    def late(answer):
        clock.now = 5.0
        return answer()

    bad = bad_generator(grouped, late, ever_after=False)
    relaxation = PricedRelaxation(KnownItems(grouped, (1, 3, 5)), [bad], grouped.decisions)
    result = tree_search(grouped, relaxation, MostFractional(), SolveBudget(Limits(time=4.0), clock=clock))
    check_stopped(grouped, result)
    assert result.stop is Stop.TIME
    assert math.isfinite(result.bound)


def test_no_prices_no_question(grouped):
    """Time ran out in the linear program: a generator has nothing to bound there, and is no liar."""
    clock = Clock()

    def out_of_time(answer):
        clock.now = 5.0
        return attrs.evolve(answer(), bound=math.inf, primal_value=-math.inf, structure=None)

    def endless(answer):
        return GeneratorResult(pricing_gap=math.inf)

    master = BadRestricted(KnownItems(grouped, (1, 3, 5)), solve=out_of_time)
    budget = SolveBudget(Limits(time=4.0), clock=clock)
    relaxed = run(grouped, generator=bad_generator(grouped, endless), restricted=master, budget=budget)
    assert relaxed.bound == math.inf


def test_a_node_that_stays_open_is_not_priced(grouped):
    def solved(incumbent, **how):
        budget = SolveBudget()
        relaxed = run(
            grouped,
            restricted=BadRestricted(KnownItems(grouped, (1, 3, 5)), solve=fractional),
            budget=budget,
            incumbent=incumbent,
            pricing=PricingOptions(branch_before_pricing=True),
            **how,
        )
        return budget.iterations, relaxed

    def fractional(answer):
        return attrs.evolve(answer(), structure=None)

    reached = (
        KnownItems(grouped, (1, 3, 5)).solve(Fixings.none(grouped.decisions.count), SolveBudget()).primal_value
    )
    rounds, relaxed = solved(reached - 1.0)
    assert (rounds, relaxed.bound, relaxed.primal_value) == (0, math.inf, reached)
    assert solved(-math.inf)[0] > 0, "without an incumbent, every node is open"
    assert solved(reached)[0] > 0, "the incumbent might be the best"
    assert solved(reached - 1.0, bound_only=True)[0] > 0, "a probe wants the bound"
    assert solved(reached - 0.5, granularity=1.0)[0] == (0 if math.floor(reached) > reached - 0.5 else 1)


def test_a_round_below_the_incumbent_is_the_last(grouped):
    budget = SolveBudget()
    relaxed = run(grouped, restricted=KnownItems(grouped, (1, 3, 5)), budget=budget, incumbent=50.0)
    assert budget.iterations == 1
    assert 8.0 <= relaxed.bound <= 50.0


def test_observer_that_raises_in_a_round(grouped):
    def observer(event):
        if event.kind == "round":
            raise ValueError("no space left")

    relaxation = PricedRelaxation(KnownItems(grouped), [ItemGenerator(grouped)], grouped.decisions)
    with pytest.raises(OracleError, match="no space left") as caught:
        tree_search(grouped, relaxation, MostFractional(), SolveBudget(observers=[observer]))
    check_stopped(grouped, caught.value.result, caught.value)


def test_infeasible_master_is_infeasible_only_when_nothing_is_missing(grouped):
    contradictory = Fixings(np.array([1, 1, -1, -1, -1, -1]))
    assert run(grouped, fixings=contradictory).bound == -math.inf
    assert run(grouped, restricted=KnownItems(grouped)).bound == 8.0


def test_several_generators_share_the_slack(grouped):
    """Two generators that each claim half: the sum counts."""
    halves = [
        bad_generator(grouped, change(pricing_gap=lambda a: a.pricing_gap / 2)),
        bad_generator(grouped, change(pricing_gap=lambda a: a.pricing_gap / 2)),
    ]
    relaxed = price_and_cut(
        KnownItems(grouped, (1, 3, 5)),
        halves,
        grouped.decisions,
        Fixings.none(6),
        SolveBudget(Limits(iterations=1)),
    )
    assert relaxed.bound == 8.0


def test_limit_is_passed_on(grouped):
    asked = []

    class Asked(ItemGenerator):
        def query(self, view, *, limit=None):
            asked.append(limit)
            return super().query(view, limit=limit)

    relaxation = PricedRelaxation(KnownItems(grouped), [Asked(grouped)], grouped.decisions, limit=1)
    assert tree_search(grouped, relaxation, MostFractional()).value == 7.0
    assert set(asked) == {1}
