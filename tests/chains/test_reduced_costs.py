"""Options of column generation: three reduced costs, centred scores, pruning, gap. All exact, all certified."""

from itertools import product

import numpy as np
import pytest
from drawn import examples, generators, numbers, seeing
from hypothesis import given

import gapless
from gapless import Limits, Status, Stop
from gapless.arrays.tolerance import meets
from gapless.roles import Fixings, SolveBudget
from gapless_chains import ChainProblem, DomainMessages, ReducedCostOracle, transition_bounds
from gapless_chains.column_generation.formulation import FORMULATIONS
from gapless_chains.column_generation.label_pruning import competitive
from gapless_chains.column_generation.reparametrisation import ReparametrisedScores, centred_transition

METHOD = "column-generation"
INF = float("inf")
COSTS = tuple(FORMULATIONS)
OPTIONS = [
    {"reduced_cost": cost, "centred": centred, "prune": prune, "first": first}
    for cost, centred, prune, first in product(COSTS, (True, False), (True, False), ("greedy", "local"))
]


def flat_chain(seed, n=12, k=15, sharpness=0.5, forbidden=0.0, varying=False):
    rng = numbers(seed)
    transition = rng.normal(size=(n - 1, k, k) if varying else (k, k)) + rng.normal(size=k) * 2
    transition[rng.random(transition.shape) < forbidden] = -INF
    return ChainProblem(sharpness * rng.normal(size=(n, k)), transition)


def rounds(problem, cost, centred=False, prune=False):
    """(view, relaxed, answer, certified bound) of every round, by hand."""
    messages = DomainMessages(problem, reduced_cost=cost, centred=centred, prune=prune)
    oracle = ReducedCostOracle(problem, reduced_cost=cost, centred=centred)
    fixings = Fixings.none(problem.decisions.count)
    state = None
    while True:
        relaxed = messages.solve(fixings, SolveBudget(), state=state)
        state = relaxed.state
        answer = oracle.query(messages.view())
        yield messages.view(), relaxed, answer, messages.certify([answer]).upper_bound(problem, fixings)
        if not messages.extend(answer.batch):
            return


@examples(200)
@given(rng=generators())
def test_all_options_agree_with_enumeration_and_prove_it(rng, drawn_chain):
    (problem, best), options = drawn_chain(rng), OPTIONS[int(rng.integers(len(OPTIONS)))]
    result = gapless.solve(problem, METHOD, **options)
    verdict = result.verify(problem)
    assert verdict, verdict
    if best == -np.inf:
        assert result.status is Status.INFEASIBLE
    else:
        assert result.status is Status.OPTIMAL
        assert result.value == pytest.approx(best, rel=1e-12, abs=1e-9)
        assert meets(verdict.bound, result.value)


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("prune", [True, False])
@seeing("several")
@examples(8)
@given(rng=generators())
def test_every_round_has_a_true_bound_and_its_certificate(seen, rng, cost, centred, prune):
    seed = int(rng.integers(16))
    problem = flat_chain(rng, forbidden=0.3 * (seed % 2), varying=seed % 4 > 1)
    best = gapless.solve(problem).value
    bounds = []
    for _, relaxed, answer, certified in rounds(problem, cost, centred, prune):
        bounds.append(relaxed.bound + answer.pricing_gap)
        assert bounds[-1] >= best - 1e-9
        assert relaxed.bound <= best + 1e-9
        assert certified == pytest.approx(bounds[-1], rel=1e-9, abs=1e-9)
        assert problem.value(relaxed.structure) == pytest.approx(relaxed.bound, abs=1e-9)
    assert meets(bounds[-1], best)
    seen["several"] += len(bounds) > 2


@pytest.mark.parametrize("cost", COSTS)
@examples(3)
@given(rng=generators())
def test_reduced_costs_are_excesses_of_the_potentials(rng, cost):
    """Eqs 8, 9 and 12 at once: each is ``m_i(x) + tau(x, y) + theta_{i+1}(y) - m_{i+1}(y)``."""
    problem = flat_chain(rng, 6, 5)
    form = FORMULATIONS[cost]
    for view, _, _, _ in rounds(problem, cost):
        m = form.potentials(view, problem.local)
        excess = m[:-1, :, None] + problem.transition + (problem.local - m)[1:, None, :]
        left, right = form.edges(view)
        costs = 0.5 * (left[:, :, None] + 2 * problem.transition + right[:, None, :])
        np.testing.assert_allclose(costs, excess, atol=1e-12)
        first, last = form.ends(view)
        np.testing.assert_allclose(0.5 * first, (problem.local - m)[0], atol=1e-12)
        np.testing.assert_allclose(0.5 * last, m[-1] - view.value, atol=1e-12)
        for i in range(5):
            assert costs[i][np.ix_(view.domains[i], view.domains[i + 1])].max() <= 1e-12


