"""Honest methods pass, each kind of planted mistake is found, and Ctrl-C leaves what was done."""

import attrs
import pytest
from drawn import long

from gapless.errors import GaplessError
from gapless.plugins import load_plugins
from gapless.roles import SelftestInstances
from gapless.testing.campaign import try_methods
from gapless.testing.enumeration import SpaceTooLarge
from gapless.testing.examples import Selection, random_selection


def tried(registry, specimens, **how):
    (tally,) = try_methods(registry, specimens, **{"cases": 40, "seconds": 30.0, "seed": 0, **how})
    return tally


def test_an_honest_method_passes(registered, specimens, wrong):
    tally = tried(registered(wrong.honest, k_best=True, default=True), specimens)
    assert (tally.problem, tally.method, tally.mistakes, tally.closed) == ("selection", "tried", [], True)
    assert tally.instances == tally.proved == tally.verified == 40


@pytest.mark.parametrize(
    ("name", "how", "words"),
    [
        ("second_best", {}, "the answer is the enumerated best|the bound dominates"),
        ("bound_below", {"exact": False}, "the bound dominates|enumerated best"),
        ("bad_evidence", {}, "a certificate verifies"),
        ("raises", {}, "ZeroDivisionError: a slip"),
        ("refuses", {}, "it accepts none of 60 instances"),
        ("refuses", {"default": True}, "the default method accepts every instance"),
        ("proves_nothing", {}, "an exact method proves its answer"),
        ("skips_the_second", {"k_best": True}, "the k best are the enumerated ones"),
    ],
)
def test_a_planted_mistake_is_found(registered, specimens, wrong, name, how, words):
    tally = tried(registered(getattr(wrong, name), **how), specimens, cases=60)
    assert tally.mistakes
    assert any(part in tally.mistakes[0].reason for part in words.split("|")), tally.mistakes[0]
    assert isinstance(tally.mistakes[0].instance, Selection)


def test_few_instances_may_all_be_for_others(registered, specimens, wrong):
    tally = tried(registered(wrong.refuses), specimens, cases=10)
    assert (tally.refused, tally.mistakes) == (10, [])


def test_a_wrong_batch_is_found(registered, specimens, wrong):
    tally = tried(registered(wrong.honest, run_many=wrong.batch_of_seconds), specimens)
    assert [mistake.reason.split(":")[0] for mistake in tally.mistakes] == ["a batch answers as a solve does"]


def test_ctrl_c_inside_a_solve_ends_everything(registered, specimens, wrong):
    tally = tried(registered(wrong.interrupted_after(3)), specimens)
    assert (tally.instances, tally.closed, tally.mistakes) == (3, False, [])


def test_time_that_is_up_leaves_a_few_instances_of_each(registered, specimens, wrong):
    tally = tried(registered(wrong.honest), specimens, seconds=0.0)
    assert (tally.instances, tally.closed) == (5, True)


def test_an_instance_is_drawn_by_seed_and_number(registered, wrong):
    drawn = []

    def draw(rng):
        drawn.append(rng.integers(1 << 30))
        return random_selection(rng, 3)

    for seed, cases in ((1, 3), (1, 6), (2, 3)):
        try_methods(
            registered(wrong.honest), [SelftestInstances(Selection, draw)], cases=cases, seconds=9.0, seed=seed
        )
    assert drawn[:3] == drawn[3:6]
    assert len(set(drawn)) == 9


def test_specimens_that_cannot_be_drawn_are_named(registered, wrong):
    with pytest.raises(GaplessError, match="specimens of Selection, case 0: ZeroDivisionError"):
        tried(registered(wrong.honest), [SelftestInstances(Selection, lambda rng: 1 / 0)])


@pytest.mark.parametrize("cases", [2, long(40)])
def test_everything_that_is_ours(cases):
    """A few instances for each registered method; ``gapless selftest`` tries a thousand."""
    plugins = load_plugins()
    specimens = [one for several in plugins.hook.gapless_selftest_instances() for one in several]
    tallies = try_methods(plugins.registry, specimens, cases=cases, seconds=cases, seed=5)
    names = {
        name for name in plugins.registry.problems if plugins.registry.owners["problem", name].endswith("(gapless)")
    }
    assert names <= {tally.problem for tally in tallies}
    assert {(tally.method, str(tally.mistakes)) for tally in tallies if tally.mistakes} == set()
    assert sum(tally.instances for tally in tallies) > 12 * cases


def test_specimens_that_are_too_large_do_not_stop_the_others(registered, specimens, wrong):
    large = SelftestInstances(Selection, specimens[0].draw, best=_too_large)
    registry, skipped = registered(wrong.honest), []
    (tally,) = try_methods(registry, [large, *specimens], cases=5, seconds=30.0, seed=0, skipped=skipped)
    assert (tally.instances, tally.mistakes) == (5, [])
    assert skipped == ["specimens of Selection, case 0: SpaceTooLarge: 33 decisions"]
    with pytest.raises(GaplessError, match="specimens of Selection, case 0: SpaceTooLarge"):
        try_methods(registry, [large, *specimens], cases=5, seconds=30.0, seed=0)


def _too_large(problem, k):
    raise SpaceTooLarge("33 decisions")


def test_several_specimens_of_one_type_are_told_apart(registered, specimens, wrong):
    more = [attrs.evolve(specimens[0], named=lambda problem: "small ones"), specimens[0]]
    every = [specimens[0], *more]
    tallies = try_methods(registered(wrong.honest), every, cases=3, seconds=30.0, seed=0)
    assert [tally.problem for tally in tallies] == ["selection", "selection (small ones)", "selection (more)"]
