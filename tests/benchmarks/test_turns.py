"""Both sides of a comparison are timed from arrays and by the search alone. No test looks at a real time."""

import io
import json

import numpy as np
import pytest

from benchmarks.frame.bench import Bench
from benchmarks.frame.marks import ALONE, FROM_ARRAYS
from benchmarks.frame.turns import Both, Compared, Side, Timed, time_interleaved
from gapless.cli import Console


@pytest.fixture
def console():
    return Console(as_json=True)


@pytest.fixture
def clock(monkeypatch):
    """A clock that the solvers turn themselves."""
    now = [0.0]
    monkeypatch.setattr("time.thread_time", lambda: now[0])

    def takes(seconds, answer):
        def work(asked):
            now[0] += seconds
            return answer(asked)

        return work

    return takes


def test_solvers_take_turns_and_keep_one_answer_an_instance(console):
    asked = []
    solvers = {"double": lambda x: asked.append(x) or 2 * x, "square": lambda x: x * x}
    sides = {name: Side(solve, solve) for name, solve in solvers.items()}
    found = {name: both.from_arrays for name, both in time_interleaved(sides, [3, 5], console, "numbers").items()}
    assert found["double"].answers == [6, 10]
    assert found["square"].answers == [9, 25]
    assert (found["double"].seconds > 0).all()
    assert asked.count(3) > 2  # short work is repeated


def test_preparing_is_timed_from_arrays_and_not_for_the_search(console, clock):
    prepare, search = clock(0.5, lambda x: [x]), clock(0.25, lambda ready: 10 * ready.pop())
    side = Side(lambda x: search(prepare(x)), search, prepare)
    found = time_interleaved({"ours": side}, [1, 2], console, "numbers")["ours"]
    np.testing.assert_allclose(found.from_arrays.seconds, 0.75)
    np.testing.assert_allclose(found.alone.seconds, 0.25)
    assert found.from_arrays.answers == found.alone.answers == [10, 20]


def test_short_searches_are_prepared_anew_each_time(console, clock):
    """A solver that went on from its own optimum would look faster than it is."""
    made = []
    side = Side(lambda x: x, clock(2e-4, lambda ready: ready.pop()), lambda x: made.append(x) or [x])
    found = time_interleaved({"peer": side}, [7], console, "numbers")["peer"]
    assert len(made) > 5
    np.testing.assert_allclose(found.alone.seconds, 2e-4)


def both(whole, alone):
    return Both.of(np.array(whole), np.array(alone))


def test_ratios_are_of_instances():
    slow, fast = Timed(np.array([6.0, 1.0, 8.0]), []), Timed(np.array([1.0, 1.0, 2.0]), [])
    spread = slow.times(fast)
    assert (spread.median, spread.least, spread.most) == (4.0, 1.0, 6.0)
    assert fast.milliseconds.median == 1000.0


def test_marks_speak_of_what_users_get(capsys):
    pair = Compared("ours", "the peer", "n = 5", "drawn", (both([2.0], [0.1]), both([6.0], [4.0])), (5, 10))
    whole, alone = pair.lines()
    assert (whole.what, whole.value.median, whole.verdict) == (
        f"ours over the peer, n = 5, {FROM_ARRAYS}",
        3.0,
        "missed",
    )
    assert (alone.what, alone.value.median, alone.verdict) == (f"ours over the peer, n = 5, {ALONE}", 40.0, "")


def test_a_report_shows_both_sides_both_ways():
    pair = Compared("ours", "the peer", "n = 5", "drawn", (both([2.0], [0.1]), both([6.0], [4.0])), (5, 10))
    out = io.StringIO()
    console = Console(out=out)
    assert Bench(console=console).report([pair]) == 0
    table = next(table for table in console.tables if table.title.startswith("Both sides"))
    assert table.columns[-4:] == tuple(
        f"{side}, {how}" for how in (FROM_ARRAYS, ALONE) for side in ("ours", "peer")
    )
    assert table.rows == (("ours", "the peer", "n = 5", "drawn", "2,000", "6,000", "100", "4,000"),)
    assert "1 of 1 marks missed" in out.getvalue()
    out = io.StringIO()
    Bench(console=Console(as_json=True, out=out)).report([pair])
    compared = json.loads(out.getvalue())["compared"][0]
    assert compared["peer_from_arrays_ms"]["median"] == 6000.0
    assert compared["ours_alone_ms"]["median"] == 100.0
