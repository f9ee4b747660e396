"""Labelling that is told to stop: within milliseconds of work, with true bounds, and inside a solve by itself."""

import itertools
import time

import numpy as np
import pytest

import gapless as gl
import gapless_kernels
from gapless.limits.limits import current_deadline, question_deadline
from gapless.rcsp import Additive, LabelSetting, Network, RankOneCuts, Visits
from gapless.roles import Fixings, MasterView, SolveBudget

compiled = pytest.mark.skipif(not gapless_kernels.COMPILED, reason="GAPLESS_PURE=1")


def long_routes(customers, rows, per_route):
    """Routes of many customers beside subset rows with the memory of everybody: hours of labels."""
    rng = np.random.default_rng(0)
    n = customers + 2
    tails, heads = np.array(
        [(i, j) for i in range(n - 1) for j in range(1, n) if i != j and (i, j) != (0, n - 1)]
    ).T
    places = rng.integers(0, 100, (n, 2))
    away = np.rint(np.linalg.norm(places[:, None] - places[None], axis=2))
    load = Additive(np.append(rng.integers(5, 15, n - 1), 0)[heads], upper=10 * per_route)
    triples = rng.permutation(list(itertools.combinations(range(1, customers + 1), 3)))[:rows].tolist()
    labelling = LabelSetting(
        Network(tails, heads, 0, n - 1), [load, Visits(), RankOneCuts(None, [(1, 2)] * rows, triples)]
    )
    return labelling, away[tails, heads] - rng.uniform(20, 80, n)[heads], rng.uniform(1, 8, rows)


class Stop:
    """Says stop at the n-th question; remembers the most CPU seconds between two of them."""

    def __init__(self, at):
        self.left, self.longest, self._last = at, 0.0, time.process_time()

    def __call__(self):
        now = time.process_time()
        self.longest, self._last = max(self.longest, now - self._last), now
        self.left -= 1
        return self.left <= 0


@compiled
def test_a_search_asks_by_the_labels_compared_not_by_the_labels_made():
    """Few labels, each compared with many others, are much work."""
    labelling, costs, charges = long_routes(24, 20, 10)
    stop = Stop(20)
    found = labelling.routes(costs, charges=charges, stop=stop)
    assert found.stop == "stopped"
    assert stop.longest < 1.0
    assert len(found) > 0
    assert found.bound <= found.cost[0]
    for i in range(len(found)):
        assert labelling.cost(found.route(i), costs, charges=charges) == pytest.approx(found.cost[i])


@compiled
@pytest.mark.long
@pytest.mark.parametrize("call", ["routes", "cheapest_through_arcs", "enumerate"])
def test_every_search_asks_many_times_a_second(call):
    labelling, costs, charges = long_routes(30, 60, 16)
    more = {"below": -1.0} if call == "enumerate" else {}
    stop = Stop(400)
    began = time.process_time()
    found = getattr(labelling, call)(costs, charges=charges, stop=stop, **more)
    assert stop.left <= 0, "the case is too easy"
    assert stop.longest < 1.0
    assert time.process_time() - began - stop.longest * 400 < 1.0
    assert (found == -np.inf).all() if call == "cheapest_through_arcs" else found.stop == "stopped"


@compiled
def test_bounds_are_true_wherever_a_search_stops():
    labelling, costs, charges = long_routes(11, 6, 7)
    best = labelling.routes(costs, charges=charges, below=np.inf)
    stopped = 0
    for at in range(1, 40):
        found = labelling.routes(costs, charges=charges, below=np.inf, stop=Stop(at))
        assert found.bound <= best.cost[0] + 1e-9
        assert all(cost >= best.cost[0] - 1e-9 for cost in found.cost.tolist())
        assert found.stop == "stopped" or found.cost[0] == pytest.approx(best.cost[0])
        stopped += found.stop == "stopped"
    assert stopped


def test_inside_a_question_searches_keep_the_limit_of_the_solve():
    """A generator that passes no `stop` on."""
    labelling, costs, charges = long_routes(6, 2, 4)
    calls = (
        lambda: labelling.routes(costs, charges=charges).stop,
        lambda: labelling.enumerate(costs, 0.0, charges=charges).stop,
        lambda: (
            "stopped" if (labelling.cheapest_through_arcs(costs, charges=charges) == -np.inf).all() else "complete"
        ),
    )
    for call in calls:
        assert call() == "complete"
        with question_deadline(SolveBudget(gl.Limits(time=0.0))) as deadline:
            assert call() == "stopped"
        assert deadline.has_stopped
        with question_deadline(SolveBudget()) as deadline:
            assert call() == "complete"
        assert not deadline.has_stopped
    assert not current_deadline().stop()


def test_a_view_outside_of_a_solve_has_no_limit():
    view = MasterView(Fixings.none(1))
    assert view.time_left == np.inf
    assert not view.stop()


def test_a_part_of_a_solve_hears_the_ctrl_c_of_the_whole():
    whole = SolveBudget(gl.Limits(time=1e9))
    part = whole.part(gl.Limits(iterations=1))
    assert not part.must_stop()
    part.iterations += 1
    assert part.stop_reason() is gl.Stop.ITERATIONS
    assert not part.must_stop(), "a round that was begun is finished"
    whole.interrupt()
    assert part.must_stop()
    assert part.stop_reason() is gl.Stop.INTERRUPTED
    assert SolveBudget(gl.Limits(time=0.0)).must_stop()
