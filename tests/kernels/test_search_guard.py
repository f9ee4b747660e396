"""Searches and roles at work refuse other calls: from inside, and from a second thread."""

import itertools
import operator
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

if os.environ.get("GAPLESS_PURE") == "1":
    pytest.skip("the readable search has a test of its own", allow_module_level=True)

import gapless_kernels
from gapless_kernels.choices._choice_groups import ChoiceGroups
from gapless_kernels.search._search import PROVED, Search
from gapless_kernels.search.python_roles import PythonFactor
from gapless_kernels.search.roles import Factor, Maximiser

RUNNING = "this search is running"
CALLS: dict[str, Callable[[Search], Any]] = {
    "hold": lambda search: search.hold([0]),
    "advance": lambda search: search.advance(steps=1),
    "restart": lambda search: search.restart(np.zeros(len(search.slots()[0]))),
    "settle": lambda search: search.settle(),
    "record": lambda search: search.record(),
}


def branching(brancher: Any, maximiser: ChoiceGroups | None = None, factors: Any = ()) -> Search:
    """A search that branches."""
    pairs = np.array(list(itertools.combinations(range(12), 2)))
    scores = np.random.default_rng(1).normal(size=len(pairs))
    return Search(
        ChoiceGroups(12) if maximiser is None else maximiser,
        np.zeros(12),
        [(pairs, scores)],
        factors=factors,
        choices=0,
        root_steps=1,
        brancher=brancher,
    )


def first_free(on: np.ndarray, state: np.ndarray, gaps: np.ndarray) -> int:
    return int(np.flatnonzero(state == -1)[0])


@pytest.mark.parametrize("call", CALLS)
def test_search_refuses_to_be_changed_by_its_brancher(call: str) -> None:
    def brancher(on: np.ndarray, state: np.ndarray, gaps: np.ndarray) -> int:
        CALLS[call](search)
        return first_free(on, state, gaps)

    search = branching(brancher)
    with pytest.raises(RuntimeError, match=RUNNING):
        search.advance()


def test_search_goes_on_where_its_brancher_handles_the_refusal() -> None:
    seen = []

    def brancher(on: np.ndarray, state: np.ndarray, gaps: np.ndarray) -> int:
        with pytest.raises(RuntimeError, match=RUNNING):
            search.hold(on)
        seen.append((search.value, search.bound, search.on.tolist(), search.free))
        return first_free(on, state, gaps)

    search, plain = branching(brancher), branching(first_free)
    assert search.advance() == plain.advance() == PROVED
    assert (search.value, search.nodes, search.on.tolist()) == (plain.value, plain.nodes, plain.on.tolist())
    assert all(value <= plain.value <= bound for value, bound, *_ in seen)


@pytest.mark.parametrize("call", CALLS)
def test_search_refuses_to_be_changed_by_ask(call: str) -> None:
    pairs = np.array(list(itertools.combinations(range(6), 2)))

    def ask(numbers: np.ndarray) -> np.ndarray:
        if made:
            CALLS[call](made[0])
        return np.zeros(len(numbers))

    made: list[Search] = []
    search = Search(
        ChoiceGroups(6), np.ones(6), [(pairs, np.ones(len(pairs)))], unknown=np.ones(len(pairs), bool), ask=ask
    )
    made.append(search)
    with pytest.raises(RuntimeError, match=RUNNING):
        search.advance()


def test_search_refuses_a_second_thread() -> None:
    entered, leave, said = threading.Event(), threading.Event(), {}

    def brancher(on: np.ndarray, state: np.ndarray, gaps: np.ndarray) -> int:
        entered.set()
        leave.wait()
        return first_free(on, state, gaps)

    search = branching(brancher)
    work = threading.Thread(target=search.advance)
    work.start()
    entered.wait()
    readings: dict[str, Callable[[Search], Any]] = {
        name: operator.attrgetter(name) for name in ("bound", "on", "free", "root_free")
    }
    readings |= {"slots": lambda search: search.slots(), "events": lambda search: search.events()}
    for name, call in {**CALLS, **readings}.items():
        try:
            call(search)
        except RuntimeError as error:
            said[name] = str(error)
    leave.set()
    work.join()
    assert set(said) == {*CALLS, *readings}
    assert all(RUNNING in message for message in said.values())
    assert search.advance() == PROVED


