"""The one search against enumeration: any maximiser, conjunctions, decisions in groups and in none."""

import itertools
import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from drawn import examples, generators, seeing
from hypothesis import given

if os.environ.get("GAPLESS_PURE") == "1":
    pytest.skip(
        "the compiled search has no NumPy twin; the readable search is its reference", allow_module_level=True
    )

from search_cases import (
    CASES,
    DRAWN,
    INF,
    Table,
    check_optimum,
    close,
    groups_case,
    with_conjunctions,
    with_factors,
)

from gapless_kernels.choices._choice_groups import ChoiceGroups
from gapless_kernels.search._search import EVENTS, GAP, NODES, PROVED, STEPS, TARGET, TIME, CompiledSearch
from gapless_kernels.search.python_roles import PythonFactor, PythonMaximiser

ORDERS = ["best-first", "depth-first", "breadth-first"]


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("scored", DRAWN)
@examples(60)
@given(rng=generators())
def test_agrees_with_enumeration(rng, kind, scored):
    case = DRAWN[scored](rng, CASES[kind](rng))
    order, choices = ORDERS[int(rng.integers(3))], [0, 0, 6, 16384][int(rng.integers(4))]
    found = case.search(order=order, choices=choices)
    assert found.advance() == PROVED
    check_optimum(case, found)


@pytest.mark.parametrize("kind", CASES)
@given(rng=generators())
def test_the_paper_agrees_with_enumeration(rng, kind):
    case = with_conjunctions(rng, CASES[kind](rng))
    found = case.search(variant="paper")
    assert found.advance() == PROVED
    check_optimum(case, found)


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("scored", DRAWN)
@given(rng=generators())
def test_limits_leave_valid_bounds(rng, kind, scored):
    case = DRAWN[scored](rng, CASES[kind](rng))
    best = float(case.values().max(initial=-INF))
    found = case.search(choices=0)
    for nodes in range(1, 1000):
        status = found.advance(nodes=nodes)
        assert found.bound >= best or close(found.bound, best)
        assert found.value <= best or close(found.value, best)
        if status == PROVED:
            break
        assert status == NODES
    check_optimum(case, found)


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("scored", DRAWN)
@given(rng=generators())
def test_every_fixing_of_the_record_holds(rng, kind, scored):
    """No structure above the bound is ruled out, by a fixing or by a leaf."""
    case = DRAWN[scored](rng, CASES[kind](rng))
    found = case.search(choices=0)
    assert found.advance() == PROVED
    proof, values = found.record(), case.values()
    left = []
    for node, parent in enumerate(proof["parent"]):
        rows = np.ones(len(values), bool) if parent < 0 else left[parent].copy()
        if parent >= 0:
            rows &= case.rows[:, proof["decision"][node]] == proof["on"][node]
        for step in np.flatnonzero(proof["step_node"] == node):
            for e in proof["off"][proof["step_first"][step] : proof["step_first"][step + 1]]:
                out = rows & (case.rows[:, e] if e >= 0 else ~case.rows[:, ~e])
                assert all(value <= found.bound or close(value, found.bound) for value in values[out])
                rows &= ~out
        left.append(rows)
    for node, parent in enumerate(proof["parent"]):
        if parent >= 0:
            children = proof["parent"] == parent
            assert np.count_nonzero(children) == 2
            assert node > parent


@given(rng=generators())
def test_pairs_in_stars_name_a_group(rng):
    case = with_conjunctions(rng, groups_case(rng))
    scopes = [scope for each, _ in case.blocks for scope in each]
    for scope, grouped in zip(scopes, case.search().grouped(), strict=True):
        assert not grouped or (len(scope) == 2 and np.isin(scope, case.groups).any())


def test_a_start_is_kept_and_improved_upon():
    found = CompiledSearch(ChoiceGroups(3), [1.0, -1.0, 2.0], [([[0, 2]], [-5.0])], incumbent=[0, 1])
    assert found.value == 0.0
    assert found.on.tolist() == [0, 1]
    assert found.advance() == PROVED
    assert (found.value, found.on.tolist()) == (2.0, [2])


