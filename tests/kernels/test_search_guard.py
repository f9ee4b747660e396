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
from gapless_kernels.search._search import PROVED, CompiledSearch
from gapless_kernels.search.python_roles import PythonFactor
from gapless_kernels.search.roles import Factor, Maximiser

RUNNING = "this search is running"
CALLS: dict[str, Callable[[CompiledSearch], Any]] = {
    "hold": lambda search: search.offer_incumbent([0]),
    "advance": lambda search: search.advance(steps=1),
    "restart": lambda search: search.restart(np.zeros(len(search.slots()[0]))),
    "settle": lambda search: search.bound_current_node(),
    "record": lambda search: search.record(),
}


def asking(meanwhile, maximiser=None, factors=()):
    """A search that branches, and calls `meanwhile` whenever it asks for scores."""
    pairs = np.array(list(itertools.combinations(range(12), 2)))
    scores = np.random.default_rng(1).normal(size=len(pairs))

    def ask(numbers: np.ndarray) -> np.ndarray:
        meanwhile()
        return scores[numbers]

    return CompiledSearch(
        ChoiceGroups(12) if maximiser is None else maximiser,
        np.zeros(12),
        [(pairs, scores + 1.0)],
        factors=factors,
        choices=0,
        root_steps=1,
        unknown=np.ones(len(pairs), bool),
        ask=ask,
    )


def nothing():
    pass


@pytest.mark.parametrize("call", CALLS)
def test_search_refuses_to_be_changed_by_ask(call):
    search = asking(lambda: CALLS[call](search))
    with pytest.raises(RuntimeError, match=RUNNING):
        search.advance()


def test_search_goes_on_after_ask_handles_the_refusal():
    seen = []

    def meanwhile() -> None:
        with pytest.raises(RuntimeError, match=RUNNING):
            search.offer_incumbent([0])
        seen.append((search.value, search.bound, search.on.tolist(), search.free))

    search, plain = asking(meanwhile), asking(nothing)
    assert search.advance() == plain.advance() == PROVED
    assert (search.value, search.nodes, search.on.tolist()) == (plain.value, plain.nodes, plain.on.tolist())
    assert all(value <= plain.value <= bound for value, bound, *_ in seen)
    assert plain.nodes > 1


def test_search_refuses_a_second_thread():
    entered, leave, said = threading.Event(), threading.Event(), {}

    def meanwhile() -> None:
        entered.set()
        leave.wait()

    search = asking(meanwhile)
    work = threading.Thread(target=search.advance)
    work.start()
    entered.wait()
    readings = {name: operator.attrgetter(name) for name in ("bound", "on", "free", "root_free")}
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


def test_roles_at_work_are_refused_to_others():
    maximiser = ChoiceGroups(12)
    other = asking(nothing, maximiser)

    def meanwhile() -> None:
        with pytest.raises(RuntimeError, match="this role is at work"):
            maximiser.solve(np.zeros(12))
        with pytest.raises(RuntimeError, match="this role is at work"):
            maximiser.max_marginals(np.zeros(12))
        with pytest.raises(RuntimeError, match="at work for another"):
            other.advance()

    search = asking(meanwhile, maximiser)
    assert search.advance() == other.advance() == PROVED  # which take turns
    assert search.value == other.value
    assert maximiser.solve(np.ones(12))[0] == 12


def test_factor_at_work_is_refused_to_others():
    class Nothing:
        def value(self, on: np.ndarray) -> float:
            with pytest.raises(RuntimeError, match="this role is at work"):
                factor.solve(np.zeros(2))
            return 0.0

        def best(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
            on = weights > 0
            return float(weights[on].sum()), on

    factor = PythonFactor([0, 1], Nothing())
    assert asking(nothing, factors=[factor]).advance() == PROVED


def test_search_without_set_up_is_refused():
    search = CompiledSearch.__new__(CompiledSearch)
    for call in (*CALLS.values(), lambda search: search.bound, lambda search: search.slots()):
        with pytest.raises(RuntimeError, match="was not set up"):
            call(search)


def test_search_counts_the_cells_of_stars():
    """A star has few pairs, but a cell for each pair that it could have: more than 32-bit numbers can count."""
    upper, lower = 60_000, 40_000
    uppers = np.tile([0, 1], lower)
    pairs = np.stack([uppers, upper + np.repeat(np.arange(lower), 2)], axis=1)
    with pytest.raises(ValueError, match="the scopes need 2400000000 multipliers"):
        CompiledSearch(
            ChoiceGroups(upper + lower, [0, upper], np.arange(upper)),
            np.zeros(upper + lower),
            [(pairs, np.ones(len(pairs)))],
            group_first=[0, upper],
            groups=np.arange(upper),
        )


def test_search_reads_copies_of_its_scopes():
    """Arrays that their caller writes to later change neither the search nor its record."""
    pairs = np.array(list(itertools.combinations(range(12), 2)))
    scores = np.random.default_rng(1).normal(size=len(pairs))
    search = CompiledSearch(ChoiceGroups(12), np.zeros(12), [(pairs, scores)], choices=0)
    pairs[:], scores[:] = 10**9, np.nan
    assert search.advance() == PROVED
    kept_pairs, kept_scores = search.blocks[0]
    assert kept_pairs.max() == 11
    assert np.isfinite(kept_scores).all()


def test_search_refuses_roles_of_other_headers():
    """A class that does not say which size its structure had when it was compiled."""
    with pytest.raises(TypeError, match="Maximiser fills in a gs_maximiser of 0 bytes, here it has"):
        CompiledSearch(Maximiser(), np.zeros(0))
    with pytest.raises(TypeError, match="Factor fills in a gs_factor of 0 bytes, here it has"):
        CompiledSearch(ChoiceGroups(2), np.zeros(2), factors=[Factor([0, 1])])
    with pytest.raises(TypeError, match="gs_maximiser of 0 bytes"):
        Maximiser().solve(np.zeros(0))
    with pytest.raises(TypeError, match="gs_factor of 0 bytes"):
        Factor([0]).value_of([True])


def test_kernels_measure_time_by_a_clock_that_nobody_sets():
    clock = re.compile(r"timespec_get|TIME_UTC|CLOCK_REALTIME|gettimeofday|\btime\(NULL\)|\btime\.time\(")
    folder = Path(gapless_kernels.get_include())
    sources = [file for kind in ("*.h", "*.pyx", "*.pxd", "*.py") for file in folder.rglob(kind)]
    assert len(sources) > 100
    assert [file.name for file in sources if clock.search(file.read_text(encoding="utf-8"))] == []