def test_roles_at_work_are_refused_to_others() -> None:
    maximiser = ChoiceGroups(12)
    other = branching(first_free, maximiser)

    def brancher(on: np.ndarray, state: np.ndarray, gaps: np.ndarray) -> int:
        with pytest.raises(RuntimeError, match="this role is at work"):
            maximiser.solve(np.zeros(12))
        with pytest.raises(RuntimeError, match="this role is at work"):
            maximiser.max_marginals(np.zeros(12))
        with pytest.raises(RuntimeError, match="at work for another"):
            other.advance()
        return first_free(on, state, gaps)

    search = branching(brancher, maximiser)
    assert search.advance() == other.advance() == PROVED  # which take turns
    assert search.value == other.value
    assert maximiser.solve(np.ones(12))[0] == 12


def test_factor_at_work_is_refused_to_others() -> None:
    class Nothing:
        def value(self, on: np.ndarray) -> float:
            with pytest.raises(RuntimeError, match="this role is at work"):
                factor.solve(np.zeros(2))
            return 0.0

        def best(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
            on = weights > 0
            return float(weights[on].sum()), on

    factor = PythonFactor([0, 1], Nothing())
    assert branching(first_free, factors=[factor]).advance() == PROVED


def test_search_without_set_up_is_refused() -> None:
    search = Search.__new__(Search)
    for call in (*CALLS.values(), lambda search: search.bound, lambda search: search.slots()):
        with pytest.raises(RuntimeError, match="was not set up"):
            call(search)


def test_search_counts_the_cells_of_stars() -> None:
    """A star has few pairs, but a cell for each pair that it could have: more than 32-bit numbers can count."""
    upper, lower = 60_000, 40_000
    uppers = np.tile([0, 1], lower)
    pairs = np.stack([uppers, upper + np.repeat(np.arange(lower), 2)], axis=1)
    with pytest.raises(ValueError, match="the scopes need 2400000000 multipliers"):
        Search(
            ChoiceGroups(upper + lower, [0, upper], np.arange(upper)),
            np.zeros(upper + lower),
            [(pairs, np.ones(len(pairs)))],
            group_first=[0, upper],
            groups=np.arange(upper),
        )


def test_search_reads_copies_of_its_scopes() -> None:
    """Arrays that their caller writes to later change neither the search nor its record."""
    pairs = np.array(list(itertools.combinations(range(12), 2)))
    scores = np.random.default_rng(1).normal(size=len(pairs))
    search = Search(ChoiceGroups(12), np.zeros(12), [(pairs, scores)], choices=0)
    pairs[:], scores[:] = 10**9, np.nan
    assert search.advance() == PROVED
    kept_pairs, kept_scores = search.blocks[0]
    assert kept_pairs.max() == 11
    assert np.isfinite(kept_scores).all()


def test_search_refuses_roles_of_other_headers() -> None:
    """A class that does not say which size its structure had when it was compiled."""
    with pytest.raises(TypeError, match="Maximiser fills in a gs_maximiser of 0 bytes, here it has"):
        Search(Maximiser(), np.zeros(0))
    with pytest.raises(TypeError, match="Factor fills in a gs_factor of 0 bytes, here it has"):
        Search(ChoiceGroups(2), np.zeros(2), factors=[Factor([0, 1])])
    with pytest.raises(TypeError, match="gs_maximiser of 0 bytes"):
        Maximiser().solve(np.zeros(0))
    with pytest.raises(TypeError, match="gs_factor of 0 bytes"):
        Factor([0]).value_of([True])


def test_kernels_measure_time_by_a_clock_that_nobody_sets() -> None:
    clock = re.compile(r"timespec_get|TIME_UTC|CLOCK_REALTIME|gettimeofday|\btime\(NULL\)|\btime\.time\(")
    folder = Path(gapless_kernels.get_include())
    sources = [file for kind in ("*.h", "*.pyx", "*.pxd", "*.py") for file in folder.rglob(kind)]
    assert len(sources) > 100
    assert [file.name for file in sources if clock.search(file.read_text(encoding="utf-8"))] == []