def test_equation_8_is_written_as_in_the_paper():
    for view, _, _, _ in rounds(flat_chain(2, 5, 4), "alpha"):
        left, right = FORMULATIONS["alpha"].edges(view)
        np.testing.assert_allclose(left, 2 * (view.alpha + view.theta)[:-1])
        np.testing.assert_allclose(right, -2 * view.alpha[1:])
        assert not view.beta.any()


def test_half_scores_give_equation_9_local_evidence_against_labels_outside():
    """Lowering the own score of a label outside lowers its reduced costs, which eq. 8 does not notice."""
    base = flat_chain(3, 6, 5)
    view = next(rounds(base, "alpha+theta"))[0]
    outside = int(np.flatnonzero(~view.domains[3])[0])
    unary = base.unary.copy()
    unary[3, outside] -= 4.0
    lower = ChainProblem(unary, base.transition)
    for cost, change in (("alpha+theta", -4.0), ("alpha", 0.0)):
        before, after = (FORMULATIONS[cost].edges(next(rounds(p, cost))[0])[1] for p in (base, lower))
        assert after[2, outside] - before[2, outside] == pytest.approx(change)


def test_both_directions_look_at_fewer_pairs():
    looked = dict.fromkeys(COSTS, 0)
    for seed in range(20):
        problem = flat_chain(seed, 20, 25, sharpness=4.0)
        for cost in COSTS:
            result = gapless.solve(problem, METHOD, reduced_cost=cost)
            looked[cost] += result.stats.extra["oracle_candidates"]
    assert looked["both"] < 0.8 * min(looked["alpha"], looked["alpha+theta"])


# --- the gauge


@pytest.mark.parametrize("varying", [False, True])
@given(rng=generators())
def test_centred_scores_give_every_labelling_its_score(rng, varying):
    problem = flat_chain(rng, 6, 4, forbidden=0.2, varying=varying)
    scores = ReparametrisedScores.of(problem, centred=True)
    again = ChainProblem(scores.local, scores.transition)
    for labels in rng.integers(0, 4, (20, 6)):
        assert again.value(labels) == pytest.approx(problem.value(labels), abs=1e-12)


@seeing("centred", "plain")
@examples(5)
@given(rng=generators())
def test_centring_pays_where_the_split_between_scores_is_skewed(seen, rng):
    """Scores moved from labels to the transitions into them change no labelling, but spoil plain bounds."""
    shift = rng.normal(size=20) * 10
    unary = rng.normal(size=(15, 20)) * 3
    unary[1:] -= shift
    problem = ChainProblem(unary, rng.normal(size=(20, 20)) + shift)
    results = [gapless.solve(problem, METHOD, centred=c) for c in (True, False)]
    assert results[0].value == results[1].value
    seen["centred"] += results[0].stats.extra["oracle_candidates"]
    seen["plain"] += results[1].stats.extra["oracle_candidates"]


def test_centred_transitions_are_computed_once_and_read_only():
    problem = flat_chain(0)
    assert centred_transition(problem.transition) is centred_transition(problem.transition)
    assert not centred_transition(problem.transition).transition.flags.writeable


# --- pruning


@seeing("pruned")
@examples(60)
@given(rng=generators())
def test_pruned_labels_are_on_no_best_labelling(seen, rng, drawn_chain):
    problem, _ = drawn_chain(rng)
    kept = competitive(problem.local, transition_bounds(problem.transition))
    seen["pruned"] += int((~kept).sum())
    masked = np.where(kept, problem.local, -np.inf)
    assert gapless.solve(ChainProblem(masked, problem.transition)).bound == gapless.solve(problem).bound


def test_pruning_spares_the_oracle_pairs():
    looked = [0, 0]
    for seed in range(20):
        problem = flat_chain(seed, 15, 20, sharpness=4.0)
        for prune in (False, True):
            result = gapless.solve(problem, METHOD, prune=prune)
            looked[prune] += result.stats.extra["oracle_candidates"]
    assert looked[True] <= looked[False]


# --- the gap


@seeing("early")
@pytest.mark.parametrize("cost", COSTS)
@given(rng=generators())
def test_a_gap_ends_early_with_a_proved_bound(seen, rng, cost):
    problem = flat_chain(rng, 20, 20)
    best = gapless.solve(problem).value
    result = gapless.solve(problem, METHOD, reduced_cost=cost, gap=0.3)
    same = gapless.solve(problem, METHOD, reduced_cost=cost, limits=Limits(relative_gap=0.3))
    assert (same.value, same.bound, same.stop) == (result.value, result.bound, result.stop)
    assert result.verify(problem)
    assert result.value <= best + 1e-9
    assert best - 1e-9 <= result.bound <= result.value + 0.3 * max(1.0, abs(result.value))
    seen["early"] += result.stop is Stop.GAP
    exact = gapless.solve(problem, METHOD, reduced_cost=cost, gap=0.0, limits=Limits(relative_gap=0.3))
    assert exact.status is Status.OPTIMAL