class Lies:
    """A maximiser over three loose decisions whose answers are wrong in one place, while something is free."""

    def __init__(self, **wrong: Any) -> None:
        self.wrong = wrong

    def solve(self, weights: np.ndarray, state: np.ndarray) -> Any:
        on = np.flatnonzero((weights > 0) | (state == 1))
        wrong = self.wrong if (state == -1).any() else {}
        if "raises" in wrong:
            raise wrong["raises"]
        return SimpleNamespace(**{"value": weights[on].sum(), "on_ids": on, "internal_score": 0.0, **wrong})

    def max_marginals(self, weights: np.ndarray, state: np.ndarray) -> Any:
        return SimpleNamespace(on=self.wrong.get("slack", np.zeros(3)), off=None)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"value": np.nan}, ValueError, "Lies.solve gave the value nan"),
        ({"value": INF}, ValueError, "Lies.solve gave the value inf"),
        ({"value": 99.0}, ValueError, r"Lies.solve gave the value 99.0, but its structure has"),
        ({"value": -99.0}, ValueError, r"Lies.solve gave the value -99.0, but its structure has"),
        ({"internal_score": np.nan}, ValueError, "own nan"),
        ({"on_ids": np.array([0, 7])}, ValueError, r"Lies.solve gave on_ids outside 0..2"),
        ({"on_ids": np.array([0, 0])}, ValueError, "a decision twice"),
        ({"on_ids": np.zeros((2, 2))}, ValueError, r"on_ids of shape \(2, 2\)"),
        ({"raises": RuntimeError("no idea")}, RuntimeError, "no idea"),
        ({"raises": KeyboardInterrupt()}, KeyboardInterrupt, None),
    ],
)
def test_what_a_maximiser_does_wrong_ends_the_search(wrong, error, message):
    role = Lies(**wrong)
    found = CompiledSearch(
        PythonMaximiser(role, 3, np.asarray), [1.0, -1.0, 2.0], [([[0, 2]], [-5.0])], incumbent=[0], choices=0
    )
    for _ in range(2):
        with pytest.raises(error, match=message):
            found.advance()
    assert found.value == 1.0
    assert found.on.tolist() == [0]
    assert found.bound == INF
    assert not found.infeasible


def test_groups_that_a_maximiser_ignores_are_named():
    found = CompiledSearch(
        PythonMaximiser(Lies(), 3, np.asarray), [1.0, 1.0, 2.0], group_first=[0, 2], groups=[0, 1], choices=0
    )
    with pytest.raises(ValueError, match="Lies gave a structure that breaks the state or breaks a choice group"):
        found.advance()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base": np.ones(2)}, r"base must have shape \(3,\)"),
        ({"base": [1.0, np.nan, 0.0]}, r"base\[1\] is nan"),
        ({"base": [1.0, np.inf, 0.0]}, r"base\[1\] is inf"),
        ({"group_first": [0, 2]}, "group_first and groups come together"),
        ({"group_first": [0, 2], "groups": [0]}, r"groups must have shape \(2,\)"),
        ({"group_first": [0, 2], "groups": [0, 3]}, r"groups must name decisions in 0..2"),
        ({"group_first": [0, 1, 2], "groups": [1, 1]}, "decision 1 is in two"),
        ({"group_first": [1, 2], "groups": [1]}, "ascending numbers from 0"),
        ({"group_first": [0, 2], "groups": [0, 1], "incumbent": [0, 1]}, "one decision of each group, but 0 has 2"),
        ({"incumbent": [0, 5]}, r"decisions in 0..2"),
        ({"incumbent": [0, 0]}, "one decision twice"),
        ({"base": [-INF, 0.0, 0.0], "incumbent": [0]}, "decision 0, which cannot be on"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    options = {"base": np.zeros(3), **options}
    with pytest.raises(ValueError, match=message):
        CompiledSearch(ChoiceGroups(3), options.pop("base"), **options)


def closure(case, state):
    """The state that fixings imply in the choice groups; None where a group has nothing left."""
    state = np.where(case.base == -INF, 0, state)
    for begin, end in itertools.pairwise(case.first):
        members = case.groups[begin:end]
        if (state[members] == 1).any():
            state[members[state[members] != 1]] = 0
        alive = members[state[members] != 0]
        if not alive.size:
            return None
        if alive.size == 1:
            state[alive] = 1
    return state


def priced_bound(case, state, prices):
    """The bound of factors by their prices, over the structures that agree with the state, by enumeration."""
    closed = closure(case, state)
    if closed is None:
        return -INF
    weights, bound, at = case.base.copy(), 0.0, 0
    for scope, factor in case.factors:
        mine, own = prices[at : at + len(scope)], closed[scope]
        at += len(scope)
        weights[scope] += mine
        allowed = ((factor.rows | (own != 1)) & (~factor.rows | (own != 0))).all(axis=1)
        bound += max((factor.values - factor.rows @ mine)[allowed], default=-INF)
    allowed = ((case.rows | (closed != 1)) & (~case.rows | (closed != 0))).all(axis=1)
    worth = case.own + np.array([weights[row].sum() for row in case.rows])
    return bound + max(worth[allowed], default=-INF)


def prices_of(record):
    """The prices of factors in each row, where nothing but factors scores."""
    table = np.zeros((len(record["row_first"]) - 1, record["prices"]))
    for row, (begin, end) in enumerate(itertools.pairwise(record["row_first"])):
        table[row, record["scopes"][begin:end]] = record["values"][begin:end]
    return table


@pytest.mark.parametrize("kind", CASES)
@seeing("branched", "fixed")
@examples(60)
@given(rng=generators())
def test_every_line_of_the_record_of_factors_holds(seen, rng, kind):
    case = with_factors(rng, CASES[kind](rng))
    found = case.search(choices=0, root_steps=int(rng.integers(1, 20)))
    assert found.advance() == PROVED
    proof = {**(record := found.record()), "multipliers": prices_of(record)}
    states = []

    def holds(state: np.ndarray, row: int) -> bool:
        bound = priced_bound(case, state, proof["multipliers"][row] if row >= 0 else np.zeros(99))
        return bound <= found.bound or close(bound, found.bound)

    for node, parent in enumerate(proof["parent"]):
        state = np.full(len(case.base), -1) if parent < 0 else states[parent].copy()
        if parent >= 0:
            state[proof["decision"][node]] = proof["on"][node]
            seen["branched"] += 1
        for step in np.flatnonzero(proof["step_node"] == node):
            fixed = proof["off"][proof["step_first"][step] : proof["step_first"][step + 1]]
            before = state.copy()
            for e in fixed:
                other = before.copy()
                other[max(e, ~e)] = e >= 0
                assert holds(other, int(proof["step_multipliers"][step]))
                state[max(e, ~e)] = e < 0
                seen["fixed"] += 1
        states.append(state)
        if not (proof["parent"] == node).any():
            assert holds(state, int(proof["multipliers_at"][node]))


@pytest.mark.parametrize("kind", CASES)
@given(rng=generators())
def test_slices_events_and_limits_change_no_answer(rng, kind):
    case = DRAWN["both"](rng, CASES[kind](rng))
    whole = case.search(choices=0)
    assert whole.advance() == PROVED
    heard = case.search(choices=0, events="steps")
    assert (heard.working, heard.step_bound) == (False, INF)
    last = INF
    while heard.advance(steps=1, nodes=10**9, target=1e300) == STEPS:
        if heard.nodes <= 1:
            assert whole.value <= heard.step_bound <= last or close(heard.step_bound, whole.value)
            assert 0 <= heard.free <= len(case.base)  # 0: nothing but the empty choice is left
            last = heard.step_bound
    timed = case.search(choices=0)
    while timed.advance(seconds=0.0) == TIME:
        assert timed.bound >= whole.value or close(timed.bound, whole.value)
    assert timed.value == whole.value
    same = [(one.value, one.bound, one.dp_calls, one.nodes, one.steps, one.fixed) for one in (heard, whole)]
    assert same[0] == same[1]
    events = heard.events()
    assert np.count_nonzero(~events["step"]) == heard.nodes
    assert (np.diff(events["bound"][~events["step"]]) <= 1e-9).all()
    assert (events["bound"] >= heard.value - 1e-6 * max(1.0, abs(heard.value))).all() or heard.infeasible
    assert (np.diff(events["value"][events["value"] > -INF]) >= 0).all()
    assert not len(heard.events())


def test_a_full_buffer_of_events_ends_a_slice():
    rng = np.random.default_rng(0)
    pairs = np.array(list(itertools.combinations(range(30), 2)))
    found = CompiledSearch(
        ChoiceGroups(30),
        np.zeros(30),
        [(pairs, rng.normal(size=len(pairs)))],
        choices=0,
        events="steps",
        root_trend=10**6,
        root_steps=10**6,
    )
    assert found.advance() == EVENTS
    assert len(found.events()) == 4096
    assert found.advance(steps=10) == STEPS
    assert len(found.events()) == 10


def test_target_and_gap_end_the_search():
    rng = np.random.default_rng(1)
    pairs = np.array(list(itertools.combinations(range(16), 2)))
    blocks = [(pairs, rng.normal(size=len(pairs)))]
    whole = CompiledSearch(ChoiceGroups(16), np.zeros(16), blocks, choices=0)
    assert whole.advance() == PROVED
    reached = CompiledSearch(ChoiceGroups(16), np.zeros(16), blocks, choices=0, root_steps=1)
    assert reached.advance(target=0.5 * whole.value) == TARGET
    assert 0.5 * whole.value <= reached.value <= reached.bound
    near = CompiledSearch(ChoiceGroups(16), np.zeros(16), blocks, choices=0, root_steps=1)
    assert near.advance(gap=0.2) == GAP
    assert near.bound - near.value <= 0.2 * max(1.0, near.value)
    assert near.nodes < whole.nodes or near.bound > whole.bound


@given(rng=generators())
def test_a_restart_takes_any_prices(rng):
    case = DRAWN["both"](rng, CASES[list(CASES)[int(rng.integers(len(CASES)))]](rng))
    found = case.search(choices=0)
    found.advance(nodes=1)
    slots, _ = found.slots()
    found.restart(rng.normal(size=len(slots)))
    assert found.advance() == PROVED
    check_optimum(case, found)


PAIR = np.array(list(itertools.product([False, True], repeat=2)))


class Both(Table):
    """1 where both are on; wrong in one place."""

    place = "factor 1 (both)"

    def __init__(self, **wrong: Any) -> None:
        super().__init__(PAIR, np.array([0.0, 0.0, 0.0, 1.0]))
        self.wrong = wrong

    def value(self, on: np.ndarray) -> float:
        if "value" in self.wrong:
            return float(self.wrong["value"])
        return super().value(on)

    def best(self, weights: np.ndarray) -> Any:
        if "raises" in self.wrong:
            raise self.wrong["raises"]
        value, on = super().best(weights)
        return self.wrong.get("best", value), self.wrong.get("on", on)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"best": 5.0}, ValueError, r"factor 1 \(both\): best\(\) gave the value 5.0, but by value"),
        ({"best": -5.0}, ValueError, r"best\(\) gave the value -5.0, but by value"),
        ({"best": 0.0, "on": np.zeros(2, bool)}, ValueError, r"factor 1 \(Both\) has a better structure"),
        ({"raises": RuntimeError("no idea")}, RuntimeError, "no idea"),
        ({"raises": KeyboardInterrupt()}, KeyboardInterrupt, None),
    ],
)
def test_what_a_factor_does_wrong_ends_the_search(wrong, error, message):
    factors = [PythonFactor([0, 1], Both()), PythonFactor([0, 1], Both(**wrong))]
    found = CompiledSearch(ChoiceGroups(2), [1.0, 2.0], factors=factors, choices=0)
    for _ in range(2):
        with pytest.raises(error, match=message):
            found.advance()
    assert found.bound == INF
    assert not found.infeasible


def test_what_was_found_before_a_factor_fails_is_kept():
    factor = Both()
    rows = np.array(list(itertools.combinations(range(12), 2)))
    blocks = [(rows, np.random.default_rng(1).normal(size=len(rows)))]
    found = CompiledSearch(ChoiceGroups(12), np.ones(12), blocks, factors=[PythonFactor([0, 1], factor)], choices=0)
    found.advance(steps=3)
    value, on, bound = found.value, found.on.tolist(), found.step_bound
    factor.wrong = {"raises": LookupError("gone")}
    with pytest.raises(LookupError, match="gone"):
        found.advance()
    assert found.value >= value > -INF
    assert len(found.on) == len(on) or found.value > value
    assert found.step_bound <= bound < INF
    found.bound_current_node()


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        ([0, 9], "factor 0: its scope must name decisions in 0..2"),
        ([1, 1], "factor 0: its scope holds one decision twice"),
    ],
)
def test_wrong_scopes_of_factors_are_named(scope, message):
    with pytest.raises(ValueError, match=message):
        CompiledSearch(ChoiceGroups(3), np.zeros(3), factors=[PythonFactor(scope, Both())])
